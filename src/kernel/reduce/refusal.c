/*
 * refusal.c: see refusal.h. The reason is found by trying the translation again and examining the
 * instruction where it stops. Only clauses that write to a process are refused; all others stay
 * with the engine.
 */
#include "kernel/reduce/refusal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "kernel/translate/translate.h"
#include "kernel/translate/translate_copyout.h"

bool kernel_refusal_is_possible(const struct source_request *request)
{
	for (size_t i = 0; i < request->want_count && request->program; i++)
		if (kernel_copyout_is_in(&request->program->clauses[request->wants[i].clause]))
			return true;
	return false;
}

static void name_variable(const struct d_program *program, int32_t number, char *what, size_t size)
{
	static const char *const scopes[] = {
		[D_SCOPE_GLOBAL] = "", [D_SCOPE_SELF] = "self->", [D_SCOPE_THIS] = "this->"};
	const struct d_variable *variable = &program->variables[number];

	snprintf(what, size, "%s%s", scopes[variable->scope], variable->name);
}

/* Describes an instruction that has no translation. */
static void describe(const struct d_program *program, const struct d_instruction *at,
	struct kernel_refusal *refusal)
{
	enum d_immediate kind = d_opcodes[at->opcode].immediate;

	refusal->why = "programs in the kernel cannot calculate";
	if (at->opcode == D_OP_CALL) {
		snprintf(refusal->what, sizeof(refusal->what), "%s( )",
			d_subroutines[at->immediate].name);
		if (at->immediate == D_SUBROUTINE_COPYOUT)
			refusal->why = "only a literal, or memory of alloca( ) or copyin( ) in "
				       "the same clause, can be copied by";
		if (at->immediate == D_SUBROUTINE_COPYOUTSTR)
			refusal->why = "only a literal or copyinstr( ) can be copied by";
		if (at->immediate == D_SUBROUTINE_ALLOCA || at->immediate == D_SUBROUTINE_COPYIN ||
			at->immediate == D_SUBROUTINE_COPYINTO)
			refusal->why = "programs in the kernel need a constant size, and less than "
				       "2048 bytes in all, for";
	} else if (kind >= D_IMMEDIATE_SCALAR && kind <= D_IMMEDIATE_OBJECT_ELEMENT) {
		refusal->why = "programs in the kernel cannot keep the variable";
		name_variable(program, at->immediate, refusal->what, sizeof(refusal->what));
	} else if (at->opcode == D_OP_BUILTIN) {
		snprintf(
			refusal->what, sizeof(refusal->what), "%s", d_builtins[at->immediate].name);
	} else if (at->opcode == D_OP_AGGREGATE) {
		refusal->why = "programs in the kernel cannot update the aggregation";
		snprintf(refusal->what, sizeof(refusal->what), "@%s",
			program->aggregations[at->immediate].name);
	} else if (at->opcode == D_OP_READ || at->opcode == D_OP_WRITE) {
		refusal->why = "memory of alloca( ) and copyin( ) can be used only within its "
			       "size and at constant offsets";
	} else {
		snprintf(refusal->what, sizeof(refusal->what), "an expression of the clause (%s)",
			d_opcodes[at->opcode].text);
	}
}

void kernel_refusal_find(struct kernel_reduction *reduction, uint32_t number, bool needs_provider)
{
	const struct d_program *program = reduction->program;
	const struct d_clause *clause = &program->clauses[number];
	struct kernel_refusal *refusal = &reduction->refusal;
	struct kernel_translated translated;
	bool aggregates = false;

	*refusal = (struct kernel_refusal){.clause = number};
	if (program->options.cpu >= 0) {
		refusal->why = "option cpu is set, which is applied later";
		return;
	}
	for (size_t i = 0; i < clause->code_count && !refusal->why; i++) {
		aggregates |= clause->code[i].opcode == D_OP_AGGREGATE;
		if (clause->code[i].opcode == D_OP_ACTION)
			refusal->why = "the clause has other actions, too, which are carried out "
				       "later: give them a clause of their own";
	}
	if (refusal->why)
		return;
	if (needs_provider) {
		refusal->why = "the clause is for probes of all processes: name the process";
		return;
	}
	if (kernel_translate_try(reduction, number, false, &translated)) {
		refusal->why = "out of memory";
	} else if (!translated.is_possible && translated.refused_at == UINT32_MAX) {
		refusal->why = "the clause or its strings are too long";
	} else if (!translated.is_possible) {
		size_t at = translated.refused_at;

		describe(program,
			at < clause->predicate_count ? &clause->predicate[at]
						     : &clause->code[at - clause->predicate_count],
			refusal);
	} else if (aggregates) {
		refusal->why = "the clause also aggregates, which is done later here: give the "
			       "aggregation a clause of its own";
	} else {
		refusal->why =
			"the clause uses a variable that is also used by a clause of another "
			"source, or by one that is carried out later because of its other "
			"actions";
	}
}

int kernel_refusal_check(const struct kernel_reduction *reduction,
	const struct source_request *request, struct error *error)
{
	const struct kernel_refusal *refusal = &reduction->refusal;

	for (size_t i = 0; i < request->want_count && request->program; i++) {
		const struct d_clause *clause =
			&request->program->clauses[request->wants[i].clause];
		const char *where = "", *name = "copyout( )";

		if (request->wants[i].reduced || !kernel_copyout_is_in(clause))
			continue;
		if (refusal->why)
			clause = &request->program->clauses[refusal->clause];
		for (size_t j = 0; j < clause->needs.use_count; j++)
			if (clause->needs.uses[j].need == D_NEED_MEMORY) {
				where = clause->needs.uses[j].where;
				name = clause->needs.uses[j].name;
				break;
			}
		return error_set(error, ENOTSUP,
			"%s%s%s cannot be carried out while the probe fires: %s%s%s", where,
			*where ? ": " : "", name,
			refusal->why ? refusal->why : "the kernel refuses maps for it",
			*refusal->what ? " " : "", refusal->what);
	}
	return 0;
}
