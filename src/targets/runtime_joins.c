/*
 * runtime_joins.c: see runtime_joins.h. A socket exists a moment before its owner listens, so a new
 * one is tried several times.
 */
#include "targets/runtime_joins.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/debug.h"
#include "base/error.h"
#include "program/probe.h"
#include "source/merge.h"
#include "source/source.h"
#include "targets/find/endpoint.h"
#include "targets/find/vm_stream.h"
#include "targets/target_kinds.h"
#include "targets/targets_private.h"
#include "usdt/process/process_info.h"

enum {
	ATTEMPTS = 40,  /* a socket exists a moment before its owner listens */
	ATTEMPT_MS = 5, /* between two attempts, or checks of one that is being opened */
	LATE_MS = 200   /* and at one that has not answered in time */
};

static bool runtime_is_known(const struct targets *targets, uint32_t pid, const char *path)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].kind == TARGET_RUNTIME &&
			targets->items[i].process.pid == pid &&
			strcmp(targets->items[i].path, path) == 0)
			return true;
	for (size_t i = 0; i < targets->runtimes.opening_count; i++)
		if (targets->runtimes.opening[i].pid == pid &&
			strcmp(targets->runtimes.opening[i].path, path) == 0)
			return true;
	return false;
}

/* A further runtime of a process, whose end is reported with the process's. */
static struct target runtime_of(uint32_t pid)
{
	struct target target = target_none;

	target.kind = TARGET_RUNTIME;
	target.is_reported = true;
	target.process.pid = pid;
	return target;
}

/* Finds the further sockets of a target that are not targets yet. Returns their number. */
static size_t runtime_find_unknown(const struct targets *targets, size_t index, struct target *list)
{
	const struct target *target = &targets->items[index];
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX];
	struct process_info process;
	size_t count, found = 0;
	struct error ignored;

	if (!target_is_process(target) || !target->path[0] ||
		process_info_read(target->process.pid, &process, &ignored))
		return 0;
	count = endpoint_further(&process, target->path, paths);
	for (size_t i = 0; i < count; i++) {
		if (runtime_is_known(targets, process.pid, paths[i]))
			continue;
		list[found] = runtime_of(process.pid);
		strcpy(list[found++].path, paths[i]);
	}
	return found;
}

int runtime_joins_add(struct targets *targets, size_t index)
{
	struct target list[ENDPOINT_FURTHER_MAX];
	size_t count = runtime_find_unknown(targets, index, list);
	int result = 0;

	for (size_t i = 0; i < count && !result; i++)
		result = target_add(targets, &list[i]);
	return result;
}

void runtime_joins_watch(struct targets *targets)
{
	struct runtime_joins *runtimes = &targets->runtimes;

	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->items[i];
		const char *slash = strrchr(target->path, '/');
		char directory[PATH_MAX];

		if (!target_is_process(target) || !slash)
			continue;
		if (runtimes->watch < 0)
			runtimes->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		snprintf(directory, sizeof(directory), "/proc/%" PRIu32 "/root%.*s",
			target->process.pid, (int)(slash - target->path), target->path);
		if (runtimes->watch >= 0)
			inotify_add_watch(
				runtimes->watch, directory, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	}
	/* one may have started before the watch */
	runtimes->attempts = runtimes->watch >= 0;
}

/* Makes the source of the targets a merge, if it is the only target's own. */
static int become_merge(
	struct targets *targets, const struct target_joiner *joiner, struct error *error)
{
	const struct merge_part only = {targets->source, 0, (uint32_t)joiner->probes->count};
	struct source *merge;
	int result;

	if (targets->parts > 1)
		return 0;
	result = source_merge_new(&only, 1, false, &merge, error);
	if (!result)
		targets->source = merge;
	return result;
}

/* Enables a runtime's probes and merges it. Takes over the source. */
static int runtime_join(struct targets *targets, const struct target_joiner *joiner,
	struct target *target, struct source *source, const struct d_probe_set *own,
	struct error *error)
{
	struct target_joined joined;
	struct merge_part part;
	int result = joiner->enable(joiner->context, source, own, &joined, error);

	target->part = SIZE_MAX;
	if (!result && joined.first == joined.end) {
		source_close(source);
		return target_add(targets, target); /* it is known from now on */
	}
	if (!result)
		result = become_merge(targets, joiner, error);
	part = (struct merge_part){source, joined.first, joined.end};
	if (!result)
		result = source_merge_add(
			targets->source, &part, joined.since, &target->part, error);
	if (result)
		source_close(source);
	else
		targets->parts++;
	return target_add(targets, target) ? -ENOMEM : result;
}

/* Begins to open a runtime. Returns false if no process listens there yet. */
static bool runtime_begin(struct runtime_joins *runtimes, const struct target *target)
{
	struct runtime_opening *opening;
	struct error ignored;

	if (runtimes->opening_count == ENDPOINT_FURTHER_MAX)
		return false;
	opening = &runtimes->opening[runtimes->opening_count];
	*opening = (struct runtime_opening){.pid = target->process.pid};
	strcpy(opening->path, target->path);
	if (vm_stream_start(target->process.pid, opening->path, &opening->source, &ignored))
		return false;
	if (opening->source->process.pid != target->process.pid) { /* another process's by now */
		source_close(opening->source);
		return false;
	}
	runtimes->opening_count++;
	return true;
}

/* Joins a runtime that has declared its events. Returns false if it has not done so yet. */
static bool runtime_take(struct targets *targets, const struct target_joiner *joiner,
	struct runtime_opening *opening)
{
	struct target target = runtime_of(opening->pid);
	struct d_probe_set own = {0};
	struct error error = {""};
	int result = d_probe_set_init(&own);

	if (result)
		source_close(opening->source);
	else
		result = target_declare_stream(targets, opening->source, &own, &error);
	if (!result) {
		debug_say(DEBUG_TARGET, "process %" PRIu32 " serves another stream at %s",
			opening->pid, opening->path);
		strcpy(target.path, opening->path);
		result = runtime_join(targets, joiner, &target, opening->source, &own, &error);
	}
	d_probe_set_free(&own);
	if (result && result != -ECONNRESET && result != -EAGAIN)
		target_tell(targets, "%s", error.text[0] ? error.text : strerror(-result));
	opening->is_late |= result == -ETIMEDOUT;
	return result != -EAGAIN && result != -ETIMEDOUT;
}

/* Returns when to check again; UINT64_MAX: nothing is being opened. */
static uint64_t take_opening(
	struct targets *targets, const struct target_joiner *joiner, uint64_t now)
{
	struct runtime_joins *runtimes = &targets->runtimes;
	uint64_t due = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < runtimes->opening_count; i++) {
		struct runtime_opening *opening = &runtimes->opening[i];
		uint64_t wait = opening->is_late ? LATE_MS : ATTEMPT_MS;
		if (runtime_take(targets, joiner, opening))
			continue;
		due = now + wait * CLOCK_NS_PER_MS < due ? now + wait * CLOCK_NS_PER_MS : due;
		runtimes->opening[kept++] = *opening;
	}
	runtimes->opening_count = kept;
	return due;
}

/* Returns true if a socket has been created in a directory that is watched. */
static bool has_changed(struct runtime_joins *runtimes)
{
	_Alignas(struct inotify_event) char bytes[4096];
	bool result = false;

	while (runtimes->watch >= 0 && read(runtimes->watch, bytes, sizeof(bytes)) > 0)
		result = true;
	return result;
}

void runtime_joins_take(struct targets *targets, const struct target_joiner *joiner)
{
	struct runtime_joins *runtimes = &targets->runtimes;
	struct target list[ENDPOINT_FURTHER_MAX];
	uint64_t now = clock_monotonic();
	size_t known = targets->count, count, left = 0;

	if (has_changed(runtimes)) {
		runtimes->attempts = ATTEMPTS;
		runtimes->due = now;
	}
	if ((!runtimes->attempts && !runtimes->opening_count) || now < runtimes->due)
		return;
	for (size_t i = 0; i < known && runtimes->attempts; i++) {
		count = runtime_find_unknown(targets, i, list);
		for (size_t j = 0; j < count; j++)
			left += !runtime_begin(runtimes, &list[j]);
	}
	runtimes->attempts -= runtimes->attempts > 0;
	if (!left)
		runtimes->attempts = 0;
	runtimes->due = take_opening(targets, joiner, now);
	if (runtimes->attempts && runtimes->due > now + ATTEMPT_MS * CLOCK_NS_PER_MS)
		runtimes->due = now + ATTEMPT_MS * CLOCK_NS_PER_MS;
}

int runtime_joins_descriptor(const struct targets *targets)
{
	return targets->runtimes.watch;
}

uint64_t runtime_joins_due(const struct targets *targets)
{
	return targets->runtimes.attempts || targets->runtimes.opening_count ? targets->runtimes.due
									     : UINT64_MAX;
}

void runtime_joins_close(struct runtime_joins *runtimes)
{
	for (size_t i = 0; i < runtimes->opening_count; i++)
		source_close(runtimes->opening[i].source);
	if (runtimes->watch >= 0)
		close(runtimes->watch);
	*runtimes = (struct runtime_joins){.watch = -1};
}
