/*
 * disassemble.c: see disassemble.h. The table of instructions (opcode.h) says which fields of an
 * instruction are used, and what they mean.
 */
#include "program/disassemble.h"

#include <ctype.h>
#include <inttypes.h>

static const char *const actions[] = {[D_ACTION_DEFAULT] = "default",
	[D_ACTION_TRACE] = "trace",
	[D_ACTION_TRACEMEM] = "tracemem",
	[D_ACTION_PRINT] = "print",
	[D_ACTION_PRINTF] = "printf",
	[D_ACTION_PRINTA] = "printa",
	[D_ACTION_EXIT] = "exit",
	[D_ACTION_CLEAR] = "clear",
	[D_ACTION_TRUNC] = "trunc",
	[D_ACTION_NORMALIZE] = "normalize",
	[D_ACTION_DENORMALIZE] = "denormalize",
	[D_ACTION_SYSTEM] = "system",
	[D_ACTION_FREOPEN] = "freopen",
	[D_ACTION_FTRUNCATE] = "ftruncate",
	[D_ACTION_RAISE] = "raise",
	[D_ACTION_STOP] = "stop",
	[D_ACTION_SETOPT] = "setopt"};

#define NAME_OF(table, index)                                                                      \
	((size_t)(index) < sizeof(table) / sizeof((table)[0]) && (table)[index] ? (table)[index]   \
										: "?")

static void print_quoted(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (isprint((unsigned char)*text))
			putc(*text, file);
		else
			fprintf(file, "\\x%02x", (unsigned char)*text);
	}
	putc('"', file);
}

static void print_variable_name(FILE *file, const struct d_variable *variable)
{
	static const char *const scopes[] = {
		[D_SCOPE_GLOBAL] = "", [D_SCOPE_SELF] = "self->", [D_SCOPE_THIS] = "this->"};

	fprintf(file, "%s%s", scopes[variable->scope], variable->name);
}

static void print_action(FILE *file, const struct d_program *program, int32_t index)
{
	const struct d_action *action = &program->actions[index];

	fprintf(file, " %s", NAME_OF(actions, action->kind));
	if (action->format >= 0)
		fprintf(file, " %s %d", action->kind == D_ACTION_PRINT ? "layout" : "format",
			action->format);
	for (unsigned i = 0; i < action->aggregation_count; i++)
		fprintf(file, " @%s", program->aggregations[action->aggregations[i]].name);
	fprintf(file, " (%u)", action->argument_count);
}

static void print_immediate(
	FILE *file, const struct d_program *program, enum d_immediate meaning, int32_t immediate)
{
	switch (meaning) {
	case D_IMMEDIATE_NONE:
		break;
	case D_IMMEDIATE_WIDTH:
	case D_IMMEDIATE_BITS:
		fprintf(file, " %s%d", immediate < 0 ? "signed " : "",
			immediate < 0 ? -immediate : immediate);
		break;
	case D_IMMEDIATE_TARGET:
		fprintf(file, " -> %" PRId32, immediate);
		break;
	case D_IMMEDIATE_INTEGER:
		fprintf(file, " %" PRId64, program->integers[immediate]);
		break;
	case D_IMMEDIATE_STRING:
		putc(' ', file);
		print_quoted(file, program->strings[immediate].bytes);
		break;
	case D_IMMEDIATE_BUILTIN:
		fprintf(file, " %s",
			immediate >= 0 && immediate < D_BUILTINS ? d_builtins[immediate].name
								 : "?");
		break;
	case D_IMMEDIATE_SCALAR:
	case D_IMMEDIATE_SELF:
	case D_IMMEDIATE_LOCAL_STRING:
	case D_IMMEDIATE_OBJECT:
	case D_IMMEDIATE_ELEMENT:
	case D_IMMEDIATE_ANY_ELEMENT:
	case D_IMMEDIATE_OBJECT_ELEMENT:
		putc(' ', file);
		print_variable_name(file, &program->variables[immediate]);
		break;
	case D_IMMEDIATE_SUBROUTINE:
		fprintf(file, " %s",
			immediate >= 0 && immediate < D_SUBROUTINES ? d_subroutines[immediate].name
								    : "?");
		break;
	case D_IMMEDIATE_AGGREGATION:
		fprintf(file, " @%s %s", program->aggregations[immediate].name,
			d_aggregating_name(program->aggregations[immediate].function));
		break;
	case D_IMMEDIATE_ACTION:
		print_action(file, program, immediate);
		break;
	case D_IMMEDIATE_NUMBER:
	case D_IMMEDIATE_ARGUMENT:
	case D_IMMEDIATE_SIZE:
	case D_IMMEDIATE_BOUND:
	case D_IMMEDIATE_FRAMES:
	case D_IMMEDIATE_STACK:
	case D_IMMEDIATE_PLACE:
		fprintf(file, " %" PRId32, immediate);
		break;
	}
}

static void print_operand(FILE *file, enum d_operand operand, uint8_t value)
{
	switch (operand) {
	case D_OPERAND_KEYS:
		fprintf(file, "[r%u]", value);
		break;
	case D_OPERAND_COUNT:
	case D_OPERAND_SIZE:
	case D_OPERAND_SIGNED_SIZE:
	case D_OPERAND_FLAG:
		fprintf(file, "%u", value);
		break;
	default:
		fprintf(file, "r%u", value);
	}
}

static void print_code(
	FILE *file, const struct d_program *program, const struct d_instruction *code, size_t count)
{
	for (size_t at = 0; at < count; at++) {
		const struct d_instruction *instruction = &code[at];
		const uint8_t values[] = {instruction->a, instruction->b, instruction->c};
		const struct d_opcode_form *form = instruction->opcode < D_OPCODES
			? &d_opcodes[instruction->opcode]
			: &(const struct d_opcode_form){.text = "?"};
		const char *separator = " ";

		fprintf(file, "%6zu  %s", at, form->text);
		for (unsigned i = 0; i < 3; i++) {
			if (form->operands[i] == D_OPERAND_NONE)
				continue;
			fputs(separator, file);
			separator = ", ";
			print_operand(file, form->operands[i], values[i]);
		}
		print_immediate(file, program, form->immediate, instruction->immediate);
		putc('\n', file);
	}
}

static void print_type(FILE *file, const struct d_value_type *type)
{
	if (type->kind == D_VALUE_STRING)
		fprintf(file, "string");
	else if (type->kind == D_VALUE_BYTES)
		fprintf(file, "bytes %" PRIu32, type->size);
	else if (type->kind >= D_VALUE_GUEST_STACK)
		fputs(type->kind == D_VALUE_GUEST_STACK       ? "guest stack"
				: type->kind == D_VALUE_STACK ? "stack"
							      : "place",
			file);
	else if (type->is_pointer)
		fprintf(file, "pointer");
	else
		fprintf(file, "%s%" PRIu32, type->is_signed ? "int" : "uint", type->size * 8);
}

static void print_keys(FILE *file, const struct d_value_type *keys, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		fprintf(file, i ? ", " : "[");
		print_type(file, &keys[i]);
	}
	if (count)
		putc(']', file);
}

void d_program_print(FILE *file, const struct d_program *program)
{
	for (size_t i = 0; i < program->variable_count; i++) {
		const struct d_variable *variable = &program->variables[i];

		fprintf(file, "variable %zu ", i);
		print_type(file, &variable->type);
		putc(' ', file);
		print_variable_name(file, variable);
		print_keys(file, variable->keys, variable->key_count);
		putc('\n', file);
	}
	for (size_t i = 0; i < program->aggregation_count; i++) {
		const struct d_aggregation *aggregation = &program->aggregations[i];

		fprintf(file, "aggregation %zu %s @%s", i,
			d_aggregating_name(aggregation->function), aggregation->name);
		print_keys(file, aggregation->keys, aggregation->key_count);
		putc('\n', file);
	}
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];

		fprintf(file, "clause %zu script %" PRIu32 " line %" PRIu32 ":", i, clause->script,
			clause->line);
		for (size_t k = 0; k < clause->probe_count && k < 8; k++)
			fprintf(file, " %" PRIu32, clause->probes[k] + 1);
		fprintf(file, "%s (%zu probes)\n", clause->probe_count > 8 ? " ..." : "",
			clause->probe_count);
		if (clause->predicate) {
			fprintf(file, "    predicate\n");
			print_code(file, program, clause->predicate, clause->predicate_count);
			fprintf(file, "    body\n");
		}
		print_code(file, program, clause->code, clause->code_count);
	}
}
