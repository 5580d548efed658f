/*
 * generate_emit.c: see generate_emit.h.
 */
#include "d/generate_emit.h"

#include <stdlib.h>
#include <string.h>

int d_emit(struct d_compiler *compiler, struct d_code *code, enum d_opcode opcode, unsigned a,
	unsigned b, unsigned c, int32_t immediate)
{
	if (code->count >= INT32_MAX ||
		array_room(&code->instructions, &code->capacity, code->count,
			sizeof(*code->instructions)))
		return d_fail_memory(compiler);
	code->instructions[code->count++] = (struct d_instruction){.opcode = (uint8_t)opcode,
		.a = (uint8_t)a,
		.b = (uint8_t)b,
		.c = (uint8_t)c,
		.immediate = immediate};
	code->actions += opcode == D_OP_ACTION;
	return 0;
}

int d_emit_register(struct d_compiler *compiler, struct d_code *code, const struct d_place *place)
{
	if (code->top < D_REGISTERS_MAX)
		return (int)code->top++;
	d_fail(compiler, place, "D_UNKNOWN", "Insufficient registers to generate code");
	return -1;
}

int d_emit_integer(struct d_compiler *compiler, struct d_code *code, unsigned reg, uint64_t value)
{
	struct d_program *program = compiler->program;
	int64_t integer = (int64_t)value;

	/* The literal 0 is also NULL. */
	if (integer >= INT32_MIN && integer <= INT32_MAX &&
		(!integer || !compiler->settings.unoptimized))
		return d_emit(compiler, code, D_OP_INTEGER, reg, 0, 0, (int32_t)integer);
	if (array_room(&program->integers, &compiler->integer_capacity, program->integer_count,
		    sizeof(*program->integers)))
		return d_fail_memory(compiler);
	program->integers[program->integer_count] = integer;
	return d_emit(compiler, code, D_OP_CONSTANT, reg, 0, 0, (int32_t)program->integer_count++);
}

int d_emit_string(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, struct d_name *name)
{
	struct d_program *program = compiler->program;
	struct text text = {.length = name->length};

	if (!name->string) {
		if (array_room(&program->strings, &compiler->string_capacity, program->string_count,
			    sizeof(*program->strings)))
			return d_fail_memory(compiler);
		text.bytes = strdup(name->bytes);
		if (!text.bytes)
			return d_fail_memory(compiler);
		text.hash = text_hash(text.bytes, text.length);
		program->strings[program->string_count++] = text;
		name->string = (uint32_t)program->string_count;
	}
	return d_emit(compiler, code, D_OP_STRING, reg, 0, 0, (int32_t)name->string - 1);
}

int d_emit_jump(struct d_compiler *compiler, struct d_code *code, enum d_opcode opcode,
	unsigned reg, size_t *jump)
{
	*jump = code->count;
	return d_emit(compiler, code, opcode, 0, reg, 0, 0);
}

void d_emit_land(struct d_code *code, size_t jump)
{
	code->instructions[jump].immediate = (int32_t)code->count;
}

void d_code_free(struct d_code *code)
{
	free(code->instructions);
	memset(code, 0, sizeof(*code));
}
