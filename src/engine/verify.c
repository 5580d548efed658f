/*
 * verify.c: see verify.h. One pass over each piece of code: jumps go forward, so when an
 * instruction is reached, every way to it has been seen, and the kinds of its registers
 * are what those ways agree on.
 */
#include "engine/verify.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a register is known to hold. Bits: a merge of two ways is an "and". */
enum register_kind {
	KIND_NOTHING = 0,
	KIND_INTEGER = 1,
	KIND_STRING = 2,
	KIND_BYTES = 4,
	KIND_STACK = 8,
	KIND_PLACE = 16,                        /* an address that will be named */
	KIND_ZERO = KIND_INTEGER | KIND_STRING, /* 0 is an integer and the NULL string */
	KIND_ANY = 255                          /* not reached yet */
};

struct state {
	uint8_t registers[D_REGISTERS_MAX];
};

struct verifier {
	const struct d_program *program;
	const struct d_instruction *code;
	size_t count;
	struct state now;
	bool reachable;
	struct state **targets; /* by instruction, for those that are jumped to */
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
	case D_VALUE_STACK:
		return KIND_STACK;
	default:
		return KIND_PLACE;
	}
}

/* Only pointers to texts need to be certain: any 64 bits are an integer. */
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
	struct state *state = verifier->targets[target];

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

static int verify_jump(struct verifier *verifier, size_t at)
{
	const struct d_instruction *instruction = &verifier->code[at];

	if (instruction->immediate <= 0 || (size_t)instruction->immediate <= at ||
		(size_t)instruction->immediate >= verifier->count)
		return -EINVAL;
	return merge(verifier, (size_t)instruction->immediate);
}

static bool verify_call(struct verifier *verifier, const struct d_instruction *instruction)
{
	const struct d_subroutine_form *form;
	uint8_t *registers = verifier->now.registers;

	if (!index_ok(instruction->immediate, D_SUBROUTINES))
		return false;
	form = &d_subroutines[instruction->immediate];
	if (instruction->c < form->least || instruction->c > form->most ||
		!register_range(instruction->b, instruction->c))
		return false;
	for (unsigned i = 0; i < instruction->c; i++)
		if ((form->strings & 1u << i) && !(registers[instruction->b + i] & KIND_STRING))
			return false;
	registers[instruction->a] = form->gives_string ? KIND_STRING : KIND_INTEGER;
	return true;
}

static bool verify_variable(struct verifier *verifier, const struct d_instruction *instruction)
{
	const struct d_program *program = verifier->program;
	uint8_t *registers = verifier->now.registers;
	const struct d_variable *variable;

	if (!index_ok(instruction->immediate, program->variable_count))
		return false;
	variable = &program->variables[instruction->immediate];
	switch (instruction->opcode) {
	case D_OP_LOAD:
		registers[instruction->a] = kind_of(&variable->type);
		return variable->key_count == 0 && variable->type.kind != D_VALUE_BYTES;
	case D_OP_ADDRESS:
		registers[instruction->a] = KIND_INTEGER;
		return variable->key_count == 0 && variable->type.kind == D_VALUE_BYTES;
	case D_OP_STORE:
		return variable->key_count == 0 && variable->type.kind != D_VALUE_BYTES &&
			holds(verifier, instruction->a, &variable->type);
	case D_OP_FREE:
		return variable->key_count == 0 && variable->scope == D_SCOPE_SELF;
	default:
		break;
	}
	if (variable->key_count == 0 ||
		!all_hold(verifier, instruction->b, variable->keys, variable->key_count))
		return false;
	if (instruction->opcode == D_OP_LOAD_ELEMENT) {
		registers[instruction->a] = kind_of(&variable->type);
		return variable->type.kind != D_VALUE_BYTES;
	}
	if (instruction->opcode == D_OP_ADDRESS_ELEMENT) {
		registers[instruction->a] = KIND_INTEGER;
		return variable->type.kind == D_VALUE_BYTES;
	}
	if (instruction->opcode == D_OP_STORE_ELEMENT)
		return variable->type.kind != D_VALUE_BYTES &&
			holds(verifier, instruction->a, &variable->type);
	return true;
}

static bool size_ok(uint8_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool object_size_ok(int64_t size)
{
	return size > 0 && size <= D_OBJECT_MAX;
}

/* Reads and writes of memory: the addresses are checked when they are used. */
static bool verify_memory(struct verifier *verifier, const struct d_instruction *instruction)
{
	uint8_t *registers = verifier->now.registers;
	int32_t immediate = instruction->immediate;

	switch (instruction->opcode) {
	case D_OP_READ:
		registers[instruction->a] = KIND_INTEGER;
		return size_ok(instruction->c & 15);
	case D_OP_WRITE:
		return size_ok(instruction->c);
	case D_OP_TEXT:
		registers[instruction->a] = KIND_STRING;
		return object_size_ok(immediate);
	case D_OP_WRITE_TEXT:
		return (registers[instruction->a] & KIND_STRING) && object_size_ok(immediate);
	case D_OP_BYTES:
		registers[instruction->a] = KIND_BYTES;
		return object_size_ok(immediate);
	case D_OP_COPY:
		return object_size_ok(immediate);
	case D_OP_ADDRESS_STRING:
		if (!(registers[instruction->b] & KIND_STRING))
			return false;
		registers[instruction->a] = KIND_INTEGER;
		return true;
	case D_OP_BOUND:
		return immediate >= 0;
	default: /* D_OP_BITS */
		registers[instruction->a] = KIND_INTEGER;
		return immediate != 0 && immediate >= -64 && immediate <= 64;
	}
}

/* Instructions that compute an integer from registers alone, and those like them. */
static bool verify_simple(struct verifier *verifier, const struct d_instruction *instruction)
{
	const struct d_program *program = verifier->program;
	uint8_t *registers = verifier->now.registers;
	int32_t immediate = instruction->immediate;

	switch (instruction->opcode) {
	case D_OP_INTEGER:
		registers[instruction->a] = immediate ? KIND_INTEGER : KIND_ZERO;
		return true;
	case D_OP_CONSTANT:
		registers[instruction->a] = KIND_INTEGER;
		return index_ok(immediate, program->integer_count);
	case D_OP_STRING:
		registers[instruction->a] = KIND_STRING;
		return index_ok(immediate, program->string_count);
	case D_OP_NULL:
		registers[instruction->a] = KIND_ZERO;
		return true;
	case D_OP_MOVE:
		registers[instruction->a] = registers[instruction->b];
		return true;
	case D_OP_CUT:
		registers[instruction->a] = KIND_INTEGER;
		immediate = immediate < 0 && immediate >= -64 ? -immediate : immediate;
		return immediate == 8 || immediate == 16 || immediate == 32 || immediate == 64;
	case D_OP_COMPARE:
		if (!(registers[instruction->b] & registers[instruction->c] & KIND_STRING))
			return false;
		registers[instruction->a] = KIND_INTEGER;
		return true;
	case D_OP_ARGUMENT:
		registers[instruction->a] = KIND_INTEGER;
		return immediate >= 0;
	case D_OP_BUILTIN:
		if (!index_ok(immediate, D_BUILTINS))
			return false;
		registers[instruction->a] =
			d_builtins[immediate].is_string ? KIND_STRING : KIND_INTEGER;
		return true;
	default:
		registers[instruction->a] = KIND_INTEGER;
		return instruction->opcode > D_OP_MOVE && instruction->opcode < D_OP_JUMP;
	}
}

static int verify_instruction(struct verifier *verifier, size_t at)
{
	const struct d_instruction *instruction = &verifier->code[at];
	const struct d_program *program = verifier->program;
	const struct d_aggregation *aggregation;
	const struct d_action *action;
	int error;

	if (instruction->a >= D_REGISTERS_MAX || instruction->b >= D_REGISTERS_MAX)
		return -EINVAL;
	if (instruction->c >= D_REGISTERS_MAX && instruction->opcode != D_OP_READ)
		return -EINVAL;
	switch (instruction->opcode) {
	case D_OP_RETURN:
		verifier->reachable = false;
		return 0;
	case D_OP_JUMP:
		error = verify_jump(verifier, at);
		verifier->reachable = false;
		return error;
	case D_OP_JUMP_ZERO:
	case D_OP_JUMP_NOT_ZERO:
		return verify_jump(verifier, at);
	case D_OP_LOAD:
	case D_OP_STORE:
	case D_OP_LOAD_ELEMENT:
	case D_OP_STORE_ELEMENT:
	case D_OP_FREE:
	case D_OP_FREE_ELEMENT:
	case D_OP_ADDRESS:
	case D_OP_ADDRESS_ELEMENT:
		return verify_variable(verifier, instruction) ? 0 : -EINVAL;
	case D_OP_READ:
	case D_OP_WRITE:
	case D_OP_TEXT:
	case D_OP_WRITE_TEXT:
	case D_OP_BYTES:
	case D_OP_COPY:
	case D_OP_ADDRESS_STRING:
	case D_OP_BOUND:
	case D_OP_BITS:
		return verify_memory(verifier, instruction) ? 0 : -EINVAL;
	case D_OP_CALL:
		return verify_call(verifier, instruction) ? 0 : -EINVAL;
	case D_OP_STACK:
		verifier->now.registers[instruction->a] = KIND_STACK;
		return instruction->b <= 1 && instruction->immediate > 0 ? 0 : -EINVAL;
	case D_OP_PLACE:
		verifier->now.registers[instruction->a] = KIND_PLACE;
		return instruction->immediate > D_VALUE_STACK &&
				instruction->immediate < D_VALUE_KINDS
			? 0
			: -EINVAL;
	case D_OP_AGGREGATE:
		if (!index_ok(instruction->immediate, program->aggregation_count))
			return -EINVAL;
		aggregation = &program->aggregations[instruction->immediate];
		return all_hold(verifier, instruction->a, aggregation->keys, aggregation->key_count)
			? 0
			: -EINVAL;
	case D_OP_ACTION:
		if (!index_ok(instruction->immediate, program->action_count))
			return -EINVAL;
		action = &program->actions[instruction->immediate];
		verifier->records++;
		verifier->record_values += action->argument_count;
		for (unsigned i = 0; i < action->argument_count; i++)
			verifier->record_bytes += action->types[i].size;
		return all_hold(verifier, instruction->a, action->types, action->argument_count)
			? 0
			: -EINVAL;
	case D_OP_SPECULATE:
	case D_OP_COMMIT:
	case D_OP_DISCARD:
		return 0; /* any number is an id or is not */
	default:
		return verify_simple(verifier, instruction) ? 0 : -EINVAL;
	}
}

static int verify_code(struct verifier *verifier, const struct d_instruction *code, size_t count)
{
	int error = 0;

	/* Offsets are 31 bits in jumps. */
	if (!code || count == 0 || count > INT32_MAX || code[count - 1].opcode != D_OP_RETURN)
		return -EINVAL;
	verifier->code = code;
	verifier->count = count;
	verifier->reachable = true;
	memset(&verifier->now, KIND_NOTHING, sizeof(verifier->now));
	verifier->targets = calloc(count, sizeof(struct state *));
	if (!verifier->targets)
		return -ENOMEM;
	for (size_t at = 0; at < count && !error; at++) {
		struct state *target = verifier->targets[at];
		if (target) {
			if (verifier->reachable)
				error = merge(verifier, at);
			verifier->now = *target;
			verifier->reachable = true;
		} else if (!verifier->reachable) {
			/* Never run, so whatever its registers would hold is right. */
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
	if (type->kind == D_VALUE_STRING || type->kind >= D_VALUE_STACK)
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

/* Places are keys of aggregations only. */
static bool has_places(const struct d_value_type *types, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (types[i].kind >= D_VALUE_STACK)
			return true;
	return false;
}

/* A conversion that takes this argument. */
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
		return type->kind == D_VALUE_STACK;
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

/* A format against the arguments of printf(), or the keys of printa(). */
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

/* Addresses are kept alike, whatever is shown of them. */
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
		if (!type_ok(&variable->type) || variable->type.kind >= D_VALUE_STACK ||
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
		/* What DTrace's record of the clause would take must fit into its buffer. */
		if (verifier.record_bytes > program->options.bufsize)
			return -ENOSPC;
		raise_to(&limits->instructions, clause->code_count + clause->predicate_count);
		raise_to(&limits->records, verifier.records);
		raise_to(&limits->record_values, verifier.record_values);
	}
	return 0;
}
