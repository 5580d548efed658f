/*
 * timeline_samples.c: see timeline_private.h. Samples of stacks as calls: what two samples of a
 * thread have in common, from the outermost frame on, has gone on in between. A sample stands for
 * the time before it; where a thread has no samples, it has no calls. For logs without calls.
 */
#include <stdlib.h>

#include "cli/export/timeline_private.h"

enum { FRAMES_MAX = 256 };

/* Ends the calls from this depth on. */
static void end_calls(
	struct timeline *timeline, struct timeline_thread *thread, uint32_t depth, uint64_t time)
{
	while (thread->depth > depth)
		timeline_returns(timeline, thread, time);
}

/* The frame i, counted from the outermost one. */
static struct method_name frame_name(struct timeline *timeline, const struct event_batch *batch,
	const struct event_guest_stack *stack, uint32_t i)
{
	const struct event names = {
		.arguments = stack->frames[stack->count - 1 - i].names, .argument_count = 2};

	return method_names_find(&timeline->methods, batch, &names);
}

void timeline_take_sample(
	struct timeline *timeline, const struct event_batch *batch, const struct event *event)
{
	const struct event_guest_stack *stack =
		batch->captures ? &batch->captures[event - batch->events].guest : NULL;
	uint64_t weight = feed_number(event, 2), begin;
	struct timeline_thread *thread;
	uint32_t common = 0, count;

	if (!stack || !stack->count || timeline->has_calls)
		return;
	thread = timeline_thread(timeline, feed_number(event, 1));
	if (!thread ||
		(!thread->frames && !(thread->frames = calloc(FRAMES_MAX, sizeof(uint32_t))))) {
		timeline->has_failed = true;
		return;
	}
	begin = event->time - (weight < event->time ? weight : 0);
	if (thread->sampled && begin > thread->sampled + weight)
		end_calls(timeline, thread, 0, thread->sampled);
	else if (thread->sampled)
		begin = thread->sampled;
	count = stack->count < FRAMES_MAX ? stack->count : FRAMES_MAX;
	while (common < thread->depth && common < count &&
		frame_name(timeline, batch, stack, common).id == thread->frames[common])
		common++;
	end_calls(timeline, thread, common, begin);
	thread->sampled = event->time;
	for (uint32_t i = common; i < count && !timeline->has_failed; i++) {
		struct method_name name = frame_name(timeline, batch, stack, i);

		thread->frames[i] = name.id;
		timeline_enters_named(timeline, thread, name, begin);
	}
}
