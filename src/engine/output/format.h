/*
 * format.h: converts one value to text: printf's conversions, the default forms of trace(), and the
 * columns of aggregation keys. It knows nothing about clauses or aggregations.
 */
#ifndef VMTAP_ENGINE_OUTPUT_FORMAT_H
#define VMTAP_ENGINE_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/output/table.h"
#include "engine/store/places.h"
#include "program/program.h"

enum {
	/*
	 * The largest width and precision. A script's "*" may be any number from an event, and a
	 * terabyte of blanks helps nobody. The numbers in a format are limited to this too.
	 */
	FORMAT_WIDTH_MAX = 100000
};

/* What the text of a value depends on, and where it goes. */
struct format_context {
	struct table *table; /* takes the values instead of the output; NULL: none */
	const struct d_options *options;
	struct places *places;
	FILE *output;
	uint32_t cpus; /* of the machine, 0: unknown */
	bool cleans;   /* text of the traced program is spelled out as display_lines() does */
	bool quotes;   /* %'s is one word of the shell */
};

/* Prints literal text. */
void format_text(const struct format_context *context, const struct text *text);

/*
 * Prints a conversion without the text before it. The value is that of a register: a text if its
 * type is one (d_value_is_text()), else an integer, which is cut to the conversion's type. Width 0
 * means no width, and a negative width sets the flag '-', as in C. A precision of 0 or less means
 * no precision, as in DTrace: "%.0s" prints the whole string.
 */
void format_conversion(const struct format_context *context, const struct d_conversion *conversion,
	int64_t width, int64_t precision, uint64_t value);

/* printf(): prints the values of an action with a format. */
void format_values(const struct format_context *context, const struct d_format *format,
	const struct d_action *action, const uint64_t *values);

/*
 * The same, but returns a string, which the caller frees; the context's output is not used. NULL:
 * no memory.
 */
char *format_string(const struct format_context *context, const struct d_format *format,
	const struct d_action *action, const uint64_t *values);

/* tracemem(): bytes as a table, 16 to a row. */
void format_dump(const char *bytes, size_t size, FILE *output);

/* trace() of a value; also a stack or a place that was recorded by itself. */
void format_trace(
	const struct format_context *context, const struct d_value_type *type, uint64_t value);

/* A string as "%*s" prints it, cleaned if the context says so. */
void format_padded(const struct format_context *context, const char *text, int width);

/* A key in the default form of printa(). */
void format_key(
	const struct format_context *context, const struct d_value_type *type, uint64_t value);

#endif
