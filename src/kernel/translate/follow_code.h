/*
 * follow_code.h: translates the instructions of a clause that is followed (follow.h). Registers of
 * D whose values are not needed, or not known, hold HELD_NOTHING.
 *
 * The record is in R7. The place of its next part is on the stack (STACK_SLOT_NEXT), since R8
 * points to the frame here.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_FOLLOW_CODE_H
#define VMTAP_KERNEL_TRANSLATE_FOLLOW_CODE_H

#include "kernel/translate/translator.h"

/* Translates one instruction. index: as in struct kernel_translated */
void kernel_follow_instruction(
	struct translator *t, const struct d_instruction *at, uint32_t index, bool is_predicate);

/* Returns whether the instruction stores into a variable, or lets others do so. */
bool kernel_follow_stores(const struct d_instruction *at);

#endif
