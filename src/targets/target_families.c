/* target_families.c: see target_families.h. */
#include "targets/target_families.h"

#include <errno.h>
#include <string.h>

#include "base/debug.h"
#include "kernel/process/process_source.h"
#include "program/timer_probe.h"
#include "source/merge.h"
#include "targets/target_kinds.h"
#include "targets/targets_private.h"

/* Returns whether a provider is that name with the number of a process, or a pattern for such
 * numbers. */
static bool is_numbered(const char *provider, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(provider, name, length) &&
		provider[length + strspn(provider + length, "0123456789-*?[]")] == '\0';
}

/*
 * Returns whether the description needs no process's own probes from the kernel: those of provider
 * vm come by streams only, and others belong to no process.
 */
static bool is_of_others(const struct d_asked *asked)
{
	return timer_is_profile(asked) || !strcmp(asked->provider, "syscall") ||
		is_numbered(asked->provider, "vm");
}

/* Returns the first description for which the kernel is needed; NULL if there is none. */
static const struct d_asked *needs_kernel(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (!is_of_others(&targets->asked[i]))
			return &targets->asked[i];
	return NULL;
}

/* Returns a description of functions for which no process is named; NULL if there is none. */
static const struct d_asked *asks_functions(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (is_numbered(targets->asked[i].provider, "pid"))
			return &targets->asked[i];
	return NULL;
}

/* Makes the kernel's source of all processes. */
static int open_all(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	unsigned flags = SOURCE_KERNEL_MAY_MISS |
		(targets->spec->via == TARGET_VIA_KERNEL ? 0 : SOURCE_KERNEL_HAS_STREAM);
	size_t denied = 0;
	int result = source_kernel_new(set, KERNEL_SCOPE_ALL, targets->asked, targets->asked_count,
		&targets->kernel, error);

	if (!result)
		result = source_kernel_add_all(targets->kernel, flags, &denied, error);
	if (result) {
		source_close(targets->kernel);
		targets->kernel = NULL;
		d_probe_set_cut(set, targets->kernel_first);
	}
	if (denied)
		target_tell(targets,
			"%zu process%s not looked at: reading %s files needs the capability "
			"CAP_SYS_PTRACE; run vmtap by sudo",
			denied, denied == 1 ? " is" : "es are", denied == 1 ? "its" : "their");
	return result;
}

/*
 * Makes the kernel's source if it is wanted. Without privilege the streams remain, and a line says
 * what is missing.
 */
static int open_kernel(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	const struct d_asked *asked = needs_kernel(targets), *functions = asks_functions(targets);
	bool is_wanted = targets->spec->via == TARGET_VIA_KERNEL || asked || targets->lists_all;
	int result;

	if (targets->spec->via == TARGET_VIA_STREAM || targets->group == TARGET_GROUP_NAMED ||
		!is_wanted)
		return 0;
	if (targets->group == TARGET_GROUP_ALL && functions)
		return error_set(error, EINVAL,
			"%s:%s:%s:%s: the functions of every process cannot be probed; name the "
			"process: pid$target with -p or -c",
			functions->provider, functions->module, functions->function,
			functions->name);
	targets->kernel_first = set->count;
	if (targets->group == TARGET_GROUP_ALL)
		result = open_all(targets, set, error);
	else
		result = source_kernel_new(set, KERNEL_SCOPE_FAMILY, targets->asked,
			targets->asked_count, &targets->kernel, error);
	if (!result || targets->spec->via == TARGET_VIA_KERNEL)
		return result;
	if (targets->lists_all)
		target_tell(targets, "only event streams are looked at, since %s", error->text);
	else if (asked)
		target_tell(targets, "%s:%s:%s:%s: only event streams are looked at, since %s",
			asked->provider, asked->module, asked->function, asked->name, error->text);
	return 0;
}

static unsigned flags_of(const struct targets *targets, const struct target *target)
{
	return (target_is_started(target) ? SOURCE_KERNEL_OURS : 0) |
		(targets->spec->via == TARGET_VIA_KERNEL ? 0 : SOURCE_KERNEL_HAS_STREAM) |
		(targets->may_miss || target_is_started(target) ? SOURCE_KERNEL_MAY_MISS : 0);
}

/*
 * Starts a command, stopped where its own code begins if the kernel traces it. One that serves a
 * stream itself runs at once, and its library waits for us.
 */
static int start_command(struct targets *targets, struct target *target, struct error *error)
{
	unsigned wait = targets->spec->via == TARGET_VIA_KERNEL ? CHILD_WAIT_NONE : CHILD_WAIT_ALL;
	int result = target_start_program(
		targets, target, wait | (targets->kernel ? CHILD_STOPPED : 0), error);

	if (result || !targets->kernel)
		return result;
	if (!target->process.child.stops)
		return error_set(error, EPERM,
			"the system allows no ptrace(), by which a command is stopped until its "
			"probes are attached");
	result = target_process_launch(&target->process, error);
	if (result == -ESRCH && !target_process_is_held(&target->process))
		return 0;
	if (!result)
		result = source_kernel_add(
			targets->kernel, target->process.pid, flags_of(targets, target), error);
	if (!result && source_kernel_leaves(targets->kernel))
		result = targets_resume(targets, error);
	return result;
}

static int open_target(struct targets *targets, struct target *target, struct error *error)
{
	const bool is_started = target_is_started(target);
	int result = is_started ? start_command(targets, target, error) : 0;

	if (!result && !is_started && targets->kernel)
		result = source_kernel_add(
			targets->kernel, target->process.pid, flags_of(targets, target), error);
	return result ? result : target_watch_process(targets, target, error);
}

int target_families_open(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	int result = open_kernel(targets, set, error);
	struct merge_part part;
	size_t number;

	for (size_t i = 0; i < targets->count && !result; i++)
		result = open_target(targets, &targets->items[i], error);
	part = (struct merge_part){
		targets->kernel, (uint32_t)targets->kernel_first, (uint32_t)set->count};
	if (!result)
		result = vm_joins_open(targets, set, error);
	if (!result && targets->kernel)
		result = source_merge_add(targets->source, &part, 0, &number, error);
	if (result) {
		source_close(targets->kernel);
		targets->kernel = NULL;
		return result;
	}
	if (targets->count && !targets->vms.first && !targets->kernel && vm_joins_are_over(targets))
		error_set(&targets->items[0].missing, ENOENT,
			"process %u, and what it has started, have ended without serving an event "
			"stream",
			(unsigned int)targets->items[0].process.pid);
	return 0;
}
