/*
 * buffer.h: holds records that are carried out later than their clause: those of a speculation
 * until it is committed, and all records with bufpolicy fill and ring. What a clause recorded is
 * copied completely, strings too, because its scratch memory and its event's texts do not last.
 *
 * A buffer counts the bytes that its entries take and refuses an entry that would exceed its limit.
 * Memory comes from the engine's slab and is reused.
 */
#ifndef VMTAP_ENGINE_STORE_BUFFER_H
#define VMTAP_ENGINE_STORE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/store/slab.h"
#include "program/program.h"

struct buffer_record {
	const struct d_action *action;
	uint32_t first; /* into the values */
};

/* What one run of a clause recorded, and what its line of output shows. */
struct recorded {
	uint32_t clause; /* index */
	uint32_t probe;
	uint16_t cpu;
	uint32_t record_count, value_count;
	const struct buffer_record *records;
	const uint64_t *values;
	const char *function; /* that the event names, for option flowindent; NULL: none */
};

struct buffer_entry {
	struct buffer_entry *next;
	size_t size;
	struct recorded recorded;
};

struct buffer {
	struct slab *slab;
	uint64_t limit, size;
	struct buffer_entry *first, *last;
};

void buffer_init(struct buffer *buffer, struct slab *slab, uint64_t limit);

/* Appends a copy; false if it does not fit or there is no memory. */
bool buffer_add(struct buffer *buffer, const struct recorded *recorded);

/*
 * As buffer_add(), but drops the oldest entries to make room; false if it would not fit even alone.
 */
bool buffer_add_newest(struct buffer *buffer, const struct recorded *recorded);

/* Drops the oldest entry. The buffer must not be empty. */
void buffer_drop_first(struct buffer *buffer);

#endif
