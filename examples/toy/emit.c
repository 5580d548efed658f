/*
 * emit.c: the instructions of one function, their line numbers, and the tables that they
 * refer to.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compiler_internal.h"

void emit_fail(struct compiler *compiler, const char *message)
{
	if (!compiler->failed) {
		compiler->failed = true;
		compiler->error->line = compiler->line;
		snprintf(compiler->error->message, sizeof(compiler->error->message), "%s", message);
	}
}

bool emit_grow(struct compiler *compiler, void *array, uint32_t count, size_t bytes)
{
	void *memory;

	if (count >= INSTRUCTION_MAX_OPERAND) {
		emit_fail(compiler, "too much code in one function");
		return false;
	}
	if (count & (count - 1))
		return !compiler->failed;
	memcpy(&memory, array, sizeof(memory));
	memory = realloc(memory, (count ? (size_t)count * 2 : 1) * bytes);
	if (!memory) {
		emit_fail(compiler, "out of memory");
		return false;
	}
	memcpy(array, &memory, sizeof(memory));
	return !compiler->failed;
}

void emit_word(struct compiler *compiler, instruction word)
{
	struct code *code = compiler->code;

	if (!emit_grow(compiler, &code->instructions, code->count, sizeof(*code->instructions)) ||
		!emit_grow(compiler, &code->lines, code->count, sizeof(*code->lines)))
		return;
	code->instructions[code->count] = word;
	code->lines[code->count] = compiler->line;
	code->count++;
}

void emit(struct compiler *compiler, enum operation operation, uint32_t operand, int effect)
{
	if (operand > INSTRUCTION_MAX_OPERAND)
		emit_fail(compiler, "too much code in one function");
	emit_word(compiler, (instruction)operation | operand << 8);
	compiler->depth += effect;
	if (compiler->depth > (int)compiler->code->operands)
		compiler->code->operands = (uint32_t)compiler->depth;
}

uint32_t emit_jump(struct compiler *compiler, enum operation operation, int effect)
{
	emit(compiler, operation, 0, effect);
	return compiler->code->count - 1;
}

void emit_land(struct compiler *compiler, uint32_t jump)
{
	struct code *code = compiler->code;

	if (!compiler->failed)
		code->instructions[jump] = (code->instructions[jump] & 0xff) | code->count << 8;
}

void emit_constant(struct compiler *compiler, value content)
{
	struct code *code = compiler->code;

	if (!emit_grow(compiler, &code->constants, code->constant_count, sizeof(value)))
		return;
	code->constants[code->constant_count] = content;
	emit(compiler, OPERATION_CONSTANT, code->constant_count++, 1);
}

uint32_t emit_site(struct compiler *compiler, struct symbol *selector, int count)
{
	struct code *code = compiler->code;

	if (!emit_grow(compiler, &code->sites, code->site_count, sizeof(*code->sites)))
		return 0;
	code->sites[code->site_count].selector = selector;
	code->sites[code->site_count].count = count;
	atomic_init(&code->sites[code->site_count].cache, NULL);
	return code->site_count++;
}

struct symbol *emit_symbol(struct compiler *compiler, const char *text)
{
	struct place place = {&compiler->file->name, compiler->line};
	struct symbol *symbol =
		symbol_intern(compiler->cap->vm, compiler->cap, place, text, strlen(text));

	if (!symbol)
		emit_fail(compiler, "out of memory");
	return symbol;
}

void emit_call(struct compiler *compiler, struct symbol *selector, int count)
{
	emit(compiler, OPERATION_CALL, emit_site(compiler, selector, count), -count);
}

uint32_t emit_field(struct compiler *compiler, struct symbol *name)
{
	struct code *code = compiler->code;

	for (uint32_t i = 0; i < code->field_count; i++) {
		if (code->fields[i] == name)
			return i;
	}
	if (!emit_grow(compiler, &code->fields, code->field_count, sizeof(*code->fields)) ||
		!emit_grow(compiler, &code->field_slots, code->field_count,
			sizeof(*code->field_slots)))
		return 0;
	code->fields[code->field_count] = name;
	code->field_slots[code->field_count] = 0;
	return code->field_count++;
}

uint32_t emit_global(struct compiler *compiler, struct symbol *name)
{
	struct code *code = compiler->code;
	struct global *global = vm_global(compiler->cap->vm, name);

	if (!global)
		emit_fail(compiler, "out of memory");
	for (uint32_t i = 0; i < code->global_count; i++) {
		if (code->globals[i] == global)
			return i;
	}
	if (!emit_grow(compiler, &code->globals, code->global_count, sizeof(*code->globals)))
		return 0;
	code->globals[code->global_count] = global;
	return code->global_count++;
}
