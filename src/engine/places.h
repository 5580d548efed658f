/*
 * places.h: stacks and addresses as values (D_VALUE_STACK and the kinds after it), and what is
 * known about an address. Names come from the processes and the kernel of this machine, so nothing
 * is known about the addresses in a recording. output/place_text.h turns them into text.
 *
 * An address that will be shown without its offset from a symbol is replaced by the symbol's start
 * when the value is created, so that all addresses of a function are one key.
 */
#ifndef VMTAP_ENGINE_PLACES_H
#define VMTAP_ENGINE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/scratch.h"
#include "program/event.h"
#include "program/program.h"
#include "usdt/address.h"
#include "usdt/function.h"

struct places {
	bool recorded;
	uint32_t target; /* the process of plain integer addresses, 0: none */
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

/* Creates values in scratch; NULL: scratch is used up. pid 0 is the kernel. */
const struct text *places_stack(struct places *places, struct scratch *scratch, uint32_t pid,
	const struct event_stack *stack, uint32_t most);
const struct text *places_address(struct places *places, struct scratch *scratch, uint32_t pid,
	enum d_value_kind kind, uint64_t address);

/* What is known about an address in a process (pid 0: the kernel); false: nothing. */
bool places_find(struct places *places, uint64_t pid, uint64_t address, struct usdt_address *found);

/* Word number `index` of a value. */
static inline uint64_t place_word(const struct text *value, uint32_t index)
{
	uint64_t word;

	memcpy(&word, value->bytes + index * sizeof(word), sizeof(word));
	return word;
}

/* The process of a value (0: the kernel), its number of addresses, and one of them. */
static inline uint64_t place_process(const struct text *value)
{
	return place_word(value, 0);
}

static inline uint32_t place_count(const struct text *value)
{
	return value->length / sizeof(uint64_t) - 1;
}

static inline uint64_t place_address(const struct text *value, uint32_t index)
{
	return place_word(value, index + 1);
}

#endif
