#!/bin/bash
# Provider sched against what the kernel counts for a process: its context switches and CPU time.
# The clauses are the guide's scripts of the provider, for one program.
# tests: src/kernel/machine/provider_sched.c
set -u
. tests/e2e/common
need_kernel

# Two threads that wake each other, naps, yields, then work. What /proc/PID/status and the CPU clock
# say of the first thread, it prints at its end.
cat >"$directory/switches.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static void *answer(void *argument)
{
	struct rusage usage;
	char c;

	prctl(PR_SET_NAME, "vmtap-answer");
	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			break;
	getrusage(RUSAGE_THREAD, &usage);
	printf("answer %ld\n", usage.ru_nvcsw);
	return argument;
}

int main(int argc, char **argv)
{
	int rounds = atoi(argv[1]);
	struct timespec used;
	struct rusage usage;
	pthread_t thread;
	char c = 1;

	prctl(PR_SET_NAME, "vmtap-switch");
	if (argc != 2 || pipe(there) || pipe(back) || pthread_create(&thread, NULL, answer, NULL))
		return 1;
	for (int i = 0; i < rounds; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			return 1;
	for (int i = 0; i < rounds; i++)
		usleep(100);
	for (int i = 0; i < rounds; i++)
		sched_yield();
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (!used.tv_sec && used.tv_nsec < 100000000);
	getrusage(RUSAGE_THREAD, &usage);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	printf("voluntary %ld\ninvoluntary %ld\nused %ld\n", usage.ru_nvcsw, usage.ru_nivcsw,
		used.tv_sec * 1000000 + used.tv_nsec / 1000);
	fflush(stdout);
	close(there[1]);
	pthread_join(thread, NULL);
	return 0;
}
C
$CC -O1 -pthread -o "$directory/switches" "$directory/switches.c" || fail "compiling"

# The clauses look at the first thread until it has asked the kernel.
cat >"$directory/sched.d" <<'D'
syscall::getrusage:entry /tid == $target/ { self->done = 1; }
sched:::sleep /tid == $target && !self->done/
	{ @["sleep"] = count(); @state[curlwpsinfo->pr_state == SSLEEP, curlwpsinfo->pr_sname] = count(); }
sched:::preempt /tid == $target && !self->done/ { @["preempt"] = count(); self->preempt = 1; }
sched:::remain-cpu /self->preempt/ { self->preempt = 0; }
sched:::off-cpu /self->preempt/ { @who[args[0]->pr_pri > 0] = count(); self->preempt = 0; }
sched:::on-cpu /tid == $target && !self->done/ { self->ts = timestamp; }
sched:::off-cpu /self->ts/ { @time["off-cpu"] = sum((timestamp - self->ts) / 1000); self->ts = 0; }
syscall::getrusage:entry /self->ts/ { @time["off-cpu"] = sum((timestamp - self->ts) / 1000); self->ts = 0; }
sched:::off-cpu /tid == $target && !self->done/ { @["off-cpu"] = count(); }
sched:::surrender /tid == $target/ { @["surrender"] = count(); }
sched:::wakeup /args[1]->pr_pid == $target && args[0]->pr_lwpid != $target/
	{ @woken[args[0]->pr_name] = count(); }
sched:::wakeup /args[0]->pr_lwpid == $target/ { @["wakeups"] = count(); }
sched:::enqueue /args[0]->pr_lwpid == $target/ { queued[args[0]->pr_lwpid] = timestamp; @["enqueue"] = count(); }
sched:::dequeue /args[0]->pr_lwpid == $target && queued[args[0]->pr_lwpid]/
	{ @["dequeue"] = count(); @cpu[args[2]->cpu_id] = count(); queued[args[0]->pr_lwpid] = 0; }
END { printa("%s %@d\n", @); printa("time %s %@d\n", @time); printa("woken %s %@d\n", @woken);
	printa("state %d %c %@d\n", @state); printa("who %d %@d\n", @who); printa("cpu %d %@d\n", @cpu); }
D
number() { # the number of a line of the output
	sed -n "s/^$1 //p" "$directory/out" | head -1
}
near() { # what, this, that, difference
	[ -n "$2" ] && [ -n "$3" ] && [ $(($2 - $3)) -le "$4" ] && [ $(($3 - $2)) -le "$4" ] || fail "$1: $2 and $3"
}
for option in yes no; do
	run 0 trace -q -x "reduce=$option" -x bufsize=16m -s "$directory/sched.d" -c "$directory/switches 100"
	has_not err 'drop|error'
	voluntary=$(number voluntary) involuntary=$(number involuntary) sleep=$(number sleep)
	# It may stop for vmtap before its own code runs, and is not counted while it starts.
	near "sleeps and voluntary switches" "$sleep" "$voluntary" 3
	near "preemptions and involuntary switches" "$(number preempt)" "$involuntary" 3
	near "off-cpu and all switches" "$(number off-cpu)" $((voluntary + involuntary)) 4
	[ "$(number surrender)" = 100 ] || fail "surrender"
	[ "$(number 'state 1 S')" -ge 100 ] || fail "states"
	near "wakeups of the answering thread" "$(number 'woken vmtap-answer')" "$(number answer)" 4
	near "sleeps and wakeups" "$sleep" "$(number wakeups)" 4
	# A thread may be woken while it still runs, so that it is in no queue.
	near "queues" "$(number enqueue)" "$(number dequeue)" $(($(number enqueue) / 5 + 4))
	[ "$(number enqueue)" -ge "$voluntary" ] || fail "enqueue"
	# Its time on a processor, by switches and by its clock; before main() it has used a little.
	near "time" "$(number 'time off-cpu')" "$(number used)" $(($(number used) / 10 + 5000))
done

# The guide's whererun: time of a program's threads on all processors.
run 0 trace -q -c "$directory/switches 10" -n '
	sched:::on-cpu /execname == $$1/ { self->ts = timestamp; }
	sched:::off-cpu /self->ts/ { @[cpu] = sum(timestamp - self->ts); @all = sum((timestamp - self->ts) / 1000); self->ts = 0; }
	END { printf("CPU microseconds\n--- ------------\n"); normalize(@, 1000); printa("%3d %@d\n", @);
	printa("all %@d\n", @all); }' vmtap-switch
[ "$(number all)" -ge 90000 ] || fail "whererun: $(number all) of $(number used)"
has out '^ +[0-9]+ [0-9]+$'

# The guide's howlong: sleep times, here of naps, and whofor.
run 0 trace -q -c "$directory/switches 50" -n '
	sched:::off-cpu /tid == $target && curlwpsinfo->pr_state == SSLEEP/ { self->cpu = cpu + 1; self->ts = timestamp; }
	sched:::on-cpu /self->ts/ { @["naps"] = lquantize((timestamp - self->ts) / 1000, 0, 500, 25); @n = count();
		self->ts = 0; self->cpu = 0; }
	sched:::sleep /execname == "vmtap-switch"/ { bedtime[curlwpsinfo->pr_addr] = timestamp; }
	sched:::wakeup /bedtime[args[0]->pr_addr]/ { @for[stringof(args[1]->pr_fname)] = quantize(timestamp - bedtime[args[0]->pr_addr]);
		bedtime[args[0]->pr_addr] = 0; @f = count(); }
	END { printa("howlong %@d\n", @n); printa("whofor %@d\n", @f); printa("%s sleeping on:\n%@d\n", @for); }'
[ "$(number howlong)" -ge 50 ] || fail "howlong"
[ "$(number whofor)" -ge 50 ] || fail "whofor"
has out '^vmtap-switch sleeping on:$'

# What no kernel can show says why.
run 0 trace -l -n 'sched:::'
has err '^vmtap: sched:::schedctl-yield cannot be traced: Linux has no schedctl'
has_not err 'change-pri|tick|surrender'
run 0 trace -lv -n 'sched:::enqueue'
has out 'approximate: from wakeups and switches'
has out 'args\[2\] processor: int'
exit 0
