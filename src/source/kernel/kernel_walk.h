/*
 * kernel_walk.h: generates what programs do about user stacks that are keys (kernel_stacks.h): they
 * walk over the stack to find its number. Updates with stacks that they do not know are sent
 * (kernel_send.h).
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_WALK_H
#define VMTAP_SOURCE_KERNEL_KERNEL_WALK_H

#include "source/kernel/kernel_translator.h"

enum { KERNEL_WALK_WORDS = 7 /* of the frame, from t->walk on */ };

/* Puts the number of the stack, of so many frames at most, to the place; 0: it is not known. */
void translator_walk(struct translator *t, uint32_t frames, int place);

#endif
