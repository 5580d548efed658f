/*
 * generate_aggregation.c: @name[keys] = function(value): the statement, with the checks of the
 * parameters of lquantize() and llquantize() that DTrace makes when it generates the code.
 */
#include "d/generate.h"
#include "d/generate_action.h"
#include "d/hint.h"

#include <string.h>

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

int d_generate_aggregation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_identifier *identifier = node->left->identifier;
	const struct d_node *call = node->right, *value = call->right, *increment = NULL;
	int id = call->function->id, keys, value_register, increment_register;
	bool distribution = id == D_AGGREGATE_QUANTIZE || id == D_AGGREGATE_LQUANTIZE ||
		id == D_AGGREGATE_LLQUANTIZE;
	char hint[D_HINT_MAX];

	if (value && !d_type_is_scalar(value->type))
		return d_fail(compiler, &value->place, "D_AGG_SCALAR",
			"%s( ) argument #1 must be of scalar type%s", call->function->name,
			d_hint_translated(value, hint));
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
