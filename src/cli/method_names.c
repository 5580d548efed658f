/* method_names.c: see method_names.h. */
#include "cli/method_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/feed.h"

static inline size_t hash(uint64_t class, uint64_t method)
{
	uint64_t value = (class * 31 + method) * UINT64_C(0x9e3779b97f4a7c15);

	return value ^ value >> 32;
}

static bool grow(struct method_names *names)
{
	size_t count = names->slots ? names->slots * 2 : 256;
	struct method_pair *pairs = calloc(count, sizeof(*pairs));

	if (!pairs)
		return false;
	for (size_t i = 0; i < names->slots; i++) {
		const struct method_pair *pair = &names->pairs[i];
		size_t at = hash(pair->class, pair->method) & (count - 1);
		if (!pair->name.id)
			continue;
		while (pairs[at].name.id)
			at = (at + 1) & (count - 1);
		pairs[at] = *pair;
	}
	free(names->pairs);
	names->pairs = pairs;
	names->slots = count;
	return true;
}

void method_names_free(struct method_names *names)
{
	for (size_t i = 0; i < names->slots; i++)
		if (names->pairs[i].name.id)
			free((char *)names->pairs[i].name.text);
	free(names->pairs);
}

static uint32_t append(char *text, uint32_t at, const char *more, uint32_t length)
{
	uint32_t room = METHOD_NAME_MAX - at;

	length = length < room ? length : room;
	memcpy(text + at, more, length);
	return at + length;
}

static struct method_name join(
	struct method_names *names, const struct event_batch *batch, const struct event *event)
{
	uint32_t class_length, method_length, at = 0;
	const char *class = feed_text(batch, event, 0, &class_length);
	const char *method = feed_text(batch, event, 1, &method_length);

	at = append(names->text, at, class, class_length);
	if (class_length)
		at = append(names->text, at, ".", 1);
	at = append(names->text, at, method, method_length);
	return (struct method_name){0, at, names->text};
}

struct method_name method_names_find(
	struct method_names *names, const struct event_batch *batch, const struct event *event)
{
	uint64_t class = feed_number(event, 0), method = feed_number(event, 1);
	struct method_name name;
	char *text;
	size_t at;

	if ((class | method) & EVENT_HANDLE_TRANSIENT)
		return join(names, batch, event);
	if (names->count * 2 >= names->slots && !grow(names))
		return (struct method_name){0, 0, NULL};
	at = hash(class, method) & (names->slots - 1);
	for (; names->pairs[at].name.id; at = (at + 1) & (names->slots - 1))
		if (names->pairs[at].class == class && names->pairs[at].method == method)
			return names->pairs[at].name;
	name = join(names, batch, event);
	text = malloc(name.length + 1);
	if (!text)
		return (struct method_name){0, 0, NULL};
	memcpy(text, name.text, name.length);
	name.text = text;
	name.id = (uint32_t)++names->count;
	names->pairs[at] = (struct method_pair){class, method, name};
	return name;
}
