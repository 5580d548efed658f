/* further.c: see further.h. */
#include "cli/trace/further.h"

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
#include "cli/cli.h"
#include "cli/trace/join.h"
#include "cli/trace/target.h"
#include "program/probe.h"
#include "source/endpoint.h"
#include "source/merge.h"
#include "source/source.h"
#include "usdt/process/process_info.h"

enum {
	ATTEMPTS = 40,  /* a socket exists a moment before its owner listens */
	ATTEMPT_MS = 5, /* between two looks at it, or at one that is being opened */
	LATE_MS = 200   /* and at one that has not answered in time */
};

static bool is_target(const struct targets *targets, uint32_t pid, const char *path)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].further && targets->items[i].pid == pid &&
			strcmp(targets->items[i].socket_path, path) == 0)
			return true;
	for (size_t i = 0; i < targets->further.opening_count; i++)
		if (targets->further.opening[i].pid == pid &&
			strcmp(targets->further.opening[i].path, path) == 0)
			return true;
	return false;
}

/* The further sockets of a target that are not targets yet. */
static size_t find(const struct targets *targets, size_t index, struct target *list)
{
	const struct target *target = &targets->items[index];
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX];
	struct process_info process;
	size_t count, found = 0;
	struct error ignored;

	if (target->socket || target->further || !target->path[0] ||
		process_info_read(target->pid, &process, &ignored))
		return 0;
	count = endpoint_further(&process, target->path, paths);
	for (size_t i = 0; i < count; i++) {
		if (is_target(targets, process.pid, paths[i]))
			continue;
		list[found] = (struct target){.further = true, .told = true, .pid = process.pid};
		strcpy(list[found++].socket_path, paths[i]);
	}
	return found;
}

int further_add(struct targets *targets, size_t index)
{
	struct target list[ENDPOINT_FURTHER_MAX];
	size_t count = find(targets, index, list);
	int result = 0;

	for (size_t i = 0; i < count && !result; i++)
		result = target_add(targets, &list[i]);
	return result;
}

void further_watch(struct targets *targets)
{
	struct further *further = &targets->further;

	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->items[i];
		const char *slash = strrchr(target->path, '/');
		char directory[PATH_MAX];

		if (target->socket || target->further || !slash)
			continue;
		if (further->watch < 0)
			further->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		snprintf(directory, sizeof(directory), "/proc/%" PRIu32 "/root%.*s", target->pid,
			(int)(slash - target->path), target->path);
		if (further->watch >= 0)
			inotify_add_watch(
				further->watch, directory, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	}
	/* one may have started before the watch */
	further->attempts = further->watch >= 0;
}

/* Makes the source of the targets a merge, if it is the only target's own. */
static int become_merge(struct targets *targets, const struct join_run *run, struct error *error)
{
	const struct merge_part only = {targets->source, 0, (uint32_t)run->probes->count};
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
static int join(struct targets *targets, const struct join_run *run, struct target *target,
	struct source *source, const struct d_probe_set *own, struct error *error)
{
	struct joined joined;
	struct merge_part part;
	int result = join_enable(run, source, own, &joined, error);

	target->part = SIZE_MAX;
	if (!result && joined.first == joined.end) {
		source_close(source);
		return target_add(targets, target); /* not looked at again */
	}
	if (!result)
		result = become_merge(targets, run, error);
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

/* Begins to open one; false: nobody listens there yet. */
static bool begin(struct further *further, const struct target *target)
{
	struct further_opening *opening;
	struct error ignored;

	if (further->opening_count == ENDPOINT_FURTHER_MAX)
		return false;
	opening = &further->opening[further->opening_count];
	*opening = (struct further_opening){.pid = target->pid};
	strcpy(opening->path, target->socket_path);
	if (source_stream_start(target->pid, opening->path, &opening->source, &ignored))
		return false;
	if (opening->source->process.pid != target->pid) { /* another process's by now */
		source_close(opening->source);
		return false;
	}
	further->opening_count++;
	return true;
}

/* Joins one that has declared its events. False: it has not yet. */
static bool take(
	struct targets *targets, const struct join_run *run, struct further_opening *opening)
{
	struct target target = {.further = true, .told = true, .pid = opening->pid};
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
		strcpy(target.socket_path, opening->path);
		result = join(targets, run, &target, opening->source, &own, &error);
	}
	d_probe_set_free(&own);
	if (result && result != -ECONNRESET && result != -EAGAIN)
		cli_message("%s", error.text[0] ? error.text : strerror(-result));
	opening->is_late |= result == -ETIMEDOUT;
	return result != -EAGAIN && result != -ETIMEDOUT;
}

/* Returns when to look again; UINT64_MAX: nothing is being opened. */
static uint64_t take_opening(struct targets *targets, const struct join_run *run, uint64_t now)
{
	struct further *further = &targets->further;
	uint64_t due = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < further->opening_count; i++) {
		struct further_opening *opening = &further->opening[i];
		uint64_t wait = opening->is_late ? LATE_MS : ATTEMPT_MS;
		if (take(targets, run, opening))
			continue;
		due = now + wait * CLOCK_NS_PER_MS < due ? now + wait * CLOCK_NS_PER_MS : due;
		further->opening[kept++] = *opening;
	}
	further->opening_count = kept;
	return due;
}

/* Whether a socket has been created in a directory that is watched. */
static bool has_changed(struct further *further)
{
	_Alignas(struct inotify_event) char bytes[4096];
	bool result = false;

	while (further->watch >= 0 && read(further->watch, bytes, sizeof(bytes)) > 0)
		result = true;
	return result;
}

void further_join(struct targets *targets, const struct join_run *run)
{
	struct further *further = &targets->further;
	struct target list[ENDPOINT_FURTHER_MAX];
	uint64_t now = clock_monotonic();
	size_t known = targets->count, count, left = 0;

	if (has_changed(further)) {
		further->attempts = ATTEMPTS;
		further->due = now;
	}
	if ((!further->attempts && !further->opening_count) || now < further->due)
		return;
	for (size_t i = 0; i < known && further->attempts; i++) {
		count = find(targets, i, list);
		for (size_t j = 0; j < count; j++)
			left += !begin(further, &list[j]);
	}
	further->attempts -= further->attempts > 0;
	if (!left)
		further->attempts = 0;
	further->due = take_opening(targets, run, now);
	if (further->attempts && further->due > now + ATTEMPT_MS * CLOCK_NS_PER_MS)
		further->due = now + ATTEMPT_MS * CLOCK_NS_PER_MS;
}

int further_descriptor(const struct targets *targets)
{
	return targets->further.watch;
}

uint64_t further_due(const struct targets *targets)
{
	return targets->further.attempts || targets->further.opening_count ? targets->further.due
									   : UINT64_MAX;
}

void further_close(struct further *further)
{
	for (size_t i = 0; i < further->opening_count; i++)
		source_close(further->opening[i].source);
	if (further->watch >= 0)
		close(further->watch);
	*further = (struct further){.watch = -1};
}
