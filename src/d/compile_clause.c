/*
 * compile_clause.c: for each description, finds the probes, then checks (the body before the
 * predicate), then generates the code (the predicate before the body).
 */
#include "d/compile_clause.h"

#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "contract/promise.h"
#include "d/check.h"
#include "d/check_provider.h"
#include "d/generate.h"
#include "d/generate_order.h"
#include "d/resolve_attribute.h"
#include "d/resolve_description.h"

static int check_statements(struct d_compiler *compiler, const struct d_clause_tree *tree)
{
	int result = 0;

	compiler->region = "action list";
	for (struct d_node *node = tree->statements; node && !result; node = node->next)
		result = d_check_statement(compiler, node);
	compiler->region = NULL;
	return result;
}

static int check_predicate(struct d_compiler *compiler, const struct d_clause_tree *tree)
{
	int result = 0;

	compiler->region = "predicate";
	if (tree->predicate)
		result = d_check_predicate(compiler, tree->predicate);
	compiler->region = NULL;
	return result;
}

/*
 * Checks the body first. If it uses a variable that does not exist yet, the predicate may create
 * it: then the predicate is checked first and the body is tried again.
 */
static int check_clause(struct d_compiler *compiler, const struct d_clause_tree *tree)
{
	int result = check_statements(compiler, tree);

	if (result && compiler->repairable && tree->predicate) {
		d_fail_forget(compiler);
		result = check_predicate(compiler, tree);
		return result ? result : check_statements(compiler, tree);
	}
	return result ? result : check_predicate(compiler, tree);
}

static int generate_predicate(
	struct d_compiler *compiler, struct d_code *code, const struct d_clause_tree *tree)
{
	int reg;

	compiler->region = "predicate";
	reg = d_generate(compiler, code, tree->predicate);
	if (reg >= 0 && d_emit(compiler, code, D_OP_RETURN, (unsigned)reg, 0, 0, 0))
		reg = -1;
	compiler->region = NULL;
	return reg < 0 ? -1 : 0;
}

static int generate_body(
	struct d_compiler *compiler, struct d_code *code, const struct d_clause_tree *tree)
{
	int result = 0;

	compiler->region = "action list";
	if (!tree->statements)
		result = d_generate_default(compiler, code);
	for (const struct d_node *node = tree->statements; node && !result; node = node->next)
		result = d_generate_statement(compiler, code, node);
	/* A clause that does nothing but speculate() records that it ran. */
	if (!result && d_order_only_speculates(code) && !tree->statements->next)
		result = d_generate_default(compiler, code);
	if (!result)
		result = d_emit(compiler, code, D_OP_RETURN, 0, 0, 0, 0);
	compiler->region = NULL;
	return result;
}

/*
 * Finds the clause's probes. A description has the attributes of the parts that it names, combined
 * over all probes that it matches.
 */
static int find_probes(struct d_compiler *compiler, const struct d_description *description,
	struct d_clause *clause)
{
	const struct d_probe_set *set = compiler->probe_set;
	bool spelled[4];

	if (d_description_resolve(compiler, description, &clause->probes, &clause->probe_count,
		    &clause->later_count))
		return -1;
	for (unsigned i = 0; i < 4; i++)
		spelled[i] = !description->is_number && *description->parts[i] &&
			!pattern_is_glob(description->parts[i]);
	clause->description_stability = stability_greatest;
	for (size_t i = 0; i < clause->probe_count; i++) {
		const struct d_probe *probe = &set->probes[clause->probes[i]];
		struct promise promise =
			promise_of(probe->provider, probe->has_stability ? probe->stability : NULL);

		clause->description_stability = stability_least(clause->description_stability,
			promise_of_probe(&promise, spelled[1], spelled[2],
				spelled[3] || description->is_number));
	}
	if (!clause->probe_count)
		clause->description_stability = promise_of_probe(
			promise_find(description->is_number ? "" : description->parts[0]),
			spelled[1], spelled[2], spelled[3]);
	return 0;
}

static int use_description(struct d_compiler *compiler, const struct d_description *description,
	struct d_clause *clause)
{
	compiler->description = d_description_text(compiler, description);
	clause->description = strdup(compiler->description);
	if (!clause->description)
		return d_fail_memory(compiler);
	compiler->attributes = stability_greatest;
	if (d_attribute_use(compiler, clause->description_stability, "probe description",
		    compiler->description, &description->place))
		return -1;
	compiler->attributes = stability_greatest;
	return 0;
}

/*
 * args[] must mean the same for all probes. A probe that appears later and differs is not an error;
 * it is left out.
 */
static void drop_other_arguments(const struct d_compiler *compiler, struct d_clause *clause)
{
	const struct d_probe *probes = compiler->probe_set->probes;
	uint32_t *later;
	size_t kept = 0;

	if (!compiler->uses_arguments || !clause->probe_count)
		return;
	later = clause->probes + clause->probe_count;
	for (size_t i = 0; i < clause->later_count; i++)
		if (d_probe_same_arguments(&probes[clause->probes[0]], &probes[later[i]]))
			later[kept++] = later[i];
	clause->later_count = kept;
}

/* Nothing is counted while only the engine's own probes are known. */
static void count_matches(struct d_compiler *compiler, const struct d_clause *clause)
{
	if (!clause->goes_on && compiler->is_settled)
		compiler->program->scripts[clause->script].probe_count += clause->probe_count;
}

static int compile_part(struct d_compiler *compiler, const struct d_clause_tree *tree,
	const struct d_description *description, bool goes_on)
{
	struct d_program *program = compiler->program;
	struct d_code predicate = {0}, body = {0};
	struct d_clause clause = {
		.line = description->place.line, .script = compiler->script, .goes_on = goes_on};
	int result;

	result = find_probes(compiler, description, &clause);
	compiler->probes = clause.probes;
	compiler->probe_count = clause.probe_count ? clause.probe_count : clause.later_count;
	compiler->needs = &clause.needs;
	compiler->clause_description = description;
	compiler->uses_arguments = false;
	compiler->description = "";
	if (!result)
		result = use_description(compiler, description, &clause);
	if (!result)
		result = check_clause(compiler, tree);
	clause.uses_arguments = compiler->uses_arguments;
	if (!result)
		drop_other_arguments(compiler, &clause);
	if (!result && tree->predicate)
		result = generate_predicate(compiler, &predicate, tree);
	if (!result)
		result = generate_body(compiler, &body, tree);
	if (!result &&
		array_room(&program->clauses, &compiler->clause_capacity, program->clause_count,
			sizeof(*program->clauses)))
		result = d_fail_memory(compiler);
	d_nodes_restore(compiler);
	compiler->probes = NULL;
	compiler->probe_count = 0;
	compiler->needs = NULL;
	compiler->clause_description = NULL;
	compiler->description = NULL;
	if (result) {
		d_code_free(&predicate);
		d_code_free(&body);
		free(clause.probes);
		free(clause.description);
		d_needs_free(&clause.needs);
		return result;
	}
	clause.statement_stability = stability_least(compiler->attributes, stability_stable);
	clause.predicate = predicate.instructions;
	clause.predicate_count = predicate.count;
	clause.code = body.instructions;
	clause.code_count = body.count;
	clause.action_count = body.actions;
	program->clauses[program->clause_count++] = clause;
	count_matches(compiler, &clause);
	return 0;
}

int d_clause_compile(struct d_compiler *compiler, const struct d_clause_tree *tree,
	const struct d_description *description)
{
	int result = 0;

	for (const struct d_clause_tree *part = tree; part && !result; part = part->rest)
		result = compile_part(compiler, part, description, part != tree);
	return result;
}

int d_clause_enable(struct d_compiler *compiler, const struct d_clause_tree *tree,
	const struct d_description *description, struct d_clause **clauses)
{
	int result = 0;

	for (const struct d_clause_tree *part = tree; part && !result; part = part->rest) {
		struct d_clause *clause = (*clauses)++;

		free(clause->probes);
		clause->probes = NULL;
		result = find_probes(compiler, description, clause);
		if (!result)
			count_matches(compiler, clause);
	}
	return result;
}
