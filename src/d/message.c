/*
 * message.c: the wording of errors. DTrace's form comes first, because people know it and search
 * for it; the column and the text there follow.
 */
#include "d/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "d/hint.h"

enum {
	NEAR_MAX = 24 /* characters of the script shown */
};

/* 0: the place is not in the text being read. */
static uint32_t column_of(const struct d_compiler *compiler, const struct d_place *place)
{
	const char *at = place->start;

	if (at < compiler->lexer.text || at > compiler->lexer.end)
		return 0;
	while (at > compiler->lexer.text && at[-1] != '\n')
		at--;
	return (uint32_t)(place->start - at) + 1;
}

/*
 * The text at a place: up to the end of its line, cut. Control characters are shown as '?', bytes
 * that are not valid characters as \xNN. A character is shown completely even if the place ends
 * within it, because D sees a non-ASCII character as separate stray bytes.
 */
static void near_text(
	const struct d_compiler *compiler, const struct d_place *place, char buffer[NEAR_MAX + 4])
{
	const char *at = place->start, *limit = compiler->lexer.end, *end;
	size_t used = 0;

	buffer[0] = '\0';
	if (at < compiler->lexer.text || at >= limit)
		return;
	end = place->length < (size_t)(limit - at) ? at + place->length : limit;
	while (at < end && *at != '\n') {
		size_t bytes = utf8_bytes(at, (size_t)(limit - at));
		char shown[8];

		if (!bytes)
			snprintf(shown, sizeof(shown), "\\x%02x", (unsigned char)*at);
		else if (iscntrl((unsigned char)*at) ||
			(*at == '\xc2' && (unsigned char)at[1] < 0xa0))
			strcpy(shown, "?");
		else
			snprintf(shown, sizeof(shown), "%.*s", (int)bytes, at);
		if (used + strlen(shown) > NEAR_MAX) {
			strcpy(buffer + used, "...");
			return;
		}
		strcpy(buffer + used, shown);
		used += strlen(shown);
		at += bytes ? bytes : 1;
	}
}

static void record(struct d_compiler *compiler, const struct d_place *place, const char *tag,
	bool show_near, const char *text)
{
	struct d_error *error = compiler->error;
	bool placed = place && place->start;
	uint32_t column = placed ? column_of(compiler, place) : 0;
	char tag_text[64] = "", prefix[320] = "", where[64] = "", near[NEAR_MAX + 4] = "";

	compiler->failed = true;
	compiler->repairable = false;
	if (!error)
		return;
	/* Some errors of DTrace's library have no tag: the tag is empty then. */
	if (compiler->options.error_tags && *tag)
		snprintf(tag_text, sizeof(tag_text), "[%s] ", tag);
	if (placed && place->file)
		snprintf(prefix, sizeof(prefix), "\"%.250s\", line %u: ", place->file, place->line);
	else if (placed && compiler->file)
		snprintf(prefix, sizeof(prefix), "line %u: ", place->line);
	else if (compiler->region)
		snprintf(prefix, sizeof(prefix), "in %s: ", compiler->region);
	if (placed && !compiler->file && place->line > 1)
		snprintf(where, sizeof(where), ", line %u, column %u", place->line, column);
	else if (placed)
		snprintf(where, sizeof(where), ", column %u", column);
	if (placed && show_near)
		near_text(compiler, place, near);
	error_set(&error->message, EINVAL, "%s%s%s%s%s%s%s", tag_text, prefix, text, where,
		*near ? ", near `" : "", near, *near ? "'" : "");
	error->tag = tag;
	error->script = compiler->library ? 0 : compiler->script;
	error->line = placed ? place->line : 0;
	error->column = column;
	error->unmatched[0] = '\0';
	error->is_advised = false;
}

static int fail(struct d_compiler *compiler, const struct d_place *place, const char *tag,
	bool repairable, const char *format, va_list arguments)
{
	char text[600];

	if (compiler->failed)
		return -EINVAL;
	vsnprintf(text, sizeof(text), format, arguments);
	record(compiler, place, tag, true, text);
	compiler->repairable = repairable;
	return -EINVAL;
}

int d_fail(struct d_compiler *compiler, const struct d_place *place, const char *tag,
	const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	result = fail(compiler, place, tag, false, format, arguments);
	va_end(arguments);
	return result;
}

int d_fail_unknown(struct d_compiler *compiler, const struct d_place *place, const char *tag,
	const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	result = fail(compiler, place, tag, true, format, arguments);
	va_end(arguments);
	return result;
}

/* The hint for the characters at a place. A C++ comment is found at either slash. */
static const char *hint_at(const struct d_compiler *compiler, const struct d_place *place)
{
	const char *at = place->start, *end = compiler->lexer.end;

	if (!at || at < compiler->lexer.text || at >= end)
		return "";
	if (*at == '/' && at > compiler->lexer.text && at[-1] == '/')
		at--;
	return d_hint_text(at, (size_t)(end - at));
}

int d_fail_syntax(struct d_compiler *compiler, const struct d_place *place, const char *expected)
{
	char text[240], near[NEAR_MAX + 4];
	/* the expected text may already contain a hint: "an expression (D has no loops)" */
	bool hinted = expected && strstr(expected, " (") && expected[strlen(expected) - 1] == ')';

	if (compiler->failed)
		return -EINVAL;
	near_text(compiler, place, near);
	if (*near)
		snprintf(text, sizeof(text), "syntax error near \"%s\"%s%s%s", near,
			expected ? ": expected " : "", expected ? expected : "",
			hinted ? "" : hint_at(compiler, place));
	else
		snprintf(text, sizeof(text), "syntax error near end-of-input%s%s",
			expected ? ": expected " : "", expected ? expected : "");
	record(compiler, place, "D_SYNTAX", false, text);
	return -EINVAL;
}

int d_fail_memory(struct d_compiler *compiler)
{
	if (!compiler->failed)
		record(compiler, NULL, "D_UNKNOWN", false, "out of memory");
	return -ENOMEM;
}

void d_fail_forget(struct d_compiler *compiler)
{
	compiler->failed = false;
	compiler->repairable = false;
	if (compiler->error)
		memset(compiler->error, 0, sizeof(*compiler->error));
}

int d_require(struct d_compiler *compiler, enum d_need need, const char *name,
	const struct d_place *place)
{
	const char *file = place->file ? place->file : compiler->file;
	char where[320] = "";

	/* in a definition only its uses have needs; sizeof only needs the type */
	if (compiler->keep || compiler->unevaluated || !compiler->needs)
		return 0;
	if (file)
		snprintf(where, sizeof(where), "%.250s: line %u", file, place->line);
	else if (place->line > 1)
		snprintf(where, sizeof(where), "line %u", place->line);
	if (compiler->requirer)
		name = compiler->requirer;
	return d_needs_add(compiler->needs, need, name, where) ? d_fail_memory(compiler) : 0;
}

void *d_get(struct d_compiler *compiler, size_t size)
{
	void *piece = arena_get(&compiler->arena, size);

	if (!piece)
		d_fail_memory(compiler);
	return piece;
}
