/*
 * memory.h: what an address in a D program refers to.
 *
 * There are three kinds of memory. Two can only be read: an event's texts, found by their handles,
 * and the memory of its process that the source has captured, found by its real addresses
 * (program/event.h). The third is the engine's own memory. It is divided into regions, and its
 * addresses are MEMORY_TAG | region << 32 | offset. The first regions are permanent: the global and
 * this-> variables that are structs or arrays, at region `variable + 1`. Those from MEMORY_KEPT on
 * are permanent, too: copies of texts that pointers refer to (kept.h). The others belong to the
 * running clause: blocks from alloca() and copyin(), and the storage of self-> variables and
 * elements that the clause touches. Their numbers keep increasing from clause to clause, so that an
 * address which a script has kept from an earlier clause faults instead of pointing to something
 * else.
 *
 * Every access is checked: nothing here trusts an address. Functions that return an enum d_fault
 * other than D_FAULT_NONE have set the fault (fault_set()).
 */
#ifndef VMTAP_ENGINE_MACHINE_MEMORY_H
#define VMTAP_ENGINE_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/store/fault.h"

struct engine;

#define MEMORY_TAG (UINT64_C(1) << 61)

enum {
	MEMORY_REGION_MAX = (1 << 29) - 1,
	MEMORY_KEPT = 1 << 28,
	MEMORY_KEPT_MAX = MEMORY_REGION_MAX - MEMORY_KEPT
};

struct memory_region {
	char *bytes;
	uint32_t size;
	bool writable;
	bool is_scratch; /* a block of this clause, which zeroes follow */
};

struct memory {
	struct memory_region *fixed; /* by region; region 0 is not used */
	uint32_t fixed_count;
	struct memory_region *blocks; /* of this clause */
	uint32_t block_count, block_capacity;
	uint32_t first_block;       /* the number of blocks[0] */
	struct memory_region *kept; /* by region, from MEMORY_KEPT on */
	uint32_t kept_count;
};

/*
 * Makes room for fixed_count permanent regions and for block_max regions created by one clause.
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

/* The region of an address; *offset is the position in it. NULL: not the engine's memory. */
static inline struct memory_region *memory_find(
	struct memory *memory, uint64_t address, uint32_t *offset)
{
	uint32_t region = (uint32_t)(address >> 32) & MEMORY_REGION_MAX;

	*offset = (uint32_t)address;
	if (address >> 61 != 1)
		return NULL;
	if (region < memory->fixed_count)
		return &memory->fixed[region];
	if (region >= MEMORY_KEPT)
		return region - MEMORY_KEPT < memory->kept_count
			? &memory->kept[region - MEMORY_KEPT]
			: NULL;
	region -= memory->first_block;
	return region < memory->block_count ? &memory->blocks[region] : NULL;
}

/* size bytes at an address. The fault is BADADDR unless all of them can be read or written. */
enum d_fault memory_read(struct engine *engine, uint64_t address, uint32_t size, void *out);
enum d_fault memory_write(
	struct engine *engine, uint64_t address, uint32_t size, const void *bytes);

/* Copies bytes; the two areas may overlap. BADSIZE: more than fit into the destination. */
enum d_fault memory_copy(struct engine *engine, uint64_t to, uint64_t from, uint64_t size);
/* The same; BADSIZE also if the source is valid, but has fewer bytes. */
enum d_fault memory_copy_block(struct engine *engine, uint64_t to, uint64_t from, uint64_t size);

/*
 * The text at an address: up to a NUL, the end of its memory or limit characters. If that is all of
 * a handle's text, it is returned itself, else a copy in the clause's scratch.
 */
enum d_fault memory_text(
	struct engine *engine, uint64_t address, uint64_t limit, const struct text **text);

/* size bytes at an address, copied to scratch as a text that may hold NULs (D_VALUE_BYTES). */
enum d_fault memory_bytes(
	struct engine *engine, uint64_t address, uint32_t size, const struct text **text);

/* Allocates a zeroed block for the rest of the clause, aligned to 8. Fault: NOSCRATCH. */
enum d_fault memory_block(struct engine *engine, uint64_t size, uint64_t *address);

/* Sets the size of a block that this clause allocated with size 0. Fault: NOSCRATCH. */
enum d_fault memory_block_again(struct engine *engine, uint64_t size, uint64_t address);

/*
 * Makes memory that is owned elsewhere a region of this clause. The same memory gets the same
 * address again. NOSCRATCH: the clause has too many regions.
 */
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
