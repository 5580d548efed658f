/*
 * frame_rule.h: how the frame of a function lies on the stack while it is at a certain
 * instruction: where the caller's registers are, relative to the canonical frame address
 * (CFA), which is the caller's stack pointer.
 *
 * Registers have DWARF's numbers.
 */
#ifndef VMTAP_USDT_UNWIND_FRAME_RULE_H
#define VMTAP_USDT_UNWIND_FRAME_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "usdt/unwind/frame_bytes.h"
#include "usdt/unwind/frame_table.h"

enum { FRAME_REGISTERS = 33 }; /* enough for the general registers of x86-64 and aarch64 */

enum frame_place_kind {
	FRAME_SAME,          /* the caller's value is still in the register */
	FRAME_UNDEFINED,     /* lost; for the return address: there is no caller */
	FRAME_AT_OFFSET,     /* in memory at CFA + value */
	FRAME_IS_OFFSET,     /* is CFA + value */
	FRAME_IN_REGISTER,   /* in the register whose number is value */
	FRAME_AT_EXPRESSION, /* in memory at the address that the expression calculates */
	FRAME_IS_EXPRESSION  /* what the expression calculates */
};

struct frame_place {
	enum frame_place_kind kind;
	int64_t value;
	struct frame_bytes expression;
};

struct frame_rule {
	bool is_expression;    /* the CFA is calculated by cfa_expression, else: */
	uint64_t cfa_register; /* this register's value */
	int64_t cfa_offset;    /* plus this */
	struct frame_bytes cfa_expression;
	uint64_t return_register; /* below FRAME_REGISTERS */
	bool is_signal;
	struct frame_place places[FRAME_REGISTERS];
};

/*
 * Carries out the description's instructions up to the address, which lies in the code
 * described. false: they are not valid. The rule refers to the description's bytes.
 */
bool frame_rule_find(
	const struct frame_description *description, uint64_t address, struct frame_rule *rule);

#endif
