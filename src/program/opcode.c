/* opcode.c: the table of instructions; see opcode.h. */
#include "program/opcode.h"

#define FORM(name, text, a, b, c, immediate)                                                       \
	{text, {D_OPERAND_##a, D_OPERAND_##b, D_OPERAND_##c}, D_IMMEDIATE_##immediate},

const struct d_opcode_form d_opcodes[D_OPCODES] = {D_OPCODE_ROWS(FORM)};
