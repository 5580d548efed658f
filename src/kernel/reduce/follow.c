/*
 * follow.c: see follow.h. This file decides what is followed, and in which order; follow_code.c
 * translates the instructions.
 *
 * Decisions are made by trials. At first, all variables that might be followed are. A trial of a
 * clause finds the variables into which it stores a value that is not known; then the clauses are
 * tried again without these, until no more are found.
 */
#include "kernel/reduce/follow.h"

#include <errno.h>
#include <stdlib.h>

#include "kernel/translate/follow_code.h"
#include "kernel/translate/translate.h"
#include "kernel/translate/translate_variables.h"

enum { MAPS_MAX = 16 /* of followed variables with keys, in all */ };

/* ---- decisions ---- */

static const struct d_instruction *instruction(const struct d_clause *clause, size_t number)
{
	return number < clause->predicate_count ? &clause->predicate[number]
						: &clause->code[number - clause->predicate_count];
}

static size_t instruction_count(const struct d_clause *clause)
{
	return clause->predicate_count + clause->code_count;
}

static bool touches(const struct d_instruction *at)
{
	enum d_immediate kind = d_opcodes[at->opcode].immediate;

	return kind >= D_IMMEDIATE_SCALAR && kind <= D_IMMEDIATE_OBJECT_ELEMENT;
}

/* Returns whether no probe is known yet that a clause with computed addresses describes: some may
 * come with a process that starts later. */
static bool may_come(const struct source_request *request, size_t clause)
{
	return clause < request->demand_count && request->demands[clause].any_memory &&
		!d_clause_probes(&request->program->clauses[clause]);
}

bool kernel_follow_is_wanted(const struct source_request *request)
{
	bool result = false;

	for (size_t i = 0; i < request->want_count; i++)
		result |= request->wants[i].demand && request->wants[i].demand->any_memory;
	for (size_t i = 0; request->program && i < request->program->clause_count; i++)
		result |= may_come(request, i);
	return result && request->program && request->program->options.cpu < 0;
}

/* Chooses the variables that might be followed, by the kind of variable and the clauses that store
 * into it. */
static void begin_variables(struct kernel_reduction *reduction, const bool *is_possible)
{
	const struct d_program *program = reduction->program;
	unsigned maps = 0;

	for (size_t i = 0; i < program->variable_count; i++) {
		const struct d_variable *variable = &program->variables[i];
		bool is_local = variable->scope == D_SCOPE_THIS;
		bool is_global = variable->scope == D_SCOPE_GLOBAL;

		reduction->variables[i].is_followed = variable->type.kind == D_VALUE_INTEGER &&
			(variable->key_count ? !is_local && maps++ < MAPS_MAX : !is_global);
	}
	for (size_t i = 0; i < program->clause_count; i++)
		for (size_t j = 0; j < instruction_count(&program->clauses[i]); j++) {
			const struct d_instruction *at = instruction(&program->clauses[i], j);

			if (!kernel_follow_stores(at))
				continue;
			if (!is_possible[i] || at->opcode == D_OP_ADDRESS ||
				at->opcode == D_OP_ADDRESS_ELEMENT)
				reduction->variables[at->immediate].is_followed = false;
		}
}

/* Marks the this-> variables as unknown until something is stored into them. */
static void begin_locals(struct kernel_reduction *reduction)
{
	const struct d_program *program = reduction->program;
	bool *stored = calloc(program->variable_count + 1, sizeof(*stored));

	for (size_t i = 0; i < program->clause_count && stored; i++)
		for (size_t j = 0; j < instruction_count(&program->clauses[i]); j++) {
			const struct d_instruction *at = instruction(&program->clauses[i], j);

			if (at->opcode == D_OP_STORE)
				stored[at->immediate] = true;
			else if (at->opcode == D_OP_LOAD &&
				program->variables[at->immediate].scope == D_SCOPE_THIS &&
				!stored[at->immediate])
				reduction->variables[at->immediate].is_followed = false;
		}
	free(stored);
}

static int try_all(struct kernel_reduction *reduction, const struct source_request *request,
	const bool *is_possible, bool *is_captured)
{
	struct kernel_follow follow = {.has_changed = true};
	int result = 0;

	while (follow.has_changed && !result) {
		follow.has_changed = false;
		for (uint32_t i = 0; i < reduction->program->clause_count && !result; i++) {
			struct kernel_translated translated;

			if (!is_possible[i] || i >= request->demand_count)
				continue;
			follow.demand = &request->demands[i];
			follow.is_captured = !follow.demand->is_partial;
			follow.is_lost = follow.is_written = false;
			result = kernel_translate_try_following(reduction, i, &follow, &translated);
			is_captured[i] = follow.is_captured && translated.is_possible;
			for (size_t j = 0; !translated.is_possible &&
				j < instruction_count(&reduction->program->clauses[i]);
				j++) {
				const struct d_instruction *at =
					instruction(&reduction->program->clauses[i], j);

				if (!kernel_follow_stores(at) ||
					!reduction->variables[at->immediate].is_followed)
					continue;
				reduction->variables[at->immediate].is_followed = false;
				follow.has_changed = true;
			}
		}
	}
	return result;
}

/* Marks the variables that followed clauses load, and the clauses that store into these. */
static void spread(struct kernel_reduction *reduction, const bool *is_possible)
{
	const struct d_program *program = reduction->program;
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < program->clause_count; i++)
			for (size_t j = 0; j < instruction_count(&program->clauses[i]); j++) {
				const struct d_instruction *at =
					instruction(&program->clauses[i], j);
				struct kernel_variable *variable =
					touches(at) ? &reduction->variables[at->immediate] : NULL;

				if (!variable || !variable->is_followed)
					continue;
				if (!kernel_follow_stores(at) && reduction->followed[i] &&
					!variable->is_needed)
					variable->is_needed = changed = true;
				if (kernel_follow_stores(at) && variable->is_needed &&
					is_possible[i] && !reduction->followed[i])
					reduction->followed[i] = changed = true;
			}
	}
	for (size_t i = 0; i < program->variable_count; i++) {
		reduction->variables[i].is_followed &= reduction->variables[i].is_needed;
		reduction->variables[i].is_used |= reduction->variables[i].is_followed;
	}
}

int kernel_follow_decide(struct kernel_reduction *reduction, const struct source_request *request,
	const bool *is_possible)
{
	bool *is_captured = calloc(reduction->program->clause_count + 1, sizeof(*is_captured));
	int result = is_captured ? 0 : -ENOMEM;
	bool is_all = true; /* the script is refused otherwise */

	if (!result) {
		begin_variables(reduction, is_possible);
		begin_locals(reduction);
		result = try_all(reduction, request, is_possible, is_captured);
	}
	for (size_t i = 0; i < request->want_count && !result; i++) {
		uint32_t clause = request->wants[i].clause;

		if (reduction->taken[clause] || !request->wants[i].demand ||
			!request->wants[i].demand->any_memory)
			continue;
		reduction->followed[clause] = true;
		is_all &= is_captured[clause];
	}
	for (size_t i = 0; i < reduction->program->clause_count && !result; i++)
		if (is_possible[i] && may_come(request, i)) {
			reduction->followed[i] = true;
			is_all &= is_captured[i];
		}
	if (!result && is_all)
		spread(reduction, is_possible);
	for (size_t i = 0; i < reduction->program->variable_count && (result || !is_all); i++)
		reduction->variables[i].is_followed = false;
	for (size_t i = 0; i < reduction->program->clause_count && (result || !is_all); i++)
		reduction->followed[i] = false;
	free(is_captured);
	return result;
}

bool kernel_follow_is_any(const struct kernel_reduction *reduction)
{
	for (size_t i = 0; reduction->program && i < reduction->program->clause_count; i++)
		if (reduction->followed[i])
			return true;
	return false;
}

/* ---- programs ---- */

void kernel_follow_generate(struct kernel_generator *g)
{
	const struct kernel_reduction *reduction = g->maps->reduction;
	const struct kernel_plan *plan = g->plan;
	const struct kernel_clauses *set;
	uint32_t without = bpf_label(g->code), after = bpf_label(g->code);
	bool follows = false;
	int next;

	if (!reduction || !plan->clauses)
		return;
	set = &reduction->sets[plan->clauses - 1];
	for (size_t i = 0; i < set->count; i++)
		follows |= !set->reduced[i] && reduction->followed[set->clauses[i]];
	if (!follows)
		return;
	for (uint32_t i = 0; i < plan->part_count; i++)
		if (plan->parts[i].late)
			bpf_write_value(g->code, BPF_REG_7, (int)(plan->lengths + 4 * i), 0, 4);
	next = stack_slot_take(&g->slots, STACK_SLOT_NEXT);
	bpf_write(g->code, BPF_REG_10, next, BPF_REG_8, 8);
	translator_find_frame(g, without);
	for (uint32_t i = 0; i < reduction->local_count; i++)
		bpf_write_value(g->code, KERNEL_FRAME, translator_place(i), 0, 8);
	for (size_t i = 0; i < set->count; i++)
		if (!set->reduced[i] && reduction->followed[set->clauses[i]])
			kernel_translate_following(g, set->clauses[i]);
	bpf_jump(g->code, after);
	bpf_place(g->code, without);
	translator_count_lost_store(g->code, reduction);
	bpf_place(g->code, after);
	bpf_read(g->code, BPF_REG_8, BPF_REG_10, next, 8);
	stack_slot_give_back(&g->slots, STACK_SLOT_NEXT);
}
