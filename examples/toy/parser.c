/*
 * parser.c: recursive descent; statements, classes and methods.
 *
 * The first error ends the parse: parser_fail() keeps its line and message, and from then on
 * the current token is the end of the file. Depth is counted while parsing and in the
 * tree, so neither this recursion nor the compiler's is deeper than AST_MAX_DEPTH.
 */
#include "parser_internal.h"

#include <stdarg.h>
#include <stdlib.h>

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

void parser_fail(struct parser *parser, int line, const char *format, ...)
{
	va_list arguments;

	if (!parser->failed) {
		parser->failed = true;
		parser->error->line = line;
		va_start(arguments, format);
		vsnprintf(
			parser->error->message, sizeof(parser->error->message), format, arguments);
		va_end(arguments);
	}
	parser->token.kind = TOKEN_END_OF_FILE;
	parser->token.text = "";
	parser->token.length = 0;
}

/* After a failure, at most sizeof(spare) bytes of the result may be used. */
void *parser_allocate(struct parser *parser, size_t bytes)
{
	void *memory = arena_allocate(parser->arena, bytes);

	if (!memory) {
		parser_fail(parser, parser->token.line, "out of memory");
		memory = memset(parser->spare, 0, sizeof(parser->spare));
	}
	return memory;
}

void parser_advance(struct parser *parser)
{
	parser->previous = parser->token;
	if (parser->failed)
		return;
	parser->token = lexer_next(&parser->lexer);
	if (parser->token.kind == TOKEN_ERROR)
		parser_fail(parser, parser->token.line, "%s", parser->token.text);
}

bool parser_token_is(const struct token *token, enum token_kind kind, const char *text)
{
	return token->kind == kind && strlen(text) == token->length &&
		memcmp(token->text, text, token->length) == 0;
}

bool parser_at(struct parser *parser, const char *punctuation)
{
	return parser_token_is(&parser->token, TOKEN_PUNCTUATION, punctuation);
}

bool parser_at_keyword(struct parser *parser, const char *keyword)
{
	return parser_token_is(&parser->token, TOKEN_KEYWORD, keyword);
}

bool parser_accept(struct parser *parser, const char *punctuation)
{
	if (!parser_at(parser, punctuation))
		return false;
	parser_advance(parser);
	return true;
}

bool parser_accept_keyword(struct parser *parser, const char *keyword)
{
	if (!parser_at_keyword(parser, keyword))
		return false;
	parser_advance(parser);
	return true;
}

void parser_unexpected(struct parser *parser, const char *wanted)
{
	if (parser->token.kind == TOKEN_END_OF_FILE)
		parser_fail(parser, parser->token.line, "%s expected, the file ends here", wanted);
	else if (parser->token.kind == TOKEN_NEWLINE)
		parser_fail(parser, parser->token.line, "%s expected, the line ends here", wanted);
	else
		parser_fail(parser, parser->token.line, "%s expected before \"%.*s\"", wanted,
			(int)(parser->token.length < 40 ? parser->token.length : 40),
			parser->token.text);
}

void parser_expect(struct parser *parser, const char *punctuation)
{
	char wanted[16];

	if (parser_accept(parser, punctuation))
		return;
	snprintf(wanted, sizeof(wanted), "\"%s\"", punctuation);
	parser_unexpected(parser, wanted);
}

void parser_expect_keyword(struct parser *parser, const char *keyword)
{
	char wanted[16];

	if (parser_accept_keyword(parser, keyword))
		return;
	snprintf(wanted, sizeof(wanted), "\"%s\"", keyword);
	parser_unexpected(parser, wanted);
}

void parser_skip_newlines(struct parser *parser)
{
	while (parser->token.kind == TOKEN_NEWLINE)
		parser_advance(parser);
}

struct symbol *parser_intern(struct parser *parser, const char *text, size_t length, int line)
{
	struct place place = {&parser->file->name, line};
	struct symbol *symbol = symbol_intern(parser->cap->vm, parser->cap, place, text, length);

	if (!symbol)
		parser_fail(parser, line, "out of memory");
	return symbol;
}

struct symbol *parser_intern_token(struct parser *parser, const struct token *token)
{
	return parser_intern(parser, token->text, token->length, token->line);
}

struct node *parser_node(struct parser *parser, enum node_kind kind, int line)
{
	struct node *node = parser_allocate(parser, sizeof(*node));

	node->kind = kind;
	node->line = line;
	node->depth = 1;
	return node;
}

struct node *parser_deepen(struct parser *parser, struct node *node, const struct node *child)
{
	if (child && child->depth >= node->depth)
		node->depth = child->depth + 1;
	if (node->depth > AST_MAX_DEPTH)
		parser_fail(parser, node->line, "nested too deeply");
	return child ? (struct node *)child : NULL;
}

void parser_set_left(struct parser *parser, struct node *node, struct node *child)
{
	node->left = parser_deepen(parser, node, child);
}

void parser_set_right(struct parser *parser, struct node *node, struct node *child)
{
	node->right = parser_deepen(parser, node, child);
}

void parser_add(struct parser *parser, struct node *node, struct node *child)
{
	parser_deepen(parser, node, child);
	if (node->last)
		node->last->next = child;
	else
		node->first = child;
	node->last = child;
	node->count++;
}

struct variable *parser_declare(struct parser *parser, struct symbol *name)
{
	struct variable *variable = parser_allocate(parser, sizeof(*variable));

	variable->name = name;
	variable->scope = parser->scope;
	variable->slot = parser->scope->slots++;
	variable->next = parser->scope->variables;
	parser->scope->variables = variable;
	return variable;
}

/* Records that a scope, and all scopes between, capture a variable of an enclosing one. */
static void capture(struct parser *parser, struct scope *scope, struct variable *variable)
{
	struct scope_capture *entry;

	variable->captured = true;
	for (; scope != variable->scope; scope = scope->outer) {
		for (entry = scope->captures; entry && entry->variable != variable;)
			entry = entry->next;
		if (entry)
			continue;
		entry = parser_allocate(parser, sizeof(*entry));
		entry->variable = variable;
		entry->index = scope->capture_count++;
		entry->next = scope->captures;
		scope->captures = entry;
	}
}

struct variable *parser_find_variable(struct parser *parser, struct symbol *name)
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

struct scope *parser_open_scope(struct parser *parser, struct symbol *name, bool function)
{
	struct scope *scope = parser_allocate(parser, sizeof(*scope));

	scope->outer = function ? parser->scope : NULL;
	scope->in_class = function ? parser->scope->in_class : parser->class_node != NULL;
	scope->name = name;
	scope->line = parser->token.line;
	scope->slots = 1;
	return scope;
}

void parser_parameters(struct parser *parser, struct scope *scope)
{
	struct scope *outer = parser->scope;

	parser->scope = scope;
	if (parser_accept(parser, "(")) {
		parser_skip_newlines(parser);
		while (!parser->failed && !parser_at(parser, ")")) {
			struct symbol *name;

			if (parser->token.kind != TOKEN_NAME) {
				parser_unexpected(parser, "parameter");
				break;
			}
			name = parser_intern_token(parser, &parser->token);
			for (struct variable *entry = scope->variables; entry;
				entry = entry->next) {
				if (entry->name == name)
					parser_fail(parser, parser->token.line,
						"parameter %.100s is there twice", name->text);
			}
			parser_declare(parser, name);
			scope->parameters++;
			parser_advance(parser);
			parser_skip_newlines(parser);
			if (!parser_accept(parser, ","))
				break;
			parser_skip_newlines(parser);
		}
		parser_expect(parser, ")");
	}
	if (scope->parameters > 200)
		parser_fail(parser, scope->line, "more than 200 parameters");
	parser->scope = outer;
}

static const char *const ends_end[] = {"end", NULL};

void parser_scope_body(struct parser *parser, struct scope *scope)
{
	struct scope *outer = parser->scope;

	parser->scope = scope;
	scope->body = parse_body(parser, ends_end);
	parser_expect_keyword(parser, "end");
	parser->scope = outer;
}

static struct node *parse_if(struct parser *parser, int line)
{
	static const char *const ends[] = {"elsif", "else", "end", NULL};
	struct node *node = parser_node(parser, NODE_IF, line);

	if (++parser->depth > AST_MAX_DEPTH)
		parser_fail(parser, line, "nested too deeply");
	parser_set_left(parser, node, parser_expression(parser));
	parser_accept_keyword(parser, "then");
	parser_set_right(parser, node, parse_body(parser, ends));
	line = parser->token.line;
	if (parser_accept_keyword(parser, "elsif")) {
		node->other = parser_deepen(parser, node, parse_if(parser, line));
	} else {
		if (parser_accept_keyword(parser, "else"))
			node->other = parser_deepen(parser, node, parse_body(parser, ends_end));
		parser_expect_keyword(parser, "end");
	}
	parser->depth--;
	return node;
}

static struct node *parse_while(struct parser *parser, int line)
{
	struct node *node = parser_node(parser, NODE_WHILE, line);

	parser_set_left(parser, node, parser_expression(parser));
	parser_accept_keyword(parser, "do");
	parser->scope->loops++;
	parser_set_right(parser, node, parse_body(parser, ends_end));
	parser->scope->loops--;
	parser_expect_keyword(parser, "end");
	return node;
}

static struct variable *parse_variable(struct parser *parser)
{
	struct symbol *name;
	struct variable *variable;

	if (parser->token.kind != TOKEN_NAME) {
		parser_unexpected(parser, "variable");
		return parser_declare(parser, NULL);
	}
	name = parser_intern_token(parser, &parser->token);
	variable = parser_find_variable(parser, name);
	parser_advance(parser);
	return variable ? variable : parser_declare(parser, name);
}

static struct node *parse_for(struct parser *parser, int line)
{
	struct node *node = parser_node(parser, NODE_FOR, line);

	node->variable = parse_variable(parser);
	parser_expect_keyword(parser, "in");
	parser_set_left(parser, node, parser_expression(parser));
	if (parser_at(parser, "..") || parser_at(parser, "...")) {
		node->flag = parser_at(parser, "...");
		parser_advance(parser);
		node->other = parser_deepen(parser, node, parser_expression(parser));
	}
	parser_accept_keyword(parser, "do");
	node->hidden = parser->scope->slots;
	parser->scope->slots += 2;
	parser->scope->loops++;
	parser_set_right(parser, node, parse_body(parser, ends_end));
	parser->scope->loops--;
	parser_expect_keyword(parser, "end");
	return node;
}

static struct node *parse_begin(struct parser *parser, int line)
{
	static const char *const ends[] = {"rescue", "ensure", "end", NULL};
	struct node *node = parser_node(parser, NODE_BEGIN, line);

	parser_set_left(parser, node, parse_body(parser, ends));
	while (parser_at_keyword(parser, "rescue")) {
		struct node *rescue = parser_node(parser, NODE_RESCUE, parser->token.line);

		parser_advance(parser);
		if (parser->token.kind != TOKEN_NEWLINE && !parser_at(parser, "=>") &&
			!parser_at_keyword(parser, "then"))
			parser_set_left(parser, rescue, parser_binary(parser, 1));
		if (parser_accept(parser, "=>"))
			rescue->variable = parse_variable(parser);
		parser_accept_keyword(parser, "then");
		parser_set_right(parser, rescue, parse_body(parser, ends));
		parser_add(parser, node, rescue);
	}
	if (parser_accept_keyword(parser, "ensure")) {
		int loops = parser->scope->loops;

		/* An ensure body also runs when the loop is left, so it cannot leave it itself. */
		parser->scope->loops = 0;
		parser_set_right(parser, node, parse_body(parser, ends_end));
		parser->scope->loops = loops;
	}
	parser_expect_keyword(parser, "end");
	return node;
}

static struct node *parse_method(struct parser *parser, int line)
{
	struct node *node = parser_node(parser, NODE_METHOD, line);
	struct token token = parser->token;
	struct symbol *name;

	if (parser_accept_keyword(parser, "self")) {
		parser_expect(parser, ".");
		token = parser->token;
		node->flag = true;
		if (!parser->class_node)
			parser_fail(parser, line, "static method outside a class");
	}
	if (token.kind == TOKEN_NAME) {
		parser_advance(parser);
		if (parser_at(parser, "=") && !parser->token.spaced) {
			/* a setter: the = directly follows the name in the text */
			token.length++;
			parser_advance(parser);
		}
	} else if (token.kind == TOKEN_PUNCTUATION &&
		parser_token_is(&token, TOKEN_PUNCTUATION, "[")) {
		parser_advance(parser);
		parser_expect(parser, "]");
		token.text = "[]";
		token.length = 2;
		if (parser_at(parser, "=") && !parser->token.spaced) {
			token.text = "[]=";
			token.length = 3;
			parser_advance(parser);
		}
	} else if (token.kind == TOKEN_PUNCTUATION && parser_operator(parser) > 1) {
		parser_advance(parser);
	} else {
		parser_unexpected(parser, "method name");
	}
	name = parser_intern_token(parser, &token);
	node->scope = parser_open_scope(parser, name, false);
	node->scope->line = line;
	parser_parameters(parser, node->scope);
	parser_scope_body(parser, node->scope);
	node->depth = node->scope->body->depth + 1;
	return node;
}

void parser_add_field(struct parser *parser, struct node *class_node, struct symbol *name)
{
	struct symbol **fields;

	for (uint32_t i = 0; i < class_node->field_count; i++) {
		if (class_node->fields[i] == name)
			return;
	}
	if (class_node->field_count == 100) {
		parser_fail(parser, parser->token.line, "more than 100 fields in one class");
		return;
	}
	fields = class_node->fields;
	if (!fields)
		fields = parser_allocate(parser, 100 * sizeof(*fields));
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

		parser_skip_newlines(parser);
		if (parser->token.kind != TOKEN_NAME) {
			parser_unexpected(parser, "field name");
			return;
		}
		name = parser_intern_token(parser, &parser->token);
		parser_add_field(parser, class_node, name);
		for (int setter = 0; methods && setter < 2; setter++) {
			struct node *method = parser_node(parser, NODE_METHOD, line);
			struct node *field = parser_node(parser, NODE_FIELD, line);
			struct node *body = parser_node(parser, NODE_BLOCK, line);
			char *text = parser_allocate(parser, name->length + 2);

			if (parser->failed)
				return;
			memcpy(text, name->text, name->length);
			text[name->length] = '=';
			field->name = name;
			method->scope = parser_open_scope(parser,
				parser_intern(parser, text, name->length + (size_t)setter, line),
				false);
			method->scope->line = line;
			if (setter) {
				struct scope *outer = parser->scope;
				struct node *assign = parser_node(parser, NODE_ASSIGN, line);
				struct node *given = parser_node(parser, NODE_VARIABLE, line);

				parser->scope = method->scope;
				given->variable = parser_declare(parser, name);
				parser->scope = outer;
				method->scope->parameters = 1;
				parser_set_left(parser, assign, field);
				parser_set_right(parser, assign, given);
				field = assign;
			}
			parser_add(parser, body, field);
			method->scope->body = body;
			method->depth = body->depth + 1;
			parser_add(parser, class_node, method);
		}
		parser_advance(parser);
	} while (parser_accept(parser, ","));
}

static struct node *parse_class(struct parser *parser, int line)
{
	struct node *node = parser_node(parser, NODE_CLASS, line);

	if (parser->token.kind != TOKEN_CONSTANT)
		parser_unexpected(parser, "class name");
	node->name = parser_intern_token(parser, &parser->token);
	parser_advance(parser);
	if (parser_accept(parser, "<"))
		parser_set_left(parser, node, parser_expression(parser));
	parser->class_node = node;
	parser_skip_newlines(parser);
	while (!parser->failed && !parser_at_keyword(parser, "end")) {
		int at_line = parser->token.line;

		if (parser_accept_keyword(parser, "def")) {
			parser_add(parser, node, parse_method(parser, at_line));
		} else if (parser_token_is(&parser->token, TOKEN_NAME, "attr")) {
			parser_advance(parser);
			parse_fields(parser, node, true);
		} else if (parser_token_is(&parser->token, TOKEN_NAME, "fields")) {
			parser_advance(parser);
			parse_fields(parser, node, false);
		} else {
			parser_unexpected(parser, "def, attr, fields or end");
		}
		parser_skip_newlines(parser);
	}
	parser->class_node = NULL;
	parser_expect_keyword(parser, "end");
	return node;
}

static struct node *parse_jump(struct parser *parser, enum node_kind kind, int line)
{
	if (!parser->scope->loops)
		parser_fail(
			parser, line, "%s outside a loop", kind == NODE_BREAK ? "break" : "next");
	return parser_node(parser, kind, line);
}

static bool at_statement_end(struct parser *parser)
{
	return parser->token.kind == TOKEN_NEWLINE || parser->token.kind == TOKEN_END_OF_FILE ||
		parser_at_keyword(parser, "if") || parser_at_keyword(parser, "end") ||
		parser_at_keyword(parser, "else") || parser_at_keyword(parser, "elsif") ||
		parser_at_keyword(parser, "rescue") || parser_at_keyword(parser, "ensure");
}

static struct node *parse_simple(struct parser *parser)
{
	int line = parser->token.line;
	struct node *node;

	if (parser_accept_keyword(parser, "return")) {
		node = parser_node(parser, NODE_RETURN, line);
		if (!at_statement_end(parser))
			parser_set_left(parser, node, parser_expression(parser));
	} else if (parser_accept_keyword(parser, "raise")) {
		node = parser_node(parser, NODE_RAISE, line);
		parser_set_left(parser, node, parser_expression(parser));
	} else if (parser_accept_keyword(parser, "break")) {
		node = parse_jump(parser, NODE_BREAK, line);
	} else if (parser_accept_keyword(parser, "next")) {
		node = parse_jump(parser, NODE_NEXT, line);
	} else {
		node = parser_expression(parser);
	}
	if (parser_at_keyword(parser, "if")) {
		struct node *condition = parser_node(parser, NODE_IF, parser->token.line);

		parser_advance(parser);
		parser_set_left(parser, condition, parser_expression(parser));
		parser_set_right(parser, condition, node);
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
		parser_fail(parser, line, "nested too deeply");
		parser->depth--;
		return parser_node(parser, NODE_NIL, line);
	}
	if (parser_accept_keyword(parser, "if")) {
		node = parse_if(parser, line);
	} else if (parser_accept_keyword(parser, "while")) {
		node = parse_while(parser, line);
	} else if (parser_accept_keyword(parser, "for")) {
		node = parse_for(parser, line);
	} else if (parser_accept_keyword(parser, "begin")) {
		node = parse_begin(parser, line);
	} else if (parser_at_keyword(parser, "def") || parser_at_keyword(parser, "class")) {
		bool class_wanted = parser_at_keyword(parser, "class");

		if (!file || parser->depth > 1)
			parser_fail(parser, line,
				"class and def stand at the top level of a file only");
		parser_advance(parser);
		node = class_wanted ? parse_class(parser, line) : parse_method(parser, line);
	} else {
		node = parse_simple(parser);
	}
	if (!at_statement_end(parser))
		parser_unexpected(parser, "end of the statement");
	parser->depth--;
	return node;
}

static bool at_end_of_body(struct parser *parser, const char *const *ends)
{
	if (parser->token.kind == TOKEN_END_OF_FILE)
		return true;
	for (int i = 0; ends && ends[i]; i++) {
		if (parser_at_keyword(parser, ends[i]))
			return true;
	}
	return false;
}

/* Statements up to one of the keywords, or to the end of the file. */
static struct node *parse_body(struct parser *parser, const char *const *ends)
{
	struct node *block = parser_node(parser, NODE_BLOCK, parser->token.line);

	parser_skip_newlines(parser);
	while (!at_end_of_body(parser, ends)) {
		parser_add(parser, block, parse_statement(parser));
		parser_skip_newlines(parser);
	}
	return block;
}

struct scope *parser_parse(struct capability *cap, struct source_file *file, const char *text,
	struct arena *arena, int *last_line, struct parse_error *error)
{
	struct parser parser = {.cap = cap, .file = file, .arena = arena, .error = error};
	struct scope *scope;

	lexer_init(&parser.lexer, text);
	parser_advance(&parser);
	scope = parser_open_scope(&parser, NULL, false);
	parser.scope = scope;
	scope->body = parse_body(&parser, NULL);
	*last_line = parser.lexer.line;
	lexer_free(&parser.lexer);
	return parser.failed ? NULL : scope;
}
