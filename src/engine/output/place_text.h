/*
 * place_text.h: the text that names an address: "module`function+0x10", or its number if nothing is
 * known about it.
 */
#ifndef VMTAP_ENGINE_OUTPUT_PLACE_TEXT_H
#define VMTAP_ENGINE_OUTPUT_PLACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/places.h"

enum { PLACE_TEXT_MAX = 1024 };

/* Address number `index` of a value (D_VALUE_STACK and the kinds after it), in buffer. */
const char *place_text(struct places *places, enum d_value_kind kind, const struct text *value,
	uint32_t index, char buffer[PLACE_TEXT_MAX]);

/*
 * The frames of a stack (D_VALUE_STACK or D_VALUE_GUEST_STACK), innermost first: the text of the
 * next one, in buffer, or NULL after the last. *at is 0 before the first call.
 */
const char *place_frame_text(struct places *places, enum d_value_kind kind,
	const struct text *stack, uint64_t *at, char buffer[PLACE_TEXT_MAX]);

/*
 * The same as a picture or table shows a frame: a method without its place; the function alone,
 * "function_[k]" one of the kernel, "[module]" where the file has no symbol, "[unknown]". All
 * places of a function have one name. Functions that the compiler has put into another one are
 * frames of their own, "function_[i]". A caller is named by its call, which is before the address
 * at which it goes on.
 */
const char *place_frame_name(struct places *places, enum d_value_kind kind,
	const struct text *stack, uint64_t *at, char buffer[PLACE_TEXT_MAX]);

/* Returns true if the frame by which place_frame_name() has moved *at, of a D_VALUE_STACK, is a
 * function within that of a later frame: place_frame_text() has no frame for it. */
static inline bool place_frame_is_inlined(uint64_t before, uint64_t after)
{
	return (uint32_t)before == (uint32_t)after;
}

/* A plain integer as an address of the target or the kernel, in buffer. */
const char *place_text_of_integer(
	struct places *places, bool user, uint64_t address, char buffer[PLACE_TEXT_MAX]);

#endif
