#!/bin/bash
# Functions that begin with a vector instruction which the kernel would take for another one, since it
# looks at the opcode alone: they are left alone, and the program calculates what it does untraced.
set -u
. tests/e2e/common

need_kernel
[ "$(uname -m)" = x86_64 ] || { echo "vector instructions of x86-64"; exit 77; }
program=$directory/vectors
$CC -O1 -o "$program" tests/e2e/trace_vector_code.c || fail "compiling"
"$program" >"$directory/untraced"
[ -s "$directory/untraced" ] || { echo "the processor has no vector instructions"; exit 77; }
lines=$(wc -l <"$directory/untraced")

for name in entry return 0; do
	run 0 trace -q -o "$directory/counts" -c "$program" -n "pid\$target:vectors:vector_*:$name { @[probefunc] = count(); }"
	cmp "$directory/untraced" "$directory/out" || fail "the program calculates something else with $name probes"
	grep -qE '^ +vector_other +1$' "$directory/counts" || fail "$name: the other function is not counted"
	has err 'the kernel takes this vector instruction for another one'
	run 1 trace -q -c "$program" -n "pid\$target:vectors:vector_jump:$name { @ = count(); }"
	has err "vector_jump:$name: the kernel takes this vector instruction for another one\$"
done

# A C library chooses among such functions by the processor.
command="printf '%d %s %05.1f' 12345 text 3.5"
for name in entry return; do
	run 0 trace -q -o "$directory/counts" -c "bash -c \"$command\"" -n "pid\$target:libc::$name { @ = count(); }"
	[ "$(cat "$directory/out")" = "12345 text 003.5" ] || fail "with $name probes the command prints $(cat "$directory/out")"
	[ -s "$directory/counts" ] || fail "no $name is counted"
done
[ "$lines" -ge 5 ]
