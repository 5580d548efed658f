/*
 * frame_expression.h: calculates the DWARF expressions that occur in call frame information:
 * those of procedure linkage tables, of the code that signal handlers return to, and of
 * functions that align their stack. Others, such as loops, are refused.
 */
#ifndef VMTAP_USDT_UNWIND_FRAME_EXPRESSION_H
#define VMTAP_USDT_UNWIND_FRAME_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "usdt/unwind/frame_bytes.h"
#include "usdt/unwind/frame_rule.h"

/* A copy of a piece of a process's memory. */
struct frame_memory {
	uint64_t address; /* in the process */
	size_t size;
	const uint8_t *bytes;
};

enum frame_result {
	FRAME_GOOD,
	FRAME_OUTSIDE, /* needs memory that was not copied */
	FRAME_BAD      /* is not valid, or needs what is not known */
};

/* Reads a number of size bytes, at most 8. */
enum frame_result frame_memory_read(
	const struct frame_memory *memory, uint64_t address, size_t size, uint64_t *value);

/* Registers have DWARF's numbers; the bits of known say which ones are known. */
struct frame_registers {
	uint64_t known;
	uint64_t values[FRAME_REGISTERS];
};

/*
 * Calculates an expression. pushed, if not NULL, is the value that the expression finds on its
 * stack when it begins: the CFA.
 */
enum frame_result frame_expression_value(struct frame_bytes expression,
	const struct frame_registers *registers, const struct frame_memory *memory,
	const uint64_t *pushed, uint64_t *value);

#endif
