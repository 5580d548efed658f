/*
 * frame_table.h: the call frame information of an ELF file, from .eh_frame and, for what that
 * does not cover, from .debug_frame.
 *
 * The sections are copied and indexed by address at once, so nothing else of the file is
 * needed afterwards. .eh_frame_hdr is only used to find .eh_frame in a file without section
 * headers: its search table would have to be checked just like .eh_frame itself.
 *
 * The file may be made to harm its reader: sizes are limited, and every number is checked.
 * libdw is not used because one instruction of a few bytes makes it allocate 2 GiB.
 */
#ifndef VMTAP_USDT_UNWIND_FRAME_TABLE_H
#define VMTAP_USDT_UNWIND_FRAME_TABLE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usdt/unwind/frame_bytes.h"

struct frame_entry {
	uint64_t begin;  /* the first address */
	uint32_t size;   /* of the code, in bytes */
	uint32_t offset; /* of the description, in its section */
};

struct frame_section {
	bool is_debug;     /* in the format of .debug_frame */
	bool ends_at_zero; /* where it ends is not known: at the first length of 0 */
	uint8_t *bytes;
	size_t size;
	uint64_t address; /* as the file states it */
	size_t count, capacity;
	struct frame_entry *entries; /* sorted by address */
};

struct frame_table {
	size_t section_count;
	struct frame_section sections[2];
};

/* The description of how the frames of a piece of code lie on the stack. */
struct frame_description {
	uint64_t begin, end; /* addresses of the code, as the file states them */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_register; /* the number of the one with the return address */
	bool is_signal;           /* code that a signal handler returns to */
	struct frame_bytes initial, instructions;
};

/* Reads what can be read; a table without sections describes nothing. */
void frame_table_read(Elf *elf, struct frame_table *table);
void frame_table_free(struct frame_table *table);

/*
 * Finds the description of the code at an address, as the file states addresses. Its
 * instructions are in the table's memory. false: there is none.
 */
bool frame_table_find(
	const struct frame_table *table, uint64_t address, struct frame_description *description);

#endif
