/*
 * translate_copyout.h: translates copyout() and copyoutstr(), and the memory that a clause with
 * them uses: blocks made by alloca() and copyin(), which are in the program's frame. The size of a
 * block and the offsets used in it must be known when the clause is translated.
 *
 * The kernel writes to pages that are in memory and that the process may write to, without waiting;
 * anything else is the fault BADADDR.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_COPYOUT_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_COPYOUT_H

#include "kernel/translate/translator.h"

/* Returns whether the clause has such a call. */
bool kernel_copyout_is_in(const struct d_clause *clause);

/* Returns the size of the longest string in the clause, with its NUL. */
uint32_t kernel_copyout_bytes(const struct d_program *program, const struct d_clause *clause);

/* Translates copyout(), copyoutstr(), alloca(), copyin() and copyinto(). Returns false if the
 * instruction calls another function. */
bool translator_copy(struct translator *t, const struct d_instruction *at, uint32_t index);

/* Translate reads and writes of integers in blocks. */
void translator_read_block(struct translator *t, const struct d_instruction *at);
void translator_write_block(struct translator *t, const struct d_instruction *at);

/* Load and store a block's address in a this-> variable. Return false if no block's address is
 * involved. */
bool translator_load_block(struct translator *t, const struct d_instruction *at);
bool translator_store_block(struct translator *t, const struct d_instruction *at);

#endif
