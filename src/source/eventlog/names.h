/*
 * names.h: the names of a stream: which text an id denotes now, and every text that it ever
 * denoted. A text stays at its address as long as the table lives, because the engine keeps
 * pointers to it. The sender chooses ids; the indices are ours, one for each text. An id
 * that is redefined gets another index, so that earlier events keep their text.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_NAMES_H
#define VMTAP_SOURCE_EVENTLOG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "base/text.h"

enum {
	NAMES_ID_MAX = (1 << 24) - 1,       /* ids are dense from 1; 0 is the empty text */
	NAMES_BYTES_MAX = 256 * 1024 * 1024 /* for the texts and their structs */
};

struct names {
	uint32_t *index_of; /* by id; 0: not defined */
	size_t id_count;
	const struct text **texts; /* by index; texts[0] is NULL */
	size_t count, capacity;
	struct hash_table table; /* of the texts but the first */
	struct names_chunk *chunks;
	size_t bytes; /* total size of all chunks */
};

int names_init(struct names *names);
void names_free(struct names *names);

/*
 * Defines the text of an id, cut at its first NUL and at 65535 bytes. Returns 0, -ERANGE if the id
 * is greater than NAMES_ID_MAX, -E2BIG if the texts need more than NAMES_BYTES_MAX, or -ENOMEM.
 */
int names_define(struct names *names, uint32_t id, const char *text, size_t length);

/* Adds a text that has no id. Returns 0 and its index, or -E2BIG or -ENOMEM. */
int names_add(struct names *names, const char *bytes, size_t length, uint32_t *index);

/* Returns the index of the id's text; 0 if it has none. */
static inline uint32_t names_index(const struct names *names, uint32_t id)
{
	return id < names->id_count ? names->index_of[id] : 0;
}

#endif
