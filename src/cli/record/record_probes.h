/*
 * record_probes.h: the probes that `vmtap record -n` asks for of processes without an event stream:
 * the clauses of the script that prints their events, and how these become events of the log.
 *
 * A clause prints the event with its arguments as numbers. Further clauses print an argument as a
 * text, if it can be read as one. If the probe's contract says that it is one, the log has the text
 * in place of the number. Otherwise nobody knows what it is: the log has both, the text as memory
 * at that address, so that a script over the log reads what it would have read at once.
 */
#ifndef VMTAP_CLI_RECORD_PROBES_H
#define VMTAP_CLI_RECORD_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "source/log_writer.h"

struct d_probe;
struct record_probes;

enum {
	RECORD_PROBES_NUMBERS = 10, /* arguments that are recorded */
	RECORD_PROBES_TEXTS = 6,    /* those of them that may be texts: the first ones */
	RECORD_PROBES_TEXT_BYTES = 1024,
	/* What is printed of an event: time, pid, parent, thread, processor, name, command line,
	 * the arguments, and perhaps the stack of the process. */
	RECORD_PROBES_FIRST = 7,
	RECORD_PROBES_STACK = RECORD_PROBES_FIRST + RECORD_PROBES_NUMBERS,
	RECORD_PROBES_VALUES = RECORD_PROBES_STACK,
	RECORD_PROBES_TEXT_VALUES = 2 /* the argument's number and the text */
};

/*
 * Returns true if the text of an option -n can be recorded: probe descriptions, perhaps with a
 * predicate, and an empty action if any.
 */
bool record_probes_accept(const char *text);

/* Writes the clauses for such a text. */
void record_probes_script(FILE *script, const char *text, bool has_stacks);

/* NULL: out of memory. */
struct record_probes *record_probes_new(void);
void record_probes_free(struct record_probes *probes);

/*
 * Begins an event of a probe, whose stack has been added to the log. Returns 0, -EINVAL if the
 * probe belongs to no process, -E2BIG if there are too many, or -ENOMEM.
 */
int record_probes_begin(struct record_probes *probes, struct log_writer *log,
	const struct d_probe *probe, uint32_t pid, const struct log_writer_event *event,
	const uint64_t *arguments);

/* Adds the text of an argument to the event that has begun. */
void record_probes_text(struct record_probes *probes, struct log_writer *log, uint64_t argument,
	const char *text, size_t length);

/* Writes the event that has begun, if there is one. */
void record_probes_end(struct record_probes *probes, struct log_writer *log);

#endif
