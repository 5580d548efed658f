/*
 * json_writer.h: a writer that prints each thing that happens as one line of JSON: option
 * format=json. vmtap-json(5) lists the records and their members, on which other programs rely:
 * members may be added, but none changes its meaning.
 *
 * Everything goes to the output, faults and drops too. Each line is written in one piece, and what
 * the traced program has put into names and messages cannot break it (base/json_text.h).
 */
#ifndef VMTAP_ENGINE_OUTPUT_JSON_WRITER_H
#define VMTAP_ENGINE_OUTPUT_JSON_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/output/format.h"
#include "engine/output/writer.h"

struct json_writer {
	struct writer writer; /* for struct engine_settings */
	struct format_context context;
	const struct writer_clause *clause; /* that is being carried out; NULL: none */
	bool has_record;                    /* that clause has recorded something */
	FILE *text;                         /* takes a text before it is escaped */
	char *bytes;                        /* of that text */
	size_t size;
	int error; /* errno of the first failed write of output */
};

/*
 * The caller owns the output and keeps it open as long as the writer is used; it calls
 * json_writer_free() in the end. -ENOMEM.
 */
int json_writer_init(struct json_writer *json, FILE *output);
void json_writer_free(struct json_writer *json);

#endif
