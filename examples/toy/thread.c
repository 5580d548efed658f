/*
 * thread.c: the stacks of green threads.
 */
#include "frame.h"

#include <errno.h>
#include <stdlib.h>

int thread_reserve(struct thread *thread, uint32_t slots)
{
	uint32_t capacity = thread->stack_capacity ? thread->stack_capacity : 64;
	value *stack;

	if (slots <= thread->stack_capacity)
		return 0;
	if (slots > THREAD_MAX_STACK)
		return -E2BIG;
	while (capacity < slots)
		capacity *= 2;
	stack = realloc(thread->stack, capacity * sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	thread->stack = stack;
	thread->stack_capacity = capacity;
	return 0;
}

int thread_reserve_frame(struct thread *thread)
{
	uint32_t capacity = thread->frame_capacity ? thread->frame_capacity * 2 : 8;
	struct frame *frames;

	if (thread->frame_count >= THREAD_MAX_FRAMES)
		return -E2BIG;
	if (capacity > THREAD_MAX_FRAMES)
		capacity = THREAD_MAX_FRAMES;
	frames = realloc(thread->frames, capacity * sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	thread->frames = frames;
	thread->frame_capacity = capacity;
	return 0;
}

void frame_tell_method_entry(struct capability *cap, struct thread *thread)
{
	struct method *method = thread_frame(thread)->method;

	EVENT_TELL(cap, METHOD_ENTRY, &method->owner->name, &method->name, thread_file(thread, 1),
		thread_line(thread, 1), thread->number);
}

void frame_tell_method_return(struct capability *cap, struct thread *thread)
{
	struct method *method = thread_frame(thread)->method;

	EVENT_TELL(cap, METHOD_RETURN, &method->owner->name, &method->name, thread_file(thread, 1),
		thread_line(thread, 1), thread->number);
}

void frame_tell_native_entry(struct capability *cap, struct thread *thread, struct method *method)
{
	EVENT_TELL(cap, NATIVE_ENTRY, &method->owner->name, &method->name, thread_file(thread, 0),
		thread_line(thread, 0), thread->number);
}

void frame_tell_native_return(struct capability *cap, struct thread *thread, struct method *method)
{
	EVENT_TELL(cap, NATIVE_RETURN, &method->owner->name, &method->name, thread_file(thread, 0),
		thread_line(thread, 0), thread->number);
}

void thread_pop_file(struct capability *cap, struct thread *thread, bool raised)
{
	struct frame *frame = thread_frame(thread);
	struct method *method = frame->method;

	if (frame->kind == FRAME_REQUIRE)
		EVENT(cap, REQUIRE_RETURN, frame->wanted, thread_file(thread, 1),
			thread_line(thread, 1), raised);
	else
		EVENT(cap, LOAD_RETURN, frame->wanted, thread_file(thread, 1),
			thread_line(thread, 1), raised);
	/* A loaded file is the body of the native method that loads it. */
	EVENT(cap, NATIVE_RETURN, &method->owner->name, &method->name, thread_file(thread, 1),
		thread_line(thread, 1), thread->number);
	free(frame->wanted);
	frame->wanted = NULL;
}

void thread_free_stacks(struct thread *thread)
{
	for (uint32_t i = 0; i < thread->frame_count; i++)
		free(thread->frames[i].wanted);
	free(thread->load_wanted);
	free(thread->frames);
	free(thread->stack);
	thread->load_wanted = NULL;
	thread->frames = NULL;
	thread->stack = NULL;
	thread->frame_count = 0;
	thread->frame_capacity = 0;
	thread->stack_capacity = 0;
	thread->top = 0;
}
