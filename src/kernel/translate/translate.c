/*
 * translate.c: see translate.h. This file has the pass over a clause's code, and the order of
 * clauses in a program; the included files translate the instructions.
 *
 * Code is written in one pass (translate_jump.h).
 *
 * A fault is recorded in the ring for the engine to report, and the program continues with the next
 * clause.
 */
#include "kernel/translate/translate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/capture/cpu_time.h"
#include "kernel/translate/follow_code.h"
#include "kernel/translate/reader_guard.h"
#include "kernel/translate/stack_walk.h"
#include "kernel/translate/translate_aggregate.h"
#include "kernel/translate/translate_arithmetic.h"
#include "kernel/translate/translate_builtin.h"
#include "kernel/translate/translate_copyout.h"
#include "kernel/translate/translate_jump.h"
#include "kernel/translate/translate_string.h"
#include "kernel/translate/translate_variables.h"
#include "kernel/translate/translator.h"

/* ---- the pass ---- */

static void translate_instruction(
	struct translator *t, const struct d_instruction *at, uint32_t index, bool is_predicate)
{
	switch (at->opcode) {
	case D_OP_RETURN:
		if (is_predicate) {
			translator_decide(t, at);
		} else {
			bpf_jump(t->code, t->no);
			t->is_reachable = false;
		}
		break;
	case D_OP_STRING:
		t->now.registers[at->a] =
			(struct held){.kind = HELD_LITERAL, .number = at->immediate};
		break;
	case D_OP_STACK:
		if (!at->b || at->immediate > KERNEL_WALK_FRAMES_MAX)
			translator_refuse(t);
		t->now.registers[at->a] =
			(struct held){.kind = HELD_STACK, .number = at->immediate};
		break;
	case D_OP_MOVE:
		translator_move(t, at->a, at->b);
		break;
	case D_OP_COMPARE:
		translator_compare_strings(t, at);
		break;
	case D_OP_JUMP:
		translator_jump(t, at);
		break;
	case D_OP_JUMP_ZERO:
	case D_OP_JUMP_NOT_ZERO:
		translator_jump_if(t, at);
		break;
	case D_OP_ARGUMENT:
		if (at->immediate <
			(t->g->plan->is_return ? KERNEL_ERRNO_ARGUMENT : KERNEL_ARGUMENTS_MAX))
			kernel_generate_argument(t->g, (unsigned)at->immediate);
		else
			bpf_set(t->code, BPF_REG_0, 0);
		translator_store(t, at->a, BPF_REG_0);
		break;
	case D_OP_BUILTIN:
		translator_read_builtin(t, at);
		break;
	case D_OP_LOAD:
		if (!translator_load_block(t, at))
			translator_load_variable(t, at);
		break;
	case D_OP_STORE:
		if (!translator_store_block(t, at))
			translator_store_variable(t, (uint32_t)at->immediate, at->a);
		break;
	case D_OP_FREE:
		translator_store_variable(t, (uint32_t)at->immediate, -1);
		break;
	case D_OP_LOAD_ELEMENT:
		translator_load_element(t, at);
		break;
	case D_OP_STORE_ELEMENT:
		translator_store_element(t, at, at->a);
		break;
	case D_OP_FREE_ELEMENT:
		translator_store_element(t, at, -1);
		break;
	case D_OP_READ:
		if (t->now.registers[at->b].kind == HELD_BLOCK)
			translator_read_block(t, at);
		else
			translator_read_integer(t, at, index);
		break;
	case D_OP_WRITE:
		translator_write_block(t, at);
		break;
	case D_OP_ADDRESS_STRING: /* of a literal, for copyout() */
		if (t->copies && t->now.registers[at->b].kind == HELD_LITERAL)
			translator_move(t, at->a, at->b);
		else
			translator_refuse(t);
		break;
	case D_OP_CALL:
		if (!t->copies || !translator_copy(t, at, index))
			translator_call(t, at, index);
		break;
	case D_OP_AGGREGATE:
		translator_aggregate(t, at, index);
		break;
	default:
		if (!translator_calculate(t, at, index))
			translator_refuse(t);
	}
}

/* base: the number of the first instruction in the clause, the predicate's included */
static void translate_code(struct translator *t, const struct d_instruction *instructions,
	size_t count, uint32_t base, bool is_predicate)
{
	t->targets = calloc(count + 1, sizeof(*t->targets));
	t->labels = calloc(count + 1, sizeof(*t->labels));
	if (!t->targets || !t->labels)
		t->status = -ENOMEM;
	memset(&t->now, 0, sizeof(t->now));
	t->is_reachable = true;
	for (uint32_t i = 0; i < count && !t->status && t->found->is_possible; i++) {
		if (t->targets[i]) {
			if (t->is_reachable)
				translator_merge(t->targets[i], &t->now);
			t->now = *t->targets[i];
			t->is_reachable = true;
			bpf_place(t->code, t->labels[i]);
		}
		if (t->is_reachable && t->follow)
			kernel_follow_instruction(t, &instructions[i], base + i, is_predicate);
		else if (t->is_reachable)
			translate_instruction(t, &instructions[i], base + i, is_predicate);
		if (!t->found->is_possible)
			t->found->refused_at = base + i;
	}
	for (size_t i = 0; t->targets && i < count; i++)
		free(t->targets[i]);
	free(t->targets);
	free(t->labels);
}

/* ---- clauses ---- */

static unsigned count_registers(const struct d_instruction *code, size_t count, unsigned most)
{
	for (size_t i = 0; i < count; i++) {
		most = code[i].a >= most ? code[i].a + 1u : most;
		most = code[i].b >= most ? code[i].b + 1u : most;
		if (code[i].opcode != D_OP_READ && code[i].opcode != D_OP_CALL)
			most = code[i].c >= most ? code[i].c + 1u : most;
	}
	return most;
}

/* Counts the words of the area besides a string: keys, the round, a thread. */
static unsigned count_words(const struct d_program *program, const struct d_clause *clause)
{
	unsigned most = 0;

	for (size_t i = 0; i < clause->code_count; i++) {
		const struct d_instruction *at = &clause->code[i];
		unsigned keys = 0;

		if (at->opcode == D_OP_AGGREGATE)
			keys = program->aggregations[at->immediate].key_count;
		else if (at->opcode == D_OP_LOAD_ELEMENT || at->opcode == D_OP_STORE_ELEMENT ||
			at->opcode == D_OP_FREE_ELEMENT)
			keys = program->variables[at->immediate].key_count;
		most = keys > most ? keys : most;
	}
	return most + 2; /* the name of the process takes two words */
}

static bool gives_string(const struct d_instruction *at)
{
	return at->opcode == D_OP_CALL &&
		(at->immediate == D_SUBROUTINE_COPYINSTR || at->immediate == D_SUBROUTINE_STRINGOF);
}

/* Counts the strings whose limit may not be a constant. */
static unsigned count_limits(const struct d_instruction *code, size_t count)
{
	unsigned limits = 0;

	for (size_t i = 0; i < count; i++)
		limits += gives_string(&code[i]) && code[i].c > 1;
	return limits;
}

static bool reads_strings(const struct d_instruction *code, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (gives_string(&code[i]))
			return true;
	return false;
}

static bool walks(const struct d_instruction *code, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code[i].opcode == D_OP_STACK)
			return true;
	return false;
}

/* Gives everything its place in the frame. Returns false if the frame is too small. */
static bool lay_out_frame(struct translator *t, const struct d_clause *clause)
{
	unsigned registers = count_registers(clause->predicate, clause->predicate_count, 0);
	uint32_t used = STACK_SLOTS_BYTES + KERNEL_WORD * t->reduction->local_count;

	registers = count_registers(clause->code, clause->code_count, registers);
	t->registers = -(int)used - KERNEL_WORD;
	used += KERNEL_WORD * registers;
	t->area_bytes = KERNEL_WORD * count_words(t->program, clause);
	if (t->follow) {
		used += t->area_bytes;
		t->area = -(int)used;
		t->used = used;
		return used <= KERNEL_FRAME_BYTES;
	}
	used += KERNEL_WORD;
	t->phase = -(int)used;
	t->counters = -(int)used - KERNEL_WORD;
	used += KERNEL_WORD * count_limits(clause->predicate, clause->predicate_count);
	used += KERNEL_WORD * count_limits(clause->code, clause->code_count);
	if (reads_strings(clause->predicate, clause->predicate_count) ||
		reads_strings(clause->code, clause->code_count))
		t->area_bytes += t->reduction->string_bytes;
	if (t->copies && t->area_bytes < kernel_copyout_bytes(t->program, clause))
		t->area_bytes = (kernel_copyout_bytes(t->program, clause) + KERNEL_WORD - 1) &
			~(KERNEL_WORD - 1u);
	if (walks(clause->code, clause->code_count)) {
		used += KERNEL_WORD * KERNEL_WALK_WORDS;
		t->walk = -(int)used;
	}
	used += t->area_bytes;
	t->area = -(int)used;
	t->used = used;
	return used <= KERNEL_FRAME_BYTES;
}

static void begin_translation(struct translator *t, struct kernel_generator *g,
	struct kernel_reduction *reduction, uint32_t clause, struct kernel_follow *follow,
	struct kernel_translated *found)
{
	*t = (struct translator){.g = g,
		.code = g->code,
		.reduction = reduction,
		.program = reduction->program,
		.clause = clause,
		.follow = follow,
		.copies = !follow && reduction->copies[clause],
		.found = found};
	*found = (struct kernel_translated){.is_possible = true, .refused_at = UINT32_MAX};
	t->fault = bpf_label(t->code);
	t->yes = bpf_label(t->code);
	t->no = bpf_label(t->code);
	if (!lay_out_frame(t, &reduction->program->clauses[clause]))
		translator_refuse(t);
}

/* Returns whether the clause uses keys or strings that the reader takes out of maps. */
static bool is_guarded(const struct translator *t)
{
	const struct kernel_reduction *reduction = t->reduction;
	bool result = false;

	for (size_t i = 0; i < reduction->tally_count; i++) {
		const struct kernel_tally *tally = &reduction->tallies[i];

		if (tally->clause != t->clause)
			continue;
		result |= tally->rotates;
		for (unsigned j = 0; j < tally->key_count; j++)
			result |= tally->keys[j].kind == KERNEL_KEY_LISTED;
	}
	return result && reduction->rotates && !t->is_trial && !t->follow;
}

/* Translates the body of a guarded clause: every way out of it leaves the guard. */
static void translate_guarded(struct translator *t, const struct d_clause *clause)
{
	uint32_t no = t->no, fault = t->fault;
	bool faults = t->faults;

	t->no = bpf_label(t->code);
	t->fault = bpf_label(t->code);
	t->faults = false;
	kernel_guard_generate_enter(t, t->phase);
	translate_code(
		t, clause->code, clause->code_count, (uint32_t)clause->predicate_count, false);
	bpf_place(t->code, t->no);
	kernel_guard_generate_leave(t, t->phase);
	bpf_jump(t->code, no);
	if (t->faults) {
		bpf_place(t->code, t->fault);
		kernel_guard_generate_leave(t, t->phase);
		bpf_jump(t->code, fault);
	}
	t->no = no;
	t->fault = fault;
	t->faults |= faults;
}

/* Translates the predicate, which continues at `yes` or `no`, and the body, which continues at
 * `no`. */
static void translate_clause(struct translator *t)
{
	const struct d_clause *clause = &t->program->clauses[t->clause];

	if (clause->predicate) {
		translate_code(t, clause->predicate, clause->predicate_count, 0, true);
		bpf_place(t->code, t->yes);
	}
	if (is_guarded(t)) {
		translate_guarded(t, clause);
		return;
	}
	translate_code(
		t, clause->code, clause->code_count, (uint32_t)clause->predicate_count, false);
}

static void translate_predicate(struct translator *t)
{
	const struct d_clause *clause = &t->program->clauses[t->clause];

	translate_code(t, clause->predicate, clause->predicate_count, 0, true);
}

/* Returns whether the code touches memory of the thread. */
static bool uses_frame(const struct bpf_code *code)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct bpf_insn *at = &code->instructions[i];

		if (at->dst_reg == KERNEL_FRAME || at->src_reg == KERNEL_FRAME ||
			at->dst_reg == BPF_REG_9 || at->src_reg == BPF_REG_9)
			return true;
	}
	return false;
}

static int try_clause(struct kernel_reduction *reduction, uint32_t clause, bool only_predicate,
	struct kernel_follow *follow, struct kernel_translated *translated)
{
	static const struct kernel_plan plan = {.ships = true};
	const struct kernel_maps maps = {.counters = -1, .reduction = reduction};
	const struct bpf_features features = {.copy_string = 1};
	struct bpf_code code;
	struct kernel_generator g = {.code = &code,
		.plan = &plan,
		.maps = &maps,
		.features = &features,
		.has_site = true};
	struct translator t;

	bpf_code_begin(&code);
	/* these slots are in use where clauses' code is generated */
	stack_slot_take(&g.slots, STACK_SLOT_IDS);
	stack_slot_take(&g.slots, STACK_SLOT_SITE);
	stack_slot_take(&g.slots, follow ? STACK_SLOT_NEXT : STACK_SLOT_TIME);
	g.unreadable = bpf_label(&code);
	begin_translation(&t, &g, reduction, clause, follow, translated);
	t.is_trial = true;
	if (translated->is_possible && only_predicate)
		translate_predicate(&t);
	else if (translated->is_possible)
		translate_clause(&t);
	if (code.failed)
		t.status = -ENOMEM;
	else if (g.slots.is_faulty)
		t.status = -EPROTO;
	translated->uses_frame = uses_frame(&code);
	bpf_code_free(&code);
	return t.status;
}

int kernel_translate_try(struct kernel_reduction *reduction, uint32_t clause, bool only_predicate,
	struct kernel_translated *translated)
{
	return try_clause(reduction, clause, only_predicate, NULL, translated);
}

int kernel_translate_try_following(struct kernel_reduction *reduction, uint32_t clause,
	struct kernel_follow *follow, struct kernel_translated *translated)
{
	return try_clause(reduction, clause, false, follow, translated);
}

void kernel_translate_following(struct kernel_generator *g, uint32_t clause)
{
	struct kernel_follow follow = {.is_captured = true};
	struct kernel_translated found;
	struct translator t;

	begin_translation(&t, g, g->maps->reduction, clause, &follow, &found);
	t.fault = t.no;
	translate_clause(&t);
	bpf_place(t.code, t.no);
	g->code->failed |= !found.is_possible || !follow.is_captured || t.status;
}

/* Records the fault for the engine. */
static void record_fault(struct translator *t)
{
	struct kernel_generator *g = t->g;
	const int value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
	const int fault = stack_slot_take(&g->slots, STACK_SLOT_FAULT);
	uint32_t full = bpf_label(t->code), done = bpf_label(t->code);

	kernel_need_site(g);
	bpf_set_map(t->code, BPF_REG_1, g->maps->ring);
	bpf_set(t->code, BPF_REG_2, sizeof(struct kernel_fault));
	bpf_set(t->code, BPF_REG_3, 0);
	bpf_call(t->code, BPF_FUNC_ringbuf_reserve);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, full);
	bpf_move(t->code, BPF_REG_7, BPF_REG_0);
	kernel_generate_time(g);
	kernel_generate_head(g);
	bpf_write_value(
		t->code, BPF_REG_7, offsetof(struct kernel_head, kind), KERNEL_RECORD_FAULT, 2);
	bpf_write_value(
		t->code, BPF_REG_7, offsetof(struct kernel_fault, clause), (int32_t)t->clause, 4);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, fault, 4);
	bpf_write(t->code, BPF_REG_7, offsetof(struct kernel_fault, code), BPF_REG_1, 4);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, fault + 4, 4);
	bpf_write(t->code, BPF_REG_7, offsetof(struct kernel_fault, offset), BPF_REG_1, 8);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, value, 8);
	bpf_write(t->code, BPF_REG_7, offsetof(struct kernel_fault, value), BPF_REG_1, 8);
	bpf_move(t->code, BPF_REG_1, BPF_REG_7);
	bpf_set(t->code, BPF_REG_2, BPF_RB_NO_WAKEUP);
	bpf_call(t->code, BPF_FUNC_ringbuf_submit);
	bpf_jump(t->code, done);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
	stack_slot_give_back(&g->slots, STACK_SLOT_FAULT);
	kernel_leave_site(g);
	bpf_place(t->code, full);
	kernel_generate_loss(g);
	bpf_place(t->code, done);
}

static void carry_out(struct kernel_generator *g, uint32_t clause)
{
	struct kernel_translated found;
	struct translator t;

	begin_translation(&t, g, g->maps->reduction, clause, NULL, &found);
	translate_clause(&t);
	if (t.faults) {
		bpf_place(t.code, t.fault);
		record_fault(&t);
	}
	bpf_place(t.code, t.no);
	g->code->failed |= !found.is_possible || t.status;
}

/* Goes to `ship` if the predicate holds or faults. */
static void filter(struct kernel_generator *g, uint32_t clause, uint32_t ship)
{
	struct kernel_translated found;
	struct translator t;

	begin_translation(&t, g, g->maps->reduction, clause, NULL, &found);
	t.yes = t.fault = ship;
	translate_predicate(&t);
	bpf_place(t.code, t.no);
	g->code->failed |= !found.is_possible || t.status;
}

/* ---- programs ---- */

/* Leaves the thread's CPU time in its place. Calculates it as kernel_cpu_time_of() does. */
static void find_cpu_time(struct kernel_generator *g)
{
	const struct kernel_reduction *reduction = g->maps->reduction;
	const int place = -KERNEL_FRAME_BYTES;
	struct bpf_code *code = g->code;
	uint32_t known = bpf_label(code), later = bpf_label(code);

	kernel_generate_clock(g, KERNEL_FRAME, place, BPF_REG_7);
	bpf_set_map_value(code, BPF_REG_2, reduction->clocks, 8 * KERNEL_CLOCK_DISTANCE);
	bpf_read(code, BPF_REG_1, BPF_REG_2, 0, 8);
	bpf_read(code, BPF_REG_2, KERNEL_FRAME, place + (int)offsetof(struct kernel_clock, now), 8);
	bpf_operate(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	bpf_read(code, BPF_REG_2, KERNEL_FRAME, place + (int)offsetof(struct kernel_clock, clock),
		8);
	bpf_operate(code, BPF_SUB, BPF_REG_1, BPF_REG_2);
	bpf_read(code, BPF_REG_2, KERNEL_FRAME,
		place + (int)offsetof(struct kernel_clock, task_clock), 8);
	bpf_operate(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	bpf_read(code, BPF_REG_2, KERNEL_FRAME, place + (int)offsetof(struct kernel_clock, since),
		8);
	bpf_operate(code, BPF_SUB, BPF_REG_1, BPF_REG_2);
	bpf_read(code, BPF_REG_2, KERNEL_FRAME, place + (int)offsetof(struct kernel_clock, runtime),
		8);
	bpf_jump_if_value(code, BPF_JSLE, BPF_REG_1, 0, known);
	bpf_operate(code, BPF_ADD, BPF_REG_2, BPF_REG_1);
	bpf_place(code, known);
	bpf_read(code, BPF_REG_1, BPF_REG_9, (int)reduction->last_cpu_time, 8);
	bpf_jump_if(code, BPF_JGE, BPF_REG_2, BPF_REG_1, later);
	bpf_move(code, BPF_REG_2, BPF_REG_1); /* a thread's clock never goes back */
	bpf_place(code, later);
	bpf_write(code, BPF_REG_9, (int)reduction->last_cpu_time, BPF_REG_2, 8);
	bpf_write(code, KERNEL_FRAME, translator_place(reduction->cpu_time), BPF_REG_2, 8);
}

void kernel_translate_set(struct kernel_generator *g, unsigned what)
{
	const bool carries_out = what & KERNEL_CLAUSES_CARRY_OUT;
	const bool may_filter = what & KERNEL_CLAUSES_FILTER;
	const struct kernel_reduction *reduction = g->maps->reduction;
	const struct kernel_clauses *set;
	uint32_t ship = bpf_label(g->code);
	bool times = false, cpu_times = false, carries = false, frame = false;
	bool filters;

	if (!reduction || !g->plan->clauses)
		return;
	set = &reduction->sets[g->plan->clauses - 1];
	filters = may_filter && g->plan->ships && set->filters;
	for (size_t i = 0; i < set->count; i++) {
		if (set->reduced[i] ? !carries_out : !may_filter)
			continue;
		times |= reduction->times[set->clauses[i]];
		cpu_times |=
			kernel_reduction_reads(reduction, set->clauses[i], D_BUILTIN_VTIMESTAMP);
		frame |= (set->reduced[i] || filters) && reduction->frames[set->clauses[i]];
		carries |= set->reduced[i];
	}
	if (times) {
		bpf_call(g->code, BPF_FUNC_ktime_get_ns);
		bpf_write(g->code, BPF_REG_10, stack_slot_take(&g->slots, STACK_SLOT_TIME),
			BPF_REG_0, 8);
	}
	g->without = bpf_label(g->code);
	if (frame)
		translator_find_frame(g, g->without);
	cpu_times &= frame;
	if (cpu_times)
		find_cpu_time(g);
	for (uint32_t i = 0; i < reduction->local_count && frame && carries; i++)
		if (!cpu_times || i != reduction->cpu_time)
			bpf_write_value(g->code, KERNEL_FRAME, translator_place(i), 0, 8);
	for (size_t i = 0; i < set->count; i++)
		if (set->reduced[i] && carries_out)
			carry_out(g, set->clauses[i]);
	for (size_t i = 0; i < set->count && filters; i++)
		if (!set->reduced[i])
			filter(g, set->clauses[i], ship);
	if (filters || frame)
		bpf_jump(g->code, filters ? g->done : ship);
	if (frame)
		bpf_place(g->code, g->without);
	if (frame && carries)
		translator_count_lost_store(g->code, reduction);
	bpf_place(g->code, ship);
	if (times)
		stack_slot_give_back(&g->slots, STACK_SLOT_TIME);
}
