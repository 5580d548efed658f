/* frame_expression.c: see frame_expression.h. */
#include "usdt/unwind/frame_expression.h"

#include <endian.h>
#include <string.h>

enum {
	STACK_MAX = 32,
	BYTES_MAX = 512 /* of an expression; as there are no branches, this limits its steps */
};

/* Operations, as the DWARF standard names them. */
enum {
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08,
	DW_OP_const1s = 0x09,
	DW_OP_const2u = 0x0a,
	DW_OP_const2s = 0x0b,
	DW_OP_const4u = 0x0c,
	DW_OP_const4s = 0x0d,
	DW_OP_const8u = 0x0e,
	DW_OP_const8s = 0x0f,
	DW_OP_constu = 0x10,
	DW_OP_consts = 0x11,
	DW_OP_dup = 0x12,
	DW_OP_drop = 0x13,
	DW_OP_over = 0x14,
	DW_OP_swap = 0x16,
	DW_OP_and = 0x1a,
	DW_OP_minus = 0x1c,
	DW_OP_mul = 0x1e,
	DW_OP_neg = 0x1f,
	DW_OP_not = 0x20,
	DW_OP_or = 0x21,
	DW_OP_plus = 0x22,
	DW_OP_plus_uconst = 0x23,
	DW_OP_shl = 0x24,
	DW_OP_shr = 0x25,
	DW_OP_shra = 0x26,
	DW_OP_xor = 0x27,
	DW_OP_eq = 0x29,
	DW_OP_ge = 0x2a,
	DW_OP_gt = 0x2b,
	DW_OP_le = 0x2c,
	DW_OP_lt = 0x2d,
	DW_OP_ne = 0x2e,
	DW_OP_lit0 = 0x30,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg31 = 0x8f,
	DW_OP_bregx = 0x92,
	DW_OP_deref_size = 0x94,
	DW_OP_nop = 0x96
};

struct calculation {
	struct frame_bytes bytes;
	const struct frame_registers *registers;
	const struct frame_memory *memory;
	enum frame_result result;
	unsigned count;
	uint64_t stack[STACK_MAX];
};

enum frame_result frame_memory_read(
	const struct frame_memory *memory, uint64_t address, size_t size, uint64_t *value)
{
	uint64_t from = address - memory->address, word = 0;

	if (address < memory->address || memory->size < size || from > memory->size - size)
		return FRAME_OUTSIDE;
	memcpy(&word, memory->bytes + from, size);
	*value = le64toh(word);
	return FRAME_GOOD;
}

static void push(struct calculation *calculation, uint64_t value)
{
	if (calculation->count == STACK_MAX)
		calculation->result = FRAME_BAD;
	else
		calculation->stack[calculation->count++] = value;
}

static uint64_t pop(struct calculation *calculation)
{
	if (calculation->count)
		return calculation->stack[--calculation->count];
	calculation->result = FRAME_BAD;
	return 0;
}

static void push_register(struct calculation *calculation, uint64_t number, int64_t offset)
{
	const struct frame_registers *registers = calculation->registers;

	if (number >= FRAME_REGISTERS || !(registers->known >> number & 1))
		calculation->result = FRAME_BAD;
	else
		push(calculation, registers->values[number] + (uint64_t)offset);
}

static void push_memory(struct calculation *calculation, uint64_t size)
{
	uint64_t address = pop(calculation), value = 0;

	if (size == 0 || size > 8)
		calculation->result = FRAME_BAD;
	else if (calculation->result == FRAME_GOOD)
		calculation->result =
			frame_memory_read(calculation->memory, address, (size_t)size, &value);
	push(calculation, value);
}

/* b is the top of the stack; comparisons are of signed numbers. */
static uint64_t combine(struct calculation *calculation, uint8_t code, uint64_t a, uint64_t b)
{
	switch (code) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_shra:
		return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	case DW_OP_gt:
		return (int64_t)a > (int64_t)b;
	case DW_OP_le:
		return (int64_t)a <= (int64_t)b;
	case DW_OP_lt:
		return (int64_t)a < (int64_t)b;
	default:
		calculation->result = FRAME_BAD;
		return 0;
	}
}

static void push_constant(struct calculation *calculation, uint8_t code)
{
	struct frame_bytes *bytes = &calculation->bytes;
	size_t size = (size_t)1 << ((code - DW_OP_const1u) / 2);

	push(calculation,
		(code - DW_OP_const1u) % 2 ? (uint64_t)frame_bytes_signed(bytes, size)
					   : frame_bytes_unsigned(bytes, size));
}

static void step(struct calculation *calculation)
{
	struct frame_bytes *bytes = &calculation->bytes;
	uint8_t code = (uint8_t)frame_bytes_unsigned(bytes, 1);
	uint64_t a, b;

	if (code >= DW_OP_lit0 && code <= DW_OP_lit31) {
		push(calculation, code - DW_OP_lit0);
		return;
	}
	if (code >= DW_OP_breg0 && code <= DW_OP_breg31) {
		push_register(calculation, code - DW_OP_breg0, frame_bytes_sleb(bytes));
		return;
	}
	if (code >= DW_OP_const1u && code <= DW_OP_const8s) {
		push_constant(calculation, code);
		return;
	}
	switch (code) {
	case DW_OP_nop:
		break;
	case DW_OP_constu:
		push(calculation, frame_bytes_uleb(bytes));
		break;
	case DW_OP_consts:
		push(calculation, (uint64_t)frame_bytes_sleb(bytes));
		break;
	case DW_OP_bregx:
		a = frame_bytes_uleb(bytes);
		push_register(calculation, a, frame_bytes_sleb(bytes));
		break;
	case DW_OP_deref:
		push_memory(calculation, 8);
		break;
	case DW_OP_deref_size:
		push_memory(calculation, frame_bytes_unsigned(bytes, 1));
		break;
	case DW_OP_dup:
		a = pop(calculation);
		push(calculation, a);
		push(calculation, a);
		break;
	case DW_OP_drop:
		pop(calculation);
		break;
	case DW_OP_over:
		b = pop(calculation);
		a = pop(calculation);
		push(calculation, a);
		push(calculation, b);
		push(calculation, a);
		break;
	case DW_OP_swap:
		b = pop(calculation);
		a = pop(calculation);
		push(calculation, b);
		push(calculation, a);
		break;
	case DW_OP_neg:
		push(calculation, 0 - pop(calculation));
		break;
	case DW_OP_not:
		push(calculation, ~pop(calculation));
		break;
	case DW_OP_plus_uconst:
		a = pop(calculation);
		push(calculation, a + frame_bytes_uleb(bytes));
		break;
	default:
		b = pop(calculation);
		a = pop(calculation);
		push(calculation, combine(calculation, code, a, b));
	}
}

enum frame_result frame_expression_value(struct frame_bytes expression,
	const struct frame_registers *registers, const struct frame_memory *memory,
	const uint64_t *pushed, uint64_t *value)
{
	struct calculation calculation = {.bytes = expression,
		.registers = registers,
		.memory = memory,
		.result = FRAME_GOOD};

	if (expression.is_bad || expression.end - expression.at > BYTES_MAX)
		return FRAME_BAD;
	if (pushed)
		push(&calculation, *pushed);
	while (calculation.bytes.at < calculation.bytes.end && !calculation.bytes.is_bad &&
		calculation.result == FRAME_GOOD)
		step(&calculation);
	if (calculation.bytes.is_bad)
		return FRAME_BAD;
	*value = pop(&calculation);
	return calculation.result;
}
