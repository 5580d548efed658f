/*
 * lex_token.h: the tokens of a script and their positions.
 */
#ifndef VMTAP_D_LEX_TOKEN_H
#define VMTAP_D_LEX_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/name_table.h"
#include "d/type.h"

/* A position in a script, for messages. */
struct d_place {
	const char *start; /* in the script's text; NULL: no place */
	const char *file;  /* after a #line that names one, else NULL */
	uint32_t length;
	uint32_t line; /* messages give the column relative to start */
};

enum d_token_kind {
	D_TOKEN_END,
	D_TOKEN_INTEGER,
	D_TOKEN_STRING,
	D_TOKEN_NAME,
	D_TOKEN_TYPE,        /* the name of a type */
	D_TOKEN_AGGREGATION, /* @name */
	D_TOKEN_DESCRIPTION, /* vm*:::gc-start, in the outer mode */
	D_TOKEN_PREDICATE_END,
	/* punctuation */
	D_TOKEN_LEFT_BRACE,
	D_TOKEN_RIGHT_BRACE,
	D_TOKEN_LEFT_PAREN,
	D_TOKEN_RIGHT_PAREN,
	D_TOKEN_LEFT_BRACKET,
	D_TOKEN_RIGHT_BRACKET,
	D_TOKEN_SEMICOLON,
	D_TOKEN_COMMA,
	D_TOKEN_DOT,
	D_TOKEN_ARROW,
	D_TOKEN_QUESTION,
	D_TOKEN_COLON,
	D_TOKEN_ELLIPSIS,
	D_TOKEN_PLUS,
	D_TOKEN_MINUS,
	D_TOKEN_STAR,
	D_TOKEN_SLASH,
	D_TOKEN_PERCENT,
	D_TOKEN_SHIFT_LEFT,
	D_TOKEN_SHIFT_RIGHT,
	D_TOKEN_LESS,
	D_TOKEN_LESS_EQUAL,
	D_TOKEN_GREATER,
	D_TOKEN_GREATER_EQUAL,
	D_TOKEN_EQUAL,
	D_TOKEN_NOT_EQUAL,
	D_TOKEN_AND,
	D_TOKEN_XOR,
	D_TOKEN_OR,
	D_TOKEN_LOGICAL_AND,
	D_TOKEN_LOGICAL_XOR,
	D_TOKEN_LOGICAL_OR,
	D_TOKEN_NOT,
	D_TOKEN_COMPLEMENT,
	D_TOKEN_INCREMENT,
	D_TOKEN_DECREMENT,
	D_TOKEN_ASSIGN,
	D_TOKEN_ADD_ASSIGN,
	D_TOKEN_SUBTRACT_ASSIGN,
	D_TOKEN_MULTIPLY_ASSIGN,
	D_TOKEN_DIVIDE_ASSIGN,
	D_TOKEN_MODULO_ASSIGN,
	D_TOKEN_SHIFT_LEFT_ASSIGN,
	D_TOKEN_SHIFT_RIGHT_ASSIGN,
	D_TOKEN_AND_ASSIGN,
	D_TOKEN_XOR_ASSIGN,
	D_TOKEN_OR_ASSIGN,
	/* reserved words; those up to D_TOKEN_VOLATILE start a declaration */
	D_TOKEN_AUTO,
	D_TOKEN_CHAR,
	D_TOKEN_CONST,
	D_TOKEN_DOUBLE,
	D_TOKEN_ENUM,
	D_TOKEN_EXTERN,
	D_TOKEN_FLOAT,
	D_TOKEN_INLINE,
	D_TOKEN_INT,
	D_TOKEN_LONG,
	D_TOKEN_PROVIDER,
	D_TOKEN_REGISTER,
	D_TOKEN_RESTRICT,
	D_TOKEN_SELF,
	D_TOKEN_SHORT,
	D_TOKEN_SIGNED,
	D_TOKEN_STATIC,
	D_TOKEN_STRING_TYPE,
	D_TOKEN_STRUCT,
	D_TOKEN_THIS,
	D_TOKEN_TRANSLATOR,
	D_TOKEN_TYPEDEF,
	D_TOKEN_UNION,
	D_TOKEN_UNSIGNED,
	D_TOKEN_VOID,
	D_TOKEN_VOLATILE,
	D_TOKEN_BREAK,
	D_TOKEN_CASE,
	D_TOKEN_CONTINUE,
	D_TOKEN_COUNTER,
	D_TOKEN_DEFAULT,
	D_TOKEN_DO,
	D_TOKEN_ELSE,
	D_TOKEN_FOR,
	D_TOKEN_GOTO,
	D_TOKEN_IF,
	D_TOKEN_IMPORT,
	D_TOKEN_OFFSETOF,
	D_TOKEN_PROBE,
	D_TOKEN_RETURN,
	D_TOKEN_SIZEOF,
	D_TOKEN_STRINGOF,
	D_TOKEN_SWITCH,
	D_TOKEN_WHILE,
	D_TOKEN_XLATE,
	D_TOKENS
};

struct d_token {
	enum d_token_kind kind;
	struct d_place place;
	uint64_t value;            /* of an integer */
	const struct d_type *type; /* of an integer; for a name, the type it names */
	struct d_name *name;       /* names, aggregations ("_" for a bare @), strings' bytes */
};

#endif
