/*
 * kernel_profile.c: see kernel_profile.h. A timer of the kernel on each processor runs a BPF
 * program, which puts a record of what it has interrupted into a ring: with all that the clauses
 * demand, as the programs of other sources do (kernel_capture.h). If all clauses of a probe look
 * for one process, by a predicate such as /pid == $target/, its program drops the samples of
 * others.
 */
#include "source/kernel/kernel_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "base/pattern.h"
#include "program/timer_probe.h"
#include "source/kernel/bpf.h"
#include "source/kernel/kernel_capture.h"
#include "source/kernel/kernel_cpu_time.h"
#include "source/kernel/kernel_decode.h"
#include "source/kernel/kernel_filter.h"
#include "source/kernel/kernel_records.h"
#include "source/kernel/kernel_shown.h"

enum {
	RING_BYTES = 4 << 20, /* as option bufsize has it by default; for the first processors */
	RING_PROCESSORS = 8,  /* so many; twice the bytes for twice as many */
	RING_BYTES_MAX = 32 << 20,
	BATCH_EVENTS = 8192,
	BUSY_MS = 10, /* between two looks into the ring while samples come */
	IDLE_MS = 20
};

/* A probe that is enabled; its number is the cookie of its samples. */
struct profile_probe {
	uint32_t probe;
	struct kernel_plan plan;
};

struct kernel_profile {
	struct source source;
	struct d_probe_set *set;
	struct bpf_features features;
	struct kernel_maps maps;
	struct kernel_records records;
	struct profile_probe *probes;
	size_t probe_count;
	int *links;
	size_t link_count, link_capacity;
	const uint64_t *counters;
	size_t counter_bytes;
	uint64_t *counted; /* by probe: losses that have been reported */
	struct event_loss *losses;
	struct kernel_decoder decoder;
	struct kernel_shown shown;
	struct kernel_cpu_time times;
	bool has_times; /* they are open */
	int wait;       /* epoll: the ring */
	bool stopping, ended;
	uint64_t due;
};

static struct kernel_profile *profile_of(const struct source *source)
{
	return (struct kernel_profile *)(uintptr_t)source;
}

static void detach(struct kernel_profile *profile)
{
	bpf_close_all(profile->links, profile->link_count);
	profile->link_count = 0;
}

static void profile_close(struct source *source)
{
	struct kernel_profile *profile = profile_of(source);

	detach(profile);
	if (profile->counters)
		munmap((void *)(uintptr_t)profile->counters, profile->counter_bytes);
	if (profile->maps.counters >= 0)
		close(profile->maps.counters);
	if (profile->maps.sample >= 0)
		close(profile->maps.sample);
	kernel_records_close(&profile->records);
	kernel_decode_free(&profile->decoder);
	kernel_shown_free(&profile->shown);
	if (profile->has_times)
		kernel_cpu_time_close(&profile->times);
	if (profile->wait >= 0)
		close(profile->wait);
	free(profile->probes);
	free(profile->links);
	free(profile->counted);
	free(profile->losses);
	free(profile);
}

/* ---- enabling ---- */

static const char *name_of(const struct kernel_profile *profile, uint32_t probe)
{
	return profile->set->probes[probe].name;
}

/* Plans the sample for a probe from its wants. */
static int plan(struct kernel_profile *profile, const struct source_want *wants, size_t count,
	struct error *error)
{
	static struct kernel_operand arguments[] = {{.kind = KERNEL_OPERAND_KERNEL_PC, .size = 8},
		{.kind = KERNEL_OPERAND_USER_PC, .size = 8}};
	static const struct kernel_site site = {
		.is_sample = true, .argument_count = 2, .arguments = arguments};
	struct profile_probe *planned = &profile->probes[profile->probe_count];
	unsigned argument;

	planned->probe = wants[0].probe;
	for (size_t i = 0; i < count; i++)
		if (wants[i].demand && wants[i].demand->any_memory)
			return error_set(error, ENOTSUP,
				"%s: a clause reads memory at an address that is not computed "
				"from the probe's arguments alone; the kernel source reads memory "
				"when the probe fires, before the clause runs",
				name_of(profile, planned->probe));
	if (kernel_plan_make(&planned->plan, &site, wants, count, &argument))
		return error_set(error, E2BIG,
			"%s: the clauses read more than %d bytes of memory at one event, which is "
			"the most that the kernel source captures",
			name_of(profile, planned->probe), KERNEL_CAPTURE_MAX);
	planned->plan.pid = kernel_filter_pid(wants, count);
	profile->probe_count++;
	return 0;
}

static int make_maps(struct kernel_profile *profile, struct error *error)
{
	struct kernel_maps *maps = &profile->maps;
	uint32_t bytes = 0, counters = KERNEL_COUNTER_SITES + (uint32_t)profile->probe_count;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	bool has_clock = false, has_directories = false;
	void *mapped;

	for (size_t i = 0; i < profile->probe_count; i++) {
		const struct kernel_plan *plan = &profile->probes[i].plan;

		bytes = plan->limit > bytes ? plan->limit : bytes;
		has_clock |= plan->has_cpu_clock;
		has_directories |= plan->has_directories;
	}
	if (has_directories && kernel_directory_find(&maps->directories, error))
		return -ENOTSUP;
	kernel_layout_find(&maps->layout);
	if (has_clock && !maps->layout.has_clock)
		return error_set(error, ENOTSUP,
			"vtimestamp: the kernel does not tell where it keeps a thread's CPU time "
			"(/sys/kernel/btf/vmlinux)");
	profile->has_times = has_clock;
	profile->decoder.times = &profile->times;
	if (has_clock && kernel_cpu_time_open(&profile->times, error))
		return -ENOTSUP;
	maps->ring = profile->records.ring.map;
	maps->site_count = (uint32_t)profile->probe_count;
	maps->counters = bpf_map(BPF_MAP_TYPE_ARRAY, 4, 8 * counters, 1, BPF_F_MMAPABLE);
	maps->sample = bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, bytes, 1, 0);
	if (maps->counters < 0 || maps->sample < 0)
		return error_set(error, ENOMEM, "the kernel refuses a BPF map: %s",
			strerror(maps->counters < 0 ? -maps->counters : -maps->sample));
	profile->counter_bytes = (8 * counters + page - 1) & ~(page - 1);
	mapped = mmap(NULL, profile->counter_bytes, PROT_READ, MAP_SHARED, maps->counters, 0);
	if (mapped == MAP_FAILED)
		return error_set(error, errno, "profile: %s", strerror(errno));
	profile->counters = mapped;
	profile->counted = calloc(profile->probe_count + 1, sizeof(*profile->counted));
	profile->losses = calloc(profile->probe_count + 1, sizeof(*profile->losses));
	return profile->counted && profile->losses ? 0 : error_set(error, ENOMEM, "out of memory");
}

/* Loads the program of a probe; a descriptor. */
static int load(
	struct kernel_profile *profile, const struct profile_probe *probe, struct error *error)
{
	struct bpf_code code;
	int result;

	bpf_code_begin(&code);
	kernel_capture_generate(&code, &probe->plan, &profile->maps, &profile->features);
	result = bpf_code_end(&code);
	if (result)
		error_set(error, -result, "a BPF program: %s", strerror(-result));
	else
		result = bpf_load(code.instructions, code.count, BPF_SAMPLES, error);
	debug_say(DEBUG_KERNEL, "%s: %zu instructions, records of %u to %u bytes, process %u",
		name_of(profile, probe->probe), code.count, probe->plan.begin, probe->plan.limit,
		probe->plan.pid);
	bpf_code_free(&code);
	return result;
}

/* Starts the clock of a probe on each processor. */
static int attach(struct kernel_profile *profile, size_t number, struct error *error)
{
	const struct profile_probe *probe = &profile->probes[number];
	uint64_t period = profile->set->probes[probe->probe].period;
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	int program = load(profile, probe, error), result = 0;

	if (program < 0)
		return program;
	for (int i = 0; i < processors && !result; i++) {
		int link = bpf_attach_clock(program, i, period, number);

		if (link == -ENODEV) /* it is switched off */
			continue;
		if (link < 0)
			result = error_set(error, -link,
				"%s: the kernel refuses a clock event on processor %d: %s",
				name_of(profile, probe->probe), i, strerror(-link));
		else if (array_room(&profile->links, &profile->link_capacity, profile->link_count,
				 sizeof(*profile->links))) {
			close(link);
			result = error_set(error, ENOMEM, "out of memory");
		} else {
			profile->links[profile->link_count++] = link;
		}
	}
	close(program);
	return result;
}

static uint32_t ring_bytes(const struct source_request *request)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t bytes = kernel_ring_bytes(
		request->program ? request->program->options.bufsize : RING_BYTES);

	for (long i = RING_PROCESSORS; i < processors && bytes < RING_BYTES_MAX; i *= 2)
		bytes *= 2;
	return bytes;
}

/* The process may have ended by the time its first sample is read, so it is looked at now. */
static void look_at_processes(struct kernel_profile *profile)
{
	for (size_t i = 0; i < profile->probe_count; i++) {
		const struct kernel_plan *plan = &profile->probes[i].plan;
		long index = plan->pid ? kernel_shown_find(&profile->shown, plan->pid, NULL) : -1;

		if (index >= 0 && plan->user_frames)
			kernel_shown_unwind(&profile->shown, (size_t)index);
	}
}

static int profile_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_profile *profile = profile_of(source);
	struct epoll_event event = {.events = EPOLLIN};
	uint32_t bytes = ring_bytes(request);
	int result = 0;

	profile->probes = calloc(request->want_count + 1, sizeof(*profile->probes));
	if (!profile->probes)
		return error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0, next; i < request->want_count && !result; i = next) {
		next = source_request_next(request, i);
		result = plan(profile, &request->wants[i], next - i, error);
	}
	if (result)
		return result;
	result = kernel_records_open(&profile->records, bytes);
	if (!result && epoll_ctl(profile->wait, EPOLL_CTL_ADD, profile->records.ring.map, &event))
		result = -errno;
	if (result)
		return error_set(error, -result, "the kernel refuses a BPF ring buffer: %s",
			strerror(-result));
	profile->maps.wake_bytes = bytes / 2;
	result = make_maps(profile, error);
	if (!result)
		look_at_processes(profile);
	for (size_t i = 0; i < profile->probe_count && !result; i++)
		result = attach(profile, i, error);
	profile->due = clock_monotonic();
	return result;
}

/* ---- reading ---- */

/* Decodes the records that no later one can precede. -ENOMEM. */
static int decode_batch(struct kernel_profile *profile, struct event_batch *batch)
{
	const struct kernel_record *record;

	kernel_decode_begin(&profile->decoder);
	kernel_shown_begin(&profile->shown);
	while (profile->decoder.event_count < BATCH_EVENTS &&
		(record = kernel_records_peek(&profile->records))) {
		const struct profile_probe *probe;
		struct usdt_unwind *unwind = NULL;
		struct kernel_head head;
		long process;

		memcpy(&head, record->bytes, sizeof(head));
		kernel_records_take(&profile->records);
		if (head.site >= profile->probe_count)
			continue;
		probe = &profile->probes[head.site];
		process = kernel_shown_find(
			&profile->shown, head.pid, kernel_decode_identity(&probe->plan, record));
		if (process < 0)
			return -ENOMEM;
		if (probe->plan.user_frames)
			unwind = kernel_shown_unwind(&profile->shown, (size_t)process);
		if (kernel_decode_add(&profile->decoder, record, &probe->plan, probe->probe,
			    (uint32_t)process, unwind))
			return -ENOMEM;
	}
	kernel_decode_end(&profile->decoder, batch);
	batch->processes = profile->shown.list;
	batch->process_count = profile->shown.count;
	return 0;
}

static void add_losses(struct kernel_profile *profile, struct event_batch *batch)
{
	for (size_t i = 0; i < profile->probe_count; i++) {
		uint64_t count = __atomic_load_n(
			&profile->counters[KERNEL_COUNTER_SITES + i], __ATOMIC_RELAXED);

		if (count == profile->counted[i])
			continue;
		profile->losses[batch->loss_count++] = (struct event_loss){
			.count = count - profile->counted[i], .probe = profile->probes[i].probe};
		profile->counted[i] = count;
	}
	batch->losses = profile->losses;
}

static enum source_state take_batch(
	struct kernel_profile *profile, struct event_batch *batch, struct error *error)
{
	const struct kernel_record *left;
	uint64_t now;
	bool complete;

	if (profile->stopping)
		detach(profile);
	now = clock_monotonic();
	complete = kernel_records_read(&profile->records, profile->stopping);
	if (decode_batch(profile, batch)) {
		error_set(error, ENOMEM, "profile: out of memory");
		return SOURCE_BROKEN;
	}
	left = kernel_records_peek(&profile->records);
	add_losses(profile, batch);
	batch->until = left ? left->time - 1 : profile->stopping ? now : profile->records.until;
	batch->wall_offset = (int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic());
	profile->ended = profile->stopping && complete && !left;
	profile->due =
		left ? now : now + (batch->event_count ? BUSY_MS : IDLE_MS) * CLOCK_NS_PER_MS;
	return SOURCE_MORE;
}

static enum source_state profile_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct kernel_profile *profile = profile_of(source);

	*batch = (struct event_batch){0};
	if (profile->ended)
		return SOURCE_ENDED;
	if (!profile->stopping && !kernel_records_await(profile->wait, profile->due, timeout_ms))
		return SOURCE_IDLE;
	return take_batch(profile, batch, error);
}

static void profile_stop(struct source *source)
{
	profile_of(source)->stopping = true;
	profile_of(source)->due = 0;
}

static int profile_descriptor(const struct source *source)
{
	return profile_of(source)->wait;
}

static uint64_t profile_due(const struct source *source)
{
	return profile_of(source)->due;
}

static const struct source_methods profile_methods = {
	.enable = profile_enable,
	.next = profile_next,
	.stop = profile_stop,
	.descriptor = profile_descriptor,
	.due = profile_due,
	.close = profile_close,
};

/* ---- opening ---- */

static int add_probe(struct d_probe_set *set, const char *name)
{
	char provider[] = "profile", empty[] = "", copy[TIMER_NAME_MAX];
	const struct d_probe probe = {.provider = provider,
		.module = empty,
		.function = empty,
		.name = copy,
		.kind = D_PROBE_SOURCE,
		.period = timer_period(name, TIMER_PROFILE)};

	for (long i = d_probe_set_find(set, name, -1); i >= 0; i = d_probe_set_find(set, name, i))
		if (!strcmp(set->probes[i].provider, provider))
			return 0;
	snprintf(copy, sizeof(copy), "%s", name);
	return d_probe_set_add(set, &probe) < 0 ? -ENOMEM : 0;
}

static int add_described(struct d_probe_set *set, const struct d_asked *asked)
{
	int result = 0;

	if (!timer_is_profile(asked))
		return 0;
	if (*asked->name && !pattern_is_glob(asked->name))
		return add_probe(set, asked->name);
	for (const char *const *name = timer_profiles; *name && !result; name++)
		if (pattern_match(asked->name, *name))
			result = add_probe(set, *name);
	return result;
}

int source_profile_open(struct d_probe_set *set, const struct d_asked *asked, size_t asked_count,
	struct source **source, struct error *error)
{
	struct kernel_profile *profile;
	struct bpf_features features;
	size_t before = set->count, described = 0;
	int result = 0;

	*source = NULL;
	while (described < asked_count && !timer_is_profile(&asked[described]))
		described++;
	if (described == asked_count)
		return 0;
	result = bpf_features(&features, error);
	for (size_t i = described; i < asked_count && !result; i++)
		if (add_described(set, &asked[i]))
			result = error_set(error, ENOMEM, "out of memory");
	if (result || set->count == before)
		return result;
	profile = calloc(1, sizeof(*profile));
	if (!profile)
		return error_set(error, ENOMEM, "out of memory");
	profile->set = set;
	profile->features = features;
	profile->records.ring.map = -1;
	profile->maps = (struct kernel_maps){.counters = -1, .task = -1, .sample = -1};
	profile->source = (struct source){.methods = &profile_methods,
		.kind = SOURCE_KIND_KERNEL,
		.accompanies = true,
		.provides = source_kind_provides(SOURCE_KIND_KERNEL)};
	profile->wait = epoll_create1(EPOLL_CLOEXEC);
	if (profile->wait < 0) {
		result = error_set(error, errno, "profile: %s", strerror(errno));
		profile_close(&profile->source);
	} else {
		*source = &profile->source;
	}
	return result;
}
