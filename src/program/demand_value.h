/*
 * demand_value.h: what is known of a value before a clause runs, and what follows for values that
 * are calculated from it. Only demand.c works with it.
 */
#ifndef VMTAP_PROGRAM_DEMAND_VALUE_H
#define VMTAP_PROGRAM_DEMAND_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum demand_value_kind {
	DEMAND_VALUE_NOTHING,
	DEMAND_VALUE_PLAIN, /* a number (D_PIECE_FIXED), or an address in the process */
	DEMAND_VALUE_COPY,  /* an address in the engine's memory: `offset` in a copy of piece `base`
			     */
	DEMAND_VALUE_OWN    /* any other address in the engine's memory */
};

struct demand_value {
	uint8_t kind, from; /* enum d_piece_base */
	uint32_t base, at;
	int64_t offset;
	/* as in struct d_piece; only of DEMAND_VALUE_PLAIN */
	uint32_t index;
	int32_t index_bits;
	int64_t index_scale;
};

extern const struct demand_value demand_value_nothing, demand_value_own;

struct demand_value demand_value_number(int64_t value);
bool demand_value_is_number(const struct demand_value *known);
bool demand_value_is_own(const struct demand_value *known); /* an address in the engine's memory */

/* Whether it is an argument, perhaps cut to an int: how many bytes are read. */
bool demand_value_is_count(const struct demand_value *known, struct demand_value *argument);

/* What holds for both. */
struct demand_value demand_value_common(
	const struct demand_value *one, const struct demand_value *other);

struct demand_value demand_value_add(
	const struct demand_value *one, const struct demand_value *other);
struct demand_value demand_value_subtract(
	const struct demand_value *one, const struct demand_value *other);
struct demand_value demand_value_multiply(
	const struct demand_value *one, const struct demand_value *other);

/* The value cut to this many bits: sign-extended if bits is negative, otherwise zero-extended. */
struct demand_value demand_value_cut(const struct demand_value *known, int32_t bits);

#endif
