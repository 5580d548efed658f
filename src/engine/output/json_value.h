/*
 * json_value.h: values as JSON: the registers that actions record, and memory of a type for
 * print(). vmtap-json(5) says what each looks like.
 */
#ifndef VMTAP_ENGINE_OUTPUT_JSON_VALUE_H
#define VMTAP_ENGINE_OUTPUT_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/output/format.h"

/* A register: a text if its type is one (d_value_is_text()), else an integer, which is cut. */
void json_value_print(
	const struct format_context *context, const struct d_value_type *type, uint64_t value);

/* A float, double or long double, by its size: a number, or null if it is not a finite one. */
void json_value_float(const char *bytes, size_t size, FILE *output);

/* {"hex":"00ff"} */
void json_value_bytes(const char *bytes, size_t size, FILE *output);

/*
 * Memory as a value of layouts[index]. Returns false if option printsize, or the number of values
 * that one print() may have, has left something out.
 */
bool json_value_layout(const struct format_context *context, const struct d_layout *layouts,
	uint32_t index, const struct text *bytes);

#endif
