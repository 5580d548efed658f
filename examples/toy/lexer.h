/*
 * lexer.h: source text to tokens.
 */
#ifndef TOY_LEXER_H
#define TOY_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
	TOKEN_END_OF_FILE,
	TOKEN_NEWLINE, /* or a semicolon */
	TOKEN_INT,
	TOKEN_FLOAT,
	TOKEN_STRING, /* text: after escapes; up to an interpolation or the end */
	TOKEN_SYMBOL,
	TOKEN_NAME,     /* lower case; may end in ? or ! */
	TOKEN_CONSTANT, /* upper case */
	TOKEN_FIELD,    /* @name; text without the @ */
	TOKEN_GLOBAL,   /* $name */
	TOKEN_KEYWORD,
	TOKEN_PUNCTUATION,
	TOKEN_ERROR, /* text is the message */
};

struct token {
	enum token_kind kind;
	int line;
	const char *text;
	size_t length;
	int64_t integer;
	double number;
	bool interpolates; /* the string continues with #{ */
	bool spaced;       /* white space precedes it */
};

/*
 * Reads text, which must outlive the lexer and end in NUL. Token texts that had escapes
 * are in buffer until lexer_free().
 */
struct lexer {
	const char *next;
	int line;
	int nesting;    /* of interpolations */
	int braces[16]; /* open braces in each */
	char **buffers;
	size_t buffer_count;
};

void lexer_init(struct lexer *lexer, const char *text);
void lexer_free(struct lexer *lexer);
struct token lexer_next(struct lexer *lexer);

#endif
