/*
 * typed_memory.h: integers and strings in memory (memory.h), as the machine's instructions have
 * them. The functions set the fault unless they return D_FAULT_NONE.
 */
#ifndef VMTAP_ENGINE_MACHINE_TYPED_MEMORY_H
#define VMTAP_ENGINE_MACHINE_TYPED_MEMORY_H

#include <stdint.h>

#include "base/text.h"
#include "engine/store/fault.h"

struct engine;

/* An integer; form is c of D_OP_READ. */
enum d_fault typed_read_integer(
	struct engine *engine, uint64_t address, uint8_t form, uint64_t *result);
enum d_fault typed_write_integer(
	struct engine *engine, uint64_t address, uint8_t size, uint64_t value);

/* Writes a string into the size bytes of a member or array element. */
enum d_fault typed_write_text(
	struct engine *engine, uint64_t address, uint32_t size, const struct text *text);

#endif
