/* timeline.c: see timeline.h and timeline_private.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/timeline_private.h"

const struct feed_probe timeline_probes[] = {
	{"thread-create", ROLE_THREAD_CREATE},
	{"thread-label", ROLE_THREAD_LABEL},
	{"thread-exit", ROLE_THREAD_EXIT},
	{"thread-run", ROLE_THREAD_RUN},
	{"thread-runnable", ROLE_THREAD_RUNNABLE},
	{"thread-stop", ROLE_THREAD_STOP},
	{"thread-migrate", ROLE_THREAD_MIGRATE},
	{"lock-wait", ROLE_LOCK_WAIT},
	{"lock-acquired", ROLE_LOCK_ACQUIRED},
	{"lock-release", ROLE_LOCK_RELEASE},
	{"thread-park", ROLE_PARK},
	{"thread-unpark", ROLE_UNPARK},
	{"gc-phase-begin", ROLE_PHASE_BEGIN},
	{"gc-phase-end", ROLE_PHASE_END},
	{"pause-begin", ROLE_PAUSE_BEGIN},
	{"pause-end", ROLE_PAUSE_END},
	{"gc-request", ROLE_GC_REQUEST},
	{"gc-start", ROLE_GC_START},
	{"gc-end", ROLE_GC_END},
	{"gc-idle", ROLE_GC_IDLE},
	{"gc-work", ROLE_GC_WORK},
	{"gc-done", ROLE_GC_DONE},
	{"gc-mark-begin", ROLE_MARK_BEGIN},
	{"gc-mark-end", ROLE_MARK_END},
	{"gc-sweep-begin", ROLE_SWEEP_BEGIN},
	{"gc-sweep-end", ROLE_SWEEP_END},
	{"heap", ROLE_HEAP},
	{"method-entry", ROLE_ENTRY},
	{"method-return", ROLE_RETURN},
	{"native-entry", ROLE_ENTRY},
	{"native-return", ROLE_RETURN},
	{"load-entry", ROLE_LOAD_BEGIN},
	{"load-return", ROLE_LOAD_END},
	{"require-entry", ROLE_REQUIRE_BEGIN},
	{"require-return", ROLE_REQUIRE_END},
	{"find-require-entry", ROLE_FIND_BEGIN},
	{"find-require-return", ROLE_FIND_END},
	{"parse-begin", ROLE_PARSE_BEGIN},
	{"parse-end", ROLE_PARSE_END},
	{"raise", ROLE_RAISE},
	{"sample", ROLE_SAMPLE},
	{"rescue", ROLE_RESCUE},
	{"user-msg", ROLE_MESSAGE},
	{"user-marker", ROLE_MARKER},
};
const size_t timeline_probe_count = sizeof(timeline_probes) / sizeof(timeline_probes[0]);

static void take_heap(struct timeline *timeline, const struct event *event)
{
	for (unsigned int i = 0; i < 3 && i + 1 < event->argument_count; i++)
		timeline_count(
			timeline, COUNTER_ALLOCATED + i, event->time, event->arguments[i + 1]);
}

/* ---- what is loaded ---- */

static void loading_begins(struct timeline *timeline, enum timeline_role role,
	const struct event_batch *batch, const struct event *event)
{
	static const char *const verbs[] = {[ROLE_LOAD_BEGIN] = "load",
		[ROLE_REQUIRE_BEGIN] = "require",
		[ROLE_FIND_BEGIN] = "find",
		[ROLE_PARSE_BEGIN] = "parse"};
	struct timeline_name wanted = timeline_text(batch, event, 0), name;
	char text[512];

	if (timeline->loading_depth == sizeof(timeline->loading_open))
		return;
	timeline->loading_open[timeline->loading_depth++] = (uint8_t)role;
	snprintf(text, sizeof(text), "%s %s", verbs[role], wanted.text);
	name = (struct timeline_name){0, text, (uint32_t)strlen(text)};
	if (!timeline->loading)
		timeline->loading = timeline_add_track(timeline, TIMELINE_LOADING, 0, "loading");
	timeline_begin(timeline, timeline->loading, event->time, &name, NULL, 0);
}

static void loading_ends(struct timeline *timeline, enum timeline_role role, uint64_t time)
{
	unsigned int at = timeline->loading_depth;

	while (at && timeline->loading_open[at - 1] != role)
		at--;
	for (; at && timeline->loading_depth >= at; timeline->loading_depth--)
		timeline_end(timeline, timeline->loading, time, NULL, 0);
}

/* ---- events ---- */

static void close_all(struct timeline *timeline, uint64_t time)
{
	for (size_t i = 0; i < timeline->thread_count; i++)
		timeline_close_thread(timeline, timeline->threads[i], time);
	for (size_t i = 0; i < timeline->cap_count; i++) {
		struct timeline_cap *cap = &timeline->caps[i];
		for (; cap->depth; cap->depth--)
			timeline_end(timeline, cap->pauses, time, NULL, 0);
		for (; cap->concurrent_depth; cap->concurrent_depth--)
			timeline_end(timeline, cap->concurrent, time, NULL, 0);
		timeline_stop_running(timeline, cap, time, NULL);
	}
	for (; timeline->loading_depth; timeline->loading_depth--)
		timeline_end(timeline, timeline->loading, time, NULL, 0);
}

static void close_all_calls(struct timeline *timeline, uint64_t time)
{
	for (size_t i = 0; i < timeline->thread_count; i++)
		timeline_close_calls(timeline, timeline->threads[i], time);
}

static bool is_call(int role)
{
	return role == ROLE_ENTRY || role == ROLE_RETURN;
}

/* Notes when events were lost; calls are mostly the only ones. */
static void take_losses(
	struct timeline *timeline, const struct feed *feed, const struct event_batch *batch)
{
	for (size_t i = 0; i < batch->loss_count; i++) {
		const struct event_loss *loss = &batch->losses[i];
		uint64_t since = loss->since ? loss->since : timeline->latest;
		int role =
			loss->probe == UINT32_MAX ? ROLE_THREAD_CREATE : feed->roles[loss->probe];

		timeline->lost += loss->count;
		loss_gaps_add(&timeline->call_gaps, since, loss->until);
		if (role >= 0 && !is_call(role))
			loss_gaps_add(&timeline->gaps, since, loss->until);
	}
}

static void show_lost(struct timeline *timeline, uint64_t time)
{
	char text[64];
	struct timeline_name name = {0, text, 0};

	if (!timeline->lost)
		return;
	name.length =
		(uint32_t)snprintf(text, sizeof(text), "%" PRIu64 " events lost", timeline->lost);
	timeline_instant(timeline, timeline->messages, time, &name, NULL, 0);
	timeline->lost = 0;
}

/* What is open ends where losses begin; see loss_gaps.h. */
static void close_lost(struct timeline *timeline, uint64_t time)
{
	bool is_call = loss_gaps_begin(&timeline->call_gaps, time);
	uint64_t since = timeline->call_gaps.since;

	if (!is_call)
		return;
	if (since < timeline->latest)
		since = timeline->latest;
	if (loss_gaps_begin(&timeline->gaps, time))
		close_all(timeline, since);
	else
		close_all_calls(timeline, since);
	show_lost(timeline, since);
}

/* Whether the event may lack its partner, or be taken for another one's. */
static bool is_doubtful(
	const struct timeline *timeline, enum timeline_role role, const struct event *event)
{
	switch (role) {
	case ROLE_HEAP:
	case ROLE_MESSAGE:
	case ROLE_MARKER:
	case ROLE_RAISE:
	case ROLE_RESCUE:
		return false;
	case ROLE_ENTRY:
	case ROLE_RETURN:
		return loss_gaps_contain(&timeline->call_gaps, event->time);
	default:
		return loss_gaps_contain(&timeline->gaps, event->time);
	}
}

static void take_event(struct timeline *timeline, enum timeline_role role,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name;
	struct timeline_thread *thread;
	struct timeline_cap *cap;

	switch (role) {
	case ROLE_ENTRY:
	case ROLE_RETURN:
		thread = timeline_thread(timeline, feed_number(event, 4));
		if (thread && role == ROLE_ENTRY)
			timeline_enters(timeline, thread, batch, event);
		else if (thread)
			timeline_returns(timeline, thread, event->time);
		break;
	case ROLE_HEAP:
		take_heap(timeline, event);
		break;
	case ROLE_LOAD_BEGIN:
	case ROLE_REQUIRE_BEGIN:
	case ROLE_FIND_BEGIN:
	case ROLE_PARSE_BEGIN:
		loading_begins(timeline, role, batch, event);
		break;
	case ROLE_LOAD_END:
	case ROLE_REQUIRE_END:
	case ROLE_FIND_END:
	case ROLE_PARSE_END:
		loading_ends(timeline, (enum timeline_role)(role - ROLE_LOAD_END + ROLE_LOAD_BEGIN),
			event->time);
		break;
	case ROLE_RAISE:
	case ROLE_RESCUE:
		timeline_take_exception(
			timeline, role == ROLE_RAISE ? "raise" : "rescue", batch, event);
		break;
	case ROLE_SAMPLE:
		timeline_take_sample(timeline, batch, event);
		break;
	case ROLE_MESSAGE:
	case ROLE_MARKER:
		name = timeline_text(batch, event, 1);
		timeline_instant(timeline, timeline->messages, event->time, &name, NULL, 0);
		break;
	default:
		if (role <= ROLE_LOCK_ACQUIRED) {
			timeline_take_thread(timeline, role, batch, event);
		} else {
			cap = timeline_cap(timeline, feed_number(event, 0));
			if (cap)
				timeline_take_phase(timeline, cap, role, batch, event);
		}
	}
}

bool timeline_batch(
	struct timeline *timeline, const struct feed *feed, const struct event_batch *batch)
{
	take_losses(timeline, feed, batch);
	for (size_t i = 0; i < batch->event_count && !timeline->has_failed; i++) {
		const struct event *event = &batch->events[i];
		enum timeline_role role = (enum timeline_role)feed_role(feed, event);

		close_lost(timeline, event->time);
		if (event->time > timeline->latest)
			timeline->latest = event->time;
		if (!is_doubtful(timeline, role, event))
			take_event(timeline, role, batch, event);
	}
	return !timeline->has_failed;
}

struct timeline *timeline_new(
	struct timeline_writer *writer, const struct timeline_process *process)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return NULL;
	timeline->writer = writer;
	timeline->latest = process->start;
	writer->operations->start(writer, process);
	timeline->messages = timeline_add_track(timeline, TIMELINE_MESSAGES, 0, "messages");
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->thread_count; i++) {
		free(timeline->threads[i]->frames);
		free(timeline->threads[i]);
	}
	free(timeline->threads);
	hash_table_free(&timeline->thread_table);
	method_names_free(&timeline->methods);
	loss_gaps_free(&timeline->gaps);
	loss_gaps_free(&timeline->call_gaps);
	free(timeline->holders);
	hash_table_free(&timeline->holder_table);
	free(timeline->caps);
	free(timeline);
}

int timeline_finish(struct timeline *timeline)
{
	close_all(timeline, timeline->latest);
	show_lost(timeline, timeline->latest);
	return timeline->writer->operations->finish(timeline->writer, timeline->latest);
}

int timeline_flush(FILE *output, int error)
{
	if (!error && (fflush(output) || ferror(output)))
		error = errno ? errno : EIO;
	return error;
}
