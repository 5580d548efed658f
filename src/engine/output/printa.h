/*
 * printa.h: the rows of aggregations as text, with a format or without.
 */
#ifndef VMTAP_ENGINE_OUTPUT_PRINTA_H
#define VMTAP_ENGINE_OUTPUT_PRINTA_H

#include "engine/output/format.h"
#include "engine/store/aggregate_rows.h"

/* Prints a line for each row; format NULL: the default columns. */
void printa_print(const struct aggregate_rows *rows, const struct d_format *format,
	const struct format_context *context);

/* Whether a value is a distribution, whose text has many lines. */
bool printa_has_distribution(const struct aggregate_rows *rows);

#endif
