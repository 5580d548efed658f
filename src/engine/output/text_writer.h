/*
 * text_writer.h: a writer that prints what DTrace prints: output to one stream, messages about
 * faults and drops to another.
 */
#ifndef VMTAP_ENGINE_OUTPUT_TEXT_WRITER_H
#define VMTAP_ENGINE_OUTPUT_TEXT_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/output/format.h"
#include "engine/output/writer.h"

struct text_writer {
	struct writer writer; /* for struct engine_settings */
	FILE *messages;
	struct format_context context; /* includes the output */
	struct table table;            /* with option table: lines not printed yet */
	bool header_printed;
	bool is_terminal; /* the output, if is_checked */
	bool is_checked;  /* until the next flush: freopen() changes the output after one */
	int error;        /* errno of the first failed write of output */
};

/* The caller owns the streams and keeps them open as long as the writer is used. */
void text_writer_init(struct text_writer *text, FILE *output, FILE *messages);

#endif
