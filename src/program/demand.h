/*
 * demand.h: what a clause looks at when it runs: arguments, memory, stacks, registers, times. A
 * source that has to capture these in the process while the probe fires learns here what to
 * capture, and how much.
 *
 * It is read from the clause's byte code, so it covers every path through the clause: what only one
 * branch looks at is demanded too. Capturing more than is demanded is harmless. If less is
 * captured, the engine faults when it reads missing memory, and reads anything else that is missing
 * as 0 or empty. A source that fails to read a piece leaves it out; the engine then faults in the
 * clauses that read it.
 */
#ifndef VMTAP_PROGRAM_DEMAND_H
#define VMTAP_PROGRAM_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/program.h"

enum {
	D_DEMAND_PIECES_MAX = 64,
	D_DEMAND_COUNTED_MAX = 4096 /* bytes of memory whose length is an argument */
};

#define D_DEMAND_ALL_FRAMES UINT32_MAX

/* What the address of a piece is relative to. */
enum d_piece_base {
	D_PIECE_FIXED,    /* nothing: `offset` is the address */
	D_PIECE_ARGUMENT, /* argument number `base` */
	D_PIECE_POINTER,  /* the 8-byte pointer at offset `at` in piece number `base` */
	D_PIECE_THREAD,   /* the thread's struct task_struct in the kernel */
	/*
	 * The clause's own code computes it: the address is in register `at` when instruction
	 * number `base` runs, which reads there. If is_counted, register `counter` has the length.
	 */
	D_PIECE_COMPUTED
};

/* For an address of the kernel's struct path: the path to capture instead of its bytes. */
enum d_piece_path { D_PATH_NONE, D_PATH_FILE, D_PATH_MOUNT /* where its file system is mounted */ };

/* Memory of the process that the clause reads. */
struct d_piece {
	enum d_piece_base from;
	uint32_t base; /* a piece comes before those that its pointers lead to */
	uint32_t at;
	int64_t offset; /* added to the base, modulo 2^64 */
	enum d_piece_path path;
	/*
	 * An array's index, which is added to the address as well: the number of an argument + 1;
	 * 0: none. The argument is first cut to index_bits (negative: sign-extended), then
	 * multiplied by index_scale.
	 */
	uint32_t index;
	int32_t index_bits;
	int64_t index_scale;
	bool is_string;  /* up to a NUL */
	uint32_t length; /* bytes; for a string, the most before its NUL */
	/*
	 * The length is that of argument number `counter` plus `more`, if that is not above
	 * `length`. Otherwise memory is not demanded, and a string has `length`.
	 */
	bool is_counted;
	uint32_t counter;
	int64_t more;
};

/* An instruction that reads a piece. It faults if the piece is missing; one that fetches a text
 * only if there is one (KEEP_POINTER) does not. */
struct d_read {
	uint32_t instruction; /* counted from the predicate's first */
	uint32_t piece;
};

struct d_demand {
	uint64_t needs;     /* bit per enum d_need: of the clause, and of the options */
	uint64_t arguments; /* bit N: argN is used in any way */
	uint64_t registers; /* bit N: uregs[N] */
	uint32_t kernel_frames, user_frames; /* of stacks, innermost first; D_DEMAND_ALL_FRAMES */
	bool directory, root_directory;      /* cwd; root */
	bool process; /* ppid, uid, gid or execname, which a process may change */
	bool time; /* timestamp or walltimestamp; all events are ordered by it, demanded or not */
	bool any_memory; /* also reads at addresses that are not known before the clause runs */
	bool is_partial; /* of these, some are not even pieces of kind D_PIECE_COMPUTED */
	/*
	 * The clause's predicate, if it depends only on what the event itself carries: arguments,
	 * built-in variables and the pieces below. NULL if the clause has no predicate, or if it
	 * depends on more, such as variables. A source may evaluate it and drop an event that the
	 * predicates of all clauses of its probe reject. An event for which the predicate faults
	 * must be delivered.
	 */
	const struct d_instruction *predicate;
	size_t predicate_count;
	struct d_piece *pieces;
	size_t piece_count, piece_room;
	struct d_read *reads; /* in the order of the code */
	size_t read_count, read_room;
};

/*
 * Finds out what a clause of a program demands; free it with d_demand_free(). The program must come
 * from the compiler or have been accepted by the engine. Returns 0 or -ENOMEM.
 */
int d_demand_of(
	const struct d_program *program, const struct d_clause *clause, struct d_demand *demand);
void d_demand_free(struct d_demand *demand);

/* The arguments that the source must know to capture what is demanded: bit N is argN. */
uint64_t d_demand_arguments(const struct d_demand *demand);

#endif
