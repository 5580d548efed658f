/*
 * log.h: what the parts of `vmtap log` share: a log that is read event by event, with the
 * layouts of its types and the names defined so far.
 */
#ifndef VMTAP_CLI_LOG_LOG_H
#define VMTAP_CLI_LOG_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/feed.h"
#include "source/eventlog/names.h"
#include "wire/layout.h"
#include "wire/records.h"

/* While it is read, a terminal shows how far it has come. */
struct log_reader {
	const char *name; /* of the file */
	struct record_file file;
	struct layout **layouts; /* by event type, made when first asked for */
	struct names names;
	struct feed_progress progress;
	uint64_t events;
};

/* Errors name the file; log_close() is due in any case. */
int log_open(struct log_reader *reader, const char *name, struct error *error);
void log_close(struct log_reader *reader);

/*
 * The next event, its definition of a name taken; as record_file_next(). *why is NULL, or,
 * when the log has ended without an end marker or is damaged, a line that says where and
 * why; it is valid until the next call.
 */
int log_next(
	struct log_reader *reader, struct record *record, const char **why, struct error *error);

/* NULL: memory is out. */
const struct layout *log_layout(struct log_reader *reader, uint16_t type);

/*
 * Checks the log and says on standard output what is wrong, a line each. *found is how many
 * lines. -errno, and a line in error, when it cannot be read.
 */
int log_check(const char *name, unsigned int *found, struct error *error);

#endif
