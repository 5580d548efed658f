/*
 * lex.h: splits a script's text into tokens. Private to src/d.
 *
 * There are two modes: outside bodies a word is a probe description, inside it is part of an
 * expression. The parser sets the mode before it requests the next token; the first word of a
 * declaration switches to the inner mode by itself. Control lines (#pragma ...) take effect as the
 * lexer passes them.
 */
#ifndef VMTAP_D_LEX_H
#define VMTAP_D_LEX_H

#include "d/compiler.h"

/* Puts the reserved words into the name table. -ENOMEM. */
int d_lexer_keywords(struct d_names *names);
void d_lexer_start(struct d_compiler *compiler, const char *text, size_t length);

/* Reads the next token into compiler->token. */
int d_lexer_next(struct d_compiler *compiler);

/* lex_control.c: a control line, from after its '#' to the end of the line. */
int d_control_line(struct d_compiler *compiler, const char *start, const char *end);

/*
 * lex_literal.c: integers, characters, strings. They start at `at`; the functions return what
 * follows.
 */
const char *d_literal_integer(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
const char *d_literal_character(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
const char *d_literal_string(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
/* Stores a string without its quotes, escapes processed, in token->name and token->bytes. */
int d_literal_unescape(
	struct d_compiler *compiler, const char *text, size_t length, struct d_token *token);
/* The type of an integer literal; NULL: it fits no type. */
const struct d_type *d_literal_type(const struct d_types *types, uint64_t value, bool decimal,
	bool is_unsigned, unsigned longs);

/* lex_macro.c: $name, $$name, $1, $$1 in a body: from the '$'; returns what follows. */
const char *d_macro_token(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token);
/*
 * The text of a macro in a probe description, at its '$'. Sets *length to the length of the macro
 * in the description. NULL: there is no such macro. buffer is memory for the text of a number.
 */
const char *d_macro_text(struct d_compiler *compiler, const char *at, const char *end,
	size_t *length, char buffer[32]);

/*
 * A type's name without the scope D` or C` (types of scripts and of included files, which are the
 * same here). NULL: no memory.
 */
struct d_name *d_lexer_unscoped(struct d_compiler *compiler, struct d_name *name);

/* A word from the text or from an argument: a reserved word, type or name. */
int d_lexer_word(
	struct d_compiler *compiler, const char *bytes, size_t length, struct d_token *token);

#endif
