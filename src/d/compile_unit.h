/*
 * compile_unit.h: the scripts of a run (D calls them translation units), from reading to compiling.
 * Private to src/d.
 *
 * Scripts are compiled in order, clause by clause. Clauses whose descriptions name the engine's own
 * probes (BEGIN, tick-1s) need no others. They are compiled as soon as their script is read, up to
 * the first clause that needs the probes of a source. Everything from there on waits until these
 * are known (d_units_settle()). Meanwhile later scripts are already read; what they say about names
 * is checked again when their turn comes (resolve_ahead.h).
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
	const char *text; /* belongs to the caller, valid as long as the compiler */
	size_t length;
	/* Options at its end: what later scripts set does not apply to it. */
	struct d_options options;
	struct d_compile_options compile_options;
	struct d_clause_tree *clauses;
	struct d_dependency *dependencies; /* those not met yet */
	struct d_pragma *pragmas;
	struct d_ahead *ahead, *last_ahead; /* what to check when its turn comes */
	bool defines;                       /* it has inlines and the like, so it is not empty */
	bool uses_last_argument;
	size_t expanded; /* nodes that came from definitions so far */
	/* where compiling continues */
	bool begun;
	struct d_clause_tree *clause;      /* NULL: all have been compiled */
	struct d_description *description; /* of the clause; NULL: it is a provider's definition */
};

/*
 * Adds a script after the previous ones, ready to be read. It starts with the options of the one
 * before it. NULL: failed.
 */
struct d_unit *d_unit_new(
	struct d_compiler *compiler, const char *file, const char *text, size_t length);

/* Called when the unit has been read: these are its clauses. Fails like d_fail(). */
int d_unit_read(struct d_compiler *compiler, struct d_unit *unit, struct d_clause_tree *clauses);

/* Removes a unit that could not be read. */
void d_unit_drop(struct d_compiler *compiler, struct d_unit *unit);

/* Whether the unit being read comes after one that waits. */
bool d_unit_is_ahead(const struct d_compiler *compiler);

/* Continues compiling all units, as far as the known probes allow. */
int d_units_compile(struct d_compiler *compiler);

/*
 * Called once, when all probes are known: what has been compiled for the engine's own probes is
 * enabled on all probes that it matches.
 */
int d_units_settle(struct d_compiler *compiler, struct d_probe_set *probes);

#endif
