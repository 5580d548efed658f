/*
 * scratch.h: memory for what instructions create (strings), freed all at once when the clause has
 * ended and its records have been carried out.
 */
#ifndef VMTAP_ENGINE_STORE_SCRATCH_H
#define VMTAP_ENGINE_STORE_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
	SCRATCH_BLOCK = 16 * 1024,
	SCRATCH_LIMIT = 16 * 1024 * 1024 /* per clause; above it: "out of scratch space" */
};

struct scratch_block {
	struct scratch_block *next;
	size_t size;
};

struct scratch {
	struct scratch_block *first, *current;
	char *next;
	size_t left, total;
};

void scratch_init(struct scratch *scratch);
void scratch_free(struct scratch *scratch);

/* size bytes aligned to 8, or NULL if the clause has used up its share. */
void *scratch_get(struct scratch *scratch, size_t size);

/* A copy of bytes as a text, or NULL as above. */
const struct text *scratch_text(struct scratch *scratch, const char *bytes, uint32_t length);

/*
 * The part of a text that starts at an offset and has at most limit bytes: the text itself if that
 * is all of it, otherwise a copy, or NULL as above.
 */
const struct text *scratch_part(
	struct scratch *scratch, const struct text *text, uint32_t offset, uint64_t limit);

void scratch_rewind(struct scratch *scratch);

/* Ends a clause. */
static inline void scratch_reset(struct scratch *scratch)
{
	if (scratch->current)
		scratch_rewind(scratch);
}

#endif
