/*
 * name_table.c: a hash table with chains that doubles when it is full.
 */
#include "d/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int grow(struct d_names *names)
{
	size_t count = names->bucket_count ? names->bucket_count * 2 : 512;
	struct d_name **buckets = calloc(count, sizeof(*buckets)), *name, *next;

	if (!buckets)
		return -1;
	for (size_t i = 0; i < names->bucket_count; i++) {
		for (name = names->buckets[i]; name; name = next) {
			next = name->next;
			name->next = buckets[name->hash & (count - 1)];
			buckets[name->hash & (count - 1)] = name;
		}
	}
	free(names->buckets);
	names->buckets = buckets;
	names->bucket_count = count;
	return 0;
}

struct d_name *d_names_get(struct d_names *names, const char *bytes, size_t length)
{
	uint32_t hash = text_hash(bytes, (uint32_t)length);
	struct d_name *name = NULL, **bucket;

	/* If the table cannot grow, it only becomes slower. */
	if (names->count >= names->bucket_count && grow(names) && !names->buckets)
		return NULL;
	bucket = &names->buckets[hash & (names->bucket_count - 1)];
	for (name = *bucket; name; name = name->next) {
		if (name->hash == hash && name->length == length &&
			!memcmp(name->bytes, bytes, length))
			return name;
	}
	name = arena_get(names->arena, sizeof(*name) + length + 1);
	if (!name)
		return NULL;
	name->hash = hash;
	name->length = (uint32_t)length;
	memcpy(name->bytes, bytes, length);
	name->next = *bucket;
	*bucket = name;
	names->count++;
	return name;
}

void d_names_free(struct d_names *names)
{
	free(names->buckets);
	memset(names, 0, sizeof(*names));
}
