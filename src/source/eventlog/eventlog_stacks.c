/*
 * eventlog_stacks.c: the guest stacks of a log's events. An event's stack comes before it as an
 * event of its own, if the VM walks its stacks and was asked to. For other events, stacks are kept
 * from method-entry and method-return while the events are merged (method_stacks.h).
 *
 * The scan replaces the ids of a stack's names by indices, as it does in events, and notes where
 * the stack is; the merge decodes it with its event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "source/eventlog/eventlog_private.h"
#include "wire/wire.h"

enum { CUT_BYTES = 2, FRAME_BYTES = 16, KEPT_DEPTH_MAX = 4096, KEPT_THREADS_MAX = 1 << 16 };

/* The probes of provider vm that say which frames there are. */
static const struct {
	const char *name;
	uint8_t role, arguments; /* the least number of arguments */
} keeping[] = {
	{"method-entry", STACK_ENTRY, 5},
	{"method-return", STACK_RETURN, 5},
	{"thread-run", STACK_RUN, 2},
	{"thread-stop", STACK_STOP, 2},
	{"thread-exit", STACK_EXIT, 2},
};

static uint8_t stack_role(const struct description *description)
{
	if (strcmp(description->provider, DESCRIBE_PROVIDER) != 0)
		return STACK_NONE;
	for (size_t i = 0; i < sizeof(keeping) / sizeof(keeping[0]); i++)
		if (strcmp(description->name, keeping[i].name) == 0 &&
			description->argument_count >= keeping[i].arguments)
			return keeping[i].role;
	return STACK_NONE;
}

static uint8_t find_argument(const struct description *description, const char *name)
{
	for (uint8_t i = 0; i < description->argument_count; i++)
		if (strcmp(description->arguments[i].name, name) == 0)
			return i;
	return UINT8_MAX;
}

bool eventlog_walks(const struct eventlog *log)
{
	return is_stack(&log->plans[log->plan_of[WIRE_STACK]]) && !log->windows;
}

int eventlog_want_stacks(struct eventlog *log, bool keeps)
{
	if (!log->captures)
		log->captures = calloc(EVENTLOG_BATCH_EVENTS, sizeof(*log->captures));
	if (!log->frames)
		log->frames = calloc(EVENTLOG_BATCH_FRAMES, sizeof(*log->frames));
	if (log->is_sampled_by_kernel && !log->addresses)
		log->addresses = calloc(EVENTLOG_BATCH_FRAMES, sizeof(*log->addresses));
	if (log->is_sampled_by_kernel && eventlog_want_memory(log))
		return -ENOMEM;
	if (!log->captures || !log->frames || (log->is_sampled_by_kernel && !log->addresses))
		return -ENOMEM;
	if (!log->wants_stacks)
		method_stacks_init(
			&log->kept, sizeof(struct method_thread), KEPT_DEPTH_MAX, KEPT_THREADS_MAX);
	log->wants_stacks = true;
	log->tells_stacks = !log->is_sampled_by_kernel; /* nobody may have asked for jstack() */
	log->keeps_stacks = keeps;
	return 0;
}

void eventlog_want_user_stacks(struct eventlog *log)
{
	log->tells_stacks = true;
}

void eventlog_free_stacks(struct eventlog *log)
{
	free(log->captures);
	free(log->frames);
	free(log->addresses);
	free(log->pieces);
	free(log->piece_names);
	method_stacks_free(&log->kept);
	loss_gaps_free(&log->gaps);
}

uint16_t eventlog_stack_strings(const struct eventlog *log, const char *event)
{
	for (size_t i = 1; i < log->plan_count; i++) {
		const struct description *description = log->plans[i].description;
		uint8_t file;

		if (!description || strcmp(description->event, event) != 0)
			continue;
		if (stack_role(description) == STACK_ENTRY ||
			stack_role(description) == STACK_RETURN)
			return 1 << 0 | 1 << 1 | 1 << 2;
		file = find_argument(description, "file");
		return file < WIRE_ARGUMENTS_MAX ? (uint16_t)(1u << file) : 0;
	}
	return 0;
}

size_t eventlog_stack_events(
	const struct eventlog *log, const char *events[EVENTLOG_STACK_EVENTS_MAX])
{
	size_t count = 0;

	for (size_t i = 1; i < log->plan_count; i++) {
		const struct plan *plan = &log->plans[i];

		if (plan->description && stack_role(plan->description) != STACK_NONE &&
			eventlog_first_version(log, plan) == plan &&
			count < EVENTLOG_STACK_EVENTS_MAX)
			events[count++] = plan->description->event;
	}
	return count;
}

void eventlog_enable_stacks(struct eventlog *log)
{
	for (size_t i = 1; log->keeps_stacks && i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];

		if (!plan->description)
			continue;
		plan->stack_role = stack_role(plan->description);
		plan->thread_argument = find_argument(plan->description, "thread");
		plan->file_argument = find_argument(plan->description, "file");
		plan->line_argument = find_argument(plan->description, "line");
		plan->kernel_argument = find_argument(plan->description, "kernel_frames");
		if (plan->stack_role == STACK_NONE)
			continue;
		plan->role = ROLE_WANTED;
		plan->is_direct = plan->is_direct && plan->is_wanted;
	}
}

/* ---- the scan ---- */

void eventlog_note_stack(struct eventlog *log, unsigned char *payload, size_t size)
{
	log->stack = 0;
	if (!log->wants_stacks || log->windows)
		return;
	for (size_t at = CUT_BYTES; at + FRAME_BYTES <= size; at += FRAME_BYTES) {
		for (unsigned i = 0; i < 3; i++) {
			unsigned char *id = payload + at + i * 4;
			uint32_t index = names_index(&log->names, bytes_u32(id));

			memcpy(id, &index, sizeof(index));
		}
	}
	log->stack = log->scanned;
}

/* ---- the merge ---- */

/* Decodes the stack at a position into the batch's frames. */
static void take_walked(struct eventlog *log, uint64_t position, struct event_guest_stack *stack)
{
	const unsigned char *at = log->buffer + (position - log->base) + WIRE_EVENT_BYTES;
	uint32_t count = (bytes_u16(at) - CUT_BYTES) / FRAME_BYTES;
	struct event_frame *frames = log->frames + log->frame_count;

	if (count > EVENTLOG_FRAMES_MAX)
		count = EVENTLOG_FRAMES_MAX;
	*stack = (struct event_guest_stack){
		.frames = frames, .count = count, .cut = bytes_u16(at + 2)};
	at += 2 + CUT_BYTES;
	for (uint32_t i = 0; i < count; i++, at += FRAME_BYTES) {
		for (unsigned j = 0; j < 3; j++) {
			uint32_t index;

			memcpy(&index, at + j * 4, sizeof(index));
			frames[i].names[j] = event_handle(index, 0);
		}
		frames[i].line = bytes_u32(at + 12);
	}
	log->frame_count += count;
}

/* Makes the stacks of the kernel and the process of a stack whose frames are places: the kernel's
 * come first. Functions within others have no place, and are not in these stacks. */
static void take_places(struct eventlog *log, const struct plan *plan, const uint64_t *arguments)
{
	const uint32_t count = log->guest.count;
	uint64_t kernel = 0, *addresses;
	uint32_t used = 0, of_kernel = 0;

	log->kernel = log->user = (struct event_stack){0};
	if (!log->is_sampled_by_kernel || !log->addresses || !count)
		return;
	if (plan->kernel_argument < plan->argument_count)
		kernel = arguments[plan->kernel_argument];
	addresses = log->addresses + (log->guest.frames - log->frames);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t handle = log->guest.frames[i].names[2];
		uint32_t index = (uint32_t)((handle & ~EVENT_HANDLE) >> EVENT_HANDLE_OFFSET_BITS);

		addresses[used] = recorded_places_address(
			&log->places, index, index ? log->names.texts[index] : NULL);
		if (!addresses[used])
			continue;
		used++;
		of_kernel += i < kernel;
	}
	log->kernel = (struct event_stack){addresses, of_kernel};
	log->user = (struct event_stack){addresses + of_kernel, used - of_kernel};
}

/* Copies a kept stack. A frame stores where it was called, which is where its caller is now. The
 * innermost frame is where the event happened, if the event says so. */
static void copy_kept(struct eventlog *log, const struct method_thread *thread,
	const struct plan *plan, const uint64_t *arguments, struct event_guest_stack *stack)
{
	uint32_t count = thread->depth < EVENTLOG_FRAMES_MAX ? thread->depth : EVENTLOG_FRAMES_MAX;
	struct event_frame *frames = log->frames + log->frame_count;
	uint64_t file = event_handle(0, 0);
	uint32_t line = 0;

	if (plan->stack_role == STACK_NONE && plan->file_argument < plan->argument_count &&
		plan->line_argument < plan->argument_count) {
		file = arguments[plan->file_argument];
		line = (uint32_t)arguments[plan->line_argument];
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct method_frame *frame = &thread->frames[thread->depth - 1 - i];

		frames[i] = (struct event_frame){
			.names = {frame->class, frame->method, file}, .line = line};
		file = frame->file;
		line = frame->line;
	}
	*stack = (struct event_guest_stack){
		.frames = frames, .count = count, .cut = thread->depth + thread->extra - count};
	log->frame_count += count;
}

void eventlog_tell_stacks(struct eventlog *log)
{
	static const char kept[] =
		"the VM does not walk its stacks, or was not asked to: jstack( ) "
		"shows those kept from method-entry and method-return";
	static const char none[] = "no event has a guest stack, so jstack( ) is empty: the VM does "
				   "not walk its stacks, or the log was recorded without --stacks";

	static const char user[] =
		"no event of these probes has a stack, so ustack( ) is empty: the log "
		"was recorded without --stacks";

	if (!log->tells_stacks || !log->wants_stacks ||
		(!log->has_kept &&
			(log->stage < STAGE_ENDED || log->heap_count || log->has_stack ||
				!log->has_none)))
		return;
	log->tells_stacks = false;
	if (log->is_sampled_by_kernel && !log->has_kept)
		eventlog_add_message(log, user, sizeof(user) - 1);
	else if (log->has_kept && !log->is_sampled_by_kernel)
		eventlog_add_message(log, kept, sizeof(kept) - 1);
	else if (!log->is_sampled_by_kernel)
		eventlog_add_message(log, none, sizeof(none) - 1);
}

/* Finds the kept stack of the thread that the event is about. */
static void take_kept(struct eventlog *log, const struct plan *plan, uint32_t tid,
	const uint64_t *arguments, struct event_guest_stack *stack)
{
	const struct method_thread *thread = plan->thread_argument < plan->argument_count
		? method_stacks_find(&log->kept, (uint32_t)arguments[plan->thread_argument])
		: method_stacks_running(&log->kept, tid);

	if (thread)
		copy_kept(log, thread, plan, arguments, stack);
}

/* If memory runs out or there are too many threads, all stacks are forgotten. */
static void enter_kept(struct eventlog *log, const uint64_t *arguments)
{
	const struct method_frame frame = {.class = arguments[0],
		.method = arguments[1],
		.file = arguments[2],
		.line = (uint32_t)arguments[3]};
	struct method_thread *thread = method_stacks_add(&log->kept, (uint32_t)arguments[4]);

	if (!thread || !method_stacks_enter(&log->kept, thread, &frame))
		method_stacks_forget(&log->kept);
}

/* If an OS thread cannot be noted, only those of its events that name no guest thread lack
 * stacks. */
static void begin_kept(
	struct eventlog *log, const struct plan *plan, uint32_t tid, const uint64_t *arguments)
{
	switch (plan->stack_role) {
	case STACK_ENTRY:
		method_stacks_run(&log->kept, tid, (uint32_t)arguments[4]);
		enter_kept(log, arguments);
		break;
	case STACK_RETURN:
		method_stacks_run(&log->kept, tid, (uint32_t)arguments[4]);
		break;
	case STACK_RUN:
		method_stacks_run(&log->kept, tid, (uint32_t)arguments[1]);
		break;
	}
}

static void end_kept(
	struct eventlog *log, const struct plan *plan, uint32_t tid, const uint64_t *arguments)
{
	struct method_thread *thread;

	switch (plan->stack_role) {
	case STACK_RETURN:
		thread = method_stacks_find(&log->kept, (uint32_t)arguments[4]);
		if (thread)
			method_stacks_leave(thread, arguments[0], arguments[1]);
		break;
	case STACK_STOP:
		method_stacks_stop(&log->kept, tid);
		break;
	case STACK_EXIT:
		method_stacks_exit(&log->kept, (uint32_t)arguments[1]);
		break;
	}
}

/* Returns true if stacks can be kept at this time: not while events are lost. */
static bool keeps_at(struct eventlog *log, uint64_t time)
{
	if (loss_gaps_begin(&log->gaps, time))
		method_stacks_forget(&log->kept);
	return !loss_gaps_contain(&log->gaps, time);
}

void eventlog_take_stack(struct eventlog *log, const struct plan *plan, const struct event_run *run,
	const uint64_t *arguments)
{
	struct event_guest_stack *stack = &log->guest;
	bool is_kept;

	*stack = (struct event_guest_stack){0};
	is_kept = log->keeps_stacks && keeps_at(log, run->time);
	if (is_kept)
		begin_kept(log, plan, run->tid, arguments);
	if (run->stack)
		take_walked(log, run->stack, stack);
	else if (is_kept && (plan->is_wanted || plan->wants_compats))
		take_kept(log, plan, run->tid, arguments, stack);
	take_places(log, plan, arguments);
	log->has_kept |= !run->stack && stack->count;
	log->has_stack |= run->stack || stack->count;
	log->has_none |= plan->is_wanted;
	if (is_kept)
		end_kept(log, plan, run->tid, arguments);
}
