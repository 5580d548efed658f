/*
 * writer.h: the interface through which the engine reports everything: what clauses print, faults,
 * drops. The operations say what happened, with values and their types; a writer turns that into
 * characters. text_writer.h writes what DTrace prints. To add an output format, add a file with a
 * table of these operations.
 *
 * The engine calls in this order:
 *   start, once
 *   clause_begin, then what the clause recorded (trace ... printa), clause_end; for each clause
 *     that prints, and for those of a speculation when it is committed
 *   summary_begin, then summary for each aggregation; once, after END, and whenever the engine's
 *     caller asks for a snapshot
 * Faults, drops, messages and flushes may come at any point in between.
 *
 * A writer serves one engine, and only the engine's thread calls it. Arguments belong to the engine
 * and are valid during the call. Output that cannot be written does not stop the engine: the writer
 * keeps the error for the engine's caller. No operation may be NULL.
 */
#ifndef VMTAP_ENGINE_OUTPUT_WRITER_H
#define VMTAP_ENGINE_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/store/aggregate_rows.h"
#include "engine/store/drops.h"
#include "engine/store/fault.h"
#include "engine/store/places.h"
#include "program/program.h"

/* What a writer may read until the engine is freed. */
struct writer_run {
	const struct d_options *options; /* setopt() may change them between calls */
	struct places *places;           /* names addresses: values of D_VALUE_STACK and later */
	uint32_t cpus;                   /* of the machine, 0: unknown */
};

/* What a clause is for option flowindent; WRITER_FLOW_NONE without it. */
enum writer_flow { WRITER_FLOW_NONE, WRITER_FLOW_ENTRY, WRITER_FLOW_RETURN };

/* A clause that has ended without a fault and has output. */
struct writer_clause {
	const struct d_probe *probe;
	uint32_t probe_id; /* DTrace's number of the probe, from 1 */
	uint16_t cpu;
	const char *function; /* that the event names, for option flowindent; NULL: the probe's */
	enum writer_flow flow;
	unsigned depth; /* of the function that it enters, returns from or is in, from 0 */
};

/* A clause that a fault has ended, or an action of it that failed when it was carried out. */
struct writer_fault {
	const struct d_probe *probe;
	uint32_t probe_id;
	uint32_t clause;           /* index in the program */
	const struct fault *fault; /* NULL: action failed, for the reason in text */
	enum d_action_kind action;
	const char *text;
};

struct writer_drop {
	enum drop_kind kind;
	uint64_t count; /* since the last report */
	uint16_t cpu;   /* if drop_has_cpu() */
};

struct writer {
	const struct writer_operations *operations;
};

/*
 * Values are registers: an integer that value_cut() narrows to its type, or a struct text *
 * (value_text()) where d_value_is_text() says so.
 */
struct writer_operations {
	void (*start)(struct writer *writer, const struct writer_run *run);

	void (*clause_begin)(struct writer *writer, const struct writer_clause *clause);
	void (*trace)(struct writer *writer, const struct d_value_type *type, uint64_t value);
	void (*tracemem)(struct writer *writer, const char *bytes, size_t size);
	/* print(): memory as a value of layouts[index], and the address it was at. */
	void (*print)(struct writer *writer, const struct d_layout *layouts, uint32_t index,
		uint64_t address, const struct text *bytes);
	/* printf(): action->types are the values' types. */
	void (*printf)(struct writer *writer, const struct d_format *format,
		const struct d_action *action, const uint64_t *values);
	/* printa(): rows in the order to show them. format NULL: none was given. */
	void (*printa)(struct writer *writer, const struct aggregate_rows *rows,
		const struct d_format *format);
	void (*clause_end)(struct writer *writer, const struct writer_clause *clause);

	/* The end of tracing, and then each aggregation that no printa() has shown, if any. */
	void (*summary_begin)(struct writer *writer);
	void (*summary)(struct writer *writer, const struct aggregate_rows *rows);

	void (*fault)(struct writer *writer, const struct writer_fault *fault);
	void (*drop)(struct writer *writer, const struct writer_drop *drop);
	/* A problem in the engine that loses output: one line, without a newline. */
	void (*message)(struct writer *writer, const char *text);
	/* A signal is ending the run; END and the summary follow. */
	void (*interrupt)(struct writer *writer);

	void (*flush)(struct writer *writer);
	/* Whether there is output that has not been flushed. */
	bool (*is_pending)(struct writer *writer);
	/* The errno of the first failure to write output, 0: none. */
	int (*error)(struct writer *writer);
};

#endif
