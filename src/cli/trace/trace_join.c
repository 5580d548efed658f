/* trace_join.c: see trace_join.h. */
#include "cli/trace/trace_join.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/cli.h"
#include "d/compile.h"
#include "engine/engine.h"
#include "program/readable.h"
#include "source/source.h"

/* What is not enabled although the script describes it. */
struct left_out {
	bool differs;  /* args[] would mean something else */
	size_t misses; /* probes that do not have an argument that a clause reads */
	size_t first;  /* one of them, in the source's own set */
	unsigned argument;
};

/* Removes enablings of a probe from number `from` on whose clauses read what it does not have. */
static void leave_out(const struct join_run *run, const struct d_probe_set *own, size_t probe,
	struct d_enablings *list, size_t from, struct left_out *left)
{
	size_t kept = from;
	unsigned argument;

	for (size_t i = from; i < list->count; i++) {
		if (!d_program_misses(
			    run->program, list->items[i].clause, &own->probes[probe], &argument)) {
			list->items[kept++] = list->items[i];
			continue;
		}
		if (left->misses && left->first == probe)
			continue;
		if (!left->misses++)
			left->argument = argument;
		left->first = probe;
	}
	list->count = kept;
}

/* Finds the clauses for a source's probes, and adds those that have any to the run's set. */
static int match(const struct join_run *run, const struct d_probe_set *own, uint32_t *numbers,
	struct d_enablings *list, struct left_out *left)
{
	int result = 0;

	for (size_t i = 0; i < own->count && !result; i++) {
		size_t before = list->count;
		numbers[i] = UINT32_MAX;
		if (own->probes[i].kind != D_PROBE_SOURCE)
			continue;
		result = d_program_match(run->program, run->probes, &own->probes[i],
			(uint32_t)run->probes->count, list, &left->differs);
		if (!result)
			leave_out(run, own, i, list, before, left);
		if (result || list->count == before)
			continue;
		numbers[i] = (uint32_t)run->probes->count;
		if (d_probe_set_add(run->probes, &own->probes[i]) < 0)
			result = -ENOMEM;
	}
	return result;
}

/* Enables the clauses for the probes of a source (struct target_joiner). */
static int join_enable(void *context, struct source *source, const struct d_probe_set *own,
	struct target_joined *joined, struct error *error)
{
	const struct join_run *run = context;
	uint32_t *numbers = calloc(own->count + 1, sizeof(*numbers));
	struct d_enablings list = {.items = NULL};
	struct source_request request = {.wants = NULL};
	struct left_out left = {.differs = false};
	int result = -ENOMEM;

	*joined = (struct target_joined){
		.first = (uint32_t)run->probes->count, .since = clock_monotonic()};
	if (numbers)
		result = match(run, own, numbers, &list, &left);
	if (!result)
		result =
			source_request_of_enablings(&request, run->program, list.items, list.count);
	if (result) {
		error_set(error, ENOMEM, "out of memory");
		goto out;
	}
	source_renumber(source, numbers);
	request.tells_thread_ends &= !run->kernel_tells;
	request.lossless = run->lossless;
	request.follows = run->follows;
	request.at_once = true; /* other events come meanwhile */
	request.latency = engine_options(run->engine)->switchrate;
	request.sample = engine_options(run->engine)->sample;
	request.heap_period = engine_options(run->engine)->heapsample;
	result = source_enable(source, &request, error);
	if (!result && list.count && engine_join(run->engine, list.items, list.count))
		result = error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0; i < request.want_count && !result; i++)
		if (request.wants[i].reduced)
			engine_leave(run->engine, request.wants[i].probe, request.wants[i].clause);
	if (!result && left.misses)
		cli_message("process %" PRIu32 " (%s): %zu probe%s left out, since arg%u cannot be "
			    "read there (such as %s:%s:%s:%s)",
			source->process.pid, source->process.execname, left.misses,
			left.misses == 1 ? " is" : "s are", left.argument,
			own->probes[left.first].provider, own->probes[left.first].module,
			own->probes[left.first].function, own->probes[left.first].name);
	if (!result && left.differs)
		cli_message("process %" PRIu32 " (%s): some probes have other arguments than those "
			    "that the script was compiled for, and are left out",
			source->process.pid, source->process.execname);
	joined->end = (uint32_t)run->probes->count;
out:
	source_request_free(&request);
	free(list.items);
	free(numbers);
	return result;
}

struct target_joiner join_joiner(struct join_run *join)
{
	return (struct target_joiner){
		.context = join, .enable = join_enable, .probes = join->probes};
}
