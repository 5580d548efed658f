/*
 * kernel_copyout.h: translates copyout() and copyoutstr(), and the memory of a clause that has
 * them: blocks of alloca() and copyin(), which are in the frame. Their sizes and the places that
 * are touched in them must be known when the clause is translated.
 *
 * The kernel writes to pages that are in memory and that the process may write to, without waiting;
 * anything else is the fault BADADDR.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_COPYOUT_H
#define VMTAP_SOURCE_KERNEL_KERNEL_COPYOUT_H

#include "source/kernel/kernel_translator.h"

/* Whether the clause has such a call. */
bool kernel_copyout_is_in(const struct d_clause *clause);

/* The bytes of the longest string in the clause, with its NUL. */
uint32_t kernel_copyout_bytes(const struct d_program *program, const struct d_clause *clause);

/* Calls of the subroutines, and of those that make or fill blocks. false: it is none of them. */
bool translator_copy(struct translator *t, const struct d_instruction *at, uint32_t index);

/* Integers in blocks. */
void translator_read_block(struct translator *t, const struct d_instruction *at);
void translator_write_block(struct translator *t, const struct d_instruction *at);

/* this-> variables that are the addresses of blocks. false: this one is not, or is not to be. */
bool translator_load_block(struct translator *t, const struct d_instruction *at);
bool translator_store_block(struct translator *t, const struct d_instruction *at);

#endif
