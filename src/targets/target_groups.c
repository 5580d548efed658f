/*
 * target_groups.c: see targets_private.h. The kinds of groups are rows of one table.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "kernel/process/process_source.h"
#include "program/probe.h"
#include "source/merge.h"
#include "targets/machine_parts.h"
#include "targets/target_families.h"
#include "targets/target_kernel.h"
#include "targets/target_kinds.h"
#include "targets/targets_private.h"

/* Opens the streams of targets that are given one by one, and asks the kernel for the rest. */
static int open_listed(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	struct merge_part *parts;
	size_t opened = 0, room = targets->count + 1; /* their streams, and the kernel */
	int result = 0;

	if (!targets->count)
		return 0;
	parts = calloc(room, sizeof(*parts));
	if (!parts)
		return error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0; i < targets->count && !result; i++) {
		struct merge_part *part = &parts[opened];

		part->source = NULL;
		part->first = (uint32_t)set->count;
		result = target_kind_methods(targets->items[i].kind)
				 ->open(targets, &targets->items[i], set, &part->source, error);
		part->end = (uint32_t)set->count;
		targets->items[i].part = opened;
		opened += part->source != NULL;
		if (!result && part->source && targets->items[i].kind != TARGET_RUNTIME &&
			!targets->is_single)
			result = runtime_joins_add(targets, i);
		/* further runtimes are targets, too; there is always room for one more part */
		if (array_room(&parts, &room, opened + 1, sizeof(*parts)))
			result = error_set(error, ENOMEM, "out of memory");
	}
	/* A description may be of another target's stream, so all are opened first. */
	for (size_t i = 0; i < targets->count && !result; i++)
		if (target_wants_kernel(targets, &targets->items[i], set))
			result = target_open_kernel(targets, &targets->items[i], set, error);
	if (targets->kernel && (result || !source_kernel_count(targets->kernel))) {
		source_close(targets->kernel);
		targets->kernel = NULL;
	}
	/* Probes of streams may lie among the kernel's, so the kernel is asked after them. */
	if (targets->kernel)
		parts[opened++] = (struct merge_part){
			targets->kernel, (uint32_t)targets->kernel_first, (uint32_t)set->count};
	if (!result && opened == 1)
		targets->source = parts[0].source;
	else if (!result && opened)
		result = source_merge_new(parts, opened, false, &targets->source, error);
	for (size_t i = 0; i < opened && result; i++)
		source_close(parts[i].source);
	if (result)
		targets->kernel = NULL;
	free(parts);
	targets->parts = result ? 0 : opened;
	if (targets->parts && !targets->is_single)
		runtime_joins_watch(targets);
	return result;
}

static int open_recording(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	return source_log_open(targets->spec->log, set, &targets->source, error);
}

static const struct target_group_methods groups[] = {
	[TARGET_GROUP_LISTED] = {open_listed, runtime_joins_take, runtime_joins_descriptor,
		runtime_joins_due, false, false},
	[TARGET_GROUP_ALL] = {target_families_open, vm_joins_take, vm_joins_descriptor,
		vm_joins_due, true, false},
	[TARGET_GROUP_NAMED] = {target_families_open, vm_joins_take, vm_joins_descriptor,
		vm_joins_due, true, false},
	[TARGET_GROUP_FAMILY] = {target_families_open, vm_joins_take, vm_joins_descriptor,
		vm_joins_due, true, false},
	[TARGET_GROUP_RECORDING] = {open_recording, NULL, NULL, NULL, false, true},
};

const struct target_group_methods *target_group_methods(const struct targets *targets)
{
	return &groups[targets->group];
}

int targets_open(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	struct machine_parts all;
	bool alone;
	size_t first;
	int result;

	if (target_group_methods(targets)->is_recorded)
		return target_group_methods(targets)->open(targets, set, error);
	result = machine_parts_open(&all, targets, set, error);
	first = set->count;
	targets->has_machine = !result && all.count;
	/* These are of all processes, so none need be found; the command's end is waited for. */
	alone = machine_parts_is_all(&all, targets);
	if (alone && targets->group == TARGET_GROUP_FAMILY)
		targets->group = TARGET_GROUP_LISTED;
	if (!result && alone && targets->group == TARGET_GROUP_LISTED)
		result = targets_watch(targets, error);
	else if (!result)
		result = target_group_methods(targets)->open(targets, set, error);
	if (!result)
		result = machine_parts_join(&all, targets, set, first, error);
	machine_parts_close(&all);
	return result;
}
