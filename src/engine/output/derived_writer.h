/*
 * derived_writer.h: what writers have in common that show aggregations in a way of their own, and
 * leave everything else that is printed to a text writer. A derived writer does what a text writer
 * does, except for:
 *
 *   the operations that its module replaces
 *   interrupt, which prints nothing, since no aggregations follow the terminal's "^C"
 *   error, which also returns the module's own error
 *
 * After start, text.context has what struct writer_run says.
 */
#ifndef VMTAP_ENGINE_OUTPUT_DERIVED_WRITER_H
#define VMTAP_ENGINE_OUTPUT_DERIVED_WRITER_H

#include <stdio.h>

#include "engine/output/text_writer.h"
#include "engine/output/writer.h"

struct derived_writer {
	struct text_writer text; /* text.writer is for struct engine_settings */
	struct writer_operations operations;
	const struct writer_operations *text_operations; /* for those that are replaced */
	int error; /* errno of the module's own first error, which it stores here */
};

/* replaced: the module's operations; NULL for those of the text writer. As text_writer_init(). */
void derived_writer_init(struct derived_writer *derived, const struct writer_operations *replaced,
	FILE *output, FILE *messages);

/* The one whose text.writer an operation is called with. */
struct derived_writer *derived_writer_of(struct writer *writer);

#endif
