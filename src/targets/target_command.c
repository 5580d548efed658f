/*
 * target_command.c: see target_command.h. A command that the kernel traces is held before its own
 * code runs, and at each program and library that it loads until one suits. A command that serves a
 * stream waits for us in its library instead.
 */
#include "targets/target_command.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "kernel/process/process_source.h"
#include "kernel/watch/launch.h"
#include "program/probe.h"
#include "targets/kernel_need.h"
#include "targets/program_hope.h"
#include "targets/target_kernel.h"
#include "targets/target_kinds.h"

enum {
	CHILD_WAIT_MS = 10000, /* for a command to start serving its event stream */
	STEP_MS = 10,          /* between two checks whether a command serves one */
	UNSUITED_MAX = 10000   /* probes that are kept to suggest one */
};

/* Ways to trace a command's present program. */
enum program_use {
	PROGRAM_UNSUITED,
	PROGRAM_SERVES, /* it will serve a stream */
	PROGRAM_IS_OPEN /* the kernel delivers its events */
};

/* Returns whether a description is of the pid provider, which only the kernel has. */
static bool asks_pid(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (!strncmp(targets->asked[i].provider, "pid", 3))
			return true;
	return false;
}

/* Keeps the probes of a program that nothing describes. If memory runs out, there is less to
 * suggest. */
static void keep_unsuited(struct targets *targets, const struct d_probe_set *set, size_t first)
{
	struct d_probe_set *unsuited = &targets->unsuited;

	if (!targets->asked_count || targets->may_miss ||
		(!unsuited->count && d_probe_set_init(unsuited)))
		return;
	for (size_t i = first; i < set->count && unsuited->count < UNSUITED_MAX; i++)
		d_probe_set_add(unsuited, &set->probes[i]);
}

/*
 * Called when the command has no stream either: puts its programs' probes into the set, where no
 * description matches them, so that the compiler can suggest what was meant.
 */
static void show_unsuited(struct targets *targets, struct d_probe_set *set)
{
	for (size_t i = 0; i < targets->unsuited.count; i++)
		if (targets->unsuited.probes[i].kind == D_PROBE_SOURCE)
			d_probe_set_add(set, &targets->unsuited.probes[i]);
}

/*
 * Lets the kernel deliver the events of a command that is stopped, unless it can deliver nothing
 * that the scripts describe, or the command will serve a stream.
 */
static int open_stopped(struct targets *targets, struct target *target, struct d_probe_set *set,
	enum program_use *use, struct error *error)
{
	bool by_kernel = targets->spec->via == TARGET_VIA_KERNEL, is_due = asks_pid(targets), suits;
	size_t before = set->count;
	int result = target_add_to_kernel(targets, target, set, error);

	suits = is_due || (by_kernel && (targets->may_miss || !targets->asked_count)) ||
		(!result && target_names_provider(targets, set, before));
	for (size_t i = 0; i < targets->asked_count && !result; i++)
		suits |= target_is_matched(set, before, &targets->asked[i]);
	*use = PROGRAM_UNSUITED;
	if (!result && !by_kernel && !is_due && target_is_started(target) &&
		source_kernel_has_runtime(targets->kernel))
		*use = PROGRAM_SERVES;
	else if (!result && suits)
		*use = PROGRAM_IS_OPEN;
	if (*use == PROGRAM_IS_OPEN)
		return target_watch_process(targets, target, error);
	if (!result)
		source_kernel_remove_last(targets->kernel);
	if (*use == PROGRAM_UNSUITED)
		keep_unsuited(targets, set, before);
	d_probe_set_cut(set, before);
	return by_kernel || is_due ? result : 0;
}

/* Returns false if it is known that what a command executes now will neither serve a stream nor
 * load a library that the scripts describe. */
static bool may_suit(const struct targets *targets, const struct target *target)
{
	char path[PATH_MAX];

	return !program_of_process(target->process.pid, path) || program_may_serve(path) ||
		kernel_need_has_site(targets, target, path);
}

/* Opens the stream of a command, which may take so long to serve it. */
static int await_stream(struct targets *targets, struct target *target, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error)
{
	const uint64_t begun = clock_monotonic();
	const uint64_t left = target_patience(targets, (uint64_t)wait_ms * CLOCK_NS_PER_MS);
	int result = target_open_own_stream(
		targets, target, (int)(left / CLOCK_NS_PER_MS), set, source, error);

	targets->waited += clock_monotonic() - begun;
	return result;
}

/*
 * Lets a command whose first program is not suitable run until it has a program or a library with
 * probes that the scripts describe, or serves a stream. It is stopped at each program and library.
 * If that takes too long, or is known not to come, it runs on untraced.
 */
static int await_program(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, enum program_use *use, struct error *error)
{
	const uint64_t begun = clock_monotonic();
	const uint64_t limit = begun + target_patience(targets, CHILD_WAIT_MS * CLOCK_NS_PER_MS);
	bool may_come = may_suit(targets, target);
	struct kernel_steps *steps;
	int result = kernel_steps_begin(target->process.child.pid, &steps, error), wait_ms;

	if (result && targets->spec->via == TARGET_VIA_KERNEL)
		return result;
	result = targets_resume(targets, error);
	while (may_come && steps && !result && !*source && *use == PROGRAM_UNSUITED &&
		!target_process_is_gone(&target->process) && clock_monotonic() < limit) {
		if (kernel_steps_next(steps, STEP_MS)) {
			target_process_stepped(&target->process);
			may_come = may_suit(targets, target);
			result = open_stopped(targets, target, set, use, error);
			if (!result && *use != PROGRAM_IS_OPEN)
				result = targets_resume(targets, error);
		} else if (targets->spec->via != TARGET_VIA_KERNEL) {
			result = target_open_stream(
				targets, target->process.pid, NULL, 0, set, source, error);
			if (result == -ENOENT || result == -ESRCH)
				result = 0;
		}
	}
	kernel_steps_end(steps);
	targets->waited += clock_monotonic() - begun;
	if (*source)
		source_stream_path(*source, target->path, sizeof(target->path));
	if (result || *source || *use == PROGRAM_IS_OPEN)
		return result;
	if (targets->spec->via == TARGET_VIA_KERNEL)
		return target_watch_process(targets, target, error);
	wait_ms = *use == PROGRAM_SERVES || target_process_is_gone(&target->process) ? CHILD_WAIT_MS
		: !may_come ? PROGRAM_END_MS
			    : 0;
	result = await_stream(targets, target, wait_ms, set, source, error);
	if (!result && !*source)
		show_unsuited(targets, set);
	return result;
}

int target_start_command(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	bool by_kernel = targets->spec->via == TARGET_VIA_KERNEL;
	bool asks = targets->spec->via != TARGET_VIA_STREAM && kernel_is_allowed(error);
	/* A stream is not opened if the kernel delivers the command's events from its first
	 * instruction on. The command would wait for its client for ever. */
	unsigned wait =
		by_kernel || (asks && asks_pid(targets)) ? CHILD_WAIT_NONE : CHILD_WAIT_ITSELF;
	enum program_use use = PROGRAM_SERVES;
	const struct d_asked *need = NULL, *streamed = NULL;
	bool may_serve = true;
	int result;

	if (!asks && targets->spec->via != TARGET_VIA_STREAM)
		need = by_kernel ? kernel_need_first(targets, set)
				 : kernel_need_all(targets, target, &streamed);
	if (need)
		return target_refuse(need, error);
	if (by_kernel && !asks)
		return -EPERM;
	if (streamed)
		target_tell_stream_only(targets, streamed, error);
	if (!asks)
		may_serve = program_may_serve(target->command.words[0]);
	result = target_start_program(targets, target, wait | (asks ? CHILD_STOPPED : 0), error);
	if (!result && asks && !target->process.child.stops && by_kernel)
		return error_set(error, EPERM,
			"the system allows no ptrace(), by which a command is stopped until its "
			"probes are attached");
	if (!result && target->process.child.stops) {
		result = target_process_launch(&target->process, error);
		if (result == -ECHILD)
			return result;
		if (!result)
			result = open_stopped(targets, target, set, &use, error);
		else if (!target_process_is_held(&target->process) || !by_kernel)
			result = 0;
		if (!result && use == PROGRAM_UNSUITED)
			return await_program(targets, target, set, source, &use, error);
		if (!result && use != PROGRAM_IS_OPEN)
			result = targets_resume(targets, error);
	}
	if (result || use == PROGRAM_IS_OPEN)
		return result;
	if (by_kernel)
		return target_watch_process(targets, target, error);
	return await_stream(
		targets, target, may_serve ? CHILD_WAIT_MS : PROGRAM_END_MS, set, source, error);
}
