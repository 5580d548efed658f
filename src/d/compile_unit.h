/*
 * compile_unit.h: the scripts of a run (D calls them translation units) from when they are read
 * until they are compiled. Private to src/d.
 *
 * Scripts are compiled in order, clause by clause. Descriptions that spell probes of the
 * engine (BEGIN, tick-1s) need no others: their clauses are compiled as soon as their script
 * is read, up to the first clause that needs the probes of a source. Everything from there on
 * waits until these are known (d_units_settle()), while later scripts are read already; what
 * they say of names is looked at again when their turn comes (resolve_ahead.h).
 */
#ifndef VMTAP_D_COMPILE_UNIT_H
#define VMTAP_D_COMPILE_UNIT_H

#include "d/ast.h"

struct d_ahead;
struct d_dependency;

struct d_unit {
	struct d_unit *next, *before;
	uint32_t number;
	const char *file; /* NULL: a string program */
	const char *text; /* the caller's, as long as the compiler */
	size_t length;
	/* Options as they are at its end: what later scripts set does not hold for it. */
	struct d_options options;
	struct d_compile_options compile_options;
	struct d_clause_tree *clauses;
	struct d_dependency *dependencies; /* that are not met yet */
	struct d_pragma *pragmas;
	struct d_ahead *ahead, *last_ahead; /* what is to be judged when its turn comes */
	bool defines;                       /* inlines and the like: it is not empty */
	bool uses_last_argument;
	size_t expanded; /* nodes that came from definitions so far */
	/* where compiling goes on */
	bool begun;
	struct d_clause_tree *clause;      /* NULL: all are compiled */
	struct d_description *description; /* of the clause; NULL: it is a provider's definition */
};

/*
 * A script after those before it, ready to be read: what holds at first are the options of the
 * one before it. NULL: failed.
 */
struct d_unit *d_unit_new(
	struct d_compiler *compiler, const char *file, const char *text, size_t length);

/* The unit has been read: its clauses are these. Fails like d_fail(). */
int d_unit_read(struct d_compiler *compiler, struct d_unit *unit, struct d_clause_tree *clauses);

/* The unit could not be read, and is forgotten. */
void d_unit_drop(struct d_compiler *compiler, struct d_unit *unit);

/* Makes the unit the one that the compiler is at. */
void d_unit_enter(struct d_compiler *compiler, const struct d_unit *unit);

/* Whether the unit that is read comes after one that waits. */
bool d_unit_is_ahead(const struct d_compiler *compiler);

/* Compiles on in all units, as far as the probes that are known allow. */
int d_units_compile(struct d_compiler *compiler);

/*
 * All probes are known from now on: what has been compiled for the engine's is enabled on all
 * that it matches. To be called once.
 */
int d_units_settle(struct d_compiler *compiler, struct d_probe_set *probes);

#endif
