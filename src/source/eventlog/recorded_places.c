/* recorded_places.c: see recorded_places.h. */
#include "source/eventlog/recorded_places.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Addresses of places: not those of any process or kernel. */
#define PLACES_BEGIN (UINT64_C(1) << 62)

enum { OFFSET_BITS = 32, PLACES_MAX = 1 << 28 };

struct recorded_place {
	char *module;         /* and after its NUL the function */
	const char *function; /* "": this is the module itself */
	uint32_t of;          /* the place that is the module */
};

/* The module and the function of a text, without the offset. */
struct recorded_place_key {
	const char *bytes;
	size_t module_length, length;
};

static bool is_place(const void *places, uint32_t index, const void *key)
{
	const struct recorded_place *place = &((const struct recorded_place *)places)[index];
	const struct recorded_place_key *wanted = key;
	size_t length = wanted->length - wanted->module_length - 1;

	return strlen(place->module) == wanted->module_length &&
		!memcmp(place->module, wanted->bytes, wanted->module_length) &&
		strlen(place->function) == length &&
		!memcmp(place->function, wanted->bytes + wanted->module_length + 1, length);
}

static uint64_t address_of(uint64_t number)
{
	return PLACES_BEGIN + (number << OFFSET_BITS);
}

static bool recorded_places_find(
	void *context, uint64_t pid, uint64_t address, struct symbol *found)
{
	const struct recorded_places *places = context;
	uint64_t index = (address - PLACES_BEGIN) >> OFFSET_BITS;
	const struct recorded_place *place;

	(void)pid;
	if (address < PLACES_BEGIN || index >= places->count)
		return false;
	place = &places->places[index];
	*found = (struct symbol){.module = place->module,
		.function = *place->function ? place->function : NULL,
		.function_begin = address_of(index),
		.module_begin = address_of(place->of)};
	return true;
}

/* The texts stay where they are. */
static void recorded_places_note(void *context, uint64_t pid, uint64_t address)
{
	(void)context;
	(void)pid;
	(void)address;
}

void recorded_places_init(struct recorded_places *places)
{
	*places = (struct recorded_places){.lookup = {.context = places,
						   .find = recorded_places_find,
						   .note = recorded_places_note}};
}

void recorded_places_free(struct recorded_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		free(places->places[i].module);
	free(places->places);
	free(places->addresses);
	hash_table_free(&places->table);
	recorded_places_init(places);
}

/* Returns the number of a place; HASH_TABLE_NONE: there is no room for it. */
static uint32_t number_of_place(
	struct recorded_places *places, const struct recorded_place_key *key)
{
	uint32_t hash = text_hash(key->bytes, (uint32_t)key->length);
	uint32_t index = hash_table_find(&places->table, hash, is_place, places->places, key);
	struct recorded_place place;

	if (index != HASH_TABLE_NONE)
		return index;
	if (places->count == PLACES_MAX ||
		array_room(&places->places, &places->capacity, places->count, sizeof(place)) ||
		hash_table_room(&places->table))
		return HASH_TABLE_NONE;
	place.module = strndup(key->bytes, key->length);
	if (!place.module)
		return HASH_TABLE_NONE;
	place.module[key->module_length] = '\0';
	place.function = place.module + key->module_length + 1;
	index = (uint32_t)places->count++;
	place.of = index;
	places->places[index] = place;
	hash_table_add(&places->table, hash, index);
	return index;
}

/* Returns the offset at the end of a text, "+0x1f", and cuts it off; 0: there is none. */
static uint64_t cut_offset(struct recorded_place_key *key)
{
	char digits[2 * sizeof(uint32_t) + 1] = "";
	size_t at = key->length;

	while (at && key->length - at < sizeof(digits) &&
		memchr("0123456789abcdef", key->bytes[at - 1], 16))
		at--;
	if (at == key->length || key->length - at >= sizeof(digits) ||
		at < key->module_length + 5 || memcmp(key->bytes + at - 3, "+0x", 3) != 0)
		return 0;
	memcpy(digits, key->bytes + at, key->length - at);
	key->length = at - 3;
	return strtoull(digits, NULL, 16);
}

static uint64_t read_place(struct recorded_places *places, const struct text *text)
{
	const char *quote = memchr(text->bytes, '`', text->length);
	struct recorded_place_key key = {text->bytes, 0, text->length},
				  module = {text->bytes, 0, 0};
	uint64_t offset;
	uint32_t number, of;

	if (!quote)
		return !strncmp(text->bytes, "0x", 2) ? strtoull(text->bytes, NULL, 16) : 0;
	key.module_length = (size_t)(quote - text->bytes);
	if (key.module_length + 1 == key.length)
		return 0;
	offset = cut_offset(&key);
	module.module_length = key.module_length;
	module.length = key.module_length + 1;
	of = number_of_place(places, &module);
	number = number_of_place(places, &key);
	if (number == HASH_TABLE_NONE || of == HASH_TABLE_NONE)
		return 0;
	places->places[number].of = of;
	return address_of(number) + offset;
}

uint64_t recorded_places_address(
	struct recorded_places *places, uint32_t index, const struct text *text)
{
	size_t before = places->address_count;

	if (!text || !text->length)
		return 0;
	if (array_room(
		    &places->addresses, &places->address_count, index, sizeof(*places->addresses)))
		return 0;
	if (places->address_count > before)
		memset(places->addresses + before, 0,
			(places->address_count - before) * sizeof(*places->addresses));
	if (!places->addresses[index])
		places->addresses[index] = read_place(places, text);
	return places->addresses[index];
}
