/*
 * translate_jump.h: translates jumps, and a predicate's decision. Jumps of D only go forward. Where
 * paths meet, a register's content is known only if it is the same on all of them.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_JUMP_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_JUMP_H

#include "kernel/translate/translator.h"

void translator_jump(struct translator *t, const struct d_instruction *at);
void translator_jump_if(struct translator *t, const struct d_instruction *at);

/* Translates the end of a predicate, whose value is in register a. */
void translator_decide(struct translator *t, const struct d_instruction *at);

/* Merges the state of another path into this one's where the paths meet. */
void translator_merge(struct held_all *state, const struct held_all *other);

#endif
