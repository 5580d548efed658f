/* unnamed.c: see unnamed.h. */
#include "cli/trace/unnamed.h"

#include <errno.h>
#include <string.h>

#include "base/debug.h"
#include "cli/cli.h"
#include "cli/trace/target_private.h"
#include "kernel/process/process_source.h"
#include "kernel/watch/launch.h"
#include "program/timer_probe.h"
#include "source/merge.h"

/* Whether a provider is that name with the number of a process, or a pattern for such numbers. */
static bool is_numbered(const char *provider, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(provider, name, length) &&
		provider[length + strspn(provider + length, "0123456789-*?[]")] == '\0';
}

/*
 * Whether no process's own probes are asked of the kernel: those of provider vm come by streams
 * only, and others belong to no process.
 */
static bool is_of_others(const struct d_asked *asked)
{
	return timer_is_profile(asked) || !strcmp(asked->provider, "syscall") ||
		is_numbered(asked->provider, "vm");
}

/* The first description for which the kernel is needed; NULL: there is none. */
static const struct d_asked *needs_kernel(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (!is_of_others(&targets->asked[i]))
			return &targets->asked[i];
	return NULL;
}

/* A description of functions, where no process is named in which they would be; NULL: none is. */
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
		(targets->via == TARGET_VIA_KERNEL ? 0 : SOURCE_KERNEL_HAS_STREAM);
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
		cli_message("%zu process%s not looked at: reading %s files needs the capability "
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
	bool is_wanted = targets->via == TARGET_VIA_KERNEL || asked || targets->lists_all;
	int result;

	if (targets->via == TARGET_VIA_STREAM || targets->arrivals.choice == ARRIVAL_NAMED ||
		!is_wanted)
		return 0;
	if (targets->arrivals.choice == ARRIVAL_ALL && functions)
		return error_set(error, EINVAL,
			"%s:%s:%s:%s: the functions of every process cannot be probed; name the "
			"process: pid$target with -p or -c",
			functions->provider, functions->module, functions->function,
			functions->name);
	targets->kernel_first = set->count;
	if (targets->arrivals.choice == ARRIVAL_ALL)
		result = open_all(targets, set, error);
	else
		result = source_kernel_new(set, KERNEL_SCOPE_FAMILY, targets->asked,
			targets->asked_count, &targets->kernel, error);
	if (!result || targets->via == TARGET_VIA_KERNEL)
		return result;
	if (targets->lists_all)
		cli_message("only event streams are looked at, since %s", error->text);
	else if (asked)
		cli_message("%s:%s:%s:%s: only event streams are looked at, since %s",
			asked->provider, asked->module, asked->function, asked->name, error->text);
	return 0;
}

static unsigned flags_of(const struct targets *targets, const struct target *target)
{
	return (target->command.words ? SOURCE_KERNEL_OURS : 0) |
		(targets->via == TARGET_VIA_KERNEL ? 0 : SOURCE_KERNEL_HAS_STREAM) |
		(targets->may_miss || target->command.words ? SOURCE_KERNEL_MAY_MISS : 0);
}

/*
 * Starts a command, stopped where its own code begins if the kernel traces it. One that serves a
 * stream itself goes on at once, and waits for us.
 */
static int start_command(struct targets *targets, struct target *target, struct error *error)
{
	unsigned wait = targets->via == TARGET_VIA_KERNEL ? CHILD_WAIT_NONE : CHILD_WAIT_ALL;
	int result = target_start_program(
		targets, target, wait | (targets->kernel ? CHILD_STOPPED : 0), error);

	if (result || !targets->kernel)
		return result;
	if (!target->child.stops)
		return error_set(error, EPERM,
			"the system allows no ptrace(), by which a command is stopped until its "
			"probes are attached");
	result = kernel_launch(target->child.pid, error);
	if (result == -ESRCH && child_poll(&target->child))
		return 0;
	target->held = result != -ECHILD;
	if (!result)
		result = source_kernel_add(
			targets->kernel, target->pid, flags_of(targets, target), error);
	if (!result && source_kernel_leaves(targets->kernel))
		result = target_continue(targets, error);
	return result;
}

static int open_target(struct targets *targets, struct target *target, struct error *error)
{
	int result = target->command.words ? start_command(targets, target, error) : 0;

	if (!result && !target->command.words && targets->kernel)
		result = source_kernel_add(
			targets->kernel, target->pid, flags_of(targets, target), error);
	return result ? result : target_watch_process(targets, target, error);
}

int unnamed_open(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	int result = open_kernel(targets, set, error);
	struct merge_part part;
	size_t number;

	for (size_t i = 0; i < targets->count && !result; i++)
		result = open_target(targets, &targets->items[i], error);
	part = (struct merge_part){
		targets->kernel, (uint32_t)targets->kernel_first, (uint32_t)set->count};
	if (!result)
		result = arrival_open(targets, set, error);
	if (!result && targets->kernel)
		result = source_merge_add(targets->source, &part, 0, &number, error);
	if (result) {
		source_close(targets->kernel);
		targets->kernel = NULL;
		return result;
	}
	if (targets->count && !targets->arrivals.first && !targets->kernel &&
		arrival_is_over(targets))
		error_set(&targets->items[0].missing, ENOENT,
			"process %u, and what it has started, have ended without serving an event "
			"stream",
			(unsigned int)targets->items[0].pid);
	return 0;
}
