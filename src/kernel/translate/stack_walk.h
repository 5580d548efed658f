/*
 * stack_walk.h: generates what programs do about user stacks that are keys (stack_numbers.h): they
 * walk over the stack to find its number. Updates with stacks that they do not know are sent
 * (sent_updates.h).
 */
#ifndef VMTAP_KERNEL_TRANSLATE_STACK_WALK_H
#define VMTAP_KERNEL_TRANSLATE_STACK_WALK_H

#include "kernel/translate/translator.h"

enum { KERNEL_WALK_WORDS = 7 /* of the frame, from t->walk on */ };

/* Puts the number of the stack, of at most that number of frames, to the place; 0: it is not known.
 */
void translator_walk(struct translator *t, uint32_t frames, int place);

#endif
