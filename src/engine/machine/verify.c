/*
 * verify.c: see verify.h. One pass over each piece of code: jumps only go forward, so when the pass
 * reaches an instruction, it has seen every path to it, and the kinds of its registers are those on
 * which all paths agree.
 */
#include "engine/machine/verify.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a register is known to hold. These are bits: merging two paths is an "and". */
enum register_kind {
	KIND_NOTHING = 0,
	KIND_INTEGER = 1,
	KIND_STRING = 2,
	KIND_BYTES = 4,
	KIND_STACK = 8,
	KIND_PLACE = 16, /* an address that is shown by its name */
	KIND_GUEST_STACK = 32,
	/* 0 is an integer, the NULL string and no stack */
	KIND_ZERO = KIND_INTEGER | KIND_STRING | KIND_STACK | KIND_GUEST_STACK,
	KIND_ANY = 255 /* not reached yet */
};

struct verify_state {
	uint8_t registers[D_REGISTERS_MAX];
};

struct verifier {
	const struct d_program *program;
	const struct d_instruction *code;
	size_t count;
	struct verify_state now;
	bool reachable;
	struct verify_state **targets; /* by instruction; NULL unless it is a jump's target */
	size_t records, record_values;
	uint64_t record_bytes;
};

static bool register_range(unsigned first, unsigned count)
{
	return first + count <= D_REGISTERS_MAX;
}

static bool index_ok(int32_t index, size_t count)
{
	return index >= 0 && (size_t)index < count;
}

static uint8_t kind_of(const struct d_value_type *type)
{
	switch (type->kind) {
	case D_VALUE_INTEGER:
		return KIND_INTEGER;
	case D_VALUE_STRING:
		return KIND_STRING;
	case D_VALUE_BYTES:
		return KIND_BYTES;
	case D_VALUE_GUEST_STACK:
		return KIND_GUEST_STACK;
	case D_VALUE_STACK:
		return KIND_STACK;
	default:
		return KIND_PLACE;
	}
}

/* Only pointers to texts must be known to be valid; any 64 bits are an integer. */
static bool holds(const struct verifier *verifier, unsigned index, const struct d_value_type *type)
{
	return type->kind == D_VALUE_INTEGER || (verifier->now.registers[index] & kind_of(type));
}

static bool all_hold(const struct verifier *verifier, unsigned first,
	const struct d_value_type *types, unsigned count)
{
	if (!register_range(first, count))
		return false;
	for (unsigned i = 0; i < count; i++)
		if (!holds(verifier, first + i, &types[i]))
			return false;
	return true;
}

static int merge(struct verifier *verifier, size_t target)
{
	struct verify_state *state = verifier->targets[target];

	if (!state) {
		state = malloc(sizeof(*state));
		if (!state)
			return -ENOMEM;
		*state = verifier->now;
		verifier->targets[target] = state;
		return 0;
	}
	for (unsigned i = 0; i < D_REGISTERS_MAX; i++)
		state->registers[i] &= verifier->now.registers[i];
	return 0;
}

static bool size_ok(uint8_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool object_size_ok(int64_t size)
{
	return size > 0 && size <= D_OBJECT_MAX;
}

/* Whether the immediate is valid for this instruction, such as an index into a table. */
static bool immediate_fits(
	const struct d_program *program, enum d_immediate meaning, int32_t immediate)
{
	const struct d_variable *variable = index_ok(immediate, program->variable_count)
		? &program->variables[immediate]
		: NULL;

	switch (meaning) {
	case D_IMMEDIATE_NONE:
	case D_IMMEDIATE_NUMBER:
	case D_IMMEDIATE_TARGET: /* see verify_jump() */
		return true;
	case D_IMMEDIATE_INTEGER:
		return index_ok(immediate, program->integer_count);
	case D_IMMEDIATE_STRING:
		return index_ok(immediate, program->string_count);
	case D_IMMEDIATE_ARGUMENT:
	case D_IMMEDIATE_BOUND:
		return immediate >= 0;
	case D_IMMEDIATE_BUILTIN:
		return index_ok(immediate, D_BUILTINS);
	case D_IMMEDIATE_SCALAR:
		return variable && !variable->key_count && variable->type.kind != D_VALUE_BYTES;
	case D_IMMEDIATE_SELF:
		return variable && !variable->key_count && variable->scope == D_SCOPE_SELF;
	case D_IMMEDIATE_LOCAL_STRING:
		return variable && !variable->key_count && variable->scope == D_SCOPE_THIS &&
			variable->type.kind == D_VALUE_STRING;
	case D_IMMEDIATE_OBJECT:
		return variable && !variable->key_count && variable->type.kind == D_VALUE_BYTES;
	case D_IMMEDIATE_ELEMENT:
		return variable && variable->key_count && variable->type.kind != D_VALUE_BYTES;
	case D_IMMEDIATE_ANY_ELEMENT:
		return variable && variable->key_count;
	case D_IMMEDIATE_OBJECT_ELEMENT:
		return variable && variable->key_count && variable->type.kind == D_VALUE_BYTES;
	case D_IMMEDIATE_SUBROUTINE:
		return index_ok(immediate, D_SUBROUTINES);
	case D_IMMEDIATE_AGGREGATION:
		return index_ok(immediate, program->aggregation_count);
	case D_IMMEDIATE_ACTION:
		return index_ok(immediate, program->action_count);
	case D_IMMEDIATE_WIDTH:
		return immediate % 8 == 0 && immediate >= -64 && immediate <= 64 &&
			size_ok((uint8_t)(abs(immediate) / 8));
	case D_IMMEDIATE_BITS:
		return immediate != 0 && immediate >= -64 && immediate <= 64;
	case D_IMMEDIATE_SIZE:
		return object_size_ok(immediate);
	case D_IMMEDIATE_FRAMES:
		return immediate > 0;
	case D_IMMEDIATE_STACK:
		return d_value_is_stack((enum d_value_kind)immediate);
	case D_IMMEDIATE_PLACE:
		return immediate > D_VALUE_STACK && immediate < D_VALUE_KINDS;
	}
	return false;
}

static bool arguments_fit(const struct verifier *verifier, const struct d_instruction *call)
{
	const struct d_subroutine_form *form = &d_subroutines[call->immediate];

	if (call->c < form->least || call->c > form->most || !register_range(call->b, call->c))
		return false;
	for (unsigned i = 0; i < call->c; i++)
		if ((form->strings & 1u << i) &&
			!(verifier->now.registers[call->b + i] & KIND_STRING))
			return false;
	return true;
}

/* Whether the value of a, b or c is what the instruction needs. Its immediate must be valid. */
static bool operand_fits(const struct verifier *verifier, const struct d_instruction *instruction,
	enum d_operand operand, uint8_t value)
{
	const struct d_program *program = verifier->program;
	const struct d_variable *variable;
	const struct d_aggregation *aggregation;
	const struct d_action *action;

	switch (operand) {
	case D_OPERAND_STRING:
		return verifier->now.registers[value] & KIND_STRING;
	case D_OPERAND_STACK:
		return verifier->now.registers[value] &
			(instruction->immediate == D_VALUE_STACK ? KIND_STACK : KIND_GUEST_STACK);
	case D_OPERAND_STORED:
		variable = &program->variables[instruction->immediate];
		return holds(verifier, value, &variable->type);
	case D_OPERAND_KEYS:
		variable = &program->variables[instruction->immediate];
		return all_hold(verifier, value, variable->keys, variable->key_count);
	case D_OPERAND_AGGREGATION_KEYS:
		aggregation = &program->aggregations[instruction->immediate];
		return all_hold(verifier, value, aggregation->keys, aggregation->key_count);
	case D_OPERAND_CALL_ARGUMENTS:
		return arguments_fit(verifier, instruction);
	case D_OPERAND_ACTION_ARGUMENTS:
		action = &program->actions[instruction->immediate];
		return all_hold(verifier, value, action->types, action->argument_count);
	case D_OPERAND_SIZE:
		return value >= 1 && value <= 8;
	case D_OPERAND_SIGNED_SIZE:
		return (value & ~16) >= 1 && (value & ~16) <= 8;
	case D_OPERAND_FLAG:
		return value <= 1;
	default:
		return true;
	}
}

/* Notes what register a holds after the instruction, if the instruction writes to it. */
static void note_result(
	struct verifier *verifier, const struct d_instruction *instruction, enum d_operand operand)
{
	const struct d_program *program = verifier->program;
	uint8_t *result = &verifier->now.registers[instruction->a];
	int32_t immediate = instruction->immediate;

	switch (operand) {
	case D_OPERAND_TO_INTEGER:
		*result = KIND_INTEGER;
		break;
	case D_OPERAND_TO_STRING:
		*result = KIND_STRING;
		break;
	case D_OPERAND_TO_BYTES:
		*result = KIND_BYTES;
		break;
	case D_OPERAND_TO_STACK:
		*result = KIND_STACK;
		break;
	case D_OPERAND_TO_GUEST_STACK:
		*result = KIND_GUEST_STACK;
		break;
	case D_OPERAND_TO_PLACE:
		*result = KIND_PLACE;
		break;
	case D_OPERAND_TO_NULL:
		*result = KIND_ZERO;
		break;
	case D_OPERAND_TO_LITERAL:
		*result = immediate ? KIND_INTEGER : KIND_ZERO;
		break;
	case D_OPERAND_TO_COPY:
		*result = verifier->now.registers[instruction->b];
		break;
	case D_OPERAND_TO_VARIABLE:
		*result = kind_of(&program->variables[immediate].type);
		break;
	case D_OPERAND_TO_BUILTIN:
		*result = d_builtins[immediate].is_string ? KIND_STRING : KIND_INTEGER;
		break;
	case D_OPERAND_TO_SUBROUTINE:
		*result = d_subroutines[immediate].gives_string ? KIND_STRING : KIND_INTEGER;
		break;
	default:
		break;
	}
}

static int verify_jump(struct verifier *verifier, size_t at)
{
	const struct d_instruction *instruction = &verifier->code[at];

	if (instruction->immediate <= 0 || (size_t)instruction->immediate <= at ||
		(size_t)instruction->immediate >= verifier->count)
		return -EINVAL;
	return merge(verifier, (size_t)instruction->immediate);
}

/* Each action makes one record. */
static void count_record(struct verifier *verifier, const struct d_action *action)
{
	verifier->records++;
	verifier->record_values += action->argument_count;
	for (unsigned i = 0; i < action->argument_count; i++)
		verifier->record_bytes += action->types[i].size;
}

static int verify_instruction(struct verifier *verifier, size_t at)
{
	const struct d_instruction *instruction = &verifier->code[at];
	const uint8_t values[] = {instruction->a, instruction->b, instruction->c};
	const struct d_opcode_form *form;

	if (instruction->opcode >= D_OPCODES)
		return -EINVAL;
	form = &d_opcodes[instruction->opcode];
	if (!immediate_fits(verifier->program, form->immediate, instruction->immediate))
		return -EINVAL;
	for (unsigned i = 0; i < 3; i++)
		if (values[i] >= D_REGISTERS_MAX ||
			!operand_fits(verifier, instruction, form->operands[i], values[i]))
			return -EINVAL;
	note_result(verifier, instruction, form->operands[0]);
	if (instruction->opcode == D_OP_RETURN || instruction->opcode == D_OP_JUMP)
		verifier->reachable = false;
	if (form->immediate == D_IMMEDIATE_ACTION)
		count_record(verifier, &verifier->program->actions[instruction->immediate]);
	return form->immediate == D_IMMEDIATE_TARGET ? verify_jump(verifier, at) : 0;
}

static int verify_code(struct verifier *verifier, const struct d_instruction *code, size_t count)
{
	int error = 0;

	/* Jump offsets are 31 bits. */
	if (!code || count == 0 || count > INT32_MAX || code[count - 1].opcode != D_OP_RETURN)
		return -EINVAL;
	verifier->code = code;
	verifier->count = count;
	verifier->reachable = true;
	memset(&verifier->now, KIND_NOTHING, sizeof(verifier->now));
	verifier->targets = calloc(count, sizeof(struct verify_state *));
	if (!verifier->targets)
		return -ENOMEM;
	for (size_t at = 0; at < count && !error; at++) {
		struct verify_state *target = verifier->targets[at];
		if (target) {
			if (verifier->reachable)
				error = merge(verifier, at);
			verifier->now = *target;
			verifier->reachable = true;
			free(target); /* no later instruction jumps here */
			verifier->targets[at] = NULL;
		} else if (!verifier->reachable) {
			/* This code is never run, so any contents of its registers are valid. */
			memset(&verifier->now, KIND_ANY, sizeof(verifier->now));
		}
		if (!error)
			error = verify_instruction(verifier, at);
	}
	for (size_t at = 0; at < count; at++)
		free(verifier->targets[at]);
	free(verifier->targets);
	return error;
}

static bool type_ok(const struct d_value_type *type)
{
	if (type->kind == D_VALUE_STRING || type->kind >= D_VALUE_GUEST_STACK)
		return type->kind < D_VALUE_KINDS;
	return type->kind == D_VALUE_BYTES
		? object_size_ok(type->size)
		: type->kind == D_VALUE_INTEGER && type->size <= 8 && size_ok((uint8_t)type->size);
}

static bool types_ok(const struct d_value_type *types, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!type_ok(&types[i]))
			return false;
	return true;
}

/* Whether a key is a place other than a stack: only aggregations may have such keys. */
static bool has_places(const struct d_value_type *types, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (types[i].kind > D_VALUE_STACK)
			return true;
	return false;
}

/* Whether a conversion accepts this argument. */
static bool conversion_fits(const struct d_conversion *conversion, const struct d_value_type *type)
{
	switch (conversion->kind) {
	case D_CONVERT_STRING:
		return conversion->type.kind == type->kind &&
			(type->kind == D_VALUE_STRING || type->kind == D_VALUE_BYTES);
	case D_CONVERT_FLOAT:
		return type->kind == D_VALUE_BYTES &&
			(type->size == sizeof(float) || type->size == sizeof(double) ||
				type->size == sizeof(long double));
	case D_CONVERT_STACK:
		return conversion->type.kind == type->kind &&
			(type->kind == D_VALUE_STACK || type->kind == D_VALUE_GUEST_STACK);
	case D_CONVERT_PLACE:
		return conversion->type.kind == type->kind &&
			(type->kind == D_VALUE_INTEGER || type->kind > D_VALUE_STACK);
	case D_CONVERT_WIDE:
		return conversion->type.kind == type->kind &&
			(type->kind == D_VALUE_INTEGER || type->kind == D_VALUE_BYTES);
	default:
		return type->kind == D_VALUE_INTEGER;
	}
}

static bool integer_at(const struct d_value_type *types, unsigned count, unsigned *next)
{
	return *next < count && types[(*next)++].kind == D_VALUE_INTEGER;
}

/* Checks a format against the arguments of printf(), or the keys of printa(). */
static bool format_fits(const struct d_format *format, const struct d_value_type *types,
	unsigned count, bool aggregations)
{
	unsigned next = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		if (!conversion->present)
			continue;
		if (conversion->width_argument && !integer_at(types, count, &next))
			return false;
		if (conversion->precision_argument && !integer_at(types, count, &next))
			return false;
		if (conversion->aggregation) {
			if (!aggregations || d_value_is_text(conversion->type.kind) ||
				conversion->kind == D_CONVERT_STRING ||
				conversion->kind == D_CONVERT_STACK)
				return false;
			continue;
		}
		if (next >= count || !conversion_fits(conversion, &types[next]))
			return false;
		next++;
	}
	return true;
}

/* All kinds of address are stored in the same way; only their text differs. */
static bool same_keys(const struct d_aggregation *a, const struct d_aggregation *b)
{
	if (a->key_count != b->key_count)
		return false;
	for (unsigned i = 0; i < a->key_count; i++)
		if (a->keys[i].kind != b->keys[i].kind &&
			(a->keys[i].kind <= D_VALUE_STACK || b->keys[i].kind <= D_VALUE_STACK))
			return false;
	return true;
}

static bool verify_action(const struct d_program *program, const struct d_action *action)
{
	const struct d_aggregation *first;
	const struct d_format *format = NULL;

	if (!types_ok(action->types, action->argument_count) ||
		action->argument_count > D_ACTION_ARGUMENTS_MAX)
		return false;
	for (unsigned i = 0; i < action->aggregation_count; i++)
		if (action->aggregations[i] >= program->aggregation_count)
			return false;
	if (action->kind == D_ACTION_PRINTF || action->kind == D_ACTION_PRINTA ||
		action->kind == D_ACTION_SYSTEM || action->kind == D_ACTION_FREOPEN) {
		if (action->format >= 0 && (size_t)action->format >= program->format_count)
			return false;
		if (action->format >= 0)
			format = &program->formats[action->format];
	}
	switch (action->kind) {
	case D_ACTION_DEFAULT:
		return true;
	case D_ACTION_TRACE:
		return action->argument_count == 1;
	case D_ACTION_TRACEMEM:
		return action->argument_count >= 1 && action->argument_count <= 2 &&
			action->types[0].kind == D_VALUE_BYTES &&
			(action->argument_count == 1 || action->types[1].kind == D_VALUE_INTEGER);
	case D_ACTION_PRINT:
		return action->format >= 0 && (size_t)action->format < program->layout_count &&
			action->argument_count == 2 && action->types[0].kind == D_VALUE_INTEGER &&
			action->types[1].kind == D_VALUE_BYTES &&
			action->types[1].size == program->layouts[action->format].size;
	case D_ACTION_PRINTF:
		return format && format_fits(format, action->types, action->argument_count, false);
	case D_ACTION_PRINTA:
		if (action->aggregation_count == 0)
			return false;
		first = &program->aggregations[action->aggregations[0]];
		for (unsigned i = 1; i < action->aggregation_count; i++)
			if (!same_keys(first, &program->aggregations[action->aggregations[i]]))
				return false;
		return !format || format_fits(format, first->keys, first->key_count, true);
	case D_ACTION_EXIT:
		return action->argument_count == 1 && action->types[0].kind == D_VALUE_INTEGER;
	case D_ACTION_CLEAR:
	case D_ACTION_DENORMALIZE:
		return action->aggregation_count >= 1;
	case D_ACTION_TRUNC:
		return action->aggregation_count >= 1 &&
			(action->argument_count == 0 || action->types[0].kind == D_VALUE_INTEGER);
	case D_ACTION_SYSTEM:
	case D_ACTION_FREOPEN:
		return format && format_fits(format, action->types, action->argument_count, false);
	case D_ACTION_FTRUNCATE:
	case D_ACTION_STOP:
		return action->argument_count == 0;
	case D_ACTION_RAISE:
		return action->argument_count == 1 && action->types[0].kind == D_VALUE_INTEGER;
	case D_ACTION_SETOPT:
		return (action->argument_count == 1 || action->argument_count == 2) &&
			action->types[0].kind == D_VALUE_STRING &&
			action->types[action->argument_count - 1].kind == D_VALUE_STRING;
	case D_ACTION_NORMALIZE:
		return action->aggregation_count >= 1 && action->argument_count == 1 &&
			action->types[0].kind == D_VALUE_INTEGER;
	default:
		return false;
	}
}

static bool verify_tables(const struct d_program *program)
{
	uint64_t objects = 0;

	for (size_t i = 0; i < program->variable_count; i++) {
		const struct d_variable *variable = &program->variables[i];
		if (!type_ok(&variable->type) || variable->type.kind > D_VALUE_STACK ||
			variable->key_count > D_KEYS_MAX ||
			!types_ok(variable->keys, variable->key_count) ||
			has_places(variable->keys, variable->key_count) ||
			(variable->key_count && variable->scope == D_SCOPE_THIS))
			return false;
		if (variable->type.kind == D_VALUE_BYTES)
			objects += variable->type.size;
	}
	if (objects > D_OBJECT_MAX)
		return false;
	for (size_t i = 0; i < program->aggregation_count; i++) {
		const struct d_aggregation *aggregation = &program->aggregations[i];
		if (aggregation->function > D_AGGREGATE_LLQUANTIZE ||
			aggregation->key_count > D_KEYS_MAX ||
			!types_ok(aggregation->keys, aggregation->key_count))
			return false;
	}
	for (size_t i = 0; i < program->layout_count; i++)
		if (!d_layout_is_valid(program->layouts, (uint32_t)i))
			return false;
	for (size_t i = 0; i < program->action_count; i++)
		if (!verify_action(program, &program->actions[i]))
			return false;
	return true;
}

static void raise_to(size_t *limit, size_t value)
{
	if (*limit < value)
		*limit = value;
}

int verify_program(const struct d_program *program, const struct d_probe_set *probes,
	struct verify_limits *limits)
{
	memset(limits, 0, sizeof(*limits));
	if (!verify_tables(program))
		return -EINVAL;
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		struct verifier verifier = {.program = program};
		int error;
		for (size_t j = 0; j < d_clause_probes(clause); j++)
			if (clause->probes[j] >= probes->count)
				return -EINVAL;
		if (clause->predicate) {
			error = verify_code(&verifier, clause->predicate, clause->predicate_count);
			if (!error && verifier.records)
				error = -EINVAL; /* a predicate has no actions */
			if (error)
				return error;
		}
		error = verify_code(&verifier, clause->code, clause->code_count);
		if (error)
			return error;
		/* DTrace's record of the clause would have to fit into the buffer. */
		if (verifier.record_bytes > program->options.bufsize)
			return -ENOSPC;
		raise_to(&limits->instructions, clause->code_count + clause->predicate_count);
		raise_to(&limits->records, verifier.records);
		raise_to(&limits->record_values, verifier.record_values);
	}
	return 0;
}
