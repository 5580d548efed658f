/*
 * memory.h: what an address in a D program leads to.
 *
 * Three kinds of memory exist. An event's texts, found by their handles, and the memory of its
 * process that the source has captured, found by its real addresses (program/event.h), can only be
 * read. The engine's own memory is cut into regions; its addresses are MEMORY_TAG |
 * region << 32 | offset. The first regions are for good: the global and this-> variables
 * that are structs or arrays, region `variable + 1`. The others belong to the clause that
 * runs: blocks of alloca() and copyin(), and the storage of self-> variables and elements
 * that the clause touches. Their numbers go on from clause to clause, so that an address
 * which a script has kept from an earlier clause faults instead of leading elsewhere.
 *
 * Every access is checked: nothing here trusts an address. Functions that return an
 * enum d_fault have set the fault (fault_set()) unless they return D_FAULT_NONE.
 */
#ifndef VMTAP_ENGINE_MEMORY_H
#define VMTAP_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/fault.h"

struct engine;

#define MEMORY_TAG (UINT64_C(1) << 61)

enum { MEMORY_REGION_MAX = (1 << 29) - 1 };

struct memory_region {
	char *bytes;
	uint32_t size;
	bool writable;
};

struct memory {
	struct memory_region *fixed; /* [0] stays empty: address 0 of it is no place */
	uint32_t fixed_count;
	struct memory_region *blocks; /* of this clause */
	uint32_t block_count, block_capacity;
	uint32_t first_block; /* the number of blocks[0] */
};

/*
 * Room for fixed_count permanent regions and for block_max regions made by one clause.
 * -ENOMEM.
 */
int memory_init(struct memory *memory, uint32_t fixed_count, size_t block_max);
void memory_free(struct memory *memory);

/* Gives a permanent region its zeroed memory. -ENOMEM. */
int memory_fix(struct memory *memory, uint32_t region, uint32_t size);

static inline uint64_t memory_address(uint32_t region)
{
	return MEMORY_TAG | (uint64_t)region << 32;
}

/* The region of an address, and in *offset where in it; NULL: it is none of the engine's. */
static inline struct memory_region *memory_find(
	struct memory *memory, uint64_t address, uint32_t *offset)
{
	uint32_t region = (uint32_t)(address >> 32) & MEMORY_REGION_MAX;

	*offset = (uint32_t)address;
	if (address >> 61 != 1)
		return NULL;
	if (region < memory->fixed_count)
		return &memory->fixed[region];
	region -= memory->first_block;
	return region < memory->block_count ? &memory->blocks[region] : NULL;
}

/* size bytes at an address; BADADDR unless all of them can be read, or written. */
enum d_fault memory_read(struct engine *engine, uint64_t address, uint32_t size, void *out);
enum d_fault memory_write(
	struct engine *engine, uint64_t address, uint32_t size, const void *bytes);

/* Bytes between two places, which may overlap. BADSIZE: more than the destination has. */
enum d_fault memory_copy(struct engine *engine, uint64_t to, uint64_t from, uint64_t size);

/*
 * The text at an address: up to a NUL, the end of its memory or limit characters. It is the text
 * of the handle itself where that is the whole of it, else a copy in the clause's scratch.
 */
enum d_fault memory_text(
	struct engine *engine, uint64_t address, uint64_t limit, const struct text **text);

/* size bytes at an address as a text that may hold NULs, in scratch: D_VALUE_BYTES. */
enum d_fault memory_bytes(
	struct engine *engine, uint64_t address, uint32_t size, const struct text **text);

/* A new zeroed block for the rest of the clause, aligned to 8. NOSCRATCH. */
enum d_fault memory_block(struct engine *engine, uint64_t size, uint64_t *address);

/* Gives a block of this clause that was of no bytes so many. NOSCRATCH. */
enum d_fault memory_block_again(struct engine *engine, uint64_t size, uint64_t address);

/* Makes memory that somebody else owns a region of this clause. NOSCRATCH when it has too
 * many. */
enum d_fault memory_lend(
	struct engine *engine, char *bytes, uint32_t size, bool writable, uint64_t *address);

void memory_forget_blocks(struct memory *memory);

/* Ends a clause. */
static inline void memory_reset(struct memory *memory)
{
	if (memory->block_count)
		memory_forget_blocks(memory);
}

#endif
