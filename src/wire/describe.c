/* describe.c: see describe.h. */
#include "wire/describe.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "wire/wire.h"

struct describe_cursor {
	const char *at, *end;
};

static void skip_blanks(struct describe_cursor *cursor)
{
	while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
		cursor->at++;
}

static bool accept(struct describe_cursor *cursor, char wanted)
{
	skip_blanks(cursor);
	if (cursor->at == cursor->end || *cursor->at != wanted)
		return false;
	cursor->at++;
	return true;
}

/* Takes the next word of letters, digits, '_' and the characters in extra; false: there is none
 * or it is too long. */
static bool take_word(struct describe_cursor *cursor, const char *extra, char *word, size_t size)
{
	size_t length = 0;

	skip_blanks(cursor);
	while (cursor->at < cursor->end && *cursor->at &&
		(isalnum((unsigned char)*cursor->at) || *cursor->at == '_' ||
			strchr(extra, *cursor->at))) {
		if (length + 1 >= size)
			return false;
		word[length++] = *cursor->at++;
	}
	word[length] = '\0';
	return length > 0;
}

struct known_type {
	const char *name;
	uint8_t size;
	bool is_signed;
	bool combines; /* a C keyword that can be combined with others */
};

/* Sizes are those of an LP64 machine, because the sender writes every argument with these. */
static const struct known_type known_types[] = {
	{"char", 1, true, true},
	{"short", 2, true, true},
	{"int", 4, true, true},
	{"long", 8, true, true},
	{"signed", 4, true, true},
	{"unsigned", 4, false, true},
	{"int8_t", 1, true, false},
	{"int16_t", 2, true, false},
	{"int32_t", 4, true, false},
	{"int64_t", 8, true, false},
	{"uint8_t", 1, false, false},
	{"uint16_t", 2, false, false},
	{"uint32_t", 4, false, false},
	{"uint64_t", 8, false, false},
	{"size_t", 8, false, false},
	{"ssize_t", 8, true, false},
	{"intptr_t", 8, true, false},
	{"uintptr_t", 8, false, false},
	{"ptrdiff_t", 8, true, false},
	{"pid_t", 4, true, false},
	{"_Bool", 1, false, false},
	{"bool", 1, false, false},
};

static const struct known_type *find_type(const char *word)
{
	for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++)
		if (!strcmp(known_types[i].name, word))
			return &known_types[i];
	return NULL;
}

static bool append(char *text, size_t size, const char *more)
{
	size_t length = strlen(text), extra = strlen(more);

	if (length + extra + 2 > size)
		return false;
	if (length)
		text[length++] = ' ';
	memcpy(text + length, more, extra + 1);
	return true;
}

/*
 * Parses one parameter: type words, stars, a name, "[]". The name is the last word; the
 * words before it form the type, so it may be the name of a type too, as in "int bool". Returns
 * NULL, or the reason why it is wrong.
 */
static const char *parse_argument(
	struct describe_cursor *cursor, struct describe_argument *argument)
{
	char word[48];
	const struct known_type *known;
	unsigned int stars = 0, size = 0, words = 0, combining = 0;
	bool is_signed = true, is_void = false, is_char = false;

	*argument = (struct describe_argument){0};
	for (;;) {
		if (accept(cursor, '*')) {
			if (!words || argument->name[0] || stars++)
				return "a '*' out of place";
			if (!append(argument->type, sizeof(argument->type), "*"))
				return "a type that is too long";
			continue;
		}
		skip_blanks(cursor);
		if (cursor->at == cursor->end ||
			!(isalnum((unsigned char)*cursor->at) || *cursor->at == '_'))
			break;
		if (!take_word(cursor, "", word, sizeof(word)))
			return "a word that is too long";
		if (argument->name[0])
			return "a type that is not known";
		known = find_type(word);
		if (stars ||
			(words &&
				(known ? !known->combines || combining != words
				       : strcmp(word, "const") && strcmp(word, "void")))) {
			memcpy(argument->name, word, sizeof(word));
			continue;
		}
		if (!strcmp(word, "const"))
			continue;
		if (!strcmp(word, "void"))
			is_void = true;
		else if (!known)
			return "a type that is not known";
		if (!append(argument->type, sizeof(argument->type), word))
			return "a type that is too long";
		words++;
		if (!known)
			continue;
		combining += known->combines;
		is_char = !strcmp(word, "char");
		if (!known->is_signed)
			is_signed = false;
		if (!size ||
			(strcmp(word, "int") && strcmp(word, "unsigned") && strcmp(word, "signed")))
			size = known->size;
	}
	if (!words)
		return "a missing type";
	argument->size = (uint8_t)size;
	argument->is_signed = is_signed;
	argument->kind = DESCRIBE_NUMBER;
	if (accept(cursor, '[')) {
		if (!accept(cursor, ']') || !is_char || words != 1 || stars || !argument->name[0])
			return "an array that is not \"char name[]\"";
		memcpy(argument->type, "char *", sizeof("char *"));
		argument->kind = DESCRIBE_TEXT;
		argument->size = 0;
	} else if (stars) {
		argument->is_signed = false;
		argument->size = 8;
		if (is_char && words == 1) {
			argument->kind = DESCRIBE_NAME;
			argument->size = 4;
		}
	} else if (is_void) {
		return "an argument of type void";
	}
	return NULL;
}

int describe_parse(
	const char *text, size_t length, struct description *description, struct error *error)
{
	struct describe_cursor cursor = {text, text + length};
	struct describe_argument *argument;
	const char *wrong = NULL;

	*description = (struct description){0};
	if (!length || *text == ' ' ||
		!take_word(&cursor, "", description->provider, sizeof(description->provider)) ||
		cursor.end - cursor.at < 3 || memcmp(cursor.at, ":::", 3) != 0)
		return 0;
	cursor.at += 3;
	description->text_argument = UINT8_MAX;
	if (!take_word(&cursor, "-", description->name, sizeof(description->name)))
		wrong = "no probe name, or one that is too long";
	else if (!accept(&cursor, '('))
		wrong = "no '(' after the probe's name";
	while (!wrong && !accept(&cursor, ')')) {
		if (description->argument_count == WIRE_ARGUMENTS_MAX) {
			wrong = "more than 12 arguments";
			break;
		}
		if (description->argument_count && !accept(&cursor, ',')) {
			wrong = "neither ',' nor ')' after an argument";
			break;
		}
		argument = &description->arguments[description->argument_count];
		wrong = parse_argument(&cursor, argument);
		if (wrong)
			break;
		if (!description->argument_count && argument->kind == DESCRIBE_NUMBER &&
			!strcmp(argument->name, "cap") && !strcmp(argument->type, "uint16_t")) {
			argument->kind = DESCRIBE_CAP;
			argument->size = 0;
		}
		if (argument->kind == DESCRIBE_TEXT) {
			if (description->text_argument != UINT8_MAX)
				wrong = "two texts";
			description->text_argument = description->argument_count;
		}
		description->payload += argument->size;
		description->argument_count++;
	}
	skip_blanks(&cursor);
	if (!wrong && cursor.at != cursor.end)
		wrong = "something after the ')'";
	if (description->text_argument == UINT8_MAX)
		description->text_argument = description->argument_count;
	snprintf(description->event, sizeof(description->event), "%s:::%s", description->provider,
		description->name);
	if (wrong)
		return error_set(error, EINVAL, "the description '%.*s' has %s",
			length > 200 ? 200 : (int)length, text, wrong);
	return 1;
}

/* ---- compatible providers ---- */

static uint8_t find_argument(const struct description *event, const char *name)
{
	for (uint8_t i = 0; i < event->argument_count; i++)
		if (!strcmp(event->arguments[i].name, name))
			return i;
	return UINT8_MAX;
}

static bool is_string(const struct describe_argument *argument)
{
	return argument->kind == DESCRIBE_NAME || argument->kind == DESCRIBE_TEXT;
}

/* Whether the event's argument can be given as the type in the line. */
static bool fits(const struct describe_argument *given, const struct describe_argument *wanted)
{
	uint8_t size = given->kind == DESCRIBE_CAP ? sizeof(uint16_t) : given->size;

	if (is_string(given) || is_string(wanted))
		return is_string(given) && is_string(wanted);
	return size == wanted->size && given->is_signed == wanted->is_signed;
}

/* Parses " when [not] NAME", or nothing. Returns NULL, or the reason why it is wrong. */
static const char *parse_condition(struct describe_cursor *cursor, const struct description *event,
	struct compat_description *compat)
{
	char word[48];

	compat->condition = UINT8_MAX;
	skip_blanks(cursor);
	if (cursor->at == cursor->end)
		return NULL;
	if (!take_word(cursor, "", word, sizeof(word)) || strcmp(word, "when"))
		return "something after the ')'";
	if (!take_word(cursor, "", word, sizeof(word)))
		return "no name after 'when'";
	if (!strcmp(word, "not")) {
		compat->is_negated = true;
		if (!take_word(cursor, "", word, sizeof(word)))
			return "no name after 'not'";
	}
	compat->condition = find_argument(event, word);
	if (compat->condition == UINT8_MAX || is_string(&event->arguments[compat->condition]))
		return "a condition that is no number of the event";
	skip_blanks(cursor);
	return cursor->at == cursor->end ? NULL : "something after the condition";
}

bool describe_place(const char *line, size_t length, struct description *description)
{
	static const char begin[] = WIRE_PLACE;
	const char *end = line + length, *module = line + sizeof(begin) - 1, *colon;
	size_t module_length, function_length;

	if (length < sizeof(begin) || memcmp(line, begin, sizeof(begin) - 1) != 0)
		return false;
	colon = memchr(module, ':', (size_t)(end - module));
	if (!colon)
		return false;
	module_length = (size_t)(colon - module);
	function_length = (size_t)(end - colon - 1);
	if (module_length >= sizeof(description->module) ||
		function_length >= sizeof(description->function))
		return false;
	memcpy(description->module, module, module_length);
	memcpy(description->function, colon + 1, function_length);
	return true;
}

int describe_compat(const char *line, size_t length, const struct description *event,
	struct compat_description *compat, struct error *error)
{
	static const char absent[] = WIRE_ABSENT;
	struct describe_cursor cursor = {line, line + length};
	struct describe_argument argument;
	const char *wrong = NULL;

	*compat = (struct compat_description){0};
	if (length >= sizeof(absent) - 1 && !memcmp(line, absent, sizeof(absent) - 1)) {
		cursor.at += sizeof(absent) - 1;
		compat->is_absent = true;
	}
	if (!take_word(&cursor, "", compat->provider, sizeof(compat->provider)) ||
		cursor.end - cursor.at < 3 || memcmp(cursor.at, ":::", 3))
		return 0;
	cursor.at += 3;
	if (!take_word(&cursor, "-", compat->name, sizeof(compat->name)))
		wrong = "no probe name, or one that is too long";
	else if (!accept(&cursor, '('))
		wrong = "no '(' after the probe's name";
	while (!wrong && !accept(&cursor, ')')) {
		uint8_t count = compat->argument_count, index;
		if (count == WIRE_ARGUMENTS_MAX) {
			wrong = "more than 12 arguments";
		} else if (count && !accept(&cursor, ',')) {
			wrong = "neither ',' nor ')' after an argument";
		} else {
			wrong = parse_argument(&cursor, &argument);
			index = find_argument(event, argument.name);
			if (!wrong && index == UINT8_MAX)
				wrong = "an argument that the event has not";
			else if (!wrong && !fits(&event->arguments[index], &argument))
				wrong = "an argument of another type than the event's";
			compat->arguments[count].index = index;
			memcpy(compat->arguments[count].type, argument.type, sizeof(argument.type));
			compat->argument_count++;
		}
	}
	if (!wrong)
		wrong = parse_condition(&cursor, event, compat);
	if (wrong)
		return error_set(error, EINVAL, "the line '%.*s' has %s",
			length > 200 ? 200 : (int)length, line, wrong);
	return 1;
}
