/*
 * demand.h: what a clause looks at when it runs: arguments, memory, stacks, registers, times. A
 * source that has to capture such things in the process while the probe fires takes from here
 * which of them, and how much.
 *
 * It is read from the clause's byte code, so it holds for every way through the clause: what only
 * one branch looks at is demanded too. To capture more than is demanded is harmless; to capture
 * less makes the engine fault where it reads (memory) or read 0 and nothing (all else). A source
 * that fails to read a piece leaves it out; the engine then faults in those clauses that do read
 * it.
 */
#ifndef VMTAP_PROGRAM_DEMAND_H
#define VMTAP_PROGRAM_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/program.h"

enum { D_DEMAND_PIECES_MAX = 64 };

#define D_DEMAND_ALL_FRAMES UINT32_MAX

/* What the address of a piece is counted from. */
enum d_piece_base {
	D_PIECE_FIXED,    /* nothing: `offset` is the address */
	D_PIECE_ARGUMENT, /* argument number `base` */
	D_PIECE_POINTER   /* the 8 bytes that lie `at` bytes into piece number `base` */
};

/* Memory of the process that the clause reads. */
struct d_piece {
	enum d_piece_base from;
	uint32_t base; /* a pointer's piece comes before the pieces that it leads to */
	uint32_t at;
	int64_t offset;  /* added to what the base is, modulo 2^64 */
	bool is_string;  /* up to a NUL */
	uint32_t length; /* bytes; of a string the most there may be before the NUL */
};

struct d_demand {
	uint64_t needs;     /* bit per enum d_need: the clause's own, and what options imply */
	uint64_t arguments; /* bit N: argN is used in any way */
	uint64_t registers; /* bit N: uregs[N] */
	uint32_t kernel_frames, user_frames; /* of stacks, innermost first; D_DEMAND_ALL_FRAMES */
	bool time; /* timestamp or walltimestamp; all events are ordered by it, demanded or not */
	bool any_memory; /* also reads at addresses that are not known before the clause runs */
	/*
	 * The clause's predicate, if nothing decides it but what the event itself brings:
	 * arguments, built-in variables and the pieces below; NULL if there is none, or it looks at
	 * more, such as variables. A source may evaluate it and keep back an event that all clauses
	 * of its probe would pass over. An event for which the predicate faults has to be
	 * delivered.
	 */
	const struct d_instruction *predicate;
	size_t predicate_count;
	struct d_piece *pieces;
	size_t piece_count;
};

/*
 * Finds out what a clause of a program demands; free it with d_demand_free(). The program is one
 * that the compiler has made or the engine has accepted. -ENOMEM.
 */
int d_demand_of(
	const struct d_program *program, const struct d_clause *clause, struct d_demand *demand);
void d_demand_free(struct d_demand *demand);

#endif
