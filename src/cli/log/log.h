/*
 * log.h: what the parts of `vmtap log` share: a log that is read event by event, the layouts of its
 * event types, and the names defined so far.
 */
#ifndef VMTAP_CLI_LOG_LOG_H
#define VMTAP_CLI_LOG_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "source/names.h"
#include "wire/layout.h"
#include "wire/records.h"

struct log_reader {
	const char *name; /* of the file */
	struct record_file file;
	struct layout **layouts; /* by event type, created when first requested */
	struct names names;
};

/* Errors name the file. Call log_close() even after a failure. */
int log_open(struct log_reader *reader, const char *name, struct error *error);
void log_close(struct log_reader *reader);

/*
 * Reads the next event, like record_file_next(), and stores the name if it defines one. *why is
 * NULL, or, when the log has ended without an end marker or is damaged, a message of one line that
 * says where and why; it is valid until the next call.
 */
int log_next(
	struct log_reader *reader, struct record *record, const char **why, struct error *error);

/* NULL: out of memory. */
const struct layout *log_layout(struct log_reader *reader, uint16_t type);

/*
 * Checks the log and prints what is wrong to standard output, one line each. *found is the number
 * of lines. If the log cannot be read, returns a negative errno with a message of one line in
 * error.
 */
int log_check(const char *name, unsigned int *found, struct error *error);

#endif
