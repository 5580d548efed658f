/*
 * contract.c: the reader of provider definitions. contract.h says what is read.
 *
 * A hand-written scanner delivers words and single characters; comments and control
 * lines are dealt with between two tokens, so that the parser never sees them: the last
 * comment is remembered for the probe that may follow, stability pragmas are collected,
 * and "#define NAME TYPE", with which some projects spell a typedef, becomes one. The
 * parser above it goes down the short grammar once, without recursion, and stops at the
 * first error. Order of the file: scanner, types, parameters, documentation, the rest.
 *
 * It is no C compiler: it knows as much of C's types as a probe's parameter can be.
 * Tables have fixed upper limits, so that a hostile file costs little time.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "usdt/contract.h"

enum {
	FILE_BYTES_MAX = 1 << 20,
	TYPEDEFS_MAX = 1024,
	PROVIDERS_MAX = 256,
	PROBES_MAX = 2048, /* of one provider */
	PRAGMAS_MAX = 5 * PROVIDERS_MAX,
	WORD_BYTES_MAX = 127 /* what tracers keep of a name */
};

struct span {
	const char *begin, *end;
};

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_CHARACTER };

struct token {
	enum token_kind kind;
	char character; /* of TOKEN_CHARACTER, else 0 */
	struct span text;
	int line;
};

/* What a C type is to a probe. */
struct type {
	bool is_void, is_struct; /* not usable as a parameter, but a pointer to it is */
	bool is_float;
	bool is_char; /* plain char: a pointer to it is a string */
	enum contract_kind kind;
	uint8_t size, size_ilp32;
	bool is_signed;
};

struct type_definition {
	struct span name;
	struct type type;
};

struct pragma {
	struct span stability[3]; /* name, data, class */
	struct span provider;
	int which; /* index into contract_provider.stability */
	int line;
};

struct reader {
	const char *file;
	const char *position, *end;
	int line;
	bool line_begins; /* only white space since the last newline: a '#' is a control line */
	struct token token;
	struct span comment; /* the last one before token, empty if none stands there */
	int comment_end_line;
	size_t definition_count, pragma_count;
	struct type_definition *definitions;
	struct pragma *pragmas;
	struct error *error;
};

/* What a failed look at the input means is always -EINVAL; this gives it the line. */
static int fail_at(struct reader *reader, int line, const char *reason)
{
	return error_set(reader->error, EINVAL, "%s: line %d: %s", reader->file, line, reason);
}

static int fail_word(struct reader *reader, int line, const char *reason, struct span word)
{
	size_t length = (size_t)(word.end - word.begin);

	return error_set(reader->error, EINVAL, "%s: line %d: %s '%.*s'", reader->file, line,
		reason, (int)(length > WORD_BYTES_MAX ? WORD_BYTES_MAX : length), word.begin);
}

static int fail_memory(struct reader *reader)
{
	return error_set(reader->error, ENOMEM, "%s: out of memory", reader->file);
}

static bool span_is(struct span span, const char *text)
{
	size_t length = (size_t)(span.end - span.begin);

	return length == strlen(text) && memcmp(span.begin, text, length) == 0;
}

static bool span_same(struct span a, struct span b)
{
	return a.end - a.begin == b.end - b.begin &&
	       memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

static char *span_copy(struct span span)
{
	return strndup(span.begin, (size_t)(span.end - span.begin));
}

static bool is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\r' || character == '\f' ||
	       character == '\v';
}

static bool is_word(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}

/* --- scanner --- */

static int control_line(struct reader *reader, struct span line, int number);

/* Passes over a comment; *found says whether one stood here. */
static int skip_comment(struct reader *reader, bool *found)
{
	const char *begin = reader->position;
	int line = reader->line;

	*found = false;
	if (reader->end - begin < 2 || begin[0] != '/' || (begin[1] != '*' && begin[1] != '/'))
		return 0;
	*found = true;
	reader->position += 2;
	if (begin[1] == '/') {
		/* "//" lines that follow each other are one comment */
		bool continues = reader->comment.begin && reader->comment.begin[1] == '/' &&
				 reader->comment_end_line == line - 1;

		while (reader->position < reader->end && *reader->position != '\n')
			reader->position++;
		if (!continues)
			reader->comment.begin = begin;
		reader->comment.end = reader->position;
		reader->comment_end_line = line;
		return 0;
	}
	for (; reader->end - reader->position >= 2; reader->position++) {
		if (reader->position[0] == '*' && reader->position[1] == '/') {
			reader->position += 2;
			reader->comment = (struct span){begin, reader->position};
			reader->comment_end_line = reader->line;
			return 0;
		}
		if (*reader->position == '\n')
			reader->line++;
	}
	return fail_at(reader, line, "this comment has no end");
}

/*
 * The control line at position, with lines that a backslash or a comment joins to it.
 */
static struct span take_control_line(struct reader *reader)
{
	struct span line = {reader->position + 1, NULL};
	bool in_comment = false;

	while (reader->position < reader->end) {
		char following = reader->end - reader->position > 1 ? reader->position[1] : 0;

		if (!in_comment && *reader->position == '/' && following == '*') {
			in_comment = true;
			reader->position++;
		} else if (in_comment && *reader->position == '*' && following == '/') {
			in_comment = false;
			reader->position++;
		} else if (in_comment && *reader->position == '\n') {
			reader->line++;
		} else if (*reader->position == '\n') {
			const char *last = reader->position - 1;

			if (last > line.begin && *last == '\r')
				last--;
			if (*last != '\\')
				break;
			reader->line++;
		}
		reader->position++;
	}
	line.end = reader->position;
	return line;
}

/* Reads the next token into reader->token. */
static int next(struct reader *reader)
{
	reader->comment = (struct span){NULL, NULL};
	reader->comment_end_line = 0;
	while (reader->position < reader->end) {
		char character = *reader->position;
		bool found;
		int error;

		if (character == '\n') {
			reader->line++;
			reader->line_begins = true;
			reader->position++;
			continue;
		}
		if (is_blank(character) ||
			(character == '\\' && reader->end - reader->position > 1 &&
				(reader->position[1] == '\n' || reader->position[1] == '\r'))) {
			reader->position++;
			continue;
		}
		if (character == '#' && reader->line_begins) {
			int number = reader->line;
			struct span line = take_control_line(reader);

			error = control_line(reader, line, number);
			if (error < 0)
				return error;
			continue;
		}
		error = skip_comment(reader, &found);
		if (error < 0)
			return error;
		if (!found)
			break;
	}
	reader->line_begins = false;
	reader->token.line = reader->line;
	reader->token.character = 0;
	reader->token.text = (struct span){reader->position, reader->position};
	if (reader->position == reader->end) {
		reader->token.kind = TOKEN_END;
		return 0;
	}
	if (is_word(*reader->position)) {
		reader->token.kind = TOKEN_WORD;
		while (reader->position < reader->end && is_word(*reader->position))
			reader->position++;
	} else {
		reader->token.kind = TOKEN_CHARACTER;
		reader->token.character = *reader->position++;
	}
	reader->token.text.end = reader->position;
	return 0;
}

static bool at_word(const struct reader *reader, const char *word)
{
	return reader->token.kind == TOKEN_WORD && span_is(reader->token.text, word);
}

static int fail_token(struct reader *reader, const char *expected)
{
	char reason[96];

	if (reader->token.kind == TOKEN_END) {
		snprintf(reason, sizeof(reason), "expected %s, the file ends", expected);
		return fail_at(reader, reader->token.line, reason);
	}
	snprintf(reason, sizeof(reason), "expected %s, found", expected);
	return fail_word(reader, reader->token.line, reason, reader->token.text);
}

static int take_character(struct reader *reader, char character)
{
	char expected[4] = {'\'', character, '\'', 0};

	if (reader->token.character != character)
		return fail_token(reader, expected);
	return next(reader);
}

/* A name of a provider, probe, type or parameter. */
static int take_name(struct reader *reader, const char *what, struct span *name)
{
	if (reader->token.kind != TOKEN_WORD ||
		isdigit((unsigned char)*reader->token.text.begin))
		return fail_token(reader, what);
	*name = reader->token.text;
	if (name->end - name->begin > WORD_BYTES_MAX)
		return fail_word(reader, reader->token.line, "this name is too long:", *name);
	return next(reader);
}

/* --- types --- */

static const struct {
	const char *name;
	uint8_t size, size_ilp32;
	bool is_signed;
} integer_types[] = {
	{"int8_t", 1, 1, true},
	{"uint8_t", 1, 1, false},
	{"int16_t", 2, 2, true},
	{"uint16_t", 2, 2, false},
	{"int32_t", 4, 4, true},
	{"uint32_t", 4, 4, false},
	{"int64_t", 8, 8, true},
	{"uint64_t", 8, 8, false},
	{"u_int8_t", 1, 1, false},
	{"u_int16_t", 2, 2, false},
	{"u_int32_t", 4, 4, false},
	{"u_int64_t", 8, 8, false},
	{"intptr_t", 8, 4, true},
	{"uintptr_t", 8, 4, false},
	{"size_t", 8, 4, false},
	{"ssize_t", 8, 4, true},
	{"ptrdiff_t", 8, 4, true},
	{"intmax_t", 8, 8, true},
	{"uintmax_t", 8, 8, false},
	{"off_t", 8, 4, true},
	{"time_t", 8, 4, true},
	{"hrtime_t", 8, 8, true},
	{"pid_t", 4, 4, true},
	{"id_t", 4, 4, true},
	{"uid_t", 4, 4, false},
	{"gid_t", 4, 4, false},
	{"mode_t", 4, 4, false},
	{"socklen_t", 4, 4, false},
	{"uchar_t", 1, 1, false},
	{"ushort_t", 2, 2, false},
	{"uint_t", 4, 4, false},
	{"ulong_t", 8, 4, false},
	{"longlong_t", 8, 8, true},
	{"u_longlong_t", 8, 8, false},
	{"u_char", 1, 1, false},
	{"u_short", 2, 2, false},
	{"u_int", 4, 4, false},
	{"u_long", 8, 4, false},
	{"uint", 4, 4, false},
	{"ulong", 8, 4, false},
	{"ushort", 2, 2, false},
	{"boolean_t", 4, 4, true},
	{"bool", 1, 1, false},
	{"_Bool", 1, 1, false},
};

static bool find_type(const struct reader *reader, struct span name, struct type *type)
{
	for (size_t i = reader->definition_count; i-- > 0;) {
		if (span_same(reader->definitions[i].name, name)) {
			*type = reader->definitions[i].type;
			return true;
		}
	}
	memset(type, 0, sizeof(*type));
	for (size_t i = 0; i < sizeof(integer_types) / sizeof(integer_types[0]); i++) {
		if (span_is(name, integer_types[i].name)) {
			type->size = integer_types[i].size;
			type->size_ilp32 = integer_types[i].size_ilp32;
			type->is_signed = integer_types[i].is_signed;
			return true;
		}
	}
	if (span_is(name, "string") || span_is(name, "caddr_t")) {
		type->kind = CONTRACT_STRING;
		type->size = 8;
		type->size_ilp32 = 4;
		return true;
	}
	return false;
}

/* A type's text with its white space normalised, built word by word. */
struct type_text {
	char text[256];
	size_t length;
	bool overflow;
};

static void append(struct type_text *text, struct span word)
{
	size_t length = (size_t)(word.end - word.begin);
	bool blank = text->length > 0 && text->text[text->length - 1] != '*';

	if (text->length + blank + length + 1 > sizeof(text->text)) {
		text->overflow = true;
		return;
	}
	if (blank)
		text->text[text->length++] = ' ';
	memcpy(text->text + text->length, word.begin, length);
	text->length += length;
	text->text[text->length] = 0;
}

/* How often each of C's own type words stood in a type. */
struct base_words {
	unsigned int is_signed, is_unsigned, shorts, longs, ints, chars, voids, floats;
};

static unsigned int *base_word(struct base_words *words, struct span word)
{
	static const struct {
		const char *word;
		size_t offset;
	} table[] = {
		{"signed", offsetof(struct base_words, is_signed)},
		{"unsigned", offsetof(struct base_words, is_unsigned)},
		{"short", offsetof(struct base_words, shorts)},
		{"long", offsetof(struct base_words, longs)},
		{"int", offsetof(struct base_words, ints)},
		{"char", offsetof(struct base_words, chars)},
		{"void", offsetof(struct base_words, voids)},
		{"float", offsetof(struct base_words, floats)},
		{"double", offsetof(struct base_words, floats)},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (span_is(word, table[i].word))
			return (unsigned int *)((char *)words + table[i].offset);
	return NULL;
}

static bool resolve_base_words(const struct base_words *words, struct type *type)
{
	unsigned int kinds = words->chars + words->voids + words->floats + (words->shorts > 0) +
			     (words->longs > 0 && !words->floats);

	memset(type, 0, sizeof(*type));
	if (kinds > 1 || words->shorts > 1 || words->longs > 2 || words->ints > 1 ||
		words->is_signed + words->is_unsigned > 1 || words->floats > 1)
		return false;
	if ((words->chars || words->voids || words->floats) && words->ints)
		return false;
	if ((words->voids || words->floats) && (words->is_signed || words->is_unsigned))
		return false;
	type->is_void = words->voids;
	type->is_float = words->floats;
	type->is_char = words->chars && !words->is_signed && !words->is_unsigned;
	type->is_signed = !words->is_unsigned;
	type->size = words->chars ? 1 : words->shorts ? 2 : words->longs ? 8 : 4;
	type->size_ilp32 = words->longs == 1 ? 4 : type->size;
	return true;
}

static bool is_qualifier(struct span word)
{
	return span_is(word, "const") || span_is(word, "volatile") || span_is(word, "restrict");
}

/* Passes over "{ ... }", braces inside included. */
static int skip_braces(struct reader *reader)
{
	unsigned int depth = 0;
	int line = reader->token.line;

	do {
		if (reader->token.character == '{')
			depth++;
		if (reader->token.character == '}')
			depth--;
		if (reader->token.kind == TOKEN_END)
			return fail_at(reader, line, "this '{' has no '}'");
		int error = next(reader);
		if (error < 0)
			return error;
	} while (depth > 0);
	return 0;
}

/* Reads a type up to, not including, a declared name. */
static int parse_type(struct reader *reader, struct type *type, struct type_text *text)
{
	struct base_words words = {0};
	bool named = false, based = false;
	int line = reader->token.line;
	int error = 0;

	memset(type, 0, sizeof(*type));
	memset(text, 0, sizeof(*text));
	while (reader->token.kind == TOKEN_WORD) {
		struct span word = reader->token.text;
		unsigned int *count = base_word(&words, word);

		if (span_is(word, "struct") || span_is(word, "union") || span_is(word, "enum")) {
			if (named || based)
				break;
			append(text, word);
			*type = (struct type){.is_struct = word.begin[0] != 'e',
				.size = 4,
				.size_ilp32 = 4};
			error = next(reader);
			if (error < 0)
				return error;
			if (reader->token.kind == TOKEN_WORD) {
				append(text, reader->token.text);
				error = next(reader);
			} else if (reader->token.character != '{') {
				return fail_token(reader, "a tag");
			}
			if (error == 0 && reader->token.character == '{')
				error = skip_braces(reader);
			if (error < 0)
				return error;
			named = true;
			continue;
		}
		if (is_qualifier(word)) {
			;
		} else if (count && !named) {
			++*count;
			based = true;
		} else if (!named && !based) {
			if (!find_type(reader, word, type))
				return fail_word(reader, line, "unknown type", word);
			named = true;
		} else {
			break; /* the declared name */
		}
		append(text, word);
		error = next(reader);
		if (error < 0)
			return error;
	}
	if (!named && !based)
		return fail_token(reader, "a type");
	if (based && !resolve_base_words(&words, type))
		return error_set(reader->error, EINVAL, "%s: line %d: '%s' is no type of C",
			reader->file, line, text->text);
	while (reader->token.character == '*' ||
		(reader->token.kind == TOKEN_WORD && is_qualifier(reader->token.text))) {
		if (reader->token.character == '*')
			*type = (struct type){.kind = type->is_char ? CONTRACT_STRING
								    : CONTRACT_POINTER,
				.size = 8,
				.size_ilp32 = 4};
		/* one blank before the first of several '*', none between them */
		append(text, reader->token.text);
		error = next(reader);
		if (error < 0)
			return error;
	}
	if (text->overflow)
		return fail_at(reader, line, "this type is too long");
	return 0;
}

static int add_definition(struct reader *reader, int line, struct span name, struct type type)
{
	if (reader->definition_count == TYPEDEFS_MAX)
		return fail_at(reader, line, "too many typedefs");
	reader->definitions[reader->definition_count++] = (struct type_definition){name, type};
	return 0;
}

/* "[ 16 ]" after a name. As a parameter it makes a pointer. */
static int skip_array(struct reader *reader, struct type *type)
{
	int error = 0;

	while (error == 0 && reader->token.character == '[') {
		*type = (struct type){.kind = type->is_char ? CONTRACT_STRING : CONTRACT_POINTER,
			.size = 8,
			.size_ilp32 = 4};
		error = next(reader);
		if (error == 0 && reader->token.kind == TOKEN_WORD)
			error = next(reader);
		if (error == 0)
			error = take_character(reader, ']');
	}
	return error;
}

static int parse_typedef(struct reader *reader)
{
	struct type type;
	struct type_text text;
	struct span name;
	int line = reader->token.line;
	int error = next(reader);

	if (error == 0)
		error = parse_type(reader, &type, &text);
	if (error == 0)
		error = take_name(reader, "a type's name", &name);
	if (error == 0)
		error = skip_array(reader, &type);
	if (error == 0)
		error = add_definition(reader, line, name, type);
	if (error == 0)
		error = take_character(reader, ';');
	return error;
}

/* --- control lines --- */

/* Cuts the next white-space delimited word off a line; empty when there is none. */
static struct span take_field(struct span *line)
{
	struct span field;

	while (line->begin < line->end && (is_blank(*line->begin) || *line->begin == '\n'))
		line->begin++;
	field.begin = line->begin;
	while (line->begin < line->end && !is_blank(*line->begin) && *line->begin != '\n')
		line->begin++;
	field.end = line->begin;
	return field;
}

/* "#define NAME TYPE" as a typedef; any other definition is none of our business. */
static int define_line(struct reader *reader, struct span line, int number)
{
	struct span name = take_field(&line);
	struct reader inner = *reader;
	struct type type;
	struct type_text text;

	for (const char *at = name.begin; at < name.end; at++)
		if (!is_word(*at))
			return 0;
	if (name.begin == name.end)
		return 0;
	inner.position = line.begin;
	inner.end = line.end;
	inner.line = number;
	inner.line_begins = false;
	inner.error = NULL;
	if (next(&inner) < 0 || parse_type(&inner, &type, &text) < 0 ||
		inner.token.kind != TOKEN_END)
		return 0;
	return add_definition(reader, number, name, type);
}

static bool one_of(struct span word, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == (size_t)(word.end - word.begin) &&
			strncasecmp(*words, word.begin, strlen(*words)) == 0)
			return true;
	return false;
}

static int stability_line(struct reader *reader, struct span line, int number)
{
	static const char *const parts[] = {"provider", "module", "function", "name", "args", NULL};
	static const char *const levels[] = {"Internal", "Private", "Obsolete", "External",
		"Unstable", "Evolving", "Stable", "Standard", NULL};
	static const char *const classes[] = {
		"Unknown", "CPU", "Platform", "Group", "ISA", "Common", NULL};
	struct pragma pragma = {.line = number, .which = -1};
	struct span attributes = take_field(&line);
	struct span keyword = take_field(&line);
	struct span part, rest;
	const char *begin = attributes.begin;

	pragma.provider = take_field(&line);
	part = take_field(&line);
	rest = take_field(&line);
	for (int i = 0; i < 3; i++) {
		const char *at = begin;

		while (at < attributes.end && *at != '/')
			at++;
		pragma.stability[i] = (struct span){begin, at};
		if (!one_of(pragma.stability[i], i == 2 ? classes : levels) ||
			(at == attributes.end) != (i == 2))
			return fail_word(reader, number,
				"expected three attributes such as Evolving/Evolving/Common, found",
				attributes);
		begin = at + 1;
	}
	if (!span_is(keyword, "provider"))
		return fail_word(reader, number, "expected 'provider', found", keyword);
	for (int i = 0; parts[i]; i++)
		if (span_is(part, parts[i]))
			pragma.which = i;
	if (pragma.which < 0)
		return fail_word(reader, number,
			"expected provider, module, function, name or args, found", part);
	if (rest.begin < rest.end)
		return fail_word(reader, number, "unexpected", rest);
	if (reader->pragma_count == PRAGMAS_MAX)
		return fail_at(reader, number, "too many stability attributes");
	reader->pragmas[reader->pragma_count++] = pragma;
	return 0;
}

static int control_line(struct reader *reader, struct span line, int number)
{
	struct span word = take_field(&line);

	if (span_is(word, "define"))
		return define_line(reader, line, number);
	if (span_is(word, "pragma") && span_is(take_field(&line), "D") &&
		span_is(take_field(&line), "attributes"))
		return stability_line(reader, line, number);
	return 0;
}

/* --- parameters --- */

static int parse_parameter(struct reader *reader, struct contract_argument *argument)
{
	struct type type;
	struct type_text text;
	struct span name = {"", ""};
	int line = reader->token.line;
	int error = parse_type(reader, &type, &text);

	name.end = name.begin;
	if (error == 0 && reader->token.kind == TOKEN_WORD)
		error = take_name(reader, "a parameter's name", &name);
	if (error == 0)
		error = skip_array(reader, &type);
	if (error < 0)
		return error;
	if (type.is_void || type.is_struct || type.is_float)
		return error_set(reader->error, EINVAL,
			"%s: line %d: a probe's argument is an integer or a pointer, not '%s'",
			reader->file, line, text.text);
	argument->type = strdup(text.text);
	argument->name = span_copy(name);
	argument->text = strdup("");
	argument->kind = type.kind;
	argument->size = type.size;
	argument->size_ilp32 = type.size_ilp32;
	argument->is_signed = type.kind == CONTRACT_INTEGER && type.is_signed;
	if (!argument->type || !argument->name || !argument->text)
		return fail_memory(reader);
	return 0;
}

static void free_argument(struct contract_argument *argument)
{
	free(argument->type);
	free(argument->name);
	free(argument->text);
}

/* "( a, b )"; at most CONTRACT_ARGUMENTS_MAX of them. */
static int parse_parameters(
	struct reader *reader, struct contract_argument *arguments, uint8_t *count)
{
	int error = take_character(reader, '(');

	if (error == 0 && reader->token.character == ')')
		return next(reader);
	if (error == 0 && at_word(reader, "void")) {
		struct reader ahead = *reader;

		/* a look at one token more; it can only be passed over comments */
		ahead.error = NULL;
		if (next(&ahead) == 0 && ahead.token.character == ')') {
			error = next(reader);
			return error < 0 ? error : next(reader);
		}
	}
	while (error == 0) {
		if (*count == CONTRACT_ARGUMENTS_MAX)
			return fail_at(reader, reader->token.line,
				"a probe has at most 12 arguments");
		error = parse_parameter(reader, &arguments[(*count)++]);
		if (error < 0)
			break;
		if (reader->token.character == ')')
			return next(reader);
		if (reader->token.character != ',') {
			error = fail_token(reader, "',' or ')'");
			break;
		}
		error = next(reader);
	}
	return error;
}

/* --- documentation --- */

/* Appends words with single blanks between them; *text is reallocated. */
static int append_folded(struct reader *reader, char **text, struct span more)
{
	size_t length = strlen(*text);
	char *joined = realloc(*text, length + (size_t)(more.end - more.begin) + 2);
	struct span word;

	if (!joined)
		return fail_memory(reader);
	*text = joined;
	while (word = take_field(&more), word.begin < word.end) {
		size_t bytes = (size_t)(word.end - word.begin);

		if (length > 0)
			joined[length++] = ' ';
		memcpy(joined + length, word.begin, bytes);
		length += bytes;
	}
	joined[length] = 0;
	return 0;
}

static struct contract_argument *find_argument(
	struct contract_probe *probe, struct span name, uint8_t *index)
{
	for (uint8_t i = 0; i < probe->argument_count; i++) {
		struct contract_argument *argument = &probe->arguments[i];

		if (argument->name[0] && span_is(name, argument->name)) {
			*index = i;
			return argument;
		}
	}
	return NULL;
}

/* The rest of "@eventlog NUMBER NAME (a, b)". */
static int parse_eventlog(
	struct reader *reader, struct contract_probe *probe, struct span rest, int line)
{
	struct contract_eventlog *eventlog = &probe->eventlog;
	struct reader inner = {.file = reader->file,
		.position = rest.begin,
		.end = rest.end,
		.line = line,
		.error = reader->error};
	unsigned int carried = 0, wanted = 0;
	unsigned long number = 0;
	struct span name;
	int error;

	if (eventlog->present)
		return fail_at(reader, line, "a second @eventlog");
	error = next(&inner);
	if (error < 0)
		return error;
	if (inner.token.kind != TOKEN_WORD)
		return fail_token(&inner, "an event type's number");
	for (const char *at = inner.token.text.begin; at < inner.token.text.end; at++) {
		if (!isdigit((unsigned char)*at) || number > UINT16_MAX)
			return fail_token(&inner, "an event type's number");
		number = number * 10 + (unsigned long)(*at - '0');
	}
	if (number > UINT16_MAX)
		return fail_token(&inner, "an event type's number");
	error = next(&inner);
	if (error == 0)
		error = take_name(&inner, "an event type's name", &name);
	if (error == 0)
		error = take_character(&inner, '(');
	while (error == 0 && inner.token.character != ')') {
		struct span argument;
		uint8_t index;

		error = take_name(&inner, "an argument's name or ')'", &argument);
		if (error < 0)
			return error;
		if (!find_argument(probe, argument, &index))
			return fail_word(reader, line, "@eventlog: no argument", argument);
		if (carried & 1u << index)
			return fail_word(reader, line, "@eventlog: twice", argument);
		carried |= 1u << index;
		eventlog->arguments[eventlog->argument_count++] = index;
		if (inner.token.character == ',')
			error = next(&inner);
		else if (inner.token.character != ')')
			error = fail_token(&inner, "',' or ')'");
	}
	if (error == 0)
		error = take_character(&inner, ')');
	if (error == 0 && inner.token.kind != TOKEN_END)
		error = fail_token(&inner, "the line's end");
	if (error < 0)
		return error;
	eventlog->name = span_copy(name);
	if (!eventlog->name)
		return fail_memory(reader);
	for (uint8_t i = 0; i < probe->argument_count; i++)
		if (i > 0 || strcmp(probe->arguments[0].name, "cap") != 0)
			wanted |= 1u << i;
	eventlog->present = true;
	eventlog->type = (uint16_t)number;
	eventlog->complete = (carried & wanted) == wanted;
	return 0;
}

/* One "@word ..." line; *text is where its continuation goes, NULL for nowhere. */
static int parse_tag(struct reader *reader, struct contract_probe *probe, struct span line,
	int number, unsigned int *documented, char ***text)
{
	struct contract_argument *argument;
	struct span name = take_field(&line);
	struct span after, marker;
	uint8_t index;

	*text = NULL;
	name.begin++;
	if (span_is(name, "eventlog"))
		return parse_eventlog(reader, probe, line, number);
	argument = find_argument(probe, name, &index);
	if (!argument)
		return fail_word(reader, number, "the probe has no argument", name);
	if (*documented & 1u << index)
		return fail_word(reader, number, "a second documentation of", name);
	*documented |= 1u << index;
	after = line;
	marker = take_field(&after);
	if (span_is(marker, "[name]"))
		argument->string = CONTRACT_STRING_NAME;
	else if (span_is(marker, "[text]"))
		argument->string = CONTRACT_STRING_TEXT;
	if (argument->string != CONTRACT_STRING_NONE) {
		if (argument->kind != CONTRACT_STRING)
			return fail_word(
				reader, number, "a marker on an argument that is no string:", name);
		line = after;
	}
	*text = &argument->text;
	return append_folded(reader, *text, line);
}

/* Takes the comment apart that stands before a probe. */
static int parse_documentation(
	struct reader *reader, struct contract_probe *probe, struct span comment, int end_line)
{
	const char *at = comment.begin;
	bool is_block = comment.begin[1] == '*';
	unsigned int documented = 0;
	char **text = &probe->text;
	int line = end_line;
	int error = 0;

	for (const char *scan = comment.begin; scan < comment.end; scan++)
		line -= *scan == '\n';
	if (is_block) {
		comment.end -= 2;
		at += 2;
	}
	for (; error == 0 && at < comment.end; at++, line++) {
		struct span rest = {at, at};

		while (at < comment.end && *at != '\n')
			at++;
		rest.end = at;
		while (rest.begin < rest.end &&
			(is_blank(*rest.begin) || *rest.begin == (is_block ? '*' : '/')))
			rest.begin++;
		if (rest.begin == rest.end)
			text = &probe->text; /* a new paragraph belongs to the probe again */
		else if (*rest.begin == '@')
			error = parse_tag(reader, probe, rest, line, &documented, &text);
		else if (text)
			error = append_folded(reader, text, rest);
		else
			error = fail_word(
				reader, line, "an @eventlog line goes on with", take_field(&rest));
	}
	return error;
}

/* --- probes, providers, files --- */

static char *name_of(struct span identifier)
{
	char *name = span_copy(identifier);
	char *to = name;

	for (const char *from = name; name && *from;) {
		if (from[0] == '_' && from[1] == '_') {
			*to++ = '-';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	if (name)
		*to = 0;
	return name;
}

static int parse_probe(struct reader *reader, struct contract_provider *provider)
{
	struct contract_probe *probe = &provider->probes[provider->probe_count];
	struct contract_argument translated[CONTRACT_ARGUMENTS_MAX];
	struct span comment = reader->comment;
	struct span identifier;
	uint8_t translated_count = 0;
	int comment_line = reader->comment_end_line;
	int error;

	memset(probe, 0, sizeof(*probe));
	memset(translated, 0, sizeof(translated));
	provider->probe_count++; /* so that a half read one is freed */
	probe->line = reader->token.line;
	if (comment_line < probe->line - 1)
		comment.begin = NULL;
	error = next(reader);
	if (error == 0)
		error = take_name(reader, "a probe's name", &identifier);
	if (error < 0)
		return error;
	probe->identifier = span_copy(identifier);
	probe->name = name_of(identifier);
	probe->text = strdup("");
	if (!probe->identifier || !probe->name || !probe->text)
		return fail_memory(reader);
	for (size_t i = 0; i + 1 < provider->probe_count; i++)
		if (strcmp(provider->probes[i].name, probe->name) == 0)
			return fail_word(reader, probe->line, "a second probe", identifier);
	error = parse_parameters(reader, probe->arguments, &probe->argument_count);
	if (error == 0 && reader->token.character == ':') {
		/* what translators make of the arguments for D; sites carry the first list */
		error = next(reader);
		if (error == 0)
			error = parse_parameters(reader, translated, &translated_count);
		for (uint8_t i = 0; i < translated_count; i++)
			free_argument(&translated[i]);
	}
	if (error == 0 && comment.begin)
		error = parse_documentation(reader, probe, comment, comment_line);
	if (error == 0)
		error = take_character(reader, ';');
	return error;
}

static int parse_provider(struct reader *reader, struct contract *contract)
{
	struct contract_provider *provider;
	struct contract_provider *grown;
	struct span name;
	size_t capacity = 0;
	int line = reader->token.line;
	int error = next(reader);

	if (error == 0)
		error = take_name(reader, "a provider's name", &name);
	if (error < 0)
		return error;
	for (size_t i = 0; i < contract->provider_count; i++)
		if (span_is(name, contract->providers[i].name))
			return fail_word(reader, line, "a second provider", name);
	if (contract->provider_count == PROVIDERS_MAX)
		return fail_at(reader, line, "too many providers");
	grown = realloc(contract->providers, (contract->provider_count + 1) * sizeof(*grown));
	if (!grown)
		return fail_memory(reader);
	contract->providers = grown;
	provider = &grown[contract->provider_count];
	memset(provider, 0, sizeof(*provider));
	provider->line = line;
	provider->name = span_copy(name);
	if (!provider->name)
		return fail_memory(reader);
	contract->provider_count++;
	error = take_character(reader, '{');
	while (error == 0 && reader->token.character != '}') {
		if (!at_word(reader, "probe"))
			return fail_token(reader, "'probe' or '}'");
		if (provider->probe_count == PROBES_MAX)
			return fail_at(reader, reader->token.line, "too many probes");
		if (provider->probe_count == capacity) {
			struct contract_probe *probes;

			capacity = capacity ? capacity * 2 : 16;
			probes = realloc(provider->probes, capacity * sizeof(*probes));
			if (!probes)
				return fail_memory(reader);
			provider->probes = probes;
		}
		error = parse_probe(reader, provider);
	}
	if (error == 0)
		error = next(reader);
	if (error == 0 && reader->token.character == ';')
		error = next(reader);
	return error;
}

/* A declaration that a provider file may have beside its providers. */
static int skip_declaration(struct reader *reader)
{
	int error = 0;

	while (error == 0 && reader->token.character != ';') {
		if (reader->token.kind == TOKEN_END)
			return fail_token(reader, "';'");
		error = reader->token.character == '{' ? skip_braces(reader) : next(reader);
	}
	return error < 0 ? error : next(reader);
}

static int attach_stability(struct reader *reader, struct contract *contract)
{
	for (size_t i = 0; i < reader->pragma_count; i++) {
		const struct pragma *pragma = &reader->pragmas[i];
		struct contract_stability *stability = NULL;

		for (size_t j = 0; j < contract->provider_count; j++)
			if (span_is(pragma->provider, contract->providers[j].name))
				stability = &contract->providers[j].stability[pragma->which];
		if (!stability)
			return fail_word(reader, pragma->line, "no provider", pragma->provider);
		if (stability->name)
			return fail_at(reader, pragma->line, "these attributes are given twice");
		stability->name = span_copy(pragma->stability[0]);
		stability->data = span_copy(pragma->stability[1]);
		stability->class = span_copy(pragma->stability[2]);
		if (!stability->name || !stability->data || !stability->class)
			return fail_memory(reader);
	}
	return 0;
}

static int parse_file(struct reader *reader, struct contract *contract)
{
	int error = next(reader);

	while (error == 0 && reader->token.kind != TOKEN_END) {
		if (at_word(reader, "provider"))
			error = parse_provider(reader, contract);
		else if (at_word(reader, "typedef"))
			error = parse_typedef(reader);
		else if (at_word(reader, "struct") || at_word(reader, "union") ||
			 at_word(reader, "enum") || at_word(reader, "translator") ||
			 at_word(reader, "inline"))
			error = skip_declaration(reader);
		else if (reader->token.character == ';')
			error = next(reader);
		else
			error = fail_token(reader, "'provider' or 'typedef'");
	}
	if (error == 0 && contract->provider_count == 0)
		error = error_set(reader->error, EINVAL, "%s: line %d: the file defines no provider",
			reader->file, reader->line);
	if (error == 0)
		error = attach_stability(reader, contract);
	return error;
}

int contract_parse(const char *file, const char *text, size_t length, struct contract **contract,
	struct error *error)
{
	struct reader reader = {.file = file,
		.position = text,
		.end = text + length,
		.line = 1,
		.line_begins = true,
		.error = error};
	struct contract *made = calloc(1, sizeof(*made));
	int result = 0;

	*contract = NULL;
	reader.definitions = calloc(TYPEDEFS_MAX, sizeof(*reader.definitions));
	reader.pragmas = calloc(PRAGMAS_MAX, sizeof(*reader.pragmas));
	if (made)
		made->file = strdup(file);
	if (!made || !made->file || !reader.definitions || !reader.pragmas)
		result = fail_memory(&reader);
	else if (length > FILE_BYTES_MAX)
		result = error_set(error, EFBIG, "%s: larger than 1 MiB", file);
	else
		result = parse_file(&reader, made);
	free(reader.definitions);
	free(reader.pragmas);
	if (result < 0)
		contract_free(made);
	else
		*contract = made;
	return result;
}

int contract_read(const char *file, struct contract **contract, struct error *error)
{
	FILE *stream = fopen(file, "re");
	char *text = NULL;
	size_t length;
	int result;

	*contract = NULL;
	if (!stream) {
		result = error_set(error, errno, "%s: %m", file);
		goto out;
	}
	text = malloc(FILE_BYTES_MAX + 1);
	if (!text) {
		result = error_set(error, ENOMEM, "%s: out of memory", file);
		goto out;
	}
	length = fread(text, 1, FILE_BYTES_MAX + 1, stream);
	if (ferror(stream)) {
		result = error_set(error, errno ? errno : EIO, "%s: %m", file);
		goto out;
	}
	result = contract_parse(file, text, length, contract, error);
out:
	free(text);
	if (stream)
		fclose(stream);
	return result;
}

void contract_free(struct contract *contract)
{
	if (!contract)
		return;
	for (size_t i = 0; i < contract->provider_count; i++) {
		struct contract_provider *provider = &contract->providers[i];

		for (size_t j = 0; j < provider->probe_count; j++) {
			struct contract_probe *probe = &provider->probes[j];

			for (uint8_t k = 0; k < probe->argument_count; k++)
				free_argument(&probe->arguments[k]);
			free(probe->identifier);
			free(probe->name);
			free(probe->text);
			free(probe->eventlog.name);
		}
		for (size_t j = 0; j < 5; j++) {
			free(provider->stability[j].name);
			free(provider->stability[j].data);
			free(provider->stability[j].class);
		}
		free(provider->probes);
		free(provider->name);
	}
	free(contract->providers);
	free(contract->file);
	free(contract);
}

const struct contract_provider *contract_find_provider(
	const struct contract *contract, const char *name)
{
	for (size_t i = 0; i < contract->provider_count; i++)
		if (strcmp(contract->providers[i].name, name) == 0)
			return &contract->providers[i];
	return NULL;
}

const struct contract_probe *contract_find_probe(
	const struct contract_provider *provider, const char *name)
{
	for (size_t i = 0; i < provider->probe_count; i++)
		if (strcmp(provider->probes[i].name, name) == 0)
			return &provider->probes[i];
	return NULL;
}
