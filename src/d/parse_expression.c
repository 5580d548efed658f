/*
 * parse_expression.c: the grammar of expressions, by recursive descent; binary operators by
 * precedence. The depth of recursion is counted and limited.
 */
#include "d/hint.h"
#include "d/lex.h"
#include "d/parse.h"
#include "d/parse_inline.h"
#include "d/parse_translator.h"
#include "d/type_kernel.h"

#include <stdio.h>
#include <string.h>

static struct d_node *parse_unary(struct d_compiler *compiler, bool *simple);

static bool enter(struct d_compiler *compiler)
{
	if (++compiler->nesting <= D_NESTING_MAX)
		return true;
	d_fail(compiler, &compiler->token.place, "D_SYNTAX", "expression is nested too deeply");
	return false;
}

static bool advance(struct d_compiler *compiler)
{
	return !d_lexer_next(compiler);
}

/* Precedence of a binary operator, from 1 (||); 0: not a binary operator. */
static int precedence(enum d_token_kind kind, enum d_operator *operation)
{
	static const struct {
		unsigned char precedence, operation;
	} table[D_TOKENS] = {
		[D_TOKEN_LOGICAL_OR] = {1, D_OPERATOR_LOGICAL_OR},
		[D_TOKEN_LOGICAL_XOR] = {2, D_OPERATOR_LOGICAL_XOR},
		[D_TOKEN_LOGICAL_AND] = {3, D_OPERATOR_LOGICAL_AND},
		[D_TOKEN_OR] = {4, D_OPERATOR_OR},
		[D_TOKEN_XOR] = {5, D_OPERATOR_XOR},
		[D_TOKEN_AND] = {6, D_OPERATOR_AND},
		[D_TOKEN_EQUAL] = {7, D_OPERATOR_EQUAL},
		[D_TOKEN_NOT_EQUAL] = {7, D_OPERATOR_NOT_EQUAL},
		[D_TOKEN_LESS] = {8, D_OPERATOR_LESS},
		[D_TOKEN_LESS_EQUAL] = {8, D_OPERATOR_LESS_EQUAL},
		[D_TOKEN_GREATER] = {8, D_OPERATOR_GREATER},
		[D_TOKEN_GREATER_EQUAL] = {8, D_OPERATOR_GREATER_EQUAL},
		[D_TOKEN_SHIFT_LEFT] = {9, D_OPERATOR_SHIFT_LEFT},
		[D_TOKEN_SHIFT_RIGHT] = {9, D_OPERATOR_SHIFT_RIGHT},
		[D_TOKEN_PLUS] = {10, D_OPERATOR_ADD},
		[D_TOKEN_MINUS] = {10, D_OPERATOR_SUBTRACT},
		[D_TOKEN_STAR] = {11, D_OPERATOR_MULTIPLY},
		[D_TOKEN_SLASH] = {11, D_OPERATOR_DIVIDE},
		[D_TOKEN_PERCENT] = {11, D_OPERATOR_MODULO},
	};

	*operation = (enum d_operator)table[kind].operation;
	return table[kind].precedence;
}

static bool assignment_operator(enum d_token_kind kind, enum d_operator *operation)
{
	static const unsigned char table[] = {D_OPERATOR_NONE, D_OPERATOR_ADD, D_OPERATOR_SUBTRACT,
		D_OPERATOR_MULTIPLY, D_OPERATOR_DIVIDE, D_OPERATOR_MODULO, D_OPERATOR_SHIFT_LEFT,
		D_OPERATOR_SHIFT_RIGHT, D_OPERATOR_AND, D_OPERATOR_XOR, D_OPERATOR_OR};

	if (kind < D_TOKEN_ASSIGN || kind > D_TOKEN_OR_ASSIGN)
		return false;
	*operation = (enum d_operator)table[kind - D_TOKEN_ASSIGN];
	return true;
}

/* Expressions separated by commas, up to the token `end`, which is consumed. */
static int parse_list(struct d_compiler *compiler, enum d_token_kind end, struct d_node **list)
{
	const char *expected = end == D_TOKEN_RIGHT_PAREN ? ", or )" : ", or ]";

	*list = NULL;
	if (compiler->token.kind == end && end == D_TOKEN_RIGHT_PAREN)
		return d_lexer_next(compiler);
	for (;;) {
		*list = d_parse_assignment(compiler);
		if (!*list)
			return -1;
		list = &(*list)->next;
		if (compiler->token.kind != D_TOKEN_COMMA)
			return d_expect(compiler, end, expected);
		if (d_lexer_next(compiler))
			return -1;
	}
}

static struct d_node *parse_name(struct d_compiler *compiler)
{
	struct d_token token = compiler->token;
	struct d_identifier *identifier = d_symbol_find(compiler, token.name, D_SPACE_GLOBAL);
	struct d_node *node;

	node = d_inline_hole(compiler, token.name, &token.place);
	if (node || compiler->failed)
		return node && advance(compiler) ? node : NULL;
	if (!strcmp(token.name->bytes, "NULL")) {
		node = d_node_integer(compiler, &token.place, 0, compiler->types.type_int);
	} else if (identifier && identifier->kind == D_IDENTIFIER_ENUMERATOR) {
		node = d_node_integer(compiler, &token.place, identifier->value, identifier->type);
	} else if (identifier && identifier->kind == D_IDENTIFIER_INLINE && !identifier->text &&
		!identifier->tree) {
		node = d_node_integer(compiler, &token.place, identifier->value, identifier->type);
	} else {
		bool text =
			identifier && identifier->kind == D_IDENTIFIER_INLINE && identifier->text;

		node = d_node_new(compiler, text ? D_NODE_STRING : D_NODE_NAME, &token.place);
		if (node)
			node->name = text ? identifier->text : token.name;
	}
	return node && advance(compiler) ? node : NULL;
}

static struct d_node *parse_primary(struct d_compiler *compiler)
{
	struct d_token token = compiler->token;
	struct d_node *node = NULL;

	switch (token.kind) {
	case D_TOKEN_INTEGER:
		node = d_node_integer(compiler, &token.place, token.value, token.type);
		break;
	case D_TOKEN_STRING:
		node = d_node_new(compiler, D_NODE_STRING, &token.place);
		if (node)
			node->name = token.name;
		break;
	case D_TOKEN_NAME:
		return parse_name(compiler);
	case D_TOKEN_SELF:
		node = d_node_new(compiler, D_NODE_SELF, &token.place);
		break;
	case D_TOKEN_THIS:
		node = d_node_new(compiler, D_NODE_THIS, &token.place);
		break;
	case D_TOKEN_AGGREGATION:
		node = d_node_new(compiler, D_NODE_AGGREGATION, &token.place);
		if (!node || !advance(compiler))
			return NULL;
		node->name = token.name;
		if (compiler->token.kind != D_TOKEN_LEFT_BRACKET)
			return node;
		node->indexed = true;
		if (!advance(compiler) || parse_list(compiler, D_TOKEN_RIGHT_BRACKET, &node->right))
			return NULL;
		return d_node_finish(compiler, node);
	case D_TOKEN_DO:
	case D_TOKEN_FOR:
	case D_TOKEN_WHILE:
		d_fail_syntax(compiler, &token.place, "an expression (D has no loops)");
		break;
	default:
		d_fail_syntax(compiler, &token.place, "an expression");
	}
	return node && advance(compiler) ? node : NULL;
}

/* A call; name is the token before the parenthesis, which is the current token. */
static struct d_node *parse_call(struct d_compiler *compiler, struct d_node *name)
{
	struct d_identifier *identifier;
	struct d_node *node;
	char hint[D_HINT_MAX];

	if (name->kind != D_NODE_NAME) {
		d_fail(compiler, &name->place, "D_FUNC_IDENT",
			"function designator is not a function's name");
		return NULL;
	}
	node = d_node_new(compiler, D_NODE_CALL, &name->place);
	if (!node || !advance(compiler) || parse_list(compiler, D_TOKEN_RIGHT_PAREN, &node->right))
		return NULL;
	identifier = d_symbol_find(compiler, name->name, D_SPACE_GLOBAL);
	if (!identifier) {
		d_fail(compiler, &name->place, "D_FUNC_UNDEF", "undefined function name: %s%s",
			name->name->bytes,
			d_hint_name(compiler, name->name, D_SPACE_GLOBAL, true, hint));
		return NULL;
	}
	compiler->asks.guest_stack |= strcmp(name->name->bytes, "jstack") == 0;
	if (identifier->kind != D_IDENTIFIER_FUNCTION) {
		d_fail(compiler, &name->place, "D_FUNC_IDKIND",
			"'%s' may not be referenced as a function", name->name->bytes);
		return NULL;
	}
	node->function = identifier->function;
	node->name = name->name;
	return d_node_finish(compiler, node);
}

static struct d_node *parse_member(struct d_compiler *compiler, struct d_node *left)
{
	struct d_node *node = d_node_new(compiler, D_NODE_MEMBER, &compiler->token.place);

	if (!node)
		return NULL;
	node->arrow = compiler->token.kind == D_TOKEN_ARROW;
	node->left = left;
	if (!advance(compiler))
		return NULL;
	if (compiler->token.kind != D_TOKEN_NAME) {
		d_fail_syntax(compiler, &compiler->token.place, "a name");
		return NULL;
	}
	node->name = compiler->token.name;
	if (left->kind == D_NODE_SELF || left->kind == D_NODE_THIS) {
		const char *end = compiler->token.place.start + compiler->token.place.length;

		node->place = left->place;
		if (node->place.line == compiler->token.place.line)
			node->place.length = (uint32_t)(end - node->place.start);
	}
	return advance(compiler) ? d_node_finish(compiler, node) : NULL;
}

/* What follows a primary expression. */
static struct d_node *parse_postfix(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *outer;

	while (node) {
		struct d_place place = compiler->token.place;

		switch (compiler->token.kind) {
		case D_TOKEN_LEFT_BRACKET:
			outer = d_node_new(compiler, D_NODE_INDEX, &node->place);
			if (!outer || !advance(compiler))
				return NULL;
			outer->left = node;
			if (parse_list(compiler, D_TOKEN_RIGHT_BRACKET, &outer->right))
				return NULL;
			node = d_node_finish(compiler, outer);
			break;
		case D_TOKEN_LEFT_PAREN:
			node = parse_call(compiler, node);
			break;
		case D_TOKEN_DOT:
		case D_TOKEN_ARROW:
			node = parse_member(compiler, node);
			break;
		case D_TOKEN_INCREMENT:
		case D_TOKEN_DECREMENT:
			node = d_node_unary(compiler,
				compiler->token.kind == D_TOKEN_INCREMENT
					? D_OPERATOR_POST_INCREMENT
					: D_OPERATOR_POST_DECREMENT,
				&place, node);
			if (!advance(compiler))
				return NULL;
			break;
		default:
			return node;
		}
	}
	return NULL;
}

/* sizeof; a constant if the operand is a type or a literal. NULL: failed. */
static struct d_node *parse_sizeof(struct d_compiler *compiler, const struct d_place *place)
{
	const struct d_type *type = NULL;
	struct d_node *node, *operand = NULL;
	char hint[D_HINT_MAX];
	uint64_t size;

	if (compiler->token.kind == D_TOKEN_LEFT_PAREN) {
		if (!advance(compiler))
			return NULL;
		if (d_begins_type(&compiler->token)) {
			type = d_parse_type_name(compiler);
			if (!type)
				return NULL;
		} else {
			operand = d_parse_expression(compiler);
			if (!operand)
				return NULL;
		}
		if (d_expect(compiler, D_TOKEN_RIGHT_PAREN, ")"))
			return NULL;
	} else {
		bool simple;

		operand = parse_unary(compiler, &simple);
		if (!operand)
			return NULL;
	}
	if (operand && operand->kind == D_NODE_STRING)
		return d_node_integer(
			compiler, place, operand->name->length + 1, compiler->types.type_size);
	if (operand && operand->kind == D_NODE_INTEGER)
		type = operand->type;
	if (!type) {
		node = d_node_new(compiler, D_NODE_SIZEOF, place);
		if (!node)
			return NULL;
		node->left = operand;
		return d_node_finish(compiler, node);
	}
	size = d_types_complete(&compiler->types, type) ? 0 : d_types_size(&compiler->types, type);
	if (!size) {
		d_fail(compiler, place, "D_SIZEOF_TYPE",
			"cannot apply sizeof to an operand of size 0 or unknown%s",
			d_hint_tag(compiler, type, hint));
		return NULL;
	}
	return d_node_integer(compiler, place, size, compiler->types.type_size);
}

/* offsetof(type, member): a constant. */
static struct d_node *parse_offsetof(struct d_compiler *compiler, const struct d_place *place)
{
	const struct d_member *member;
	const struct d_type *type;
	struct d_token token;
	char text[80], hint[D_HINT_MAX];

	if (d_expect(compiler, D_TOKEN_LEFT_PAREN, "("))
		return NULL;
	if (!d_begins_type(&compiler->token)) {
		d_fail_syntax(compiler, &compiler->token.place, "a type");
		return NULL;
	}
	type = d_parse_type_name(compiler);
	compiler->lexer.member_next = true;
	if (!type || d_expect(compiler, D_TOKEN_COMMA, ","))
		return NULL;
	compiler->lexer.member_next = false;
	token = compiler->token;
	if (token.kind != D_TOKEN_NAME) {
		d_fail_syntax(compiler, &token.place, "a member's name");
		return NULL;
	}
	if (!advance(compiler) || d_expect(compiler, D_TOKEN_RIGHT_PAREN, ")"))
		return NULL;
	if (d_types_complete(&compiler->types, type)) {
		d_fail_memory(compiler);
		return NULL;
	}
	if (!d_type_is_struct(type) || d_type_is_incomplete(type)) {
		d_fail(compiler, place, "D_OFFSETOF_TYPE",
			"offsetof operand must be a struct or union type: %s%s",
			d_type_text(type, text, sizeof(text)), d_hint_tag(compiler, type, hint));
		return NULL;
	}
	member = d_type_member(type, token.name);
	if (!member)
		d_fail(compiler, &token.place, "D_UNKNOWN",
			"failed to determine offset of %s: No such member name%s",
			token.name->bytes, d_hint_member(type, token.name->bytes, hint));
	else if (member->bits)
		d_fail(compiler, &token.place, "D_OFFSETOF_BITFIELD",
			"cannot take offset of a bit-field: %s", token.name->bytes);
	return member && !member->bits
		? d_node_integer(compiler, place, member->offset, compiler->types.type_int)
		: NULL;
}

/* A name that is no type's is used as one: what is before the next token is not an operand. */
static struct d_node *fail_type(
	struct d_compiler *compiler, const struct d_node *node, const char *expected)
{
	char text[200], hint[D_HINT_MAX];

	snprintf(text, sizeof(text), "%s: %.64s is not a type%s", expected, node->name->bytes,
		d_hint_type(compiler, node->name, hint));
	d_fail_syntax(compiler, &compiler->token.place, text);
	return NULL;
}

static bool begins_operand(enum d_token_kind kind)
{
	return kind == D_TOKEN_INTEGER || kind == D_TOKEN_STRING || kind == D_TOKEN_NAME ||
		kind == D_TOKEN_SELF || kind == D_TOKEN_THIS;
}

static struct d_node *parse_cast(struct d_compiler *compiler, const struct d_place *place)
{
	const struct d_type *type = d_parse_type_name(compiler);
	bool simple;

	if (!type || d_expect(compiler, D_TOKEN_RIGHT_PAREN, ")"))
		return NULL;
	return d_node_cast(compiler, place, type, parse_unary(compiler, &simple));
}

/* *simple: what was read may be on the left of an assignment operator. */
static struct d_node *parse_unary_inner(struct d_compiler *compiler, bool *simple)
{
	static const unsigned char operators[D_TOKENS] = {
		[D_TOKEN_INCREMENT] = D_OPERATOR_PRE_INCREMENT,
		[D_TOKEN_DECREMENT] = D_OPERATOR_PRE_DECREMENT,
		[D_TOKEN_AND] = D_OPERATOR_ADDRESS,
		[D_TOKEN_STAR] = D_OPERATOR_DEREFERENCE,
		[D_TOKEN_PLUS] = D_OPERATOR_PLUS,
		[D_TOKEN_MINUS] = D_OPERATOR_NEGATE,
		[D_TOKEN_COMPLEMENT] = D_OPERATOR_COMPLEMENT,
		[D_TOKEN_NOT] = D_OPERATOR_NOT,
	};
	struct d_place place = compiler->token.place;
	enum d_token_kind kind = compiler->token.kind;
	struct d_node *node, *operand;
	bool inner_simple;

	*simple = true;
	if (operators[kind]) {
		if (!advance(compiler))
			return NULL;
		operand = parse_unary(compiler, &inner_simple);
		return d_node_unary(compiler, (enum d_operator)operators[kind], &place, operand);
	}
	if (kind == D_TOKEN_SIZEOF)
		return advance(compiler) ? parse_sizeof(compiler, &place) : NULL;
	if (kind == D_TOKEN_STRINGOF) {
		if (!advance(compiler))
			return NULL;
		node = d_node_new(compiler, D_NODE_STRINGOF, &place);
		operand = node ? parse_unary(compiler, &inner_simple) : NULL;
		if (!operand)
			return NULL;
		node->left = operand;
		return d_node_finish(compiler, node);
	}
	if (kind == D_TOKEN_OFFSETOF)
		return advance(compiler) ? parse_offsetof(compiler, &place) : NULL;
	if (kind == D_TOKEN_XLATE)
		return advance(compiler) ? parse_postfix(compiler, d_parse_xlate(compiler, &place))
					 : NULL;
	if (kind == D_TOKEN_LEFT_PAREN) {
		if (!advance(compiler))
			return NULL;
		if (d_begins_type(&compiler->token)) {
			*simple = false;
			return parse_cast(compiler, &place);
		}
		node = d_parse_expression(compiler);
		if (!node || d_expect(compiler, D_TOKEN_RIGHT_PAREN, ")"))
			return NULL;
		return node->kind == D_NODE_NAME && begins_operand(compiler->token.kind)
			? fail_type(compiler, node, "an operator")
			: parse_postfix(compiler, node);
	}
	return parse_postfix(compiler, parse_primary(compiler));
}

static struct d_node *parse_unary(struct d_compiler *compiler, bool *simple)
{
	struct d_node *node;

	if (!enter(compiler))
		return NULL;
	node = parse_unary_inner(compiler, simple);
	compiler->nesting--;
	return node;
}

static struct d_node *parse_binary(struct d_compiler *compiler, int lowest, bool *simple)
{
	struct d_node *left = parse_unary(compiler, simple), *right;
	enum d_operator operation;
	bool right_simple;
	int level;

	while (left) {
		struct d_place place = compiler->token.place;

		level = precedence(compiler->token.kind, &operation);
		if (level < lowest || !level)
			break;
		*simple = false;
		if (!advance(compiler))
			return NULL;
		if (operation == D_OPERATOR_MULTIPLY && left->kind == D_NODE_NAME &&
			compiler->token.kind == D_TOKEN_RIGHT_PAREN)
			return fail_type(compiler, left, "an expression");
		right = parse_binary(compiler, level + 1, &right_simple);
		left = d_node_binary(compiler, operation, &place, left, right);
	}
	return left;
}

/* "binary", or "binary ? expression : ternary". */
static struct d_node *parse_ternary(struct d_compiler *compiler, bool *simple)
{
	struct d_node *node = NULL, *condition, *left, *right;
	struct d_place place;
	bool right_simple;

	if (!enter(compiler))
		return NULL;
	condition = parse_binary(compiler, 1, simple);
	if (!condition || compiler->token.kind != D_TOKEN_QUESTION) {
		compiler->nesting--;
		return condition;
	}
	*simple = false;
	place = compiler->token.place;
	if (advance(compiler)) {
		left = d_parse_expression(compiler);
		if (left && !d_expect(compiler, D_TOKEN_COLON, ":")) {
			right = parse_ternary(compiler, &right_simple);
			node = d_node_ternary(compiler, &place, condition, left, right);
		}
	}
	compiler->nesting--;
	return node;
}

struct d_node *d_parse_assignment(struct d_compiler *compiler)
{
	enum d_operator operation;
	struct d_node *left, *right;
	struct d_place place;
	bool simple;

	if (!enter(compiler))
		return NULL;
	left = parse_ternary(compiler, &simple);
	place = compiler->token.place;
	if (left && assignment_operator(compiler->token.kind, &operation)) {
		if (!simple) {
			d_fail_syntax(compiler, &place, NULL);
			left = NULL;
		} else if (!advance(compiler)) {
			left = NULL;
		} else {
			right = d_parse_assignment(compiler);
			left = d_node_assign(compiler, operation, &place, left, right);
		}
	}
	compiler->nesting--;
	return left;
}

struct d_node *d_parse_expression(struct d_compiler *compiler)
{
	struct d_node *left = d_parse_assignment(compiler), *right;

	while (left && compiler->token.kind == D_TOKEN_COMMA) {
		struct d_place place = compiler->token.place;

		if (!advance(compiler))
			return NULL;
		right = d_parse_assignment(compiler);
		left = d_node_binary(compiler, D_OPERATOR_COMMA, &place, left, right);
	}
	return left;
}
