/* method_names.c: see method_names.h. */
#include "cli/method_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/method_text.h"
#include "cli/feed.h"

static inline uint32_t pair_hash(uint64_t class, uint64_t method)
{
	return hash_table_number(class * 31 + method);
}

static bool is_pair(const void *pairs, uint32_t index, const void *key)
{
	const struct method_pair *pair = &((const struct method_pair *)pairs)[index], *wanted = key;

	return pair->class == wanted->class && pair->method == wanted->method;
}

void method_names_free(struct method_names *names)
{
	for (size_t i = 0; i < names->table.count; i++)
		free((char *)names->pairs[i].name.text);
	free(names->pairs);
	hash_table_free(&names->table);
}

static struct method_name join(
	struct method_names *names, const struct event_batch *batch, const struct event *event)
{
	uint32_t class_length, method_length;
	const char *class = feed_text(batch, event, 0, &class_length);
	const char *method = feed_text(batch, event, 1, &method_length);
	size_t length = method_text(names->text, sizeof(names->text),
		(struct method_part){class, class_length},
		(struct method_part){method, method_length});

	return (struct method_name){0, (uint32_t)length, names->text};
}

struct method_name method_names_find(
	struct method_names *names, const struct event_batch *batch, const struct event *event)
{
	struct method_pair pair = {feed_number(event, 0), feed_number(event, 1), {0, 0, NULL}};
	uint32_t hash = pair_hash(pair.class, pair.method), index;
	char *text;

	if ((pair.class | pair.method) & EVENT_HANDLE_TRANSIENT)
		return join(names, batch, event);
	index = hash_table_find(&names->table, hash, is_pair, names->pairs, &pair);
	if (index != HASH_TABLE_NONE)
		return names->pairs[index].name;
	index = names->table.count;
	if (array_room(&names->pairs, &names->capacity, index, sizeof(*names->pairs)) ||
		hash_table_room(&names->table))
		return pair.name;
	pair.name = join(names, batch, event);
	text = malloc(pair.name.length + 1);
	if (!text)
		return (struct method_name){0, 0, NULL};
	memcpy(text, pair.name.text, pair.name.length);
	pair.name.text = text;
	pair.name.id = index + 1;
	names->pairs[index] = pair;
	hash_table_add(&names->table, hash, index);
	return pair.name;
}
