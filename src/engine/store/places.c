/* places.c: see places.h. */
#include "engine/store/places.h"

#include <string.h>

bool places_find(const struct places *places, uint64_t pid, uint64_t address, struct symbol *found)
{
	const struct symbol_lookup *symbols = places->symbols;

	return symbols && symbols->find(symbols->context, pid, address, found);
}

size_t places_inlined(const struct places *places, uint64_t pid, uint64_t address,
	const char **names, size_t most)
{
	const struct symbol_lookup *symbols = places->symbols;

	return symbols && symbols->inlined
		? symbols->inlined(symbols->context, pid, address, names, most)
		: 0;
}

const char *places_readable(const struct places *places, const char *function, bool with_parameters)
{
	const struct symbol_lookup *symbols = places->symbols;

	return symbols && symbols->readable && !places->is_mangled
		? symbols->readable(symbols->context, function, with_parameters)
		: function;
}

static struct text *make(struct scratch *scratch, uint32_t first, uint32_t count)
{
	size_t size = ((size_t)count + 1) * sizeof(uint64_t);
	struct text *value = scratch_get(scratch, sizeof(*value) + size + 1);
	uint64_t word = first;

	if (!value)
		return NULL;
	value->bytes = (const char *)(value + 1);
	value->length = (uint32_t)size;
	value->hash = 0;
	memcpy(value + 1, &word, sizeof(word));
	((char *)(value + 1))[size] = '\0';
	return value;
}

static void put(struct text *value, uint32_t index, uint64_t address)
{
	memcpy((char *)(value + 1) + (index + 1) * sizeof(address), &address, sizeof(address));
}

const struct text *places_stack(struct places *places, struct scratch *scratch, uint32_t pid,
	const struct event_stack *stack, uint32_t most)
{
	uint32_t count = stack->count < most ? stack->count : most;
	const struct symbol_lookup *symbols = places->symbols;
	struct text *value = make(scratch, pid, count);

	if (!value)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		put(value, i, stack->frames[i]);
		if (symbols)
			symbols->note(symbols->context, pid, stack->frames[i]);
	}
	value->hash = text_hash(value->bytes, value->length);
	return value;
}

const struct text *places_guest_stack(struct scratch *scratch, uint32_t number)
{
	struct text *value = make(scratch, number, 0);

	if (value)
		value->hash = text_hash(value->bytes, value->length);
	return value;
}

static bool is_empty(enum d_value_kind kind, const struct text *stack)
{
	return !stack || (kind == D_VALUE_STACK ? !place_count(stack) : !place_word(stack, 0));
}

bool places_same_stack(enum d_value_kind kind, const struct text *one, const struct text *other)
{
	if (is_empty(kind, one) || is_empty(kind, other))
		return is_empty(kind, one) && is_empty(kind, other);
	return one->length == other->length && !memcmp(one->bytes, other->bytes, one->length);
}

void places_note(const struct places *places, const struct text *stack)
{
	const struct symbol_lookup *symbols = places->symbols;
	uint64_t pid, frame;

	if (!symbols || stack->length < sizeof(pid))
		return;
	memcpy(&pid, stack->bytes, sizeof(pid));
	for (uint32_t at = sizeof(pid); at + sizeof(frame) <= stack->length; at += sizeof(frame)) {
		memcpy(&frame, stack->bytes + at, sizeof(frame));
		symbols->note(symbols->context, (uint32_t)pid, frame);
	}
}

const struct text *places_address(struct places *places, struct scratch *scratch, uint32_t pid,
	enum d_value_kind kind, uint64_t address)
{
	struct text *value = make(scratch, pid, 1);
	struct symbol found;

	if (!value)
		return NULL;
	if (places_find(places, pid, address, &found)) {
		if ((kind == D_VALUE_SYMBOL || kind == D_VALUE_USER_SYMBOL) && found.function)
			address = found.function_begin;
		else if (kind == D_VALUE_MODULE || kind == D_VALUE_USER_MODULE)
			address = found.module_begin;
	}
	put(value, 0, address);
	value->hash = text_hash(value->bytes, value->length);
	return value;
}
