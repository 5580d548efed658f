#!/bin/bash
# The kernel source, for real: USDT probes of programs with and without libvmtap, by uprobes. What a
# program counts itself, and what the same script prints over the stream, is what it must print.
# tests: src/kernel/process/process_source.c src/kernel/process/attach.c src/kernel/bpf/bpf.c
set -u
. tests/e2e/common

need_kernel

# ---- a program that nobody prepared ----

$CC -O2 -o "$directory/target" tests/tools/usdt_target.c -pthread || fail "compiling"
target=$directory/target

# From the first event on, in order, with values of the operands' sizes and signs.
run 0 trace -q -c "$target 1000" -n 'BEGIN { disorder = 0; last = (int64_t)0; }
	sample$target:::number { @n = count(); @s = sum(arg0);
	@d = sum((int64_t)arg1); disorder += arg0 != last + 1; last = arg0; }
	END { printf("%d", disorder); printa(" %@d", @n); printa(" %@d", @s); printa(" %@d", @d); }'
has out '^0 1000 500500 -500500$'
run 0 trace -q -c "$target 1" -n 'sample$target:::sizes { printf("%d %d %d %d %d %d %x", arg0, arg1, arg2,
	arg3, arg4, arg5, arg6); }'
has out '^200 -2 4000000000 -5000000000 42 -3 1122334455667788$'

# Memory at addresses that are computed from arguments; pointers through structs.
cat >"$directory/pairs.d" <<'D'
struct pair { struct pair *next; char *name; int value; };
sample$target:::number
/arg0 == 7/
{
	this->pair = (struct pair *)copyin(arg2, sizeof (struct pair));
	this->next = (struct pair *)copyin((uintptr_t)this->pair->next, sizeof (struct pair));
	printf("%s %d %s %d", copyinstr((uintptr_t)this->pair->name), this->pair->value,
	    copyinstr((uintptr_t)this->next->name), this->next->value);
}
D
run 0 trace -q -c "$target 10" -s "$directory/pairs.d"
has out '^first 7 last 14$'

# Lengths that are arguments; what is read is neither more nor less.
printf '%-4088s0123456789abcdef' x >"$directory/counted"
run 0 trace -q -c "$target cold $directory/counted" -n 'sample$target:::text {
	printf("<%s> <%s> <%s>", stringof(copyin(arg0, arg1)), stringof(copyin(arg0 + 2, arg1 - 4)), copyinstr(arg0, arg1)); }'
has out '^<0123456789abcdef> <23456789abcd> <0123456789abcdef>'
run 0 trace -q -c "$target cold $directory/counted" -n 'sample$target:::text { trace(stringof(copyin(arg0, arg1 + 4080))); }'
has out '^0123456789abcdef'
run 0 trace -q -c "$target cold $directory/counted" -n 'sample$target:::text { trace(stringof(copyin(arg0, arg1 + 4081))); }'
has err 'invalid address'
for size in 255 8 7; do # where a string's length is rounded up to nothing
	run 0 trace -q -x strsize=$size -c "$target 3" -n 'sample$target:::number { @[copyinstr(arg2), copyinstr(arg2 + 8)] = count(); ustack(1); }'
done

# Strings whose pages are not in memory are read all the same, also across pages.
for ((i = 0; i < 64; i++)); do
	printf '%-4088s<%06d>' x "$i"
done >"$directory/cold"
printf '<last>\0' >>"$directory/cold"
run 0 trace -q -x strsize=16 -c "$target cold $directory/cold" \
	-n 'sample$target:::text { printf("%s\n", copyinstr(arg0)); }'
[ "$(grep -cE '^<[0-9]{6}>x' "$directory/out")" = 63 ] || fail "strings in pages that were not resident"
[ "$(grep -c '^<000063><last>' "$directory/out")" = 1 ] || fail "the last string"

# ---- attaching and detaching ----

# The guard is closed again, however the tracer ends, and the program is untouched.
mkfifo "$directory/in"
"$target" wait <"$directory/in" >"$directory/ready" &
waiting=$!
pids+=("$waiting")
exec 3>"$directory/in"
await "the target is not ready" grep -q ready "$directory/ready"
semaphore() { "$VMTAP" list --json "$waiting" | grep -q '"traced": true'; }
"$VMTAP" trace -q -p "$waiting" -n 'sample$target:::number { @ = count(); } BEGIN { printf("begun\n"); }' \
	>"$directory/out" 2>"$directory/err" &
tracer=$!
await "the guard does not open" semaphore
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
closed() { ! semaphore; }
await "the guard stays open after kill -9" closed
"$VMTAP" trace -p "$waiting" -n 'sample$target:::number { @ = count(); }' >"$directory/out" 2>"$directory/err" &
tracer=$!
await "the guard does not open again" semaphore
echo go >&3
exec 3>&-
wait "$waiting" || fail "the target failed"
wait "$tracer" || fail "the trace of a process that ends"
has out '^ *1000$'
has err '^dtrace: pid [0-9]+ has exited$'

# Every event is delivered or counted as lost, amid a storm from four threads, whatever the buffer's size.
for options in "" "-x reduce=no" "-x reduce=no -x bufsize=1k" "-x reduce=no -x bufsize=32m"; do
	# shellcheck disable=SC2086
	run 0 trace $options -c "$target storm 1" -n 'sample$target:::number { @ = count(); }' -o "$directory/count"
	fired=$(grep -oE '^[0-9]+$' "$directory/out")
	counted=$(awk 'NF == 1 && $1 ~ /^[0-9]+$/ { print $1 }' "$directory/count")
	lost=$(grep -oE '[0-9]+ (dynamic variable )?drops' "$directory/err" | awk '{ sum += $1 } END { print sum + 0 }')
	[ $((counted + lost)) = "$fired" ] || fail "$options: fired $fired, counted $counted, lost $lost"
	rm -f "$directory/count"
done

# ---- provider pid ----

run 0 trace -q -c "$target 5" -n 'pid$target:a.out:main:entry { printf("argc %d\n", arg0); }
	pid$target:target:main:return { printf("ret %d\n", (int)arg1); }
	pid$target:libc:exit:entry { printf("exit %d", (int)arg0); ustack(); }'
has out '^argc 2$'
has out '^ret 0$'
has out '^exit 0$'
has out '^ +libc.so.6`exit$'
has out '^ +target`_start\+0x'
# Every entry of a function has its return; a glob takes many functions, by one link.
cat >"$directory/calls.c" <<'C'
#include <stdlib.h>
__attribute__((noinline)) int twice(int value) { __asm__ volatile(""); return value * 2; }
__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	__asm__ volatile("");
	return a + b + c + d + e + f + g + h;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < atoi(argv[argc - 1]); i++)
		sum += twice(i);
	return (sum + many(1, 2, 3, 4, 5, 6, 7, 8)) & 1;
}
C
$CC -O1 -o "$directory/calls" "$directory/calls.c" || fail "compiling"
run 0 trace -q -c "$directory/calls 300" -n 'pid$target:calls:twice:entry { @e = count(); self->in = arg0; }
	pid$target:calls:twice:return { @r = count(); @bad = sum((int)arg1 != 2 * self->in); }
	pid$target:calls:many:entry { printf("%d %d %d\n", arg0, arg6, (int)arg7); }
	END { printa("%@d", @e); printa(" %@d", @r); printa(" %@d\n", @bad); }'
has out '^1 7 8$'
has out '^300 300 0$'
run 3 trace -c "$target 1" -n 'pid$target:libc:mallok:entry { }'
has err 'pid[0-9]+:libc:mallok:entry: no function mallok in libc.so.6 \(did you mean malloc\?\)'
run 1 trace -c "$target 1" -n 'pid$target:a.out:main:3 { }'
has err 'main:3: it is in the middle of the instruction at offset '

# ---- what cannot be done is said ----

# A site whose bytes are no nop is not attached to: the kernel would break the program there.
cp "$target" "$directory/broken"
offset=$("$VMTAP" list --json "$target" | awk '/"name": "sizes"/ { at = 1 } at && /"offset"/ { print $2; exit }' | tr -d '",')
printf '\x55' | dd of="$directory/broken" bs=1 seek=$((offset)) conv=notrunc 2>/dev/null || fail "dd"
run 1 trace -q -c "$directory/broken 0" -n 'sample$target:::sizes { @ = count(); }'
has err "broken: the site at 0x[0-9a-f]+ is not attached to: "

# Memory at an address that only the clause knows is not there when it runs. The program in the kernel
# cannot know a variable of all threads.
run 1 trace -q -c "$target 1" -n 'sample$target:::number { p = arg2; }
	sample$target:::sizes { trace(*(int *)copyin(p, 4)); }'
has err 'sample[0-9]+:target:[a-z.0-9]*:sizes: a clause reads memory at an address that is not computed'
run 2 trace --via=nosuch -n 'BEGIN { }'
has err "auto, stream or kernel"

# ---- a VM with libvmtap: by the kernel as by the stream ----

for program in queens wordcount; do
	script='vm$target:::method-entry { @[copyinstr(arg0), copyinstr(arg1)] = count(); }
		vm$target:::object-create { @b[copyinstr(arg0)] = sum(arg1); }'
	for via in stream kernel; do
		run 0 trace --via=$via -q -o "$directory/$program.$via" -c "$TOY examples/toy/programs/$program.toy" -n "$script"
		[ "$via" = kernel ] || run 0 trace --lossless --via=$via -q -o "$directory/$program.lossless" \
			-c "$TOY examples/toy/programs/$program.toy" -n "$script"
	done
	cmp "$directory/$program.lossless" "$directory/$program.kernel" || fail "$program: kernel and stream differ"
done

# One script over both: vm's probes come by the stream, the others by the kernel.
run 0 trace --via=kernel -q -c "$TOY examples/toy/programs/queens.toy" -n 'vm$target:::startup { printf("%s", probefunc); ustack(3); }'
has out 'vmtap_fire|main'
exit 0
