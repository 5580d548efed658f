/*
 * translate.h: translates clauses from D's byte code (program/opcode.h) to BPF instructions.
 *
 * D's registers are words of the frame (capture_generator.h). What a register holds besides an
 * integer is known when the code is translated: a literal, the name of the probe, a string at an
 * address of the process. A string is read where it is used: as a key, or to be compared. Whatever
 * cannot be translated makes the clause stay with the engine.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_H

#include "kernel/capture/capture_generator.h"
#include "kernel/translate/reduction.h"

/* What the translation of a clause has found. */
struct kernel_translated {
	bool is_possible;
	bool sleeps, names_site, looks_at_time, uses_frame;
	uint32_t refused_at; /* index of the instruction that cannot be translated, counted from
				the predicate's first; UINT32_MAX: the frame is too large */
};

/* Tries a clause: its predicate alone, or all of it. Its tallies and variables are added to the
 * reduction if all of it is possible. Returns 0 or -ENOMEM. */
int kernel_translate_try(struct kernel_reduction *reduction, uint32_t clause, bool only_predicate,
	struct kernel_translated *translated);

/* What a trial of a clause that is to be followed finds (follow.h). */
struct kernel_follow {
	const struct d_demand *demand; /* the clause's; only in a trial */
	bool is_captured;              /* all that it reads at computed addresses */
	bool is_written;               /* copies of memory may have been changed */
	bool is_lost;                  /* how the code goes on is not known */
	bool has_changed;              /* what is known of variables */
};

/* Tries to follow a clause. Returns 0 or -ENOMEM. */
int kernel_translate_try_following(struct kernel_reduction *reduction, uint32_t clause,
	struct kernel_follow *follow, struct kernel_translated *translated);

/* Generates the instructions that follow it. */
void kernel_translate_following(struct kernel_generator *g, uint32_t clause);

/* Has the programs that use these maps carry out and follow the clauses of the reduction. */
void kernel_translate_use(struct kernel_maps *maps, struct kernel_reduction *reduction);

#endif
