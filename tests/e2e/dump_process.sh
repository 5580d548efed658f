#!/bin/bash
# dump of a process that is no VM: each thread with what it waits for and its functions. No system call of
# it fails, also when vmtap is killed in the middle; a stopped process stays stopped; what cannot be shown.
# All of it once more in a pid namespace.
# tests: src/cli/dump/dump_process.c src/usdt/process/thread_state.c src/usdt/unwind/thread_stack.c src/kernel/bpf/task_registers.c
set -u
. tests/e2e/common
cat >"$directory/threads.c" <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static volatile unsigned long turns;

/* A call that returns although nothing has happened. */
static void *failed(const char *call)
{
	printf("%s: %s\n", call, strerror(errno));
	fflush(stdout);
	return NULL;
}
static void *in_epoll(void *name)
{
	struct epoll_event event;
	pthread_setname_np(pthread_self(), name);
	epoll_wait(epoll_create1(0), &event, 1, -1);
	return failed(name);
}
static void *in_lock(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&lock);
	return failed(name);
}
static void *in_sleep(void *name)
{
	struct timespec time = {100000, 0};
	pthread_setname_np(pthread_self(), name);
	nanosleep(&time, NULL);
	return failed(name);
}
static void *in_read(void *name)
{
	char byte;
	pthread_setname_np(pthread_self(), name);
	read(ends[0], &byte, 1);
	return failed(name);
}
/* Its frame is found by the frame pointer, which /proc does not show; and a stop makes it fail. */
static void *in_framed(void *name)
{
	struct epoll_event event;
	volatile char *room = __builtin_alloca((size_t)ends[0] * 100);
	room[0] = 0;
	pthread_setname_np(pthread_self(), name);
	epoll_wait(epoll_create1(0), &event, 1, -1);
	room[1] = 0;
	return failed(name);
}
/* The same in a call that a stop does not make fail. */
static void *in_poll(void *name)
{
	struct pollfd wait = {ends[0], POLLIN};
	volatile char *room = __builtin_alloca((size_t)ends[0] * 100);
	room[0] = 0;
	pthread_setname_np(pthread_self(), name);
	poll(&wait, 1, -1);
	room[1] = 0;
	return failed(name);
}
static void *runs(void *name)
{
	pthread_setname_np(pthread_self(), name);
	for (;;)
		turns++;
	return name;
}
int main(void)
{
	static void *(*const functions[])(void *) = {in_epoll, in_lock, in_sleep, in_read, in_framed, in_poll, runs};
	static char names[][16] = {"epoll", "lock", "sleep", "read", "framed", "poll\033]0;", "runs"};
	pthread_t thread;

	pipe(ends);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 7; i++)
		pthread_create(&thread, NULL, functions[i], names[i]);
	for (unsigned long before;;) {
		before = turns;
		while (getchar() != '\n')
			;
		printf("%s\n", turns > before ? "goes on" : "stands still");
		fflush(stdout);
	}
}
C
$CC -O1 -w -pthread -o "$directory/threads" "$directory/threads.c" || fail "compiling"
mkfifo "$directory/ask"
"$directory/threads" <"$directory/ask" >"$directory/told" &
pid=$!
pids+=("$pid")
exec 3>"$directory/ask"
all_wait() {
	"$VMTAP" dump "$pid" >"$directory/out" 2>"$directory/err" &&
		[ "$(grep -c '^thread .*: waits in ' "$directory/out")" = 7 ]
}
await "the threads wait" all_wait
run 0 dump "$pid"
is_silent_err() { [ ! -s "$directory/err" ]; }
is_silent_err || fail "a dump says something"
stack_of() { # name of the thread: its functions, innermost first, without offsets
	awk -v name="($1):" 'index($0, "thread ") == 1 { on = $3 == name; next }
		on && NF { sub(/\+0x[0-9a-f]+$/, ""); sub(/.*`/, ""); printf "%s ", $0 }' "$directory/out"
}
# Only libc6-dbg has the names of libc's own functions. Root's kernel knows the registers of threads that wait
for name in epoll lock sleep read $([ "$(id -u)" != 0 ] || echo framed) poll?]0\; runs; do
	function=in_${name%%[?]*}
	[ "$name" != runs ] || function=runs
	stack_of "$name" | grep -qE "(^| )$function (start_thread (__)?clone3?|0x[0-9a-f]+ 0x[0-9a-f]+) $" || fail "the stack of $name: $(stack_of "$name")"
done
has out "^thread $pid \(threads\): waits in read of 0 \(.*/ask\), "
has out '^thread [0-9]+ \(epoll\): waits in epoll_wait of [0-9]+ \(anon_inode:\[eventpoll\]\), '
has out '^thread [0-9]+ \(lock\): waits in futex, '
has out '^thread [0-9]+ \(runs\): runs$'
has out '^ {14}threads`in_read\+0x[0-9a-f]+$'
has_not out $'\033'
[ "$(grep -c '^$' "$directory/out")" = 7 ] || fail "threads are not apart"
cp "$directory/out" "$directory/first"
run 0 dump -p "$pid"
sed -E 's/\+0x[0-9a-f]+$//' "$directory/out" >"$directory/second"
sed -E 's/\+0x[0-9a-f]+$//' "$directory/first" | diff - "$directory/second" || fail "the same threads differ"

# again and again, several at once, and killed in the middle: nothing in the process notices
asked=0
goes_on() {
	echo >&3
	asked=$((asked + 1))
	await "no answer" sh -c "[ \$(grep -c 'goes on' '$directory/told') -ge $asked ]"
}
for i in 1 2 3; do
	"$VMTAP" dump "$pid" >"$directory/other.$i" &
	others[i]=$!
done
for i in 1 2 3; do
	wait "${others[i]}" || fail "a dump beside others"
	[ "$(grep -c '^thread' "$directory/other.$i")" = 8 ] || fail "a dump beside others lacks threads"
done
for ((i = 0; i < 60; i++)); do
	"$VMTAP" dump "$pid" >"$directory/none" 2>&1 &
	killed=$!
	for ((j = 0; j < i * 40; j++)); do :; done
	kill -9 "$killed" 2>/dev/null
	wait "$killed" 2>/dev/null
done
goes_on
[ "$(sort -u "$directory/told")" = "goes on" ] || fail "the process has noticed: $(sort "$directory/told" | uniq -c)"
! grep -l '^State:.*[tT] (' "/proc/$pid/task/"*/status || fail "a thread has been left stopped"
# a call that would fail is interrupted only if that is asked for, and only if it has to be
run 0 dump --interrupt "$pid"
stack_of epoll | grep -q ' in_epoll ' || fail "the stack of epoll"

# without that knowledge, the outer frames of a thread are missing that must not be stopped
weak=(setpriv --bounding-set=-all --inh-caps=-all)
if [ "$(id -u)" = 0 ] && "${weak[@]}" true; then
	mkfifo "$directory/other.ask"
	"${weak[@]}" "$directory/threads" <"$directory/other.ask" >"$directory/other.told" &
	other=$!
	pids+=("$other")
	exec 4>"$directory/other.ask"
	shows_partly() {
		"${weak[@]}" "$VMTAP" dump "$other" >"$directory/out" 2>"$directory/err" &&
			[ "$(grep -c '^thread .*: waits in ' "$directory/out")" = 7 ]
	}
	await "a dump without rights" shows_partly
	stack_of framed | grep -q '^epoll_wait.* (more frames: --interrupt shows them, but the call then fails with EINTR) $' ||
		fail "the stack of a thread that must not be stopped: $(stack_of framed)"
	stack_of poll?]0\; | grep -q ' in_poll ' || fail "the stack of a thread that can be stopped"
	[ ! -s "$directory/other.told" ] || fail "the process has noticed: $(cat "$directory/other.told")"
	"${weak[@]}" "$VMTAP" dump --interrupt "$other" >"$directory/out" || fail "dump --interrupt"
	stack_of framed | grep -q ' in_framed ' || fail "the stack of a thread that was to be stopped"
	await "no error of the call" grep -q '^framed: Interrupted system call' "$directory/other.told"
	"${weak[@]}" "$VMTAP" dump "$pid" >"$directory/out" 2>"$directory/err" && fail "a process with more rights"
	has err "^vmtap: process $pid: its memory cannot be read: only its user, with all rights that it has, and root"
else
	echo "left out: a dump without rights: it needs root and setpriv"
fi

# a stopped process stays so
kill -STOP "$pid"
is_stopped() { [ "$(awk '$1 == "State:" { print $2 }' "/proc/$pid/status")" = T ]; }
await "not stopped" is_stopped
run 0 dump "$pid"
[ "$(grep -c ': is stopped$' "$directory/out")" = 8 ] || fail "not all threads are stopped"
stack_of runs | grep -qE 'runs (start_thread|0x)' || fail "the stack of a stopped thread"
is_stopped || fail "a stopped process goes on"
kill -CONT "$pid"
goes_on

# a debugger alone may look
cat >"$directory/debugger.c" <<'C'
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (argc != 2 || ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0))
		return 1;
	write(1, "traced\n", 7);
	pause();
}
C
$CC -w -o "$directory/debugger" "$directory/debugger.c" || fail "compiling"
"$directory/debugger" "$pid" >"$directory/traced" &
debugger=$!
pids+=("$debugger")
await "no debugger" test -s "$directory/traced"
run 3 dump "$pid"
[ "$(cat "$directory/err")" = "vmtap: process $pid (threads) is being traced by process $debugger (debugger), which alone can show its stacks" ] ||
	fail "the line of a debugger"
kill "$debugger"
run 3 dump 999999999
has err 'process 999999999 does not exist'
run 2 dump
has err 'no process is named'
run 2 dump "$pid" "$pid"
has err "is given twice"
# several, each with a head; one that cannot be shown does not keep the others from it
run 3 dump "$pid" 999999999
has out "^process $pid \\(threads\\)$"
has out "^thread $pid "
# what a process has started
sh -c 'sleep 1000 & sleep 1000 & wait' &
parent=$!
pids+=("$parent")
await "no children" sh -c "[ \"\$(pgrep -x -c -P $parent sleep)\" = 2 ]"
for child in $(pgrep -P "$parent"); do pids+=("$child"); done
run 0 dump --follow -p "$parent"
[ "$(grep -c '^process [0-9]* (sleep)$' "$directory/out")" = 2 ] || fail "the children"
if [ "$(cat /proc/2/comm)" = kthreadd ]; then
	run 3 dump 2
	has err '^vmtap: process 2 \(kthreadd\) is a thread of the kernel'
else
	echo "left out: a kernel thread: none is seen here"
fi
run 2 dump --via=wire "$pid"
run 3 dump --via=stream "$pid"
has err 'serves no event stream'
if command -v python3 >/dev/null; then
	python3 -c 'import time; print(1, flush=True); time.sleep(1000)' >"$directory/python" &
	pids+=($!)
	await "no python" test -s "$directory/python"
	sleeps() { "$VMTAP" dump "${pids[-1]}" >"$directory/out" && grep -q ': waits in clock_nanosleep' "$directory/out"; }
	await "python sleeps" sleeps
	has out '`_start\+0x'
fi
# a VM as any other process
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
vm=$!
pids+=("$vm")
await_stream "$vm"
run 0 dump --via=kernel "$vm"
has out "^thread $vm \(toy\): "
has out '^ {14}toy`main\+0x[0-9a-f]+$'

# In a container, processes and threads have other numbers than the kernel's own.
nest='unshare --pid --fork --mount-proc --kill-child'
if [ -z "${TEST_IN_NEST:-}" ] && $nest true 2>/dev/null; then
	TEST_IN_NEST=1 $nest bash "$0" || fail "in a pid namespace"
fi
exit 0
