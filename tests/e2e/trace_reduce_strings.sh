#!/bin/bash
# Strings in keys of aggregations that BPF programs carry out: numbers stand for them there, which are
# given back as trunc() empties the aggregation. No key is lost, however many strings there have been.
# tests: src/kernel/translate/string_numbers.c src/kernel/translate/translate_string.c
set -u
. tests/e2e/common

need_kernel
LOT=20000 # new strings at a time
$CC -O2 -o "$directory/target" tests/tools/usdt_target.c -pthread || fail "compiling"
mkfifo "$directory/line"
"$directory/target" texts $LOT <"$directory/line" >"$directory/fired" &
target=$!
pids+=($target)
exec 3>"$directory/line"

VMTAP_DEBUG=kernel timeout 300 "$VMTAP" trace --via=kernel -q -x strsize=16 -x aggsize=4m -p $target -n '
	BEGIN { printf("begun\n"); }
	sample$target:::text { @all = count(); @[copyinstr(arg0), copyinstr(arg0, 4)] = count(); }
	tick-100ms { printa("%s %s %@d\n", @); trunc(@); }
	END { printa("%s %s %@d\n", @); trunc(@); printa("all %@d\n", @all); }' \
	>"$directory/out" 2>"$directory/err" 3>&- &
tracer=$!
pids+=($tracer)

opened() { grep -q 'that aggregate are carried out' "$directory/err" && grep -q begun "$directory/out"; }
fired() { grep -q "^$1\$" "$directory/fired"; }
shown() { [ "$(grep -c '^text' "$directory/out")" -ge "$1" ]; }
given() { # how many strings at least
	[ "$(awk '/strings in keys are given back/ { sum += $3 } END { print sum + 0 }' "$directory/err")" -ge "$1" ]
}

await "no probe is open" opened
grep -q ' 2 instructions that aggregate' "$directory/err" || fail "the clause is not carried out by a program"
sum=0
for part in 1 2 3; do
	for _ in 1 2 3 4; do
		echo >&3
		sum=$((sum + LOT))
		await "the target does not fire" fired $sum
		await "not all keys are shown" shown $sum
	done
	await "no strings are given back" given 1
done
exec 3>&-
wait $target && wait $tracer || fail "the target or the trace ends with another status"
has out "^all $sum\$"
has_not err 'drop'
[ "$(grep '^text' "$directory/out" | awk '{ print $2, $3, $4 }' | sort -u | wc -l)" = "$sum" ] || fail "keys are shown twice"
[ "$(grep -c '^text [0-9]* text 1$' "$directory/out")" = "$sum" ] || fail "wrong keys or values"
exit 0
