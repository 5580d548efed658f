/*
 * known_value.h: what is known of a value before a clause runs, and what follows for values that
 * are calculated from it. Only demand.c works with it.
 */
#ifndef VMTAP_PROGRAM_KNOWN_VALUE_H
#define VMTAP_PROGRAM_KNOWN_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum known_kind {
	KNOWN_NOTHING,
	KNOWN_VALUE, /* a number (D_PIECE_FIXED), or an address in the process */
	KNOWN_COPY,  /* an address in the engine's memory: `offset` in a copy of piece `base` */
	KNOWN_OWN    /* any other address in the engine's memory */
};

struct known {
	uint8_t kind, from; /* enum d_piece_base */
	uint32_t base, at;
	int64_t offset;
	/* as in struct d_piece; only of KNOWN_VALUE */
	uint32_t index;
	int32_t index_bits;
	int64_t index_scale;
};

extern const struct known known_nothing, known_own;

struct known known_number(int64_t value);
bool known_is_number(const struct known *known);
bool known_is_own(const struct known *known); /* an address in the engine's memory */

/* Whether it is an argument, perhaps cut to an int: how many bytes are read. */
bool known_is_count(const struct known *known, struct known *argument);

/* What holds for both. */
struct known known_common(const struct known *one, const struct known *other);

struct known known_add(const struct known *one, const struct known *other);
struct known known_subtract(const struct known *one, const struct known *other);
struct known known_multiply(const struct known *one, const struct known *other);

/* The value cut to so many bits: sign-extended if bits is negative, otherwise zero-extended. */
struct known known_cut(const struct known *known, int32_t bits);

#endif
