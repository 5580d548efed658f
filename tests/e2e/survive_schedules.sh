#!/bin/bash
# The deterministic scheduler of the survival rig: the library keeps its promises in some thousand
# schedules of each kind, and a seed repeats its schedule.
# tests: src/shim/core/ring.c src/shim/core/ring_memory.c src/shim/server/start.c
set -u
. tests/e2e/common
[ "${VMTAP_SANITIZED:-0}" = 0 ] || { echo "sanitizers do not follow a change of stacks" && exit 77; }

program=$directory/schedules
bash tests/survive/build_schedules "$program" >"$directory/err" 2>&1 || fail "it does not build"
"$program" --count 3000 >"$directory/out" 2>"$directory/err" || fail "a violation"
[ "$(grep -c '^schedules ' "$directory/out")" = 15 ] || fail "not all scenarios in all models"
"$program" --count 100 --seed 5 --scenario ring >"$directory/first"
"$program" --count 100 --seed 5 --scenario ring >"$directory/second"
cmp -s "$directory/first" "$directory/second" || fail "the same seeds, other schedules"
"$program" --model server --count 2000 >"$directory/out" 2>"$directory/err" ||
	fail "a violation of the server"
has out '^schedules server +sc +2000 schedules'
for copy in first second; do
	"$program" --model server --count 1 --seed 7 --trace >"$directory/$copy"
done
cmp -s "$directory/first" "$directory/second" || fail "the same seed, another schedule of the server"
exit 0
