/* place_text.c: see place_text.h. */
#include "engine/output/place_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/utf8.h"
#include "engine/store/guest_stacks.h"

enum {
	INLINED_MAX = 64,
	MODULE_MAX = 255, /* bytes that are shown; an offset fits behind them */
	FUNCTION_MAX = PLACE_TEXT_MAX - MODULE_MAX - 32
};

/* Names come from files that a traced program may have written; none may disturb a terminal. */
static const char *clean(char *text)
{
	size_t length = strlen(text), size;

	for (size_t i = 0; i < length; i += size) {
		size = utf8_bytes(text + i, length - i);
		if (!size || clean_text_is_harmful(text + i, size)) {
			size += !size;
			memset(text + i, '?', size);
		}
	}
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
		snprintf(buffer, PLACE_TEXT_MAX, "%.*s`%.*s+0x%" PRIx64, MODULE_MAX, found.module,
			FUNCTION_MAX, places_readable(places, found.function, true),
			address - found.function_begin);
	else
		snprintf(buffer, PLACE_TEXT_MAX, "%.*s`%.*s", MODULE_MAX, found.module,
			FUNCTION_MAX, places_readable(places, found.function, true));
	return clean(buffer);
}

const char *place_text(struct places *places, enum d_value_kind kind, const struct text *value,
	uint32_t index, char buffer[PLACE_TEXT_MAX])
{
	return address_text(places, place_process(value), place_address(value, index),
		kind == D_VALUE_MODULE || kind == D_VALUE_USER_MODULE, buffer);
}

/* *at: the number of the rest of the stack, plus 1. */
static const char *guest_frame(const struct guest_stacks *stacks, const struct text *stack,
	uint64_t *at, char buffer[PLACE_TEXT_MAX])
{
	uint32_t number = *at ? (uint32_t)(*at - 1) : (uint32_t)place_word(stack, 0);

	if (!number || !stacks)
		return NULL;
	*at = (uint64_t)guest_stacks_outer(stacks, number) + 1;
	guest_stacks_text(stacks, number, buffer, PLACE_TEXT_MAX);
	return clean(buffer);
}

const char *place_frame_text(struct places *places, enum d_value_kind kind,
	const struct text *stack, uint64_t *at, char buffer[PLACE_TEXT_MAX])
{
	if (kind == D_VALUE_GUEST_STACK)
		return guest_frame(places->guest_stacks, stack, at, buffer);
	if (*at >= place_count(stack))
		return NULL;
	return place_text(places, kind, stack, (uint32_t)(*at)++, buffer);
}

/*
 * The length of a guest frame's text without the place in a file that may follow: "Class#method
 * (file:line)". The file may contain parentheses itself: "((native))".
 */
static size_t guest_name_length(const char *text)
{
	size_t length = strlen(text), at = length, open = 0;

	if (!length || text[length - 1] != ')')
		return length;
	while (at--) {
		open += text[at] == ')';
		open -= text[at] == '(';
		if (!open)
			break;
	}
	return !open && at > 1 && text[at - 1] == ' ' ? at - 1 : length;
}

/* Of the versions "name@@GLIBC_2.34" only the name matters here. */
static const char *frame_name(
	const struct places *places, const char *function, const char *suffix, char *buffer)
{
	const char *name = places_readable(places, function, false);
	const char *version = name == function ? strstr(name, "@GLIBC") : NULL;
	size_t length = version ? (size_t)(version - name) : strlen(name);

	while (version && length && name[length - 1] == '@')
		length--;
	if (length > PLACE_TEXT_MAX - 8)
		length = PLACE_TEXT_MAX - 8;
	snprintf(buffer, PLACE_TEXT_MAX, "%.*s%s", (int)length, name, suffix);
	return clean(buffer);
}

const char *place_frame_name(struct places *places, enum d_value_kind kind,
	const struct text *stack, uint64_t *at, char buffer[PLACE_TEXT_MAX])
{
	const char *names[INLINED_MAX];
	struct symbol found;
	uint64_t pid, address;
	uint32_t number;
	size_t inlined;

	if (kind == D_VALUE_GUEST_STACK) {
		if (!guest_frame(places->guest_stacks, stack, at, buffer))
			return NULL;
		buffer[guest_name_length(buffer)] = '\0';
		return buffer;
	}
	number = (uint32_t)*at;
	if (number >= place_count(stack))
		return NULL;
	pid = place_process(stack);
	address = place_address(stack, number) - (number > 0);
	inlined = places_inlined(places, pid, address, names, INLINED_MAX);
	if (*at >> 32 < inlined) {
		frame_name(places, names[*at >> 32], "_[i]", buffer);
		*at += UINT64_C(1) << 32;
		return buffer;
	}
	*at = number + 1;
	if (!places_find(places, pid, address, &found))
		return strcpy(buffer, "[unknown]");
	if (found.function)
		return frame_name(places, found.function, pid ? "" : "_[k]", buffer);
	snprintf(buffer, PLACE_TEXT_MAX, "[%s]", found.module);
	return clean(buffer);
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
