#!/bin/bash
# What -l says of probes that the kernel would trace: their source, what they cost, and why some
# cannot be traced; and functions that share a name within a file.
# tests: src/cli/trace/trace_list.c
set -u
. tests/e2e/common

need_kernel

# ---- static functions of one name ----

for number in 1 2; do
	cat >"$directory/part$number.c" <<C
__attribute__((noinline)) static int helper(int x) { __asm__ volatile(""); return x + $number; }
int part$number(int x) { return helper(x); }
C
done
cat >"$directory/main.c" <<'C'
int part1(int), part2(int);
/* push, then an instruction that is single-stepped; a return that jumps away is none */
__asm__(".globl pushes, stepped, broken\n"
	".type pushes, @function\npushes: push %rbp\nmov %rsp, %rbp\npop %rbp\nret\n.size pushes, . - pushes\n"
	".type stepped, @function\nstepped: mov %edi, %eax\nret\n.size stepped, . - stepped\n"
	".type broken, @function\nbroken: mov $39, %eax\nsyscall\nret\n.size broken, . - broken\n"
	/* names of one address, as C libraries have them */
	".globl _IO_named, named_again\n.weak named\n.set named, _IO_named\n.set named_again, _IO_named\n"
	".type _IO_named, @function\n_IO_named: push %rbp\npop %rbp\nret\n.size _IO_named, . - _IO_named\n"
	".globl _IO_other\n.weak other\n.set other, _IO_other\n"
	".type _IO_other, @function\n_IO_other: ret\n.size _IO_other, . - _IO_other\n");
int named(void);
int pushes(int), stepped(int), broken(void);
int main(void)
{
	return part1(10) + part2(20) + part2(30) + pushes(1) + stepped(1) + 0 * named() + broken() < 0;
}
C
$CC -O1 -o "$directory/parts" "$directory/main.c" "$directory/part1.c" "$directory/part2.c" || fail "compiling"
parts=$directory/parts
run 0 trace -q -c "$parts" -n 'pid$target:parts:helper:entry { printf("entry %d\n", arg0); }
	pid$target:parts:helper:return { printf("return %d\n", (int)arg1); }
	pid$target:parts:helper:entry { @ = count(); } END { printa("again %@d\n", @); }'
grep . "$directory/out" | cmp -s - <(printf "%s\n" "entry 10" "return 11" "entry 20" "return 22" "entry 30" \
	"return 32" "again 3") || fail "functions of one name: $(cat "$directory/out")"
run 0 trace -l -c "$parts" -n 'pid$target:parts:helper:entry,pid$target:parts:helper:entry'
[ "$(sort -u "$directory/out" | grep -c ' helper entry$')" = 2 ] || fail "each is a probe: $(cat "$directory/out")"

# ---- one function of several names: each name finds it, and the probe has the canonical one ----

for name in named _IO_named named_again 'name[d]' '_IO_n*'; do
	run 0 trace -q -c "$parts" -n "pid\$target:parts:$name:entry,pid\$target:a.out:$name:return { @[probefunc, probename] = count(); }"
	has out '^  named_again +entry +1$'
	has out '^  named_again +return +1$'
done
run 0 trace -l -c "$parts" -n 'pid$target:parts:*named*:entry,pid$target:parts:named:entry'
[ "$(sort -u "$directory/out" | grep -c ' entry$')" = 1 ] || fail "names of one function: $(cat "$directory/out")"
# a weak name with fewer underscores is canonical
run 0 trace -l -c "$parts" -n 'pid$target:parts:_IO_other:entry,pid$target:parts:other:entry'
[ "$(awk '/ entry$/ { print $4 }' "$directory/out" | sort -u)" = other ] || fail "other: $(cat "$directory/out")"

# ---- sources, costs, reasons ----

section() { # NAME: what -v says of that probe after "Source"
	awk -v name="$1" '/^ *[0-9]+ / { on = $4 " " $5 == name } on && /^\tSource/ { source = 1; next }
		on && source { if (NF) print; else exit }' "$directory/out"
}
# Sites of one probe whose arguments have different types.
cat >"$directory/differ.c" <<'DIFFER'
#include <sys/sdt.h>
int main(int count, char **words)
{
	(void)words;
	DTRACE_PROBE2(differ, hit, (int)count, 1L);
	DTRACE_PROBE2(differ, hit, (unsigned char)count, 2L);
	DTRACE_PROBE2(differ, hit, (short)count, 3L);
	DTRACE_PROBE1(differ, same, (long)count);
	DTRACE_PROBE1(differ, same, (long)count + 1);
	return 0;
}
DIFFER
$CC -O1 -o "$directory/differ" "$directory/differ.c" || fail "compiling"
run 0 trace -l -v -c "$directory/differ" -n 'differ$target:::'
[ "$(grep -c '^		its sites differ: args\[0\] is also uint8_t, args\[0\] is also int16_t$' "$directory/out")" = 1 ] &&
	[ "$(grep -c 'differ:' "$directory/out")" = 1 ] || fail "types that differ between sites"

run 0 trace -l -v -c "$parts" -n 'pid$target:parts:pushes:entry,pid$target:parts:stepped:entry,pid$target:parts:broken:5'
[ "$(section 'pushes entry')" = $'\t\tkernel' ] || fail "pushes: $(section 'pushes entry')"
section 'stepped entry' | grep -q 'single-stepped' || fail "stepped: $(section 'stepped entry')"
section 'broken 5' | grep -q 'cannot be traced: a system call' || fail "broken: $(section 'broken 5')"
# Without -v the columns are dtrace's, and the reason is a line on standard error.
run 0 trace -l -c "$parts" -n 'pid$target:parts:broken:*'
has err '^vmtap: pid[0-9]+:parts:broken:5 cannot be traced: a system call'
[ "$(grep -c 'cannot be traced' "$directory/err")" = 1 ] || fail "$(cat "$directory/err")"
has out '^ *[0-9]+ +pid[0-9]+ +parts +broken 5$'
! grep -qE '(Source|kernel)' "$directory/out" || fail "$(cat "$directory/out")"
# To trace it is an error that says the same, unless other probes are left.
run 1 trace -q -c "$parts" -n 'pid$target:parts:broken:5 { }'
has err 'broken:5: a system call'

# With -Z the others go on without a function that its file does not have; a line says so. A file that
# is not mapped may be mapped later.
run 0 trace -Z -q -c "$parts" -n 'pid$target:parts:helpre:entry, pid$target:libnosuch:x:entry { }
	pid$target:parts:helper:entry { @ = count(); } END { printa("entries %@d\n", @); }'
has out '^entries 3$'
has err '^vmtap: process [0-9]+ \(parts\): pid[0-9]+:parts:helpre:entry: no function helpre in parts \(did you mean helper\?\)$'
! grep -q libnosuch "$directory/err" || fail "$(cat "$directory/err")"
run 3 trace -q -c "$parts" -n 'pid$target:parts:helpre:entry { } pid$target:parts:helper:entry { }'
has err '^vmtap: pid[0-9]+:parts:helpre:entry: no function helpre in parts \(did you mean helper\?\)$'

# Probes of a stream and of the kernel in one list.
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
vm=$!
pids+=("$vm")
served() { "$VMTAP" trace --via=stream -l -n "vm$vm:::startup" -p "$vm" >/dev/null 2>&1; }
await "the VM does not serve its stream" served
run 0 trace -l -v -p "$vm" -n 'vm$target:::startup,pid$target:toy:main:entry'
grep -A1 $'^\tSource' "$directory/out" | grep -vE '^(--|.Source)' >"$directory/sources"
printf '\t\tevent stream\n\t\tkernel\n' | cmp -s - "$directory/sources" ||
	fail "sources: $(cat "$directory/sources")"
exit 0
