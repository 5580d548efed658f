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

enum {
	ATTEMPTS = 40, /* a socket exists a moment before its owner listens */
	ATTEMPT_MS = 5
};

static bool is_target(const struct targets *targets, uint32_t pid, const char *path)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].further && targets->items[i].pid == pid &&
			strcmp(targets->items[i].socket_path, path) == 0)
			return true;
	return false;
}

/* The further sockets of a target that are not targets yet. */
static size_t find(const struct targets *targets, size_t index, struct target *list)
{
	const struct target *target = &targets->items[index];
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX];
	struct endpoint_process process;
	size_t count, found = 0;
	struct error ignored;

	if (target->socket || target->further || !target->path[0] ||
		endpoint_process(target->pid, &process, &ignored))
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

/* Opens and joins one; false: nobody listens there yet. */
static bool take(struct targets *targets, const struct join_run *run, struct target *target)
{
	struct d_probe_set own = {0};
	struct source *source = NULL;
	struct error error = {""};
	int result = d_probe_set_init(&own);

	if (!result)
		result = target_open_stream(
			targets, target->pid, target->socket_path, -1, &own, &source, &error);
	if (!result && source->process.pid != target->pid) {
		source_close(source); /* another process's by now */
		result = -ENOENT;
	} else if (!result) {
		debug_say(DEBUG_TARGET, "process %" PRIu32 " serves another stream at %s",
			target->pid, target->socket_path);
		result = join(targets, run, target, source, &own, &error);
		if (result && result != -ECONNRESET)
			cli_message("%s", error.text[0] ? error.text : strerror(-result));
		result = 0;
	}
	d_probe_set_free(&own);
	return !result;
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
	if (!further->attempts || now < further->due)
		return;
	for (size_t i = 0; i < known; i++) {
		count = find(targets, i, list);
		for (size_t j = 0; j < count; j++)
			left += !take(targets, run, &list[j]);
	}
	further->attempts--;
	if (!left)
		further->attempts = 0;
	further->due = now + ATTEMPT_MS * CLOCK_NS_PER_MS;
}

int further_descriptor(const struct targets *targets)
{
	return targets->further.watch;
}

uint64_t further_due(const struct targets *targets)
{
	return targets->further.attempts ? targets->further.due : UINT64_MAX;
}

void further_close(struct further *further)
{
	if (further->watch >= 0)
		close(further->watch);
	*further = (struct further){.watch = -1};
}
