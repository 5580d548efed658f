/*
 * reduction.h: what programs carry out of a script: which clauses, the keys and maps of their
 * aggregations, and where their variables are. reduce.h decides it, translate.h generates the code,
 * tally.h reads the maps.
 *
 * Memory: self-> variables without keys, and the frame of a program (capture_generator.h), are in a
 * task map; other variables are in a hash map each; aggregations are in a map for each instruction
 * that aggregates. Updates are atomic: a program may be preempted at any point, and then continue
 * on another processor.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_REDUCTION_H
#define VMTAP_KERNEL_TRANSLATE_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/bpf/bpf.h"
#include "kernel/translate/clause_set.h"
#include "kernel/translate/stack_numbers.h"
#include "program/program.h"

/* Why a clause with copyout() is not carried out (refusal.h). */
struct kernel_refusal {
	const char *why; /* NULL: not known */
	char what[64];   /* the function or variable that it is about; "": none */
	uint32_t clause;
};

enum { KERNEL_EXECNAME_BYTES = 16 /* with the NUL, and zeroes after it */ };

enum kernel_key_kind {
	KERNEL_KEY_INTEGER,
	KERNEL_KEY_STRING,   /* its bytes, filled up with zeroes */
	KERNEL_KEY_LISTED,   /* its number (string_numbers.h) */
	KERNEL_KEY_EXECNAME, /* its 16 bytes */
	KERNEL_KEY_NAME,     /* the number of the site; which is enum d_builtin */
	KERNEL_KEY_STACK,    /* its number (stack_numbers.h); which is the most frames */
	KERNEL_KEY_LITERAL   /* not in the map's key; which is the program's string */
};

struct kernel_key {
	enum kernel_key_kind kind;
	uint32_t place; /* in the map's key */
	uint32_t which;
};

/* The map of one instruction that aggregates. */
struct kernel_tally {
	uint32_t clause, instruction; /* counted from the predicate's first */
	uint32_t aggregation;
	uint8_t key_count;
	struct kernel_key keys[D_KEYS_MAX];
	uint32_t key_bytes;  /* 0: an array with one element */
	uint32_t words;      /* of a value; see aggregation_update.h */
	uint32_t buckets;    /* of a distribution */
	bool counts_updates; /* the first word of a value is the number of updates */
	bool rotates;        /* the last word of a key is the number of the round */
	/*
	 * The first keys are in a map with a value for each processor, which has room for few
	 * since it is allocated beforehand; others are in a further map. Without keys there is one
	 * map.
	 */
	int map, further;
};

/* A variable that clauses which are carried out touch. */
struct kernel_variable {
	bool is_used;
	bool has_block; /* this->: it holds the address of a block (translate_copyout.h) */
	/* of clauses that are followed (follow.h) */
	bool is_followed, is_needed;
	bool is_rough;  /* it is only known whether it is 0 */
	uint32_t place; /* self->: in the thread's memory; this->: among the others */
	int map;        /* with keys */
};

/* Words of the map of clocks: distances that programs need since they cannot read these clocks. */
enum {
	KERNEL_CLOCK_DISTANCE, /* the scheduler's clock minus CLOCK_MONOTONIC */
	KERNEL_CLOCK_WALL,     /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	KERNEL_CLOCKS
};

struct kernel_reduction {
	const struct d_program *program;
	bool is_shared;
	const struct d_demand *demands;    /* by clause */
	bool *sleeps;                      /* by clause: it reads memory of the process */
	bool *names;                       /* by clause: it needs the site */
	bool *filters;                     /* by clause: its predicate can be evaluated */
	bool *times;                       /* by clause: it looks at the time */
	bool *frames;                      /* by clause: it needs memory of the thread */
	bool *copies;                      /* by clause: it has copyout() or copyoutstr() */
	bool *followed;                    /* by clause: its code is (follow.h) */
	struct kernel_variable *variables; /* by the program's variables */
	size_t variable_count;
	uint32_t self_bytes, local_count;
	bool reads_cpu_time;    /* vtimestamp; then there are also: */
	uint32_t cpu_time;      /* its place among this->, */
	uint32_t last_cpu_time; /* and that of the thread's last one in its memory */
	struct kernel_tally *tallies;
	size_t tally_count, tally_capacity;
	struct kernel_clauses *sets; /* number n is sets[n - 1] */
	size_t set_count, set_capacity;
	uint32_t string_bytes; /* room for a string in keys */
	uint32_t sent_bytes;   /* the greatest record of an update (sent_updates.h) */
	bool lists_strings;
	struct kernel_stacks stacks;
	bool *taken;                   /* by clause: it is carried out */
	struct kernel_refusal refusal; /* it outlives kernel_reduce_undo() */
	uint32_t cpu_count;
	bool rotates; /* some tally does, so clauses are guarded (reader_guard.h) */
	/* Maps; -1: none. */
	int self, zeroes;
	int guard;  /* one struct kernel_guard; -1: nothing aggregates */
	int inside; /* one value: by processor, see reader_guard.h; -1: no tally rotates */
	int strings, texts, numbers; /* of strings that are listed (string_numbers.h) */
	uint32_t strings_max;        /* room for strings */
	int clocks;                  /* one value; -1: no clause needs it */
	int losses; /* one value: stores for which there was no room, updates by processor */
};

/*
 * Returns whether keys of the aggregation have the number of a round: it is truncated or restarted.
 */
bool kernel_reduction_rotates(const struct d_program *program, uint32_t aggregation);

/*
 * Returns whether a clause, if it is carried out or its predicate is, reads the built-in variable.
 */
bool kernel_reduction_reads(
	const struct kernel_reduction *reduction, uint32_t clause, enum d_builtin builtin);

/* Returns whether a clause reads the built-in variable. */
bool kernel_reduction_clause_reads(const struct d_clause *clause, enum d_builtin builtin);

#endif
