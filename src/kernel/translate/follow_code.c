/*
 * follow_code.c: see follow_code.h.
 *
 * In a trial there is no record yet. The trial notes what is lost: variables that cannot be
 * followed, and memory that cannot be captured.
 */
#include "kernel/translate/follow_code.h"

#include <string.h>

#include "kernel/translate/translate_arithmetic.h"
#include "kernel/translate/translate_builtin.h"
#include "kernel/translate/translate_jump.h"
#include "kernel/translate/translate_string.h"
#include "kernel/translate/translate_variables.h"

/* ---- one instruction ---- */

static struct held *held_in(struct translator *t, unsigned reg)
{
	return &t->now.registers[reg];
}

static bool is_integer(struct translator *t, unsigned reg)
{
	return held_in(t, reg)->kind == HELD_INTEGER;
}

/* Returns whether the register has the same value as in the engine. */
static bool is_exact(struct translator *t, unsigned reg)
{
	return is_integer(t, reg) && !held_in(t, reg)->is_rough;
}

static bool is_zero(struct translator *t, unsigned reg)
{
	return is_exact(t, reg) && held_in(t, reg)->is_constant && !held_in(t, reg)->number;
}

static struct kernel_variable *variable_of(struct translator *t, const struct d_instruction *at)
{
	return &t->reduction->variables[at->immediate];
}

static void lose_variable(struct translator *t, const struct d_instruction *at)
{
	t->follow->has_changed |= variable_of(t, at)->is_followed;
	variable_of(t, at)->is_followed = false;
}

bool kernel_follow_stores(const struct d_instruction *at)
{
	switch (at->opcode) {
	case D_OP_STORE:
	case D_OP_STORE_ELEMENT:
	case D_OP_FREE:
	case D_OP_FREE_ELEMENT:
	case D_OP_STORE_CHARACTER:
	case D_OP_ADDRESS:
	case D_OP_ADDRESS_ELEMENT:
		return true;
	default:
		return false;
	}
}

/* Returns the piece that the instruction reads; NULL if there is none. */
static const struct d_piece *piece_read(const struct d_demand *demand, uint32_t index)
{
	for (size_t i = 0; i < demand->read_count; i++)
		if (demand->reads[i].instruction == index)
			return &demand->pieces[demand->reads[i].piece];
	return NULL;
}

static bool is_late(const struct d_demand *demand, const struct d_piece *piece)
{
	while (piece->from == D_PIECE_POINTER)
		piece = &demand->pieces[piece->base];
	return piece->from == D_PIECE_COMPUTED;
}

/* It is not known where the code continues: nothing after this is captured or stored. */
static void lose_rest(struct translator *t, uint32_t index, bool is_predicate)
{
	const struct d_clause *clause = &t->program->clauses[t->clause];
	uint32_t end = (uint32_t)(clause->predicate_count + clause->code_count);
	uint32_t captured = is_predicate ? (uint32_t)clause->predicate_count : end;

	t->follow->is_lost = true;
	t->is_reachable = false;
	bpf_jump(t->code, is_predicate ? t->yes : t->no);
	for (uint32_t i = index + 1; i < end && t->is_trial; i++) {
		const struct d_instruction *at = i < clause->predicate_count
			? &clause->predicate[i]
			: &clause->code[i - clause->predicate_count];
		const struct d_piece *piece = piece_read(t->follow->demand, i);

		if (kernel_follow_stores(at))
			lose_variable(t, at);
		if (piece && i < captured && is_late(t->follow->demand, piece))
			t->follow->is_captured = false;
	}
}

static void forget_value(struct translator *t, const struct d_instruction *at)
{
	enum d_operand a = d_opcodes[at->opcode].operands[0];

	if (a >= D_OPERAND_TO_INTEGER && a < D_OPERAND_COUNT)
		*held_in(t, at->a) = (struct held){.kind = HELD_NOTHING};
}

static void follow_argument(struct translator *t, const struct d_instruction *at)
{
	unsigned argument = (unsigned)at->immediate;
	bool exists = at->immediate >= 0 && argument < t->g->plan->argument_count &&
		(!t->g->plan->is_return || argument < KERNEL_ERRNO_ARGUMENT);

	if (exists)
		bpf_read(t->code, BPF_REG_1, BPF_REG_7, (int)kernel_argument_place(argument), 8);
	else
		bpf_set(t->code, BPF_REG_1, 0);
	translator_store(t, at->a, BPF_REG_1);
}

static void follow_builtin(struct translator *t, const struct d_instruction *at)
{
	switch (at->immediate) {
	case D_BUILTIN_PID:
	case D_BUILTIN_TID:
	case D_BUILTIN_UID:
	case D_BUILTIN_GID:
	case D_BUILTIN_CPU:
	case D_BUILTIN_ERRNO:
	case D_BUILTIN_UREGS:
	case D_BUILTIN_CURTHREAD:
	case D_BUILTIN_PROCESS:
	case D_BUILTIN_THREAD:
	case D_BUILTIN_FILES:
		translator_read_builtin(t, at);
		break;
	case D_BUILTIN_PROBEPROV:
	case D_BUILTIN_PROBEMOD:
	case D_BUILTIN_PROBEFUNC:
	case D_BUILTIN_PROBENAME:
		translator_read_builtin(t, at);
		break;
	case D_BUILTIN_EXECNAME:
		*held_in(t, at->a) = (struct held){.kind = HELD_EXECNAME};
		break;
	case D_BUILTIN_TIMESTAMP:
	case D_BUILTIN_WALLTIMESTAMP: /* the record's time is taken later */
		bpf_set(t->code, BPF_REG_1, 1);
		translator_store(t, at->a, BPF_REG_1);
		held_in(t, at->a)->is_rough = true;
		break;
	default:
		forget_value(t, at);
	}
}

/* Returns whether the instruction moves an address within what was copied. */
static bool moves_in_copy(struct translator *t, const struct d_instruction *at)
{
	return (at->opcode == D_OP_ADD || at->opcode == D_OP_SUBTRACT) &&
		held_in(t, at->b)->kind == HELD_COPY && is_exact(t, at->c) &&
		held_in(t, at->c)->is_constant;
}

static void follow_calculation(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	bool has_other = d_opcodes[at->opcode].operands[2] == D_OPERAND_VALUE, is_known;

	if (moves_in_copy(t, at)) {
		translator_calculate(t, at, index);
		return;
	}
	switch (at->opcode) {
	case D_OP_NULL:
		translator_store_constant(t, at->a, 0);
		return;
	case D_OP_INTEGER:
	case D_OP_CONSTANT:
		is_known = true;
		break;
	case D_OP_NOT:
	case D_OP_BOOLEAN:
		is_known = is_integer(t, at->b);
		break;
	case D_OP_EQUAL:
	case D_OP_NOT_EQUAL:
		is_known = (is_exact(t, at->b) && is_exact(t, at->c)) ||
			(is_integer(t, at->b) && is_zero(t, at->c)) ||
			(is_integer(t, at->c) && is_zero(t, at->b));
		break;
	default:
		is_known = is_exact(t, at->b) && (!has_other || is_exact(t, at->c));
	}
	if (!is_known || !translator_calculate(t, at, index))
		forget_value(t, at);
}

/* Follows a comparison of a name of the probe or of the process with a literal: other strings are
 * in memory. */
static void follow_comparison(struct translator *t, const struct d_instruction *at)
{
	const struct held *one = held_in(t, at->b), *other = held_in(t, at->c);
	const struct held *literal = one->kind == HELD_LITERAL ? one : other;
	const struct held *name = one == literal ? other : one;
	const struct text *text;

	if ((name->kind != HELD_EXECNAME && name->kind != HELD_NAME) ||
		literal->kind != HELD_LITERAL) {
		forget_value(t, at);
		return;
	}
	text = &t->program->strings[literal->number];
	if (name->kind == HELD_EXECNAME &&
		(text->length >= KERNEL_EXECNAME_BYTES || memchr(text->bytes, '\0', text->length)))
		forget_value(t, at);
	else
		translator_compare_strings(t, at);
}

/* Returns whether the element can be found, and belongs to the thread. */
static bool has_keys(struct translator *t, const struct d_instruction *at)
{
	const struct d_variable *variable = &t->program->variables[at->immediate];
	bool is_own = variable->scope == D_SCOPE_SELF;

	for (unsigned i = 0; i < variable->key_count; i++) {
		if (!is_exact(t, at->b + i) || variable->keys[i].kind != D_VALUE_INTEGER)
			return false;
		is_own |= held_in(t, at->b + i)->is_thread;
	}
	return is_own;
}

static void follow_load(struct translator *t, const struct d_instruction *at)
{
	bool is_element = at->opcode == D_OP_LOAD_ELEMENT;

	if (!variable_of(t, at)->is_followed || (is_element && !has_keys(t, at))) {
		forget_value(t, at);
		return;
	}
	if (is_element)
		translator_load_element(t, at);
	else
		translator_load_variable(t, at);
	held_in(t, at->a)->is_rough = variable_of(t, at)->is_rough;
}

static void follow_store(struct translator *t, const struct d_instruction *at)
{
	bool is_element = at->opcode == D_OP_STORE_ELEMENT || at->opcode == D_OP_FREE_ELEMENT;
	bool is_free = at->opcode == D_OP_FREE || at->opcode == D_OP_FREE_ELEMENT;
	struct kernel_variable *variable = variable_of(t, at);

	if (!variable->is_followed)
		return;
	if (t->follow->is_lost || (!is_free && !is_integer(t, at->a)) ||
		(is_element && !has_keys(t, at))) {
		lose_variable(t, at);
		return;
	}
	if (!is_free && held_in(t, at->a)->is_rough && !variable->is_rough)
		variable->is_rough = t->follow->has_changed = true;
	if (is_element)
		translator_store_element(t, at, is_free ? -1 : at->a);
	else
		translator_store_variable(t, (uint32_t)at->immediate, is_free ? -1 : at->a);
}

static void follow_jump(
	struct translator *t, const struct d_instruction *at, uint32_t index, bool is_predicate)
{
	if (at->opcode == D_OP_JUMP)
		translator_jump(t, at);
	else if (is_integer(t, at->b))
		translator_jump_if(t, at);
	else
		lose_rest(t, index, is_predicate);
}

/* ---- memory ---- */

static void capture_part(struct translator *t, uint32_t number)
{
	struct kernel_generator *g = t->g;
	/* a thread without variables has no memory for them */
	bool has_self = !g->plan->is_machine || t->reduction->self_bytes;
	bool changes = g->plan->parts[number].kind != KERNEL_PART_MEMORY;

	if (changes) {
		bpf_write(t->code, BPF_REG_10, stack_slot_take(&g->slots, STACK_SLOT_FRAME),
			BPF_REG_8, 8);
		if (has_self)
			bpf_write(t->code, BPF_REG_10, stack_slot_take(&g->slots, STACK_SLOT_SELF),
				BPF_REG_9, 8);
	}
	kernel_generate_late(t->g, number);
	if (changes) {
		bpf_read(t->code, BPF_REG_8, BPF_REG_10,
			stack_slot_place(&g->slots, STACK_SLOT_FRAME), 8);
		stack_slot_give_back(&g->slots, STACK_SLOT_FRAME);
	}
	if (changes && has_self) {
		bpf_read(t->code, BPF_REG_9, BPF_REG_10,
			stack_slot_place(&g->slots, STACK_SLOT_SELF), 8);
		stack_slot_give_back(&g->slots, STACK_SLOT_SELF);
	}
}

/* Captures a part that is read late, unless another instruction has done that. */
static void capture_late(struct translator *t, const struct kernel_read *read)
{
	const struct kernel_plan *plan = t->g->plan;
	const struct kernel_part *part = &plan->parts[read->part];
	int late = (int)(plan->late + (part->late - 1) * sizeof(struct kernel_late));
	uint32_t is_there = bpf_label(t->code);

	if (part->from == D_PIECE_COMPUTED) {
		translator_load_integer(t, BPF_REG_1, read->address);
		bpf_write(t->code, BPF_REG_7, late + (int)offsetof(struct kernel_late, address),
			BPF_REG_1, 8);
	} else {
		bpf_read(t->code, BPF_REG_1, BPF_REG_7, (int)(plan->lengths + 4 * read->part), 4);
		bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_1, 0, is_there);
	}
	if (part->counter == KERNEL_COUNT_COMPUTED) {
		translator_load_integer(t, BPF_REG_1, read->count);
		bpf_write(t->code, BPF_REG_7, late + (int)offsetof(struct kernel_late, count),
			BPF_REG_1, 8);
	}
	capture_part(t, read->part);
	bpf_place(t->code, is_there);
}

/* Reads a part, and ends the clause where the engine faults if it is missing. */
static void read_part(
	struct translator *t, const struct d_instruction *at, const struct kernel_read *read)
{
	const struct kernel_plan *plan = t->g->plan;

	if (plan->parts[read->part].late)
		capture_late(t, read);
	if (at->opcode == D_OP_KEEP_POINTER)
		return;
	bpf_read(t->code, BPF_REG_1, BPF_REG_7, (int)(plan->lengths + 4 * read->part), 4);
	bpf_extend(t->code, BPF_REG_1, 4, true);
	bpf_jump_if_value(t->code, BPF_JSLE, BPF_REG_1, 0, t->no);
}

/* Returns the part that the instruction reads; NULL if there is none, or this is a trial. */
static const struct kernel_part *part_read(const struct translator *t, uint32_t index)
{
	const struct kernel_plan *plan = t->g->plan;

	for (uint32_t i = 0; i < plan->read_count; i++)
		if (plan->reads[i].clause == t->clause && plan->reads[i].instruction == index)
			return &plan->parts[plan->reads[i].part];
	return NULL;
}

/* Loads an integer from a part of the record, as the engine reads it there. */
static void load_captured(struct translator *t, const struct d_instruction *at,
	const struct kernel_part *part, int64_t offset)
{
	unsigned size = at->c & 15;

	if (size & (size - 1)) {
		forget_value(t, at);
		return;
	}
	bpf_move(t->code, BPF_REG_1, BPF_REG_7);
	bpf_operate_value(t->code, BPF_ADD, BPF_REG_1, part ? (int32_t)(part->place + offset) : 0);
	bpf_read(t->code, BPF_REG_1, BPF_REG_1, 0, size);
	bpf_extend(t->code, BPF_REG_1, size, at->c & 16);
	translator_store(t, at->a, BPF_REG_1);
}

/* Reads an integer from what copyin() has copied before. Returns false if the instruction does not
 * read within such a copy. */
static bool read_copy(struct translator *t, const struct d_instruction *at)
{
	const struct held *from = held_in(t, at->b);

	if (at->opcode != D_OP_READ || from->kind != HELD_COPY || t->follow->is_written)
		return false;
	if (from->number < 0 || (uint64_t)from->number + (at->c & 15) > from->limit)
		return false;
	load_captured(t, at, part_read(t, (uint32_t)from->counter - 1), from->number);
	return true;
}

/* Sets the result of an instruction that reads a part, if the part has a fixed size. */
static void take_result(
	struct translator *t, const struct d_instruction *at, uint32_t index, bool is_fixed)
{
	const struct held *size = held_in(t, at->b + 1u);
	bool is_copy = at->opcode == D_OP_CALL && at->immediate == D_SUBROUTINE_COPYIN &&
		size->is_constant && size->number > 0 && size->number <= INT32_MAX;
	const struct held copy = {.kind = HELD_COPY,
		.counter = (int)index + 1,
		.limit = is_copy ? (uint32_t)size->number : 0};

	if (!is_fixed) {
		forget_value(t, at);
	} else if (at->opcode == D_OP_READ) {
		load_captured(t, at, part_read(t, index), 0);
	} else if (is_copy) {
		bpf_write_value(t->code, KERNEL_FRAME, translator_word(t, at->a), 0, 8);
		*held_in(t, at->a) = copy;
	} else {
		forget_value(t, at);
	}
}

static void follow_read(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct kernel_plan *plan = t->g->plan;
	const struct d_piece *piece = t->is_trial ? piece_read(t->follow->demand, index) : NULL;
	bool is_fixed = piece && !piece->is_counted && !piece->is_string;

	t->follow->is_written |= at->opcode == D_OP_COPY ||
		(at->opcode == D_OP_CALL &&
			(at->immediate == D_SUBROUTINE_COPYINTO ||
				at->immediate == D_SUBROUTINE_BCOPY));
	if (read_copy(t, at))
		return;

	if (piece && piece->from == D_PIECE_COMPUTED &&
		(!is_exact(t, piece->at) || (piece->is_counted && !is_exact(t, piece->counter))))
		t->follow->is_captured = false;
	for (uint32_t i = 0; i < plan->read_count; i++)
		if (plan->reads[i].clause == t->clause && plan->reads[i].instruction == index) {
			read_part(t, at, &plan->reads[i]);
			is_fixed = plan->parts[plan->reads[i].part].place != 0;
		}
	take_result(t, at, index, is_fixed);
}

void kernel_follow_instruction(
	struct translator *t, const struct d_instruction *at, uint32_t index, bool is_predicate)
{
	switch (at->opcode) {
	case D_OP_RETURN:
		if (is_predicate && !is_integer(t, at->a)) {
			lose_rest(t, index, true);
		} else if (is_predicate) {
			translator_decide(t, at);
		} else {
			bpf_jump(t->code, t->no);
			t->is_reachable = false;
		}
		break;
	case D_OP_JUMP:
	case D_OP_JUMP_ZERO:
	case D_OP_JUMP_NOT_ZERO:
		follow_jump(t, at, index, is_predicate);
		break;
	case D_OP_STRING:
		*held_in(t, at->a) = (struct held){.kind = HELD_LITERAL, .number = at->immediate};
		break;
	case D_OP_MOVE:
		if (held_in(t, at->b)->kind == HELD_NOTHING)
			forget_value(t, at);
		else
			translator_move(t, at->a, at->b);
		break;
	case D_OP_COMPARE:
		follow_comparison(t, at);
		break;
	case D_OP_ARGUMENT:
		follow_argument(t, at);
		break;
	case D_OP_BUILTIN:
		follow_builtin(t, at);
		break;
	case D_OP_LOAD:
	case D_OP_LOAD_ELEMENT:
		follow_load(t, at);
		break;
	case D_OP_STORE:
	case D_OP_STORE_ELEMENT:
	case D_OP_FREE:
	case D_OP_FREE_ELEMENT:
		follow_store(t, at);
		break;
	case D_OP_WRITE:
	case D_OP_WRITE_TEXT:
		t->follow->is_written = true;
		break;
	case D_OP_SPECULATE: /* the clause may end here */
		t->follow->is_lost = true;
		break;
	case D_OP_READ:
	case D_OP_TEXT:
	case D_OP_BYTES:
	case D_OP_COPY:
	case D_OP_KEEP_POINTER:
	case D_OP_CALL:
		follow_read(t, at, index);
		break;
	default:
		if (d_opcodes[at->opcode].operands[0] == D_OPERAND_TO_INTEGER ||
			d_opcodes[at->opcode].operands[0] == D_OPERAND_TO_LITERAL ||
			at->opcode == D_OP_NULL)
			follow_calculation(t, at, index);
		else
			forget_value(t, at);
	}
}
