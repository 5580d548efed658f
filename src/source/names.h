/*
 * names.h: the names of a stream: which text an id stands for now, and every text it
 * ever stood for. A text, once there, stays where it is as long as the table: the
 * engine keeps pointers to it. Ids are the sender's; an index is ours, one for each text, and
 * an id gets another one with another text, so that events from before keep theirs.
 */
#ifndef VMTAP_SOURCE_NAMES_H
#define VMTAP_SOURCE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
	NAMES_ID_MAX = (1 << 24) - 1,       /* ids come densely from 1; 0 is the empty text */
	NAMES_BYTES_MAX = 256 * 1024 * 1024 /* for texts and what describes them */
};

struct names {
	uint32_t *index_of; /* by id; 0: not defined */
	size_t id_count;
	const struct text **texts; /* by index; texts[0] is NULL */
	size_t count, capacity;    /* capacity: a power of two */
	uint32_t *places;          /* a hash table of indices, twice capacity; 0: free */
	struct names_chunk *chunks;
	size_t bytes; /* of all chunks */
};

int names_init(struct names *names);
void names_free(struct names *names);

/*
 * Gives the id this text, cut at its first NUL and at 65535 bytes. -ERANGE: the id is
 * beyond NAMES_ID_MAX; -E2BIG: the texts take more than NAMES_BYTES_MAX; -ENOMEM.
 */
int names_define(struct names *names, uint32_t id, const char *text, size_t length);

/* The index of the id's text, 0 when it has none. */
static inline uint32_t names_index(const struct names *names, uint32_t id)
{
	return id < names->id_count ? names->index_of[id] : 0;
}

#endif
