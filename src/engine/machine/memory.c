/* memory.c: see memory.h. */
#include "engine/machine/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

int memory_init(struct memory *memory, uint32_t fixed_count, size_t block_max)
{
	memory->fixed_count = fixed_count + 1;
	memory->first_block = memory->fixed_count;
	memory->fixed = calloc(memory->fixed_count, sizeof(*memory->fixed));
	memory->block_capacity =
		block_max < MEMORY_KEPT / 2 ? (uint32_t)block_max : MEMORY_KEPT / 2;
	memory->blocks = calloc((size_t)memory->block_capacity + 1, sizeof(*memory->blocks));
	return memory->fixed && memory->blocks ? 0 : -ENOMEM;
}

void memory_free(struct memory *memory)
{
	for (uint32_t i = 0; memory->fixed && i < memory->fixed_count; i++)
		free(memory->fixed[i].bytes);
	free(memory->fixed);
	free(memory->blocks);
	free(memory->kept);
	memory->kept = NULL;
	memory->fixed = memory->blocks = NULL;
}

int memory_fix(struct memory *memory, uint32_t region, uint32_t size)
{
	struct memory_region *fixed = &memory->fixed[region];

	fixed->bytes = calloc(1, size ? size : 1);
	fixed->size = size;
	fixed->writable = true;
	return fixed->bytes ? 0 : -ENOMEM;
}

void memory_forget_blocks(struct memory *memory)
{
	memory->first_block += memory->block_count;
	memory->block_count = 0;
	if (memory->first_block > MEMORY_KEPT - memory->block_capacity)
		memory->first_block = memory->fixed_count;
}

/* What the source has captured at an address; *length is its size. NULL: nothing. */
static const char *captured(const struct engine *engine, uint64_t address, uint32_t *length)
{
	const struct event_capture *capture = firing_capture(&engine->firing);

	return capture ? event_captured(capture, address, length) : NULL;
}

/* A pointer to size bytes that can be read; NULL: not all of them can. */
static const char *readable(struct engine *engine, uint64_t address, uint64_t size)
{
	uint32_t offset, length;
	const struct memory_region *region = memory_find(&engine->memory, address, &offset);
	const struct text *text;
	const char *bytes;

	if (region)
		return offset <= region->size && size <= region->size - offset
			? region->bytes + offset
			: NULL;
	text = event_text(engine->firing.batch, address, &offset);
	/* The terminating NUL can be read too. */
	if (text)
		return size <= (uint64_t)text->length - offset + 1 ? text->bytes + offset : NULL;
	bytes = captured(engine, address, &length);
	return bytes && size <= length ? bytes : NULL;
}

enum d_fault memory_read(struct engine *engine, uint64_t address, uint32_t size, void *out)
{
	const char *from = readable(engine, address, size);

	if (!from)
		return fault_set(engine, D_FAULT_BADADDR, address);
	memcpy(out, from, size);
	return D_FAULT_NONE;
}

/* A pointer to writable bytes; *room is their number. NULL: the address is not writable. */
static char *writable(struct engine *engine, uint64_t address, uint64_t *room)
{
	uint32_t offset;
	const struct memory_region *region = memory_find(&engine->memory, address, &offset);

	if (!region || !region->writable || offset > region->size)
		return NULL;
	*room = region->size - offset;
	return region->bytes + offset;
}

enum d_fault memory_write(struct engine *engine, uint64_t address, uint32_t size, const void *bytes)
{
	uint64_t room;
	char *to = writable(engine, address, &room);

	if (!to || size > room)
		return fault_set(engine, D_FAULT_BADADDR, address);
	memcpy(to, bytes, size);
	return D_FAULT_NONE;
}

/* fault_if_short: the fault if the source is valid, but has fewer bytes. */
static enum d_fault copy(struct engine *engine, uint64_t to_address, uint64_t from_address,
	uint64_t size, enum d_fault fault_if_short)
{
	uint64_t room;
	char *to = writable(engine, to_address, &room);
	const char *from = readable(engine, from_address, size);

	/* The end of a block is not an address in it. */
	if (!to || (size && !room))
		return fault_set(engine, D_FAULT_BADADDR, to_address);
	if (size > room)
		return fault_set(engine, D_FAULT_BADSIZE, size);
	if (!size) /* nothing is read */
		return D_FAULT_NONE;
	if (!from && fault_if_short == D_FAULT_BADSIZE && readable(engine, from_address, 1))
		return fault_set(engine, D_FAULT_BADSIZE, size);
	if (!from)
		return fault_set(engine, D_FAULT_BADADDR, from_address);
	memmove(to, from, size);
	return D_FAULT_NONE;
}

enum d_fault memory_copy(
	struct engine *engine, uint64_t to_address, uint64_t from_address, uint64_t size)
{
	return copy(engine, to_address, from_address, size, D_FAULT_BADADDR);
}

enum d_fault memory_copy_block(
	struct engine *engine, uint64_t to_address, uint64_t from_address, uint64_t size)
{
	return copy(engine, to_address, from_address, size, D_FAULT_BADSIZE);
}

/* A copy of bytes in scratch, as a text. */
static enum d_fault copy_bytes(
	struct engine *engine, const char *bytes, uint32_t size, const struct text **result)
{
	*result = scratch_text(&engine->scratch, bytes, size);
	return *result ? D_FAULT_NONE : fault_set(engine, D_FAULT_NOSCRATCH, 0);
}

/* A copy of the string in size bytes, which may lack a NUL. */
static enum d_fault copy_text(struct engine *engine, const char *bytes, uint32_t size,
	uint64_t limit, const struct text **result)
{
	size = (uint32_t)strnlen(bytes, size < limit ? size : (size_t)limit);
	return copy_bytes(engine, bytes, size, result);
}

enum d_fault memory_text(
	struct engine *engine, uint64_t address, uint64_t limit, const struct text **result)
{
	uint32_t offset, size;
	const struct memory_region *region = memory_find(&engine->memory, address, &offset);
	const struct text *text;
	const char *bytes;

	if (region && offset < region->size) {
		size = region->size - offset;
		return copy_text(engine, region->bytes + offset, size, limit, result);
	}
	text = event_text(engine->firing.batch, address, &offset);
	if (text) {
		*result = scratch_part(&engine->scratch, text, offset, limit);
		return *result ? D_FAULT_NONE : fault_set(engine, D_FAULT_NOSCRATCH, 0);
	}
	if (!limit)
		return copy_bytes(engine, "", 0, result);
	bytes = captured(engine, address, &size);
	/* other memory may begin here: then the string goes on where nothing could be read */
	if (!bytes || (size < limit && !memchr(bytes, '\0', size)))
		return fault_set(engine, D_FAULT_BADADDR, address);
	return copy_text(engine, bytes, size, limit, result);
}

/* Zeroed bytes in scratch. */
static enum d_fault get_zeroes(struct engine *engine, uint64_t size, char **bytes)
{
	*bytes = size <= SCRATCH_LIMIT ? scratch_get(&engine->scratch, size ? size : 1) : NULL;
	if (!*bytes)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	memset(*bytes, 0, size);
	return D_FAULT_NONE;
}

/* Bytes of a block, and zeroes for those after its end: scratch goes on there. */
static enum d_fault copy_block_bytes(struct engine *engine, const struct memory_region *block,
	uint32_t offset, uint32_t size, const struct text **result)
{
	char *bytes;
	enum d_fault fault = get_zeroes(engine, size, &bytes);

	if (fault)
		return fault;
	memcpy(bytes, block->bytes + offset, block->size - offset);
	return copy_bytes(engine, bytes, size, result);
}

enum d_fault memory_bytes(
	struct engine *engine, uint64_t address, uint32_t size, const struct text **result)
{
	const char *from = readable(engine, address, size);
	uint32_t offset;
	const struct memory_region *region = memory_find(&engine->memory, address, &offset);

	if (!from && region && region->is_scratch && offset <= region->size)
		return copy_block_bytes(engine, region, offset, size, result);
	return from ? copy_bytes(engine, from, size, result)
		    : fault_set(engine, D_FAULT_BADADDR, address);
}

static enum d_fault add_region(
	struct engine *engine, char *bytes, uint32_t size, bool writable, uint64_t *address)
{
	struct memory *memory = &engine->memory;

	if (memory->block_count == memory->block_capacity)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	memory->blocks[memory->block_count] =
		(struct memory_region){.bytes = bytes, .size = size, .writable = writable};
	*address = memory_address(memory->first_block + memory->block_count++);
	return D_FAULT_NONE;
}

enum d_fault memory_lend(
	struct engine *engine, char *bytes, uint32_t size, bool writable, uint64_t *address)
{
	struct memory *memory = &engine->memory;

	for (uint32_t i = memory->block_count; i--;) {
		const struct memory_region *block = &memory->blocks[i];

		if (block->bytes == bytes && block->size == size && block->writable == writable) {
			*address = memory_address(memory->first_block + i);
			return D_FAULT_NONE;
		}
	}
	return add_region(engine, bytes, size, writable, address);
}

enum d_fault memory_block(struct engine *engine, uint64_t size, uint64_t *address)
{
	char *bytes;
	enum d_fault fault = get_zeroes(engine, size, &bytes);

	if (!fault)
		fault = add_region(engine, bytes, (uint32_t)size, true, address);
	if (!fault)
		engine->memory.blocks[engine->memory.block_count - 1].is_scratch = true;
	return fault;
}

enum d_fault memory_block_again(struct engine *engine, uint64_t size, uint64_t address)
{
	uint32_t offset;
	struct memory_region *region = memory_find(&engine->memory, address, &offset);
	char *bytes;
	enum d_fault fault = get_zeroes(engine, size, &bytes);

	if (!fault)
		*region = (struct memory_region){.bytes = bytes,
			.size = (uint32_t)size,
			.writable = true,
			.is_scratch = true};
	return fault;
}
