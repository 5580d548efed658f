/*
 * walker.h: the VM's function that walks the guest stack (vmtap_stack_register()), and where its
 * frames are kept until they are in the ring, as a record of their own right before the event's.
 *
 * Each ring has one struct vmtap_stack, which only the ring's thread uses: from before the walker
 * is called until the frames have been copied. An event that is fired meanwhile, by the walker
 * itself or by a signal handler, is recorded with an empty stack.
 */
#ifndef VMTAP_SHIM_EXTRA_WALKER_H
#define VMTAP_SHIM_EXTRA_WALKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shim/core/object.h"
#include "vmtap.h"

enum {
	WALKER_FRAMES_MAX = VMTAP_STACK_FRAMES_MAX,
	WALKER_NO_ROOM = 15, /* the id of a name for which the table of names has no room */

	/* The record: u16 number of frames, u16 number of those that were cut, the frames */
	WALKER_COUNT = RECORD_BODY,
	WALKER_CUT = RECORD_BODY + 2,
	WALKER_FRAMES = RECORD_BODY + 4,
	WALKER_RECORD_MAX = WALKER_FRAMES + WALKER_FRAMES_MAX * 16
};

/* A frame in a ring: three ids of names and a line. */
struct walker_frame {
	uint32_t names[3]; /* class, method, file */
	uint32_t line;
};

struct vmtap_stack {
	bool in_use;    /* by the record that is being begun */
	bool is_inside; /* this thread is in the VM's walker */
	uint32_t count, cut;
	struct walker_frame frames[WALKER_FRAMES_MAX];
};

static inline uint32_t walker_record_bytes(uint32_t frames)
{
	return WALKER_FRAMES + frames * (uint32_t)sizeof(struct walker_frame);
}

/* Whether the VM has registered a walker. */
bool walker_is_there(void);

/*
 * Calls the walker with this stack, or with an empty one if it is in use. NULL: there is no walker.
 * Call walker_done() with the result once its frames have been copied.
 */
const struct vmtap_stack *walker_walk(struct vmtap_stack *own);
void walker_done(struct vmtap_stack *own, const struct vmtap_stack *walked);

/* Leaves a walk that will not go on, see vmtap_thread_reset(). */
void walker_reset(struct vmtap_stack *own);

/* Writes the body of the record. */
void walker_put(const struct vmtap_stack *stack, unsigned char *record);

/* Call in the child of fork(): own is the stack of its only thread, or NULL. */
void walker_fork_child(const struct vmtap_stack *own);

#endif
