/*
 * opcode.h: the instructions of a program's code, one row for each.
 *
 * A row says everything about an instruction except what it does. It gives the instruction its
 * number, what the verifier (engine/machine/verify.c) requires of its operands and knows about its
 * result, its name and form for the disassembler, and its entry in the machine's jump table
 * (engine/machine/machine.c). To add an instruction, add a row here and the code at its label in
 * machine.c.
 */
#ifndef VMTAP_PROGRAM_OPCODE_H
#define VMTAP_PROGRAM_OPCODE_H

#include <stdint.h>

struct d_instruction {
	uint8_t opcode; /* enum d_opcode */
	uint8_t a, b, c;
	int32_t immediate;
};

/*
 * What a, b or c of an instruction is. Registers that hold a text must be known to hold one; any
 * 64 bits are an integer.
 */
enum d_operand {
	D_OPERAND_NONE,

	/* A register that is read. */
	D_OPERAND_VALUE,  /* of any kind */
	D_OPERAND_STRING, /* a string, or 0 for NULL */
	D_OPERAND_STACK,  /* a stack of the kind in the immediate, or 0 for none */
	D_OPERAND_STORED, /* of the type of the variable in the immediate */

	/* The first of consecutive registers that are read. */
	D_OPERAND_KEYS,             /* of the variable in the immediate */
	D_OPERAND_AGGREGATION_KEYS, /* of the aggregation in the immediate */
	D_OPERAND_CALL_ARGUMENTS,   /* of the subroutine in the immediate; c is their number */
	D_OPERAND_ACTION_ARGUMENTS, /* of the action in the immediate */

	/* A register that is written. */
	D_OPERAND_TO_INTEGER,
	D_OPERAND_TO_STRING,
	D_OPERAND_TO_BYTES,
	D_OPERAND_TO_STACK,
	D_OPERAND_TO_GUEST_STACK,
	D_OPERAND_TO_PLACE,
	D_OPERAND_TO_NULL,       /* 0, which is an integer and the NULL string */
	D_OPERAND_TO_LITERAL,    /* the immediate; its 0 is also the NULL string */
	D_OPERAND_TO_COPY,       /* of whatever register b holds */
	D_OPERAND_TO_VARIABLE,   /* of the type of the variable in the immediate */
	D_OPERAND_TO_BUILTIN,    /* of the type of the built-in variable in the immediate */
	D_OPERAND_TO_SUBROUTINE, /* of the type of the result of the subroutine in the immediate */

	/* A number in the instruction itself. */
	D_OPERAND_COUNT,       /* of arguments */
	D_OPERAND_SIZE,        /* of an integer in memory: 1 to 8 bytes */
	D_OPERAND_SIGNED_SIZE, /* the same, plus 16 if the integer is signed */
	D_OPERAND_FLAG         /* 0 or 1 */
};

/* What the immediate of an instruction is. */
enum d_immediate {
	D_IMMEDIATE_NONE,
	D_IMMEDIATE_NUMBER,         /* any */
	D_IMMEDIATE_INTEGER,        /* an index into the program's integers */
	D_IMMEDIATE_STRING,         /* an index into its strings */
	D_IMMEDIATE_TARGET,         /* of a jump: a later index into the clause's code */
	D_IMMEDIATE_ARGUMENT,       /* N of argN */
	D_IMMEDIATE_BUILTIN,        /* enum d_builtin */
	D_IMMEDIATE_SCALAR,         /* a variable without keys whose value fits into a register */
	D_IMMEDIATE_SELF,           /* a self-> variable without keys */
	D_IMMEDIATE_LOCAL_STRING,   /* a this-> variable that is a string */
	D_IMMEDIATE_OBJECT,         /* a variable without keys that is D_VALUE_BYTES */
	D_IMMEDIATE_ELEMENT,        /* a variable with keys whose values fit into a register */
	D_IMMEDIATE_ANY_ELEMENT,    /* a variable with keys */
	D_IMMEDIATE_OBJECT_ELEMENT, /* a variable with keys whose values are D_VALUE_BYTES */
	D_IMMEDIATE_SUBROUTINE,     /* enum d_subroutine */
	D_IMMEDIATE_AGGREGATION,    /* an index into the program's aggregations */
	D_IMMEDIATE_ACTION,         /* an index into its actions */
	D_IMMEDIATE_WIDTH,          /* of an integer type in bits; negative: signed */
	D_IMMEDIATE_BITS,           /* of a bit-field: 1 to 64; negative: signed */
	D_IMMEDIATE_SIZE,           /* bytes of memory, at least 1 */
	D_IMMEDIATE_BOUND,          /* elements of an array */
	D_IMMEDIATE_FRAMES,         /* of a stack, at least 1 */
	D_IMMEDIATE_STACK,          /* enum d_value_kind of a stack */
	D_IMMEDIATE_PLACE           /* enum d_value_kind of a place other than a stack */
};

/* clang-format off */
/* ROW(name, text, a, b, c, immediate): see the enums above, without their prefixes. */
#define D_OPCODE_ROWS(ROW) \
	/* Ends the clause, or the predicate with a as its value. */ \
	ROW(RETURN, "return", VALUE, NONE, NONE, NONE) \
	/* Constants. */ \
	ROW(INTEGER, "integer", TO_LITERAL, NONE, NONE, NUMBER) \
	ROW(CONSTANT, "constant", TO_INTEGER, NONE, NONE, INTEGER) \
	ROW(STRING, "string", TO_STRING, NONE, NONE, STRING) \
	ROW(NULL, "null", TO_NULL, NONE, NONE, NONE) \
	/* a = b */ \
	ROW(MOVE, "move", TO_COPY, VALUE, NONE, NONE) \
	/* a = b + c and so on. Division by 0 is the fault DIVZERO; INT64_MIN / -1 is INT64_MIN. */ \
	ROW(ADD, "add", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(SUBTRACT, "subtract", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(MULTIPLY, "multiply", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(DIVIDE, "divide", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(DIVIDE_UNSIGNED, "divide.unsigned", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(MODULO, "modulo", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(MODULO_UNSIGNED, "modulo.unsigned", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(AND, "and", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(OR, "or", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(XOR, "xor", TO_INTEGER, VALUE, VALUE, NONE) \
	/* Shifts by c & 63. */ \
	ROW(SHIFT_LEFT, "shift.left", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(SHIFT_RIGHT, "shift.right", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(SHIFT_RIGHT_SIGNED, "shift.right.signed", TO_INTEGER, VALUE, VALUE, NONE) \
	/* a = -b, a = ~b, a = !b */ \
	ROW(NEGATE, "negate", TO_INTEGER, VALUE, NONE, NONE) \
	ROW(COMPLEMENT, "complement", TO_INTEGER, VALUE, NONE, NONE) \
	ROW(NOT, "not", TO_INTEGER, VALUE, NONE, NONE) \
	/* a = b cut to the width and extended to 64 bits again by its sign. */ \
	ROW(CUT, "cut", TO_INTEGER, VALUE, NONE, WIDTH) \
	/* a = b == c and so on, 0 or 1. For > and >= the operands are swapped. */ \
	ROW(EQUAL, "equal", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(NOT_EQUAL, "not.equal", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(LESS, "less", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(LESS_EQUAL, "less.equal", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(LESS_UNSIGNED, "less.unsigned", TO_INTEGER, VALUE, VALUE, NONE) \
	ROW(LESS_EQUAL_UNSIGNED, "less.equal.unsigned", TO_INTEGER, VALUE, VALUE, NONE) \
	/* a = -1, 0 or 1. When one string is NULL the pointers are compared. */ \
	ROW(COMPARE, "compare", TO_INTEGER, STRING, STRING, NONE) \
	/* a = 0 if the stacks have the same frames, else 1. 0 is a stack without frames. */ \
	ROW(COMPARE_STACK, "compare.stack", TO_INTEGER, STACK, STACK, STACK) \
	/* a = b != 0 */ \
	ROW(BOOLEAN, "boolean", TO_INTEGER, VALUE, NONE, NONE) \
	/* Always, if b is 0, if b is not 0. */ \
	ROW(JUMP, "jump", NONE, NONE, NONE, TARGET) \
	ROW(JUMP_ZERO, "jump.zero", NONE, VALUE, NONE, TARGET) \
	ROW(JUMP_NOT_ZERO, "jump.not.zero", NONE, VALUE, NONE, TARGET) \
	/* a = argN, 0 when the probe has fewer. */ \
	ROW(ARGUMENT, "argument", TO_INTEGER, NONE, NONE, ARGUMENT) \
	/* a = a built-in variable; b is the number of the register of uregs[ ]. */ \
	ROW(BUILTIN, "builtin", TO_BUILTIN, NONE, NONE, BUILTIN) \
	/* Variables and, with keys, elements. FREE stores a literal 0. */ \
	ROW(LOAD, "load", TO_VARIABLE, NONE, NONE, SCALAR) \
	ROW(STORE, "store", STORED, NONE, NONE, SCALAR) \
	ROW(LOAD_ELEMENT, "load.element", TO_VARIABLE, KEYS, NONE, ELEMENT) \
	ROW(STORE_ELEMENT, "store.element", STORED, KEYS, NONE, ELEMENT) \
	/* Changes a character of the variable: a is its value, b its index. */ \
	ROW(STORE_CHARACTER, "store.character", VALUE, VALUE, NONE, LOCAL_STRING) \
	ROW(FREE, "free", NONE, NONE, NONE, SELF) \
	ROW(FREE_ELEMENT, "free.element", NONE, KEYS, NONE, ANY_ELEMENT) \
	/* Memory: an integer of c bytes, a string, or bytes, at address b; a is the value. */ \
	ROW(READ, "read", TO_INTEGER, VALUE, SIGNED_SIZE, NONE) \
	ROW(WRITE, "write", VALUE, VALUE, SIZE, NONE) \
	ROW(TEXT, "text", TO_STRING, VALUE, NONE, SIZE) \
	ROW(WRITE_TEXT, "write.text", STRING, VALUE, NONE, SIZE) \
	ROW(BYTES, "bytes", TO_BYTES, VALUE, NONE, SIZE) \
	/* From address a to address b. */ \
	ROW(COPY, "copy", VALUE, VALUE, NONE, SIZE) \
	/* a = the address of an object; c is 1 if it may be written: it is created then. */ \
	ROW(ADDRESS, "address", TO_INTEGER, NONE, FLAG, OBJECT) \
	ROW(ADDRESS_ELEMENT, "address.element", TO_INTEGER, KEYS, FLAG, OBJECT_ELEMENT) \
	/* a = the address of the characters of b; 0 for NULL. */ \
	ROW(ADDRESS_STRING, "address.string", TO_INTEGER, STRING, NONE, NONE) \
	/* \
	 * a = the address of a copy of the characters of b that stays; 0 for NULL. KEEP_POINTER: the \
	 * same for the text at address b, where that is known, else b. \
	 */ \
	ROW(KEEP, "keep", TO_INTEGER, STRING, NONE, NONE) \
	ROW(KEEP_POINTER, "keep.pointer", TO_INTEGER, VALUE, NONE, NONE) \
	/* The fault BADINDEX unless a, unsigned, is below the bound. */ \
	ROW(BOUND, "bound", VALUE, NONE, NONE, BOUND) \
	/* a = b cut to a number of bits. */ \
	ROW(BITS, "bits", TO_INTEGER, VALUE, NONE, BITS) \
	ROW(CALL, "call", TO_SUBROUTINE, CALL_ARGUMENTS, COUNT, SUBROUTINE) \
	/* a = the stack of the process if b is 1, otherwise of the kernel. */ \
	ROW(STACK, "stack", TO_STACK, FLAG, NONE, FRAMES) \
	/* a = the stack of the guest program. */ \
	ROW(GUEST_STACK, "guest.stack", TO_GUEST_STACK, NONE, NONE, FRAMES) \
	/* a = the address b as a place, which is shown by its name. */ \
	ROW(PLACE, "place", TO_PLACE, VALUE, NONE, PLACE) \
	/* b is the value and c the increment, where the aggregating function has them. */ \
	ROW(AGGREGATE, "aggregate", AGGREGATION_KEYS, VALUE, VALUE, AGGREGATION) \
	ROW(ACTION, "action", ACTION_ARGUMENTS, NONE, NONE, ACTION) \
	/* b is a speculation. The clause ends if it is not active. */ \
	ROW(SPECULATE, "speculate", NONE, VALUE, NONE, NONE) \
	ROW(COMMIT, "commit", NONE, VALUE, NONE, NONE) \
	ROW(DISCARD, "discard", NONE, VALUE, NONE, NONE)

enum d_opcode {
#define D_OPCODE_NUMBER(name, text, a, b, c, immediate) D_OP_##name,
	D_OPCODE_ROWS(D_OPCODE_NUMBER)
#undef D_OPCODE_NUMBER
	D_OPCODES
};
/* clang-format on */

struct d_opcode_form {
	const char *text;
	enum d_operand operands[3]; /* a, b, c */
	enum d_immediate immediate;
};

extern const struct d_opcode_form d_opcodes[D_OPCODES];

#endif
