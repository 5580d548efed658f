/*
 * generate_action.c: statements, and the actions among them, with the checks that DTrace makes when
 * it generates their code.
 */
#include "d/generate_action.h"
#include "d/check_format.h"
#include "d/generate.h"
#include "d/generate_order.h"
#include "d/generate_stack.h"
#include "d/hint.h"

#include <stdlib.h>
#include <string.h>

struct d_action *d_action_new(struct d_compiler *compiler, enum d_action_kind kind,
	unsigned arguments, unsigned aggregations)
{
	struct d_program *program = compiler->program;
	struct d_action *action;

	if (array_room(&program->actions, &compiler->action_capacity, program->action_count,
		    sizeof(*program->actions))) {
		d_fail_memory(compiler);
		return NULL;
	}
	action = &program->actions[program->action_count];
	memset(action, 0, sizeof(*action));
	action->kind = kind;
	action->format = -1;
	if (arguments)
		action->types = calloc(arguments, sizeof(*action->types));
	if (aggregations)
		action->aggregations = calloc(aggregations, sizeof(*action->aggregations));
	program->action_count++;
	if ((arguments && !action->types) || (aggregations && !action->aggregations)) {
		d_fail_memory(compiler);
		return NULL;
	}
	return action;
}

int d_action_emit(struct d_compiler *compiler, struct d_code *code, unsigned first)
{
	return d_emit(compiler, code, D_OP_ACTION, first, 0, 0,
		(int32_t)compiler->program->action_count - 1);
}

int d_action_argument(struct d_compiler *compiler, struct d_code *code, struct d_action *action,
	const struct d_node *node, const struct d_type *type)
{
	int reg = d_generate_as(compiler, code, node, type);

	if (reg >= 0)
		action->types[action->argument_count++] =
			d_type_value(type, compiler->program->options.strsize);
	return reg;
}

static int generate_trace(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_node *value = node->right;
	struct d_action *action;
	unsigned first = code->top;
	char hint[D_HINT_MAX];

	if (value->type->kind == D_TYPE_VOID)
		return d_fail(compiler, &value->place, "D_TRACE_VOID",
			"trace( ) may not be applied to a void expression");
	if (d_type_is_memory(value->type) && !d_types_size(&compiler->types, value->type))
		return d_fail(compiler, &value->place, "D_TRACE_VOID",
			"trace( ) may not be applied to an array without a size");
	if (value->type->kind == D_TYPE_DYNAMIC)
		return d_fail(compiler, &value->place, "D_TRACE_DYN",
			"trace( ) may not be applied to a dynamic expression%s",
			d_hint_translated(value, hint));
	action = d_action_new(compiler, D_ACTION_TRACE, 1, 0);
	if (!action || d_action_argument(compiler, code, action, value, value->type) < 0)
		return -1;
	return d_action_emit(compiler, code, first);
}

/* printf(), and the actions with the same arguments: system() and freopen(). */
static int generate_printf(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	enum d_action_kind kind = (enum d_action_kind)node->function->id;
	const char *name = node->function->name;
	const struct d_node *literal = node->right;
	struct d_format_arguments arguments = {
		.nodes = literal->next, .may_be_empty = kind == D_ACTION_FREOPEN};
	unsigned first = code->top, count = d_node_count(literal->next);
	struct d_action *action;
	int format;

	if (literal->kind != D_NODE_STRING)
		return d_fail(compiler, &literal->place, "D_PRINTF_ARG_FMT",
			"%s( ) argument #1 is incompatible with prototype: "
			"prototype: string constant",
			name);
	if (kind == D_ACTION_FREOPEN && !strcmp(literal->name->bytes, "."))
		return d_fail(compiler, &literal->place, "D_FREOPEN_INVALID",
			"%s( ) argument #1 cannot be \".\"", name);
	if (d_format_compile(compiler, name, literal, &arguments, &format))
		return -1;
	if (count > D_ACTION_ARGUMENTS_MAX)
		return d_fail(compiler, &node->place, "D_UNKNOWN",
			"%s( ) has more than %d arguments", name, D_ACTION_ARGUMENTS_MAX);
	action = d_action_new(compiler, kind, count, 0);
	if (!action)
		return -1;
	action->format = format;
	for (const struct d_node *value = literal->next; value; value = value->next) {
		if (d_action_argument(compiler, code, action, value,
			    d_format_record(compiler, value->type)) < 0)
			return -1;
		if (value->kind == D_NODE_STRING)
			action->literals |= UINT64_C(1) << (action->argument_count - 1);
	}
	return d_action_emit(compiler, code, first);
}

/* Rows can be joined on keys that are stored in the same way; all integers are. */
static bool joins(const struct d_type *one, const struct d_type *other)
{
	if (d_type_is_integer(one) && d_type_is_integer(other))
		return true;
	return one->kind == other->kind && one->size == other->size &&
		(one->kind != D_TYPE_PLACE || !strcmp(one->name, other->name));
}

/* The aggregations of a printa() must have keys of the same kinds. */
static int check_printa(struct d_compiler *compiler, const struct d_node *list)
{
	const struct d_identifier *first = list->identifier;
	unsigned number = 1;

	for (const struct d_node *node = list; node; node = node->next, number++) {
		const struct d_identifier *identifier = node->identifier;

		if (node->kind != D_NODE_AGGREGATION)
			return d_fail(compiler, &node->place, "D_PRINTA_AGGARG",
				"printa( ) argument #%u is incompatible with prototype: "
				"prototype: aggregation",
				number);
		if (!identifier->function)
			return d_fail(compiler, &node->place, "D_PRINTA_AGGBAD",
				"undefined aggregation: @%s", identifier->name->bytes);
		if (node == list)
			first = identifier;
		if (identifier->key_count != first->key_count)
			return d_fail(compiler, &node->place, "D_PRINTA_AGGKEY",
				"printa( ) @%s and @%s have different key arity",
				first->name->bytes, identifier->name->bytes);
		for (unsigned i = 0; i < first->key_count; i++) {
			if (!joins(first->keys[i], identifier->keys[i]))
				return d_fail(compiler, &node->place, "D_PRINTA_AGGPROTO",
					"printa( ) key #%u of @%s is incompatible with @%s", i + 1,
					identifier->name->bytes, first->name->bytes);
		}
	}
	return 0;
}

/* Counts are unsigned; with several aggregations, %@d must be valid for each. */
static bool are_counts(const struct d_node *list)
{
	while (list && list->identifier->function->id == D_AGGREGATE_COUNT)
		list = list->next;
	return !list;
}

static int generate_printa(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_node *literal = node->right, *list = literal;
	struct d_format_arguments arguments = {.value = compiler->types.type_int64};
	struct d_action *action;
	int format = -1;

	if (literal->kind == D_NODE_STRING)
		list = literal->next;
	if (!list)
		return d_fail(compiler, &node->place, "D_PRINTA_PROTO",
			"printa( ) prototype mismatch: at least one aggregation argument is "
			"required");
	if (check_printa(compiler, list))
		return -1;
	if (list != literal) {
		arguments.keys = list->identifier->keys;
		arguments.key_count = list->identifier->key_count;
		if (are_counts(list))
			arguments.value = compiler->types.type_uint64;
		if (d_format_compile(compiler, "printa", literal, &arguments, &format))
			return -1;
	}
	if (d_node_count(list) > D_ACTION_ARGUMENTS_MAX)
		return d_fail(compiler, &node->place, "D_UNKNOWN",
			"printa( ) has more than %d aggregations", D_ACTION_ARGUMENTS_MAX);
	action = d_action_new(compiler, D_ACTION_PRINTA, 0, d_node_count(list));
	if (!action)
		return -1;
	action->format = format;
	for (; list; list = list->next)
		action->aggregations[action->aggregation_count++] = list->identifier->index;
	return d_action_emit(compiler, code, code->top);
}

/* Actions that record their arguments with the types in the table of functions. */
static int generate_values(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_function *function = node->function;
	struct d_action *action = d_action_new(
		compiler, (enum d_action_kind)function->id, d_node_count(node->right), 0);
	unsigned first = code->top, number = 0;

	if (!action)
		return -1;
	for (const struct d_node *value = node->right; value; value = value->next) {
		const char *type = function->parameters[number++];

		if (d_action_argument(compiler, code, action, value,
			    d_types_find(&compiler->types, type)) < 0)
			return -1;
	}
	return d_action_emit(compiler, code, first);
}

/* speculate, commit, discard. */
static int generate_speculation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	enum d_opcode opcode = node->function->id == D_ACTION_SPECULATE ? D_OP_SPECULATE
		: node->function->id == D_ACTION_COMMIT                 ? D_OP_COMMIT
									: D_OP_DISCARD;
	int reg = d_generate_as(compiler, code, node->right, compiler->types.type_int);

	return reg < 0 ? -1 : d_emit(compiler, code, opcode, 0, (unsigned)reg, 0, 0);
}

/* clear, trunc, normalize, denormalize: an aggregation and at most one number. */
static int generate_consumer_action(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	static const struct {
		enum d_action_kind kind;
		const char *argument, *undefined;
	} tags[] = {{D_ACTION_CLEAR, "D_CLEAR_AGGARG", "D_CLEAR_AGGBAD"},
		{D_ACTION_TRUNC, "D_TRUNC_AGGARG", "D_TRUNC_AGGBAD"},
		{D_ACTION_NORMALIZE, "D_NORMALIZE_AGGARG", "D_NORMALIZE_AGGBAD"},
		{D_ACTION_DENORMALIZE, "D_NORMALIZE_AGGARG", "D_NORMALIZE_AGGBAD"}};
	const struct d_node *aggregation = node->right, *number = aggregation->next;
	unsigned row = 0, first = code->top;
	struct d_action *action;

	while ((int)tags[row].kind != node->function->id)
		row++;
	if (aggregation->kind != D_NODE_AGGREGATION)
		return d_fail(compiler, &aggregation->place, tags[row].argument,
			"%s( ) argument #1 is incompatible with prototype: prototype: aggregation",
			node->function->name);
	if (tags[row].kind == D_ACTION_NORMALIZE &&
		(!d_type_is_scalar(number->type) || d_node_is_zero(number)))
		return d_fail(compiler, &number->place, "D_NORMALIZE_SCALAR",
			"normalize( ) argument #2 must be of scalar type and not zero");
	if (!aggregation->identifier->function)
		return d_fail(compiler, &aggregation->place, tags[row].undefined,
			"undefined aggregation: @%s", aggregation->name->bytes);
	action = d_action_new(compiler, tags[row].kind, number ? 1 : 0, 1);
	if (!action)
		return -1;
	action->aggregations[action->aggregation_count++] = aggregation->identifier->index;
	if (number &&
		d_action_argument(compiler, code, action, number, compiler->types.type_int64) < 0)
		return -1;
	return d_action_emit(compiler, code, first);
}

/* A stack or a place by itself is recorded as by trace(). */
static int generate_place(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	unsigned first = code->top;
	struct d_action *action;

	if (d_stack_generate(compiler, code, node) < 0)
		return -1;
	action = d_action_new(compiler, D_ACTION_TRACE, 1, 0);
	if (!action)
		return -1;
	action->types[action->argument_count++] =
		d_type_value(node->type, compiler->program->options.strsize);
	return d_action_emit(compiler, code, first);
}

/* A packet is kernel memory and is read like other kernel data. */
static int generate_pcap(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	unsigned first = code->top;
	struct d_action *action;

	if (d_require(compiler, D_NEED_KERNEL_DATA, "pcap( )", &node->place) ||
		d_generate(compiler, code, node->right) < 0 ||
		d_generate(compiler, code, node->right->next) < 0 ||
		d_emit(compiler, code, D_OP_CALL, first, first, 1, D_SUBROUTINE_PACKET))
		return -1;
	action = d_action_new(compiler, D_ACTION_TRACE, 1, 0);
	if (!action)
		return -1;
	action->types[action->argument_count++] = (struct d_value_type){
		.kind = D_VALUE_INTEGER, .is_pointer = true, .size = sizeof(uint64_t)};
	return d_action_emit(compiler, code, first);
}

static int generate_call_statement(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	enum d_action_kind kind = (enum d_action_kind)node->function->id;

	if (d_order_action(compiler, code, node, kind))
		return -1;
	if (d_function_is_stack(node->function))
		return generate_place(compiler, code, node);
	compiler->program->destructive |= d_action_is_destructive(kind);
	if (kind == D_ACTION_RAISE && d_require(compiler, D_NEED_PROCESS, "raise( )", &node->place))
		return -1;
	if (kind == D_ACTION_STOP && d_require(compiler, D_NEED_PROCESS, "stop( )", &node->place))
		return -1;
	switch (kind) {
	case D_ACTION_TRACE:
		return generate_trace(compiler, code, node);
	case D_ACTION_TRACEMEM:
		return d_generate_tracemem(compiler, code, node);
	case D_ACTION_PRINT:
		return d_type_is_stack(node->right->type) ? generate_trace(compiler, code, node)
							  : d_generate_print(compiler, code, node);
	case D_ACTION_PRINTF:
	case D_ACTION_SYSTEM:
	case D_ACTION_FREOPEN:
		return generate_printf(compiler, code, node);
	case D_ACTION_PRINTA:
		return generate_printa(compiler, code, node);
	case D_ACTION_EXIT:
	case D_ACTION_FTRUNCATE:
	case D_ACTION_RAISE:
	case D_ACTION_STOP:
	case D_ACTION_SETOPT:
		return generate_values(compiler, code, node);
	case D_ACTION_PCAP:
		return generate_pcap(compiler, code, node);
	case D_ACTION_CHILL:
	case D_ACTION_PANIC:
	case D_ACTION_BREAKPOINT:
		return d_fail(compiler, &node->place, "D_UNKNOWN",
			"%s( ) is not implemented: it acts on the kernel", node->function->name);
	case D_ACTION_SPECULATE:
	case D_ACTION_COMMIT:
	case D_ACTION_DISCARD:
		return generate_speculation(compiler, code, node);
	default:
		return generate_consumer_action(compiler, code, node);
	}
}

int d_generate_statement(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int result;

	code->top = 0;
	if (d_node_is_action(node)) {
		result = generate_call_statement(compiler, code, node);
	} else if (node->kind == D_NODE_AGGREGATION) {
		result = d_fail(compiler, &node->place, "D_AGG_NULL",
			"expression has null effect: @%s", node->name->bytes);
	} else if (node->kind == D_NODE_ASSIGN && node->left->kind == D_NODE_AGGREGATION) {
		result = d_order_aggregation(compiler, code, node);
		if (!result)
			result = d_generate_aggregation(compiler, code, node);
	} else {
		result = d_generate(compiler, code, node) < 0 ? -1 : 0;
	}
	code->top = 0;
	return result;
}

int d_generate_default(struct d_compiler *compiler, struct d_code *code)
{
	return d_action_new(compiler, D_ACTION_DEFAULT, 0, 0) ? d_action_emit(compiler, code, 0)
							      : -1;
}
