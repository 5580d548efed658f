/* wire_type.c: see wire_type.h. */
#include "wire/wire_type.h"

#include <stddef.h>

const struct wire_type wire_types[WIRE_TYPE_COUNT] = {
#define WIRE_TYPE(number, name, size, least, traits, fields, text, note)                           \
	{number, size, least, traits, #name, fields, text},
#include "wire/event_types.h"
};

enum {
#define WIRE_TYPE(number, name, ...) ROW_##name,
#include "wire/event_types.h"
};

/* By event type: the number of its row plus 1. */
static const unsigned char rows[] = {
#define WIRE_TYPE(number, name, ...) [number] = ROW_##name + 1,
#include "wire/event_types.h"
};

const struct wire_type *wire_type_find(uint16_t number)
{
	return number < sizeof(rows) && rows[number] ? &wire_types[rows[number] - 1] : NULL;
}

bool wire_type_has(uint16_t number, enum wire_trait trait)
{
	const struct wire_type *type = wire_type_find(number);

	return type && type->traits & trait;
}
