/*
 * census.c: see census.h, and vmtap.h for the VM's side. One sample at a time: busy is set before
 * the lock is released, and the VM's function runs without the lock, on the server's thread or on
 * the VM's. A sample belongs to that thread until it is in the list of finished ones.
 */
#include "shim/extra/census.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "shim/core/budget.h"
#include "shim/core/descriptor.h"
#include "shim/core/extra.h"
#include "shim/core/registry.h"
#include "shim/core/stamp.h"
#include "shim/core/vm_call.h"
#include "shim/extra/census_delivery.h"

enum {
	PERIOD_MS_DEFAULT = 100,
	PERIOD_NS_MIN = 1000000,
	REST_NS_MAX = 1000000000, /* the pause between samples is as long as the last sample took,
				     but at most this */
	BUCKETS_FIRST = 64
};

/* fork() may copy the state of any moment, so of these one is in use and the other is free. */
static struct vmtap_census_options census_registrations[2];
static const struct vmtap_census_options census_none, *_Atomic census_registered = &census_none;

static struct {
	bool requested;
	bool busy;       /* a sample is being taken */
	uint64_t period; /* ns; 0: none */
	uint64_t due;    /* CLOCK_MONOTONIC; valid if period is not 0 */
	uint64_t asked;  /* when the last sample was due */
	uint64_t rested; /* no sample is taken before that, whatever clients request */
	uint64_t era, lost;
	int wake;
	struct descriptor_file wake_file;
	struct vmtap_census *first, *last; /* taken but not yet delivered */
} census_state = {.wake = -1};

/* Polled by VMs; changed only under the lock. */
static _Atomic int is_wanted;

static struct vm_calls census_calls = {.kind = VM_CALL_CENSUS};

/* ---- the bands of a sample ---- */

/* Allocates zeroed memory that lasts until the sample is freed. */
static void *take_memory(struct vmtap_census *census, size_t bytes)
{
	void *memory;

	if (!budget_take(BUDGET_SAMPLE, bytes))
		return NULL;
	memory = calloc(1, bytes);
	if (memory)
		census->taken += bytes;
	else
		budget_give(bytes);
	return memory;
}

static bool grow_buckets(struct vmtap_census *census)
{
	size_t count = census->bucket_count ? census->bucket_count * 2 : BUCKETS_FIRST;
	struct census_band **buckets = take_memory(census, count * sizeof(*buckets));

	if (!buckets)
		return false;
	for (struct census_band *band = census->bands; band; band = band->next) {
		struct census_band **bucket = &buckets[band->hash & (count - 1)];
		band->same = *bucket;
		*bucket = band;
	}
	free(census->buckets);
	budget_give(census->bucket_count * sizeof(*buckets));
	census->taken -= census->bucket_count * sizeof(*buckets);
	census->buckets = buckets;
	census->bucket_count = count;
	return true;
}

static struct census_band *add_band(
	struct vmtap_census *census, const char *label, size_t length, uint32_t hash)
{
	struct census_band *band = take_memory(census, sizeof(*band) + length);
	struct census_band **bucket = &census->buckets[hash & (census->bucket_count - 1)];

	if (!band)
		return NULL;
	*band = (struct census_band){.same = *bucket,
		.hash = hash,
		.label = memcpy(band + 1, label, length),
		.length = (uint16_t)length};
	*bucket = band;
	*(census->bands ? &census->last_band->next : &census->bands) = band;
	census->last_band = band;
	census->band_count++;
	census->label_bytes += length;
	return band;
}

void vmtap_census_add_objects(struct vmtap_census *census, const char *label, size_t length,
	uint64_t bytes, uint64_t objects)
{
	struct census_band *band;
	uint32_t hash;

	if (length > CENSUS_LABEL_MAX)
		length = CENSUS_LABEL_MAX;
	hash = (uint32_t)keyed_hash(
		census->key, label, length, KEYED_HASH_ROUNDS, KEYED_HASH_LAST_ROUNDS);
	if (census->failed ||
		(census->band_count == census->bucket_count && !grow_buckets(census))) {
		census->failed = true;
		return;
	}
	band = census->buckets[hash & (census->bucket_count - 1)];
	while (band &&
		(band->hash != hash || band->length != length ||
			memcmp(band->label, label, length) != 0))
		band = band->same;
	if (!band)
		band = add_band(census, label, length, hash);
	if (band) {
		band->bytes += bytes;
		band->objects += objects;
	} else {
		census->failed = true;
	}
}

void vmtap_census_add(struct vmtap_census *census, const char *label, size_t length, uint64_t bytes)
{
	vmtap_census_add_objects(census, label, length, bytes, 0);
}

void census_free(struct vmtap_census *census)
{
	if (!census)
		return;
	while (census->bands) {
		struct census_band *next = census->bands->next;
		free(census->bands);
		census->bands = next;
	}
	free(census->buckets);
	budget_give(census->taken);
	free(census);
}

/* ---- taking samples ---- */

/* Call with the lock held. */
static void census_tell_server(void)
{
	if (census_state.wake >= 0)
		descriptor_tell(census_state.wake, census_state.wake_file, 1);
}

static void tell_bands(const struct vmtap_census *census,
	const struct vmtap_census_options *options, uint32_t sample)
{
	struct vmtap_census_label label = {.sample = sample, .count = (uint32_t)census->band_count};

	for (const struct census_band *band = census->bands; band; band = band->next) {
		label.text = band->label;
		label.length = band->length;
		label.bytes = band->bytes;
		label.objects = band->objects;
		options->counted(&label, options->context);
		label.index++;
	}
}

/* The caller has set busy, and has begun the call. */
static void census_run(const struct vmtap_census_options *options, uint64_t period, uint32_t sample)
{
	struct vmtap_census *census;
	int saved = errno;

	census = calloc(1, sizeof(*census));
	if (census) {
		census->key = keyed_hash_key();
		options->take(census, options->context);
		census->time = clock_monotonic();
		if (options->counted && options->polls && !census->failed)
			tell_bands(census, options, sample);
		census->by = (uint32_t)options->by;
		census->period = period;
	}
	vm_call_end(&census_calls);
	registry_lock();
	uint64_t now = clock_monotonic(), took = now - census_state.asked;
	census_state.rested = now + (took < REST_NS_MAX ? took : REST_NS_MAX);
	census_state.busy = false;
	if (!census || census->failed) {
		census_state.lost++;
	} else {
		census->era = ++census_state.era;
	}
	if (census && !census->failed && census_state.wake >= 0) {
		*(census_state.first ? &census_state.last->next : &census_state.first) = census;
		census_state.last = census;
		census = NULL;
	}
	census_tell_server();
	registry_unlock();
	census_free(census);
	errno = saved; /* the VM's function may have changed it, too */
}

int vmtap_census_wanted(void)
{
	return atomic_load_explicit(&is_wanted, memory_order_relaxed);
}

/* A cancelled thread ends only after the sample; otherwise no other sample would ever be taken. */
int vmtap_census_take(void)
{
	struct vmtap_census_options options;
	uint64_t period;
	uint32_t sample;
	bool takes;
	int cancel;

	if (!vmtap_census_wanted())
		return 0;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	registry_lock();
	takes = vmtap_census_wanted() && !census_state.busy;
	if (takes) {
		atomic_store(&is_wanted, 0);
		census_state.busy = true;
		vm_call_begin(&census_calls);
	}
	options = *atomic_load(&census_registered);
	period = census_state.period;
	sample = (uint32_t)(census_state.era + 1);
	registry_unlock();
	if (takes)
		census_run(&options, period, sample);
	pthread_setcancelstate(cancel, NULL);
	return takes;
}

int vmtap_census_now(void)
{
	struct vmtap_census_options options;
	uint32_t sample;
	bool takes;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	registry_lock();
	takes = atomic_load(&census_registered) != &census_none && !census_state.busy;
	if (takes) {
		census_state.busy = true;
		census_state.asked = clock_monotonic();
		vm_call_begin(&census_calls);
	}
	options = *atomic_load(&census_registered);
	sample = (uint32_t)(census_state.era + 1);
	registry_unlock();
	if (takes)
		census_run(&options, 0, sample);
	pthread_setcancelstate(cancel, NULL);
	return takes;
}

int vmtap_census_register(const struct vmtap_census_options *options)
{
	struct vmtap_census_options own = {0}, *other;

	if (options && !options->size)
		return -EINVAL;
	if (options)
		memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	if (options &&
		(!own.take || (own.by != VMTAP_CENSUS_BY_CLASS && own.by != VMTAP_CENSUS_BY_SITE)))
		return -EINVAL;
	if (options && !registry_is_used())
		return -ENOTSUP;
	registry_lock();
	other = &census_registrations[atomic_load(&census_registered) == &census_registrations[0]];
	*other = own;
	atomic_store(&census_registered, options ? other : &census_none);
	atomic_store(&is_wanted, 0);
	census_tell_server();
	registry_unlock();
	return 0;
}

int vmtap_census_unregister(void)
{
	if (vm_call_is_inside())
		return -EDEADLK;
	vmtap_census_register(NULL);
	vm_call_await(&census_calls);
	return 0;
}

/* ---- the server's side ---- */

void census_attach(int wake)
{
	registry_lock();
	census_state.wake = wake;
	census_state.wake_file = descriptor_file(wake);
	registry_unlock();
}

void census_detach(void)
{
	struct vmtap_census *census;

	registry_lock();
	census_state.wake = -1;
	census_state.requested = false;
	census_state.period = 0;
	atomic_store(&is_wanted, 0);
	registry_unlock();
	while ((census = census_finished()))
		census_free(census);
}

void census_start(uint64_t period)
{
	registry_lock();
	if (!period && atomic_load(&census_registered)->period_ms)
		period = atomic_load(&census_registered)->period_ms * UINT64_C(1000000);
	else if (!period)
		period = PERIOD_MS_DEFAULT * UINT64_C(1000000);
	census_state.period = period < PERIOD_NS_MIN ? PERIOD_NS_MIN : period;
	census_state.due = clock_monotonic() + census_state.period;
	registry_unlock();
}

void census_stop(void)
{
	registry_lock();
	census_state.period = 0;
	registry_unlock();
}

void census_request(void)
{
	registry_lock();
	census_state.requested = true;
	registry_unlock();
}

/* Milliseconds from now to then, rounded up; 0 if then has passed. */
static int milliseconds_to(uint64_t now, uint64_t then)
{
	uint64_t left = then > now ? (then - now + 999999) / 1000000 : 0;

	return left < 1000000 ? (int)left : 1000000;
}

int census_turn(bool listeners)
{
	struct vmtap_census_options options;
	uint64_t now = clock_monotonic(), period;
	bool takes = false, tells = false, due;
	int next = -1;

	registry_lock();
	if (!listeners) {
		census_state.requested = false;
		census_state.period = 0;
		atomic_store(&is_wanted, 0);
	}
	period = census_state.period;
	options = *atomic_load(&census_registered);
	due = (census_state.requested || (period && now >= census_state.due)) &&
		atomic_load(&census_registered) != &census_none && !census_state.busy &&
		!vmtap_census_wanted();
	if (due && now < census_state.rested) {
		next = milliseconds_to(now, census_state.rested);
	} else if (due) {
		census_state.requested = false;
		census_state.due = now + period;
		census_state.asked = now;
		takes = !options.polls;
		tells = options.polls && options.wanted;
		census_state.busy = takes;
		atomic_store(&is_wanted, options.polls != 0);
		if (takes || tells)
			vm_call_begin(&census_calls);
	}
	/* An overdue sample needs no timeout: the thread that takes the sample, or registers a
	 * census, wakes the server. */
	if (next < 0 && period && now < census_state.due)
		next = milliseconds_to(now, census_state.due);
	registry_unlock();
	if (takes)
		census_run(&options, period, 0);
	if (tells) {
		options.wanted(options.context);
		vm_call_end(&census_calls);
	}
	return next;
}

struct vmtap_census *census_finished(void)
{
	struct vmtap_census *census;

	registry_lock();
	census = census_state.first;
	if (census)
		census_state.first = census->next;
	registry_unlock();
	return census;
}

uint64_t census_lost(void)
{
	uint64_t lost;

	registry_lock();
	lost = census_state.lost;
	census_state.lost = 0;
	registry_unlock();
	return lost;
}

void census_fork_child(void)
{
	atomic_store(&is_wanted, 0);
	census_state.requested = census_state.busy = false;
	vm_call_fork_child(&census_calls);
	census_state.period = census_state.lost = 0;
	census_state.first = census_state.last =
		NULL; /* a thread that does not exist here may have been using their memory */
	census_state.wake = -1;
}

static const struct extra_census census_table = {.attach = census_attach,
	.detach = census_detach,
	.start = census_start,
	.stop = census_stop,
	.request = census_request,
	.deliver = census_deliver,
	.fork_child = census_fork_child};
EXTRA_POINTER const struct extra_census *vmtap_extra_census = &census_table;
