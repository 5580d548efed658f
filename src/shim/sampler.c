/*
 * sampler.c: see sampler.h, and vmtap.h for the VM's side.
 *
 * A thread compares the number of the last tick with that of its own last sample. Numbers of one
 * round of sampling follow each other, and 0 is none, so a thread that was not there in a round
 * knows nothing of the time before it.
 */
#include "shim/sampler.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/test_point.h"
#include "shim/registry.h"
#include "shim/stamp.h"
#include "shim/vm_call.h"
#include "vmtap.h"

static struct {
	struct vmtap_sample_options options;
	uint64_t period; /* ns; 0: none */
	uint64_t due;    /* CLOCK_MONOTONIC */
	uint64_t ticks;  /* the last one's number; they only grow */
} state;

static _Atomic uint64_t tick;         /* 0: nobody samples by time */
static _Atomic uint64_t round_period; /* ns */
static _Atomic uint64_t round_first;  /* the first tick of this round */
static _Atomic uint64_t byte_period;  /* 0: nobody samples by bytes */
static _Atomic int dump_due;
static struct vm_calls calls;

static __thread uint64_t thread_tick; /* of its last sample */
static __thread uint64_t thread_clock;
static __thread uint64_t thread_bytes, thread_left, thread_period, thread_random;

int vmtap_sample_register(const struct vmtap_sample_options *options)
{
	struct vmtap_sample_options own = {0};

	if (options && !options->size)
		return -EINVAL;
	if (!options && vm_call_is_inside())
		return -EDEADLK;
	if (options)
		memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	registry_lock();
	state.options = own;
	registry_unlock();
	if (!options)
		vm_call_await(&calls);
	return 0;
}

enum vmtap_sample_unit vmtap_sample_unit(void)
{
	if (atomic_load_explicit(&tick, memory_order_relaxed))
		return VMTAP_SAMPLE_TIME;
	return atomic_load_explicit(&byte_period, memory_order_relaxed) ? VMTAP_SAMPLE_BYTES
									: VMTAP_SAMPLE_OWN;
}

int vmtap_sample_wanted(void)
{
	uint64_t now = atomic_load_explicit(&tick, memory_order_relaxed);

	return now && now != thread_tick &&
		now != atomic_load_explicit(&round_first, memory_order_relaxed);
}

uint64_t vmtap_sample_take(void)
{
	uint64_t now = atomic_load(&tick), period = atomic_load(&round_period), clock, weight;
	bool is_first = thread_tick < atomic_load(&round_first);
	struct timespec time = {0};
	int saved = errno;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	errno = saved;
	clock = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	weight = clock - thread_clock;
	if (is_first || clock < thread_clock)
		weight = clock < period ? clock : period;
	thread_tick = now;
	thread_clock = clock;
	return weight;
}

int vmtap_dump_wanted(void)
{
	return atomic_load_explicit(&dump_due, memory_order_relaxed);
}

int vmtap_dump_take(void)
{
	return vmtap_dump_wanted() && atomic_exchange(&dump_due, 0);
}

/* From half of the period to one and a half, so that a program that allocates at regular intervals
 * is not always sampled at the same place. */
static uint64_t next_left(uint64_t period)
{
	thread_random ^= thread_random << 13;
	thread_random ^= thread_random >> 7;
	thread_random ^= thread_random << 17;
	return period / 2 + thread_random % (period + 1);
}

uint64_t vmtap_sample_allocated(uint64_t bytes)
{
	uint64_t period = atomic_load_explicit(&byte_period, memory_order_relaxed), weight;

	if (!period)
		return 0;
	if (thread_period != period) { /* another round; the same period again goes on */
		if (!thread_random)
			thread_random = stamp_raw() | 1;
		thread_period = period;
		thread_bytes = 0;
		thread_left = next_left(period);
	}
	thread_bytes += bytes;
	if (bytes < thread_left) {
		thread_left -= bytes;
		return 0;
	}
	weight = thread_bytes;
	thread_bytes = 0;
	thread_left = next_left(period);
	return weight;
}

void sampler_set(uint64_t period, uint64_t bytes)
{
	if (period && period < SAMPLER_PERIOD_NS_MIN)
		period = SAMPLER_PERIOD_NS_MIN;
	if (period != state.period) {
		state.period = period;
		state.due = clock_monotonic() + period;
		atomic_store(&round_period, period);
		if (period)
			atomic_store(&round_first, ++state.ticks);
		atomic_store(&tick, period ? state.ticks : 0);
	}
	atomic_store(&byte_period, period ? 0 : bytes);
}

static void call_wanted(void)
{
	struct vmtap_sample_options options;

	registry_lock();
	options = state.options;
	if (options.wanted)
		vm_call_begin(&calls);
	registry_unlock();
	if (!options.wanted)
		return;
	vm_call_enter();
	options.wanted(options.context);
	vm_call_end(&calls);
}

void sampler_dump(void)
{
	atomic_store(&dump_due, 1);
	call_wanted();
}

int sampler_turn(void)
{
	uint64_t now, left;

	if (!state.period)
		return -1;
	now = clock_monotonic();
	if (now >= state.due) {
		state.due += state.period;
		if (state.due <= now) /* late by more than a period: these samples are one */
			state.due = now + state.period;
		atomic_store(&tick, ++state.ticks);
		TEST_POINT("sample-due");
		call_wanted();
	}
	left = state.due > now ? (state.due - now + 999999) / 1000000 : 0;
	return left < 1000000 ? (int)left : 1000000;
}

void sampler_fork_child(void)
{
	vm_call_fork_child(&calls);
	atomic_store(&dump_due, 0);
	sampler_set(0, 0);
}
