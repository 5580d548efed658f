/*
 * stack_record.h: a guest stack on its way into the ring, where it is a separate record directly
 * before the event's. The VM's walker fills it (extra/walker.h).
 *
 * Each ring has one struct vmtap_stack, which only the ring's thread uses: from before the walker
 * is called until the frames have been copied. An event that is fired meanwhile, by the walker
 * itself or by a signal handler, is recorded with an empty stack.
 */
#ifndef VMTAP_SHIM_CORE_STACK_RECORD_H
#define VMTAP_SHIM_CORE_STACK_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "shim/core/object.h"
#include "vmtap.h"

enum {
	STACK_RECORD_FRAMES_MAX = VMTAP_STACK_FRAMES_MAX,
	STACK_RECORD_NO_ROOM = 15, /* the id of a name for which the table of names has no room */

	/* The record: u16 number of frames, u16 number of those that were cut, the frames */
	STACK_RECORD_COUNT = RECORD_BODY,
	STACK_RECORD_CUT = RECORD_BODY + 2,
	STACK_RECORD_FRAMES = RECORD_BODY + 4,
	STACK_RECORD_MAX = STACK_RECORD_FRAMES + STACK_RECORD_FRAMES_MAX * 16
};

/* A frame in a ring: three ids of names and a line. */
struct stack_record_frame {
	uint32_t names[3]; /* class, method, file */
	uint32_t line;
};
_Static_assert(sizeof(struct stack_record_frame) == 16, "as in the record");

struct vmtap_stack {
	bool in_use;    /* by the record that is about to begin */
	bool is_inside; /* this thread is in the VM's walker */
	uint32_t count, cut;
	struct stack_record_frame frames[STACK_RECORD_FRAMES_MAX];
};

static inline uint32_t stack_record_bytes(uint32_t frames)
{
	return STACK_RECORD_FRAMES + frames * (uint32_t)sizeof(struct stack_record_frame);
}

/* Writes the body of the record. */
static inline void stack_record_put(const struct vmtap_stack *stack, unsigned char *record)
{
	uint16_t counts[2] = {(uint16_t)stack->count,
		stack->cut < UINT16_MAX ? (uint16_t)stack->cut : UINT16_MAX};

	memcpy(record + STACK_RECORD_COUNT, counts, sizeof(counts));
	memcpy(record + STACK_RECORD_FRAMES, stack->frames,
		stack->count * sizeof(stack->frames[0]));
}

#endif
