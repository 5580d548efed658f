/*
 * generate_action.c: statements: actions and aggregations, with the checks that DTrace makes when
 * it generates their code.
 */
#include "d/generate_action.h"
#include "d/check.h"
#include "d/check_format.h"
#include "d/generate.h"
#include "d/generate_order.h"
#include "d/generate_stack.h"

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

	if (value->type->kind == D_TYPE_VOID)
		return d_fail(compiler, &value->place, "D_TRACE_VOID",
			"trace( ) may not be applied to a void expression");
	if (value->type->kind == D_TYPE_DYNAMIC)
		return d_fail(compiler, &value->place, "D_TRACE_DYN",
			"trace( ) may not be applied to a dynamic expression");
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

/* A rule for one literal parameter of lquantize and llquantize. */
struct parameter_rule {
	const char *name;
	const char *type_tag, *value_tag, *match_tag;
	int64_t minimum, maximum;
};

static const struct parameter_rule lquantize_rules[] = {
	{"base", "D_LQUANT_BASETYPE", "D_LQUANT_BASEVAL", "D_LQUANT_MATCHBASE", INT32_MIN,
		INT32_MAX},
	{"limit", "D_LQUANT_LIMTYPE", "D_LQUANT_LIMVAL", "D_LQUANT_MATCHLIM", INT32_MIN, INT32_MAX},
	{"step", "D_LQUANT_STEPTYPE", "D_LQUANT_STEPVAL", "D_LQUANT_MATCHSTEP", 1, UINT16_MAX},
};

static const struct parameter_rule llquantize_rules[] = {
	{"factor", "D_LLQUANT_FACTORTYPE", "D_LLQUANT_FACTORVAL", "D_LLQUANT_MATCHFACTOR", 2,
		UINT16_MAX},
	{"low magnitude", "D_LLQUANT_LMAGTYPE", "D_LLQUANT_LMAGVAL", "D_LLQUANT_MATCHLMAG", 0,
		UINT16_MAX},
	{"high magnitude", "D_LLQUANT_HMAGTYPE", "D_LLQUANT_HMAGVAL", "D_LLQUANT_MATCHHMAG", 0,
		UINT16_MAX},
	{"steps", "D_LLQUANT_STEPTYPE", "D_LLQUANT_STEPVAL", "D_LLQUANT_MATCHSTEPS", 1, UINT16_MAX},
};

static int read_parameter(struct d_compiler *compiler, const char *function,
	const struct d_node *node, const struct parameter_rule *rule, int64_t *value)
{
	bool step = rule->minimum == 1; /* a step <= 0 is reported as a wrong type */

	if (node->kind != D_NODE_INTEGER || (step && (int64_t)node->value <= 0))
		return d_fail(compiler, &node->place, rule->type_tag,
			"%s( ) %s must be an integer constant%s", function, rule->name,
			step ? " above zero" : "");
	*value = (int64_t)node->value;
	if (*value < rule->minimum || *value > rule->maximum)
		return d_fail(compiler, &node->place, rule->value_tag,
			"%s( ) %s must be from %lld to %lld", function, rule->name,
			(long long)rule->minimum, (long long)rule->maximum);
	return 0;
}

static int check_linear(
	struct d_compiler *compiler, const struct d_node *node, const int64_t *values)
{
	int64_t levels;

	if (values[1] <= values[0])
		return d_fail(compiler, &node->place, "D_LQUANT_MISMATCH",
			"lquantize( ) limit must be greater than base");
	levels = (values[1] - values[0]) / values[2];
	if (!levels)
		return d_fail(compiler, &node->place, "D_LQUANT_STEPLARGE",
			"lquantize( ) step is larger than the range from base to limit");
	if (levels > UINT16_MAX)
		return d_fail(compiler, &node->place, "D_LQUANT_STEPSMALL",
			"lquantize( ) step is too small: more than %d levels", UINT16_MAX);
	return 0;
}

/* Whether factor raised to power is at most 2^64. */
static bool power_fits(uint64_t factor, int64_t power)
{
	unsigned __int128 value = 1;
	const unsigned __int128 limit = (unsigned __int128)1 << 64;

	for (; power > 0 && value <= limit; power--)
		value *= factor;
	return value <= limit;
}

static uint64_t power_modulo(uint64_t factor, int64_t power, uint64_t modulus)
{
	unsigned __int128 value = 1 % modulus;

	for (; power > 0; power--)
		value = value * factor % modulus;
	return (uint64_t)value;
}

static bool magnitudes_fit(const int64_t *values)
{
	return values[1] <= values[2] && power_fits((uint64_t)values[0], values[2] + 1);
}

static int check_log_linear(
	struct d_compiler *compiler, const struct d_node *node, const int64_t *values)
{
	uint64_t factor = (uint64_t)values[0], steps = (uint64_t)values[3];
	int64_t low = values[1];

	if (!magnitudes_fit(values))
		return d_fail(compiler, &node->place, "D_LLQUANT_HMAGVAL",
			"llquantize( ) high magnitude must not be below the low one, nor its power "
			"above 2^64");
	if ((steps < factor && factor % steps) ||
		(steps > factor &&
			(steps % factor || power_modulo(factor, low ? low + 1 : 2, steps))))
		return d_fail(compiler, &node->place, "D_LLQUANT_STEPVAL",
			"llquantize( ) steps do not divide the factor evenly");
	return 0;
}

/*
 * The constants of lquantize and llquantize: the first use sets them, later ones must agree.
 * *increment is what follows them.
 */
static int check_parameters(struct d_compiler *compiler, const struct d_identifier *identifier,
	const struct d_node *call, const struct d_node **increment)
{
	struct d_aggregation *aggregation = &compiler->program->aggregations[identifier->index];
	bool linear = call->function->id == D_AGGREGATE_LQUANTIZE;
	const struct parameter_rule *rules = linear ? lquantize_rules : llquantize_rules;
	unsigned count = linear ? 3 : 4;
	int64_t values[4] = {0, 0, 1, 0};
	const struct d_node *node = call->right->next;

	for (unsigned i = 0; i < count && node; i++, node = node->next) {
		if (read_parameter(compiler, call->function->name, node, &rules[i], &values[i]))
			return -1;
		/*
		 * The relation of base and limit, or of the magnitudes, is checked before the step.
		 */
		if (linear ? i == 1 && values[1] <= values[0] : i == 2 && !magnitudes_fit(values))
			break;
	}
	*increment = node;
	if (linear ? check_linear(compiler, call, values)
		   : check_log_linear(compiler, call, values))
		return -1;
	for (unsigned i = 0; i < count; i++) {
		/* No valid set of parameters is all zero: the step is never 0. */
		if (aggregation->parameters[count - 1] && aggregation->parameters[i] != values[i])
			return d_fail(compiler, &call->place, rules[i].match_tag,
				"%s( ) %s (%lld) does not match that of an earlier use (%lld)",
				call->function->name, rules[i].name, (long long)values[i],
				(long long)aggregation->parameters[i]);
	}
	memcpy(aggregation->parameters, values, count * sizeof(values[0]));
	return 0;
}

static int generate_aggregation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_identifier *identifier = node->left->identifier;
	const struct d_node *call = node->right, *value = call->right, *increment = NULL;
	int id = call->function->id, keys, value_register, increment_register;
	bool distribution = id == D_AGGREGATE_QUANTIZE || id == D_AGGREGATE_LQUANTIZE ||
		id == D_AGGREGATE_LLQUANTIZE;

	if (value && !d_type_is_scalar(value->type))
		return d_fail(compiler, &value->place, "D_AGG_SCALAR",
			"%s( ) argument #1 must be of scalar type", call->function->name);
	if (id == D_AGGREGATE_QUANTIZE)
		increment = value->next;
	else if (distribution && check_parameters(compiler, identifier, call, &increment))
		return -1;
	if (increment && !d_type_is_scalar(increment->type))
		return d_fail(compiler, &increment->place, "D_PROTO_ARG",
			"%s( ) increment must be of scalar type", call->function->name);
	keys = d_generate_keys(compiler, code, identifier, node->left->right);
	value_register = increment_register = keys;
	if (keys >= 0 && value)
		value_register = d_generate(compiler, code, value);
	if (keys < 0 || value_register < 0)
		return -1;
	if (increment) {
		increment_register = d_generate(compiler, code, increment);
	} else if (distribution) {
		increment_register = d_emit_register(compiler, code, &node->place);
		if (increment_register >= 0 &&
			d_emit_integer(compiler, code, (unsigned)increment_register, 1))
			return -1;
	}
	if (increment_register < 0)
		return -1;
	return d_emit(compiler, code, D_OP_AGGREGATE, (unsigned)keys, (unsigned)value_register,
		(unsigned)increment_register, (int32_t)identifier->index);
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
		return d_generate_print(compiler, code, node);
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
			result = generate_aggregation(compiler, code, node);
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
