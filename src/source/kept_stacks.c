/* kept_stacks.c: see kept_stacks.h. */
#include "source/kept_stacks.h"

#include <stdlib.h>

enum { SLOTS_START = 64, FRAMES_START = 16 };

static size_t place_of(const struct kept_stacks *kept, uint32_t number)
{
	return (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (kept->thread_slots - 1);
}

/* The slot of a thread, or the free one where it belongs. */
static struct kept_thread *slot_of(const struct kept_stacks *kept, uint32_t number)
{
	size_t at = place_of(kept, number);

	while (kept->threads[at].is_there && kept->threads[at].number != number)
		at = (at + 1) & (kept->thread_slots - 1);
	return &kept->threads[at];
}

static bool grow(struct kept_stacks *kept)
{
	struct kept_stacks grown = {
		.thread_slots = kept->thread_slots ? kept->thread_slots * 2 : SLOTS_START};

	if (kept->thread_count >= KEPT_THREADS_MAX)
		return false;
	grown.threads = calloc(grown.thread_slots, sizeof(*grown.threads));
	if (!grown.threads)
		return false;
	for (size_t i = 0; i < kept->thread_slots; i++)
		if (kept->threads[i].is_there)
			*slot_of(&grown, kept->threads[i].number) = kept->threads[i];
	free(kept->threads);
	kept->threads = grown.threads;
	kept->thread_slots = grown.thread_slots;
	return true;
}

void kept_stacks_free(struct kept_stacks *kept)
{
	for (size_t i = 0; i < kept->thread_slots; i++)
		free(kept->threads[i].frames);
	free(kept->threads);
	free(kept->os_threads);
	*kept = (struct kept_stacks){0};
}

bool kept_stacks_enter(struct kept_stacks *kept, uint32_t number, const struct kept_frame *frame)
{
	struct kept_thread *thread;
	struct kept_frame *frames;
	uint32_t capacity;

	if (kept->thread_count * 2 >= kept->thread_slots && !grow(kept))
		return false;
	thread = slot_of(kept, number);
	if (!thread->is_there) {
		*thread = (struct kept_thread){.is_there = true, .number = number};
		kept->thread_count++;
	}
	if (thread->depth == thread->capacity && thread->depth < KEPT_DEPTH_MAX) {
		capacity = thread->capacity ? thread->capacity * 2 : FRAMES_START;
		frames = realloc(thread->frames, capacity * sizeof(*frames));
		if (!frames)
			return false;
		thread->frames = frames;
		thread->capacity = capacity;
	}
	if (thread->depth < KEPT_DEPTH_MAX)
		thread->frames[thread->depth] = *frame;
	thread->depth++;
	return true;
}

void kept_stacks_leave(struct kept_stacks *kept, uint32_t number, uint64_t class, uint64_t method)
{
	struct kept_thread *thread = kept->thread_slots ? slot_of(kept, number) : NULL;
	uint32_t depth;

	if (!thread || !thread->is_there)
		return;
	if (thread->depth > KEPT_DEPTH_MAX) {
		thread->depth--;
		return;
	}
	for (depth = thread->depth; depth; depth--) {
		const struct kept_frame *frame = &thread->frames[depth - 1];

		if (frame->class == class && frame->method == method) {
			thread->depth = depth - 1;
			return;
		}
	}
}

/* Removes a thread; those after it in its run of slots are placed again. */
void kept_stacks_exit(struct kept_stacks *kept, uint32_t number)
{
	struct kept_thread *thread = kept->thread_slots ? slot_of(kept, number) : NULL;
	size_t at;

	if (!thread || !thread->is_there)
		return;
	free(thread->frames);
	*thread = (struct kept_thread){0};
	kept->thread_count--;
	at = (size_t)(thread - kept->threads);
	while (kept->threads[at = (at + 1) & (kept->thread_slots - 1)].is_there) {
		struct kept_thread moved = kept->threads[at];

		kept->threads[at] = (struct kept_thread){0};
		*slot_of(kept, moved.number) = moved;
	}
}

static struct kept_os_thread *find_os_thread(const struct kept_stacks *kept, uint32_t tid)
{
	for (size_t i = 0; i < kept->os_thread_count; i++)
		if (kept->os_threads[i].tid == tid)
			return &kept->os_threads[i];
	return NULL;
}

void kept_stacks_run(struct kept_stacks *kept, uint32_t tid, uint32_t thread)
{
	struct kept_os_thread *os_thread = find_os_thread(kept, tid), *grown;
	size_t capacity = kept->os_thread_capacity ? kept->os_thread_capacity * 2 : 16;

	if (!os_thread && kept->os_thread_count == kept->os_thread_capacity) {
		if (capacity > KEPT_THREADS_MAX ||
			!(grown = realloc(kept->os_threads, capacity * sizeof(*grown))))
			return; /* only events that name no thread lack their stacks */
		kept->os_threads = grown;
		kept->os_thread_capacity = capacity;
	}
	if (!os_thread)
		os_thread = &kept->os_threads[kept->os_thread_count++];
	*os_thread = (struct kept_os_thread){true, tid, thread};
}

void kept_stacks_stop(struct kept_stacks *kept, uint32_t tid)
{
	struct kept_os_thread *os_thread = find_os_thread(kept, tid);

	if (os_thread)
		os_thread->is_running = false;
}

void kept_stacks_forget(struct kept_stacks *kept)
{
	for (size_t i = 0; i < kept->thread_slots; i++)
		kept->threads[i].depth = 0;
}

const struct kept_thread *kept_stacks_find(const struct kept_stacks *kept, uint32_t number)
{
	const struct kept_thread *thread = kept->thread_slots ? slot_of(kept, number) : NULL;

	return thread && thread->is_there ? thread : NULL;
}

const struct kept_thread *kept_stacks_running(const struct kept_stacks *kept, uint32_t tid)
{
	const struct kept_os_thread *os_thread = find_os_thread(kept, tid);

	return os_thread && os_thread->is_running ? kept_stacks_find(kept, os_thread->number)
						  : NULL;
}
