/*
 * text_writer.c: see text_writer.h. This file prints the start and the end of a clause's line;
 * format.c, print.c and printa.c turn values into text, and messages.c the messages.
 */
#include "engine/output/text_writer.h"

#include <errno.h>
#include <stddef.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/output/display.h"
#include "engine/output/messages.h"
#include "engine/output/print.h"
#include "engine/output/printa.h"

enum { NAME_MAX_SHOWN = 1024, FLOW_INDENT = 2 };

static struct text_writer *text_of(struct writer *writer)
{
	return (struct text_writer *)((char *)writer - offsetof(struct text_writer, writer));
}

/* Called after each write of output, while errno still says why it failed. */
static void note_error(struct text_writer *text)
{
	if (ferror_unlocked(text->context.output) && !text->error)
		text->error = errno ? errno : EIO;
}

/* Called before anything that is no line of the table is printed. */
static void end_table(struct text_writer *text)
{
	if (!table_flush(&text->table, text->context.output))
		text->error = ENOMEM;
}

/* Begins lines of a table, if the format is one's and option table is set; else ends the table. */
static void begin_lines(struct text_writer *text, const struct d_format *format)
{
	unsigned columns = format && text->context.options->table ? table_columns(format) : 0;

	if (columns)
		table_begin(&text->table, columns, text->context.output);
	else
		end_table(text);
	text->context.table = columns ? &text->table : NULL;
}

static void end_lines(struct text_writer *text)
{
	text->context.table = NULL;
	note_error(text);
}

/* On a terminal, text of the traced program must not steer it. */
static void update_cleaning(struct text_writer *text)
{
	if (!text->is_checked)
		text->is_terminal = isatty(fileno(text->context.output));
	text->is_checked = true;
	text->context.cleans = text->is_terminal && !text->context.options->rawnames;
}

static const char *known(const char *name)
{
	return name ? name : "";
}

static void start(struct writer *writer, const struct writer_run *run)
{
	struct format_context *context = &text_of(writer)->context;

	context->options = run->options;
	context->places = run->places;
	context->cpus = run->cpus;
}

static void print_flow(const struct writer_clause *clause, FILE *output)
{
	char *named =
		clause->function ? display_clean(clause->function, strlen(clause->function)) : NULL;
	const char *function = known(named ? named : clause->probe->function);
	bool system_call = strcmp(known(clause->probe->provider), "syscall") == 0;
	int indent = (int)clause->depth * FLOW_INDENT;
	char shown[NAME_MAX_SHOWN];

	if (clause->flow == WRITER_FLOW_NONE)
		snprintf(shown, sizeof(shown), "%*s| %s:%s", indent, "", function,
			known(clause->probe->name));
	else if (clause->flow == WRITER_FLOW_ENTRY)
		snprintf(shown, sizeof(shown), "%*s%s%s", indent, "", system_call ? " => " : " -> ",
			function);
	else
		snprintf(shown, sizeof(shown), "%*s%s%s", indent, "", system_call ? " <= " : " <- ",
			function);
	fprintf(output, "%3d %-41s ", clause->cpu, shown);
	free(named);
}

/* The start of a clause's line, if not quiet. */
static void begin_clause(struct writer *writer, const struct writer_clause *clause)
{
	struct text_writer *text = text_of(writer);
	const struct d_options *options = text->context.options;
	FILE *output = text->context.output;
	char shown[NAME_MAX_SHOWN];

	update_cleaning(text);
	if (options->quiet)
		return;
	if (!text->header_printed && options->flowindent)
		fprintf(output, "%3s %-41s\n", "CPU", "FUNCTION");
	else if (!text->header_printed)
		fprintf(output, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
	text->header_printed = true;
	if (options->flowindent) {
		print_flow(clause, output);
	} else {
		snprintf(shown, sizeof(shown), "%s:%s", known(clause->probe->function),
			known(clause->probe->name));
		fprintf(output, "%3d %6u ", clause->cpu, clause->probe_id);
		format_padded(&text->context, shown, 32);
		putc(' ', output);
	}
	note_error(text);
}

static void end_clause(struct writer *writer, const struct writer_clause *clause)
{
	struct text_writer *text = text_of(writer);

	(void)clause;
	end_table(text);
	/* Checked again because setopt("quiet") takes effect within its clause. */
	if (!text->context.options->quiet)
		putc('\n', text->context.output);
	note_error(text);
}

static void write_trace(struct writer *writer, const struct d_value_type *type, uint64_t value)
{
	struct text_writer *text = text_of(writer);

	end_table(text);
	update_cleaning(text);
	format_trace(&text->context, type, value);
	note_error(text);
}

static void write_tracemem(struct writer *writer, const char *bytes, size_t size)
{
	struct text_writer *text = text_of(writer);

	end_table(text);
	format_dump(bytes, size, text->context.output);
	note_error(text);
}

static void write_print(struct writer *writer, const struct d_layout *layouts, uint32_t index,
	uint64_t address, const struct text *bytes)
{
	struct text_writer *text = text_of(writer);

	end_table(text);
	update_cleaning(text);
	print_memory_as(&text->context, layouts, index, address, bytes);
	note_error(text);
}

static void write_printf(struct writer *writer, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	struct text_writer *text = text_of(writer);

	begin_lines(text, format);
	update_cleaning(text);
	format_values(&text->context, format, action, values);
	end_lines(text);
}

/* The default form begins with a newline even if the aggregations are empty, as in DTrace. */
static void write_printa(
	struct writer *writer, const struct aggregate_rows *rows, const struct d_format *format)
{
	struct text_writer *text = text_of(writer);

	update_cleaning(text);
	begin_lines(text, printa_has_distribution(rows) ? NULL : format);
	if (!format)
		putc('\n', text->context.output);
	printa_print(rows, format, &text->context);
	end_lines(text);
}

static void begin_summary(struct writer *writer)
{
	struct text_writer *text = text_of(writer);

	putc('\n', text->context.output);
	note_error(text);
}

static void write_summary(struct writer *writer, const struct aggregate_rows *rows)
{
	struct text_writer *text = text_of(writer);

	update_cleaning(text);
	printa_print(rows, NULL, &text->context);
	note_error(text);
}

/* On a terminal that shows both streams, a fault must appear after what was printed before it. */
static void write_fault(struct writer *writer, const struct writer_fault *fault)
{
	struct text_writer *text = text_of(writer);

	end_table(text);
	fflush(text->context.output);
	note_error(text);
	messages_print_fault(fault, text->messages);
}

static void write_drop(struct writer *writer, const struct writer_drop *drop)
{
	struct text_writer *text = text_of(writer);

	messages_print_drop(drop, text->context.options->droptags, text->messages);
}

static void write_message(struct writer *writer, const char *line)
{
	fprintf(text_of(writer)->messages, "dtrace: %s\n", line);
}

/* Follows the terminal's "^C". */
static void write_interrupt(struct writer *writer)
{
	struct text_writer *text = text_of(writer);

	putc('\n', text->context.output);
	note_error(text);
}

static void flush(struct writer *writer)
{
	struct text_writer *text = text_of(writer);

	end_table(text);
	fflush(text->context.output);
	note_error(text);
	text->is_checked = false;
}

static bool is_pending(struct writer *writer)
{
	return __fpending(text_of(writer)->context.output) > 0;
}

static int error_of(struct writer *writer)
{
	return text_of(writer)->error;
}

static const struct writer_operations operations = {
	.start = start,
	.clause_begin = begin_clause,
	.trace = write_trace,
	.tracemem = write_tracemem,
	.print = write_print,
	.printf = write_printf,
	.printa = write_printa,
	.clause_end = end_clause,
	.summary_begin = begin_summary,
	.summary = write_summary,
	.fault = write_fault,
	.drop = write_drop,
	.message = write_message,
	.interrupt = write_interrupt,
	.flush = flush,
	.is_pending = is_pending,
	.error = error_of,
};

void text_writer_init(struct text_writer *text, FILE *output, FILE *messages)
{
	*text = (struct text_writer){
		.writer = {&operations}, .messages = messages, .context = {.output = output}};
}
