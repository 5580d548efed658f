#!/bin/bash
# trace --lossless and record --lossless: the VM waits for a tracer, but not for ever, and not if
# its author does not allow it. Whatever is lost then is told, and the exit status is 1.
# tests: src/shim/server/lossless.c
set -u
. tests/e2e/common

start_toy() { # lossless_ms
	VMTAP_DEBUG=server TOY_LOSSLESS_MS=$1 "$TOY" tests/toy/loop.toy 2>"$directory/toy" &
	toy=$!
	pids+=("$toy")
	await_stream "$toy"
}

end() { # pid
	kill -9 "$1"
	wait "$1" 2>/dev/null
	return 0
}

# How much CPU time a process has used, in ticks.
used() { # pid
	awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}
# Waits until the VM, which no longer waits for its client, has run for long enough to fire far more
# than the client's queue can take.
runs_on() {
	local before
	before=$(used "$toy")
	has_run() { [ "$(used "$toy")" -gt $((before + 60)) ]; }
	await "the VM does not run on" has_run
}

# Starts a tracer, and stops it in the middle of its work until the VM goes on without it.
stall() { # arguments
	forget_output
	"$VMTAP" "$@" >"$directory/out" 2>"$directory/err" &
	tracer=$!
	pids+=("$tracer")
	await "no subscription" grep -q 'flags 0x1$' "$directory/toy"
	kill -STOP "$tracer"
	await "the VM still waits" grep -q 'no longer lossless' "$directory/toy"
	runs_on
	kill -CONT "$tracer"
	await "no message" grep -q 'delivery is no longer lossless' "$directory/err"
	kill -INT "$tracer"
	wait "$tracer"
	status=$?
}

start_toy 300
stall trace -q --lossless -p "$toy" -n 'vm$target:::method-entry { @ = count(); }'
[ "$status" = 1 ] || fail "trace: exit status $status, expected 1"
has err '^vmtap: [0-9]+ events were lost although --lossless asked for all'
end "$toy"

# an exit status of the script's own is kept
start_toy 300
"$VMTAP" record --lossless -p "$toy" -o "$directory/log" >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "no subscription" grep -q 'flags 0x9' "$directory/toy"
kill -STOP "$tracer"
await "the VM still waits" grep -q 'no longer lossless' "$directory/toy"
runs_on
kill -CONT "$tracer"
tries=0
until grep -qa 'delivery is no longer lossless' "$directory/log"; do
	tries=$((tries + 1))
	[ "$tries" -lt 3000 ] || fail "the recording has no message"
	sleep 0.01
done
kill -INT "$tracer"
wait "$tracer"
status=$?
[ "$status" = 1 ] || fail "record: exit status $status, expected 1"
has err '^vmtap: [0-9]+ events were lost although --lossless asked for all'
end "$toy"

# refused
start_toy -1
run 1 trace -q --lossless -p "$toy" -n 'vm$target:::method-entry { exit(0); }'
has err 'lets no client make it wait: lossless delivery is not possible'
run 0 trace -q -p "$toy" -n 'vm$target:::method-entry { exit(0); }'
end "$toy"

# a tracer that keeps up loses nothing, and only the probes that look at the CPU clock have it
start_toy 600000
run 0 trace -q --lossless -p "$toy" -n 'vm$target:::method-entry { exit(0); }'
has_not err 'lost'
run 0 trace -q -p "$toy" -n 'self uint64_t t;
	vm$target:::method-entry /self->t/ { exit(vtimestamp > self->t ? 0 : 4); }
	vm$target:::method-entry { self->t = vtimestamp; }'
end "$toy"

# Nothing can wait in a signal handler that has interrupted the writing of another event. What is lost
# then is told with that reason: it is not that the VM has waited for long enough.
cat >"$directory/handler.c" <<'PROGRAM'
#include <signal.h>
#include <sys/time.h>
#include <vmtap.h>
#include <vmtap_probes.h>

static void fire(int signal)
{
	(void)signal;
	VMTAP_GC_DONE(0);
}

int main(void)
{
	const struct itimerval often = {{0, 100}, {0, 100}};

	signal(SIGALRM, fire);
	if (vmtap_start(NULL) || setitimer(ITIMER_REAL, &often, NULL))
		return 1;
	for (;;)
		VMTAP_GC_IDLE(0);
}
PROGRAM
flags=
[ -z "${VMTAP_SANITIZED:-}" ] || flags=-fsanitize=address,undefined
$CC -O2 $flags -I"$BUILD/include" -Iinclude -o "$directory/handler" "$directory/handler.c" "$BUILD/libvmtap.a" -pthread ||
	fail "the program with a signal handler"
"$directory/handler" &
handler=$!
pids+=("$handler")
await_stream "$handler"
reason='although --lossless asked for all: a signal handler fired them while its thread was writing'
run 1 trace -q --lossless -p "$handler" -n 'int n; int done;
	vm$target:::gc-idle /++n > 1000000/ { exit(0); } vm$target:::gc-done { done = 1; }'
has err "^(dtrace|vmtap): [0-9]+ events? (was|were) lost $reason"
has_not err 'for ever|with --lossless'
run 1 record --lossless -p "$handler" -o "$directory/log" --max-size 20m
has err "^vmtap: [0-9]+ events were lost $reason"
has_not err 'for ever'
end "$handler"
run 0 log "$directory/log"

# Neither can threads for whose rings the library has no memory.
cat >"$directory/threads.c" <<'PROGRAM'
#include <pthread.h>
#include <vmtap.h>
#include <vmtap_probes.h>

enum { THREADS = 200, EVENTS = 100 };

static pthread_barrier_t all;

static void *fire(void *argument)
{
	for (int i = 0; i < EVENTS; i++)
		VMTAP_GC_IDLE(0);
	pthread_barrier_wait(&all);
	return argument;
}

int main(void)
{
	struct vmtap_options options = {.size = sizeof(options), .memory_bytes = 4 << 20};
	pthread_t threads[THREADS];

	pthread_barrier_init(&all, NULL, THREADS);
	if (vmtap_start(&options))
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, fire, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	vmtap_stop();
	return 0;
}
PROGRAM
# shellcheck disable=SC2086 # no flags
$CC -O2 $flags -I"$BUILD/include" -Iinclude -o "$directory/threads" "$directory/threads.c" "$BUILD/libvmtap.a" -pthread ||
	fail "the program with many threads"
reason='the library had no memory for the rings of the threads that fired them'
run 1 trace -q --via=stream --lossless -c "$directory/threads" -n 'vm$target:::gc-idle { @ = count(); }'
has err "^vmtap: [0-9]+ events were lost although --lossless asked for all: $reason"
run 0 trace -q --via=stream -c "$directory/threads" -n 'vm$target:::gc-idle { @ = count(); }'
has err '^dtrace: [0-9]+ drops'
has_not err 'with --lossless'
run 0 record -o "$directory/log" -c "$directory/threads"
has err "^vmtap: [0-9]+ events were lost: $reason"
