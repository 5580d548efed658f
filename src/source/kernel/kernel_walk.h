/*
 * kernel_walk.h: generates what programs do about user stacks that are keys (kernel_stacks.h): they
 * walk over the stack to find its number, and send updates with stacks that they do not know.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_WALK_H
#define VMTAP_SOURCE_KERNEL_KERNEL_WALK_H

#include "source/kernel/kernel_translator.h"

enum { KERNEL_WALK_WORDS = 7 /* of the frame, from t->walk on */ };

/* Puts the number of the stack, of so many frames at most, to the place; 0: it is not known. */
void translator_walk(struct translator *t, uint32_t frames, int place);

/*
 * Sends the update whose key is in the area (struct kernel_sent), or counts it as dropped. Finds
 * the frame again, since it needs all registers.
 */
void translator_send(
	struct translator *t, uint32_t tally, uint32_t key_bytes, int value, int increment);

#endif
