#!/bin/bash
# Stacks that the kernel aggregates have names to the end, though the process has executed another
# program, or has ended, since; whether the trace is of this process, follows it or is of all. The two
# programs lie at different addresses, also if the kernel places nothing at random.
# tests: src/usdt/process/heard_code.c src/cli/trace/run.c
set -u
. tests/e2e/common

need_kernel
cat >"$directory/works.c" <<'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void WORK(void)
{
	struct timespec now;

	do {
		for (int i = 0; i < 100000; i++)
			__asm__ volatile("");
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < LIMIT);
}
int main(int count, char **words)
{
	if (count > 1 && !fgets((char[64]){""}, 64, stdin)) /* the last of several waits for a line */
		return 1;
	WORK();
	if (count > 1)
		execl(words[1], words[1], NULL);
	return count > 1;
}
END
$CC -O1 -DWORK=works_before -DLIMIT=400 -o "$directory/before" "$directory/works.c" &&
	$CC -O1 -no-pie -Wl,-Ttext-segment=0x40000000 -DWORK=works_after -DLIMIT=800 -o "$directory/after" "$directory/works.c" || fail "compiling"
mkfifo "$directory/in"

names() { # the options
	local target tracer
	"$directory/before" "$directory/after" <"$directory/in" &
	target=$!
	pids+=("$target")
	exec 3>"$directory/in"
	await "the program" cmp -s "/proc/$target/exe" "$directory/before"
	forget_output
	"$VMTAP" trace -q -n 'BEGIN { printf("begun\n"); }
		profile-997 /execname == "before" || execname == "after"/ { @[ustack()] = count(); }
		proc:::exit /pid == '"$target"'/ { exit(0); }' ${1//PID/$target} >"$directory/out" 2>"$directory/err" 3>&- &
	tracer=$!
	pids+=("$tracer")
	await "the trace" grep -q '^begun$' "$directory/out"
	echo >&3
	exec 3>&-
	wait "$target" || fail "the program"
	wait "$tracer" || fail "the trace: $(cat "$directory/err")"
	has out '^ +before`works_before'
	has out '^ +after`works_after'
	# what the dynamic linker did before its mapping was known has no name
	awk '/^ +(before|after)`works/ { is_named = 1 } /^ +0x[0-9a-f]+$/ { is_unnamed = 1 }
		/^ +[0-9]+$/ { all += $1; unnamed += is_unnamed && !is_named ? $1 : 0; is_named = is_unnamed = 0 }
		END { exit !(all > 300 && unnamed < all / 10) }' "$directory/out" || fail "$1: frames without names"
}
names "-p PID"
names "-p PID --follow"
names ""
exit 0
