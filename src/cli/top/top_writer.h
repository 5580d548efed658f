/*
 * top_writer.h: a writer that puts a script's aggregations into a table of methods
 * (top_table.h) at each snapshot, and has it shown. What clauses print goes to a text writer, as
 * without it.
 *
 * The first integer key of an aggregation is the process, and what follows names the method: a
 * stack, a string, or two strings, the class and the method. By the aggregation's name:
 *
 *   @time[pid, jstack()]          time spent in the innermost frame: it is that frame's own time,
 *                                 and counts towards the total of all
 *   @caller_time[pid, jstack()]   the same of the stack without its innermost frame: what a caller
 *                                 has spent until it called
 *   @self, @total, @calls, @bytes   a column; of a stack, its innermost frame
 *   @collecting, @paused, @pauses, @allocated, @threads   a figure of the process, which may have
 *                                 its name (execname) as the next key; times are in ns
 *
 * Other aggregations are left out. With top_writer_take_calls(), lines of the bundled script
 * call_log are taken instead (cli/flame/exact_calls.h).
 */
#ifndef VMTAP_CLI_TOP_WRITER_H
#define VMTAP_CLI_TOP_WRITER_H

#include "cli/flame/call_tree.h"
#include "cli/flame/exact_calls.h"
#include "cli/sample_notes.h"
#include "cli/top/top_table.h"
#include "engine/output/derived_writer.h"

struct top_writer {
	struct derived_writer derived; /* derived.text.writer is for struct run_settings */
	struct top_table *table;
	const bool *is_paused;      /* then snapshots are left out; the next covers their time */
	int (*show)(void *context); /* after each snapshot; 0, or an errno */
	void *context;
	struct exact_calls *exact; /* NULL: aggregations are taken */
	struct call_tree tree;     /* what calls have spent since the last snapshot */
	uint64_t spent;            /* in all, ns */
	char measure[96];          /* the table's, if the probes have taken much of that */
	struct sample_notes notes;
	bool is_open;   /* a snapshot has begun */
	bool is_ending; /* a signal, or the key q, is ending the trace */
};

/* The caller keeps the table, what says whether it is paused, and the streams for what clauses
 * print. */
void top_writer_init(struct top_writer *top, struct top_table *table, const bool *is_paused,
	int (*show)(void *context), void *context);

/* Takes calls instead of aggregations. Returns 0 or -ENOMEM; top_writer_free() in any case. */
int top_writer_take_calls(struct top_writer *top);
void top_writer_free(struct top_writer *top);

#endif
