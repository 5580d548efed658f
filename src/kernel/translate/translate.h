/*
 * translate.h: translates clauses from D's byte code (program/opcode.h) to BPF instructions.
 *
 * D's registers are words of the frame (capture_generator.h). If a register holds something other
 * than an integer, this is known when the code is translated: a literal, the name of the probe, a
 * string at an address of the process. A string is read where it is used: as a key, or to be
 * compared. If anything cannot be translated, the clause stays with the engine.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_H

#include "kernel/capture/capture_generator.h"
#include "kernel/translate/reduction.h"
#include "kernel/translate/translated.h"

/* Tries a clause: its predicate alone, or all of it. Its tallies and variables are added to the
 * reduction if all of it is possible. Returns 0 or -ENOMEM. */
int kernel_translate_try(struct kernel_reduction *reduction, uint32_t clause, bool only_predicate,
	struct kernel_translated *translated);

/* Tries to follow a clause. Returns 0 or -ENOMEM. */
int kernel_translate_try_following(struct kernel_reduction *reduction, uint32_t clause,
	struct kernel_follow *follow, struct kernel_translated *translated);

/* Generates the instructions that follow the clause. */
void kernel_translate_following(struct kernel_generator *g, uint32_t clause);

/* Generates the code of the clauses of a plan (carry_out of struct kernel_clause_code). */
void kernel_translate_set(struct kernel_generator *g, unsigned what);

#endif
