#!/bin/bash
# Destructive actions at probes of the kernel's source, system calls and functions of a program:
# raise(), stop() and system() happen, and only with -w. So does copyout(), unless the kernel is in
# lockdown; then a line says that it refuses that, before anything starts.
set -u
. tests/e2e/common
need_kernel

# In each round it makes a call and waits for a signal; then it says whether it was stopped.
cat >"$directory/victim.c" <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int signals;
char memory[16];

static void handle(int number)
{
	(void)number;
	signals++;
}

__attribute__((noinline)) long work(int round, char *bytes)
{
	__asm__ volatile("" : : "r"(round), "r"(bytes) : "memory");
	return syscall(SYS_getppid, round, memory, 77); /* as no other call */
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	sigset_t blocked, before;

	strcpy(memory, "before");
	signal(SIGUSR1, handle);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	for (int i = 0; i < rounds; i++) {
		work(i, memory);
		while (signals == i)
			sigsuspend(&before);
	}
	if (!rounds) {
		work(-1, memory);
		while (access(argv[2], F_OK)) /* until somebody has seen it stopped */
			usleep(1000);
	}
	printf("signals %d memory %s\n", signals, memory);
	return 0;
}
C
$CC -O1 -o "$directory/victim" "$directory/victim.c" || fail "compiling"

run() { # arguments
	timeout 60 "$VMTAP" trace "$@" >"$directory/out" 2>"$directory/err"
}

for probe in 'syscall::getppid:entry /pid == $target && arg2 == 77/' 'pid$target:a.out:work:entry'; do
	for action in 'raise(SIGUSR1)' 'stop()' 'system("true")' 'copyout("after", arg1, 6)'; do
		run -n "$probe { $action; }" -c "$directory/victim 0 /" && fail "$action without -w"
		has err '^dtrace: could not enable tracing: Destructive actions not allowed$'
		! grep -q signals "$directory/out" || fail "$action without -w: the command was run"
	done
	run -w -q -n "$probe { raise(SIGUSR1); @ = count(); }" -c "$directory/victim 5" || fail "$(cat "$directory/err")"
	has out '^signals 5 memory before$'
	has out '^ +5$'

	rm -f "$directory/seen"
	run -w -q -n "$probe { stop(); system(\"until grep -q '^State:.T' /proc/%d/status; do sleep 0.01; done; echo stopped by %s; touch $directory/seen; kill -CONT %d\", pid, probefunc, pid); }" \
		-c "$directory/victim 0 $directory/seen" || fail "$(cat "$directory/err")"
	has out '^stopped by (getppid|work)$'
	has out '^signals 0 memory before$'

	for action in 'copyout("after", arg1, 6)' 'copyoutstr("after", arg1, 6)'; do
		if run -w -n "$probe { $action; }" -c "$directory/victim 0 /"; then
			has out '^signals 0 memory after$'
		else
			has err '^dtrace: could not enable tracing: copyout(str)?\( \) needs a way to write to the memory of the process, which the kernel refuses: it is locked down, or vmtap lacks CAP_SYS_ADMIN$'
			! grep -q signals "$directory/out" || fail "$action: the command was run"
		fi
	done
done
exit 0
