/*
 * machine.c: see machine.h. The code was verified (verify.h): registers, indices and jump targets
 * are in range, jumps go forward, the last instruction returns, strings are strings. So the loop
 * only checks what depends on values.
 */
#include "engine/machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "engine/machine/builtin_value.h"
#include "engine/machine/effect.h"
#include "engine/machine/kept.h"
#include "engine/machine/object_variable.h"
#include "engine/machine/scalar_variable.h"
#include "engine/machine/typed_memory.h"
#include "engine/subroutine/subroutine_call.h"

/* clang-format off */
/* Instructions of the prepared code, in addition to those of enum d_opcode that remain. */
#define MACHINE_OPCODE_ROWS(ROW) \
	/* The immediate is the variable's slot. */ \
	ROW(LOAD_SELF) \
	ROW(STORE_SELF) \
	ROW(STORE_SELF_TEXT) \
	ROW(STORE_TEXT) \
	ROW(STORE_ELEMENT_TEXT) \
	/* Unfused: the kind of the variable is found out at each run. */ \
	ROW(LOAD_ANY) \
	ROW(STORE_ANY) \
	ROW(STORE_ELEMENT_ANY) \
	/* copyinstr() or stringof() of one argument: a = the text at b. */ \
	ROW(COPY_TEXT) \
	/* count(), which has no value. */ \
	ROW(COUNT) \
	/* As D_OP_AGGREGATE, with option aggpercpu. */ \
	ROW(AGGREGATE_ON_CPU)

enum machine_opcode {
	MACHINE_LAST_OF_PROGRAM = D_OPCODES - 1,
#define NUMBER(name) MACHINE_##name,
	MACHINE_OPCODE_ROWS(NUMBER)
#undef NUMBER
	MACHINE_OPCODES
};
/* clang-format on */

/* The instructions that depend on the kind of a variable have no form of their own. */
static uint8_t unfused_opcode(const struct engine *engine, uint8_t opcode)
{
	switch (opcode) {
	case D_OP_LOAD:
		return MACHINE_LOAD_ANY;
	case D_OP_STORE:
		return MACHINE_STORE_ANY;
	case D_OP_STORE_ELEMENT:
		return MACHINE_STORE_ELEMENT_ANY;
	case D_OP_AGGREGATE:
		return engine->options.aggpercpu ? MACHINE_AGGREGATE_ON_CPU : opcode;
	default:
		return opcode;
	}
}

struct d_instruction *machine_prepare(
	const struct engine *engine, const struct d_instruction *code, size_t count)
{
	struct d_instruction *prepared = calloc(count, sizeof(*prepared));

	if (!prepared)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		struct d_instruction *instruction = &prepared[i];
		const struct engine_variable *variable;
		*instruction = code[i];
		if (engine->unfused) {
			instruction->opcode = unfused_opcode(engine, instruction->opcode);
			continue;
		}
		switch (instruction->opcode) {
		case D_OP_LOAD:
			variable = &engine->variables[instruction->immediate];
			if (!variable->is_self)
				break;
			instruction->opcode = MACHINE_LOAD_SELF;
			instruction->immediate = (int32_t)variable->slot;
			break;
		case D_OP_STORE:
			variable = &engine->variables[instruction->immediate];
			if (variable->is_self && variable->is_text) {
				instruction->opcode = MACHINE_STORE_SELF_TEXT;
			} else if (variable->is_self) {
				instruction->opcode = MACHINE_STORE_SELF;
				instruction->immediate = (int32_t)variable->slot;
			} else if (variable->is_text) {
				instruction->opcode = MACHINE_STORE_TEXT;
			}
			break;
		case D_OP_STORE_ELEMENT:
			if (engine->variables[instruction->immediate].is_text)
				instruction->opcode = MACHINE_STORE_ELEMENT_TEXT;
			break;
		case D_OP_CALL:
			if (instruction->c == 1 &&
				(instruction->immediate == D_SUBROUTINE_COPYINSTR ||
					instruction->immediate == D_SUBROUTINE_STRINGOF))
				instruction->opcode = MACHINE_COPY_TEXT;
			break;
		case D_OP_AGGREGATE:
			if (engine->options.aggpercpu)
				instruction->opcode = MACHINE_AGGREGATE_ON_CPU;
			else if (engine->program->aggregations[instruction->immediate].function ==
				D_AGGREGATE_COUNT)
				instruction->opcode = MACHINE_COUNT;
			break;
		default:
			break;
		}
	}
	return prepared;
}

static enum d_fault address_string(
	struct engine *engine, const struct text *text, uint64_t *address)
{
	*address = 0;
	/* The terminating NUL is included. The text must not be written to. */
	return text ? memory_lend(engine, (char *)(uintptr_t)text->bytes, text->length + 1, false,
			      address)
		    : D_FAULT_NONE;
}

static uint64_t cut_bits(uint64_t value, int32_t bits)
{
	unsigned above = 64 - (unsigned)(bits < 0 ? -bits : bits);

	value <<= above;
	return bits < 0 ? (uint64_t)((int64_t)value >> above) : value >> above;
}

static bool gather_element(struct engine *engine, uint32_t index, const uint64_t *keys,
	struct tuple *tuple, uint64_t *owner)
{
	const struct engine_variable *variable = &engine->variables[index];

	*owner = variable->is_self ? firing_owner(&engine->firing) : 0;
	return tuple_gather(tuple, &variable->shape, keys, dynamic_seed(index, *owner));
}

/* Finds or adds the element of an aggregation; NULL after a fault or a drop. */
static struct aggregate_element *find_aggregate_element(
	struct engine *engine, struct aggregate *aggregate, const uint64_t *keys, bool *fault)
{
	struct aggregate_element *element;
	struct tuple tuple;

	*fault = !tuple_gather(&tuple, &aggregate->shape, keys, 0);
	if (*fault)
		return NULL;
	element = aggregate_find(aggregate, &tuple);
	if (!element) {
		element = aggregate_add(aggregate, &tuple);
		if (!element)
			drops_add_on_cpu(&engine->drops, DROP_AGGREGATION, engine->firing.cpu, 1);
	}
	return element;
}

/* The firing's stack, empty if the source delivered none with this event. */
static const struct text *take_stack(struct engine *engine, bool user, uint32_t most)
{
	static const struct event_stack none;
	const struct firing *firing = &engine->firing;
	const struct event_capture *capture = firing_capture(firing);
	const struct event_stack *stack = !capture ? &none
		: user                             ? &capture->user
						   : &capture->kernel;

	return places_stack(
		&engine->places, &engine->scratch, user ? firing->process->pid : 0, stack, most);
}

/* The same for the guest program; an empty stack also if there is no room for it. */
static const struct text *take_guest_stack(struct engine *engine, uint32_t most)
{
	const struct event_capture *capture = firing_capture(&engine->firing);
	uint32_t number = 0;

	if (capture &&
		!guest_stacks_take(&engine->guest_stacks, engine->firing.batch, &capture->guest,
			most, &number))
		drops_add(&engine->drops, DROP_STACK, 1);
	return places_guest_stack(&engine->scratch, number);
}

static const struct text *take_place(
	struct engine *engine, enum d_value_kind kind, uint64_t address)
{
	bool user = kind >= D_VALUE_USER_SYMBOL;

	return places_address(&engine->places, &engine->scratch,
		user ? engine->firing.process->pid : 0, kind, address);
}

/*
 * Records an action, to be carried out at the clause's end. A string that is NULL is a fault; a
 * stack may be NULL, which is a variable that is not set.
 */
static enum d_fault record(
	struct engine *engine, const struct d_action *action, const uint64_t *arguments)
{
	struct buffer_record *record;

	for (unsigned i = 0; i < action->argument_count; i++)
		if (!arguments[i] && d_value_is_text(action->types[i].kind) &&
			!d_value_is_stack(action->types[i].kind))
			return fault_set(engine, D_FAULT_BADADDR, 0);
	/* Printing divides by it. */
	if (action->kind == D_ACTION_NORMALIZE && !arguments[0])
		return fault_set(engine, D_FAULT_DIVZERO, 0);
	/* A signal is sent at once, not at the clause's end: it is for the thread that fired. */
	if (action->kind == D_ACTION_RAISE)
		effect_raise(engine, (int)arguments[0]);
	else if (action->kind == D_ACTION_STOP)
		effect_stop(engine);
	record = &engine->records[engine->record_count++];
	record->action = action;
	record->first = engine->record_value_count;
	memcpy(engine->record_values + record->first, arguments,
		action->argument_count * sizeof(*arguments));
	engine->record_value_count += action->argument_count;
	return D_FAULT_NONE;
}

bool machine_run(
	struct engine *engine, const struct d_instruction *code, uint32_t base, uint64_t *result)
{
	/*
	 * Each instruction ends with its own jump, which the CPU predicts separately. Every row has
	 * a label.
	 */
#define LABEL(name, ...) [D_OP_##name] = &&run_D_OP_##name,
#define MACHINE_LABEL(name) [MACHINE_##name] = &&run_MACHINE_##name,
	static const void *const labels[MACHINE_OPCODES] = {
		D_OPCODE_ROWS(LABEL) MACHINE_OPCODE_ROWS(MACHINE_LABEL)};
#undef LABEL
#undef MACHINE_LABEL
	uint64_t *const registers = engine->registers;
	const struct d_instruction *at = code;
	struct aggregate_element *element;
	const struct engine_variable *variable;
	struct aggregate *aggregate;
	const struct text *text;
	struct tuple tuple;
	uint64_t owner;
	uint32_t offset;
	bool null_key;
	enum d_fault fault;

#define A registers[at->a]
#define B registers[at->b]
#define C registers[at->c]
#define NEXT                                                                                       \
	do {                                                                                       \
		at++;                                                                              \
		goto *labels[at->opcode];                                                          \
	} while (0)
	goto *labels[at->opcode];
run_D_OP_RETURN:
	*result = A;
	return true;
run_D_OP_INTEGER:
	A = (uint64_t)(int64_t)at->immediate;
	NEXT;
run_D_OP_CONSTANT:
	A = (uint64_t)engine->program->integers[at->immediate];
	NEXT;
run_D_OP_STRING:
	A = value_of_text(&engine->program->strings[at->immediate]);
	NEXT;
run_D_OP_NULL:
	A = 0;
	NEXT;
run_D_OP_MOVE:
	A = B;
	NEXT;
run_D_OP_ADD:
	A = B + C;
	NEXT;
run_D_OP_SUBTRACT:
	A = B - C;
	NEXT;
run_D_OP_MULTIPLY:
	A = B * C;
	NEXT;
run_D_OP_DIVIDE:
	if (!C)
		goto divide_by_zero;
	A = C == UINT64_MAX ? -B : (uint64_t)((int64_t)B / (int64_t)C);
	NEXT;
run_D_OP_DIVIDE_UNSIGNED:
	if (!C)
		goto divide_by_zero;
	A = B / C;
	NEXT;
run_D_OP_MODULO:
	if (!C)
		goto divide_by_zero;
	A = C == UINT64_MAX ? 0 : (uint64_t)((int64_t)B % (int64_t)C);
	NEXT;
run_D_OP_MODULO_UNSIGNED:
	if (!C)
		goto divide_by_zero;
	A = B % C;
	NEXT;
run_D_OP_AND:
	A = B & C;
	NEXT;
run_D_OP_OR:
	A = B | C;
	NEXT;
run_D_OP_XOR:
	A = B ^ C;
	NEXT;
run_D_OP_SHIFT_LEFT:
	A = B << (C & 63);
	NEXT;
run_D_OP_SHIFT_RIGHT:
	A = B >> (C & 63);
	NEXT;
run_D_OP_SHIFT_RIGHT_SIGNED:
	A = (uint64_t)((int64_t)B >> (C & 63));
	NEXT;
run_D_OP_NEGATE:
	A = -B;
	NEXT;
run_D_OP_COMPLEMENT:
	A = ~B;
	NEXT;
run_D_OP_NOT:
	A = !B;
	NEXT;
run_D_OP_CUT:
	A = at->immediate < 0 ? value_cut(B, (uint32_t)-at->immediate / 8, true)
			      : value_cut(B, (uint32_t)at->immediate / 8, false);
	NEXT;
run_D_OP_EQUAL:
	A = B == C;
	NEXT;
run_D_OP_NOT_EQUAL:
	A = B != C;
	NEXT;
run_D_OP_LESS:
	A = (int64_t)B < (int64_t)C;
	NEXT;
run_D_OP_LESS_EQUAL:
	A = (int64_t)B <= (int64_t)C;
	NEXT;
run_D_OP_LESS_UNSIGNED:
	A = B < C;
	NEXT;
run_D_OP_LESS_EQUAL_UNSIGNED:
	A = B <= C;
	NEXT;
run_D_OP_COMPARE:
	A = (uint64_t)(int64_t)text_compare(value_text(B), value_text(C), engine->string_limit);
	NEXT;
run_D_OP_COMPARE_STACK:
	A = !places_same_stack((enum d_value_kind)at->immediate, value_text(B), value_text(C));
	NEXT;
run_D_OP_BOOLEAN:
	A = B != 0;
	NEXT;
run_D_OP_JUMP:
	at = code + at->immediate - 1; /* NEXT adds 1 */
	NEXT;
run_D_OP_JUMP_ZERO:
	if (!B)
		at = code + at->immediate - 1;
	NEXT;
run_D_OP_JUMP_NOT_ZERO:
	if (B)
		at = code + at->immediate - 1;
	NEXT;
run_D_OP_ARGUMENT:
	A = at->immediate < engine->firing.argument_count ? engine->firing.arguments[at->immediate]
							  : 0;
	NEXT;
run_D_OP_BUILTIN:
	fault = builtin_value(engine, (enum d_builtin)at->immediate, at->b, &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_LOAD:
	A = engine->values[at->immediate];
	NEXT;
run_MACHINE_LOAD_SELF:
	A = dynamic_self_load(
		&engine->dynamic, firing_owner(&engine->firing), (uint32_t)at->immediate);
	NEXT;
run_D_OP_STORE:
	engine->values[at->immediate] = A;
	NEXT;
run_MACHINE_STORE_TEXT:
	scalar_store_text(engine, (uint32_t)at->immediate, value_text(A));
	NEXT;
run_D_OP_STORE_CHARACTER:
	fault = scalar_store_character(engine, (uint32_t)at->immediate, B, (char)A);
	if (fault)
		goto fault;
	NEXT;
run_MACHINE_STORE_SELF:
	dynamic_self_store(
		&engine->dynamic, firing_owner(&engine->firing), (uint32_t)at->immediate, A);
	NEXT;
run_MACHINE_STORE_SELF_TEXT:
	variable = &engine->variables[at->immediate];
	dynamic_self_store_text(&engine->dynamic, firing_owner(&engine->firing), variable->slot,
		value_text(A), variable->limit);
	NEXT;
run_MACHINE_LOAD_ANY:
	A = scalar_load(engine, (uint32_t)at->immediate);
	NEXT;
run_MACHINE_STORE_ANY:
	scalar_store(engine, (uint32_t)at->immediate, A);
	NEXT;
run_D_OP_LOAD_ELEMENT:
	if (!gather_element(engine, (uint32_t)at->immediate, &B, &tuple, &owner))
		goto null_string;
	A = dynamic_element_load(&engine->dynamic, &engine->variables[at->immediate].shape,
		(uint32_t)at->immediate, owner, &tuple);
	NEXT;
run_D_OP_STORE_ELEMENT:
	if (!gather_element(engine, (uint32_t)at->immediate, &B, &tuple, &owner))
		goto null_string;
	dynamic_element_store(&engine->dynamic, &engine->variables[at->immediate].shape,
		(uint32_t)at->immediate, owner, &tuple, A);
	NEXT;
run_MACHINE_STORE_ELEMENT_ANY:
	if (!gather_element(engine, (uint32_t)at->immediate, &B, &tuple, &owner))
		goto null_string;
	if (engine->variables[at->immediate].is_text)
		dynamic_element_store_text(&engine->dynamic,
			&engine->variables[at->immediate].shape, (uint32_t)at->immediate, owner,
			&tuple, value_text(A), engine->variables[at->immediate].limit);
	else
		dynamic_element_store(&engine->dynamic, &engine->variables[at->immediate].shape,
			(uint32_t)at->immediate, owner, &tuple, A);
	NEXT;
run_MACHINE_STORE_ELEMENT_TEXT:
	if (!gather_element(engine, (uint32_t)at->immediate, &B, &tuple, &owner))
		goto null_string;
	variable = &engine->variables[at->immediate];
	dynamic_element_store_text(&engine->dynamic, &variable->shape, (uint32_t)at->immediate,
		owner, &tuple, value_text(A), variable->limit);
	NEXT;
run_D_OP_FREE:
	if (engine->variables[at->immediate].is_text || engine->variables[at->immediate].is_bytes)
		dynamic_self_store_text(&engine->dynamic, firing_owner(&engine->firing),
			engine->variables[at->immediate].slot, NULL, 0);
	else
		dynamic_self_store(&engine->dynamic, firing_owner(&engine->firing),
			engine->variables[at->immediate].slot, 0);
	NEXT;
run_D_OP_FREE_ELEMENT:
	if (!gather_element(engine, (uint32_t)at->immediate, &B, &tuple, &owner))
		goto null_string;
	if (engine->variables[at->immediate].is_text || engine->variables[at->immediate].is_bytes)
		dynamic_element_store_text(&engine->dynamic,
			&engine->variables[at->immediate].shape, (uint32_t)at->immediate, owner,
			&tuple, NULL, 0);
	else
		dynamic_element_store(&engine->dynamic, &engine->variables[at->immediate].shape,
			(uint32_t)at->immediate, owner, &tuple, 0);
	NEXT;
run_D_OP_READ:
	fault = typed_read_integer(engine, B, at->c, &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_WRITE:
	fault = typed_write_integer(engine, B, at->c, A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_TEXT:
	fault = memory_text(engine, B, (uint64_t)at->immediate, &text);
	if (fault)
		goto fault;
	A = value_of_text(text);
	NEXT;
run_D_OP_WRITE_TEXT:
	fault = typed_write_text(engine, B, (uint32_t)at->immediate, value_text(A));
	if (fault)
		goto fault;
	NEXT;
run_D_OP_BYTES:
	fault = memory_bytes(engine, B, (uint32_t)at->immediate, &text);
	if (fault)
		goto fault;
	A = value_of_text(text);
	NEXT;
run_D_OP_COPY:
	fault = memory_copy(engine, B, A, (uint64_t)at->immediate);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_ADDRESS:
	fault = object_address(engine, (uint32_t)at->immediate, NULL, at->c, &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_ADDRESS_ELEMENT:
	fault = object_address(engine, (uint32_t)at->immediate, &B, at->c, &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_ADDRESS_STRING:
	fault = address_string(engine, value_text(B), &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_KEEP:
	fault = kept_address(engine, value_text(B), &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_KEEP_POINTER:
	fault = kept_pointer(engine, B, &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_BOUND:
	if (A >= (uint64_t)at->immediate) {
		fault_set(engine, D_FAULT_BADINDEX, A);
		goto fault;
	}
	NEXT;
run_D_OP_BITS:
	A = cut_bits(B, at->immediate);
	NEXT;
run_MACHINE_COPY_TEXT:
	text = event_text(engine->firing.batch, B, &offset);
	if (!text || offset || text->length > engine->string_limit) {
		fault = memory_text(engine, B, engine->string_limit, &text);
		if (fault)
			goto fault;
	}
	A = value_of_text(text);
	NEXT;
run_D_OP_CALL:
	fault = subroutine_run(engine, (enum d_subroutine)at->immediate, &B, at->c, &A);
	if (fault)
		goto fault;
	NEXT;
run_D_OP_STACK:
	A = value_of_text(take_stack(engine, at->b, (uint32_t)at->immediate));
	if (!A)
		goto no_scratch;
	NEXT;
run_D_OP_GUEST_STACK:
	A = value_of_text(take_guest_stack(engine, (uint32_t)at->immediate));
	if (!A)
		goto no_scratch;
	NEXT;
run_D_OP_PLACE:
	A = value_of_text(take_place(engine, (enum d_value_kind)at->immediate, B));
	if (!A)
		goto no_scratch;
	NEXT;
run_MACHINE_COUNT:
	aggregate = &engine->aggregates[at->immediate];
	element = find_aggregate_element(engine, aggregate, &A, &null_key);
	if (element)
		element->words[0]++;
	else if (null_key)
		goto null_string;
	NEXT;
run_D_OP_AGGREGATE:
	aggregate = &engine->aggregates[at->immediate];
	element = find_aggregate_element(engine, aggregate, &A, &null_key);
	if (!element) {
		if (null_key)
			goto null_string;
	} else if (!aggregate_update(aggregate, element, (int64_t)B, (int64_t)C)) {
		drops_add_on_cpu(&engine->drops, DROP_AGGREGATION, engine->firing.cpu, 1);
	}
	NEXT;
run_MACHINE_AGGREGATE_ON_CPU:
	aggregate = &engine->aggregates[at->immediate];
	if (!tuple_gather(&tuple, &aggregate->shape, &A, 0))
		goto null_string;
	if (!aggregate_update_on_cpu(aggregate, &tuple, engine->firing.cpu, (int64_t)B, (int64_t)C))
		drops_add_on_cpu(&engine->drops, DROP_AGGREGATION, engine->firing.cpu, 1);
	NEXT;
run_D_OP_ACTION:
	fault = record(engine, &engine->program->actions[at->immediate], &A);
	if (fault)
		goto fault;
	if (engine->speculations.current &&
		!speculation_fits(&engine->speculations, &engine->program->actions[at->immediate]))
		return true;
	NEXT;
run_D_OP_SPECULATE:
	/* If the speculation is not active, the clause ends here, silently. */
	if (!speculation_use(&engine->speculations, (int64_t)B))
		return true;
	NEXT;
run_D_OP_COMMIT:
	if (!speculation_finish(&engine->speculations, (int64_t)B, SPECULATION_COMMITTED))
		goto no_speculation;
	NEXT;
run_D_OP_DISCARD:
	if (!speculation_finish(&engine->speculations, (int64_t)B, SPECULATION_DISCARDED))
		goto no_speculation;
	NEXT;
#undef A
#undef B
#undef C
#undef NEXT
no_speculation:
	/* DTrace does not report the position. */
	fault_set(engine, D_FAULT_ILLOP, 0);
	engine->fault.offset = -1;
	return false;
no_scratch:
	fault_set(engine, D_FAULT_NOSCRATCH, 0);
	goto fault;
divide_by_zero:
	fault_set(engine, D_FAULT_DIVZERO, 0);
	goto fault;
null_string:
	fault_set(engine, D_FAULT_BADADDR, 0);
fault:
	engine->fault.offset = (int64_t)base + (at - code);
	return false;
}
