/*
 * strings.h: the strings and stacks that variables hold. A stored string is immutable. When a
 * variable gets another value, its old string is retired, not freed: a register or a record of the
 * running clause may still point to it. strings_settle() frees the retired strings when the clause
 * has ended. So a load copies nothing, and a record keeps the value it had when it was created.
 */
#ifndef VMTAP_ENGINE_STORE_STRINGS_H
#define VMTAP_ENGINE_STORE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/store/slab.h"

struct strings {
	struct slab *slab;
	struct text **retired; /* room for as many as one clause can retire */
	size_t retired_count;
};

/* retired_max is the most that one clause can retire. -ENOMEM. */
int strings_init(struct strings *strings, struct slab *slab, size_t retired_max);
void strings_free(struct strings *strings);

/* The bytes that a copy of this text takes if it is cut at `limit` characters. */
size_t strings_size(const struct text *text, uint32_t limit);

/* The bytes that a kept text takes. */
size_t strings_kept_size(const struct text *text);

/* A kept text of zeroes whose bytes may be changed. NULL: no memory. */
struct text *strings_keep_zeroes(struct strings *strings, uint32_t size);

/* A copy, cut at `limit` characters; NULL: no memory. */
struct text *strings_keep(struct strings *strings, const struct text *text, uint32_t limit);

/* The running clause may still use the string; after that it is freed. */
static inline void strings_retire(struct strings *strings, struct text *text)
{
	strings->retired[strings->retired_count++] = text;
}

void strings_release(struct strings *strings);

/* Ends a clause. */
static inline void strings_settle(struct strings *strings)
{
	if (strings->retired_count)
		strings_release(strings);
}

#endif
