/*
 * machine_source.c: see machine_source.h. What programs record is read here; machine_programs.c
 * makes and attaches them.
 */
#include "kernel/machine/machine_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/debug.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/machine/machine_programs.h"
#include "kernel/reduce/follow.h"
#include "kernel/reduce/reduce.h"
#include "kernel/reduce/refusal.h"

enum { BUSY_MS = 5 /* between two readings of the ring while events come */ };

static struct kernel_machine *machine_of(const struct source *source)
{
	return (struct kernel_machine *)(uintptr_t)source;
}

static void machine_close(struct source *source)
{
	struct kernel_machine *machine = machine_of(source);

	kernel_programs_reset(machine);
	kernel_tally_end(&machine->reader, &machine->reduction);
	kernel_reduce_free(&machine->reduction);
	free(machine->updates);
	kernel_feed_close(&machine->feed, &machine->maps);
	usdt_functions_free(&machine->functions);
	kernel_providers_close(&machine->providers);
	free(machine);
}

/* Decides what the programs carry out themselves. They carry out nothing if the kernel refuses
 * maps. */
static void reduce_clauses(struct kernel_machine *machine, const struct source_request *request)
{
	int result = kernel_reduce_begin(&machine->reduction, request, false);
	struct error reason;

	if (!result && machine->reduction.reads_cpu_time) {
		result = kernel_cpu_time_open(&machine->feed.times, &reason);
		machine->feed.has_times = !result;
		if (result)
			kernel_cpu_time_close(&machine->feed.times);
	}
	kernel_reduce_tell_clocks(&machine->reduction, machine->feed.times.distance,
		(int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic()));
	if (!result)
		result = kernel_tally_begin(&machine->reader, &machine->reduction);
	machine->updates = calloc(machine->reduction.cpu_count + 1, sizeof(*machine->updates));
	if (!result && machine->updates)
		return;
	debug_say(DEBUG_KERNEL, "nothing is reduced: %s", strerror(-result));
	kernel_tally_end(&machine->reader, &machine->reduction);
	kernel_reduce_undo(&machine->reduction, request);
}

static int machine_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_machine *machine = machine_of(source);
	int result = kernel_feed_begin(&machine->feed, request, &machine->maps, error);

	if (!result && !request->want_count)
		result = kernel_feed_tell_ends(&machine->feed, request, &machine->features,
			&source->tells_thread_ends, error);
	if (result || !request->want_count)
		return result;
	reduce_clauses(machine, request);
	result = kernel_refusal_check(&machine->reduction, request, error);
	if (result)
		return result;
	result = kernel_programs_start(machine, request, error);
	if (result && machine->reduction.set_count && !kernel_refusal_is_possible(request)) {
		bool follows = kernel_follow_is_any(&machine->reduction);
		struct error reason = *error;
		int first = result;

		/* records of events may be possible even so */
		kernel_programs_reset(machine);
		kernel_tally_end(&machine->reader, &machine->reduction);
		kernel_reduce_undo(&machine->reduction, request);
		result = kernel_programs_start(machine, request, error);
		if (result && follows) {
			*error = reason;
			result = first;
		} else if (!result) {
			debug_say(DEBUG_KERNEL, "nothing is reduced: %s", reason.text);
		}
	}
	debug_say(DEBUG_KERNEL,
		"%zu sites, %zu programs; %zu instructions that aggregate are "
		"carried out by programs",
		machine->site_count, machine->program_count, machine->reduction.tally_count);
	if (!result)
		result = kernel_feed_tell_ends(&machine->feed, request, &machine->features,
			&source->tells_thread_ends, error);
	return result;
}

static void machine_fire(struct source *source, bool fires)
{
	kernel_feed_open_sites(&((struct kernel_machine *)source)->feed, fires);
}

/* ---- reading ---- */

static const struct d_probe *probe_of_site(void *context, uint64_t number)
{
	const struct kernel_machine *machine = context;

	return number < machine->site_count
		? &machine->set->probes[machine->sites[number].site.probe]
		: NULL;
}

static bool find_site(void *source, uint32_t number, struct kernel_feed_site *site)
{
	const struct kernel_machine *machine = source;

	if (number >= machine->site_count)
		return false;
	site->plan = &machine->programs[machine->sites[number].plan].plan;
	site->probe = machine->sites[number].site.probe;
	return true;
}

static const struct event_update *read_update(
	void *source, const struct kernel_record *record, struct usdt_unwind *unwind)
{
	struct kernel_machine *machine = source;
	const struct kernel_site_names names = {machine, probe_of_site};

	return kernel_tally_update(&machine->reader, &machine->reduction, &names, record, unwind,
		&machine->feed.decoder.frames);
}

/* Adds losses of clauses that the programs carry out. */
static void add_reduced_losses(struct kernel_machine *machine, struct event_batch *batch)
{
	uint64_t stores;

	if (!kernel_tally_losses(&machine->reader, &machine->reduction, &stores, machine->updates))
		return;
	if (stores)
		machine->feed.losses[batch->loss_count++] = (struct event_loss){
			.kind = EVENT_LOSS_VARIABLES, .count = stores, .probe = UINT32_MAX};
	for (uint32_t cpu = 0; cpu < machine->reduction.cpu_count; cpu++)
		if (machine->updates[cpu])
			machine->feed.losses[batch->loss_count++] =
				(struct event_loss){.kind = EVENT_LOSS_UPDATES,
					.count = machine->updates[cpu],
					.probe = UINT32_MAX,
					.cpu = (uint16_t)cpu};
}

/* Reports events that were missed: their program was already running on that processor. */
static void add_missed(struct kernel_machine *machine, struct event_batch *batch)
{
	for (size_t i = 0; i < machine->program_count; i++) {
		struct machine_program *program = &machine->programs[i];
		uint64_t missed = program->descriptor < 0 ? 0 : bpf_missed(program->descriptor);

		if (missed == program->missed)
			continue;
		machine->feed.losses[batch->loss_count++] = (struct event_loss){
			.count = missed - program->missed, .probe = program->probe};
		program->missed = missed;
	}
}

static void take_message(struct kernel_machine *machine, struct event_batch *batch)
{
	if (!*machine->message)
		return;
	memcpy(machine->told, machine->message, sizeof(machine->told));
	*machine->message = '\0';
	batch->message = machine->told;
	batch->message_process = UINT32_MAX;
}

static void complete_batch(void *source, uint64_t now, struct event_batch *batch)
{
	struct kernel_machine *machine = source;

	if (machine->reduction.clocks >= 0) {
		kernel_cpu_time_follow(&machine->feed.times, now);
		kernel_reduce_tell_clocks(&machine->reduction, machine->feed.times.distance,
			(int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic()));
	}
	take_message(machine, batch);
	if (!machine->feed.counters)
		return;
	add_reduced_losses(machine, batch);
	if (machine->feed.stopping)
		add_missed(machine, batch);
}

static void detach_all(void *source)
{
	kernel_programs_detach(source);
}

static enum source_state machine_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	static const struct kernel_feed_methods methods = {.find = find_site,
		.update = read_update,
		.complete = complete_batch,
		.detach = detach_all};
	struct kernel_machine *machine = machine_of(source);

	return kernel_feed_next(&machine->feed, &methods, machine, timeout_ms, batch, error);
}

static void machine_collect(struct source *source, const struct partial_sink *sink)
{
	struct kernel_machine *machine = machine_of(source);
	const struct kernel_site_names names = {machine, probe_of_site};

	kernel_tally_read(&machine->reader, &machine->reduction, &names, sink);
}

static void machine_stop(struct source *source)
{
	kernel_feed_stop(&machine_of(source)->feed);
}

static int machine_descriptor(const struct source *source)
{
	return machine_of(source)->feed.wait;
}

static uint64_t machine_due(const struct source *source)
{
	return machine_of(source)->feed.due;
}

static const struct source_methods machine_methods = {
	.enable = machine_enable,
	.fire = machine_fire,
	.next = machine_next,
	.collect = machine_collect,
	.stop = machine_stop,
	.descriptor = machine_descriptor,
	.due = machine_due,
	.close = machine_close,
};

/* ---- opening ---- */

int source_machine_open(struct d_probe_set *set, const struct d_asked *asked, size_t asked_count,
	struct source **source, struct error *error)
{
	struct kernel_machine *machine;
	struct bpf_features features;
	size_t named = 0;
	int result;

	*source = NULL;
	while (named < asked_count && !kernel_providers_are_asked(&asked[named]))
		named++;
	if (named == asked_count)
		return 0;
	result = bpf_features(&features, error);
	if (result)
		return result;
	machine = calloc(1, sizeof(*machine));
	if (!machine)
		return error_set(error, ENOMEM, "out of memory");
	machine->set = set;
	set->has_machine = true;
	if (kernel_providers_open(&machine->providers, asked, asked_count, set)) {
		kernel_providers_close(&machine->providers);
		free(machine);
		return error_set(error, ENOMEM, "out of memory");
	}
	machine->features = features;
	machine->maps = (struct kernel_maps){
		.counters = -1, .task = -1, .sample = -1, .calls = -1, .noted = -1, .frame = -1};
	kernel_reduce_free(&machine->reduction); /* it has no maps */
	machine->source = (struct source){.methods = &machine_methods,
		.kind = SOURCE_KIND_KERNEL,
		.accompanies = true,
		.provides = source_kind_provides(SOURCE_KIND_KERNEL)};
	result = kernel_feed_open(&machine->feed, BUSY_MS);
	if (result) {
		error_set(error, -result, "the kernel source: %s", strerror(-result));
		machine_close(&machine->source);
	} else {
		*source = &machine->source;
	}
	return result;
}
