/*
 * log_check.c: `vmtap log --validate`. Two passes. The first goes through the file's bytes:
 * blocks, the order of times within them, watermarks, payloads, names. The second takes the
 * events in the order of time, follows each guest thread through the states that GHC's tools
 * know, and checks that what begins also ends (log_nesting.h).
 *
 * What is no fault: a thread that was there before the log began, and whatever a thread does
 * after events were lost. GHC stamps the end of a collection, and what it says of it then,
 * with a time it has read before; other events of a block go back by no more than
 * TOLERANCE_NS.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"

#include "base/bytes.h"
#include "cli/log/log.h"
#include "cli/log/log_nesting.h"
#include "cli/log/thread_bytes.h"
#include "source/source.h"
#include "wire/wire_type.h"

enum {
	TOLERANCE_NS = 1000000,
	FINDINGS_MAX = 100 /* shown */
};

/* A time in which events were lost. */
struct gap {
	uint64_t since, until;
};

struct log_check {
	const char *name;
	unsigned int found;
	struct gap *gaps; /* found by the first pass, for the second */
	size_t gap_count, gap_capacity;
	size_t gap; /* the next one that the second pass has not left */
};

static __attribute__((format(printf, 2, 3))) void report_finding(
	struct log_check *check, const char *format, ...)
{
	va_list arguments;

	if (check->found++ >= FINDINGS_MAX)
		return;
	printf("%s: ", check->name);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

/* ---- the bytes ---- */

struct bytes_check {
	uint64_t block;     /* where the open block begins; its marker has been seen */
	uint64_t block_end; /* 0: no block is open */
	uint64_t end_time, last, watermark;
	bool in_sample;
	uint64_t era;
};

static void check_block(
	struct log_check *check, struct bytes_check *state, const struct record *record)
{
	if (state->block_end && record->position >= state->block_end) {
		if (state->last > state->end_time + TOLERANCE_NS)
			report_finding(check,
				"byte %" PRIu64 ": the block's last event is of time %" PRIu64
				", after its end, %" PRIu64,
				state->block, state->last, state->end_time);
		state->block_end = 0;
	}
	if (record->type == WIRE_BLOCK_MARKER) {
		if (state->block_end)
			report_finding(check,
				"byte %" PRIu64
				": a block begins within the block at byte %" PRIu64,
				record->position, state->block);
		state->block = record->position;
		state->block_end = record->position + bytes_u32(record->payload);
		state->end_time = bytes_u64(record->payload + 4);
		state->last = 0;
	} else if (state->block_end && record->position + record->bytes > state->block_end) {
		report_finding(check,
			"byte %" PRIu64 ": an event crosses the end of its block, byte %" PRIu64,
			record->position, state->block_end);
		state->block_end = 0;
	}
}

static void check_time(
	struct log_check *check, struct bytes_check *state, const struct record *record)
{
	if (record->type == WIRE_BLOCK_MARKER)
		return;
	if (record->type == WIRE_WATERMARK && record_is_whole(record)) {
		if (bytes_u64(record->payload) > state->watermark)
			state->watermark = bytes_u64(record->payload);
		return;
	}
	if (wire_type_has(record->type, WIRE_EARLIER))
		return;
	/* what follows is another thread's */
	if (record->type == WIRE_CONTEXT)
		state->last = 0;
	if (state->block_end && record->time + TOLERANCE_NS < state->last)
		report_finding(check,
			"byte %" PRIu64 ": time goes back from %" PRIu64 " to %" PRIu64
			" in a run of events",
			record->position, state->last, record->time);
	if (record->time > state->last)
		state->last = record->time;
	if (wire_is_own(record->type))
		return;
	if (record->time < state->watermark)
		report_finding(check,
			"byte %" PRIu64 ": an event of time %" PRIu64
			" after the watermark of time %" PRIu64,
			record->position, record->time, state->watermark);
}

static void check_payload(struct log_check *check, struct bytes_check *state,
	struct log_reader *reader, const struct record *record)
{
	const struct layout *layout = log_layout(reader, record->type);
	const unsigned char *at;
	size_t size;

	for (unsigned int i = 0; layout && i < layout->field_count; i++) {
		const struct layout_field *field = &layout->fields[i];
		/* what the last fields are has changed with GHC's versions */
		if (!layout_field(layout, i, record->payload, record->size, &at, &size)) {
			if (i == 0 || layout->is_probe)
				report_finding(check,
					"byte %" PRIu64 ": %s has %zu bytes, and no %s in them",
					record->position, layout->name, record->size, field->name);
			return;
		}
		if (field->kind == LAYOUT_NAME &&
			!reader->names.texts[names_index(&reader->names, bytes_u32(at))])
			report_finding(check,
				"byte %" PRIu64 ": %s: the name %" PRIu32 " has not been defined",
				record->position, layout->name, bytes_u32(at));
	}
	if (!record_is_whole(record))
		return;
	if (record->type == WIRE_HEAP_PROF_SAMPLE_BEGIN) {
		state->era = bytes_u64(record->payload);
		state->in_sample = true;
	} else if (record->type == WIRE_HEAP_PROF_SAMPLE_END) {
		if (!state->in_sample || state->era != bytes_u64(record->payload))
			report_finding(check,
				"byte %" PRIu64 ": a heap sample ends that has not begun",
				record->position);
		state->in_sample = false;
	}
}

/* Notes when events were lost; -ENOMEM. */
static int note_gap(struct log_check *check, const struct record *record)
{
	if (!record_lost(record))
		return 0;
	if (array_room(&check->gaps, &check->gap_capacity, check->gap_count, sizeof(*check->gaps)))
		return -ENOMEM;
	check->gaps[check->gap_count++] = (struct gap){record_lost_since(record), record->time};
	return 0;
}

static int check_bytes(struct log_check *check, struct error *error)
{
	struct bytes_check state = {0};
	struct log_reader reader;
	struct record record;
	const char *why = NULL;
	int result = log_open(&reader, check->name, error);

	if (!result) {
		while ((result = log_next(&reader, &record, &why, error)) == RECORDS_EVENT) {
			check_block(check, &state, &record);
			check_time(check, &state, &record);
			check_payload(check, &state, &reader, &record);
			if (note_gap(check, &record)) {
				result = error_set(error, ENOMEM, "%s: out of memory", check->name);
				break;
			}
		}
		if (result >= 0) {
			if (state.block_end > reader.file.records.position)
				report_finding(check,
					"byte %" PRIu64 ": the block ends at byte %" PRIu64
					", the log before",
					state.block, state.block_end);
			if (why)
				report_finding(check, "%s", why);
			result = 0;
		}
	}
	log_close(&reader);
	return result;
}

/* ---- the events in the order of time ---- */

enum thread_state {
	THREAD_UNKNOWN, /* was there before the log, or events were lost */
	THREAD_QUEUED,
	THREAD_RUNNING,
	THREAD_STOPPED,
	THREAD_FINAL,
	THREAD_STATES
};

static const char *const state_names[THREAD_STATES] = {
	"unknown", "waiting to run", "running", "stopped", "finished"};

enum thread_action { ACTION_CREATE, ACTION_RUN, ACTION_STOP, ACTION_WAKEUP, ACTIONS };

/* What the second pass does with a probe's events. */
struct followed {
	int action;  /* enum thread_action; -1: none */
	int nesting; /* as log_nesting_event() takes it; -1: none */
};

static const char *const action_names[ACTIONS] = {"created", "run", "stopped", "woken"};

/* The probes of both providers that may be there; they have the same first arguments. */
static const struct {
	const char *name;
	enum thread_action action;
} thread_probes[] = {
	{"thread-create", ACTION_CREATE},
	{"thread-run", ACTION_RUN},
	{"thread-stop", ACTION_STOP},
	{"thread-wakeup", ACTION_WAKEUP},
	{"create-thread", ACTION_CREATE},
	{"run-thread", ACTION_RUN},
	{"stop-thread", ACTION_STOP},
	{"thread_wakeup", ACTION_WAKEUP},
};

static enum thread_state after_stop(uint64_t status)
{
	switch (status) {
	case 1: /* heap */
	case 2: /* stack */
	case 6: /* foreign call */
		return THREAD_QUEUED;
	case 5:
		return THREAD_FINAL;
	default:
		return THREAD_STOPPED;
	}
}

static void follow(struct log_check *check, struct thread_bytes *threads, enum thread_action action,
	const struct event *event, uint64_t start)
{
	uint32_t thread = (uint32_t)event->arguments[1];
	uint8_t *state = thread_bytes_at(threads, thread);
	bool known = state && *state != THREAD_UNKNOWN, good = true;
	enum thread_state next = THREAD_QUEUED;

	if (!state)
		return;
	switch (action) {
	case ACTION_CREATE:
		good = !known;
		break;
	case ACTION_RUN:
		good = !known || *state == THREAD_QUEUED || *state == THREAD_STOPPED;
		next = THREAD_RUNNING;
		break;
	case ACTION_STOP:
		good = !known || *state == THREAD_RUNNING;
		next = after_stop(event->arguments[2]);
		break;
	default:
		good = !known || *state == THREAD_STOPPED || *state == THREAD_QUEUED;
		break;
	}
	if (!good)
		report_finding(check, "time %" PRIu64 ": thread %" PRIu32 " is %s while it is %s",
			event->time - start, thread, action_names[action], state_names[*state]);
	*state = (uint8_t)next;
}

static bool is_provider(const struct d_probe *probe, const char *provider)
{
	size_t length = strlen(provider);

	return !strncmp(probe->provider, provider, length) && probe->provider[length] >= '0' &&
		probe->provider[length] <= '9';
}

/* What is done with a probe; false: nothing. */
static bool follow_probe(const struct d_probe *probe, bool is_ghc, struct followed *followed)
{
	*followed = (struct followed){-1, -1};
	if (probe->kind != D_PROBE_SOURCE || probe->is_absent)
		return false;
	for (size_t i = 0; i < sizeof(thread_probes) / sizeof(thread_probes[0]); i++)
		if (!strcmp(probe->name, thread_probes[i].name) &&
			probe->argument_count >= (thread_probes[i].action == ACTION_STOP ? 3 : 2))
			followed->action = (int)thread_probes[i].action;
	followed->nesting = log_nesting_role(probe->name, probe->argument_count, is_ghc);
	return followed->action >= 0 || followed->nesting >= 0;
}

/* Chooses the probes of a provider to follow; returns their number. */
static size_t choose_of(const struct d_probe_set *set, const char *provider, uint32_t *probes,
	struct followed *followed)
{
	bool is_ghc = !strcmp(provider, "HaskellEvent");
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		if (is_provider(&set->probes[i], provider) &&
			follow_probe(&set->probes[i], is_ghc, &followed[i]))
			probes[count++] = (uint32_t)i;
	return count;
}

/*
 * Chooses provider vm's probes, unless GHC's provider has more: then a plain reader has kept only
 * GHC's events of a stream.
 */
static size_t choose_probes(
	const struct d_probe_set *set, uint32_t *probes, struct followed *followed)
{
	size_t ghc = choose_of(set, "HaskellEvent", probes, followed);
	size_t own = choose_of(set, "vm", probes, followed);

	return own >= ghc ? own : choose_of(set, "HaskellEvent", probes, followed);
}

static void find_nesting(void *check, const char *text)
{
	report_finding(check, "%s", text);
}

static int compare_gaps(const void *one, const void *other)
{
	const struct gap *left = one, *right = other;

	return (left->since > right->since) - (left->since < right->since);
}

/* Whether events were lost around this time, or since the last one that was asked about. */
static bool in_gap(struct log_check *check, uint64_t time)
{
	bool is_in = false;

	while (check->gap < check->gap_count && check->gaps[check->gap].since <= time) {
		is_in = true;
		if (check->gaps[check->gap].until >= time)
			break;
		check->gap++;
	}
	return is_in;
}

static int check_events(struct log_check *check, struct error *error)
{
	struct d_probe_set set = {0};
	struct source *source = NULL;
	struct source_request request = {0};
	struct event_batch batch = {0};
	struct thread_bytes threads = {0};
	struct feed_progress progress;
	struct error damage;
	uint64_t events = 0;
	uint32_t *probes = NULL;
	struct followed *followed = NULL;
	struct log_nesting *nesting = NULL;
	enum source_state state;
	bool is_lossy = false;
	int result;

	if (d_probe_set_init(&set) || thread_bytes_init(&threads)) {
		result = error_set(error, ENOMEM, "%s: out of memory", check->name);
		goto out;
	}
	result = source_log_open(check->name, &set, &source, error);
	if (result)
		goto out;
	probes = calloc(set.count, sizeof(*probes));
	followed = calloc(set.count, sizeof(*followed));
	nesting = log_nesting_new(source->start, find_nesting, check);
	if (!probes || !followed || !nesting) {
		result = error_set(error, ENOMEM, "%s: out of memory", check->name);
		goto out;
	}
	if (source_request_of_probes(&request, probes, choose_probes(&set, probes, followed)))
		result = error_set(error, ENOMEM, "%s: out of memory", check->name);
	else
		result = source_enable(source, &request, error);
	if (result)
		goto out;
	if (check->gap_count)
		qsort(check->gaps, check->gap_count, sizeof(*check->gaps), compare_gaps);
	feed_progress_init(&progress);
	/* damage has been found by the first pass */
	while ((state = source_next(source, 0, &batch, &damage)) == SOURCE_MORE) {
		for (size_t i = 0; i < batch.event_count; i++) {
			const struct event *event = &batch.events[i];
			const struct followed *how = &followed[event->probe];
			bool was_lossy = is_lossy;
			is_lossy = in_gap(check, event->time - source->start);
			if (is_lossy && !was_lossy) {
				thread_bytes_reset(&threads);
				log_nesting_lost(nesting);
			}
			if (is_lossy)
				continue;
			if (how->action >= 0)
				follow(check, &threads, (enum thread_action)how->action, event,
					source->start);
			if (how->nesting >= 0)
				log_nesting_event(nesting, how->nesting, &batch, event);
		}
		events += batch.event_count;
		feed_progress_show(&progress, events, check->name);
	}
	feed_progress_end(&progress);
	log_nesting_end(nesting, false);
out:
	source_close(source);
	source_request_free(&request);
	free(probes);
	free(followed);
	log_nesting_free(nesting);
	thread_bytes_free(&threads);
	d_probe_set_free(&set);
	return result;
}

int log_check(const char *name, unsigned int *found, struct error *error)
{
	struct log_check check = {.name = name};
	struct stat status;
	int result;

	if (!stat(name, &status) && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
		return error_set(
			error, ESPIPE, "%s: a pipe cannot be checked: the log is read twice", name);
	result = check_bytes(&check, error);
	if (!result)
		result = check_events(&check, error);
	if (check.found > FINDINGS_MAX)
		printf("%s: and %u more\n", name, check.found - FINDINGS_MAX);
	*found = check.found;
	free(check.gaps);
	return result;
}
