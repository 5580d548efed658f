/*
 * frame.h: the only code that ends a frame, by a return or by an exception, so that every
 * entry event has its return event. Inline, since each guest call runs it.
 */
#ifndef TOY_FRAME_H
#define TOY_FRAME_H

#include "finalizer.h"
#include "vm.h"

/* Fires the return events of a file that was required or loaded; raised: an exception ended it. */
void thread_pop_file(struct capability *cap, struct thread *thread, bool raised);

/* Report the events of the top frame's method, and of a native that it calls. */
__attribute__((cold)) void frame_tell_method_entry(struct capability *cap, struct thread *thread);
__attribute__((cold)) void frame_tell_method_return(struct capability *cap, struct thread *thread);
__attribute__((cold)) void frame_tell_native_entry(
	struct capability *cap, struct thread *thread, struct method *method);
__attribute__((cold)) void frame_tell_native_return(
	struct capability *cap, struct thread *thread, struct method *method);

/* Fires the return events of the top frame and drops it; raised: an exception ended it. */
static inline void thread_pop_frame(struct capability *cap, struct thread *thread, bool raised)
{
	struct frame *frame = thread_frame(thread);

	if (frame->kind == FRAME_METHOD || frame->kind == FRAME_NEW)
		EVENT_BY(cap, METHOD_RETURN, frame_tell_method_return(cap, thread));
	else if (frame->kind == FRAME_REQUIRE || frame->kind == FRAME_LOAD)
		thread_pop_file(cap, thread, raised);
	else if (frame->kind == FRAME_FINALIZER)
		finalizer_end(cap, thread);
	thread->top = frame->base;
	thread->frame_count--;
}

#endif
