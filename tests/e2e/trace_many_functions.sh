#!/bin/bash
# A hundred thousand functions, each entered and left once: all are counted, and what a trace costs
# grows with their number, not with its square, which would take minutes of CPU time here.
# tests: src/kernel/process/site_group.c
set -u
. tests/e2e/common

need_kernel
functions=100000
awk -v n=$functions 'BEGIN {
	print "\t.text"
	for (i = 0; i < n; i++)
		printf "\t.type work%d, @function\nwork%d:\tpush %%rbp\n\tpop %%rbp\n\tret\n\t.size work%d, .-work%d\n", i, i, i, i
	print "\t.globl main\n\t.type main, @function\nmain:\tpush %rbx"
	for (i = 0; i < n; i++)
		print "\tcall work" i
	print "\tpop %rbx\n\txor %eax, %eax\n\tret\n\t.size main, .-main\n\t.section .note.GNU-stack,\"\",@progbits"
}' >"$directory/many.s"
$CC -o "$directory/many" "$directory/many.s" || fail "assembling"

# One clause with two descriptions, two clauses, and one that describes each probe twice.
counts() { # clauses
	(ulimit -t 20 && run 0 trace -q -c "$directory/many" -n "$1") || fail "$1 takes too much CPU time"
	[ "$(grep -cE "^ +(entry|return) +$functions$" "$directory/out")" = 2 ] || fail "$1: $(cat "$directory/out")"
}
counts 'pid$target:many:work*:entry, pid$target:many:work*:return { @[probename] = count(); }'
counts 'pid$target:many:work*:entry { @[probename] = count(); } pid$target:many:work*:return { @[probename] = count(); }'
(ulimit -t 20 && run 0 trace -l -c "$directory/many" -n 'pid$target:many:work*:entry, pid$target:many:work*:, pid$target:many:work*:return') ||
	fail "listing takes too much CPU time"
listed=$(awk '$4 ~ /^work/ && $5 ~ /^(entry|return|[012])$/ && !seen[$1]++ { count++ } END { print count }' "$directory/out")
[ "$listed" = $((5 * functions)) ] || { : >"$directory/out"; fail "$listed probes are listed"; }

# What cannot be traced is found as fast: the kernel takes no instruction with a lock prefix.
sed 's/push %rbp$/lock incl (%rsp)/; /^\tpop %rbp$/d; /^\tcall work/d' "$directory/many.s" >"$directory/refused.s"
$CC -o "$directory/refused" "$directory/refused.s" || fail "assembling"
(ulimit -t 20 && run 0 trace -q -c "$directory/refused" \
	-n 'pid$target:refused:work*:entry, pid$target:refused:work*:return, pid$target:refused:main:entry { @[probename] = count(); }') ||
	fail "what is refused takes too much CPU time"
has out '^ +entry +1$'
has err "\(and $((2 * functions - 1)) more\)"
exit 0
