/* place_text.c: see place_text.h. */
#include "engine/output/place_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Names come from files that a traced program may have written; none may disturb a terminal. */
static const char *clean(char *text)
{
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return text;
}

static const char *address_text(struct places *places, uint64_t pid, uint64_t address,
	bool module_only, char buffer[PLACE_TEXT_MAX])
{
	struct symbol found;

	if (!places_find(places, pid, address, &found))
		snprintf(buffer, PLACE_TEXT_MAX, "0x%" PRIx64, address);
	else if (module_only)
		snprintf(buffer, PLACE_TEXT_MAX, "%s", found.module);
	else if (!found.function)
		snprintf(buffer, PLACE_TEXT_MAX, "%s`0x%" PRIx64, found.module, address);
	else if (address > found.function_begin)
		snprintf(buffer, PLACE_TEXT_MAX, "%s`%s+0x%" PRIx64, found.module, found.function,
			address - found.function_begin);
	else
		snprintf(buffer, PLACE_TEXT_MAX, "%s`%s", found.module, found.function);
	return clean(buffer);
}

const char *place_text(struct places *places, enum d_value_kind kind, const struct text *value,
	uint32_t index, char buffer[PLACE_TEXT_MAX])
{
	return address_text(places, place_process(value), place_address(value, index),
		kind == D_VALUE_MODULE || kind == D_VALUE_USER_MODULE, buffer);
}

const char *place_text_of_integer(
	struct places *places, bool user, uint64_t address, char buffer[PLACE_TEXT_MAX])
{
	if (user && !places->target)
		snprintf(buffer, PLACE_TEXT_MAX, "0x%" PRIx64, address);
	else
		address_text(places, user ? places->target : 0, address, false, buffer);
	return buffer;
}
