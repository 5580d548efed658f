/*
 * timeline.c: see timeline.h. Threads are in a hash table by number and leave it when they exit.
 */
#include "cli/export/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/method_names.h"
#include "cli/stop_reason.h"

enum {
	CAP_NONE = 0xffff,
	DEPTH_MAX = 16, /* of what is open on a capability's track of pauses */
	LABEL_MAX = 128
};

enum timeline_role {
	ROLE_THREAD_CREATE,
	ROLE_THREAD_LABEL,
	ROLE_THREAD_EXIT,
	ROLE_THREAD_RUN,
	ROLE_THREAD_RUNNABLE,
	ROLE_THREAD_STOP,
	ROLE_THREAD_MIGRATE,
	ROLE_LOCK_WAIT,
	ROLE_PARK,
	ROLE_UNPARK,
	ROLE_LOCK_RELEASE,
	ROLE_LOCK_ACQUIRED,
	ROLE_PHASE_BEGIN,
	ROLE_PHASE_END,
	ROLE_PAUSE_BEGIN,
	ROLE_PAUSE_END,
	ROLE_GC_REQUEST,
	ROLE_GC_START,
	ROLE_GC_END,
	ROLE_GC_IDLE,
	ROLE_GC_WORK,
	ROLE_GC_DONE,
	ROLE_MARK_BEGIN,
	ROLE_MARK_END,
	ROLE_SWEEP_BEGIN,
	ROLE_SWEEP_END,
	ROLE_HEAP,
	ROLE_ENTRY,
	ROLE_RETURN,
	ROLE_LOAD_BEGIN,
	ROLE_REQUIRE_BEGIN,
	ROLE_FIND_BEGIN,
	ROLE_PARSE_BEGIN,
	ROLE_LOAD_END,
	ROLE_REQUIRE_END,
	ROLE_FIND_END,
	ROLE_PARSE_END,
	ROLE_RAISE,
	ROLE_RESCUE,
	ROLE_MESSAGE,
	ROLE_MARKER
};

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
	{"rescue", ROLE_RESCUE},
	{"user-msg", ROLE_MESSAGE},
	{"user-marker", ROLE_MARKER},
};
const size_t timeline_probe_count = sizeof(timeline_probes) / sizeof(timeline_probes[0]);

/* Names that recur and that the program does not choose; their ids are 1 + their index. */
enum constant {
	NAME_RUNNING,
	NAME_RUNNABLE,
	NAME_BLOCKED,
	NAME_GC,
	NAME_GC_FULL,
	NAME_MARK,
	NAME_SWEEP,
	NAME_GC_WORK,
	NAME_GC_IDLE,
	NAME_GC_REQUEST,
	NAME_MIGRATED,
	NAME_CREATED,
	NAMES
};
static const char *const constants[NAMES] = {
	[NAME_RUNNING] = "running",
	[NAME_RUNNABLE] = "runnable",
	[NAME_BLOCKED] = "blocked",
	[NAME_GC] = "collection",
	[NAME_GC_FULL] = "full collection",
	[NAME_MARK] = "mark",
	[NAME_SWEEP] = "sweep",
	[NAME_GC_WORK] = "collecting",
	[NAME_GC_IDLE] = "idle",
	[NAME_GC_REQUEST] = "collection requested",
	[NAME_MIGRATED] = "migrated",
	[NAME_CREATED] = "created",
};

struct cap {
	uint32_t number;
	uint32_t track, pauses, concurrent;
	bool is_running;
	uint32_t thread; /* that runs */
	uint32_t concurrent_depth;
	unsigned int depth;
	uint8_t open[DEPTH_MAX]; /* enum timeline_role of what has begun */
	uint64_t used;           /* at the start of the collection */
	bool knows_used;
};

struct thread {
	uint32_t number;
	uint32_t track, calls, waiting; /* 0: none yet */
	bool is_open;                   /* a state has begun */
	uint8_t state;                  /* enum constant */
	uint32_t depth;                 /* of calls */
	bool waits;
	char label[LABEL_MAX];
};

/* The thread that last acquired a lock and, as far as is known, holds it; 0: none. */
struct holder {
	uint64_t lock;
	uint32_t thread;
	bool is_used;
};

struct timeline {
	struct timeline_writer *writer;
	uint32_t tracks; /* numbers given */
	uint64_t latest, flows;
	struct cap *caps;
	size_t cap_count;
	uint32_t cap_index[CAP_NONE + 1]; /* by number: 1 + the index, 0: none yet */
	struct thread **threads;          /* open addressing by number */
	size_t thread_count, thread_slots;
	struct method_names methods; /* their names' ids follow those of the constants */
	struct holder *holders;
	size_t holder_count, holder_slots;
	uint32_t messages, loading, counters[4];
	unsigned int loading_depth;
	uint8_t loading_open[64]; /* enum timeline_role */
	bool has_failed;          /* memory is out */
};

enum { COUNTER_ALLOCATED, COUNTER_SIZE, COUNTER_LIVE, COUNTER_USED };
static const char *const counter_names[] = {
	"heap: allocated", "heap: size", "heap: live", "heap: in use"};

static uint64_t mix(uint64_t value)
{
	value *= UINT64_C(0x9e3779b97f4a7c15);
	return value ^ value >> 32;
}

/* ---- tracks ---- */

static uint32_t add_track(
	struct timeline *timeline, enum timeline_kind kind, uint32_t number, const char *name)
{
	struct timeline_track track = {++timeline->tracks, kind, number, name};

	timeline->writer->operations->track(timeline->writer, &track);
	return track.id;
}

static void name_of_thread(const struct thread *thread, const char *what, char *text, size_t size)
{
	if (*thread->label)
		snprintf(text, size, "thread %" PRIu32 " (%s)%s", thread->number, thread->label,
			what);
	else
		snprintf(text, size, "thread %" PRIu32 "%s", thread->number, what);
}

static void put_thread_track(struct timeline *timeline, const struct thread *thread, uint32_t id,
	enum timeline_kind kind)
{
	static const char *const what[] = {
		[TIMELINE_THREAD] = "", [TIMELINE_CALLS] = ": calls", [TIMELINE_WAITS] = ": waits"};
	char text[LABEL_MAX + 64];
	struct timeline_track track = {id, kind, thread->number, text};

	if (!id)
		return;
	if (!thread->number && kind == TIMELINE_CALLS)
		snprintf(text, sizeof(text), "calls of no known thread");
	else
		name_of_thread(thread, what[kind], text, sizeof(text));
	timeline->writer->operations->track(timeline->writer, &track);
}

static uint32_t track_of(
	struct timeline *timeline, struct thread *thread, uint32_t *id, enum timeline_kind kind)
{
	if (!*id) {
		*id = ++timeline->tracks;
		put_thread_track(timeline, thread, *id, kind);
	}
	return *id;
}

static struct cap *find_cap(struct timeline *timeline, uint64_t number)
{
	struct cap *grown;
	char name[64];

	number = number < CAP_NONE ? number : CAP_NONE;
	if (timeline->cap_index[number])
		return &timeline->caps[timeline->cap_index[number] - 1];
	grown = realloc(timeline->caps, (timeline->cap_count + 1) * sizeof(*grown));
	if (!grown) {
		timeline->has_failed = true;
		return NULL;
	}
	timeline->caps = grown;
	grown += timeline->cap_count++;
	timeline->cap_index[number] = (uint32_t)timeline->cap_count;
	*grown = (struct cap){.number = (uint32_t)number};
	if (number != CAP_NONE) {
		snprintf(name, sizeof(name), "capability %" PRIu32, grown->number);
		grown->track = add_track(timeline, TIMELINE_CAP, grown->number, name);
	}
	return grown;
}

static uint32_t pauses_of(struct timeline *timeline, struct cap *cap)
{
	char name[64];

	if (!cap->pauses) {
		if (cap->number == CAP_NONE)
			snprintf(name, sizeof(name), "pauses");
		else
			snprintf(name, sizeof(name), "capability %" PRIu32 ": pauses", cap->number);
		cap->pauses = add_track(timeline, TIMELINE_PAUSES, cap->number, name);
	}
	return cap->pauses;
}

/* ---- threads ---- */

static void place_thread(struct thread **slots, size_t count, struct thread *thread)
{
	size_t at = mix(thread->number) & (count - 1);

	while (slots[at])
		at = (at + 1) & (count - 1);
	slots[at] = thread;
}

static bool grow_threads(struct timeline *timeline)
{
	size_t count = timeline->thread_slots ? timeline->thread_slots * 2 : 64;
	struct thread **slots = calloc(count, sizeof(struct thread *));

	if (!slots)
		return false;
	for (size_t i = 0; i < timeline->thread_slots; i++)
		if (timeline->threads[i])
			place_thread(slots, count, timeline->threads[i]);
	free(timeline->threads);
	timeline->threads = slots;
	timeline->thread_slots = count;
	return true;
}

/* NULL: it is not known. */
static struct thread *known_thread(const struct timeline *timeline, uint32_t number)
{
	size_t mask = timeline->thread_slots - 1, at = mix(number) & mask;
	struct thread *thread;

	if (!timeline->thread_slots)
		return NULL;
	while ((thread = timeline->threads[at]) && thread->number != number)
		at = (at + 1) & mask;
	return thread;
}

/* NULL: out of memory. */
static struct thread *find_thread(struct timeline *timeline, uint64_t number)
{
	struct thread *thread = known_thread(timeline, (uint32_t)number);

	if (thread)
		return thread;
	if (timeline->thread_count * 2 >= timeline->thread_slots && !grow_threads(timeline)) {
		timeline->has_failed = true;
		return NULL;
	}
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		timeline->has_failed = true;
		return NULL;
	}
	thread->number = (uint32_t)number;
	place_thread(timeline->threads, timeline->thread_slots, thread);
	timeline->thread_count++;
	return thread;
}

/* Removes a thread; those after it in its run of slots are placed again. */
static void forget_thread(struct timeline *timeline, struct thread *thread)
{
	size_t mask = timeline->thread_slots - 1, at = mix(thread->number) & mask;

	while (timeline->threads[at] != thread)
		at = (at + 1) & mask;
	timeline->threads[at] = NULL;
	timeline->thread_count--;
	free(thread);
	for (at = (at + 1) & mask; timeline->threads[at]; at = (at + 1) & mask) {
		struct thread *moved = timeline->threads[at];
		timeline->threads[at] = NULL;
		place_thread(timeline->threads, timeline->thread_slots, moved);
	}
}

/* ---- names ---- */

static struct timeline_name constant_name(enum constant which)
{
	return (struct timeline_name){
		1 + (uint32_t)which, constants[which], (uint32_t)strlen(constants[which])};
}

static uint32_t cut(uint32_t length)
{
	return length < TIMELINE_TEXT_MAX ? length : TIMELINE_TEXT_MAX;
}

/* The name of an entry's method; text NULL: out of memory. */
static struct timeline_name method_name(
	struct timeline *timeline, const struct event_batch *batch, const struct event *event)
{
	struct method_name name = method_names_find(&timeline->methods, batch, event);

	return (struct timeline_name){name.id ? NAMES + name.id : 0, name.text, name.length};
}

static struct timeline_name text_name(
	const struct event_batch *batch, const struct event *event, unsigned int argument)
{
	struct timeline_name name = {0, NULL, 0};

	name.text = feed_text(batch, event, argument, &name.length);
	name.length = cut(name.length);
	return name;
}

/* ---- marks ---- */

static void begin(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_name *name, const struct timeline_detail *details, size_t count)
{
	struct timeline_mark mark = {track, time, name, 0, 0, details, count};

	timeline->writer->operations->begin(timeline->writer, &mark);
}

static void end(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_detail *details, size_t count)
{
	struct timeline_mark mark = {track, time, NULL, 0, 0, details, count};

	timeline->writer->operations->end(timeline->writer, &mark);
}

static void instant(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_name *name, const struct timeline_detail *details, size_t count)
{
	struct timeline_mark mark = {track, time, name, 0, 0, details, count};

	timeline->writer->operations->instant(timeline->writer, &mark);
}

static void count_bytes(
	struct timeline *timeline, unsigned int which, uint64_t time, uint64_t value)
{
	if (!timeline->counters[which])
		timeline->counters[which] =
			add_track(timeline, TIMELINE_COUNTER, which, counter_names[which]);
	timeline->writer->operations->counter(
		timeline->writer, timeline->counters[which], time, value);
}

static struct timeline_detail text_detail(const char *name, const char *text)
{
	return (struct timeline_detail){name, 0, text, (uint32_t)strlen(text)};
}

static struct timeline_detail number_detail(const char *name, uint64_t number)
{
	return (struct timeline_detail){name, number, NULL, 0};
}

/* ---- what threads do ---- */

/* Ends the thread's state and begins another; NAMES: none. */
static void enter_state(struct timeline *timeline, struct thread *thread, uint64_t time,
	enum constant state, const struct timeline_detail *details, size_t count)
{
	struct timeline_name name;

	if (!thread->number)
		return;
	track_of(timeline, thread, &thread->track, TIMELINE_THREAD);
	if (thread->is_open)
		end(timeline, thread->track, time, NULL, 0);
	thread->is_open = state != NAMES;
	thread->state = (uint8_t)state;
	if (state == NAMES)
		return;
	name = constant_name(state);
	begin(timeline, thread->track, time, &name, details, count);
}

static void stop_running(struct timeline *timeline, struct cap *cap, uint64_t time, const char *why)
{
	struct timeline_detail detail;

	if (!cap->is_running)
		return;
	cap->is_running = false;
	if (why)
		detail = text_detail("stopped", why);
	end(timeline, cap->track, time, &detail, why != NULL);
}

static void thread_runs(
	struct timeline *timeline, struct cap *cap, struct thread *thread, uint64_t time)
{
	struct timeline_detail detail = number_detail("capability", cap->number);
	char text[LABEL_MAX + 64];
	struct timeline_name name = {0, text, 0};

	if (cap->track) {
		stop_running(timeline, cap, time, NULL);
		name_of_thread(thread, "", text, sizeof(text));
		name.length = (uint32_t)strlen(text);
		begin(timeline, cap->track, time, &name, NULL, 0);
		cap->is_running = true;
		cap->thread = thread->number;
	}
	enter_state(timeline, thread, time, NAME_RUNNING, &detail, cap->track != 0);
}

static void thread_stops(struct timeline *timeline, struct cap *cap, struct thread *thread,
	uint64_t time, const struct event *event)
{
	uint64_t status = feed_number(event, 2);
	const char *why = stop_reason_text(status);
	struct timeline_detail details[2] = {text_detail("reason", why), {NULL, 0, NULL, 0}};
	size_t count = 1;

	if (cap->is_running && cap->thread == thread->number)
		stop_running(timeline, cap, time, why);
	if (status == 8)
		details[count++] = number_detail("by thread", feed_number(event, 3));
	if (status >= 1 && status <= 3)
		enter_state(timeline, thread, time, NAME_RUNNABLE, details, count);
	else if (status == 5)
		enter_state(timeline, thread, time, NAMES, NULL, 0);
	else
		enter_state(timeline, thread, time, NAME_BLOCKED, details, count);
}

static void close_calls(struct timeline *timeline, struct thread *thread, uint64_t time)
{
	for (; thread->depth; thread->depth--)
		end(timeline, thread->calls, time, NULL, 0);
}

static void close_wait(struct timeline *timeline, struct thread *thread, uint64_t time)
{
	if (thread->waits)
		end(timeline, thread->waiting, time, NULL, 0);
	thread->waits = false;
}

static void close_thread(struct timeline *timeline, struct thread *thread, uint64_t time)
{
	close_calls(timeline, thread, time);
	close_wait(timeline, thread, time);
	if (thread->is_open)
		end(timeline, thread->track, time, NULL, 0);
	thread->is_open = false;
}

static void thread_exits(struct timeline *timeline, struct thread *thread, uint64_t time)
{
	for (size_t i = 0; i < timeline->cap_count; i++)
		if (timeline->caps[i].is_running && timeline->caps[i].thread == thread->number)
			stop_running(timeline, &timeline->caps[i], time, "finished");
	close_thread(timeline, thread, time);
	forget_thread(timeline, thread);
}

static void label_thread(struct timeline *timeline, struct thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	uint32_t length;
	const char *text = feed_text(batch, event, 2, &length);

	if (length >= LABEL_MAX)
		length = LABEL_MAX - 1;
	memcpy(thread->label, text, length);
	thread->label[length] = '\0';
	put_thread_track(timeline, thread, thread->track, TIMELINE_THREAD);
	put_thread_track(timeline, thread, thread->calls, TIMELINE_CALLS);
	put_thread_track(timeline, thread, thread->waiting, TIMELINE_WAITS);
}

/* ---- locks ---- */

static struct holder *find_holder(struct timeline *timeline, uint64_t lock)
{
	size_t at;

	if (timeline->holder_count * 2 >= timeline->holder_slots) {
		size_t count = timeline->holder_slots ? timeline->holder_slots * 2 : 64;
		struct holder *grown = calloc(count, sizeof(*grown));
		if (!grown) {
			timeline->has_failed = true;
			return NULL;
		}
		for (size_t i = 0; i < timeline->holder_slots; i++) {
			if (!timeline->holders[i].is_used)
				continue;
			at = mix(timeline->holders[i].lock) & (count - 1);
			while (grown[at].is_used)
				at = (at + 1) & (count - 1);
			grown[at] = timeline->holders[i];
		}
		free(timeline->holders);
		timeline->holders = grown;
		timeline->holder_slots = count;
	}
	at = mix(lock) & (timeline->holder_slots - 1);
	while (timeline->holders[at].is_used && timeline->holders[at].lock != lock)
		at = (at + 1) & (timeline->holder_slots - 1);
	return &timeline->holders[at];
}

/* An arrow goes from the thread that holds the lock to the one that waits for it. */
static void wait_begins(struct timeline *timeline, struct thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name = text_name(batch, event, 3);
	uint64_t lock = feed_number(event, 2);
	struct timeline_detail details[2] = {number_detail("lock", lock), {NULL, 0, NULL, 0}};
	struct timeline_mark mark = {
		.time = event->time, .name = &name, .details = details, .detail_count = 1};
	struct holder *holder = find_holder(timeline, lock);
	struct thread *other = NULL;

	close_wait(timeline, thread, event->time);
	if (holder && holder->is_used && holder->thread && holder->thread != thread->number)
		other = known_thread(timeline, holder->thread);
	if (other) {
		details[1] = number_detail("waiting thread", thread->number);
		mark.detail_count = 2;
		mark.track = track_of(timeline, other, &other->waiting, TIMELINE_WAITS);
		mark.flow_from = ++timeline->flows;
		timeline->writer->operations->instant(timeline->writer, &mark);
		details[1] = number_detail("held by thread", holder->thread);
		mark.flow_to = mark.flow_from;
		mark.flow_from = 0;
	}
	mark.track = track_of(timeline, thread, &thread->waiting, TIMELINE_WAITS);
	timeline->writer->operations->begin(timeline->writer, &mark);
	thread->waits = true;
}

static void lock_acquired(
	struct timeline *timeline, struct thread *thread, const struct event *event)
{
	struct holder *holder = find_holder(timeline, feed_number(event, 2));

	close_wait(timeline, thread, event->time);
	if (!holder)
		return;
	timeline->holder_count += !holder->is_used;
	*holder = (struct holder){feed_number(event, 2), thread->number, true};
}

static void lock_released(
	struct timeline *timeline, const struct thread *thread, const struct event *event)
{
	struct holder *holder = find_holder(timeline, feed_number(event, 2));

	if (holder && holder->is_used && holder->thread == thread->number)
		holder->thread = 0;
}

/* A wait for something other than a lock. */
static void thread_parks(struct timeline *timeline, struct thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name = text_name(batch, event, 2);

	close_wait(timeline, thread, event->time);
	begin(timeline, track_of(timeline, thread, &thread->waiting, TIMELINE_WAITS), event->time,
		&name, NULL, 0);
	thread->waits = true;
}

/* ---- calls ---- */

static void enters(struct timeline *timeline, struct thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name = method_name(timeline, batch, event);

	if (!name.text) {
		timeline->has_failed = true;
		return;
	}
	begin(timeline, track_of(timeline, thread, &thread->calls, TIMELINE_CALLS), event->time,
		&name, NULL, 0);
	thread->depth++;
}

static void returns(struct timeline *timeline, struct thread *thread, uint64_t time)
{
	if (!thread->depth)
		return;
	thread->depth--;
	end(timeline, thread->calls, time, NULL, 0);
}

/* ---- pauses and collections ---- */

static void phase_begins(struct timeline *timeline, struct cap *cap, uint64_t time,
	enum timeline_role role, const struct timeline_name *name,
	const struct timeline_detail *details, size_t count)
{
	if (cap->depth == DEPTH_MAX)
		return;
	cap->open[cap->depth++] = (uint8_t)role;
	begin(timeline, pauses_of(timeline, cap), time, name, details, count);
}

/* Ends what began with this role, and what is still open within it; nothing if it is not open. */
static void phase_ends(struct timeline *timeline, struct cap *cap, uint64_t time,
	enum timeline_role role, const struct timeline_detail *details, size_t count)
{
	unsigned int at = cap->depth;

	while (at && cap->open[at - 1] != role)
		at--;
	while (at && cap->depth >= at) {
		bool is_it = cap->depth == at;
		end(timeline, cap->pauses, time, is_it ? details : NULL, is_it ? count : 0);
		cap->depth--;
	}
}

static void constant_phase(struct timeline *timeline, struct cap *cap, uint64_t time,
	enum timeline_role role, enum constant which)
{
	struct timeline_name name = constant_name(which);

	phase_begins(timeline, cap, time, role, &name, NULL, 0);
}

static void pause_begins(struct timeline *timeline, struct cap *cap,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name reason = text_name(batch, event, 1), name;
	char text[LABEL_MAX + 16];

	snprintf(text, sizeof(text), "pause: %.*s", LABEL_MAX, reason.text);
	name = (struct timeline_name){0, text, (uint32_t)strlen(text)};
	phase_begins(timeline, cap, event->time, ROLE_PAUSE_BEGIN, &name, NULL, 0);
}

static void collection_begins(struct timeline *timeline, struct cap *cap,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name = constant_name(feed_number(event, 2) ? NAME_GC_FULL : NAME_GC);
	struct timeline_name cause = text_name(batch, event, 4);
	struct timeline_detail details[3] = {
		number_detail("generation", (uint32_t)feed_number(event, 1)),
		number_detail("bytes in use", feed_number(event, 3)),
		{"cause", 0, cause.text, cause.length}};

	cap->knows_used = event->argument_count > 3;
	cap->used = feed_number(event, 3);
	/* newer versions of the probe have appended arguments */
	phase_begins(timeline, cap, event->time, ROLE_GC_START, &name, details,
		1u + cap->knows_used + (cause.length > 0));
	if (cap->knows_used)
		count_bytes(timeline, COUNTER_USED, event->time, cap->used);
}

static void collection_ends(struct timeline *timeline, struct cap *cap, const struct event *event)
{
	struct timeline_detail detail = number_detail("bytes freed", feed_number(event, 3));
	bool knows = event->argument_count > 3;

	phase_ends(timeline, cap, event->time, ROLE_GC_START, &detail, knows);
	if (knows && cap->knows_used)
		count_bytes(timeline, COUNTER_USED, event->time,
			cap->used > detail.number ? cap->used - detail.number : 0);
	cap->knows_used = false;
}

/* Phases while guest code runs may outlive the collection, so they have a track of their own. */
static void concurrent_phase(
	struct timeline *timeline, struct cap *cap, uint64_t time, const struct timeline_name *name)
{
	char text[64];

	if (!cap->concurrent) {
		if (cap->number == CAP_NONE)
			snprintf(text, sizeof(text), "concurrent phases");
		else
			snprintf(text, sizeof(text), "capability %" PRIu32 ": concurrent phases",
				cap->number);
		cap->concurrent = add_track(timeline, TIMELINE_PAUSES, cap->number, text);
	}
	if (name) {
		begin(timeline, cap->concurrent, time, name, NULL, 0);
		cap->concurrent_depth++;
	} else if (cap->concurrent_depth) {
		end(timeline, cap->concurrent, time, NULL, 0);
		cap->concurrent_depth--;
	}
}

static void take_phase(struct timeline *timeline, struct cap *cap, enum timeline_role role,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name;
	uint64_t time = event->time;

	switch (role) {
	case ROLE_PAUSE_BEGIN:
		pause_begins(timeline, cap, batch, event);
		break;
	case ROLE_PHASE_BEGIN:
		name = text_name(batch, event, 1);
		if (feed_number(event, 2))
			concurrent_phase(timeline, cap, time, &name);
		else
			phase_begins(timeline, cap, time, role, &name, NULL, 0);
		break;
	case ROLE_PHASE_END:
		if (feed_number(event, 2))
			concurrent_phase(timeline, cap, time, NULL);
		else
			phase_ends(timeline, cap, time, ROLE_PHASE_BEGIN, NULL, 0);
		break;
	case ROLE_PAUSE_END:
		phase_ends(timeline, cap, time, ROLE_PAUSE_BEGIN, NULL, 0);
		break;
	case ROLE_GC_REQUEST:
		name = constant_name(NAME_GC_REQUEST);
		instant(timeline, pauses_of(timeline, cap), time, &name, NULL, 0);
		break;
	case ROLE_GC_START:
		collection_begins(timeline, cap, batch, event);
		break;
	case ROLE_GC_END:
		collection_ends(timeline, cap, event);
		break;
	case ROLE_GC_WORK:
	case ROLE_GC_IDLE:
	case ROLE_GC_DONE:
		phase_ends(timeline, cap, time, ROLE_GC_WORK, NULL, 0);
		phase_ends(timeline, cap, time, ROLE_GC_IDLE, NULL, 0);
		if (role != ROLE_GC_DONE)
			constant_phase(timeline, cap, time, role,
				role == ROLE_GC_WORK ? NAME_GC_WORK : NAME_GC_IDLE);
		break;
	case ROLE_MARK_BEGIN:
		constant_phase(timeline, cap, time, role, NAME_MARK);
		break;
	case ROLE_MARK_END:
		phase_ends(timeline, cap, time, ROLE_MARK_BEGIN, NULL, 0);
		break;
	case ROLE_SWEEP_BEGIN:
		constant_phase(timeline, cap, time, role, NAME_SWEEP);
		break;
	default:
		phase_ends(timeline, cap, time, ROLE_SWEEP_BEGIN, NULL, 0);
	}
}

static void take_heap(struct timeline *timeline, const struct event *event)
{
	for (unsigned int i = 0; i < 3 && i + 1 < event->argument_count; i++)
		count_bytes(timeline, COUNTER_ALLOCATED + i, event->time, event->arguments[i + 1]);
}

/* ---- what is loaded ---- */

static void loading_begins(struct timeline *timeline, enum timeline_role role,
	const struct event_batch *batch, const struct event *event)
{
	static const char *const verbs[] = {[ROLE_LOAD_BEGIN] = "load",
		[ROLE_REQUIRE_BEGIN] = "require",
		[ROLE_FIND_BEGIN] = "find",
		[ROLE_PARSE_BEGIN] = "parse"};
	struct timeline_name wanted = text_name(batch, event, 0), name;
	char text[512];

	if (timeline->loading_depth == sizeof(timeline->loading_open))
		return;
	timeline->loading_open[timeline->loading_depth++] = (uint8_t)role;
	snprintf(text, sizeof(text), "%s %s", verbs[role], wanted.text);
	name = (struct timeline_name){0, text, (uint32_t)strlen(text)};
	if (!timeline->loading)
		timeline->loading = add_track(timeline, TIMELINE_LOADING, 0, "loading");
	begin(timeline, timeline->loading, event->time, &name, NULL, 0);
}

static void loading_ends(struct timeline *timeline, enum timeline_role role, uint64_t time)
{
	unsigned int at = timeline->loading_depth;

	while (at && timeline->loading_open[at - 1] != role)
		at--;
	for (; at && timeline->loading_depth >= at; timeline->loading_depth--)
		end(timeline, timeline->loading, time, NULL, 0);
}

/* ---- events ---- */

static void close_all(struct timeline *timeline, uint64_t time)
{
	for (size_t i = 0; i < timeline->thread_slots; i++)
		if (timeline->threads[i])
			close_thread(timeline, timeline->threads[i], time);
	for (size_t i = 0; i < timeline->cap_count; i++) {
		struct cap *cap = &timeline->caps[i];
		for (; cap->depth; cap->depth--)
			end(timeline, cap->pauses, time, NULL, 0);
		for (; cap->concurrent_depth; cap->concurrent_depth--)
			end(timeline, cap->concurrent, time, NULL, 0);
		stop_running(timeline, cap, time, NULL);
	}
	for (; timeline->loading_depth; timeline->loading_depth--)
		end(timeline, timeline->loading, time, NULL, 0);
}

static void take_losses(struct timeline *timeline, const struct event_batch *batch)
{
	uint64_t count = 0;
	char text[64];
	struct timeline_name name = {0, text, 0};

	for (size_t i = 0; i < batch->loss_count; i++)
		count += batch->losses[i].count;
	if (!count)
		return;
	name.length = (uint32_t)snprintf(text, sizeof(text), "%" PRIu64 " events lost", count);
	close_all(timeline, timeline->latest);
	instant(timeline, timeline->messages, timeline->latest, &name, NULL, 0);
}

static void take_thread(struct timeline *timeline, enum timeline_role role,
	const struct event_batch *batch, const struct event *event)
{
	struct thread *thread = find_thread(timeline, feed_number(event, 1));
	struct cap *cap;
	struct timeline_detail detail;
	struct timeline_name name;

	/* memory for the capability may move those that were found before */
	cap = find_cap(timeline, feed_number(event, 0));
	if (!thread || !cap)
		return;
	switch (role) {
	case ROLE_THREAD_CREATE:
		track_of(timeline, thread, &thread->track, TIMELINE_THREAD);
		name = constant_name(NAME_CREATED);
		instant(timeline, thread->track, event->time, &name, NULL, 0);
		break;
	case ROLE_THREAD_LABEL:
		label_thread(timeline, thread, batch, event);
		break;
	case ROLE_THREAD_EXIT:
		thread_exits(timeline, thread, event->time);
		break;
	case ROLE_THREAD_RUN:
		thread_runs(timeline, cap, thread, event->time);
		break;
	case ROLE_THREAD_RUNNABLE:
		if (!thread->is_open || thread->state == NAME_BLOCKED)
			enter_state(timeline, thread, event->time, NAME_RUNNABLE, NULL, 0);
		break;
	case ROLE_THREAD_STOP:
		thread_stops(timeline, cap, thread, event->time, event);
		break;
	case ROLE_THREAD_MIGRATE:
		name = constant_name(NAME_MIGRATED);
		detail = number_detail("to capability", feed_number(event, 2));
		track_of(timeline, thread, &thread->track, TIMELINE_THREAD);
		instant(timeline, thread->track, event->time, &name, &detail, 1);
		break;
	case ROLE_LOCK_WAIT:
		wait_begins(timeline, thread, batch, event);
		break;
	case ROLE_PARK:
		thread_parks(timeline, thread, batch, event);
		break;
	case ROLE_UNPARK:
		close_wait(timeline, thread, event->time);
		break;
	case ROLE_LOCK_RELEASE:
		lock_released(timeline, thread, event);
		break;
	default:
		lock_acquired(timeline, thread, event);
	}
}

/* An exception on its thread's track of calls. */
static void take_exception(struct timeline *timeline, const char *what,
	const struct event_batch *batch, const struct event *event)
{
	struct thread *thread = find_thread(timeline, feed_number(event, 3));
	struct timeline_name class = text_name(batch, event, 0), name;
	char text[256];

	if (!thread)
		return;
	snprintf(text, sizeof(text), "%s %s", what, class.text);
	name = (struct timeline_name){0, text, (uint32_t)strlen(text)};
	instant(timeline, track_of(timeline, thread, &thread->calls, TIMELINE_CALLS), event->time,
		&name, NULL, 0);
}

static void take_event(struct timeline *timeline, enum timeline_role role,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name;
	struct thread *thread;
	struct cap *cap;

	switch (role) {
	case ROLE_ENTRY:
	case ROLE_RETURN:
		thread = find_thread(timeline, feed_number(event, 4));
		if (thread && role == ROLE_ENTRY)
			enters(timeline, thread, batch, event);
		else if (thread)
			returns(timeline, thread, event->time);
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
		take_exception(timeline, role == ROLE_RAISE ? "raise" : "rescue", batch, event);
		break;
	case ROLE_MESSAGE:
	case ROLE_MARKER:
		name = text_name(batch, event, 1);
		instant(timeline, timeline->messages, event->time, &name, NULL, 0);
		break;
	default:
		if (role <= ROLE_LOCK_ACQUIRED) {
			take_thread(timeline, role, batch, event);
		} else {
			cap = find_cap(timeline, feed_number(event, 0));
			if (cap)
				take_phase(timeline, cap, role, batch, event);
		}
	}
}

bool timeline_batch(
	struct timeline *timeline, const struct feed *feed, const struct event_batch *batch)
{
	take_losses(timeline, batch);
	for (size_t i = 0; i < batch->event_count && !timeline->has_failed; i++) {
		const struct event *event = &batch->events[i];

		if (event->time > timeline->latest)
			timeline->latest = event->time;
		take_event(timeline, (enum timeline_role)feed_role(feed, event), batch, event);
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
	timeline->messages = add_track(timeline, TIMELINE_MESSAGES, 0, "messages");
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->thread_slots; i++)
		free(timeline->threads[i]);
	free(timeline->threads);
	method_names_free(&timeline->methods);
	free(timeline->holders);
	free(timeline->caps);
	free(timeline);
}

int timeline_finish(struct timeline *timeline)
{
	close_all(timeline, timeline->latest);
	return timeline->writer->operations->finish(timeline->writer, timeline->latest);
}
