/*
 * targets.c: see targets.h. target_groups.c has everything that depends on the kind of group. This
 * file keeps the list of targets and notices their ends.
 */
#include "targets/targets.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "kernel/process/process_source.h"
#include "program/probe.h"
#include "source/merge.h"
#include "targets/code_joins.h"
#include "targets/find/sweep.h"
#include "targets/target_kinds.h"
#include "targets/targets_private.h"
#include "usdt/process/process_info.h"

const struct target target_none = {
	.kind = TARGET_PID, .process = {.watched = -1, .child = {.descriptor = -1, .line = -1}}};

static const struct targets targets_none = {
	.vms = {.wait = -1}, .runtimes = {.watch = -1}, .ends = -1};

int target_add(struct targets *targets, const struct target *target)
{
	if (array_room(
		    &targets->items, &targets->capacity, targets->count, sizeof(*targets->items)))
		return -ENOMEM;
	targets->items[targets->count++] = *target;
	return 0;
}

uint64_t target_patience(const struct targets *targets, uint64_t most)
{
	uint64_t left =
		targets->patience > targets->waited ? targets->patience - targets->waited : 0;

	return targets->patience && left < most ? left : most;
}

int targets_init(struct targets *targets, const struct target_spec *spec,
	const struct target_reports *reports)
{
	int result = 0;

	*targets = targets_none;
	targets->spec = spec;
	targets->reports = *reports;
	targets->group = spec->log ? TARGET_GROUP_RECORDING
		: spec->name       ? TARGET_GROUP_NAMED
		: spec->follows    ? TARGET_GROUP_FAMILY
				   : TARGET_GROUP_LISTED;
	for (size_t i = 0; i < spec->count && !result; i++) {
		struct target target = target_none;

		target.process.pid = spec->items[i].pid;
		target.command = spec->items[i].command;
		target.socket = spec->items[i].socket;
		target.kind = spec->items[i].kind;
		result = target_add(targets, &target);
	}
	return result;
}

int targets_add(struct targets *targets, uint32_t pid)
{
	struct target target = target_none;

	target.process.pid = pid;
	return target_add(targets, &target);
}

void targets_take_all(struct targets *targets)
{
	targets->group = TARGET_GROUP_ALL;
}

bool targets_are_given(const struct targets *targets)
{
	return targets->count || targets->group != TARGET_GROUP_LISTED;
}

int targets_start(struct targets *targets, struct error *error)
{
	int result = 0;

	descriptor_limit_raise(&targets->descriptors);
	if (targets->group == TARGET_GROUP_FAMILY)
		child_adopt();
	for (size_t i = 0; i < targets->count && !result; i++) {
		struct target *target = &targets->items[i];
		if (!target_is_started(target))
			continue;
		result = target_process_create(
			&target->process, target->command.words, &targets->descriptors, error);
		if (!result)
			debug_say(DEBUG_TARGET, "command '%s' is process %u",
				target->command.words[0], (unsigned int)target->process.pid);
	}
	return result;
}

uint32_t targets_pid(const struct targets *targets)
{
	if (targets->group == TARGET_GROUP_RECORDING)
		return targets->source ? targets->source->process.pid : 0;
	return targets->count ? targets->items[0].process.pid : targets->vms.first;
}

/* ---- ends ---- */

/* Watches the descriptor that reports a target's end. Without one, the target has to be polled. */
static void watch_end(struct targets *targets, int descriptor)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (targets->ends < 0)
		targets->ends = epoll_create1(EPOLL_CLOEXEC);
	if (descriptor < 0 || epoll_ctl(targets->ends, EPOLL_CTL_ADD, descriptor, &event))
		targets->asks = true;
}

int target_watch_process(struct targets *targets, struct target *target, struct error *error)
{
	int result;

	target->is_watched = true;
	if (target_is_started(target))
		return 0;
	result = target_process_find(&target->process, error);
	if (!result)
		watch_end(targets, target_process_descriptor(&target->process));
	return result;
}

bool targets_poll(struct targets *targets)
{
	bool all = true;

	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->items[i];
		int descriptor = target_process_descriptor(&target->process);
		bool ended;

		if (target->process.state == TARGET_ENDED ||
			(!target_is_started(target) && !target->is_watched))
			continue;
		ended = target_process_poll(&target->process);
		if (ended && descriptor >= 0)
			epoll_ctl(targets->ends, EPOLL_CTL_DEL, descriptor, NULL);
		all &= ended;
	}
	return all;
}

int target_start_program(
	struct targets *targets, struct target *target, unsigned wait, struct error *error)
{
	bool is_first = target_process_is_unstarted(&target->process);
	int result = target_process_start(&target->process, target->command.words, wait, error);

	if (is_first && !result)
		watch_end(targets, target_process_descriptor(&target->process));
	return result;
}

void targets_enabled(struct targets *targets)
{
	/* A further runtime is the process of the target before it. */
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].kind != TARGET_RUNTIME)
			target_process_enabled(&targets->items[i].process);
}

int targets_release(struct targets *targets, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < targets->count && !result; i++)
		if (target_is_started(&targets->items[i]))
			result = target_start_program(
				targets, &targets->items[i], CHILD_WAIT_NONE, error);
	return result;
}

int targets_resume(struct targets *targets, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < targets->count && !result; i++)
		result = target_process_resume(&targets->items[i].process, error);
	return result;
}

int targets_watch(struct targets *targets, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < targets->count && !result; i++)
		result = target_watch_process(targets, &targets->items[i], error);
	return result;
}

const struct error *targets_missing(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].missing.text[0])
			return &targets->items[i].missing;
	return NULL;
}

bool targets_leave_missing(struct targets *targets)
{
	bool has_others = false;

	for (size_t i = 0; i < targets->count && targets->group == TARGET_GROUP_LISTED; i++)
		has_others |= !*targets->items[i].missing.text;
	for (size_t i = 0; i < targets->count && has_others; i++) {
		struct target *target = &targets->items[i];

		if (!*target->missing.text)
			continue;
		/* its end still matters if samples or system calls of it may be traced */
		target_tell(targets, "%s%s", target->missing.text,
			targets->has_machine ? "" : "; nothing of it is traced");
		if (targets->has_machine)
			continue;
		target->is_watched = false;
		target->is_reported = true;
	}
	return has_others;
}

bool targets_have_children(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].missing.text[0])
			return child_has_children(&targets->items[i].process.child);
	return false;
}

int targets_add_samples(struct targets *targets, const struct d_asked *asked, size_t asked_count,
	struct d_probe_set *set, struct error *error)
{
	struct source *source = targets->source;

	if (targets->group == TARGET_GROUP_RECORDING)
		return source_log_add_samples(source, set, asked, asked_count, error);
	if (!source || source->kind != SOURCE_KIND_STREAM || targets_may_join(targets) ||
		targets->parts > 1 || (targets->samples_in_streams && targets->asked_count))
		return 0;
	return source_stream_add_samples(source, set, asked, asked_count, error);
}

/* ---- joining ---- */

bool targets_may_join(const struct targets *targets)
{
	return target_group_methods(targets)->is_open_ended;
}

bool targets_are_empty(const struct targets *targets)
{
	return targets_may_join(targets) && !source_merge_live(targets->source) &&
		!targets->vms.first && !targets_missing(targets);
}

void targets_join_code(struct targets *targets, const struct target_joiner *joiner)
{
	code_joins_take(targets, joiner);
}

void targets_join(struct targets *targets, const struct target_joiner *joiner)
{
	if (target_group_methods(targets)->join)
		target_group_methods(targets)->join(targets, joiner);
}

int targets_descriptor(const struct targets *targets)
{
	const struct target_group_methods *methods = target_group_methods(targets);

	return methods->descriptor ? methods->descriptor(targets) : -1;
}

uint64_t targets_due(const struct targets *targets)
{
	const struct target_group_methods *methods = target_group_methods(targets);

	return methods->due ? methods->due(targets) : UINT64_MAX;
}

bool targets_are_live(const struct targets *targets)
{
	return targets->source &&
		(!targets_may_join(targets) || source_merge_live(targets->source));
}

bool targets_must_poll(const struct targets *targets)
{
	/* a kernel source does not report that the last process it follows has ended */
	return targets->group == TARGET_GROUP_FAMILY &&
		(!targets_are_live(targets) || targets->kernel);
}

bool targets_are_silent(const struct targets *targets, uint64_t heard, uint64_t since)
{
	const struct source *source = targets->source;

	if (targets->parts > 1 || targets_may_join(targets))
		return source_merge_is_silent(source, since);
	return source->kind == SOURCE_KIND_STREAM &&
		(heard < since || process_info_is_stopped(source->process.pid));
}

void targets_let_go(struct targets *targets)
{
	if (targets->kernel)
		source_kernel_release(targets->kernel);
}

void targets_settle(struct targets *targets)
{
	if (targets_may_join(targets))
		source_merge_settle(targets->source);
}

/* ---- the end ---- */

__attribute__((format(printf, 2, 3))) static void tell_end_text(
	const struct targets *targets, const char *format, ...)
{
	char text[128];
	va_list arguments;

	if (!targets->reports.end)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	targets->reports.end(text);
}

static void tell_end(const struct targets *targets, const struct target *target,
	enum source_state state, const struct error *reason, bool quiet)
{
	const struct child *child = &target->process.child;
	bool is_killed = child->ended && WIFSIGNALED(child->status);
	const char *name;

	/* If the signal is reported, it explains the broken stream. */
	if (state == SOURCE_BROKEN && (!is_killed || quiet))
		target_tell(targets, "%s", reason->text);
	if (quiet)
		return;
	if (!child->pid && state == SOURCE_ENDED && !target->is_watched) {
		tell_end_text(targets, "pid %u has ended its event stream",
			(unsigned int)target->process.pid);
	} else if (is_killed) {
		name = sigabbrev_np(WTERMSIG(child->status));
		tell_end_text(
			targets, "pid %d terminated by SIG%s", (int)child->pid, name ? name : "?");
	} else if (child->ended || target->is_watched) {
		tell_end_text(targets, "pid %u has exited", (unsigned int)target->process.pid);
	}
}

void targets_report_ends(
	struct targets *targets, enum source_state state, const struct error *reason, bool quiet)
{
	bool going_on = state == SOURCE_MORE;

	if (going_on && targets->count < 2 && !targets_may_join(targets))
		return;
	if (targets->group == TARGET_GROUP_RECORDING && state == SOURCE_BROKEN)
		target_tell(targets, "%s", reason->text);
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->items[i];
		enum source_state own = state;
		const struct error *own_reason = reason;
		bool ended = !going_on;

		if (target->is_reported)
			continue;
		if (target->is_watched)
			ended = target->process.state == TARGET_ENDED, own = SOURCE_ENDED;
		else if (targets->parts > 1)
			ended = source_merge_ended(
				targets->source, target->part, &own, &own_reason);
		/* A command may run a little longer than its stream. */
		if (!ended ||
			(target_is_started(target) && !child_poll(&target->process.child) &&
				going_on))
			continue;
		tell_end(targets, target, own, own_reason, quiet);
		target->is_reported = true;
	}
}

void targets_end(struct targets *targets)
{
	vm_joins_end(targets);
}

void targets_close(struct targets *targets)
{
	bool adopts = targets->group == TARGET_GROUP_FAMILY;

	source_close(targets->source);
	vm_joins_close(&targets->vms);
	runtime_joins_close(&targets->runtimes);
	for (size_t i = 0; i < targets->count; i++)
		if (target_process_end(&targets->items[i].process))
			sweep_sockets(targets->items[i].path[0] ? targets->items[i].path : NULL);
	if (adopts) {
		if (child_adopted())
			child_end_adopted();
		/* Those that ended before may have been killed: the terminal's ^C reaches them,
		 * too. */
		sweep_sockets(NULL);
	}
	if (targets->ends >= 0)
		close(targets->ends);
	free(targets->items);
	free(targets->asked);
	d_probe_set_free(&targets->unsuited);
	descriptor_limit_restore(&targets->descriptors);
	*targets = targets_none;
}
