/*
 * contract_private.h: what the parts of the reader of provider definitions share:
 * contract_scan.c (words, comments, control lines), contract_type.c (C's types),
 * contract_document.c (comments before probes), contract_event.c (which event of another
 * provider fires a probe) and contract.c (the grammar above them). Only these include it.
 */
#ifndef VMTAP_CONTRACT_CONTRACT_PRIVATE_H
#define VMTAP_CONTRACT_CONTRACT_PRIVATE_H

#include "contract/contract.h"

enum {
	FILE_BYTES_MAX = 1 << 20,
	TYPEDEFS_MAX = 1024,
	PROVIDERS_MAX = 256,
	PROBES_MAX = 2048, /* maximum per provider */
	PRAGMAS_MAX = 5 * PROVIDERS_MAX,
	DOCUMENTATION_MAX = 1 << 16, /* bytes of one probe's or argument's text */
	WORD_BYTES_MAX = 127         /* longer names are cut by tracers */
};

struct contract_span {
	const char *begin, *end;
};

enum contract_token_kind { TOKEN_END, TOKEN_WORD, TOKEN_CHARACTER };

struct contract_token {
	enum contract_token_kind kind;
	char character; /* for TOKEN_CHARACTER, else 0 */
	struct contract_span text;
	int line;
};

/* What a probe needs to know about a C type. */
struct contract_type {
	bool is_void, is_struct; /* not usable as a parameter, but a pointer to it is */
	bool is_float;
	bool is_char; /* plain char: a pointer to it is a string */
	enum contract_kind kind;
	uint8_t size, size_ilp32;
	bool is_signed;
	bool is_typedef; /* defined by a typedef of this file */
};

struct contract_type_definition {
	struct contract_span name;
	struct contract_type type;
	bool is_tag; /* of an enum: "enum name" */
};

struct contract_pragma {
	struct stability stability;
	struct contract_span provider;
	int which; /* enum stability_part */
	int line;
};

struct contract_reader {
	const char *file;
	const char *begin; /* of the file's text */
	const char *position, *end;
	int line;
	bool line_begins; /* only white space since the last newline: a '#' starts a control line */
	struct contract_token token;
	struct contract_span comment; /* the last comment before token, empty if there is none */
	int comment_end_line;
	size_t definition_count, pragma_count;
	struct contract_type_definition *definitions;
	struct contract_pragma *pragmas;
	struct contract *made; /* takes constants; NULL: they are not kept */
	struct error *error;
};

/* A type's text with its white space normalised, built word by word. */
struct contract_type_text {
	char text[256];
	size_t length;
	bool overflow;
};

/* The column of a place in the text, from 1; 0: it is not in the text. */
int contract_column(const struct contract_reader *reader, const char *at);

/* Errors in the input are always -EINVAL; these functions name the line and, if it is known, the
 * column. */
int contract_fail_at(struct contract_reader *reader, int line, const char *reason);
int contract_fail_word(
	struct contract_reader *reader, int line, const char *reason, struct contract_span word);
int contract_fail_token(struct contract_reader *reader, const char *expected);
int contract_fail_memory(struct contract_reader *reader);

bool contract_span_is(struct contract_span span, const char *text);
bool contract_span_same(struct contract_span a, struct contract_span b);
char *contract_span_copy(struct contract_span span);
bool contract_is_blank(char character);
bool contract_is_word(char character);

/* Takes the next word, delimited by white space, from a line; empty if there is none. */
struct contract_span contract_take_field(struct contract_span *line);

/* Reads the next token into reader->token. */
int contract_next(struct contract_reader *reader);
bool contract_at_word(const struct contract_reader *reader, const char *word);
int contract_take_character(struct contract_reader *reader, char character);

/* Takes a name of a provider, probe, type or parameter; what is for the error message. */
int contract_take_name(
	struct contract_reader *reader, const char *what, struct contract_span *name);

/* Reads a type up to but excluding a declared name; text receives it as written. */
int contract_parse_type(struct contract_reader *reader, struct contract_type *type,
	struct contract_type_text *text);
int contract_parse_typedef(struct contract_reader *reader);

/* Handles "#define NAME TYPE" like a typedef; ignores any other definition. */
int contract_define_line(struct contract_reader *reader, struct contract_span line, int number);

/* Skips "[ 16 ]" after a name; in a parameter it makes the type a pointer. */
int contract_skip_array(struct contract_reader *reader, struct contract_type *type);

/* Skips "{ ... }" with nested braces. */
int contract_skip_braces(struct contract_reader *reader);

/* Reads "NAME = expression", up to a ',', ';' or '}' that belongs to neither, as a constant.
 * *next is the value if there is no "= expression", and becomes the next one's; *is_number says
 * whether it is known. */
int contract_parse_constant(struct contract_reader *reader, long long *next, bool *is_number);

/* Parses the comment before a probe. */
int contract_parse_documentation(struct contract_reader *reader, struct contract_probe *probe,
	struct contract_span comment, int end_line);

/* --- which event of another provider fires a probe --- */

/* Parses the rest of "@event NAME (a, b) when [not] c". */
int contract_parse_event(struct contract_reader *reader, struct contract_probe *probe,
	struct contract_span rest, int line);
void contract_free_event(struct contract_event *event);

#endif
