#!/bin/bash
# A trace is not bound by the soft limit of descriptors (ulimit -n), and the programs that it starts
# get that limit.
# tests: src/base/descriptor_limit.c
set -u
. tests/e2e/common
ulimit -Sn 64 && ulimit -Hn 4096 || fail "setting the limit of descriptors"

# a command and its children, and commands of the script, before and after events
run 0 trace -q -w -n 'BEGIN { system("echo begin $(ulimit -Sn) $(ulimit -Hn)"); }' -n \
	'END { system("echo end $(ulimit -Sn) $(ulimit -Hn)"); }' -c 'sh -c "ulimit -Sn; sh -c \"ulimit -Hn\"; ulimit -Sn"'
has out '^begin 64 4096$'
has out '^end 64 4096$'
[ "$(grep -c '^64$' "$directory/out") $(grep -c '^4096$' "$directory/out")" = "2 1" ] || fail "the command's limit"

# functions in more files than the limit allows descriptors; each is open in the command
need_kernel
cat >"$directory/part.c" <<'C'
int part(int number) { return number; }
C
cat >"$directory/whole.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int (*part)(int), i;

	for (i = 0; i < 100 && argc == 2; i++) {
		char path[4096];
		void *file;

		snprintf(path, sizeof(path), "%s%d.so", argv[1], i);
		file = dlopen(path, RTLD_NOW);

		part = file ? (int (*)(int))dlsym(file, "part") : 0;
		if (!part || part(i) != i)
			return 1;
	}
	return 0;
}
C
$CC -shared -fPIC -o "$directory/part0.so" "$directory/part.c" || fail "compiling"
for i in {1..99}; do
	cp "$directory/part0.so" "$directory/part$i.so"
done
$CC -o "$directory/whole" "$directory/whole.c" -Wl,--no-as-needed "$directory"/part*.so -ldl || fail "compiling"
run 0 trace -q -n 'pid$target:part*.so:part:entry { @[probemod] = count(); @all = count(); }' -n \
	'END { printa("%s %@d\n", @); printa("all %@d\n", @all); }' -c "$directory/whole $directory/part"
has out '^all 100$'
[ "$(grep -c '^part[0-9]*\.so 1$' "$directory/out")" = 100 ] || fail "the files' counts"
is_silent || fail "messages"

# When no descriptor is left, the program goes on, and a line says that it is not traced as a whole.
cat >"$directory/loads.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>

__attribute__((noinline)) int part(int number) { return number + 1; }

int main(int argc, char **argv)
{
	for (int i = 0; i < 60 && argc == 2; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s%d.so", argv[1], i);
		if (!dlopen(path, RTLD_NOW))
			return 1;
	}
	return part(argc) - 3;
}
C
$CC -o "$directory/loads" "$directory/loads.c" -ldl || fail "compiling"
for limit in 160 200 256; do
	(ulimit -n "$limit" && run 0 trace -q -n 'pid$target:*:part:entry { @ = count(); }' \
		-c "$directory/loads $directory/part") || exit 1
	has out '^ +1$'
	has err 'a higher hard limit of descriptors is needed'
	has_not err 'it ended before'
done
# With very few, a trace begins as long as it can, and says what it goes without, and why.
sleep 1000 &
pids+=($!)
reasons=0
for ((limit = 18; limit < 60; limit += 3)); do
	(ulimit -n "$limit" && timeout 100 "$VMTAP" trace -q -n 'tick-10ms { exit(0); } pid$target::malloc:entry { @ = count(); }' \
		-p "${pids[-1]}") >"$directory/out" 2>"$directory/err"
	is_silent || has err 'Too many open files'
	grep -q 'executes from now on is not traced: .*Too many open files' "$directory/err" && reasons=$((reasons + 1))
done
[ "$reasons" -gt 0 ] || fail "no limit at which changes cannot be watched"
(ulimit -n 60 && run 0 trace -q -n 'tick-10ms { exit(0); } pid$target::malloc:entry { @ = count(); }' -p "${pids[-1]}") ||
	exit 1
is_silent || fail "60 descriptors are not enough for one process"
# With enough of them, what it costs grows with the number of files, not with its square.
(ulimit -n 600 && run 0 trace -q -n 'pid$target:*:part:entry { @ = count(); }' \
	-c "$directory/loads $directory/part") || exit 1
is_silent || fail "messages"
