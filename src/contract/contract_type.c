/*
 * contract_type.c: C's types, as far as a probe's parameter can have them: integers by all
 * their names, pointers to anything, typedefs. It is not a C compiler: structures are
 * skipped, and arrays are pointers.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "contract/contract_private.h"

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

static bool find_type(
	const struct contract_reader *reader, struct contract_span name, struct contract_type *type)
{
	for (size_t i = reader->definition_count; i-- > 0;) {
		if (!reader->definitions[i].is_tag &&
			contract_span_same(reader->definitions[i].name, name)) {
			*type = reader->definitions[i].type;
			type->is_typedef = true;
			return true;
		}
	}
	memset(type, 0, sizeof(*type));
	for (size_t i = 0; i < sizeof(integer_types) / sizeof(integer_types[0]); i++) {
		if (contract_span_is(name, integer_types[i].name)) {
			type->size = integer_types[i].size;
			type->size_ilp32 = integer_types[i].size_ilp32;
			type->is_signed = integer_types[i].is_signed;
			return true;
		}
	}
	if (contract_span_is(name, "string") || contract_span_is(name, "caddr_t")) {
		type->kind = CONTRACT_STRING;
		type->size = 8;
		type->size_ilp32 = 4;
		return true;
	}
	return false;
}

static void append(struct contract_type_text *text, struct contract_span word)
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

/* How often each of C's own type words occurs in a type. */
struct base_words {
	unsigned int is_signed, is_unsigned, shorts, longs, ints, chars, voids, floats;
};

static unsigned int *base_word(struct base_words *words, struct contract_span word)
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
		if (contract_span_is(word, table[i].word))
			return (unsigned int *)((char *)words + table[i].offset);
	return NULL;
}

static bool resolve_base_words(const struct base_words *words, struct contract_type *type)
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

static bool is_qualifier(struct contract_span word)
{
	return contract_span_is(word, "const") || contract_span_is(word, "volatile") ||
		contract_span_is(word, "restrict");
}

int contract_skip_braces(struct contract_reader *reader)
{
	const struct contract_token open = reader->token;
	unsigned int depth = 0;

	do {
		if (reader->token.character == '{')
			depth++;
		if (reader->token.character == '}')
			depth--;
		if (reader->token.kind == TOKEN_END) {
			reader->token = open; /* the message's place */
			return contract_fail_at(reader, open.line, "this '{' has no '}'");
		}
		int error = contract_next(reader);
		if (error < 0)
			return error;
	} while (depth > 0);
	return 0;
}

static int add_constant(
	struct contract_reader *reader, struct contract_span name, const char *value)
{
	struct contract *made = reader->made;
	struct contract_constant *added;

	if (!made)
		return 0;
	if (array_room(&made->constants, &made->constant_room, made->constant_count,
		    sizeof(*made->constants)))
		return contract_fail_memory(reader);
	added = &made->constants[made->constant_count];
	*added = (struct contract_constant){contract_span_copy(name), strdup(value)};
	if (!added->name || !added->value) {
		free(added->name);
		free(added->value);
		return contract_fail_memory(reader);
	}
	made->constant_count++;
	return 0;
}

/* What follows a "=", without white space; longer ones are cut. */
static int take_expression(struct contract_reader *reader, char *text, size_t size)
{
	unsigned int depth = 0;
	size_t length = 0;
	int error = contract_next(reader);

	while (error == 0 && reader->token.kind != TOKEN_END) {
		char character = reader->token.character;
		size_t bytes = (size_t)(reader->token.text.end - reader->token.text.begin);

		if (character == ';' || character == '}' || (character == ',' && !depth))
			break;
		depth += character == '(';
		depth -= character == ')' && depth;
		if (length + bytes < size) {
			memcpy(text + length, reader->token.text.begin, bytes);
			length += bytes;
		}
		error = contract_next(reader);
	}
	text[length] = 0;
	return error;
}

int contract_parse_constant(struct contract_reader *reader, long long *next, bool *is_number)
{
	struct contract_span name;
	char text[256], *end;
	int error = contract_take_name(reader, "a constant's name", &name);

	if (error < 0)
		return error;
	snprintf(text, sizeof(text), "%lld", *next);
	if (reader->token.character == '=') {
		error = take_expression(reader, text, sizeof(text));
		*next = strtoll(text, &end, 0);
		*is_number = *text && !*end;
		if (*is_number)
			snprintf(text, sizeof(text), "%lld", *next);
	} else if (!*is_number) {
		snprintf(text, sizeof(text), "(the one before)+1");
	}
	if (*next < INT_MAX)
		++*next;
	return error < 0 ? error : add_constant(reader, name, text);
}

/* Reads the constants of an enum; *has_minus: whether any is negative. */
static int parse_constants(struct contract_reader *reader, bool *has_minus)
{
	bool is_number = true;
	long long next = 0;
	int error = contract_next(reader);

	*has_minus = false;
	while (error == 0 && reader->token.character != '}') {
		error = contract_parse_constant(reader, &next, &is_number);
		*has_minus |= is_number && next <= 0;
		if (error == 0 && reader->token.character == ',')
			error = contract_next(reader);
		else if (error == 0 && reader->token.character != '}')
			error = contract_fail_token(reader, "',' or '}'");
	}
	return error < 0 ? error : contract_next(reader);
}

static int add_definition(struct contract_reader *reader, int line, struct contract_span name,
	struct contract_type type, bool is_tag)
{
	if (reader->definition_count == TYPEDEFS_MAX)
		return contract_fail_at(reader, line, "too many types");
	reader->definitions[reader->definition_count++] =
		(struct contract_type_definition){name, type, is_tag};
	return 0;
}

/* Compilers give an enum a signed type if it has negative constants. */
static bool is_signed_enum(const struct contract_reader *reader, struct contract_span tag)
{
	for (size_t i = reader->definition_count; i-- > 0;)
		if (reader->definitions[i].is_tag &&
			contract_span_same(reader->definitions[i].name, tag))
			return reader->definitions[i].type.is_signed;
	return false;
}

/* Reads "struct tag", "union tag" or "enum tag", and what it has in braces, if anything. */
static int parse_tagged(
	struct contract_reader *reader, struct contract_type *type, struct contract_type_text *text)
{
	bool is_enum = contract_at_word(reader, "enum"), has_minus;
	struct contract_span tag = {NULL, NULL};
	int line = reader->token.line;
	int error;

	append(text, reader->token.text);
	*type = (struct contract_type){.is_struct = !is_enum, .size = 4, .size_ilp32 = 4};
	error = contract_next(reader);
	if (error < 0)
		return error;
	if (reader->token.kind == TOKEN_WORD) {
		tag = reader->token.text;
		append(text, tag);
		type->is_signed = is_enum && is_signed_enum(reader, tag);
		error = contract_next(reader);
	} else if (reader->token.character != '{') {
		return contract_fail_token(reader, "a tag");
	}
	if (error < 0 || reader->token.character != '{')
		return error;
	if (!is_enum)
		return contract_skip_braces(reader);
	error = parse_constants(reader, &has_minus);
	type->is_signed = has_minus;
	if (error == 0 && tag.begin)
		error = add_definition(reader, line, tag, *type, true);
	return error;
}

/* Reads a type up to but excluding a declared name. */
int contract_parse_type(
	struct contract_reader *reader, struct contract_type *type, struct contract_type_text *text)
{
	struct base_words words = {0};
	bool named = false, based = false;
	int line = reader->token.line;
	int column = contract_column(reader, reader->token.text.begin);
	int error = 0;

	memset(type, 0, sizeof(*type));
	memset(text, 0, sizeof(*text));
	while (reader->token.kind == TOKEN_WORD) {
		struct contract_span word = reader->token.text;
		unsigned int *count = base_word(&words, word);

		if (contract_span_is(word, "struct") || contract_span_is(word, "union") ||
			contract_span_is(word, "enum")) {
			if (named || based)
				break;
			error = parse_tagged(reader, type, text);
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
				return contract_fail_word(reader, line, "unknown type", word);
			named = true;
		} else {
			break; /* this is the declared name */
		}
		append(text, word);
		error = contract_next(reader);
		if (error < 0)
			return error;
	}
	if (!named && !based)
		return contract_fail_token(reader, "a type");
	if (based && !resolve_base_words(&words, type))
		return error_set(reader->error, EINVAL,
			"%s: line %d, column %d: '%s' is no type of C", reader->file, line, column,
			text->text);
	while (reader->token.character == '*' ||
		(reader->token.kind == TOKEN_WORD && is_qualifier(reader->token.text))) {
		if (reader->token.character == '*')
			*type = (struct contract_type){
				.kind = type->is_char ? CONTRACT_STRING : CONTRACT_POINTER,
				.size = 8,
				.size_ilp32 = 4};
		/* one blank before the first of several '*', none between them */
		append(text, reader->token.text);
		error = contract_next(reader);
		if (error < 0)
			return error;
	}
	if (text->overflow)
		return contract_fail_at(reader, line, "this type is too long");
	return 0;
}

/* Skips "[ 16 ]" after a name. In a parameter it makes the type a pointer. */
int contract_skip_array(struct contract_reader *reader, struct contract_type *type)
{
	int error = 0;

	while (error == 0 && reader->token.character == '[') {
		*type = (struct contract_type){
			.kind = type->is_char ? CONTRACT_STRING : CONTRACT_POINTER,
			.size = 8,
			.size_ilp32 = 4};
		error = contract_next(reader);
		if (error == 0 && reader->token.kind == TOKEN_WORD)
			error = contract_next(reader);
		if (error == 0)
			error = contract_take_character(reader, ']');
	}
	return error;
}

int contract_parse_typedef(struct contract_reader *reader)
{
	struct contract_type type;
	struct contract_type_text text;
	struct contract_span name;
	int line = reader->token.line;
	int error = contract_next(reader);

	if (error == 0)
		error = contract_parse_type(reader, &type, &text);
	if (error == 0)
		error = contract_take_name(reader, "a type's name", &name);
	if (error == 0)
		error = contract_skip_array(reader, &type);
	if (error == 0)
		error = add_definition(reader, line, name, type, false);
	if (error == 0)
		error = contract_take_character(reader, ';');
	return error;
}

/* Handles "#define NAME TYPE" like a typedef; ignores any other definition. */
int contract_define_line(struct contract_reader *reader, struct contract_span line, int number)
{
	struct contract_span name = contract_take_field(&line);
	struct contract_reader inner = *reader;
	struct contract_type type;
	struct contract_type_text text;

	for (const char *at = name.begin; at < name.end; at++)
		if (!contract_is_word(*at))
			return 0;
	if (name.begin == name.end)
		return 0;
	inner.position = line.begin;
	inner.end = line.end;
	inner.line = number;
	inner.line_begins = false;
	inner.error = NULL;
	if (contract_next(&inner) < 0 || contract_parse_type(&inner, &type, &text) < 0 ||
		inner.token.kind != TOKEN_END)
		return 0;
	return add_definition(reader, number, name, type, false);
}
