#!/bin/bash
# Random D programs print the same with optimizations and without, over a log and over a stream.
# A bug that is planted in one of these ways is found, and the command that is printed with it
# finds it again.
# tests: src/engine/machine src/source/request.c
set -u
differential=$BUILD/tests/differential
count=500
[ "${VMTAP_SANITIZED:-0}" = 1 ] && count=100
status=0
fail() {
	echo "FAILED: $*"
	status=1
}

"$differential" --count "$count" >"$TMPDIR/out" 2>&1 || fail "$(tail -n 3 "$TMPDIR/out")"
grep -qE "^differential: seeds 1 to $count: no difference in $count programs \([1-9][0-9]* with events" \
	"$TMPDIR/out" || fail "$(cat "$TMPDIR/out")"
# the same seed gives the same program and the same output
"$differential" --seed 7 --count 1 --show | grep -v '^dtrace: error' >"$TMPDIR/first"
"$differential" --seed 7 --count 1 --show | grep -v '^dtrace: error' >"$TMPDIR/second"
cmp "$TMPDIR/first" "$TMPDIR/second" || fail "a seed gives different programs"
grep -q '^---- optimized ----$' "$TMPDIR/first" || fail "--show"
# most programs are accepted, and most of them run without a fault
read -r rejected faults < <(sed -n 's/.* \([0-9]*\) with faults, \([0-9]*\) rejected).*/\2 \1/p' "$TMPDIR/out")
[ $((rejected * 10)) -lt "$count" ] || fail "$rejected of $count programs are rejected"
[ $((faults * 2)) -lt "$count" ] || fail "$faults of $count programs have faults"

for bug in fold compare cut demand; do
	"$differential" --count 2000 --plant "$bug" >"$TMPDIR/out" 2>&1
	[ $? = 1 ] || fail "$bug: not found"
	command=$(tail -n 1 "$TMPDIR/out")
	grep -qE '^differential: seed [0-9]+: the program above differs when it runs ' "$TMPDIR/out" ||
		fail "$bug: no seed is printed"
	$command >"$TMPDIR/again" 2>&1
	[ $? = 1 ] || fail "$bug: $command does not find it again"
	grep -q '^BEGIN$' "$TMPDIR/again" || fail "$bug: the program is not printed"
	# without the bug the same program is fine
	${command% --plant *} >"$TMPDIR/again" 2>&1 || fail "$bug: ${command% --plant *} fails"
done
"$differential" --plant nothing >"$TMPDIR/out" 2>&1
[ $? = 2 ] || fail "an unknown bug is accepted"
exit $status
