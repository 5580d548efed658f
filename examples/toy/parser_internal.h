/*
 * parser_internal.h: what the two halves of the parser share: parser.c handles tokens, the
 * tree, scopes and statements, parse_expression.c expressions.
 */
#ifndef TOY_PARSER_INTERNAL_H
#define TOY_PARSER_INTERNAL_H

#include "lexer.h"
#include "parser.h"

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
	_Alignas(16) char spare[512]; /* where a failed parse writes its nodes */
};

/* The first call counts; afterwards the file seems to end here. */
__attribute__((format(printf, 3, 4))) void parser_fail(
	struct parser *parser, int line, const char *format, ...);
/* Zeroed memory; never NULL. After a failure only sizeof(parser->spare) bytes may be used. */
void *parser_allocate(struct parser *parser, size_t bytes);
void parser_advance(struct parser *parser);
bool parser_token_is(const struct token *token, enum token_kind kind, const char *text);
/* Whether the current token is this one. accept also moves on; expect also fails if it is not. */
bool parser_at(struct parser *parser, const char *punctuation);
bool parser_at_keyword(struct parser *parser, const char *keyword);
bool parser_accept(struct parser *parser, const char *punctuation);
bool parser_accept_keyword(struct parser *parser, const char *keyword);
void parser_unexpected(struct parser *parser, const char *wanted);
void parser_expect(struct parser *parser, const char *punctuation);
void parser_expect_keyword(struct parser *parser, const char *keyword);
void parser_skip_newlines(struct parser *parser);
/* NULL when memory runs out, which fails the parse. */
struct symbol *parser_intern(struct parser *parser, const char *text, size_t length, int line);
struct symbol *parser_intern_token(struct parser *parser, const struct token *token);
/* Never NULL, like all functions that return a node. */
struct node *parser_node(struct parser *parser, enum node_kind kind, int line);
/* Includes a child in the depth of a node. Returns the child. */
struct node *parser_deepen(struct parser *parser, struct node *node, const struct node *child);
void parser_set_left(struct parser *parser, struct node *node, struct node *child);
void parser_set_right(struct parser *parser, struct node *node, struct node *child);
/* Appends to the list of a node. */
void parser_add(struct parser *parser, struct node *node, struct node *child);
/* A new variable of the current scope. */
struct variable *parser_declare(struct parser *parser, struct symbol *name);
/* A variable of this function or of one around it, which is then captured; or NULL. */
struct variable *parser_find_variable(struct parser *parser, struct symbol *name);
/* function: it may use the variables of the scope around it. */
struct scope *parser_open_scope(struct parser *parser, struct symbol *name, bool function);
void parser_parameters(struct parser *parser, struct scope *scope);
/* Statements up to "end". */
void parser_scope_body(struct parser *parser, struct scope *scope);
/* Adds a field to a class. */
void parser_add_field(struct parser *parser, struct node *class_node, struct symbol *name);
/* Expressions, in parse_expression.c. binary leaves out assignment. */
struct node *parser_expression(struct parser *parser);
struct node *parser_binary(struct parser *parser, int level);
/* The number of the binary operator at the current token (0 is "or", 1 is "and"), or -1. */
int parser_operator(struct parser *parser);

#endif
