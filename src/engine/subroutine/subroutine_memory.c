/* subroutine_memory.c: subroutines that work on addresses (memory.h); see subroutine_call.h. */
#include <string.h>

#include "engine/store/value.h"
#include "engine/subroutine/subroutine_call.h"
#include "program/demand.h"

/* The string at an address; the second argument is its maximum length. */
enum d_fault subroutine_copyinstr(struct subroutine_call *call)
{
	uint64_t limit = call->engine->string_limit;
	const struct text *text;
	enum d_fault fault;

	if (call->count > 1 && call->arguments[1] < limit)
		limit = call->arguments[1];
	fault = memory_text(call->engine, call->arguments[0], limit, &text);
	if (!fault)
		call->result = value_of_text(text);
	return fault;
}

/* The path of a file, which the source has captured; "<unknown>" if it could not. */
enum d_fault subroutine_d_path(struct subroutine_call *call)
{
	static const char unknown[] = "<unknown>";
	const struct event_capture *capture = firing_capture(&call->engine->firing);
	const char *path = !capture ? NULL
				    : event_captured_path(capture, call->arguments[0],
					      call->count > 1 ? D_PATH_MOUNT : D_PATH_FILE);

	path = path ? path : unknown;
	call->result =
		value_of_text(scratch_text(&call->engine->scratch, path, (uint32_t)strlen(path)));
	return D_FAULT_NONE;
}

/*
 * All calls of a clause together take at most scratchsize. alloca(0) returns the address of the
 * next block, and the same address until that block is allocated.
 */
enum d_fault subroutine_alloca(struct subroutine_call *call)
{
	struct engine *engine = call->engine;
	uint64_t limit = engine->program->options.scratchsize, size = call->arguments[0];
	enum d_fault fault = D_FAULT_NONE;

	if (engine->allocated > limit || size > limit - engine->allocated)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	engine->allocated += (size + 7) & ~UINT64_C(7);
	if (!engine->nothing)
		fault = memory_block(engine, size, &engine->nothing);
	else if (size)
		fault = memory_block_again(engine, size, engine->nothing);
	call->result = engine->nothing;
	if (size)
		engine->nothing = 0;
	return fault;
}

enum d_fault subroutine_block(struct subroutine_call *call)
{
	return memory_block(call->engine, call->arguments[0], &call->result);
}

enum d_fault subroutine_copyin(struct subroutine_call *call)
{
	uint64_t from = call->arguments[0], size = call->arguments[1];
	enum d_fault fault = memory_block(call->engine, size, &call->result);

	return fault ? fault : memory_copy(call->engine, call->result, from, size);
}

enum d_fault subroutine_copyinto(struct subroutine_call *call)
{
	return memory_copy(
		call->engine, call->arguments[2], call->arguments[0], call->arguments[1]);
}

enum d_fault subroutine_bcopy(struct subroutine_call *call)
{
	return memory_copy_block(
		call->engine, call->arguments[1], call->arguments[0], call->arguments[2]);
}

/* Only programs in the kernel can write to the process: when the engine runs, it has gone on. */
enum d_fault subroutine_copyout(struct subroutine_call *call)
{
	return fault_set(call->engine, D_FAULT_BADADDR, call->arguments[1]);
}

/* The address and the size, next to each other in a block. */
enum d_fault subroutine_memref(struct subroutine_call *call)
{
	const uint32_t size = 2 * sizeof(call->arguments[0]);
	enum d_fault fault = memory_block(call->engine, size, &call->result);

	return fault ? fault : memory_write(call->engine, call->result, size, call->arguments);
}

/* The last of the bytes is taken as the end of the string. */
enum d_fault subroutine_memstr(struct subroutine_call *call)
{
	struct engine *engine = call->engine;
	uint64_t size = call->arguments[2];
	enum d_fault fault = D_FAULT_NONE;
	uint32_t length;
	struct text *text;
	char *bytes;

	if (!size)
		return D_FAULT_NONE;
	length = size - 1 < engine->string_limit ? (uint32_t)(size - 1) : engine->string_limit;
	text = scratch_get(&engine->scratch, sizeof(*text) + (size_t)length + 1);
	if (!text)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	bytes = (char *)(text + 1);
	if (length)
		fault = memory_read(engine, call->arguments[0], length, bytes);
	if (fault)
		return fault;
	bytes[length] = '\0';
	for (char *nul = bytes; (nul = memchr(nul, '\0', (size_t)(bytes + length - nul)));)
		*nul++ = (char)call->arguments[1];
	/* If the replacement is a NUL itself, the first one ends the string. */
	length = (uint32_t)strnlen(bytes, length);
	*text = (struct text){bytes, length, text_hash(bytes, length)};
	call->result = value_of_text(text);
	return D_FAULT_NONE;
}
