/*
 * sampler.c: see sampler.h, and vmtap.h for the VM's side.
 *
 * A thread with a timer reads what is due to it from its record. A thread without one compares the
 * number of the last tick with that of its own last sample. Numbers only grow, and each round knows
 * its first one, so a thread recognises a last sample of an earlier round.
 */
#include "shim/extra/sampler.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/test_point.h"
#include "shim/core/registry.h"
#include "shim/core/stamp.h"
#include "shim/core/vm_call.h"
#include "shim/extra/cpu_timer.h"
#include "vmtap.h"

enum { CHECK_MS = 100 };

/* fork() may copy the state of any moment, so of these one is in use and the other is free. */
static struct vmtap_sample_options sampler_registrations[2];
static const struct vmtap_sample_options *_Atomic sampler_registered = &sampler_registrations[0];

static struct {
	uint64_t period; /* ns; 0: none */
	bool is_elapsed;
	bool has_thread;
	bool has_timers; /* in this round */
	bool is_ticking; /* some thread has no timer */
	bool is_calling; /* the VM is to be called in the next turn */
	bool is_changed; /* the VM has registered other options in this round */
	uint64_t due;    /* the next tick, CLOCK_MONOTONIC */
	uint64_t check;  /* the next check of the timers */
	uint64_t ticks;  /* number of the last tick; it only grows */
} sampler_state;

static _Atomic uint64_t tick;         /* 0: no client samples by time */
static _Atomic uint64_t round_period; /* ns */
static _Atomic uint64_t round_first;  /* the first tick of this round */
static _Atomic bool round_elapsed;    /* the weight is elapsed time */
static _Atomic uint64_t byte_period;  /* 0: no client samples by bytes */
static _Atomic int dump_due;
static struct vm_calls sampler_calls = {.kind = VM_CALL_SAMPLER};

static __thread uint64_t thread_tick; /* of its last sample */
static __thread uint64_t thread_clock, thread_time;
static __thread uint64_t thread_bytes, thread_left, thread_period, thread_random;

int vmtap_sample_register(const struct vmtap_sample_options *options)
{
	struct vmtap_sample_options own = {0}, *other;

	if (options && !options->size)
		return -EINVAL;
	if (!options && vm_call_is_inside())
		return -EDEADLK;
	if (options && !registry_is_used())
		return -ENOTSUP;
	if (options)
		memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	registry_lock();
	other = &sampler_registrations[atomic_load(&sampler_registered) ==
		&sampler_registrations[0]];
	*other = own;
	atomic_store(&sampler_registered, other);
	sampler_state.is_changed = true;
	cpu_timer_set_due(own.due, own.context);
	registry_unlock();
	if (!options) {
		vm_call_await(&sampler_calls);
		cpu_timer_await_due();
	}
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

	if (!now)
		return 0;
	if (cpu_timer_serves())
		return cpu_timer_due() != 0;
	return now != thread_tick &&
		now != atomic_load_explicit(&round_first, memory_order_relaxed);
}

/* Takes the sample of a thread without a timer, and returns its weight. */
static uint64_t take_tick(void)
{
	uint64_t now = atomic_load(&tick), period = atomic_load(&round_period), clock, weight;
	bool is_first = thread_tick < atomic_load(&round_first);
	uint64_t *last = atomic_load(&round_elapsed) ? &thread_time : &thread_clock;

	clock = clock_now(last == &thread_time ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
	weight = clock - *last;
	if (is_first || clock < *last)
		weight = clock < period ? clock : period;
	thread_tick = now;
	*last = clock;
	return weight;
}

uint64_t vmtap_sample_take(void)
{
	int saved = errno;
	uint64_t weight = cpu_timer_serves() ? 0 : take_tick();

	weight += cpu_timer_take(); /* without a timer: what the last timer has left */
	errno = saved;
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

/* Returns a random distance from half of the period to one and a half, so that a program that
 * allocates at regular intervals is not always sampled at the same place. */
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
	if (thread_period != period) { /* a new period restarts the countdown */
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

/* If a function of the VM must be called for each sample, the library's thread does so, unless the
 * signal handler does. */
static void begin_timers(void)
{
	struct cpu_timer_terms terms = {
		.period = sampler_state.period, .has_thread = sampler_state.has_thread};
	struct vmtap_sample_options options;

	registry_lock();
	sampler_state.is_changed = false;
	options = *atomic_load(&sampler_registered);
	terms.signal = options.signal;
	terms.signals_threads = options.due || !options.wanted;
	registry_unlock();
	sampler_state.has_timers = cpu_timer_begin(&terms);
	sampler_state.check = clock_monotonic() + CHECK_MS * UINT64_C(1000000);
}

static void end_timers(void)
{
	if (sampler_state.has_timers)
		cpu_timer_end();
	sampler_state.has_timers = false;
}

static void begin_round(void)
{
	atomic_store(&round_period, sampler_state.period);
	atomic_store(&round_elapsed, sampler_state.is_elapsed);
	atomic_store(&round_first, ++sampler_state.ticks);
	if (!sampler_state.is_elapsed)
		begin_timers();
	sampler_state.is_ticking = !sampler_state.has_timers;
	sampler_state.due = clock_monotonic() + sampler_state.period;
	sampler_state.is_calling = true;
	atomic_store(&tick, sampler_state.ticks);
}

void sampler_set(const struct sampler_wish *wish, bool has_thread)
{
	uint64_t period = wish->period;

	if (period && period < SAMPLER_PERIOD_NS_MIN)
		period = SAMPLER_PERIOD_NS_MIN;
	if (period != sampler_state.period || wish->is_elapsed != sampler_state.is_elapsed) {
		end_timers();
		sampler_state.period = period;
		sampler_state.is_elapsed = wish->is_elapsed;
		sampler_state.has_thread = has_thread;
		if (period)
			begin_round();
		else
			atomic_store(&tick, 0);
	}
	if (!period)
		cpu_timer_settle();
	atomic_store(&byte_period, period ? 0 : wish->bytes);
}

enum sampler_way sampler_way(void)
{
	if (!sampler_state.period)
		return SAMPLER_NONE;
	if (sampler_state.is_elapsed)
		return SAMPLER_ELAPSED;
	return sampler_state.is_ticking ? SAMPLER_CPU_TICKS : SAMPLER_TIMERS;
}

static void call_wanted(void)
{
	struct vmtap_sample_options options;

	registry_lock();
	options = *atomic_load(&sampler_registered);
	if (options.wanted)
		vm_call_begin(&sampler_calls);
	registry_unlock();
	if (!options.wanted)
		return;
	options.wanted(options.context);
	vm_call_end(&sampler_calls);
}

void sampler_dump(void)
{
	atomic_store(&dump_due, 1);
	call_wanted();
}

static uint64_t next_tick(uint64_t now)
{
	if (now >= sampler_state.due) {
		sampler_state.due += sampler_state.period;
		/* late by more than a period: the missed ticks count as one */
		if (sampler_state.due <= now)
			sampler_state.due = now + sampler_state.period;
		atomic_store(&tick, ++sampler_state.ticks);
		TEST_POINT("sample-due");
		sampler_state.is_calling = true;
	}
	return sampler_state.due;
}

static uint64_t next_check(uint64_t now)
{
	bool is_changed;

	registry_lock();
	is_changed = sampler_state.is_changed;
	registry_unlock();
	if (is_changed) {
		end_timers();
		begin_timers();
		sampler_state.is_calling = true;
	}
	sampler_state.is_calling |= cpu_timer_help();
	if (now >= sampler_state.check) {
		sampler_state.check = now + CHECK_MS * UINT64_C(1000000);
		sampler_state.is_calling |= cpu_timer_check();
	}
	sampler_state.is_ticking |= !sampler_state.has_timers || cpu_timer_is_short();
	return sampler_state.check;
}

int sampler_turn(void)
{
	uint64_t now, next = UINT64_MAX, left;

	if (!sampler_state.period)
		return -1;
	now = clock_monotonic();
	if (sampler_state.has_timers)
		next = next_check(now);
	if (sampler_state.is_ticking) {
		uint64_t due = next_tick(now);
		next = due < next ? due : next;
	}
	if (sampler_state.is_calling) {
		sampler_state.is_calling = false;
		call_wanted();
	}
	left = next > now ? (next - now + 999999) / 1000000 : 0;
	return left < 1000000 ? (int)left : 1000000;
}

int sampler_descriptor(void)
{
	return cpu_timer_descriptor();
}

void sampler_take(void)
{
	if (cpu_timer_read())
		call_wanted();
}

void sampler_close(void)
{
	cpu_timer_close();
}

void sampler_fork_child(void)
{
	const struct vmtap_sample_options *options = atomic_load(&sampler_registered);

	vm_call_fork_child(&sampler_calls);
	cpu_timer_fork_child();
	cpu_timer_set_due(options->due, options->context);
	atomic_store(&dump_due, 0);
	sampler_state.has_timers = false;
	sampler_set(&(struct sampler_wish){0}, false);
}

static const struct extra_sampler sampler_table = {.set = sampler_set,
	.way = sampler_way,
	.turn = sampler_turn,
	.descriptor = sampler_descriptor,
	.take = sampler_take,
	.dump = sampler_dump,
	.close = sampler_close,
	.fork_child = sampler_fork_child};
EXTRA_POINTER const struct extra_sampler *vmtap_extra_sampler = &sampler_table;
