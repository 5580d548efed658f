/*
 * frame.h: the one way in which a frame ends, by a return or by an exception, so that
 * every entry has its return. Inline, since each guest call takes it.
 */
#ifndef TOY_FRAME_H
#define TOY_FRAME_H

#include "vm.h"

/* The return events of a file that was required or loaded; raised: not by a return. */
void thread_pop_file(struct capability *cap, struct thread *thread, bool raised);

/* Tell about the top frame's method, and about a native that it calls. */
__attribute__((cold)) void frame_tell_method_entry(struct capability *cap, struct thread *thread);
__attribute__((cold)) void frame_tell_method_return(struct capability *cap, struct thread *thread);
__attribute__((cold)) void frame_tell_native_entry(
	struct capability *cap, struct thread *thread, struct method *method);
__attribute__((cold)) void frame_tell_native_return(
	struct capability *cap, struct thread *thread, struct method *method);

/* Fires the return events of the top frame and drops it; raised: it has not returned. */
static inline void thread_pop_frame(struct capability *cap, struct thread *thread, bool raised)
{
	struct frame *frame = thread_frame(thread);

	if (frame->kind == FRAME_METHOD || frame->kind == FRAME_NEW)
		EVENT_BY(cap, METHOD_RETURN, frame_tell_method_return(cap, thread));
	else if (frame->kind == FRAME_REQUIRE || frame->kind == FRAME_LOAD)
		thread_pop_file(cap, thread, raised);
	thread->top = frame->base;
	thread->frame_count--;
}

#endif
