/* target.c: see target.h. */
#include "cli/trace/target.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/debug.h"
#include "base/pattern.h"
#include "cli/cli.h"
#include "cli/trace/accompanying.h"
#include "cli/trace/kernel_need.h"
#include "cli/trace/target_private.h"
#include "cli/trace/unnamed.h"
#include "kernel/process/process_source.h"
#include "kernel/watch/launch.h"
#include "source/endpoint.h"
#include "source/merge.h"
#include "source/sweep.h"

enum {
	CHILD_WAIT_MS = 10000, /* for a command to start serving its event stream */
	STEP_MS = 10           /* between two looks whether a command serves one */
};

const struct targets targets_none = {.further = {.watch = -1}, .ends = -1};

int target_add(struct targets *targets, const struct target *target)
{
	struct target *grown =
		realloc(targets->items, (targets->count + 1) * sizeof(*targets->items));

	if (!grown)
		return -ENOMEM;
	targets->items = grown;
	grown[targets->count] = *target;
	grown[targets->count].process = -1;
	grown[targets->count++].child = child_none;
	return 0;
}

int target_start(struct targets *targets, struct error *error)
{
	int result = 0;

	descriptor_limit_raise(&targets->descriptors);
	if (targets->arrivals.choice == ARRIVAL_CHILDREN)
		child_adopt();
	for (size_t i = 0; i < targets->count && !result; i++) {
		struct target *target = &targets->items[i];
		if (!target->command.words)
			continue;
		result = child_start(
			&target->child, target->command.words, &targets->descriptors, error);
		if (!result)
			debug_say(DEBUG_TARGET, "command '%s' is process %d",
				target->command.words[0], (int)target->child.pid);
		target->pid = (uint32_t)target->child.pid;
	}
	return result;
}

uint32_t target_pid(const struct targets *targets)
{
	if (targets->log)
		return targets->source ? targets->source->process.pid : 0;
	return targets->count ? targets->items[0].pid : targets->arrivals.first;
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
	struct endpoint_process process;
	int result = 0;

	target->watched = true;
	if (target->command.words)
		return 0;
	target->process = child_process((pid_t)target->pid);
	result = endpoint_process(target->pid, &process, error);
	if (!result && process.exited)
		result = error_set(error, ESRCH, "process %u (%s) has ended",
			(unsigned int)target->pid, process.name);
	if (!result)
		watch_end(targets, target->process);
	return result;
}

static bool has_ended(const struct target *target)
{
	struct pollfd wait = {.fd = target->process, .events = POLLIN};
	struct endpoint_process process;
	struct error error;

	if (target->process >= 0)
		return poll(&wait, 1, 0) > 0;
	return endpoint_process(target->pid, &process, &error) || process.exited;
}

bool target_poll(struct targets *targets)
{
	bool all = true;

	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->items[i];
		int descriptor = target->command.words ? target->child.descriptor : target->process;

		if (target->ended || (!target->command.words && !target->watched))
			continue;
		target->ended =
			target->command.words ? child_poll(&target->child) : has_ended(target);
		if (target->ended && descriptor >= 0)
			epoll_ctl(targets->ends, EPOLL_CTL_DEL, descriptor, NULL);
		all &= target->ended;
	}
	return all;
}

/* ---- starting and opening ---- */

int target_start_program(
	struct targets *targets, struct target *target, unsigned wait, struct error *error)
{
	bool held = target->child.line >= 0;
	int result = child_release(&target->child, target->command.words, wait, error);

	if (held && !result)
		watch_end(targets, target->child.descriptor);
	return result;
}

int target_release(struct targets *targets, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < targets->count && !result; i++)
		if (targets->items[i].command.words)
			result = target_start_program(
				targets, &targets->items[i], CHILD_WAIT_NONE, error);
	return result;
}

int target_watch(struct targets *targets, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < targets->count && !result; i++)
		result = target_watch_process(targets, &targets->items[i], error);
	return result;
}

const struct error *target_missing(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].missing.text[0])
			return &targets->items[i].missing;
	return NULL;
}

bool target_has_children(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].missing.text[0])
			return child_has_children(&targets->items[i].child);
	return false;
}

/* ---- the kernel ---- */

bool target_is_matched(const struct d_probe_set *set, size_t first, const struct d_asked *asked)
{
	for (size_t i = first; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if (probe->kind == D_PROBE_SOURCE && !probe->is_absent &&
			pattern_match(asked->name, probe->name) &&
			pattern_match(asked->provider, probe->provider) &&
			d_probe_matches_function(probe, asked->function) &&
			d_probe_matches_module(probe, asked->module))
			return true;
	}
	return false;
}

bool target_lacks(
	const struct targets *targets, const struct d_probe_set *set, const struct d_asked *asked)
{
	if (target_is_matched(set, 0, asked))
		return false;
	for (size_t i = 0; i < targets->asked_count && asked->is_optional; i++)
		if (targets->asked[i].is_optional && target_is_matched(set, 0, &targets->asked[i]))
			return false;
	return true;
}

/* Whether the description is of a probe that the stream knows, and that the target cannot fire. */
static bool is_siteless(const struct d_probe_set *set, const struct d_asked *asked)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if (probe->is_siteless && pattern_match(asked->name, probe->name) &&
			pattern_match(asked->provider, probe->provider))
			return true;
	}
	return false;
}

/* Whether the target's probes are also asked of the kernel. */
static bool wants_kernel(
	const struct targets *targets, const struct target *target, const struct d_probe_set *set)
{
	if (target->further || target->socket || target->held || targets->via == TARGET_VIA_STREAM)
		return false;
	if (targets->via == TARGET_VIA_KERNEL || *target->missing.text || targets->lists_all)
		return true;
	for (size_t i = 0; i < targets->asked_count; i++)
		if (target_lacks(targets, set, &targets->asked[i]))
			return true;
	return false;
}

/* Says why the first description that the target's stream does not satisfy gets no probes. */
static void tell_refusal(const struct targets *targets, const struct target *target,
	const struct d_probe_set *set, const struct error *reason)
{
	for (size_t i = 0; i < targets->asked_count; i++) {
		const struct d_asked *asked = &targets->asked[i];

		if (!target_lacks(targets, set, asked) || is_siteless(set, asked))
			continue;
		cli_message("%s:%s:%s:%s: the event stream of process %u has no such probe, and %s",
			asked->provider, asked->module, asked->function, asked->name,
			(unsigned int)target->pid, reason->text);
		return;
	}
}

/* Whether any probe of the set from this one on is described, or may be by its number. */
static bool is_of_use(const struct targets *targets, const struct d_probe_set *set, size_t first)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (target_is_matched(set, first, &targets->asked[i]))
			return true;
	return !targets->asked_count;
}

/* Whether a description names a provider of the set's probes from this one on, without wildcards.
 */
static bool names_provider(
	const struct targets *targets, const struct d_probe_set *set, size_t first)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		for (size_t j = first; j < set->count; j++)
			if (!strcmp(targets->asked[i].provider, set->probes[j].provider))
				return true;
	return false;
}

/* Adds a process to those whose events the kernel delivers. */
static int add_to_kernel(struct targets *targets, const struct target *target,
	struct d_probe_set *set, struct error *error)
{
	int result = 0;

	if (!targets->kernel) {
		targets->kernel_first = set->count;
		result = source_kernel_new(set, KERNEL_SCOPE_NAMED, targets->asked,
			targets->asked_count, &targets->kernel, error);
	}
	return result ? result
		      : source_kernel_add(targets->kernel, target->pid,
				(target->command.words ? SOURCE_KERNEL_OURS : 0) |
					(*target->path ? SOURCE_KERNEL_HAS_STREAM : 0) |
					(targets->may_miss ? SOURCE_KERNEL_MAY_MISS : 0),
				error);
}

/* The kernel refuses what is needed for a description; the reason is in error. */
static int refuse(const struct d_asked *asked, struct error *error)
{
	struct error reason = *error;

	return error_set(error, EPERM, "%s:%s:%s:%s: %.800s", asked->provider, asked->module,
		asked->function, asked->name, reason.text);
}

/* Whether a script describes functions of the target, which no event stream can deliver. */
static bool names_function(const struct targets *targets, const struct target *target)
{
	char provider[24];
	bool found = false;

	snprintf(provider, sizeof(provider), "pid%" PRIu32, target->pid);
	for (size_t i = 0; i < targets->asked_count && !found; i++)
		found = !strcmp(targets->asked[i].provider, provider);
	return found;
}

/*
 * Asks the kernel for a target's probes that its stream does not have. A failure is only one if
 * nothing else delivers the target's events.
 */
static int open_kernel(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct error *error)
{
	size_t before = set->count;
	const struct d_asked *need;
	bool is_useful;
	int result = add_to_kernel(targets, target, set, error);

	need = result == -EPERM ? kernel_need_first(targets, set) : NULL;
	if (need && (targets->via == TARGET_VIA_KERNEL || *target->missing.text))
		refuse(need, error);
	if (result &&
		(targets->via == TARGET_VIA_KERNEL ||
			(result != -EPERM && result != -ENOTSUP && !targets->may_miss &&
				names_function(targets, target))))
		return result;
	if ((result == -EPERM || result == -ENOTSUP) && *target->missing.text) {
		struct error missing = target->missing;
		error_set(&target->missing, -result, "%.400s; %.500s", missing.text, error->text);
	} else if (result == -EPERM || result == -ENOTSUP) {
		tell_refusal(targets, target, set, error);
	}
	is_useful = targets->via == TARGET_VIA_KERNEL ||
		(set->count > before && is_of_use(targets, set, before));
	/* A provider of the target is named: the compiler says what was meant. */
	if (!result && targets->count == 1 && names_provider(targets, set, before))
		is_useful = true;
	/* So it does if there is no stream: of the probes that the target has, or has not. */
	if (!result && !is_useful && !targets->may_miss &&
		!(targets->count == 1 && *target->missing.text)) {
		source_kernel_remove_last(targets->kernel);
		result = -ENOENT;
	}
	if (result)
		d_probe_set_cut(set, before);
	else if (is_useful)
		*target->missing.text = '\0';
	return 0;
}

int target_continue(struct targets *targets, struct error *error)
{
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->items[i];

		if (target->held && kernel_launch_continue(target->child.pid))
			return error_set(error, errno, "process %u cannot be continued: %s",
				(unsigned int)target->pid, strerror(errno));
		target->held = false;
	}
	return 0;
}

/* Whether a description is of the pid provider, which only the kernel has. */
static bool asks_pid(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (!strncmp(targets->asked[i].provider, "pid", 3))
			return true;
	return false;
}

/* What a command's present program is good for. */
enum program_use {
	PROGRAM_UNSUITED,
	PROGRAM_SERVES, /* it will serve a stream */
	PROGRAM_IS_OPEN /* the kernel delivers its events */
};

/*
 * Lets the kernel deliver the events of a command that is stopped, unless it delivers nothing of
 * what the scripts describe, or the command will serve a stream.
 */
static int open_stopped(struct targets *targets, struct target *target, struct d_probe_set *set,
	enum program_use *use, struct error *error)
{
	bool by_kernel = targets->via == TARGET_VIA_KERNEL, is_due = asks_pid(targets), suits;
	size_t before = set->count;
	int result = add_to_kernel(targets, target, set, error);

	suits = is_due || (by_kernel && (targets->may_miss || !targets->asked_count)) ||
		(!result && names_provider(targets, set, before));
	for (size_t i = 0; i < targets->asked_count && !result; i++)
		suits |= target_is_matched(set, before, &targets->asked[i]);
	*use = PROGRAM_UNSUITED;
	if (!result && !by_kernel && !is_due && target->command.words &&
		source_kernel_has_runtime(targets->kernel))
		*use = PROGRAM_SERVES;
	else if (!result && suits)
		*use = PROGRAM_IS_OPEN;
	if (*use == PROGRAM_IS_OPEN)
		return target_watch_process(targets, target, error);
	if (!result)
		source_kernel_remove_last(targets->kernel);
	d_probe_set_cut(set, before);
	return by_kernel || is_due ? result : 0;
}

/* Adds to a stream the probes profile-n if streams give them. */
static int add_samples(const struct targets *targets, struct source *source,
	struct d_probe_set *set, struct error *error)
{
	return targets->samples_in_streams ? source_stream_add_samples(source, set, targets->asked,
						     targets->asked_count, error)
					   : 0;
}

int target_declare_stream(const struct targets *targets, struct source *source,
	struct d_probe_set *set, struct error *error)
{
	int result = source_stream_declare(source, set, error);

	if (!result)
		result = add_samples(targets, source, set, error);
	if (result && result != -EAGAIN && result != -ETIMEDOUT)
		source_close(source);
	return result;
}

int target_open_stream(const struct targets *targets, uint32_t pid, const char *socket, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error)
{
	int result = source_stream_open(pid, socket, wait_ms, set, source, error);

	if (result)
		return result;
	result = add_samples(targets, *source, set, error);
	if (result) {
		source_close(*source);
		*source = NULL;
	}
	return result;
}

/* Opens the stream of a target; *source is NULL if it has none, and why that is in target. */
static int open_stream(struct targets *targets, struct target *target, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error)
{
	int result = target_open_stream(
		targets, target->pid, target->socket, wait_ms, set, source, error);

	if (!result) {
		target->pid = (*source)->process.pid;
		source_stream_path(*source, target->path, sizeof(target->path));
	}
	if (!target->socket &&
		(result == -ENOENT ||
			(target->command.words && result == -ESRCH &&
				child_poll(&target->child)))) {
		target->missing = *error;
		return target_watch_process(targets, target, error);
	}
	return result;
}

/*
 * A command whose first program does not suit goes on, until it has a program or a library with
 * probes that the scripts describe, or serves a stream. It is stopped at each one. If that takes
 * too long, it goes on, untraced.
 */
static int await_program(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, enum program_use *use, struct error *error)
{
	uint64_t limit = clock_monotonic() + CHILD_WAIT_MS * CLOCK_NS_PER_MS;
	struct kernel_steps *steps;
	int result = kernel_steps_begin(target->child.pid, &steps, error), wait_ms;

	if (result && targets->via == TARGET_VIA_KERNEL)
		return result;
	result = target_continue(targets, error);
	while (steps && !result && !*source && *use == PROGRAM_UNSUITED && !has_ended(target) &&
		clock_monotonic() < limit) {
		if (kernel_steps_next(steps, STEP_MS)) {
			target->held = true;
			result = open_stopped(targets, target, set, use, error);
			if (!result && *use != PROGRAM_IS_OPEN)
				result = target_continue(targets, error);
		} else if (targets->via != TARGET_VIA_KERNEL) {
			result = target_open_stream(
				targets, target->pid, NULL, 0, set, source, error);
			if (result == -ENOENT || result == -ESRCH)
				result = 0;
		}
	}
	kernel_steps_end(steps);
	if (*source)
		source_stream_path(*source, target->path, sizeof(target->path));
	if (result || *source || *use == PROGRAM_IS_OPEN)
		return result;
	if (targets->via == TARGET_VIA_KERNEL)
		return target_watch_process(targets, target, error);
	wait_ms = *use == PROGRAM_SERVES || has_ended(target) ? CHILD_WAIT_MS : 0;
	return open_stream(targets, target, wait_ms, set, source, error);
}

/*
 * Starts a command and opens what delivers its events. If the kernel may be asked, it is stopped
 * before its own code runs; it stays so if the kernel is to deliver its events. Otherwise it runs,
 * and its library waits for us.
 */
static int start_command(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	bool by_kernel = targets->via == TARGET_VIA_KERNEL;
	bool asks = targets->via != TARGET_VIA_STREAM && kernel_is_allowed(error);
	/* A stream is not opened if the kernel delivers the command's events from its first
	 * instruction on. The command would wait for its client for ever. */
	unsigned wait =
		by_kernel || (asks && asks_pid(targets)) ? CHILD_WAIT_NONE : CHILD_WAIT_ITSELF;
	enum program_use use = PROGRAM_SERVES;
	const struct d_asked *need = NULL, *streamed = NULL;
	int result;

	if (!asks && targets->via != TARGET_VIA_STREAM)
		need = by_kernel ? kernel_need_first(targets, set)
				 : kernel_need_all(targets, target, &streamed);
	if (need)
		return refuse(need, error);
	if (by_kernel && !asks)
		return -EPERM;
	if (streamed)
		cli_message("%s:%s:%s:%s: only the event stream's probes are traced, since %s",
			streamed->provider, streamed->module, streamed->function, streamed->name,
			error->text);
	result = target_start_program(targets, target, wait | (asks ? CHILD_STOPPED : 0), error);
	if (!result && asks && !target->child.stops && by_kernel)
		return error_set(error, EPERM,
			"the system allows no ptrace(), by which a command is stopped until its "
			"probes are attached");
	if (!result && target->child.stops) {
		result = kernel_launch(target->child.pid, error);
		if (result == -ECHILD)
			return result;
		target->held = result != -ESRCH || !child_poll(&target->child);
		if (!result)
			result = open_stopped(targets, target, set, &use, error);
		else if (!target->held || !by_kernel)
			result = 0;
		if (!result && use == PROGRAM_UNSUITED)
			return await_program(targets, target, set, source, &use, error);
		if (!result && use != PROGRAM_IS_OPEN)
			result = target_continue(targets, error);
	}
	if (result || use == PROGRAM_IS_OPEN)
		return result;
	return by_kernel ? target_watch_process(targets, target, error)
			 : open_stream(targets, target, CHILD_WAIT_MS, set, source, error);
}

/* Opens what delivers a target's events, but for what is asked of the kernel when all are open;
 * *source is NULL if that is no stream. */
static int open_one(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	*source = NULL;
	if (target->command.words)
		return start_command(targets, target, set, source, error);
	if (targets->via == TARGET_VIA_KERNEL)
		return target_watch_process(targets, target, error);
	return open_stream(targets, target, 0, set, source, error);
}

/* Opens the stream at a further socket; *source is NULL if it is not the same process's. */
static int open_further(const struct targets *targets, struct target *target,
	struct d_probe_set *set, struct source **source, struct error *error)
{
	uint32_t pid = target->pid;
	int result = target_open_stream(targets, pid, target->socket_path, 0, set, source, error);

	if (!result && (*source)->process.pid != pid) {
		source_close(*source);
		*source = NULL;
	}
	return 0; /* what cannot be connected to serves no more */
}

static int open_processes(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	struct merge_part *parts, *grown;
	size_t opened = 0;
	int result = 0;

	if (targets->arrivals.choice)
		return unnamed_open(targets, set, error);
	if (!targets->count)
		return 0;
	parts = calloc(targets->count + 1, sizeof(*parts)); /* their streams, and the kernel */
	if (!parts)
		return error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0; i < targets->count && !result; i++) {
		struct merge_part *part = &parts[opened];
		part->first = (uint32_t)set->count;
		if (targets->items[i].further)
			result = open_further(
				targets, &targets->items[i], set, &part->source, error);
		else
			result = open_one(targets, &targets->items[i], set, &part->source, error);
		part->end = (uint32_t)set->count;
		targets->items[i].part = opened;
		opened += part->source != NULL;
		if (!result && part->source && !targets->items[i].further)
			result = further_add(targets, i);
		grown = realloc(parts, (targets->count + 1) * sizeof(*parts));
		parts = grown ? grown : parts;
		result = grown ? result : error_set(error, ENOMEM, "out of memory");
	}
	/* A description may be of another target's stream, so all are opened first. */
	for (size_t i = 0; i < targets->count && !result; i++)
		if (wants_kernel(targets, &targets->items[i], set))
			result = open_kernel(targets, &targets->items[i], set, error);
	if (targets->kernel && (result || !source_kernel_count(targets->kernel))) {
		source_close(targets->kernel);
		targets->kernel = NULL;
	}
	/* Probes of streams may lie among the kernel's, so it is asked after them. */
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
	if (targets->parts)
		further_watch(targets);
	return result;
}

int target_add_samples(struct targets *targets, const struct d_asked *asked, size_t asked_count,
	struct d_probe_set *set, struct error *error)
{
	struct source *source = targets->source;

	if (targets->log)
		return source_log_add_samples(source, set, asked, asked_count, error);
	if (!source || source->kind != SOURCE_KIND_STREAM || targets->arrivals.choice ||
		targets->parts > 1 || (targets->samples_in_streams && targets->asked_count))
		return 0;
	return source_stream_add_samples(source, set, asked, asked_count, error);
}

int target_open(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	struct accompanying all;
	bool alone;
	size_t first;
	int result;

	if (targets->log)
		return source_log_open(targets->log, set, &targets->source, error);
	result = accompanying_open(&all, targets, set, error);
	first = set->count;
	/* These are of all processes, so none need be found; the command's end is waited for. */
	alone = accompanying_is_all(&all, targets);
	if (alone && targets->arrivals.choice == ARRIVAL_CHILDREN)
		targets->arrivals.choice = ARRIVAL_NONE;
	if (!result && alone && !targets->arrivals.choice)
		result = target_watch(targets, error);
	else if (!result)
		result = open_processes(targets, set, error);
	if (!result)
		result = accompanying_join(&all, targets, set, first, error);
	accompanying_close(&all);
	return result;
}

static void tell_end(const struct target *target, enum source_state state,
	const struct error *reason, bool quiet)
{
	const struct child *child = &target->child;
	bool is_killed = child->ended && WIFSIGNALED(child->status);
	const char *name;

	/* The signal explains it, if it is told. */
	if (state == SOURCE_BROKEN && (!is_killed || quiet))
		cli_message("%s", reason->text);
	if (quiet)
		return;
	if (!child->pid && state == SOURCE_ENDED && !target->watched) {
		fprintf(stderr, "dtrace: pid %u has ended its event stream\n",
			(unsigned int)target->pid);
	} else if (is_killed) {
		name = sigabbrev_np(WTERMSIG(child->status));
		fprintf(stderr, "dtrace: pid %d terminated by SIG%s\n", (int)child->pid,
			name ? name : "?");
	} else if (child->ended || target->watched) {
		fprintf(stderr, "dtrace: pid %u has exited\n", (unsigned int)target->pid);
	}
}

void target_tell_ends(
	struct targets *targets, enum source_state state, const struct error *reason, bool quiet)
{
	bool going_on = state == SOURCE_MORE;

	if (targets->log && state == SOURCE_BROKEN)
		cli_message("%s", reason->text);
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->items[i];
		enum source_state own = state;
		const struct error *own_reason = reason;
		bool ended = !going_on;

		if (target->told)
			continue;
		if (target->watched)
			ended = target->ended, own = SOURCE_ENDED;
		else if (targets->parts > 1)
			ended = source_merge_ended(
				targets->source, target->part, &own, &own_reason);
		/* A command may run a little longer than its stream. */
		if (!ended || (target->child.pid && !child_poll(&target->child) && going_on))
			continue;
		tell_end(target, own, own_reason, quiet);
		target->told = true;
	}
}

void target_close(struct targets *targets)
{
	bool adopts = targets->arrivals.choice == ARRIVAL_CHILDREN;

	source_close(targets->source);
	arrival_close(&targets->arrivals);
	further_close(&targets->further);
	for (size_t i = 0; i < targets->count; i++) {
		if (child_end(&targets->items[i].child))
			sweep_sockets(targets->items[i].path[0] ? targets->items[i].path : NULL);
		command_words_free(&targets->items[i].command);
		if (targets->items[i].process >= 0)
			close(targets->items[i].process);
	}
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
	descriptor_limit_restore(&targets->descriptors);
	*targets = targets_none;
}
