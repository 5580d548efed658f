/* derived_writer.c: see derived_writer.h. */
#include "engine/output/derived_writer.h"

#include <stddef.h>

struct derived_writer *derived_writer_of(struct writer *writer)
{
	return (struct derived_writer *)((char *)writer -
		offsetof(struct derived_writer, text.writer));
}

static void ignore_interrupt(struct writer *writer)
{
	(void)writer;
}

/* The module's own error first: the text writer notices only later that output has failed, and does
 * not know why. */
static int error_of(struct writer *writer)
{
	struct derived_writer *derived = derived_writer_of(writer);

	return derived->error ? derived->error : derived->text_operations->error(writer);
}

void derived_writer_init(struct derived_writer *derived, const struct writer_operations *replaced,
	FILE *output, FILE *messages)
{
	struct writer_operations *operations = &derived->operations;

	*derived = (struct derived_writer){.error = 0};
	text_writer_init(&derived->text, output, messages);
	derived->text_operations = derived->text.writer.operations;
	*operations = *derived->text_operations;
	operations->interrupt = ignore_interrupt;
	operations->error = error_of;

#define REPLACE(name)                                                                              \
	if (replaced->name)                                                                        \
	operations->name = replaced->name
	REPLACE(start);
	REPLACE(clause_begin);
	REPLACE(trace);
	REPLACE(tracemem);
	REPLACE(print);
	REPLACE(printf);
	REPLACE(printa);
	REPLACE(clause_end);
	REPLACE(summary_begin);
	REPLACE(summary);
	REPLACE(fault);
	REPLACE(drop);
	REPLACE(message);
	REPLACE(interrupt);
	REPLACE(flush);
	REPLACE(is_pending);
	REPLACE(error);
#undef REPLACE

	derived->text.writer.operations = operations;
}
