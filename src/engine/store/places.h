/*
 * places.h: stacks and addresses as values (D_VALUE_STACK and the kinds after it), and what is
 * known about an address. output/place_text.h turns them into text.
 *
 * An address that will be shown without its offset from a symbol is replaced by the symbol's start
 * when the value is created, so that all addresses of a function are one key.
 */
#ifndef VMTAP_ENGINE_STORE_PLACES_H
#define VMTAP_ENGINE_STORE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/symbol_lookup.h"
#include "engine/store/scratch.h"
#include "program/event.h"
#include "program/program.h"

struct guest_stacks;

struct places {
	const struct symbol_lookup *symbols; /* NULL: nothing is known about any address */
	const struct guest_stacks *guest_stacks;
	uint32_t target; /* the process of plain integer addresses, 0: none */
	bool is_mangled; /* names are shown as linkers have them */
};

/* Creates values in scratch; NULL: scratch is used up. pid 0 is the kernel. */
const struct text *places_stack(struct places *places, struct scratch *scratch, uint32_t pid,
	const struct event_stack *stack, uint32_t most);
const struct text *places_address(struct places *places, struct scratch *scratch, uint32_t pid,
	enum d_value_kind kind, uint64_t address);

/* The same for the number of a guest stack, of kind D_VALUE_GUEST_STACK. */
const struct text *places_guest_stack(struct scratch *scratch, uint32_t number);

/*
 * Whether two stacks of the same kind have the same frames. NULL equals an empty stack of any
 * process: neither has frames.
 */
bool places_same_stack(enum d_value_kind kind, const struct text *one, const struct text *other);

/* Makes sure that the frames of a stack can still be found after the process has ended. */
void places_note(const struct places *places, const struct text *stack);

/* What is known about an address in a process (pid 0: the kernel); false: nothing. */
bool places_find(const struct places *places, uint64_t pid, uint64_t address, struct symbol *found);

/* The functions that the compiler has put into the one at the address (struct symbol_lookup). */
size_t places_inlined(const struct places *places, uint64_t pid, uint64_t address,
	const char **names, size_t most);

/* A function's name as it is shown, with the types of its parameters or without. */
const char *places_readable(
	const struct places *places, const char *function, bool with_parameters);

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
