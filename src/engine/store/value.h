/*
 * value.h: how a 64-bit register becomes the value of a D type: it is cut to the type's size and
 * extended again by its sign. Used wherever a value leaves the machine: keys, records, conversions.
 */
#ifndef VMTAP_ENGINE_STORE_VALUE_H
#define VMTAP_ENGINE_STORE_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "program/program.h"

static inline uint64_t value_cut(uint64_t value, uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
	case 2:
		return is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
	case 4:
		return is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
	default:
		return value;
	}
}

/* Reads an integer of this layout from memory; part: the bit-field to read of it, or NULL. */
static inline uint64_t value_of_layout(
	const struct d_layout *layout, const char *bytes, const struct d_layout_part *part)
{
	unsigned bits = part ? part->bits : 0;
	uint64_t value = 0;

	memcpy(&value, bytes, layout->size);
	if (!bits)
		return value_cut(value, layout->size, layout->is_signed);
	value = value >> part->shift << (64 - bits);
	return layout->is_signed ? (uint64_t)((int64_t)value >> (64 - bits)) : value >> (64 - bits);
}

static inline const struct text *value_text(uint64_t value)
{
	return (const struct text *)(uintptr_t)value;
}

static inline uint64_t value_of_text(const struct text *text)
{
	return (uintptr_t)text;
}

#endif
