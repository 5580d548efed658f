/*
 * parser.c: recursive descent, precedence climbing for binary operators.
 *
 * The first error ends the parse: fail() keeps its line and message, and from then on
 * the current token is the end of the file. Depth is counted while parsing and in the
 * tree, so neither this recursion nor the compiler's is deeper than AST_MAX_DEPTH.
 */
#include "parser.h"
#include "heap.h"
#include "lexer.h"

#include <stdarg.h>
#include <stdlib.h>

struct parser {
	struct capability *cap;
	struct source_file *file;
	struct arena *arena;
	struct lexer lexer;
	struct token token;
	struct token previous;
	struct scope *scope;
	struct node *class_node; /* being parsed */
	struct parse_error *error;
	bool failed;
	int depth;
	_Alignas(16) char spare[512]; /* what a failed parse scribbles into */
};

static struct node *parse_expression(struct parser *parser);
static struct node *parse_statement(struct parser *parser);
static struct node *parse_body(struct parser *parser, const char *const *ends);

void *arena_allocate(struct arena *arena, size_t bytes)
{
	void *memory;

	bytes = (bytes + 15) & ~(size_t)15;
	if (arena->left < bytes) {
		size_t room = bytes > 16384 ? bytes : 16384;
		struct arena_block *block = calloc(1, sizeof(*block) + room);

		if (!block)
			return NULL;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->free = block->bytes;
		arena->left = room;
	}
	memory = arena->free;
	arena->free += bytes;
	arena->left -= bytes;
	return memory;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}

__attribute__((format(printf, 3, 4))) static void fail(
	struct parser *parser, int line, const char *format, ...)
{
	va_list arguments;

	if (!parser->failed) {
		parser->failed = true;
		parser->error->line = line;
		va_start(arguments, format);
		vsnprintf(parser->error->message, sizeof(parser->error->message), format,
			arguments);
		va_end(arguments);
	}
	parser->token.kind = TOKEN_END_OF_FILE;
	parser->token.text = "";
	parser->token.length = 0;
}

/* At most sizeof(spare) bytes may be used when this has failed. */
static void *allocate(struct parser *parser, size_t bytes)
{
	void *memory = arena_allocate(parser->arena, bytes);

	if (!memory) {
		fail(parser, parser->token.line, "out of memory");
		memory = memset(parser->spare, 0, sizeof(parser->spare));
	}
	return memory;
}

static void advance(struct parser *parser)
{
	parser->previous = parser->token;
	if (parser->failed)
		return;
	parser->token = lexer_next(&parser->lexer);
	if (parser->token.kind == TOKEN_ERROR)
		fail(parser, parser->token.line, "%s", parser->token.text);
}

static bool token_is(const struct token *token, enum token_kind kind, const char *text)
{
	return token->kind == kind && strlen(text) == token->length &&
		memcmp(token->text, text, token->length) == 0;
}

static bool at(struct parser *parser, const char *punctuation)
{
	return token_is(&parser->token, TOKEN_PUNCTUATION, punctuation);
}

static bool at_keyword(struct parser *parser, const char *keyword)
{
	return token_is(&parser->token, TOKEN_KEYWORD, keyword);
}

static bool accept(struct parser *parser, const char *punctuation)
{
	if (!at(parser, punctuation))
		return false;
	advance(parser);
	return true;
}

static bool accept_keyword(struct parser *parser, const char *keyword)
{
	if (!at_keyword(parser, keyword))
		return false;
	advance(parser);
	return true;
}

static void unexpected(struct parser *parser, const char *wanted)
{
	if (parser->token.kind == TOKEN_END_OF_FILE)
		fail(parser, parser->token.line, "%s expected, the file ends here", wanted);
	else if (parser->token.kind == TOKEN_NEWLINE)
		fail(parser, parser->token.line, "%s expected, the line ends here", wanted);
	else
		fail(parser, parser->token.line, "%s expected before \"%.*s\"", wanted,
			(int)(parser->token.length < 40 ? parser->token.length : 40),
			parser->token.text);
}

static void expect(struct parser *parser, const char *punctuation)
{
	char wanted[16];

	if (accept(parser, punctuation))
		return;
	snprintf(wanted, sizeof(wanted), "\"%s\"", punctuation);
	unexpected(parser, wanted);
}

static void expect_keyword(struct parser *parser, const char *keyword)
{
	char wanted[16];

	if (accept_keyword(parser, keyword))
		return;
	snprintf(wanted, sizeof(wanted), "\"%s\"", keyword);
	unexpected(parser, wanted);
}

static void skip_newlines(struct parser *parser)
{
	while (parser->token.kind == TOKEN_NEWLINE)
		advance(parser);
}

static struct symbol *intern(struct parser *parser, const char *text, size_t length, int line)
{
	struct place place = {&parser->file->name, line};
	struct symbol *symbol =
		symbol_intern(parser->cap->vm, parser->cap, place, text, length);

	if (!symbol)
		fail(parser, line, "out of memory");
	return symbol;
}

static struct symbol *intern_token(struct parser *parser, const struct token *token)
{
	return intern(parser, token->text, token->length, token->line);
}

static struct node *node_new(struct parser *parser, enum node_kind kind, int line)
{
	struct node *node = allocate(parser, sizeof(*node));

	node->kind = kind;
	node->line = line;
	node->depth = 1;
	return node;
}

static struct node *deepen(struct parser *parser, struct node *node, const struct node *child)
{
	if (child && child->depth >= node->depth)
		node->depth = child->depth + 1;
	if (node->depth > AST_MAX_DEPTH)
		fail(parser, node->line, "nested too deeply");
	return child ? (struct node *)child : NULL;
}

static void set_left(struct parser *parser, struct node *node, struct node *child)
{
	node->left = deepen(parser, node, child);
}

static void set_right(struct parser *parser, struct node *node, struct node *child)
{
	node->right = deepen(parser, node, child);
}

static void add(struct parser *parser, struct node *node, struct node *child)
{
	deepen(parser, node, child);
	if (node->last)
		node->last->next = child;
	else
		node->first = child;
	node->last = child;
	node->count++;
}

static struct variable *declare(struct parser *parser, struct symbol *name)
{
	struct variable *variable = allocate(parser, sizeof(*variable));

	variable->name = name;
	variable->scope = parser->scope;
	variable->slot = parser->scope->slots++;
	variable->next = parser->scope->variables;
	parser->scope->variables = variable;
	return variable;
}

/* Notes that a scope captures a variable of one around it, and the ones between too. */
static void capture(struct parser *parser, struct scope *scope, struct variable *variable)
{
	struct scope_capture *entry;

	variable->captured = true;
	for (; scope != variable->scope; scope = scope->outer) {
		for (entry = scope->captures; entry && entry->variable != variable;)
			entry = entry->next;
		if (entry)
			continue;
		entry = allocate(parser, sizeof(*entry));
		entry->variable = variable;
		entry->index = scope->capture_count++;
		entry->next = scope->captures;
		scope->captures = entry;
	}
}

static struct variable *find_variable(struct parser *parser, struct symbol *name)
{
	for (struct scope *scope = parser->scope; scope; scope = scope->outer) {
		for (struct variable *entry = scope->variables; entry; entry = entry->next) {
			if (entry->name != name)
				continue;
			if (scope != parser->scope)
				capture(parser, parser->scope, entry);
			return entry;
		}
	}
	return NULL;
}

static struct scope *open_scope(struct parser *parser, struct symbol *name, bool function)
{
	struct scope *scope = allocate(parser, sizeof(*scope));

	scope->outer = function ? parser->scope : NULL;
	scope->in_class = function ? parser->scope->in_class : parser->class_node != NULL;
	scope->name = name;
	scope->line = parser->token.line;
	scope->slots = 1;
	return scope;
}

static void parse_parameters(struct parser *parser, struct scope *scope)
{
	struct scope *outer = parser->scope;

	parser->scope = scope;
	if (accept(parser, "(")) {
		skip_newlines(parser);
		while (!parser->failed && !at(parser, ")")) {
			struct symbol *name;

			if (parser->token.kind != TOKEN_NAME) {
				unexpected(parser, "parameter");
				break;
			}
			name = intern_token(parser, &parser->token);
			for (struct variable *entry = scope->variables; entry; entry = entry->next) {
				if (entry->name == name)
					fail(parser, parser->token.line,
						"parameter %.100s is there twice", name->text);
			}
			declare(parser, name);
			scope->parameters++;
			advance(parser);
			skip_newlines(parser);
			if (!accept(parser, ","))
				break;
			skip_newlines(parser);
		}
		expect(parser, ")");
	}
	if (scope->parameters > 200)
		fail(parser, scope->line, "more than 200 parameters");
	parser->scope = outer;
}

static const char *const ends_end[] = {"end", NULL};

static void parse_scope_body(struct parser *parser, struct scope *scope)
{
	struct scope *outer = parser->scope;

	parser->scope = scope;
	scope->body = parse_body(parser, ends_end);
	expect_keyword(parser, "end");
	parser->scope = outer;
}

static void parse_arguments(struct parser *parser, struct node *node, const char *end)
{
	skip_newlines(parser);
	while (!parser->failed && !at(parser, end)) {
		add(parser, node, parse_expression(parser));
		skip_newlines(parser);
		if (!accept(parser, ","))
			break;
		skip_newlines(parser);
	}
	expect(parser, end);
	if (node->count > 200 && node->kind != NODE_ARRAY)
		fail(parser, node->line, "more than 200 arguments");
}

static struct node *parse_constant(struct parser *parser, value content, int line)
{
	struct node *node = node_new(parser, NODE_CONSTANT_VALUE, line);

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
		fail(parser, token->line, "out of memory");
		return node_new(parser, NODE_NIL, token->line);
	}
	pthread_mutex_lock(&vm->names);
	error = object_list_add(&vm->literals, &string->object);
	pthread_mutex_unlock(&vm->names);
	if (error)
		fail(parser, token->line, "out of memory");
	return parse_constant(parser, value_object(string), token->line);
}

static struct node *parse_string(struct parser *parser)
{
	struct token token = parser->token;
	struct node *node;

	advance(parser);
	if (!token.interpolates)
		return parse_text(parser, &token);
	node = node_new(parser, NODE_INTERPOLATION, token.line);
	for (;;) {
		if (token.length)
			add(parser, node, parse_text(parser, &token));
		if (!token.interpolates || parser->failed)
			return node;
		skip_newlines(parser);
		add(parser, node, parse_expression(parser));
		skip_newlines(parser);
		if (parser->token.kind != TOKEN_STRING) {
			unexpected(parser, "\"}\"");
			return node;
		}
		token = parser->token;
		advance(parser);
	}
}

static struct node *parse_hash(struct parser *parser, int line)
{
	struct node *node = node_new(parser, NODE_HASH, line);

	skip_newlines(parser);
	while (!parser->failed && !at(parser, "}")) {
		add(parser, node, parse_expression(parser));
		skip_newlines(parser);
		if (!accept(parser, "=>"))
			expect(parser, ":");
		skip_newlines(parser);
		add(parser, node, parse_expression(parser));
		skip_newlines(parser);
		if (!accept(parser, ","))
			break;
		skip_newlines(parser);
	}
	expect(parser, "}");
	return node;
}

static struct node *parse_name(struct parser *parser)
{
	struct token token = parser->token;
	struct symbol *name = intern_token(parser, &token);
	struct variable *variable = find_variable(parser, name);
	struct node *node;

	advance(parser);
	if (variable && !at(parser, "(")) {
		node = node_new(parser, NODE_VARIABLE, token.line);
		node->variable = variable;
		node->name = name;
		return node;
	}
	node = node_new(parser, NODE_CALL, token.line);
	node->name = name;
	if (at(parser, "(") && !parser->token.spaced) {
		advance(parser);
		parse_arguments(parser, node, ")");
	} else {
		/* Without parentheses it may still become a variable, by assignment. */
		node->flag = true;
	}
	return node;
}

static struct node *parse_function(struct parser *parser, int line)
{
	struct node *node = node_new(parser, NODE_FUNCTION, line);

	node->scope = open_scope(parser, NULL, true);
	node->scope->line = line;
	parse_parameters(parser, node->scope);
	parse_scope_body(parser, node->scope);
	node->depth = node->scope->body->depth + 1;
	deepen(parser, node, NULL);
	return node;
}

static struct node *parse_keyword(struct parser *parser)
{
	int line = parser->token.line;
	struct node *node;

	if (accept_keyword(parser, "nil"))
		return node_new(parser, NODE_NIL, line);
	if (accept_keyword(parser, "true"))
		return node_new(parser, NODE_TRUE, line);
	if (accept_keyword(parser, "false"))
		return node_new(parser, NODE_FALSE, line);
	if (accept_keyword(parser, "self"))
		return node_new(parser, NODE_SELF, line);
	if (accept_keyword(parser, "fn"))
		return parse_function(parser, line);
	if (accept_keyword(parser, "super")) {
		node = node_new(parser, NODE_SUPER, line);
		if (!parser->class_node)
			fail(parser, line, "super outside a class");
		if (accept(parser, "("))
			parse_arguments(parser, node, ")");
		return node;
	}
	unexpected(parser, "expression");
	return node_new(parser, NODE_NIL, line);
}

static void add_field(struct parser *parser, struct node *class_node, struct symbol *name);

static struct node *parse_primary(struct parser *parser)
{
	struct token token = parser->token;
	struct node *node;

	switch (token.kind) {
	case TOKEN_INT:
		advance(parser);
		return parse_constant(parser, value_int(token.integer), token.line);
	case TOKEN_FLOAT:
		advance(parser);
		return parse_constant(parser, value_double(token.number), token.line);
	case TOKEN_STRING:
		return parse_string(parser);
	case TOKEN_SYMBOL:
		advance(parser);
		return parse_constant(
			parser, value_symbol(intern_token(parser, &token)), token.line);
	case TOKEN_NAME:
		return parse_name(parser);
	case TOKEN_CONSTANT:
	case TOKEN_GLOBAL:
		node = node_new(parser, NODE_GLOBAL, token.line);
		node->name = token.kind == TOKEN_CONSTANT
			? intern_token(parser, &token)
			: intern(parser, token.text - 1, token.length + 1, token.line);
		advance(parser);
		return node;
	case TOKEN_FIELD:
		node = node_new(parser, NODE_FIELD, token.line);
		node->name = intern_token(parser, &token);
		if (!parser->scope->in_class)
			fail(parser, token.line, "field @%.100s outside a class",
				node->name ? node->name->text : "");
		else if (node->name)
			add_field(parser, parser->class_node, node->name);
		advance(parser);
		return node;
	case TOKEN_KEYWORD:
		return parse_keyword(parser);
	default:
		break;
	}
	if (accept(parser, "(")) {
		skip_newlines(parser);
		node = parse_expression(parser);
		skip_newlines(parser);
		expect(parser, ")");
		/* In parentheses a name cannot be what is assigned to. */
		return node;
	}
	if (accept(parser, "[")) {
		node = node_new(parser, NODE_ARRAY, token.line);
		parse_arguments(parser, node, "]");
		return node;
	}
	if (accept(parser, "{"))
		return parse_hash(parser, token.line);
	unexpected(parser, "expression");
	return node_new(parser, NODE_NIL, token.line);
}

static struct node *parse_postfix(struct parser *parser)
{
	struct node *node = parse_primary(parser);

	while (!parser->failed) {
		struct node *outer;

		if (accept(parser, ".")) {
			struct token token;

			skip_newlines(parser);
			token = parser->token;
			if (token.kind != TOKEN_NAME && token.kind != TOKEN_CONSTANT &&
				token.kind != TOKEN_KEYWORD) {
				unexpected(parser, "method name");
				break;
			}
			outer = node_new(parser, NODE_CALL, token.line);
			outer->name = intern_token(parser, &token);
			set_left(parser, outer, node);
			advance(parser);
			if (at(parser, "(") && !parser->token.spaced) {
				advance(parser);
				parse_arguments(parser, outer, ")");
			}
		} else if (at(parser, "[") && !parser->token.spaced) {
			outer = node_new(parser, NODE_INDEX, parser->token.line);
			advance(parser);
			skip_newlines(parser);
			set_left(parser, outer, node);
			set_right(parser, outer, parse_expression(parser));
			skip_newlines(parser);
			expect(parser, "]");
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
		fail(parser, line, "nested too deeply");
		parser->depth--;
		return node_new(parser, NODE_NIL, line);
	}
	if (accept(parser, "!") || accept_keyword(parser, "not")) {
		node = node_new(parser, NODE_NOT, line);
		set_left(parser, node, parse_unary(parser));
	} else if (accept(parser, "-")) {
		struct node *operand = parse_unary(parser);

		if (operand->kind == NODE_CONSTANT_VALUE && value_is_int(operand->content)) {
			operand->content = value_int(-value_to_int(operand->content));
			node = operand;
		} else if (operand->kind == NODE_CONSTANT_VALUE &&
			value_is_double(operand->content)) {
			operand->content = value_double(-value_to_double(operand->content));
			node = operand;
		} else {
			node = node_new(parser, NODE_CALL, line);
			node->name = intern(parser, "negate", 6, line);
			set_left(parser, node, operand);
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
	enum operation operation; /* OPERATION_CALL: by the method of that name */
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
static int find_operator(struct parser *parser)
{
	if (at_keyword(parser, "or"))
		return 0;
	if (at_keyword(parser, "and"))
		return 1;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (at(parser, operators[i].text))
			return (int)i;
	}
	return -1;
}

static struct node *parse_binary(struct parser *parser, int level)
{
	struct node *left = parse_unary(parser);

	for (;;) {
		int operator = find_operator(parser);
		struct token token = parser->token;
		struct node *node;

		if (operator < 0 || operators[operator].level < level || parser->failed)
			return left;
		advance(parser);
		skip_newlines(parser);
		node = node_new(parser, operators[operator].kind, token.line);
		node->operation = operators[operator].operation;
		if (node->kind == NODE_BINARY && token_is(&token, TOKEN_PUNCTUATION, "!="))
			node->name = intern(parser, "==", 2, token.line);
		else if (node->kind == NODE_BINARY)
			node->name = intern_token(parser, &token);
		set_left(parser, node, left);
		set_right(parser, node, parse_binary(parser, operators[operator].level + 1));
		if (token_is(&token, TOKEN_PUNCTUATION, "!=")) {
			struct node *inverse = node_new(parser, NODE_NOT, token.line);

			set_left(parser, inverse, node);
			node = inverse;
		}
		left = node;
	}
}

/* Makes a node what is assigned to; a new name becomes a variable here. */
static void make_target(struct parser *parser, struct node *node, bool compound)
{
	if (node->kind == NODE_CALL && !node->left && node->flag && !compound) {
		node->kind = NODE_VARIABLE;
		node->variable = declare(parser, node->name);
	}
	if (node->kind == NODE_VARIABLE || node->kind == NODE_FIELD ||
		node->kind == NODE_GLOBAL || node->kind == NODE_INDEX)
		return;
	if (node->kind == NODE_CALL && node->left && node->count == 0)
		return;
	fail(parser, node->line, "this cannot be assigned to");
}

static struct node *parse_expression(struct parser *parser)
{
	static const char *const compound[] = {"+=", "-=", "*=", "/=", "%="};
	struct node *left;
	struct node *node = NULL;

	if (++parser->depth > AST_MAX_DEPTH) {
		fail(parser, parser->token.line, "nested too deeply");
		parser->depth--;
		return node_new(parser, NODE_NIL, parser->token.line);
	}
	left = parse_binary(parser, 1);
	if (at(parser, "=")) {
		node = node_new(parser, NODE_ASSIGN, parser->token.line);
		make_target(parser, left, false);
		advance(parser);
		skip_newlines(parser);
	} else {
		for (size_t i = 0; i < 5; i++) {
			if (!at(parser, compound[i]))
				continue;
			node = node_new(parser, NODE_ASSIGN, parser->token.line);
			node->flag = true;
			node->operation = (enum operation)(OPERATION_ADD + i);
			node->name = intern(parser, compound[i], 1, parser->token.line);
			make_target(parser, left, true);
			advance(parser);
			skip_newlines(parser);
			break;
		}
	}
	if (node) {
		/* o.x = 1 calls x=. */
		if (left->kind == NODE_CALL && !parser->failed) {
			size_t length = left->name->length;
			char *text = allocate(parser, length + 2);

			if (length < 400 || !parser->failed) {
				memcpy(text, left->name->text, length);
				text[length] = '=';
				node->content = value_symbol(
					intern(parser, text, length + 1, node->line));
			}
		}
		set_left(parser, node, left);
		set_right(parser, node, parse_expression(parser));
		left = node;
	}
	parser->depth--;
	return left;
}

static struct node *parse_if(struct parser *parser, int line)
{
	static const char *const ends[] = {"elsif", "else", "end", NULL};
	struct node *node = node_new(parser, NODE_IF, line);

	if (++parser->depth > AST_MAX_DEPTH)
		fail(parser, line, "nested too deeply");
	set_left(parser, node, parse_expression(parser));
	accept_keyword(parser, "then");
	set_right(parser, node, parse_body(parser, ends));
	line = parser->token.line;
	if (accept_keyword(parser, "elsif")) {
		node->other = deepen(parser, node, parse_if(parser, line));
	} else {
		if (accept_keyword(parser, "else"))
			node->other = deepen(parser, node, parse_body(parser, ends_end));
		expect_keyword(parser, "end");
	}
	parser->depth--;
	return node;
}

static struct node *parse_while(struct parser *parser, int line)
{
	struct node *node = node_new(parser, NODE_WHILE, line);

	set_left(parser, node, parse_expression(parser));
	accept_keyword(parser, "do");
	parser->scope->loops++;
	set_right(parser, node, parse_body(parser, ends_end));
	parser->scope->loops--;
	expect_keyword(parser, "end");
	return node;
}

static struct variable *parse_variable(struct parser *parser)
{
	struct symbol *name;
	struct variable *variable;

	if (parser->token.kind != TOKEN_NAME) {
		unexpected(parser, "variable");
		return declare(parser, NULL);
	}
	name = intern_token(parser, &parser->token);
	variable = find_variable(parser, name);
	advance(parser);
	return variable ? variable : declare(parser, name);
}

static struct node *parse_for(struct parser *parser, int line)
{
	struct node *node = node_new(parser, NODE_FOR, line);

	node->variable = parse_variable(parser);
	expect_keyword(parser, "in");
	set_left(parser, node, parse_expression(parser));
	if (at(parser, "..") || at(parser, "...")) {
		node->flag = at(parser, "...");
		advance(parser);
		node->other = deepen(parser, node, parse_expression(parser));
	}
	accept_keyword(parser, "do");
	node->hidden = parser->scope->slots;
	parser->scope->slots += 2;
	parser->scope->loops++;
	set_right(parser, node, parse_body(parser, ends_end));
	parser->scope->loops--;
	expect_keyword(parser, "end");
	return node;
}

static struct node *parse_begin(struct parser *parser, int line)
{
	static const char *const ends[] = {"rescue", "ensure", "end", NULL};
	struct node *node = node_new(parser, NODE_BEGIN, line);

	set_left(parser, node, parse_body(parser, ends));
	while (at_keyword(parser, "rescue")) {
		struct node *rescue = node_new(parser, NODE_RESCUE, parser->token.line);

		advance(parser);
		if (parser->token.kind != TOKEN_NEWLINE && !at(parser, "=>") &&
			!at_keyword(parser, "then"))
			set_left(parser, rescue, parse_binary(parser, 1));
		if (accept(parser, "=>"))
			rescue->variable = parse_variable(parser);
		accept_keyword(parser, "then");
		set_right(parser, rescue, parse_body(parser, ends));
		add(parser, node, rescue);
	}
	if (accept_keyword(parser, "ensure")) {
		int loops = parser->scope->loops;

		/* It also runs on ways out of the loop, so it cannot choose another. */
		parser->scope->loops = 0;
		set_right(parser, node, parse_body(parser, ends_end));
		parser->scope->loops = loops;
	}
	expect_keyword(parser, "end");
	return node;
}

static struct node *parse_method(struct parser *parser, int line)
{
	struct node *node = node_new(parser, NODE_METHOD, line);
	struct token token = parser->token;
	struct symbol *name;

	if (accept_keyword(parser, "self")) {
		expect(parser, ".");
		token = parser->token;
		node->flag = true;
		if (!parser->class_node)
			fail(parser, line, "static method outside a class");
	}
	if (token.kind == TOKEN_NAME) {
		advance(parser);
		if (at(parser, "=") && !parser->token.spaced) {
			/* a setter: the = stands right behind the name in the text */
			token.length++;
			advance(parser);
		}
	} else if (token.kind == TOKEN_PUNCTUATION && token_is(&token, TOKEN_PUNCTUATION, "[")) {
		advance(parser);
		expect(parser, "]");
		token.text = "[]";
		token.length = 2;
		if (at(parser, "=") && !parser->token.spaced) {
			token.text = "[]=";
			token.length = 3;
			advance(parser);
		}
	} else if (token.kind == TOKEN_PUNCTUATION && find_operator(parser) > 1) {
		advance(parser);
	} else {
		unexpected(parser, "method name");
	}
	name = intern_token(parser, &token);
	node->scope = open_scope(parser, name, false);
	node->scope->line = line;
	parse_parameters(parser, node->scope);
	parse_scope_body(parser, node->scope);
	node->depth = node->scope->body->depth + 1;
	return node;
}

static void add_field(struct parser *parser, struct node *class_node, struct symbol *name)
{
	struct symbol **fields;

	for (uint32_t i = 0; i < class_node->field_count; i++) {
		if (class_node->fields[i] == name)
			return;
	}
	if (class_node->field_count == 100) {
		fail(parser, parser->token.line, "more than 100 fields in one class");
		return;
	}
	fields = class_node->fields;
	if (!fields)
		fields = allocate(parser, 100 * sizeof(*fields));
	if (parser->failed)
		return;
	fields[class_node->field_count++] = name;
	class_node->fields = fields;
}

/* fields a, b: declares fields. attr a, b: declares them and methods a, a=, b, b=. */
static void parse_fields(struct parser *parser, struct node *class_node, bool methods)
{
	do {
		struct symbol *name;
		int line = parser->token.line;

		skip_newlines(parser);
		if (parser->token.kind != TOKEN_NAME) {
			unexpected(parser, "field name");
			return;
		}
		name = intern_token(parser, &parser->token);
		add_field(parser, class_node, name);
		for (int setter = 0; methods && setter < 2; setter++) {
			struct node *method = node_new(parser, NODE_METHOD, line);
			struct node *field = node_new(parser, NODE_FIELD, line);
			struct node *body = node_new(parser, NODE_BLOCK, line);
			char *text = allocate(parser, name->length + 2);

			if (parser->failed)
				return;
			memcpy(text, name->text, name->length);
			text[name->length] = '=';
			field->name = name;
			method->scope = open_scope(parser,
				intern(parser, text, name->length + (size_t)setter, line), false);
			method->scope->line = line;
			if (setter) {
				struct scope *outer = parser->scope;
				struct node *assign = node_new(parser, NODE_ASSIGN, line);
				struct node *given = node_new(parser, NODE_VARIABLE, line);

				parser->scope = method->scope;
				given->variable = declare(parser, name);
				parser->scope = outer;
				method->scope->parameters = 1;
				set_left(parser, assign, field);
				set_right(parser, assign, given);
				field = assign;
			}
			add(parser, body, field);
			method->scope->body = body;
			method->depth = body->depth + 1;
			add(parser, class_node, method);
		}
		advance(parser);
	} while (accept(parser, ","));
}

static struct node *parse_class(struct parser *parser, int line)
{
	struct node *node = node_new(parser, NODE_CLASS, line);

	if (parser->token.kind != TOKEN_CONSTANT)
		unexpected(parser, "class name");
	node->name = intern_token(parser, &parser->token);
	advance(parser);
	if (accept(parser, "<"))
		set_left(parser, node, parse_expression(parser));
	parser->class_node = node;
	skip_newlines(parser);
	while (!parser->failed && !at_keyword(parser, "end")) {
		int at_line = parser->token.line;

		if (accept_keyword(parser, "def")) {
			add(parser, node, parse_method(parser, at_line));
		} else if (token_is(&parser->token, TOKEN_NAME, "attr")) {
			advance(parser);
			parse_fields(parser, node, true);
		} else if (token_is(&parser->token, TOKEN_NAME, "fields")) {
			advance(parser);
			parse_fields(parser, node, false);
		} else {
			unexpected(parser, "def, attr, fields or end");
		}
		skip_newlines(parser);
	}
	parser->class_node = NULL;
	expect_keyword(parser, "end");
	return node;
}

static struct node *parse_jump(struct parser *parser, enum node_kind kind, int line)
{
	if (!parser->scope->loops)
		fail(parser, line, "%s outside a loop", kind == NODE_BREAK ? "break" : "next");
	return node_new(parser, kind, line);
}

static bool at_statement_end(struct parser *parser)
{
	return parser->token.kind == TOKEN_NEWLINE || parser->token.kind == TOKEN_END_OF_FILE ||
		at_keyword(parser, "if") || at_keyword(parser, "end") ||
		at_keyword(parser, "else") || at_keyword(parser, "elsif") ||
		at_keyword(parser, "rescue") || at_keyword(parser, "ensure");
}

static struct node *parse_simple(struct parser *parser)
{
	int line = parser->token.line;
	struct node *node;

	if (accept_keyword(parser, "return")) {
		node = node_new(parser, NODE_RETURN, line);
		if (!at_statement_end(parser))
			set_left(parser, node, parse_expression(parser));
	} else if (accept_keyword(parser, "raise")) {
		node = node_new(parser, NODE_RAISE, line);
		set_left(parser, node, parse_expression(parser));
	} else if (accept_keyword(parser, "break")) {
		node = parse_jump(parser, NODE_BREAK, line);
	} else if (accept_keyword(parser, "next")) {
		node = parse_jump(parser, NODE_NEXT, line);
	} else {
		node = parse_expression(parser);
	}
	if (at_keyword(parser, "if")) {
		struct node *condition = node_new(parser, NODE_IF, parser->token.line);

		advance(parser);
		set_left(parser, condition, parse_expression(parser));
		set_right(parser, condition, node);
		node = condition;
	}
	return node;
}

static struct node *parse_statement(struct parser *parser)
{
	bool file = !parser->scope->name && !parser->scope->outer;
	int line = parser->token.line;
	struct node *node;

	if (++parser->depth > AST_MAX_DEPTH) {
		fail(parser, line, "nested too deeply");
		parser->depth--;
		return node_new(parser, NODE_NIL, line);
	}
	if (accept_keyword(parser, "if")) {
		node = parse_if(parser, line);
	} else if (accept_keyword(parser, "while")) {
		node = parse_while(parser, line);
	} else if (accept_keyword(parser, "for")) {
		node = parse_for(parser, line);
	} else if (accept_keyword(parser, "begin")) {
		node = parse_begin(parser, line);
	} else if (at_keyword(parser, "def") || at_keyword(parser, "class")) {
		bool class_wanted = at_keyword(parser, "class");

		if (!file || parser->depth > 1)
			fail(parser, line, "class and def stand at the top level of a file only");
		advance(parser);
		node = class_wanted ? parse_class(parser, line) : parse_method(parser, line);
	} else {
		node = parse_simple(parser);
	}
	if (!at_statement_end(parser))
		unexpected(parser, "end of the statement");
	parser->depth--;
	return node;
}

static bool at_end_of_body(struct parser *parser, const char *const *ends)
{
	if (parser->token.kind == TOKEN_END_OF_FILE)
		return true;
	for (int i = 0; ends && ends[i]; i++) {
		if (at_keyword(parser, ends[i]))
			return true;
	}
	return false;
}

/* Statements up to one of the keywords, or to the end of the file. */
static struct node *parse_body(struct parser *parser, const char *const *ends)
{
	struct node *block = node_new(parser, NODE_BLOCK, parser->token.line);

	skip_newlines(parser);
	while (!at_end_of_body(parser, ends)) {
		add(parser, block, parse_statement(parser));
		skip_newlines(parser);
	}
	return block;
}

struct scope *parser_parse(struct capability *cap, struct source_file *file, const char *text,
	struct arena *arena, int *last_line, struct parse_error *error)
{
	struct parser parser = {.cap = cap, .file = file, .arena = arena, .error = error};
	struct scope *scope;

	lexer_init(&parser.lexer, text);
	advance(&parser);
	scope = open_scope(&parser, NULL, false);
	parser.scope = scope;
	scope->body = parse_body(&parser, NULL);
	*last_line = parser.lexer.line;
	lexer_free(&parser.lexer);
	return parser.failed ? NULL : scope;
}
