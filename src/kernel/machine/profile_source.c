/*
 * profile_source.c: see profile_source.h. A timer of the kernel on each processor runs a BPF
 * program, which puts a record of what it has interrupted into a ring, with all that the clauses
 * need, like the programs of other sources (capture.h). If all clauses of a probe select one
 * process, by a predicate such as /pid == $target/, its program drops the samples of others.
 */
#include "kernel/machine/profile_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "base/pattern.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/capture/capture.h"
#include "kernel/machine/machine_feed.h"
#include "kernel/machine/process_filter.h"
#include "program/timer_probe.h"

enum { BUSY_MS = 10 }; /* between two readings of the ring while samples come */

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
	struct kernel_feed feed;
	struct profile_probe *probes;
	size_t probe_count;
	int *links;
	size_t link_count, link_capacity;
};

static struct kernel_profile *profile_of(const struct source *source)
{
	return (struct kernel_profile *)(uintptr_t)source;
}

static void detach_profile(struct kernel_profile *profile)
{
	bpf_close_all(profile->links, profile->link_count);
	profile->link_count = 0;
}

static void profile_close(struct source *source)
{
	struct kernel_profile *profile = profile_of(source);

	detach_profile(profile);
	kernel_feed_close(&profile->feed, &profile->maps);
	if (profile->maps.sample >= 0)
		close(profile->maps.sample);
	free(profile->probes);
	free(profile->links);
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
			return kernel_plan_refuse(
				name_of(profile, planned->probe), -ENOTSUP, error);
	if (kernel_plan_make(&planned->plan, &site, wants, count, &argument))
		return kernel_plan_refuse(name_of(profile, planned->probe), -E2BIG, error);
	planned->plan.pid = kernel_filter_pid(wants, count);
	profile->probe_count++;
	return 0;
}

static int make_maps(struct kernel_profile *profile, struct error *error)
{
	struct kernel_maps *maps = &profile->maps;
	bool has_clock = false, has_directories = false;
	uint32_t bytes = 0;

	for (size_t i = 0; i < profile->probe_count; i++) {
		const struct kernel_plan *plan = &profile->probes[i].plan;

		bytes = plan->limit > bytes ? plan->limit : bytes;
		has_clock |= plan->has_cpu_clock;
		has_directories |= plan->has_directories;
	}
	if (has_directories && kernel_directory_find(&maps->directories, error))
		return -ENOTSUP;
	kernel_layout_find(&maps->layout);
	if (has_clock && kernel_feed_use_clock(&profile->feed, maps, error))
		return -ENOTSUP;
	maps->sample = bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, bytes, 1, 0);
	if (maps->sample < 0)
		return error_set(error, -maps->sample, "the kernel refuses a BPF map: %s",
			strerror(-maps->sample));
	return kernel_feed_count(&profile->feed, maps, profile->probe_count, 0, error);
}

/* Loads the program of a probe. Returns its descriptor or a negative errno. */
static int load_profile(
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
static int attach_profile(struct kernel_profile *profile, size_t number, struct error *error)
{
	const struct profile_probe *probe = &profile->probes[number];
	uint64_t period = profile->set->probes[probe->probe].period;
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	int program = load_profile(profile, probe, error), result = 0;

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

/* The process may have ended by the time its first sample is read, so it is examined now. */
static void look_at_processes(struct kernel_profile *profile)
{
	for (size_t i = 0; i < profile->probe_count; i++) {
		const struct kernel_plan *plan = &profile->probes[i].plan;
		long index =
			plan->pid ? kernel_shown_find(&profile->feed.shown, plan->pid, NULL) : -1;

		if (index >= 0 && plan->user_frames)
			kernel_shown_unwind(&profile->feed.shown, (size_t)index);
	}
}

static int profile_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_profile *profile = profile_of(source);
	int result = 0;

	profile->probes = calloc(request->want_count + 1, sizeof(*profile->probes));
	if (!profile->probes)
		return error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0, next; i < request->want_count && !result; i = next) {
		next = source_request_next(request, i);
		result = plan(profile, &request->wants[i], next - i, error);
	}
	if (!result)
		result = kernel_feed_begin(&profile->feed, request, &profile->maps, error);
	if (!result)
		result = make_maps(profile, error);
	if (!result)
		look_at_processes(profile);
	for (size_t i = 0; i < profile->probe_count && !result; i++)
		result = attach_profile(profile, i, error);
	if (!result)
		result = kernel_feed_tell_ends(&profile->feed, request, &profile->features,
			&source->tells_thread_ends, error);
	return result;
}

static void profile_fire(struct source *source, bool fires)
{
	kernel_feed_open_sites(&((struct kernel_profile *)source)->feed, fires);
}

/* ---- reading ---- */

static bool find_site(void *source, uint32_t number, struct kernel_feed_site *site)
{
	const struct kernel_profile *profile = source;

	if (number >= profile->probe_count)
		return false;
	site->plan = &profile->probes[number].plan;
	site->probe = profile->probes[number].probe;
	return true;
}

static void detach_all(void *source)
{
	detach_profile(source);
}

static enum source_state profile_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	static const struct kernel_feed_methods methods = {.find = find_site, .detach = detach_all};
	struct kernel_profile *profile = profile_of(source);

	return kernel_feed_next(&profile->feed, &methods, profile, timeout_ms, batch, error);
}

static void profile_stop(struct source *source)
{
	kernel_feed_stop(&profile_of(source)->feed);
}

static int profile_descriptor(const struct source *source)
{
	return profile_of(source)->feed.wait;
}

static uint64_t profile_due(const struct source *source)
{
	return profile_of(source)->feed.due;
}

static const struct source_methods profile_methods = {
	.enable = profile_enable,
	.fire = profile_fire,
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
	profile->maps = (struct kernel_maps){.counters = -1, .task = -1, .sample = -1};
	profile->source = (struct source){.methods = &profile_methods,
		.kind = SOURCE_KIND_KERNEL,
		.accompanies = true,
		.provides = source_kind_provides(SOURCE_KIND_KERNEL)};
	result = kernel_feed_open(&profile->feed, BUSY_MS);
	if (result) {
		error_set(error, -result, "profile: %s", strerror(-result));
		profile_close(&profile->source);
	} else {
		*source = &profile->source;
	}
	return result;
}
