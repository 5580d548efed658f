/*
 * check_format.c: see check_format.h. The syntax of the whole format is checked first, then each
 * conversion against its arguments from left to right, width before precision before value.
 */
#include "d/check_format.h"

#include "d/hint.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_MAX = 100000, PREFIX_MAX = 2, ADDRESS_WIDTH = 16 };

/* A conversion, with what only checking needs. */
struct parsed {
	struct d_conversion conversion;
	char prefix[PREFIX_MAX + 1]; /* h, hh, l, ll, L, w */
	const char *text;            /* after the '%' */
	int length;
};

struct parser {
	struct d_compiler *compiler;
	const char *function;
	const struct d_node *literal;
	const char *at, *end;
	struct parsed *parsed;
	size_t count, capacity;
	const char *pending; /* literal text not yet taken */
};

static int fail_syntax(struct parser *parser, const char *what)
{
	return d_fail(parser->compiler, &parser->literal->place, "D_SYNTAX",
		"%s( ) format string is invalid: %s", parser->function, what);
}

/* Copies the text from pending to end, with "%%" reduced to "%". */
static int take_text(struct parser *parser, const char *end, struct text *text)
{
	char *bytes = malloc((size_t)(end - parser->pending) + 1);
	uint32_t length = 0;

	if (!bytes)
		return d_fail_memory(parser->compiler);
	for (const char *at = parser->pending; at < end; at++) {
		bytes[length++] = *at;
		at += *at == '%';
	}
	bytes[length] = '\0';
	text->bytes = bytes;
	text->length = length;
	text->hash = text_hash(bytes, length);
	return 0;
}

static int add_conversion(struct parser *parser, const struct parsed *parsed)
{
	if (array_room(
		    &parser->parsed, &parser->capacity, parser->count, sizeof(*parser->parsed))) {
		free((char *)parsed->conversion.before.bytes);
		return d_fail_memory(parser->compiler);
	}
	parser->parsed[parser->count++] = *parsed;
	return 0;
}

/*
 * What has been read of a conversion: a 0 before a width is a flag; digits after a '.' are the
 * precision.
 */
struct progress {
	bool has_width, has_dot;
};

/* Digits: the width or, after a '.', the precision; the last ones count. */
static int parse_digits(
	struct parser *parser, struct d_conversion *conversion, struct progress *progress)
{
	int number = 0;

	for (; parser->at < parser->end && isdigit((unsigned char)*parser->at); parser->at++) {
		number = number * 10 + (*parser->at - '0');
		if (number > WIDTH_MAX)
			return fail_syntax(parser, "width or precision is too large");
	}
	if (progress->has_dot)
		conversion->precision = number;
	else
		conversion->width = number;
	progress->has_width |= !progress->has_dot;
	return 0;
}

static int parse_star(
	struct parser *parser, struct d_conversion *conversion, struct progress *progress)
{
	bool *argument =
		progress->has_dot ? &conversion->precision_argument : &conversion->width_argument;

	parser->at++;
	if (*argument)
		return fail_syntax(parser, "a second * for a width or a precision");
	*argument = true;
	return 0;
}

/*
 * Flags, width and precision, in any order: "%8@d" and "%@8d" are the same. A 0 is a flag unless a
 * width has started.
 */
static int parse_flags(
	struct parser *parser, struct d_conversion *conversion, struct progress *progress)
{
	for (;;) {
		switch (parser->at < parser->end ? *parser->at : '\0') {
		case '-':
			conversion->minus = true;
			conversion->zero = false;
			break;
		case '0':
			if (progress->has_width || progress->has_dot) {
				if (parse_digits(parser, conversion, progress))
					return -1;
				continue;
			}
			conversion->zero = true;
			conversion->minus = false;
			break;
		case '+':
			conversion->plus = true;
			break;
		case ' ':
			conversion->space = true;
			break;
		case '#':
			conversion->alternate = true;
			break;
		case '\'':
			conversion->group = true;
			break;
		case '?':
			conversion->width = ADDRESS_WIDTH;
			progress->has_width = true;
			break;
		case '@':
			conversion->aggregation = true;
			break;
		case '.':
			if (progress->has_dot)
				return fail_syntax(parser, "a second . in a conversion");
			progress->has_dot = true;
			break;
		case '*':
			if (parse_star(parser, conversion, progress))
				return -1;
			continue;
		default:
			if (parser->at == parser->end || !isdigit((unsigned char)*parser->at))
				return 0;
			if (parse_digits(parser, conversion, progress))
				return -1;
			continue;
		}
		parser->at++;
	}
}

static bool valid_prefix(const char *prefix, char letter)
{
	if (!*prefix)
		return true;
	if (strchr("diouxX", letter))
		return !strcmp(prefix, "h") || !strcmp(prefix, "hh") || !strcmp(prefix, "l") ||
			!strcmp(prefix, "ll");
	if (strchr("eEfgG", letter))
		return !strcmp(prefix, "l") || !strcmp(prefix, "L");
	return (letter == 'c' || letter == 's') && (!strcmp(prefix, "l") || !strcmp(prefix, "w"));
}

static int parse_conversion(struct parser *parser)
{
	struct parsed parsed = {.text = ++parser->at};
	struct d_conversion *conversion = &parsed.conversion;
	struct progress progress = {0};
	size_t prefix = 0;
	char letter;

	conversion->present = true;
	/* Flags and digits may also come after a size prefix ("%l8d"). */
	do {
		if (parse_flags(parser, conversion, &progress))
			return -1;
		while (parser->at < parser->end && prefix < PREFIX_MAX &&
			strchr("hlLw", *parser->at))
			parsed.prefix[prefix++] = *parser->at++;
	} while (parser->at < parser->end && prefix && strchr("@-+ #'?.*0123456789", *parser->at));
	if (parser->at == parser->end)
		return fail_syntax(parser, "conversion is not complete at the end");
	letter = *parser->at;
	if (letter == '%' || letter == '$')
		return fail_syntax(parser,
			letter == '%' ? "% conversion does not take flags"
				      : "arguments may not be numbered");
	if (!letter || !strchr("dioucCxXpsSaAkYTeEfgG", letter)) {
		char what[64];

		snprintf(what, sizeof(what), "%%%c is not a conversion", letter);
		return fail_syntax(parser, what);
	}
	if (!valid_prefix(parsed.prefix, letter))
		return fail_syntax(parser, "no such size prefix for this conversion");
	conversion->letter = letter;
	parser->at++;
	parsed.length = (int)(parser->at - parsed.text);
	if (take_text(parser, parsed.text - 1, &conversion->before))
		return -1;
	parser->pending = parser->at;
	return add_conversion(parser, &parsed);
}

static int parse_format(struct parser *parser)
{
	struct parsed last = {.text = ""};

	while (parser->at < parser->end) {
		if (*parser->at != '%') {
			parser->at++;
		} else if (parser->at + 1 == parser->end) {
			return fail_syntax(parser, "% at the end");
		} else if (parser->at[1] == '%') {
			parser->at += 2;
		} else if (parse_conversion(parser)) {
			return -1;
		}
	}
	if (parser->pending == parser->end && parser->count)
		return 0;
	if (take_text(parser, parser->end, &last.conversion.before))
		return -1;
	return add_conversion(parser, &last);
}

/* Takes the arguments one after the other. */
struct format_cursor {
	const struct d_format_arguments *arguments;
	const struct d_node *node;
	unsigned taken;
};

static const struct d_type *take_argument(struct format_cursor *cursor, const struct d_node **node)
{
	const struct d_format_arguments *arguments = cursor->arguments;
	const struct d_type *type = NULL;

	*node = cursor->node;
	if (arguments->value) {
		if (cursor->taken < arguments->key_count)
			type = arguments->keys[cursor->taken];
	} else if (cursor->node) {
		type = cursor->node->type;
		cursor->node = cursor->node->next;
	}
	cursor->taken += type != NULL;
	return type;
}

static int check_star(struct parser *parser, struct format_cursor *cursor, size_t number,
	const struct parsed *parsed, const char *what)
{
	const struct d_node *node;
	const struct d_type *type = take_argument(cursor, &node);
	char text[80];

	if (!type)
		return d_fail(parser->compiler, &parser->literal->place, "D_PRINTF_DYN_PROTO",
			"%s( ) prototype mismatch: conversion #%zu (%%%.*s) is missing a "
			"corresponding \"%s\" argument",
			parser->function, number, parsed->length, parsed->text, what);
	if (!d_type_is_integer(type))
		return d_fail(parser->compiler, node ? &node->place : &parser->literal->place,
			"D_PRINTF_DYN_TYPE",
			"%s( ) argument #%u is incompatible with conversion #%zu prototype: "
			"conversion: %%%.*s, prototype: int, argument: %s",
			parser->function, cursor->taken + 1, number, parsed->length, parsed->text,
			d_type_text(type, text, sizeof(text)));
	return 0;
}

/* %ld requires the type name long, whatever its size. */
static bool is_long(const struct d_types *types, const struct d_type *type)
{
	const struct d_type *resolved = d_type_resolve(type);

	return resolved == types->type_long || resolved == types->type_unsigned_long;
}

/* Integers: without a prefix of any size; with "ll" any 64-bit one, signed or not. */
static const char *integer_mismatch(
	const struct d_types *types, const struct parsed *parsed, const struct d_type *type)
{
	char letter = parsed->conversion.letter;
	bool integer = d_type_is_integer(type), is_signed = letter == 'd' || letter == 'i';
	bool any_sign = letter == 'x' || letter == 'X';
	const char *prefix = parsed->prefix;
	bool same_sign = any_sign || type->is_signed == is_signed;
	uint32_t size;

	if (!*prefix)
		return integer ? NULL : "integer";
	if (*prefix == 'l' && prefix[1]) {
		if (integer && type->size == 8)
			return NULL;
		return is_signed || any_sign ? "long long" : "unsigned long long";
	}
	if (*prefix == 'l') {
		if (is_long(types, type) && same_sign)
			return NULL;
		return is_signed || any_sign ? "long" : "unsigned long";
	}
	size = prefix[1] ? 1 : 2;
	if (integer && type->size == size && same_sign)
		return NULL;
	if (size == 1)
		return is_signed || any_sign ? "char" : "unsigned char";
	return is_signed || any_sign ? "short" : "unsigned short";
}

/* An array of characters of this size. */
static bool is_characters(const struct d_type *type, uint32_t size)
{
	const struct d_type *element =
		type->kind == D_TYPE_ARRAY ? d_type_resolve(d_type_resolve(type)->target) : NULL;

	return element && element->kind == D_TYPE_INTEGER && element->size == size;
}

const struct d_type *d_format_record(struct d_compiler *compiler, const struct d_type *type)
{
	return is_characters(type, 1) ? compiler->types.type_string : type;
}

static bool is_place(const struct d_type *type, bool user)
{
	return type->kind == D_TYPE_PLACE && type->place > D_VALUE_STACK &&
		(type->place >= D_VALUE_USER_SYMBOL) == user;
}

/* What a conversion accepts, in words; NULL if it accepts this type. */
static const char *mismatch(
	const struct parser *parser, const struct parsed *parsed, const struct d_type *type)
{
	bool wide = *parsed->prefix;

	switch (parsed->conversion.letter) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		return integer_mismatch(&parser->compiler->types, parsed, type);
	case 'c':
		if (wide)
			return d_type_is_integer(type) && type->size == 4 && type->is_signed
				? NULL
				: "int";
		/* fall through */
	case 'C':
		return d_type_is_integer(type) && type->size <= 4 ? NULL : "char or int";
	case 'e':
	case 'E':
	case 'f':
	case 'g':
	case 'G':
		if (*parsed->prefix == 'L')
			return type->kind == D_TYPE_FLOAT && type->size == 16 ? NULL
									      : "long double";
		return type->kind == D_TYPE_FLOAT && type->size <= 8 ? NULL : "float or double";
	case 'Y':
	case 'T':
		return d_type_is_integer(type) && type->size == 8 ? NULL : "int64_t";
	case 'p':
		return d_type_is_scalar(type) ? NULL : "pointer or integer";
	case 'a':
		return d_type_is_scalar(type) || is_place(type, false) ? NULL
								       : "pointer or integer";
	case 'A':
		if (is_place(type, true) ||
			(d_type_is_scalar(type) && parser->compiler->settings.target))
			return NULL;
		return parser->compiler->settings.target ? "usymaddr or pointer or integer"
							 : "usymaddr";
	case 'k':
		return type->kind == D_TYPE_PLACE && type->place <= D_VALUE_STACK ? NULL : "stack";
	default:
		if (wide)
			return is_characters(type, 4) ? NULL : "wchar_t []";
		return d_type_is_string(type) || is_characters(type, 1)
			? NULL
			: "char [] or string (or use stringof)";
	}
}

static void set_kind(struct d_conversion *conversion, const char *prefix, const struct d_type *type,
	uint64_t strsize)
{
	conversion->type = d_type_value(type, strsize);
	switch (conversion->letter) {
	case 'd':
	case 'i':
		conversion->kind =
			conversion->type.is_signed ? D_CONVERT_SIGNED : D_CONVERT_UNSIGNED;
		conversion->letter = conversion->type.is_signed ? 'd' : 'u';
		break;
	case 'c':
	case 'C':
		conversion->kind = *prefix ? D_CONVERT_WIDE : D_CONVERT_CHARACTER;
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'g':
	case 'G':
		conversion->kind = D_CONVERT_FLOAT;
		break;
	case 'Y':
	case 'T':
		conversion->kind = D_CONVERT_TIME;
		break;
	case 's':
	case 'S':
		conversion->kind = *prefix ? D_CONVERT_WIDE : D_CONVERT_STRING;
		break;
	case 'p':
		conversion->kind = D_CONVERT_POINTER;
		break;
	case 'a':
	case 'A':
		conversion->kind = D_CONVERT_PLACE;
		break;
	case 'k':
		conversion->kind = D_CONVERT_STACK;
		break;
	default:
		conversion->kind = D_CONVERT_UNSIGNED;
	}
}

static int check_conversion(
	struct parser *parser, struct format_cursor *cursor, size_t number, struct parsed *parsed)
{
	struct d_conversion *conversion = &parsed->conversion;
	struct d_compiler *compiler = parser->compiler;
	const struct d_place *place = &parser->literal->place;
	const struct d_node *node = NULL;
	const struct d_type *type;
	const char *expected;
	char text[80], hint[D_HINT_MAX];

	if (conversion->width_argument && check_star(parser, cursor, number, parsed, "*"))
		return -1;
	if (conversion->precision_argument && check_star(parser, cursor, number, parsed, ".*"))
		return -1;
	if (conversion->aggregation && !cursor->arguments->value)
		return d_fail(compiler, place, "D_PRINTF_AGG_CONV",
			"%s( ) conversion #%zu (%%%.*s): @ may only be used in printa( )",
			parser->function, number, parsed->length, parsed->text);
	type = conversion->aggregation ? cursor->arguments->value : take_argument(cursor, &node);
	if (!type)
		return d_fail(compiler, place, "D_PRINTF_ARG_PROTO",
			"%s( ) prototype mismatch: conversion #%zu (%%%.*s) is missing a "
			"corresponding value argument",
			parser->function, number, parsed->length, parsed->text);
	expected = mismatch(parser, parsed, type);
	if (expected)
		return d_fail(compiler, node ? &node->place : place, "D_PRINTF_ARG_TYPE",
			"%s( ) argument #%u is incompatible with conversion #%zu prototype: "
			"conversion: %%%.*s, prototype: %s, argument: %s%s",
			parser->function, cursor->taken + 1, number, parsed->length, parsed->text,
			expected, d_type_text(type, text, sizeof(text)),
			node ? d_hint_printed(node, parsed->conversion.letter, hint) : "");
	/*
	 * Keys keep their types; arguments are recorded with the type that their conversion needs.
	 */
	if (!cursor->arguments->value)
		type = d_format_record(compiler, type);
	set_kind(conversion, parsed->prefix, type, compiler->program->options.strsize);
	return 0;
}

static int check_format(struct parser *parser, const struct d_format_arguments *arguments)
{
	struct format_cursor cursor = {.arguments = arguments, .node = arguments->nodes};
	size_t number = 0;

	for (size_t i = 0; i < parser->count; i++) {
		if (!parser->parsed[i].conversion.present)
			continue;
		if (check_conversion(parser, &cursor, ++number, &parser->parsed[i]))
			return -1;
	}
	if (cursor.node && !arguments->value)
		return d_fail(parser->compiler, &cursor.node->place, "D_PRINTF_ARG_EXTRA",
			"%s( ) prototype mismatch: only %u arguments required by this format "
			"string",
			parser->function, cursor.taken);
	return 0;
}

/* Moves the conversions to the program. */
static int keep(struct parser *parser, int *index)
{
	struct d_compiler *compiler = parser->compiler;
	struct d_program *program = compiler->program;
	struct d_conversion *conversions = calloc(parser->count, sizeof(*conversions));

	if (!conversions ||
		array_room(&program->formats, &compiler->format_capacity, program->format_count,
			sizeof(*program->formats))) {
		free(conversions);
		return d_fail_memory(compiler);
	}
	for (size_t i = 0; i < parser->count; i++)
		conversions[i] = parser->parsed[i].conversion;
	*index = (int)program->format_count;
	program->formats[program->format_count++] =
		(struct d_format){.count = parser->count, .conversions = conversions};
	parser->count = 0;
	return 0;
}

int d_format_compile(struct d_compiler *compiler, const char *function,
	const struct d_node *literal, const struct d_format_arguments *arguments, int *index)
{
	const char *text = literal->name->bytes;
	struct parser parser = {.compiler = compiler,
		.function = function,
		.literal = literal,
		.at = text,
		.pending = text,
		.end = text + literal->name->length};
	int result = parse_format(&parser);

	if (!result && !literal->name->length && !arguments->may_be_empty)
		result = d_fail(compiler, &literal->place, "D_PRINTF_FMT_EMPTY",
			"%s( ) format string is empty", function);
	if (!result)
		result = check_format(&parser, arguments);
	if (!result)
		result = keep(&parser, index);
	for (size_t i = 0; i < parser.count; i++)
		free((char *)parser.parsed[i].conversion.before.bytes);
	free(parser.parsed);
	return result;
}
