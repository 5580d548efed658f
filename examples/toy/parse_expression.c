/*
 * parse_expression.c: expressions, with precedence climbing for binary operators.
 */
#include "heap.h"
#include "parser_internal.h"

static void parse_arguments(struct parser *parser, struct node *node, const char *end)
{
	parser_skip_newlines(parser);
	while (!parser->failed && !parser_at(parser, end)) {
		parser_add(parser, node, parser_expression(parser));
		parser_skip_newlines(parser);
		if (!parser_accept(parser, ","))
			break;
		parser_skip_newlines(parser);
	}
	parser_expect(parser, end);
	if (node->count > 200 && node->kind != NODE_ARRAY)
		parser_fail(parser, node->line, "more than 200 arguments");
}

static struct node *parse_constant(struct parser *parser, value content, int line)
{
	struct node *node = parser_node(parser, NODE_CONSTANT_VALUE, line);

	node->content = content;
	return node;
}

static struct node *parse_text(struct parser *parser, const struct token *token)
{
	struct place place = {&parser->file->name, token->line};
	struct string *string = string_new(parser->cap, place, token->text, token->length);
	struct vm *vm = parser->cap->vm;
	int error;

	if (!string) {
		parser_fail(parser, token->line, "out of memory");
		return parser_node(parser, NODE_NIL, token->line);
	}
	pthread_mutex_lock(&vm->names);
	error = object_list_add(&vm->literals, &string->object);
	pthread_mutex_unlock(&vm->names);
	if (error)
		parser_fail(parser, token->line, "out of memory");
	return parse_constant(parser, value_object(string), token->line);
}

static struct node *parse_string(struct parser *parser)
{
	struct token token = parser->token;
	struct node *node;

	parser_advance(parser);
	if (!token.interpolates)
		return parse_text(parser, &token);
	node = parser_node(parser, NODE_INTERPOLATION, token.line);
	for (;;) {
		if (token.length)
			parser_add(parser, node, parse_text(parser, &token));
		if (!token.interpolates || parser->failed)
			return node;
		parser_skip_newlines(parser);
		parser_add(parser, node, parser_expression(parser));
		parser_skip_newlines(parser);
		if (parser->token.kind != TOKEN_STRING) {
			parser_unexpected(parser, "\"}\"");
			return node;
		}
		token = parser->token;
		parser_advance(parser);
	}
}

static struct node *parse_hash(struct parser *parser, int line)
{
	struct node *node = parser_node(parser, NODE_HASH, line);

	parser_skip_newlines(parser);
	while (!parser->failed && !parser_at(parser, "}")) {
		parser_add(parser, node, parser_expression(parser));
		parser_skip_newlines(parser);
		if (!parser_accept(parser, "=>"))
			parser_expect(parser, ":");
		parser_skip_newlines(parser);
		parser_add(parser, node, parser_expression(parser));
		parser_skip_newlines(parser);
		if (!parser_accept(parser, ","))
			break;
		parser_skip_newlines(parser);
	}
	parser_expect(parser, "}");
	return node;
}

static struct node *parse_name(struct parser *parser)
{
	struct token token = parser->token;
	struct symbol *name = parser_intern_token(parser, &token);
	struct variable *variable = parser_find_variable(parser, name);
	struct node *node;

	parser_advance(parser);
	if (variable && !parser_at(parser, "(")) {
		node = parser_node(parser, NODE_VARIABLE, token.line);
		node->variable = variable;
		node->name = name;
		return node;
	}
	node = parser_node(parser, NODE_CALL, token.line);
	node->name = name;
	if (parser_at(parser, "(") && !parser->token.spaced) {
		parser_advance(parser);
		parse_arguments(parser, node, ")");
	} else {
		/* Without parentheses, an assignment may still make it a variable. */
		node->flag = true;
	}
	return node;
}

static struct node *parse_function(struct parser *parser, int line)
{
	struct node *node = parser_node(parser, NODE_FUNCTION, line);

	node->scope = parser_open_scope(parser, NULL, true);
	node->scope->line = line;
	parser_parameters(parser, node->scope);
	parser_scope_body(parser, node->scope);
	node->depth = node->scope->body->depth + 1;
	parser_deepen(parser, node, NULL);
	return node;
}

static struct node *parse_keyword(struct parser *parser)
{
	int line = parser->token.line;
	struct node *node;

	if (parser_accept_keyword(parser, "nil"))
		return parser_node(parser, NODE_NIL, line);
	if (parser_accept_keyword(parser, "true"))
		return parser_node(parser, NODE_TRUE, line);
	if (parser_accept_keyword(parser, "false"))
		return parser_node(parser, NODE_FALSE, line);
	if (parser_accept_keyword(parser, "self"))
		return parser_node(parser, NODE_SELF, line);
	if (parser_accept_keyword(parser, "fn"))
		return parse_function(parser, line);
	if (parser_accept_keyword(parser, "super")) {
		node = parser_node(parser, NODE_SUPER, line);
		if (!parser->class_node)
			parser_fail(parser, line, "super outside a class");
		if (parser_accept(parser, "("))
			parse_arguments(parser, node, ")");
		return node;
	}
	parser_unexpected(parser, "expression");
	return parser_node(parser, NODE_NIL, line);
}

static struct node *parse_primary(struct parser *parser)
{
	struct token token = parser->token;
	struct node *node;

	switch (token.kind) {
	case TOKEN_INT:
		parser_advance(parser);
		return parse_constant(parser, value_int(token.integer), token.line);
	case TOKEN_FLOAT:
		parser_advance(parser);
		return parse_constant(parser, value_double(token.number), token.line);
	case TOKEN_STRING:
		return parse_string(parser);
	case TOKEN_SYMBOL:
		parser_advance(parser);
		return parse_constant(
			parser, value_symbol(parser_intern_token(parser, &token)), token.line);
	case TOKEN_NAME:
		return parse_name(parser);
	case TOKEN_CONSTANT:
	case TOKEN_GLOBAL:
		node = parser_node(parser, NODE_GLOBAL, token.line);
		node->name = token.kind == TOKEN_CONSTANT
			? parser_intern_token(parser, &token)
			: parser_intern(parser, token.text - 1, token.length + 1, token.line);
		parser_advance(parser);
		return node;
	case TOKEN_FIELD:
		node = parser_node(parser, NODE_FIELD, token.line);
		node->name = parser_intern_token(parser, &token);
		if (!parser->scope->in_class)
			parser_fail(parser, token.line, "field @%.100s outside a class",
				node->name ? node->name->text : "");
		else if (node->name)
			parser_add_field(parser, parser->class_node, node->name);
		parser_advance(parser);
		return node;
	case TOKEN_KEYWORD:
		return parse_keyword(parser);
	default:
		break;
	}
	if (parser_accept(parser, "(")) {
		parser_skip_newlines(parser);
		node = parser_expression(parser);
		parser_skip_newlines(parser);
		parser_expect(parser, ")");
		/* A name in parentheses cannot be assigned to. */
		return node;
	}
	if (parser_accept(parser, "[")) {
		node = parser_node(parser, NODE_ARRAY, token.line);
		parse_arguments(parser, node, "]");
		return node;
	}
	if (parser_accept(parser, "{"))
		return parse_hash(parser, token.line);
	parser_unexpected(parser, "expression");
	return parser_node(parser, NODE_NIL, token.line);
}

static struct node *parse_postfix(struct parser *parser)
{
	struct node *node = parse_primary(parser);

	while (!parser->failed) {
		struct node *outer;

		if (parser_accept(parser, ".")) {
			struct token token;

			parser_skip_newlines(parser);
			token = parser->token;
			if (token.kind != TOKEN_NAME && token.kind != TOKEN_CONSTANT &&
				token.kind != TOKEN_KEYWORD) {
				parser_unexpected(parser, "method name");
				break;
			}
			outer = parser_node(parser, NODE_CALL, token.line);
			outer->name = parser_intern_token(parser, &token);
			parser_set_left(parser, outer, node);
			parser_advance(parser);
			if (parser_at(parser, "(") && !parser->token.spaced) {
				parser_advance(parser);
				parse_arguments(parser, outer, ")");
			}
		} else if (parser_at(parser, "[") && !parser->token.spaced) {
			outer = parser_node(parser, NODE_INDEX, parser->token.line);
			parser_advance(parser);
			parser_skip_newlines(parser);
			parser_set_left(parser, outer, node);
			parser_set_right(parser, outer, parser_expression(parser));
			parser_skip_newlines(parser);
			parser_expect(parser, "]");
		} else {
			break;
		}
		node = outer;
	}
	return node;
}

static struct node *parse_unary(struct parser *parser)
{
	int line = parser->token.line;
	struct node *node;

	if (++parser->depth > AST_MAX_DEPTH) {
		parser_fail(parser, line, "nested too deeply");
		parser->depth--;
		return parser_node(parser, NODE_NIL, line);
	}
	if (parser_accept(parser, "!") || parser_accept_keyword(parser, "not")) {
		node = parser_node(parser, NODE_NOT, line);
		parser_set_left(parser, node, parse_unary(parser));
	} else if (parser_accept(parser, "-")) {
		struct node *operand = parse_unary(parser);

		if (operand->kind == NODE_CONSTANT_VALUE && value_is_int(operand->content)) {
			operand->content = value_int(-value_to_int(operand->content));
			node = operand;
		} else if (operand->kind == NODE_CONSTANT_VALUE &&
			value_is_double(operand->content)) {
			operand->content = value_double(-value_to_double(operand->content));
			node = operand;
		} else {
			node = parser_node(parser, NODE_CALL, line);
			node->name = parser_intern(parser, "negate", 6, line);
			parser_set_left(parser, node, operand);
		}
	} else {
		node = parse_postfix(parser);
	}
	parser->depth--;
	return node;
}

static const struct {
	const char *text;
	int level;
	enum node_kind kind;
	enum operation operation; /* OPERATION_CALL: calls the method of that name */
} operators[] = {
	{"||", 1, NODE_OR, OPERATION_OR},
	{"&&", 2, NODE_AND, OPERATION_AND},
	{"==", 3, NODE_BINARY, OPERATION_EQUAL},
	{"!=", 3, NODE_BINARY, OPERATION_EQUAL},
	{"<=>", 3, NODE_BINARY, OPERATION_CALL},
	{"<", 4, NODE_BINARY, OPERATION_LESS},
	{"<=", 4, NODE_BINARY, OPERATION_LESS_EQUAL},
	{">", 4, NODE_BINARY, OPERATION_GREATER},
	{">=", 4, NODE_BINARY, OPERATION_GREATER_EQUAL},
	{"|", 5, NODE_BINARY, OPERATION_CALL},
	{"^", 5, NODE_BINARY, OPERATION_CALL},
	{"&", 6, NODE_BINARY, OPERATION_CALL},
	{"<<", 7, NODE_BINARY, OPERATION_CALL},
	{">>", 7, NODE_BINARY, OPERATION_CALL},
	{"+", 8, NODE_BINARY, OPERATION_ADD},
	{"-", 8, NODE_BINARY, OPERATION_SUBTRACT},
	{"*", 9, NODE_BINARY, OPERATION_MULTIPLY},
	{"/", 9, NODE_BINARY, OPERATION_DIVIDE},
	{"%", 9, NODE_BINARY, OPERATION_MODULO},
};

/* The operator at the current token, or -1. and/or are && and ||. */
int parser_operator(struct parser *parser)
{
	if (parser_at_keyword(parser, "or"))
		return 0;
	if (parser_at_keyword(parser, "and"))
		return 1;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (parser_at(parser, operators[i].text))
			return (int)i;
	}
	return -1;
}

struct node *parser_binary(struct parser *parser, int level)
{
	struct node *left = parse_unary(parser);

	for (;;) {
		int operator= parser_operator(parser);
		struct token token = parser->token;
		struct node *node;

		if (operator<0 || operators[operator].level<level || parser->failed)
			return left;
		parser_advance(parser);
		parser_skip_newlines(parser);
		node = parser_node(parser, operators[operator].kind, token.line);
		node->operation = operators[operator].operation;
		if (node->kind == NODE_BINARY && parser_token_is(&token, TOKEN_PUNCTUATION, "!="))
			node->name = parser_intern(parser, "==", 2, token.line);
		else if (node->kind == NODE_BINARY)
			node->name = parser_intern_token(parser, &token);
		parser_set_left(parser, node, left);
		parser_set_right(parser, node, parser_binary(parser, operators[operator].level + 1));
		if (parser_token_is(&token, TOKEN_PUNCTUATION, "!=")) {
			struct node *inverse = parser_node(parser, NODE_NOT, token.line);

			parser_set_left(parser, inverse, node);
			node = inverse;
		}
		left = node;
	}
}

/* Makes a node the target of an assignment; a new name becomes a variable here. */
static void make_target(struct parser *parser, struct node *node, bool compound)
{
	if (node->kind == NODE_CALL && !node->left && node->flag && !compound) {
		node->kind = NODE_VARIABLE;
		node->variable = parser_declare(parser, node->name);
	}
	if (node->kind == NODE_VARIABLE || node->kind == NODE_FIELD || node->kind == NODE_GLOBAL ||
		node->kind == NODE_INDEX)
		return;
	if (node->kind == NODE_CALL && node->left && node->count == 0)
		return;
	parser_fail(parser, node->line, "this cannot be assigned to");
}

struct node *parser_expression(struct parser *parser)
{
	static const char *const compound[] = {"+=", "-=", "*=", "/=", "%="};
	struct node *left;
	struct node *node = NULL;

	if (++parser->depth > AST_MAX_DEPTH) {
		parser_fail(parser, parser->token.line, "nested too deeply");
		parser->depth--;
		return parser_node(parser, NODE_NIL, parser->token.line);
	}
	left = parser_binary(parser, 1);
	if (parser_at(parser, "=")) {
		node = parser_node(parser, NODE_ASSIGN, parser->token.line);
		make_target(parser, left, false);
		parser_advance(parser);
		parser_skip_newlines(parser);
	} else {
		for (size_t i = 0; i < 5; i++) {
			if (!parser_at(parser, compound[i]))
				continue;
			node = parser_node(parser, NODE_ASSIGN, parser->token.line);
			node->flag = true;
			node->operation = (enum operation)(OPERATION_ADD + i);
			node->name = parser_intern(parser, compound[i], 1, parser->token.line);
			make_target(parser, left, true);
			parser_advance(parser);
			parser_skip_newlines(parser);
			break;
		}
	}
	if (node) {
		/* o.x = 1 calls x=. */
		if (left->kind == NODE_CALL && !parser->failed) {
			size_t length = left->name->length;
			char *text = parser_allocate(parser, length + 2);

			if (length < 400 || !parser->failed) {
				memcpy(text, left->name->text, length);
				text[length] = '=';
				node->content = value_symbol(
					parser_intern(parser, text, length + 1, node->line));
			}
		}
		parser_set_left(parser, node, left);
		parser_set_right(parser, node, parser_expression(parser));
		left = node;
	}
	parser->depth--;
	return left;
}
