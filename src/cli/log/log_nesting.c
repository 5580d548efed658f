/*
 * log_nesting.c: see log_nesting.h.
 *
 * Stacks of open frames, one for each guest thread and three for each capability, in one hash
 * table. A thread's frames are its methods and native methods together, and what it waits for: they
 * end in the opposite order of their beginnings. A capability's stacks are a pause and its
 * safepoint; a collection and its phases; phases that run while guest code does. After an error the
 * stack is repaired: frames above the one that ends are dropped, an end without a frame is ignored.
 *
 * A collection that begins in a pause ends in it, and a pause that begins in a collection ends
 * before that does, unless the collector is incremental: then guest code runs during a collection,
 * and phases begin after the pause. So a finding of this kind waits until the collection ends.
 *
 * A log may hold only beginnings, because nobody recorded the ends. So what has not ended is an
 * error only once an end of its kind is seen; the first finding of a kind waits until then.
 *
 * An end without a beginning is an error only if the beginning cannot be missing for another
 * reason. A thread's stack is complete if the log has the thread's creation, or the VM's startup.
 * On a capability frames of one kind do not contain each other, so the first one that begins in
 * the log shows that none is open from before. If no frame of a kind ever begins, its beginnings
 * were not recorded.
 */
#include "cli/log/log_nesting.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean_text.h"
#include "base/hash_table.h"
#include "base/method_text.h"
#include "wire/wire.h"

enum {
	FRAMES_MAX = 4 * 1024 * 1024, /* open at a time, in all stacks */
	STACKS_MAX = 1024 * 1024,
	NAME_BYTES = 120 /* of a frame in a message */
};

enum what { BEGINS, ENDS, CREATES, EXITS, STARTS };

enum scope {
	OF_THREAD, /* a frame of the thread that an argument names */
	OF_CAP,    /* a frame of a collection, on the capability in argument 0 */
	OF_PAUSE,  /* the same of a pause */
	OF_PHASE,  /* the same of a collection or, if argument 2 is not 0, beside it */
	OF_PROCESS /* counted in the whole process */
};

enum {
	METHOD,
	NATIVE,
	PARK,
	REQUIRE,
	FIND_REQUIRE,
	LOAD,
	PARSE,
	FINALIZER,
	COMPILATION,
	PAUSE,
	SAFEPOINT,
	COLLECTION,
	MARK,
	SWEEP,
	PHASE,
	KINDS
};

static const char *const kind_names[KINDS] = {"method", "native method", "wait", "require",
	"find-require", "load", "parse", "finalizer", "compilation", "pause", "safepoint",
	"collection", "mark phase", "sweep phase", "phase"};

static const struct nesting_role {
	const char *probe;
	uint8_t what, scope, kind;
	uint8_t thread; /* the argument that holds the thread; the last one that is needed */
	bool is_named;  /* arguments 0 and 1 are a class and a method */
	bool of_ghc, of_vm;
} roles[] = {
	{"startup", STARTS, OF_PROCESS, 0, 0, false, true, true},
	{"thread-create", CREATES, OF_THREAD, 0, 1, false, false, true},
	{"thread-exit", EXITS, OF_THREAD, 0, 1, false, false, true},
	{"method-entry", BEGINS, OF_THREAD, METHOD, 4, true, false, true},
	{"method-return", ENDS, OF_THREAD, METHOD, 4, true, false, true},
	{"native-entry", BEGINS, OF_THREAD, NATIVE, 4, true, false, true},
	{"native-return", ENDS, OF_THREAD, NATIVE, 4, true, false, true},
	{"require-entry", BEGINS, OF_PROCESS, REQUIRE, 0, false, false, true},
	{"require-return", ENDS, OF_PROCESS, REQUIRE, 0, false, false, true},
	{"find-require-entry", BEGINS, OF_PROCESS, FIND_REQUIRE, 0, false, false, true},
	{"find-require-return", ENDS, OF_PROCESS, FIND_REQUIRE, 0, false, false, true},
	{"load-entry", BEGINS, OF_PROCESS, LOAD, 0, false, false, true},
	{"load-return", ENDS, OF_PROCESS, LOAD, 0, false, false, true},
	{"parse-begin", BEGINS, OF_PROCESS, PARSE, 0, false, false, true},
	{"parse-end", ENDS, OF_PROCESS, PARSE, 0, false, false, true},
	{"finalize-begin", BEGINS, OF_PROCESS, FINALIZER, 0, false, false, true},
	{"finalize-end", ENDS, OF_PROCESS, FINALIZER, 0, false, false, true},
	{"compile-begin", BEGINS, OF_PROCESS, COMPILATION, 0, false, false, true},
	{"compile-end", ENDS, OF_PROCESS, COMPILATION, 0, false, false, true},
	{"thread-park", BEGINS, OF_THREAD, PARK, 1, false, false, true},
	{"thread-unpark", ENDS, OF_THREAD, PARK, 1, false, false, true},
	{"pause-begin", BEGINS, OF_PAUSE, PAUSE, 0, false, false, true},
	{"pause-end", ENDS, OF_PAUSE, PAUSE, 0, false, false, true},
	{"safepoint-begin", BEGINS, OF_PAUSE, SAFEPOINT, 0, false, false, true},
	{"safepoint-end", ENDS, OF_PAUSE, SAFEPOINT, 0, false, false, true},
	{"gc-start", BEGINS, OF_CAP, COLLECTION, 0, false, true, true},
	{"gc-end", ENDS, OF_CAP, COLLECTION, 0, false, true, true},
	{"gc-mark-begin", BEGINS, OF_CAP, MARK, 0, false, false, true},
	{"gc-mark-end", ENDS, OF_CAP, MARK, 0, false, false, true},
	{"gc-sweep-begin", BEGINS, OF_CAP, SWEEP, 0, false, false, true},
	{"gc-sweep-end", ENDS, OF_CAP, SWEEP, 0, false, false, true},
	{"gc-phase-begin", BEGINS, OF_PHASE, PHASE, 2, false, false, true},
	{"gc-phase-end", ENDS, OF_PHASE, PHASE, 2, false, false, true},
};

struct frame {
	uint64_t time;
	const struct text *class, *method; /* names; NULL: unknown, equal to any */
	uint8_t kind;
};

struct stack {
	uint64_t key; /* thread, or CAP_KEY | one of the other keys | capability */
	struct frame *frames;
	uint32_t count;
	size_t capacity;
	uint32_t begun; /* one bit for each kind that has begun here */
	bool is_complete;
	/* of the collection that is open */
	bool has_phases; /* one has begun since it, or since the pause ended that it began in */
	uint64_t pause;  /* when the pause began that it began in; 0: in none */
	char *unless;    /* a finding unless a phase begins before the collection's end */
};

#define CAP_KEY (UINT64_C(1) << 32)
#define PAUSE_KEY (UINT64_C(1) << 33)
#define BESIDE_KEY (UINT64_C(1) << 34)

struct log_nesting {
	uint64_t start;
	log_nesting_report report;
	void *context;
	struct stack *stacks;
	size_t stack_count, stack_capacity;
	struct hash_table stack_table; /* by key */
	size_t frame_count;
	bool is_full;     /* a limit was reached, or memory is out: nothing is checked any more */
	bool has_startup; /* and nothing was lost since */
	bool has_begun[KINDS]; /* the log has beginnings of this kind */
	bool has_ended[KINDS]; /* and ends */
	char *doubtful[KINDS]; /* the first finding that is one only if ends are recorded */
	uint64_t open[KINDS];  /* OF_PROCESS: how many */
	uint64_t time;
};

struct log_nesting *log_nesting_new(uint64_t start, log_nesting_report report, void *context)
{
	struct log_nesting *nesting = calloc(1, sizeof(*nesting));

	if (!nesting)
		return NULL;
	nesting->start = start;
	nesting->report = report;
	nesting->context = context;
	return nesting;
}

static void forget_stacks(struct log_nesting *nesting)
{
	for (size_t i = 0; i < nesting->stack_count; i++) {
		free(nesting->stacks[i].unless);
		free(nesting->stacks[i].frames);
	}
	free(nesting->stacks);
	nesting->stacks = NULL;
	hash_table_free(&nesting->stack_table);
	nesting->stack_count = nesting->stack_capacity = nesting->frame_count = 0;
}

void log_nesting_free(struct log_nesting *nesting)
{
	if (!nesting)
		return;
	forget_stacks(nesting);
	for (unsigned i = 0; i < KINDS; i++)
		free(nesting->doubtful[i]);
	free(nesting);
}

int log_nesting_role(const char *probe, unsigned int argument_count, bool is_ghc)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(roles[i].probe, probe) && (is_ghc ? roles[i].of_ghc : roles[i].of_vm) &&
			argument_count > roles[i].thread)
			return (int)i;
	return -1;
}

/* ---- stacks ---- */

static bool is_stack(const void *stacks, uint32_t index, const void *key)
{
	return ((const struct stack *)stacks)[index].key == *(const uint64_t *)key;
}

/* NULL: there is none. Valid until the next stack is created. */
static struct stack *known_stack(const struct log_nesting *nesting, uint64_t key)
{
	uint32_t index = hash_table_find(
		&nesting->stack_table, hash_table_number(key), is_stack, nesting->stacks, &key);

	return index == HASH_TABLE_NONE ? NULL : &nesting->stacks[index];
}

/* The same, created if there is none; NULL: a limit. */
static struct stack *find_stack(struct log_nesting *nesting, uint64_t key)
{
	struct stack *stack = known_stack(nesting, key);

	if (stack)
		return stack;
	if (nesting->stack_count == STACKS_MAX ||
		array_room(&nesting->stacks, &nesting->stack_capacity, nesting->stack_count,
			sizeof(*stack)) ||
		hash_table_add(&nesting->stack_table, hash_table_number(key),
			(uint32_t)nesting->stack_count))
		return NULL;
	stack = &nesting->stacks[nesting->stack_count++];
	*stack = (struct stack){.key = key, .is_complete = nesting->has_startup};
	return stack;
}

static bool push(struct log_nesting *nesting, struct stack *stack, const struct frame *frame)
{
	if (nesting->frame_count == FRAMES_MAX)
		return false;
	if (array_room(&stack->frames, &stack->capacity, stack->count, sizeof(*frame)))
		return false;
	stack->frames[stack->count++] = *frame;
	nesting->frame_count++;
	return true;
}

static struct frame *open_frame(const struct stack *stack, unsigned kind)
{
	for (uint32_t i = 0; stack && i < stack->count; i++)
		if (stack->frames[i].kind == kind)
			return &stack->frames[i];
	return NULL;
}

static void drop(struct log_nesting *nesting, struct stack *stack, uint32_t count)
{
	nesting->frame_count -= stack->count - count;
	stack->count = count;
	if (!stack->unless || open_frame(stack, COLLECTION))
		return;
	free(stack->unless);
	stack->unless = NULL;
}

/* ---- reports ---- */

enum { WHAT_BYTES = 2 * NAME_BYTES + 200, FINDING_BYTES = WHAT_BYTES + 100 };

static __attribute__((format(printf, 4, 0))) void write_finding(char text[FINDING_BYTES],
	const struct log_nesting *nesting, const struct stack *stack, const char *format,
	va_list arguments)
{
	char what[WHAT_BYTES], whose[40] = "";

	vsnprintf(what, sizeof(what), format, arguments);
	if (stack && stack->key & CAP_KEY && (uint16_t)stack->key != WIRE_NO_CAP)
		snprintf(whose, sizeof(whose), "capability %u: ", (uint16_t)stack->key);
	else if (stack && !(stack->key & CAP_KEY))
		snprintf(whose, sizeof(whose), "thread %" PRIu32 ": ", (uint32_t)stack->key);
	snprintf(text, FINDING_BYTES, "time %" PRIu64 ": %s%s", nesting->time - nesting->start,
		whose, what);
}

static __attribute__((format(printf, 4, 5))) void write_text(char text[FINDING_BYTES],
	const struct log_nesting *nesting, const struct stack *stack, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_finding(text, nesting, stack, format, arguments);
	va_end(arguments);
}

static __attribute__((format(printf, 3, 4))) void report(
	struct log_nesting *nesting, const struct stack *stack, const char *format, ...)
{
	char text[FINDING_BYTES];
	va_list arguments;

	va_start(arguments, format);
	write_finding(text, nesting, stack, format, arguments);
	va_end(arguments);
	nesting->report(nesting->context, text);
}

/* Reports that something of this kind has not ended, as soon as an end of the kind is seen. */
static __attribute__((format(printf, 4, 5))) void report_open(struct log_nesting *nesting,
	const struct stack *stack, unsigned kind, const char *format, ...)
{
	char text[FINDING_BYTES];
	va_list arguments;

	if (!nesting->has_ended[kind] && nesting->doubtful[kind])
		return;
	va_start(arguments, format);
	write_finding(text, nesting, stack, format, arguments);
	va_end(arguments);
	if (nesting->has_ended[kind])
		nesting->report(nesting->context, text);
	else
		nesting->doubtful[kind] = strdup(text);
}

static void note_end(struct log_nesting *nesting, unsigned kind)
{
	nesting->has_ended[kind] = true;
	if (nesting->doubtful[kind])
		nesting->report(nesting->context, nesting->doubtful[kind]);
	free(nesting->doubtful[kind]);
	nesting->doubtful[kind] = NULL;
}

static size_t put_name(char *to, size_t size, const struct text *text)
{
	clean_text(to, size, text->bytes, text->length, false);
	return strlen(to);
}

/* "method Task#run", "collection" */
static const char *frame_text(const struct frame *frame, char text[NAME_BYTES])
{
	size_t used = (size_t)snprintf(text, NAME_BYTES, "%s", kind_names[frame->kind]);
	char class[NAME_BYTES / 2], method[NAME_BYTES];

	if (!frame->class || (!frame->method && frame->kind != PHASE))
		return text;
	text[used++] = ' ';
	if (frame->kind == PHASE) {
		put_name(text + used, NAME_BYTES - used, frame->class);
		return text;
	}
	put_name(class, sizeof(class), frame->class);
	put_name(method, sizeof(method), frame->method);
	method_text(text + used, NAME_BYTES - used, (struct method_part){class, strlen(class)},
		(struct method_part){method, strlen(method)});
	return text;
}

/* ---- events ---- */

static bool is_same(const struct frame *one, const struct frame *other)
{
	return one->kind == other->kind &&
		(!one->class || !other->class || one->class == other->class) &&
		(!one->method || !other->method || one->method == other->method);
}

/* ---- pauses and collections ---- */

static struct stack *collections_of(struct log_nesting *nesting, const struct stack *stack)
{
	return known_stack(nesting, CAP_KEY | (uint16_t)stack->key);
}

static const struct frame *pause_of(struct log_nesting *nesting, const struct stack *stack)
{
	return open_frame(known_stack(nesting, CAP_KEY | PAUSE_KEY | (uint16_t)stack->key), PAUSE);
}

static void begin_phase(struct log_nesting *nesting, const struct stack *stack)
{
	struct stack *collections = collections_of(nesting, stack);

	if (!collections)
		return;
	collections->has_phases = true;
	free(collections->unless);
	collections->unless = NULL;
}

static void end_pause(struct log_nesting *nesting, const struct stack *stack, uint64_t time)
{
	struct stack *collections = collections_of(nesting, stack);
	const struct frame *collection = open_frame(collections, COLLECTION);
	char text[FINDING_BYTES];

	if (!collection || collections->pause != time || collections->unless)
		return;
	write_text(text, nesting, stack,
		"pause ends, and collection, which began in it at time %" PRIu64 ", has not ended",
		collection->time - nesting->start);
	collections->has_phases = false;
	collections->unless = strdup(text);
}

static void end_collection(struct log_nesting *nesting, const struct stack *stack, uint64_t time)
{
	const struct frame *pause = pause_of(nesting, stack);

	if (stack->unless)
		nesting->report(nesting->context, stack->unless);
	else if (pause && pause->time > time && !stack->has_phases)
		report_open(nesting, stack, PAUSE,
			"collection ends, and pause, which began in it at time %" PRIu64
			", has not ended",
			pause->time - nesting->start);
}

/* ---- what begins and ends ---- */

static bool begin(struct log_nesting *nesting, struct stack *stack, const struct frame *frame)
{
	nesting->has_begun[frame->kind] = true;
	stack->begun |= 1u << frame->kind;
	for (uint32_t i = 0; stack->key & CAP_KEY && i < stack->count; i++) {
		if (frame->kind == PHASE ? !is_same(&stack->frames[i], frame)
					 : stack->frames[i].kind != frame->kind)
			continue;
		if (frame->kind == COLLECTION && stack->unless)
			nesting->report(nesting->context, stack->unless);
		report_open(nesting, stack, frame->kind,
			"a %s begins within one that began at time %" PRIu64,
			kind_names[frame->kind], stack->frames[i].time - nesting->start);
		drop(nesting, stack, i);
	}
	if (frame->kind == COLLECTION) {
		const struct frame *pause = pause_of(nesting, stack);

		stack->pause = pause ? pause->time : 0;
		stack->has_phases = false;
	} else if (frame->kind == PHASE) {
		begin_phase(nesting, stack);
	}
	return push(nesting, stack, frame);
}

static void end(struct log_nesting *nesting, struct stack *stack, const struct frame *frame)
{
	char name[NAME_BYTES], inner[NAME_BYTES];
	uint32_t at = stack->count;
	bool is_known =
		stack->is_complete || (stack->key & CAP_KEY && stack->begun >> frame->kind & 1);

	note_end(nesting, frame->kind);
	while (at && !is_same(&stack->frames[at - 1], frame))
		at--;
	if (at && at < stack->count)
		report_open(nesting, stack, stack->frames[at].kind,
			"%s ends, and %s, which began in it at time %" PRIu64 ", has not ended",
			frame_text(frame, name), frame_text(&stack->frames[at], inner),
			stack->frames[at].time - nesting->start);
	else if (!at && stack->count && stack->is_complete && !(stack->key & CAP_KEY))
		report(nesting, stack, "%s ends instead of %s, which began at time %" PRIu64,
			frame_text(frame, name),
			frame_text(&stack->frames[stack->count - 1], inner),
			stack->frames[stack->count - 1].time - nesting->start);
	else if (!at && is_known && nesting->has_begun[frame->kind])
		report(nesting, stack, "%s ends, and has not begun", frame_text(frame, name));
	if (at && frame->kind == PAUSE)
		end_pause(nesting, stack, stack->frames[at - 1].time);
	else if (at && frame->kind == COLLECTION)
		end_collection(nesting, stack, stack->frames[at - 1].time);
	if (at)
		drop(nesting, stack, at - 1);
}

static void thread_ends(struct log_nesting *nesting, struct stack *stack)
{
	char name[NAME_BYTES];

	if (stack->count)
		report_open(nesting, stack, stack->frames[stack->count - 1].kind,
			"the thread has exited, and %s, which began at time %" PRIu64
			", has not ended",
			frame_text(&stack->frames[stack->count - 1], name),
			stack->frames[stack->count - 1].time - nesting->start);
	drop(nesting, stack, 0);
}

static void count_process(struct log_nesting *nesting, const struct nesting_role *role)
{
	uint64_t *open = &nesting->open[role->kind];

	if (role->what == BEGINS) {
		nesting->has_begun[role->kind] = true;
		++*open;
	} else if (*open) {
		--*open;
	} else if (nesting->has_startup && nesting->has_begun[role->kind]) {
		report(nesting, NULL, "a %s ends, and none has begun", kind_names[role->kind]);
	}
}

/* A name, unless it is valid in this batch only. */
static const struct text *lasting(const struct event_batch *batch, uint64_t handle)
{
	uint32_t offset;

	return handle & EVENT_HANDLE_TRANSIENT ? NULL : event_text(batch, handle, &offset);
}

void log_nesting_event(struct log_nesting *nesting, int number, const struct event_batch *batch,
	const struct event *event)
{
	const struct nesting_role *role = &roles[number];
	struct frame frame = {.time = event->time, .kind = role->kind};
	uint64_t key;
	struct stack *stack;

	if (nesting->is_full)
		return;
	nesting->time = event->time;
	if (role->what == STARTS)
		nesting->has_startup = true;
	else if (role->scope == OF_PROCESS)
		count_process(nesting, role);
	if (role->scope == OF_PROCESS)
		return;
	key = role->scope == OF_THREAD ? (uint32_t)event->arguments[role->thread]
				       : CAP_KEY | (uint16_t)event->arguments[0];
	if (role->scope == OF_PAUSE)
		key |= PAUSE_KEY;
	if (role->scope == OF_PHASE && event->arguments[2])
		key |= BESIDE_KEY;
	if (role->scope == OF_PHASE)
		frame.class = lasting(batch, event->arguments[1]);
	if (role->is_named) {
		frame.class = lasting(batch, event->arguments[0]);
		frame.method = lasting(batch, event->arguments[1]);
	}
	stack = find_stack(nesting, key);
	if (!stack) {
		nesting->is_full = true;
		return;
	}
	if (role->what == BEGINS) {
		nesting->is_full = !begin(nesting, stack, &frame);
	} else if (role->what == ENDS) {
		end(nesting, stack, &frame);
	} else {
		if (role->what == EXITS)
			thread_ends(nesting, stack);
		drop(nesting, stack, 0);
		stack->is_complete = true;
	}
}

void log_nesting_end(struct log_nesting *nesting, bool is_whole)
{
	char name[NAME_BYTES];

	for (size_t i = 0; i < nesting->stack_count; i++) {
		struct stack *stack = &nesting->stacks[i];
		const struct frame *top = stack->count ? &stack->frames[stack->count - 1] : NULL;

		if (stack->unless)
			nesting->report(nesting->context, stack->unless);
		if (top && is_whole)
			report(nesting, stack,
				"the VM has ended, and %s, which began at time %" PRIu64
				", has not ended",
				frame_text(top, name), top->time - nesting->start);
	}
	for (unsigned i = 0; is_whole && i < KINDS; i++) {
		if (nesting->doubtful[i])
			nesting->report(nesting->context, nesting->doubtful[i]);
		if (nesting->open[i])
			report(nesting, NULL,
				"the VM has ended, and a %s has begun without ending, %" PRIu64
				" in all",
				kind_names[i], nesting->open[i]);
	}
	forget_stacks(nesting);
}

void log_nesting_lost(struct log_nesting *nesting)
{
	forget_stacks(nesting);
	nesting->has_startup = false;
	memset(nesting->open, 0, sizeof(nesting->open));
}
