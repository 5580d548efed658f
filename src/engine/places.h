/*
 * places.h: stacks and addresses as values (D_VALUE_STACK and those behind it), and as the
 * text that names them: "module`function+0x10". Names come from the processes and from the
 * kernel of this machine, so addresses of a recording stay numbers.
 *
 * An address that will be shown without its distance from a symbol is moved to the
 * symbol's begin when the value is made: keys of one function are one key.
 */
#ifndef VMTAP_ENGINE_PLACES_H
#define VMTAP_ENGINE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/scratch.h"
#include "program/event.h"
#include "program/program.h"
#include "usdt/address.h"
#include "usdt/function.h"

enum {
	PLACE_TEXT_MAX = 1024,
	PLACE_WORDS = 2 /* of an address: process, address */
};

struct places {
	bool recorded;
	uint32_t target; /* whose addresses plain integers are, 0: nobody's */
	size_t process_count;
	struct place_process {
		uint32_t pid;
		struct usdt_addresses *addresses;
	} * processes;
	bool kernel_read;
	struct usdt_functions kernel;
};

void places_init(struct places *places, bool recorded, uint32_t target);
void places_free(struct places *places);

/* Values in scratch; NULL without scratch. pid 0 is the kernel. */
const struct text *places_stack(struct places *places, struct scratch *scratch, uint32_t pid,
	const struct event_stack *stack, uint32_t most);
const struct text *places_address(struct places *places, struct scratch *scratch, uint32_t pid,
	enum d_value_kind kind, uint64_t address);

static inline uint32_t place_count(const struct text *value)
{
	return value->length / sizeof(uint64_t) - 1;
}

/* Address number `index` of a value as text, in buffer. */
const char *places_text(struct places *places, enum d_value_kind kind, const struct text *value,
	uint32_t index, char buffer[PLACE_TEXT_MAX]);

/* A plain integer as an address of the target or the kernel. */
const char *places_integer_text(
	struct places *places, bool user, uint64_t address, char buffer[PLACE_TEXT_MAX]);

#endif
