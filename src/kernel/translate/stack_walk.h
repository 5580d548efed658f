/*
 * stack_walk.h: generates the code for user stacks that are keys (stack_numbers.h): programs walk
 * over the stack to find its number. Updates with stacks that they do not know are sent
 * (sent_updates.h).
 */
#ifndef VMTAP_KERNEL_TRANSLATE_STACK_WALK_H
#define VMTAP_KERNEL_TRANSLATE_STACK_WALK_H

#include "kernel/translate/translator.h"

enum { KERNEL_WALK_WORDS = 7 /* of the frame, from t->walk on */ };

/*
 * Writes the number of the stack, with at most `frames` frames, to the place; 0 if it is not known.
 */
void translator_walk(struct translator *t, uint32_t frames, int place);

#endif
