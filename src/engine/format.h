/*
 * format.h: one value to text: printf's conversions, the default forms of trace(), and
 * the columns of aggregation keys. Knows nothing of clauses or aggregations.
 */
#ifndef VMTAP_ENGINE_FORMAT_H
#define VMTAP_ENGINE_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#include "d/program.h"

enum {
	/*
	 * Widths and precisions beyond are cut: a script's "*" takes any number that an
	 * event brings, and a terabyte of blanks helps nobody.
	 */
	FORMAT_WIDTH_MAX = 65536
};

/* Literal text. */
void format_text(const struct d_text *text, FILE *output);

/*
 * A conversion without its text before. The value is a register's: a text for
 * D_CONVERT_STRING, else an integer that is cut to the conversion's type. width -1 and
 * precision below 0 are none; a width below -1 is the flag '-' and the width, as in C.
 */
void format_conversion(const struct d_conversion *conversion, int64_t width, int64_t precision,
	uint64_t value, FILE *output);

/* trace() of a value. */
void format_trace(const struct d_value_type *type, const struct d_options *options, uint64_t value,
	FILE *output);

/* A key in the default form of printa(). */
void format_key(const struct d_value_type *type, uint64_t value, FILE *output);

#endif
