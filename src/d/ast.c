/*
 * ast.c: building trees, and the folding of constants.
 *
 * Folding works on 64-bit cells like DTrace's: a result is not cut to its type, except that of a
 * minus before an unsigned operand, and >> of two literals is a logical shift.
 */
#include "d/ast.h"

#include <string.h>

static const char *const texts[D_OPERATORS] = {
	[D_OPERATOR_NONE] = "=",
	[D_OPERATOR_ADD] = "+",
	[D_OPERATOR_SUBTRACT] = "-",
	[D_OPERATOR_MULTIPLY] = "*",
	[D_OPERATOR_DIVIDE] = "/",
	[D_OPERATOR_MODULO] = "%",
	[D_OPERATOR_SHIFT_LEFT] = "<<",
	[D_OPERATOR_SHIFT_RIGHT] = ">>",
	[D_OPERATOR_AND] = "&",
	[D_OPERATOR_XOR] = "^",
	[D_OPERATOR_OR] = "|",
	[D_OPERATOR_LESS] = "<",
	[D_OPERATOR_LESS_EQUAL] = "<=",
	[D_OPERATOR_GREATER] = ">",
	[D_OPERATOR_GREATER_EQUAL] = ">=",
	[D_OPERATOR_EQUAL] = "==",
	[D_OPERATOR_NOT_EQUAL] = "!=",
	[D_OPERATOR_LOGICAL_AND] = "&&",
	[D_OPERATOR_LOGICAL_XOR] = "^^",
	[D_OPERATOR_LOGICAL_OR] = "||",
	[D_OPERATOR_COMMA] = ",",
	[D_OPERATOR_PLUS] = "+",
	[D_OPERATOR_NEGATE] = "-",
	[D_OPERATOR_NOT] = "!",
	[D_OPERATOR_COMPLEMENT] = "~",
	[D_OPERATOR_DEREFERENCE] = "*",
	[D_OPERATOR_ADDRESS] = "&",
	[D_OPERATOR_PRE_INCREMENT] = "++",
	[D_OPERATOR_PRE_DECREMENT] = "--",
	[D_OPERATOR_POST_INCREMENT] = "++",
	[D_OPERATOR_POST_DECREMENT] = "--",
};

static const char *const assign_texts[D_OPERATORS] = {
	[D_OPERATOR_NONE] = "=",
	[D_OPERATOR_ADD] = "+=",
	[D_OPERATOR_SUBTRACT] = "-=",
	[D_OPERATOR_MULTIPLY] = "*=",
	[D_OPERATOR_DIVIDE] = "/=",
	[D_OPERATOR_MODULO] = "%=",
	[D_OPERATOR_SHIFT_LEFT] = "<<=",
	[D_OPERATOR_SHIFT_RIGHT] = ">>=",
	[D_OPERATOR_AND] = "&=",
	[D_OPERATOR_XOR] = "^=",
	[D_OPERATOR_OR] = "|=",
};

const char *d_operator_text(enum d_operator operation, bool with_assign)
{
	return with_assign ? assign_texts[operation] : texts[operation];
}

struct d_node *d_node_new(
	struct d_compiler *compiler, enum d_node_kind kind, const struct d_place *place)
{
	struct d_node *node = d_get(compiler, sizeof(*node));

	if (node) {
		node->kind = kind;
		node->place = *place;
		node->height = 1;
	}
	return node;
}

/* The first operator of each precedence; 0: not a binary operator. */
static unsigned precedence_of(const struct d_node *node)
{
	static const unsigned char first[D_OPERATORS] = {
		[D_OPERATOR_ADD] = D_OPERATOR_ADD,
		[D_OPERATOR_SUBTRACT] = D_OPERATOR_ADD,
		[D_OPERATOR_MULTIPLY] = D_OPERATOR_MULTIPLY,
		[D_OPERATOR_DIVIDE] = D_OPERATOR_MULTIPLY,
		[D_OPERATOR_MODULO] = D_OPERATOR_MULTIPLY,
		[D_OPERATOR_SHIFT_LEFT] = D_OPERATOR_SHIFT_LEFT,
		[D_OPERATOR_SHIFT_RIGHT] = D_OPERATOR_SHIFT_LEFT,
		[D_OPERATOR_AND] = D_OPERATOR_AND,
		[D_OPERATOR_XOR] = D_OPERATOR_XOR,
		[D_OPERATOR_OR] = D_OPERATOR_OR,
		[D_OPERATOR_LESS] = D_OPERATOR_LESS,
		[D_OPERATOR_LESS_EQUAL] = D_OPERATOR_LESS,
		[D_OPERATOR_GREATER] = D_OPERATOR_LESS,
		[D_OPERATOR_GREATER_EQUAL] = D_OPERATOR_LESS,
		[D_OPERATOR_EQUAL] = D_OPERATOR_EQUAL,
		[D_OPERATOR_NOT_EQUAL] = D_OPERATOR_EQUAL,
		[D_OPERATOR_LOGICAL_AND] = D_OPERATOR_LOGICAL_AND,
		[D_OPERATOR_LOGICAL_XOR] = D_OPERATOR_LOGICAL_XOR,
		[D_OPERATOR_LOGICAL_OR] = D_OPERATOR_LOGICAL_OR,
		[D_OPERATOR_COMMA] = D_OPERATOR_COMMA,
	};

	return node->kind == D_NODE_BINARY ? first[node->operation] : 0;
}

bool d_node_continues(const struct d_node *node)
{
	unsigned precedence = precedence_of(node);

	return precedence && precedence_of(node->left) == precedence;
}

int d_chain_start(struct d_compiler *compiler, const struct d_node *node, size_t *start)
{
	struct d_node *at = (struct d_node *)node;
	bool goes_on;

	*start = compiler->chain_count;
	do {
		if (array_room(&compiler->chain, &compiler->chain_capacity, compiler->chain_count,
			    sizeof(struct d_node *))) {
			compiler->chain_count = *start;
			return d_fail_memory(compiler);
		}
		compiler->chain[compiler->chain_count++] = at;
		goes_on = d_node_continues(at);
		at = at->left;
	} while (goes_on);
	return 0;
}

struct d_node *d_chain_next(struct d_compiler *compiler, size_t start)
{
	return compiler->chain_count > start ? compiler->chain[--compiler->chain_count] : NULL;
}

void d_chain_stop(struct d_compiler *compiler, size_t start)
{
	compiler->chain_count = start;
}

static void raise_height(struct d_node *node, const struct d_node *list)
{
	for (; list; list = list->next) {
		if (list->height >= node->height)
			node->height = (uint16_t)(list->height + 1);
	}
}

struct d_node *d_node_finish(struct d_compiler *compiler, struct d_node *node)
{
	if (d_node_continues(node))
		node->height = node->left->height;
	else
		raise_height(node, node->left);
	raise_height(node, node->right);
	if (node->kind == D_NODE_TERNARY)
		raise_height(node, node->condition);
	if (node->height > D_HEIGHT_MAX) {
		d_fail(compiler, &node->place, "D_SYNTAX",
			"expression has more than %d levels of operators", D_HEIGHT_MAX);
		return NULL;
	}
	return node;
}

struct d_node *d_node_integer(struct d_compiler *compiler, const struct d_place *place,
	uint64_t value, const struct d_type *type)
{
	struct d_node *node = d_node_new(compiler, D_NODE_INTEGER, place);

	if (node) {
		node->value = value;
		node->type = type;
	}
	return node;
}

/*
 * A folded constant replaces its first operand. An unoptimized program computes it: then `kind` and
 * the operands are kept, the first one as a copy. right is NULL if there is only one.
 */
static struct d_node *set_integer(struct d_compiler *compiler, enum d_node_kind kind,
	enum d_operator operation, const struct d_place *place, struct d_node *node,
	struct d_node *right, uint64_t value, const struct d_type *type)
{
	struct d_node *kept = NULL;

	if (compiler->settings.unoptimized) {
		kept = d_node_new(compiler, kind, place);
		if (kept)
			kept->left = d_get(compiler, sizeof(*node));
		if (!kept || !kept->left)
			return NULL;
		*kept->left = *node;
		kept->operation = operation;
		kept->right = right;
		kept->type = kind == D_NODE_BINARY ? d_type_promote(node->type, right->type) : type;
	}
	node->computation = kept;
	node->place = *place;
	node->value = value;
	node->type = type;
	return node;
}

static bool is_integer(const struct d_node *node)
{
	return node->kind == D_NODE_INTEGER && d_type_is_integer(node->type);
}

struct d_node *d_node_unary(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *operand)
{
	struct d_node *node;
	uint64_t value;

	if (!operand)
		return NULL;
	if (is_integer(operand)) {
		switch (operation) {
		case D_OPERATOR_PLUS:
			return operand;
		case D_OPERATOR_NEGATE:
			value = -operand->value;
			if (!operand->type->is_signed)
				value = d_type_cut(operand->type, value);
			return set_integer(compiler, D_NODE_UNARY, operation, place, operand, NULL,
				value, operand->type);
		case D_OPERATOR_COMPLEMENT:
			return set_integer(compiler, D_NODE_UNARY, operation, place, operand, NULL,
				~operand->value, operand->type);
		case D_OPERATOR_NOT:
			return set_integer(compiler, D_NODE_UNARY, operation, place, operand, NULL,
				!operand->value, compiler->types.type_int);
		default:
			break;
		}
	}
	node = d_node_new(compiler, D_NODE_UNARY, place);
	if (!node)
		return NULL;
	node->operation = operation;
	node->left = operand;
	return d_node_finish(compiler, node);
}

static uint64_t divide(uint64_t x, uint64_t y, bool is_signed, bool modulo)
{
	if (!is_signed)
		return modulo ? x % y : x / y;
	if (y == UINT64_MAX)
		return modulo ? 0 : -x;
	return modulo ? (uint64_t)((int64_t)x % (int64_t)y) : (uint64_t)((int64_t)x / (int64_t)y);
}

static bool less(uint64_t x, uint64_t y, bool is_signed)
{
	return is_signed ? (int64_t)x < (int64_t)y : x < y;
}

/* The value of x operator y; *type becomes int for comparisons. */
static uint64_t fold(
	enum d_operator operation, uint64_t x, uint64_t y, bool is_signed, bool *boolean)
{
	*boolean = operation >= D_OPERATOR_LESS;
	switch (operation) {
	case D_OPERATOR_ADD:
		return x + y;
	case D_OPERATOR_SUBTRACT:
		return x - y;
	case D_OPERATOR_MULTIPLY:
		return x * y;
	case D_OPERATOR_DIVIDE:
	case D_OPERATOR_MODULO:
		return divide(x, y, is_signed, operation == D_OPERATOR_MODULO);
	case D_OPERATOR_SHIFT_LEFT:
		return x << (y & 63);
	case D_OPERATOR_SHIFT_RIGHT:
		return x >> (y & 63);
	case D_OPERATOR_AND:
		return x & y;
	case D_OPERATOR_XOR:
		return x ^ y;
	case D_OPERATOR_OR:
		return x | y;
	case D_OPERATOR_LESS:
		return less(x, y, is_signed);
	case D_OPERATOR_LESS_EQUAL:
		return !less(y, x, is_signed);
	case D_OPERATOR_GREATER:
		return less(y, x, is_signed);
	case D_OPERATOR_GREATER_EQUAL:
		return !less(x, y, is_signed);
	case D_OPERATOR_EQUAL:
		return x == y;
	case D_OPERATOR_NOT_EQUAL:
		return x != y;
	case D_OPERATOR_LOGICAL_AND:
		return x && y;
	case D_OPERATOR_LOGICAL_XOR:
		return !x != !y;
	default:
		return x || y;
	}
}

static bool is_division(enum d_operator operation)
{
	return operation == D_OPERATOR_DIVIDE || operation == D_OPERATOR_MODULO;
}

struct d_node *d_node_binary(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *left, struct d_node *right)
{
	const struct d_type *type;
	struct d_node *node;
	uint64_t value;
	bool boolean;

	if (!left || !right)
		return NULL;
	if (is_division(operation) && d_node_is_zero(right)) {
		d_fail(compiler, place, "D_DIV_ZERO", "expression contains division by zero");
		return NULL;
	}
	if (is_integer(left) && is_integer(right) && operation != D_OPERATOR_COMMA) {
		type = d_type_promote(left->type, right->type);
		value = fold(operation, left->value, right->value, type->is_signed, &boolean);
		if (operation == D_OPERATOR_SHIFT_LEFT || operation == D_OPERATOR_SHIFT_RIGHT)
			type = left->type;
		return set_integer(compiler, D_NODE_BINARY, operation, place, left, right, value,
			boolean ? compiler->types.type_int : type);
	}
	node = d_node_new(compiler, D_NODE_BINARY, place);
	if (!node)
		return NULL;
	node->operation = operation;
	node->left = left;
	node->right = right;
	return d_node_finish(compiler, node);
}

struct d_node *d_node_assign(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *left, struct d_node *right)
{
	struct d_node *node;

	if (!left || !right)
		return NULL;
	if (is_division(operation) && d_node_is_zero(right)) {
		d_fail(compiler, place, "D_DIV_ZERO", "expression contains division by zero");
		return NULL;
	}
	node = d_node_new(compiler, D_NODE_ASSIGN, place);
	if (!node)
		return NULL;
	node->operation = operation;
	node->left = left;
	node->right = right;
	return d_node_finish(compiler, node);
}

/* condition ? left : right; if the condition is constant, only one side is kept. */
struct d_node *d_node_ternary(struct d_compiler *compiler, const struct d_place *place,
	struct d_node *condition, struct d_node *left, struct d_node *right)
{
	struct d_node *node;

	if (!condition || !left || !right)
		return NULL;
	if (is_integer(condition))
		return condition->value ? left : right;
	node = d_node_new(compiler, D_NODE_TERNARY, place);
	if (!node)
		return NULL;
	node->condition = condition;
	node->left = left;
	node->right = right;
	return d_node_finish(compiler, node);
}

struct d_node *d_node_cast(struct d_compiler *compiler, const struct d_place *place,
	const struct d_type *type, struct d_node *operand)
{
	struct d_node *node;

	if (!operand)
		return NULL;
	if (is_integer(operand) && d_type_is_integer(type) && !d_type_is_incomplete(type))
		return set_integer(compiler, D_NODE_CAST, D_OPERATOR_NONE, place, operand, NULL,
			d_type_cut(type, operand->value), type);
	node = d_node_new(compiler, D_NODE_CAST, place);
	if (!node)
		return NULL;
	node->written = type;
	node->left = operand;
	return d_node_finish(compiler, node);
}

unsigned d_node_count(const struct d_node *list)
{
	unsigned count = 0;

	for (; list; list = list->next)
		count++;
	return count;
}

bool d_node_is_zero(const struct d_node *node)
{
	return is_integer(node) && !node->value;
}

bool d_node_is_boolean(const struct d_node *node)
{
	if (node->kind == D_NODE_BINARY)
		return node->operation >= D_OPERATOR_LESS &&
			node->operation <= D_OPERATOR_LOGICAL_OR;
	return node->kind == D_NODE_UNARY && node->operation == D_OPERATOR_NOT;
}

bool d_node_is_action(const struct d_node *node)
{
	return node->kind == D_NODE_CALL && node->function->kind == D_FUNCTION_ACTION;
}

bool d_node_is_place(const struct d_node *node)
{
	switch (node->kind) {
	case D_NODE_MEMBER:
		return node->member;
	case D_NODE_INDEX:
		return !node->identifier && !node->is_argument;
	case D_NODE_UNARY:
		return node->operation == D_OPERATOR_DEREFERENCE;
	default:
		return false;
	}
}

bool d_node_is_character(const struct d_node *node)
{
	return d_node_is_place(node) && node->kind != D_NODE_MEMBER &&
		d_type_is_string(node->left->type);
}

int d_node_remember(struct d_compiler *compiler, struct d_node *node)
{
	struct d_remembered *remembered;

	if (!compiler->description)
		return 0;
	remembered = d_get(compiler, sizeof(*remembered));
	if (!remembered)
		return -1;
	remembered->node = node;
	remembered->was = *node;
	remembered->next = compiler->remembered;
	compiler->remembered = remembered;
	return 0;
}

void d_nodes_restore(struct d_compiler *compiler)
{
	struct d_remembered *remembered = compiler->remembered;

	/* Newest first, because a node may have been remembered twice. */
	for (; remembered; remembered = remembered->next) {
		struct d_node *next = remembered->node->next;

		*remembered->node = remembered->was;
		remembered->node->next = next;
	}
	compiler->remembered = NULL;
}
