/*
 * json.c: see json.h. Values that are not needed are skipped without parsing them; one bit per
 * level records whether it is an object or an array, so nothing recurses.
 */
#include "engine/subroutine/json.h"

#include <string.h>

struct json_cursor {
	const char *at, *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(struct json_cursor *cursor)
{
	while (cursor->at < cursor->end && memchr(" \t\n\r", *cursor->at, 4))
		cursor->at++;
}

/* The next character that is not blank; 0 at the end. */
static char peek(struct json_cursor *cursor)
{
	skip_space(cursor);
	return cursor->at < cursor->end ? *cursor->at : '\0';
}

/* Skips what follows a backslash in a string. */
static bool skip_escape(struct json_cursor *cursor)
{
	static const char hexadecimal[] = "0123456789abcdefABCDEF";

	if (cursor->at == cursor->end || !memchr("\"\\/bfnrtu", *cursor->at, 9))
		return false;
	if (*cursor->at++ != 'u')
		return true;
	for (unsigned i = 0; i < 4; i++, cursor->at++) {
		if (cursor->at == cursor->end ||
			!memchr(hexadecimal, *cursor->at, sizeof(hexadecimal) - 1))
			return false;
	}
	return true;
}

/* A string in quotes; *text is what is between them. */
static bool take_string(struct json_cursor *cursor, struct json_text *text)
{
	const char *start = ++cursor->at;

	while (cursor->at < cursor->end) {
		char c = *cursor->at++;

		if (c == '"') {
			*text = (struct json_text){start, (uint32_t)(cursor->at - 1 - start)};
			return true;
		}
		if (c == '\\' && !skip_escape(cursor))
			return false;
	}
	return false;
}

/* A name in an object, and the colon after it. */
static bool take_name(struct json_cursor *cursor, struct json_text *name)
{
	if (peek(cursor) != '"' || !take_string(cursor, name) || peek(cursor) != ':')
		return false;
	cursor->at++;
	return true;
}

static bool skip_digits(struct json_cursor *cursor)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && is_digit(*cursor->at))
		cursor->at++;
	return cursor->at > start;
}

static bool skip_number(struct json_cursor *cursor)
{
	if (*cursor->at == '-')
		cursor->at++;
	if (!skip_digits(cursor))
		return false;
	if (cursor->at < cursor->end && *cursor->at == '.') {
		cursor->at++;
		if (!skip_digits(cursor))
			return false;
	}
	if (cursor->at < cursor->end && (*cursor->at == 'e' || *cursor->at == 'E')) {
		cursor->at++;
		if (cursor->at < cursor->end && (*cursor->at == '+' || *cursor->at == '-'))
			cursor->at++;
		return skip_digits(cursor);
	}
	return true;
}

static bool ends_word(const struct json_cursor *cursor)
{
	return cursor->at == cursor->end || memchr(" \t\n\r,]}", *cursor->at, 7);
}

/* true, false, null or a number, with no further word characters after it. */
static bool skip_word(struct json_cursor *cursor)
{
	static const char *const words[] = {"true", "false", "null"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);
		if ((size_t)(cursor->end - cursor->at) >= length &&
			!memcmp(cursor->at, words[i], length)) {
			cursor->at += length;
			return ends_word(cursor);
		}
	}
	return skip_number(cursor) && ends_word(cursor);
}

static bool skip_value(struct json_cursor *cursor)
{
	uint8_t objects[JSON_DEPTH_MAX / 8] = {0}; /* a bit per level: it is an object */
	unsigned depth = 0;
	struct json_text text;
	bool object;
	char c;

	for (;;) {
		c = peek(cursor);
		object = c == '{';
		if (object || c == '[') {
			cursor->at++;
			if (peek(cursor) != (object ? '}' : ']')) {
				if (depth == JSON_DEPTH_MAX)
					return false;
				objects[depth / 8] &= (uint8_t) ~(1u << depth % 8);
				objects[depth / 8] |= (uint8_t)(object << depth % 8);
				depth++;
				if (object && !take_name(cursor, &text))
					return false;
				continue;
			}
			cursor->at++;
		} else if (c == '"' ? !take_string(cursor, &text) : !c || !skip_word(cursor)) {
			return false;
		}
		/* A value has ended, and perhaps the values that contain it. */
		for (;; depth--) {
			if (!depth)
				return true;
			object = objects[(depth - 1) / 8] & 1u << (depth - 1) % 8;
			c = peek(cursor);
			if (c == ',')
				break;
			if (c != (object ? '}' : ']'))
				return false;
			cursor->at++;
		}
		cursor->at++;
		if (object && !take_name(cursor, &text))
			return false;
	}
}

/* Skips a value and the comma after it; false if it is the last one. */
static bool next_member(struct json_cursor *cursor)
{
	if (!skip_value(cursor) || peek(cursor) != ',')
		return false;
	cursor->at++;
	return true;
}

/* Moves to the value of a name in the object at the cursor. */
static bool enter_object(struct json_cursor *cursor, struct json_text wanted)
{
	struct json_text name;

	if (peek(cursor) != '{')
		return false;
	cursor->at++;
	while (take_name(cursor, &name)) {
		if (name.length == wanted.length && !memcmp(name.bytes, wanted.bytes, name.length))
			return true;
		if (!next_member(cursor))
			return false;
	}
	return false;
}

/* Moves to an element of the array at the cursor. */
static bool enter_array(struct json_cursor *cursor, uint32_t index)
{
	if (peek(cursor) != '[')
		return false;
	cursor->at++;
	if (peek(cursor) == ']')
		return false;
	for (; index; index--)
		if (!next_member(cursor))
			return false;
	return true;
}

/* Follows one part of a path: a member's name or an element's index; in brackets, only an index. */
static bool enter(struct json_cursor *cursor, struct json_text part, bool bracketed)
{
	uint64_t number = 0;

	if (peek(cursor) != '[')
		return !bracketed && enter_object(cursor, part);
	for (uint32_t i = 0; i < part.length; i++) {
		if (!is_digit(part.bytes[i]))
			return false;
		number = number * 10 + (uint64_t)(part.bytes[i] - '0');
		if (number > UINT32_MAX)
			return false;
	}
	return enter_array(cursor, (uint32_t)number);
}

/* The text in brackets, or a name up to what follows it; false if it is empty. */
static bool take_part(struct json_cursor *path, struct json_text *part, bool bracketed)
{
	const char *start = path->at += bracketed;

	while (path->at < path->end &&
		(bracketed ? *path->at != ']' : *path->at != '.' && *path->at != '['))
		path->at++;
	*part = (struct json_text){start, (uint32_t)(path->at - start)};
	if (bracketed && path->at++ == path->end)
		return false;
	return part->length > 0;
}

bool json_find(struct json_text document, struct json_text path, struct json_text *value)
{
	struct json_cursor cursor = {document.bytes, document.bytes + document.length};
	struct json_cursor way = {path.bytes, path.bytes + path.length};
	struct json_text part;
	bool bracketed;

	if (!path.length)
		return false;
	while (way.at < way.end) {
		bracketed = *way.at == '[';
		if (way.at > path.bytes && !bracketed && *way.at++ != '.')
			return false;
		if (!take_part(&way, &part, bracketed) || !enter(&cursor, part, bracketed))
			return false;
	}
	if (peek(&cursor) == '"')
		return take_string(&cursor, value);
	value->bytes = cursor.at;
	if (!skip_value(&cursor))
		return false;
	value->length = (uint32_t)(cursor.at - value->bytes);
	return true;
}
