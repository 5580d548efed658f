/*
 * translate_jump.h: translates jumps, and a predicate's decision. Jumps of D only go forward; where
 * paths meet, a register is known to hold what it holds on all of them.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_JUMP_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_JUMP_H

#include "kernel/translate/translator.h"

void translator_jump(struct translator *t, const struct d_instruction *at);
void translator_jump_if(struct translator *t, const struct d_instruction *at);

/* The end of a predicate, whose value is in register a. */
void translator_decide(struct translator *t, const struct d_instruction *at);

/* Adds what is known at another place from where the code goes on here. */
void translator_merge(struct held_all *state, const struct held_all *other);

#endif
