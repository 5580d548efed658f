/*
 * disassemble.c: see disassemble.h. A table says which of an instruction's fields mean
 * something, and what.
 */
#include "program/disassemble.h"

#include <ctype.h>
#include <inttypes.h>

/* How the immediate reads. */
enum meaning {
	NOTHING,
	NUMBER,
	INTEGERS,
	STRINGS,
	TARGET,
	BUILTIN,
	VARIABLE,
	SUBROUTINE,
	AGGREGATION,
	ACTION,
	BITS
};

struct shape {
	const char *name;
	const char *registers; /* of "abc": those used; 'k' keys from b, 'n' a count in c */
	enum meaning immediate;
};

static const struct shape shapes[D_OPCODES] = {
	[D_OP_RETURN] = {"return", "a", NOTHING},
	[D_OP_INTEGER] = {"integer", "a", NUMBER},
	[D_OP_CONSTANT] = {"constant", "a", INTEGERS},
	[D_OP_STRING] = {"string", "a", STRINGS},
	[D_OP_NULL] = {"null", "a", NOTHING},
	[D_OP_MOVE] = {"move", "ab", NOTHING},
	[D_OP_ADD] = {"add", "abc", NOTHING},
	[D_OP_SUBTRACT] = {"subtract", "abc", NOTHING},
	[D_OP_MULTIPLY] = {"multiply", "abc", NOTHING},
	[D_OP_DIVIDE] = {"divide", "abc", NOTHING},
	[D_OP_DIVIDE_UNSIGNED] = {"divide.unsigned", "abc", NOTHING},
	[D_OP_MODULO] = {"modulo", "abc", NOTHING},
	[D_OP_MODULO_UNSIGNED] = {"modulo.unsigned", "abc", NOTHING},
	[D_OP_AND] = {"and", "abc", NOTHING},
	[D_OP_OR] = {"or", "abc", NOTHING},
	[D_OP_XOR] = {"xor", "abc", NOTHING},
	[D_OP_SHIFT_LEFT] = {"shift.left", "abc", NOTHING},
	[D_OP_SHIFT_RIGHT] = {"shift.right", "abc", NOTHING},
	[D_OP_SHIFT_RIGHT_SIGNED] = {"shift.right.signed", "abc", NOTHING},
	[D_OP_NEGATE] = {"negate", "ab", NOTHING},
	[D_OP_COMPLEMENT] = {"complement", "ab", NOTHING},
	[D_OP_NOT] = {"not", "ab", NOTHING},
	[D_OP_CUT] = {"cut", "ab", BITS},
	[D_OP_EQUAL] = {"equal", "abc", NOTHING},
	[D_OP_NOT_EQUAL] = {"not.equal", "abc", NOTHING},
	[D_OP_LESS] = {"less", "abc", NOTHING},
	[D_OP_LESS_EQUAL] = {"less.equal", "abc", NOTHING},
	[D_OP_LESS_UNSIGNED] = {"less.unsigned", "abc", NOTHING},
	[D_OP_LESS_EQUAL_UNSIGNED] = {"less.equal.unsigned", "abc", NOTHING},
	[D_OP_COMPARE] = {"compare", "abc", NOTHING},
	[D_OP_BOOLEAN] = {"boolean", "ab", NOTHING},
	[D_OP_JUMP] = {"jump", "", TARGET},
	[D_OP_JUMP_ZERO] = {"jump.zero", "b", TARGET},
	[D_OP_JUMP_NOT_ZERO] = {"jump.not.zero", "b", TARGET},
	[D_OP_ARGUMENT] = {"argument", "a", NUMBER},
	[D_OP_BUILTIN] = {"builtin", "a", BUILTIN},
	[D_OP_LOAD] = {"load", "a", VARIABLE},
	[D_OP_STORE] = {"store", "a", VARIABLE},
	[D_OP_LOAD_ELEMENT] = {"load.element", "ak", VARIABLE},
	[D_OP_STORE_ELEMENT] = {"store.element", "ak", VARIABLE},
	[D_OP_FREE] = {"free", "", VARIABLE},
	[D_OP_FREE_ELEMENT] = {"free.element", "k", VARIABLE},
	[D_OP_READ] = {"read", "abn", NOTHING},
	[D_OP_WRITE] = {"write", "abn", NOTHING},
	[D_OP_TEXT] = {"text", "ab", NUMBER},
	[D_OP_WRITE_TEXT] = {"write.text", "ab", NUMBER},
	[D_OP_BYTES] = {"bytes", "ab", NUMBER},
	[D_OP_COPY] = {"copy", "ab", NUMBER},
	[D_OP_ADDRESS] = {"address", "an", VARIABLE},
	[D_OP_ADDRESS_ELEMENT] = {"address.element", "akn", VARIABLE},
	[D_OP_ADDRESS_STRING] = {"address.string", "ab", NOTHING},
	[D_OP_BOUND] = {"bound", "a", NUMBER},
	[D_OP_BITS] = {"bits", "ab", BITS},
	[D_OP_CALL] = {"call", "abn", SUBROUTINE},
	[D_OP_STACK] = {"stack", "ab", NUMBER},
	[D_OP_PLACE] = {"place", "ab", NUMBER},
	[D_OP_AGGREGATE] = {"aggregate", "abc", AGGREGATION},
	[D_OP_ACTION] = {"action", "a", ACTION},
	[D_OP_SPECULATE] = {"speculate", "b", NOTHING},
	[D_OP_COMMIT] = {"commit", "b", NOTHING},
	[D_OP_DISCARD] = {"discard", "b", NOTHING},
};

static const char *const functions[] = {[D_AGGREGATE_COUNT] = "count",
	[D_AGGREGATE_SUM] = "sum",
	[D_AGGREGATE_MIN] = "min",
	[D_AGGREGATE_MAX] = "max",
	[D_AGGREGATE_AVG] = "avg",
	[D_AGGREGATE_STDDEV] = "stddev",
	[D_AGGREGATE_QUANTIZE] = "quantize",
	[D_AGGREGATE_LQUANTIZE] = "lquantize",
	[D_AGGREGATE_LLQUANTIZE] = "llquantize"};

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
	FILE *file, const struct d_program *program, enum meaning meaning, int32_t immediate)
{
	switch (meaning) {
	case NOTHING:
		break;
	case NUMBER:
		fprintf(file, " %" PRId32, immediate);
		break;
	case BITS:
		fprintf(file, " %s%d", immediate < 0 ? "signed " : "",
			immediate < 0 ? -immediate : immediate);
		break;
	case TARGET:
		fprintf(file, " -> %" PRId32, immediate);
		break;
	case INTEGERS:
		fprintf(file, " %" PRId64, program->integers[immediate]);
		break;
	case STRINGS:
		putc(' ', file);
		print_quoted(file, program->strings[immediate].bytes);
		break;
	case BUILTIN:
		fprintf(file, " %s",
			immediate >= 0 && immediate < D_BUILTINS ? d_builtins[immediate].name
								 : "?");
		break;
	case VARIABLE:
		putc(' ', file);
		print_variable_name(file, &program->variables[immediate]);
		break;
	case SUBROUTINE:
		fprintf(file, " %s",
			immediate >= 0 && immediate < D_SUBROUTINES ? d_subroutines[immediate].name
								    : "?");
		break;
	case AGGREGATION:
		fprintf(file, " @%s %s", program->aggregations[immediate].name,
			NAME_OF(functions, program->aggregations[immediate].function));
		break;
	case ACTION:
		print_action(file, program, immediate);
		break;
	}
}

static void print_code(
	FILE *file, const struct d_program *program, const struct d_instruction *code, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct d_instruction *instruction = &code[i];
		const struct shape *shape = instruction->opcode < D_OPCODES
			? &shapes[instruction->opcode]
			: &(const struct shape){"?", "", NOTHING};
		const char *separator = " ";

		fprintf(file, "%6zu  %s", i, shape->name);
		for (const char *reg = shape->registers; *reg; reg++) {
			fputs(separator, file);
			separator = ", ";
			if (*reg == 'a')
				fprintf(file, "r%u", instruction->a);
			else if (*reg == 'b')
				fprintf(file, "r%u", instruction->b);
			else if (*reg == 'c')
				fprintf(file, "r%u", instruction->c);
			else if (*reg == 'k')
				fprintf(file, "[r%u]", instruction->b);
			else
				fprintf(file, "%u", instruction->c);
		}
		print_immediate(file, program, shape->immediate, instruction->immediate);
		putc('\n', file);
	}
}

static void print_type(FILE *file, const struct d_value_type *type)
{
	if (type->kind == D_VALUE_STRING)
		fprintf(file, "string");
	else if (type->kind == D_VALUE_BYTES)
		fprintf(file, "bytes %" PRIu32, type->size);
	else if (type->kind >= D_VALUE_STACK)
		fprintf(file, type->kind == D_VALUE_STACK ? "stack" : "place");
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
			NAME_OF(functions, aggregation->function), aggregation->name);
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
