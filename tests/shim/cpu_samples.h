/*
 * cpu_samples.h: what the tests of samples by time share: a client that asks for samples and adds
 * up their weights, and a VM whose threads work and wait, and count the CPU time that they use.
 */
#ifndef TESTS_SHIM_CPU_SAMPLES_H
#define TESTS_SHIM_CPU_SAMPLES_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "shim/fixture.h"
#include "wire/wire.h"

enum { GROUPS = 8, MS = 1000000, PERIOD = 10 * MS };

static uint64_t samples, weights[GROUPS];

static inline void take(struct reader *reader, const struct reader_event *event)
{
	if (strcmp(reader->probes[event->probe].name, "sample") == 0) {
		samples++;
		weights[event->arguments[1].value] += event->arguments[2].value;
	}
}

static inline void ask(struct reader *reader, uint8_t unit, uint64_t period)
{
	unsigned char frame[WIRE_SAMPLING_BYTES] = WIRE_SAMPLING;

	frame[5] = unit;
	for (unsigned i = 0; i < 8; i++)
		frame[6 + i] = (unsigned char)(period >> (56 - 8 * i));
	ck_assert(reader_send(reader, frame, sizeof(frame)));
}

static struct reader reader;

static inline void begin(uint8_t unit, uint64_t period)
{
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader.on_event = take;
	ask(&reader, unit, period);
	reader_subscribe_names(&reader, 0, 1, "vm:::sample", 0);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	while (vmtap_sample_unit() != VMTAP_SAMPLE_TIME)
		sched_yield();
}

static inline void finish(void)
{
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
	while (vmtap_sample_unit() != VMTAP_SAMPLE_OWN)
		sched_yield();
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t cpu_time(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- a VM ---- */

static _Atomic uint64_t used[GROUPS]; /* by the CPU clocks */
static _Atomic uint64_t fired;

static inline bool safepoint(unsigned group)
{
	uint64_t weight;

	if (!vmtap_sample_wanted())
		return false;
	weight = vmtap_sample_take();
	VMTAP_SAMPLE(0, group, weight);
	atomic_fetch_add(&fired, 1);
	return true;
}

static inline void work(unsigned group, uint64_t ns)
{
	uint64_t begun = cpu_time(), now;

	do {
		safepoint(group);
		now = cpu_time();
	} while (now - begun < ns);
	atomic_fetch_add(&used[group], now - begun);
}

static _Atomic uint64_t sleeps, interrupted;

static inline void wait_ns(unsigned group, uint64_t ns)
{
	const struct timespec time = {.tv_nsec = (long)ns};
	uint64_t begun = cpu_time();

	atomic_fetch_add(&sleeps, 1);
	if (nanosleep(&time, NULL))
		atomic_fetch_add(&interrupted, 1);
	safepoint(group);
	atomic_fetch_add(&used[group], cpu_time() - begun);
}

/* ---- the program's signal and its timers ---- */

static _Atomic unsigned handled;

static inline void handle(int number)
{
	(void)number;
	atomic_fetch_add(&handled, 1);
}

static inline void own_handler(void)
{
	struct sigaction action = {.sa_handler = handle};

	ck_assert_int_eq(sigaction(SIGURG, &action, NULL), 0);
}

static inline bool is_default(void)
{
	struct sigaction now;

	ck_assert_int_eq(sigaction(SIGURG, NULL, &now), 0);
	return !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

static inline bool is_own(void)
{
	struct sigaction now;

	ck_assert_int_eq(sigaction(SIGURG, NULL, &now), 0);
	return now.sa_handler == handle;
}

static inline void work_until(uint64_t count)
{
	while (atomic_load(&fired) < count)
		work(0, MS);
}

/* A sample stands for a whole period, at a random moment in it: each time that a timer is set may
 * add up to a period. */
static inline void check_weight_of(unsigned settings)
{
	uint64_t sum = atomic_load(&used[0]);

	ck_assert_uint_le(weights[0], sum + settings * (uint64_t)PERIOD);
	ck_assert_uint_ge(weights[0], sum - sum / 4);
}

static inline void check_weight(void)
{
	check_weight_of(3);
}

/* How many POSIX timers this process has; -1: the kernel does not say. */
static inline int timers(void)
{
	FILE *file = fopen("/proc/self/timers", "re");
	char line[256];
	int count = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		count += strncmp(line, "ID:", 3) == 0;
	fclose(file);
	return count;
}

/* A child of a process that is sampled serves a stream of its own, and is sampled: count times. It
 * is not sampled before. */
static inline _Noreturn void child_is_sampled(uint64_t count)
{
	bool right = is_default() && timers() <= 0 && !vmtap_sample_wanted();

	memset(weights, 0, sizeof(weights));
	if (!right || vmtap_start(NULL))
		_exit(1);
	fixture_set_path();
	samples = used[0] = 0;
	fired = 0;
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(count);
	finish();
	check_weight();
	vmtap_stop();
	_exit(!is_default());
}

#endif
