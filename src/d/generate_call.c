/* generate_call.c: calls of subroutines, with the checks that DTrace makes when it generates them.
 */
#include "d/generate.h"

#include <stdio.h>

#include "d/check.h"
#include "d/generate_order.h"
#include "d/generate_stack.h"

/* Subroutines with special conditions, which are checked only here. */
static int check_special_call(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_node *first = node->right, *to = NULL, *size = NULL;
	int id = node->function->id;

	if (id == D_SUBROUTINE_ALLOCA)
		size = first;
	else if (id == D_SUBROUTINE_COPYIN)
		size = first->next;
	if (size && size->kind == D_NODE_INTEGER &&
		size->value > compiler->program->options.scratchsize)
		return d_fail(compiler, &node->place, "D_ALLOCA_SIZE",
			"%s( ) argument #%d is larger than scratchsize (%llu)",
			node->function->name, size == first ? 1 : 2,
			(unsigned long long)compiler->program->options.scratchsize);
	if (id == D_SUBROUTINE_INET_NTOA6 && first->next && first->next->kind != D_NODE_INTEGER)
		return d_fail(compiler, &first->next->place, "D_PROTO_ARG",
			"inet_ntoa6( ) argument #2 is incompatible with prototype: "
			"prototype: integer constant");
	if (id == D_SUBROUTINE_BCOPY)
		to = first->next;
	else if (id == D_SUBROUTINE_COPYINTO)
		to = first->next->next;
	if (to &&
		(d_type_is_string(to->type) ||
			(d_check_points(to) & (D_POINTS_ELSEWHERE | D_POINTS_BLOCK)) ==
				D_POINTS_ELSEWHERE))
		return d_fail(compiler, &to->place, "D_PROTO_ARG",
			"%s( ) argument #%d is incompatible with prototype: "
			"prototype: memory of alloca( ), copyin( ) or a variable",
			node->function->name, id == D_SUBROUTINE_BCOPY ? 2 : 3);
	if (id != D_SUBROUTINE_COPYOUT && id != D_SUBROUTINE_COPYOUTSTR)
		return 0;
	compiler->program->destructive = true;
	return d_order_destructive(compiler, code, node);
}

int d_generate_fail_action(struct d_compiler *compiler, const struct d_node *call)
{
	const char *name = call->function->name;
	bool aggregates = call->function->kind == D_FUNCTION_AGGREGATING;

	return d_fail(compiler, &call->place, "D_CG_EXPR",
		"%s( ) may not be called from a D expression (D program context required)%s%s%s",
		name, aggregates ? ": assign it, @ = " : "", aggregates ? name : "",
		aggregates ? "( )" : "");
}

int d_generate_call(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_function *function = node->function;
	const struct d_node *argument = node->right;
	unsigned first = code->top, count = 0, passed = 0;
	int id = function->id;
	char name[40];

	if (d_type_is_stack(node->type))
		return d_stack_generate(compiler, code, node);
	if (function->kind != D_FUNCTION_SUBROUTINE)
		return d_generate_fail_action(compiler, node);
	snprintf(name, sizeof(name), "%s( )", function->name);
	if (check_special_call(compiler, code, node) ||
		d_require(compiler, d_subroutines[id].need, name, &node->place))
		return -1;
	/* A literal NULL means to continue; a NULL in a variable is a fault, as elsewhere. */
	if (id == D_SUBROUTINE_STRTOK && d_node_is_zero(argument)) {
		id = D_SUBROUTINE_STRTOK_NEXT;
		argument = argument->next;
		count++;
	}
	for (; argument; argument = argument->next, passed++) {
		const struct d_type *type =
			d_types_parse(&compiler->types, function->parameters[count++]);
		int reg = d_generate_as(compiler, code, argument, type);

		if (reg < 0 ||
			(d_type_is_pointer(type) && d_type_is_string(argument->type) &&
				d_emit(compiler, code, D_OP_ADDRESS_STRING, (unsigned)reg,
					(unsigned)reg, 0, 0)))
			return -1;
	}
	if (d_emit(compiler, code, D_OP_CALL, first, first, passed, id))
		return -1;
	return d_emit_finish(code, first);
}
