/*
 * buffer.h: records of clauses that are carried out later than their clause: those of a
 * speculation until it is committed, all of them with bufpolicy fill and ring. What a clause
 * recorded is copied whole (strings too), since its scratch and its event's texts go.
 *
 * A buffer counts the bytes that its clauses take and refuses what goes over its limit.
 * Memory comes from the engine's slab and is used again.
 */
#ifndef VMTAP_ENGINE_BUFFER_H
#define VMTAP_ENGINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/slab.h"
#include "program/program.h"

struct buffer_record {
	const struct d_action *action;
	uint32_t first; /* into the values */
};

/* What one run of a clause recorded, and what its line says. */
struct recorded {
	uint32_t clause; /* index */
	uint32_t probe;
	uint16_t cpu;
	uint32_t record_count, value_count;
	const struct buffer_record *records;
	const uint64_t *values;
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

/* As buffer_add(), at the cost of the oldest ones; false if it does not fit even alone. */
bool buffer_add_newest(struct buffer *buffer, const struct recorded *recorded);

/* Forgets the oldest one. The buffer must not be empty. */
void buffer_drop_first(struct buffer *buffer);

#endif
