/*
 * lex.h: a script's text to tokens. Private to src/d.
 *
 * Two modes: outside of bodies a word is a probe description, inside it is an expression's.
 * The parser sets the mode before it asks for the next token; a declaration's first word
 * switches to the inner mode by itself. Control lines (#pragma ...) act as they are passed.
 */
#ifndef VMTAP_D_LEX_H
#define VMTAP_D_LEX_H

#include "d/compiler.h"

/* Reserved words are put into the table of names. -ENOMEM. */
int d_lexer_keywords(struct d_names *names);
void d_lexer_start(struct d_compiler *compiler, const char *text, size_t length);

/* Reads the next token into compiler->token. */
int d_lexer_next(struct d_compiler *compiler);

/* lex_control.c: a control line, from behind its '#' to the end of the line. */
int d_control_line(struct d_compiler *compiler, const char *start, const char *end);

/* lex_literal.c: integers, characters, strings. They begin at at and return what follows. */
const char *d_literal_integer(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
const char *d_literal_character(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
const char *d_literal_string(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
/* A string without its quotes, escapes processed, into token->name and token->bytes. */
int d_literal_unescape(
	struct d_compiler *compiler, const char *text, size_t length, struct d_token *token);
/* The type of an integer literal; NULL when no type holds it. */
const struct d_type *d_literal_type(const struct d_types *types, uint64_t value, bool decimal,
	bool is_unsigned, unsigned longs);

/* lex_macro.c: $name, $$name, $1, $$1 in a body: from the '$'; returns what follows. */
const char *d_macro_token(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
/*
 * The text of a macro in a probe description, at its '$'. Sets *length to how much of the
 * description it took. NULL when there is no such macro. buffer holds a number's text.
 */
const char *d_macro_text(struct d_compiler *compiler, const char *at, const char *end,
	size_t *length, char buffer[32]);

/*
 * What a type's name is without the scope D` or C`, of the types of scripts and of included
 * files: those are one. NULL: no memory.
 */
struct d_name *d_lexer_unscoped(struct d_compiler *compiler, struct d_name *name);

/* A word that came from the text or from an argument: reserved word, type or name. */
int d_lexer_word(
	struct d_compiler *compiler, const char *bytes, size_t length, struct d_token *token);

#endif
