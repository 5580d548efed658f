#!/bin/bash
# The guide's scripts of provider sched, for a program of our own: which processors run it, who is in
# the run queue and for how long, who wakes and preempts whom, the clock's ticks, and priorities. What
# they print is compared with the kernel's own counts for each thread and with the program's.
set -u
. tests/e2e/common
need_kernel

# THREADS threads contend for one processor, all woken at once several times; each prints its switches. Then two
# processes wake each other; then priorities change.
cat >"$directory/contend.c" <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 200, GATES = 10 };

static pthread_barrier_t gate; /* of the threads and main() */

static long used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void *contend(void *argument)
{
	struct rusage usage;
	long from;

	prctl(PR_SET_NAME, "vmtap-queue");
	for (int i = 0; i < GATES; i++)
		pthread_barrier_wait(&gate);
	from = used();
	while (used() < from + 40000)
		;
	getrusage(RUSAGE_THREAD, &usage);
	printf("thread %d %ld %ld %ld\n", gettid(), usage.ru_nvcsw, usage.ru_nivcsw, used());
	syscall(SYS_getppid); /* nothing of the thread is of interest from now on */
	return argument;
}

/* Sends bytes to the parent, each after it has taken the one before. */
static void send(int to, int from)
{
	char c = 1;

	prctl(PR_SET_NAME, "vmtap-sender");
	for (int i = 0; i < ROUNDS; i++)
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			break;
}

int main(int argc, char **argv)
{
	int count = atoi(argv[1]), there[2], back[2];
	struct timespec tick;
	pthread_t threads[16];
	struct rusage usage;
	cpu_set_t set;
	pid_t child;
	char c;

	pthread_barrier_init(&gate, NULL, (unsigned)count + 1);
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(there) || pipe(back) || argc != 2)
		return 1;
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, contend, NULL);
	for (int i = 0; i < GATES; i++) {
		usleep(2000); /* most threads sleep again */
		pthread_barrier_wait(&gate);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	printf("tick %ld\n", tick.tv_nsec);
	prctl(PR_SET_NAME, "vmtap-receiver");
	getrusage(RUSAGE_THREAD, &usage);
	printf("before %ld\n", usage.ru_nvcsw);
	child = fork();
	if (!child) {
		close(there[0]);
		send(there[1], back[0]);
		_exit(0);
	}
	close(there[1]);
	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			break;
	getrusage(RUSAGE_THREAD, &usage);
	printf("after %ld\n", usage.ru_nvcsw);
	waitpid(child, NULL, 0);
	prctl(PR_SET_NAME, "vmtap-nice");
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	errno = 0;
	printf("nice %d\n", getpriority(PRIO_PROCESS, child));
	setpriority(PRIO_PROCESS, child, 15);
	setpriority(PRIO_PROCESS, 0, 17);
	setpriority(PRIO_PROCESS, 99999999, 0);
	sched_setscheduler(child, SCHED_BATCH, &(struct sched_param){0});
	kill(child, 9);
	waitpid(child, NULL, 0);
	fflush(stdout);
	return 0;
}
C
$CC -O1 -pthread -o "$directory/contend" "$directory/contend.c" || fail "compiling"

# where, qtime, qlen, whoqueue, whopreempt, the tick's one-liner and script.
cat >"$directory/queue.d" <<'D'
#pragma D option quiet
#pragma D option nspec=4
#pragma D option specsize=100k
#pragma D option bufsize=16m

int maxlen;
int spec[int];

syscall::getppid:entry /execname == "contend" && pid == $target/ { self->done = 1; }

sched:::on-cpu /curlwpsinfo->pr_name == "vmtap-queue" && pid == $target && !self->done/
{
	self->ts = timestamp;
}
sched:::off-cpu /self->ts/
{
	@where[cpu] = quantize(timestamp - self->ts);
	@ran = sum((timestamp - self->ts) / 1000);
	@stretches = count();
	self->ts = 0;
}
syscall::getppid:entry /self->ts/
{
	@ran = sum((timestamp - self->ts) / 1000);
	self->ts = 0;
}
sched:::enqueue /args[0]->pr_name == "vmtap-queue" && args[1]->pr_pid == $target/
{
	a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id] = timestamp;
	this->len = qlen[args[2]->cpu_id]++;
	@qlen[args[2]->cpu_id] = lquantize(this->len, 0, 100);
	@longest = max(this->len);
	@tick[probename] = lquantize((timestamp / 1000000) % 10, 0, 10);
}
sched:::dequeue /a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id]/
{
	@qtime[args[2]->cpu_id] = quantize(timestamp - a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id]);
	@waits = count();
	a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id] = 0;
}
sched:::dequeue /args[0]->pr_name == "vmtap-queue" && args[1]->pr_pid == $target && qlen[args[2]->cpu_id]/
{
	qlen[args[2]->cpu_id]--;
}

sched:::enqueue /args[0]->pr_name == "vmtap-queue" && args[1]->pr_pid == $target/
{
	this->n = ++length[this->cpu = args[2]->cpu_id];
	in[args[0]->pr_addr] = timestamp;
}
sched:::enqueue /this->n > maxlen && spec[this->cpu]/
{
	discard(spec[this->cpu]);
}
sched:::enqueue /this->n > maxlen/
{
	maxlen = this->n;
	longtime[this->cpu] = timestamp;
	this->spec = spec[this->cpu] = speculation();
	speculate(this->spec);
	printf("Run queue of length %d:\n", this->n);
}
sched:::enqueue { this->n = 0; }
sched:::dequeue /(this->in = in[args[0]->pr_addr]) && this->in <= longtime[this->cpu = args[2]->cpu_id]/
{
	speculate(spec[this->cpu]);
	printf(" %d/%d (%s)\n", args[1]->pr_pid, args[0]->pr_lwpid, stringof(args[1]->pr_fname));
}
sched:::dequeue /in[args[0]->pr_addr]/
{
	in[args[0]->pr_addr] = 0;
	this->left = --length[this->cpu = args[2]->cpu_id];
	this->is_ours = 1;
}
sched:::dequeue /this->is_ours && this->left == 0 && spec[this->cpu]/
{
	commit(spec[this->cpu]);
	spec[this->cpu] = 0;
}
sched:::dequeue { this->is_ours = 0; }

sched:::preempt /curlwpsinfo->pr_name == "vmtap-queue" && pid == $target && !self->done/
{
	@preempted = count();
	self->preempt = 1;
}
sched:::remain-cpu /self->preempt/ { @remain = count(); self->preempt = 0; }
sched:::off-cpu /self->preempt/
{
	@who[stringof(args[1]->pr_fname), args[0]->pr_pri, execname, curlwpsinfo->pr_pri] = count();
	self->preempt = 0;
}
sched:::tick /curlwpsinfo->pr_name == "vmtap-queue" && pid == $target/
{
	@tick[probename] = lquantize((timestamp / 1000000) % 10, 0, 10);
	@ticks[stringof(args[1]->pr_fname), args[0]->pr_lwpid == tid] = count();
}

END
{
	printa(@where);
	printa("ran %@d\n", @ran);
	printa("stretches %@d\n", @stretches);
	printa("longest %@d\n", @longest);
	printa("waits %@d\n", @waits);
	printa("preempted %@d\n", @preempted);
	printa("remain %@d\n", @remain);
	printa("%30s %3d %30s %3d %5@d\n", @who);
	printa("ticks %s %d %@d\n", @ticks);
	printa(@tick);
	printa(@qlen);
	printa(@qtime);
}
D
threads=5
run 0 trace -s "$directory/queue.d" -c "$directory/contend $threads"
has_not err error # losses of our program show in the numbers; on a busy machine, events of others may be lost
number() { # the number of a line of the output
	sed -n "s/^$1 //p" "$directory/out" | head -1
}
near() { # what, this, that, difference
	[ -n "$2" ] && [ -n "$3" ] && [ $(($2 - $3)) -le "$4" ] && [ $(($3 - $2)) -le "$4" ] || fail "$1: $2 and $3"
}
column() { # the sum of a column of what the threads say
	awk -v column="$1" '$1 == "thread" { sum += $column } END { print sum + 0 }' "$directory/out"
}
[ "$(grep -c '^thread ' "$directory/out")" = $threads ] || fail "threads"
voluntary=$(column 3) involuntary=$(column 4) used=$(column 5)
near "where: time" "$(number ran)" "$used" $((used / 8 + 10000))
near "whopreempt" "$(number preempted)" "$involuntary" $((2 * threads))
# Each wait in the queue ends by a stretch on the processor; a new thread begins with one, too.
near "qtime" "$(number waits)" $((voluntary + involuntary)) $((3 * threads))
# All threads but the one that runs wait; some may have waited already. The probes are approximate.
longest=$(number longest)
[ "$longest" -ge $((threads - 3)) ] && [ "$longest" -le $((2 * threads)) ] || fail "qlen: $longest"
# The longest queue by its members, who are our threads, each once.
length=$(sed -n 's/^Run queue of length \([0-9]*\):$/\1/p' "$directory/out" | sort -n | tail -1)
[ "${length:-0}" -ge $((threads - 2)) ] || fail "whoqueue: $length"
sed -n "/^Run queue of length $length:/,\$p" "$directory/out" | sed 1d | sed '/^ [0-9]*\//!q' |
	sed -n 's,^ [0-9]*/\([0-9]*\) (contend)$,\1,p' | sort -n >"$directory/queue"
[ "$(wc -l <"$directory/queue")" -ge $((threads - 2)) ] && [ "$(uniq <"$directory/queue" | wc -l)" = "$(wc -l <"$directory/queue")" ] ||
	fail "whoqueue: $(cat "$directory/queue")"
ours=$(sed -n 's/^thread \([0-9]*\) .*/\1/p' "$directory/out" | tr '\n' ' ')
while read -r tid; do
	[[ " $ours" = *" $tid "* ]] || fail "whoqueue: thread $tid is none of $ours"
done <"$directory/queue"
rows=$(grep -E '^ +[^ ].* +[0-9]+ +contend +[0-9]+ +[0-9]+$' "$directory/out" | awk '{ sum += $NF } END { print sum + 0 }')
remain=$(number remain)
preempted=$(number preempted)
near "whopreempt: rows" $((rows + ${remain:-0})) "$preempted" $((preempted / 10 + 5))
# Ticks by the clock's resolution, which is the kernel's tick.
ticks=$(number 'ticks contend 1')
expected=$((used * 1000 / $(number tick)))
# A virtual processor that does not run has none.
[ "${ticks:-0}" -ge $((expected / 4 - 5)) ] && [ "$ticks" -le $((expected * 2 + 5)) ] || fail "ticks: $ticks of $expected"
[ "$(grep -c '^ *value  *-* Distribution -* count' "$directory/out")" -ge 5 ] || fail "distributions"

# gterm: who wakes a program; and changed priorities.
run 0 trace -q -x bufsize=8m -c "$directory/contend 1" -n '
	BEGIN { start = timestamp; }
	sched:::wakeup /stringof(args[1]->pr_fname) == "vmtap-receiver" && args[1]->pr_pid == $target/
	{
		@[execname] = lquantize((timestamp - start) / 1000000000, 0, 10);
		@all = count();
		@by[execname] = count();
	}
	sched:::change-pri /pid == $target && execname == "vmtap-nice"/
	{
		printf("changed %d %d %d\n", args[1]->pr_pid == pid, args[0]->pr_pri, args[2]);
	}
	END { printa("woken %@d\n", @all); printa("by %s %@d\n", @by); printa(@); }'
has_not err error # losses of our program show in the numbers; on a busy machine, events of others may be lost
near "gterm" "$(number woken)" $(($(number after) - $(number before))) 6
[ "$(number 'by vmtap-sender')" -ge 10 ] || fail "gterm: $(number 'by vmtap-sender')"
has out '^  vmtap-sender +$'
# What it was, what it is; a call that fails changes nothing.
nice=$(number nice)
changes=$(grep '^changed' "$directory/out" | tr '\n' ' ')
[ "$changes" = "changed 0 $((19 - nice)) 4 changed 1 $((19 - nice)) 2 changed 0 4 4 " ] ||
	[ "$changes" = "changed 1 $((19 - nice)) 2 " ] || fail "change-pri: $changes"
exit 0
