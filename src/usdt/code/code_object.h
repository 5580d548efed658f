/*
 * code_object.h: an ELF file as code: its functions, the bytes of their instructions, and what
 * the file says about how its functions are left. Nothing here trusts the file.
 */
#ifndef VMTAP_USDT_CODE_CODE_OBJECT_H
#define VMTAP_USDT_CODE_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usdt/elf/function.h"

/* Ways to leave functions other than by a return. */
enum {
	CODE_THROWS = 1,   /* exceptions unwind the stack */
	CODE_SWITCHES = 2, /* several stacks in one thread */
	CODE_GO = 4,       /* Go, which moves stacks */
	CODE_EXITS = 8     /* threads end by pthread_exit() or pthread_cancel() */
};

struct code_range {
	uint64_t begin, end;
};

struct code_load {
	uint64_t address, offset, size; /* of the file's part of a PT_LOAD segment */
	bool is_executable;
};

struct code_object {
	int file; /* the object closes it */
	uint16_t machine;
	unsigned leaves; /* CODE_THROWS... */
	size_t load_count;
	struct code_load *loads;
	struct code_range plt[4];   /* sections of jumps to other objects */
	struct code_range start[2]; /* .init and .fini */
	struct usdt_functions functions;
	size_t cold_count;
	uint32_t *cold; /* indices of functions whose names have a suffix for moved code, by name */
	uint64_t window_offset; /* the piece of the file that was read last */
	size_t window_size, window_capacity;
	uint8_t *window;
};

/*
 * Reads the file, which the object takes over also on failure. path says how it is called. 0 or
 * a negative errno: -ENOEXEC if it is not an ELF file. A symbol table that cannot be read is
 * empty.
 */
int code_object_read(int file, const char *path, struct code_object *object);
void code_object_free(struct code_object *object);

/*
 * The offset in the file of a link-time address. NULL, or the reason why no instruction can be
 * there.
 */
const char *code_object_offset(
	const struct code_object *object, uint64_t address, uint64_t *offset);

/* The link-time address of a byte of the file; false: none. */
bool code_object_address(const struct code_object *object, uint64_t offset, uint64_t *address);

/*
 * Bytes of the file, up to count of them, valid until the next call; *available says how many.
 * NULL without memory.
 */
const uint8_t *code_object_bytes(
	struct code_object *object, uint64_t offset, size_t count, size_t *available);

/* The length of a function's name without a suffix for code moved away: "f" of "f.cold"; 0: none.
 */
size_t code_cold_stem(const char *name);

/*
 * The part with this number of the function of this name, counted from 0, of those that were
 * moved elsewhere; NULL: there is none.
 */
const struct usdt_function *code_object_cold(
	const struct code_object *object, const char *name, size_t number);

/* Whether the address lies in such a part. */
bool code_object_is_cold(const struct code_object *object, const char *name, uint64_t address);

/* Whether a function, or an entry of the PLT, begins at the address. */
bool code_object_is_function(const struct code_object *object, uint64_t address);

#endif
