/*
 * used_stack.h: how much stack a call takes: the stack below the caller's frame is painted before
 * it, and looked at after it. The thread's stack must have USED_STACK_WATCHED bytes left.
 */
#ifndef TESTS_SHIM_USED_STACK_H
#define TESTS_SHIM_USED_STACK_H

#include <stddef.h>

enum {
	USED_STACK_WATCHED = 64 << 10,
	USED_STACK_MARGIN = 512, /* of this function's own frame */
	USED_STACK_PAINT = 0xa5
};

/* The bytes below this function's frame that the call has written to. */
__attribute__((noinline)) static size_t used_stack(void (*call)(void))
{
	unsigned char *frame = __builtin_frame_address(0), *low = frame - USED_STACK_WATCHED;

	/* Not by a call, whose own frame would be there. Leave the rest of this frame alone. */
	for (volatile unsigned char *at = low; at < frame - USED_STACK_MARGIN; at++)
		*at = USED_STACK_PAINT;
	call();
	for (; low < frame - USED_STACK_MARGIN &&
		*(volatile unsigned char *)low == USED_STACK_PAINT;
		low++)
		;
	return (size_t)(frame - low);
}

#endif
