/*
 * bench_shares.c: how right the shares of samples by CPU time are.
 *
 *     bench_shares PATTERN [SAMPLES]
 *
 * Threads work and wait in a pattern, each phase as a method of its own, until this number of
 * samples has been taken. Prints the largest difference between a method's share of the samples'
 * weights and its share of the CPU time that it has used by its threads' own clocks, in points of
 * a hundred; the number of samples; how many sleeps a signal has interrupted, of how many; the sum
 * of the weights, of the CPU time used; and the CPU time that a sample costs its thread, in us: by
 * how much the turns of a loop that meet a sample are longer than the others, so the scheduler's
 * tick, the signal, the handler's system calls and the event are in it.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "served.h"

enum { MS = 1000000, METHODS = 8, THREADS_MAX = 200, SAMPLES = 600 };

static _Atomic uint64_t used[METHODS], weights[METHODS];
static _Atomic uint64_t taken, sleeps, interrupted, wanted = SAMPLES;

static uint64_t now_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static _Atomic uint64_t turns, turns_ns, met, met_ns;

static bool safepoint(unsigned method)
{
	uint64_t weight;

	if (!vmtap_sample_wanted())
		return false;
	weight = vmtap_sample_take();
	VMTAP_SAMPLE(0, method, weight);
	atomic_fetch_add(&weights[method], weight);
	atomic_fetch_add(&taken, 1);
	return true;
}

static void work(unsigned method, uint64_t ns)
{
	uint64_t begun = now_of(CLOCK_THREAD_CPUTIME_ID), now = begun, before, last = 0, count = 0;
	uint64_t spent = 0, had = 0;

	do {
		bool meets = safepoint(method);
		before = now;
		now = now_of(CLOCK_THREAD_CPUTIME_ID);
		count++;
		if (meets) { /* the signal came in this turn or in the one before */
			had += 2;
			spent += now - before + last;
		}
		last = now - before;
	} while (now - begun < ns);
	atomic_fetch_add(&used[method], now - begun);
	atomic_fetch_add(&turns, count - (had < count ? had : count));
	atomic_fetch_add(&turns_ns, now - begun - spent);
	atomic_fetch_add(&met, had / 2);
	atomic_fetch_add(&met_ns, spent);
}

/* flags: 0 or TIMER_ABSTIME. */
static void await(unsigned method, uint64_t ns, int flags)
{
	struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
	uint64_t begun = now_of(CLOCK_THREAD_CPUTIME_ID);

	atomic_fetch_add(&sleeps, 1);
	if (clock_nanosleep(CLOCK_MONOTONIC, flags, &time, NULL))
		atomic_fetch_add(&interrupted, 1);
	safepoint(method);
	atomic_fetch_add(&used[method], now_of(CLOCK_THREAD_CPUTIME_ID) - begun);
}

static bool ends(void)
{
	return atomic_load_explicit(&taken, memory_order_relaxed) >=
		atomic_load_explicit(&wanted, memory_order_relaxed);
}

/* From half to one and a half of it. */
static uint64_t about(uint64_t ns)
{
	static __thread uint64_t random = 1;

	random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ns / 2 + (random >> 33) % ns;
}

static void *long_waits(void *unused)
{
	while (!ends()) {
		work(0, 2500000);
		await(1, 4 * MS, 0);
	}
	return unused;
}

static void *short_waits(void *unused)
{
	while (!ends()) {
		work(0, 200000);
		await(1, MS, 0);
	}
	return unused;
}

/* Two methods, with the waits of both patterns. */
static void *random_waits(void *unused)
{
	while (!ends()) {
		work(0, about(2500000));
		await(1, about(4 * MS), 0);
		work(2, about(500000));
		await(3, about(MS), 0);
	}
	return unused;
}

/* The same with fixed times, 8 ms together and a little more, so two or more ticks. */
static void *nearly_in_step(void *unused)
{
	while (!ends()) {
		work(0, 2500000);
		await(1, 4 * MS, 0);
		work(2, 500000);
		await(3, MS, 0);
	}
	return unused;
}

/* Exactly 8 ms, as a program that paints, say, has them. */
static void *in_step(void *unused)
{
	uint64_t next = now_of(CLOCK_MONOTONIC);

	while (!ends()) {
		next += 8 * MS;
		work(0, 2500000);
		work(2, 500000);
		await(1, next, TIMER_ABSTIME);
	}
	return unused;
}

/* Phases of one period of the samples together, of CPU time. */
static void *as_the_period(void *unused)
{
	while (!ends()) {
		work(0, 6 * MS);
		work(1, 4 * MS);
	}
	return unused;
}

static void *compute(void *argument)
{
	unsigned method = (unsigned)(uintptr_t)argument;

	while (!ends()) {
		work(method, 300000);
		work(6, 100000 * method);
	}
	return NULL;
}

static void *mostly_sleep(void *argument)
{
	unsigned method = (unsigned)(uintptr_t)argument % 4;

	while (!ends()) {
		work(method, 50000 + 50000 * method);
		await(4, 20 * MS, 0);
	}
	return NULL;
}

static const struct pattern {
	const char *name;
	void *(*run)(void *argument);
	unsigned threads, processors; /* processors: 0: all */
	uint64_t period;
	int signal; /* as in struct vmtap_sample_options */
} patterns[] = {{"2.5/4", long_waits, 1, 0, 4 * MS, 0}, {"0.2/1", short_waits, 1, 0, 4 * MS, 0},
	{"2.5/4-library", long_waits, 1, 0, 4 * MS, VMTAP_SAMPLE_TO_LIBRARY},
	{"0.2/1-library", short_waits, 1, 0, 4 * MS, VMTAP_SAMPLE_TO_LIBRARY},
	{"random-library", random_waits, 1, 0, 4 * MS, VMTAP_SAMPLE_TO_LIBRARY},
	{"random", random_waits, 1, 0, 4 * MS, 0}, {"near-step", nearly_in_step, 1, 0, 4 * MS, 0},
	{"in-step", in_step, 1, 0, 4 * MS, 0}, {"period", as_the_period, 1, 0, 10 * MS, 0},
	{"processors", compute, 6, 2, 10 * MS, 0}, {"sleepers", mostly_sleep, 200, 0, 10 * MS, 0}};

static bool run(const struct pattern *pattern)
{
	pthread_t threads[THREADS_MAX];
	cpu_set_t all, few;
	unsigned i = 0;

	CPU_ZERO(&few);
	CPU_ZERO(&all);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && pattern->processors > i; cpu++) {
		CPU_SET(cpu, &few);
		i++;
	}
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &all);
	sched_setaffinity(0, sizeof(all), i ? &few : &all);
	for (i = 0; i < pattern->threads; i++)
		if (pthread_create(&threads[i], NULL, pattern->run, (void *)(uintptr_t)i))
			return false;
	while (i-- > 0)
		pthread_join(threads[i], NULL);
	return true;
}

static void print(void)
{
	double sampled = 0, sum = 0, largest = 0, plain;

	for (unsigned i = 0; i < METHODS; i++) {
		sampled += (double)atomic_load(&weights[i]);
		sum += (double)atomic_load(&used[i]);
	}
	for (unsigned i = 0; i < METHODS; i++) {
		double error = fabs((double)atomic_load(&weights[i]) / sampled -
			(double)atomic_load(&used[i]) / sum);
		if (error > largest)
			largest = error;
	}
	plain = turns ? (double)turns_ns / (double)turns : 0;
	printf("%.1f %llu %llu %llu %.2f %.1f\n", 100 * largest,
		(unsigned long long)atomic_load(&taken),
		(unsigned long long)atomic_load(&interrupted),
		(unsigned long long)atomic_load(&sleeps), sampled / sum,
		met ? ((double)met_ns / (double)met - 2 * plain) / 1000 : 0);
}

/* The process of the client: asks for the samples, and reads to the end of the stream. */
static int read_samples(struct served *served, uint64_t period)
{
	static struct reader reader;
	unsigned char frame[WIRE_SAMPLING_BYTES] = WIRE_SAMPLING;
	bool opened = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int waited = 0; waited < SERVED_WAIT_MS && !opened; waited++) {
		opened = reader_open(&reader, served->path, "vm:::sample(", 0, -1);
		if (!opened)
			burst_pause(1000);
	}
	frame[5] = WIRE_SAMPLING_TIME;
	for (unsigned i = 0; i < 8; i++)
		frame[6 + i] = (unsigned char)(period >> (56 - 8 * i));
	if (!opened || write(reader.socket, frame, sizeof(frame)) != (ssize_t)sizeof(frame))
		return 1;
	reader_run(&reader, &served->shared->counts[0]);
	return 0;
}

static bool serve(struct served *served, uint64_t period)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = served->path};
	int waited = 0;

	*served = (struct served){.folder = "/tmp/bench.XXXXXX", .readers = 1};
	served->shared = mmap(NULL, sizeof(*served->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (served->shared == MAP_FAILED || !mkdtemp(served->folder))
		return false;
	snprintf(served->path, sizeof(served->path), "%s/socket", served->folder);
	served->pids[0] = fork();
	if (served->pids[0] == 0)
		_exit(read_samples(served, period));
	if (served->pids[0] < 0 || vmtap_start(&options))
		return false;
	while (vmtap_sample_unit() != VMTAP_SAMPLE_TIME && waited++ < SERVED_WAIT_MS)
		burst_pause(1000);
	return vmtap_sample_unit() == VMTAP_SAMPLE_TIME;
}

int main(int count, char **arguments)
{
	static struct served served;
	struct vmtap_sample_options options = {.size = sizeof(options)};
	const struct pattern *pattern = patterns,
			     *end = patterns + sizeof(patterns) / sizeof(*patterns);
	bool done;

	while (count > 1 && pattern < end && strcmp(pattern->name, arguments[1]) != 0)
		pattern++;
	if (count < 2 || pattern == end) {
		fprintf(stderr, "usage: bench_shares PATTERN [SAMPLES]\n");
		return 2;
	}
	if (count > 2)
		wanted = strtoull(arguments[2], NULL, 10);
	options.signal = pattern->signal;
	done = !vmtap_sample_register(&options) && serve(&served, pattern->period) && run(pattern);
	if (served_stop(&served, !done) < 0) {
		fprintf(stderr, "bench_shares: no samples\n");
		return 3;
	}
	print();
	return 0;
}
