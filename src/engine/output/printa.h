/*
 * printa.h: aggregations as text, in DTrace's order: with a format or without, several
 * joined on equal keys.
 */
#ifndef VMTAP_ENGINE_OUTPUT_PRINTA_H
#define VMTAP_ENGINE_OUTPUT_PRINTA_H

#include <stddef.h>
#include <stdio.h>

#include "engine/aggregate.h"
#include "engine/output/format.h"

struct printa_order {
	bool by_key, reversed;
	int position;     /* which of several aggregations sorts */
	int key_position; /* which key is compared first */
};

/*
 * Prints the elements of count aggregations of one shape, a line for each key tuple.
 * format NULL: the default columns. 0 or -ENOMEM, which prints nothing.
 */
int printa_print(struct aggregate *const *aggregates, size_t count, const struct d_format *format,
	const struct printa_order *order, const struct format_context *context);

#endif
