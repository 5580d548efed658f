/*
 * contract_scan.c: splits a provider definition into words and single characters. Comments
 * and control lines are handled between two tokens, so the parser never sees them: the last
 * comment is remembered for the probe that may follow, stability pragmas are collected for
 * the end.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract_private.h"

/* The column of a place in the text, from 1; 0: it is not in the text. */
int contract_column(const struct contract_reader *reader, const char *at)
{
	int column = 1;

	if (!reader->begin || at < reader->begin || at > reader->end)
		return 0;
	while (at > reader->begin && at[-1] != '\n') {
		at--;
		column++;
	}
	return column;
}

/* Errors in the input are always -EINVAL; these functions name the line and, if it is known, the
 * column. */
static int fail(struct contract_reader *reader, int line, int column, const char *reason,
	const char *quote, size_t length, const char *word)
{
	char place[64];

	if (column)
		snprintf(place, sizeof(place), "line %d, column %d", line, column);
	else
		snprintf(place, sizeof(place), "line %d", line);
	return error_set(reader->error, EINVAL, "%s: %s: %s%s%s%.*s%s", reader->file, place, reason,
		*quote ? " " : "", quote, (int)(length > WORD_BYTES_MAX ? WORD_BYTES_MAX : length),
		word, quote);
}

int contract_fail_at(struct contract_reader *reader, int line, const char *reason)
{
	bool is_token = reader->token.line == line && reader->token.text.begin;

	return fail(reader, line, is_token ? contract_column(reader, reader->token.text.begin) : 0,
		reason, "", 0, "");
}

int contract_fail_word(
	struct contract_reader *reader, int line, const char *reason, struct contract_span word)
{
	size_t length = (size_t)(word.end - word.begin);

	return fail(
		reader, line, contract_column(reader, word.begin), reason, "'", length, word.begin);
}

int contract_fail_memory(struct contract_reader *reader)
{
	return error_set(reader->error, ENOMEM, "%s: out of memory", reader->file);
}

bool contract_span_is(struct contract_span span, const char *text)
{
	size_t length = (size_t)(span.end - span.begin);

	return length == strlen(text) && memcmp(span.begin, text, length) == 0;
}

bool contract_span_same(struct contract_span a, struct contract_span b)
{
	return a.end - a.begin == b.end - b.begin &&
		memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

char *contract_span_copy(struct contract_span span)
{
	return strndup(span.begin, (size_t)(span.end - span.begin));
}

bool contract_is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\r' || character == '\f' ||
		character == '\v';
}

bool contract_is_word(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}
static int control_line(struct contract_reader *reader, struct contract_span line, int number);

/* Skips a comment; *found says whether there was one. */
static int skip_comment(struct contract_reader *reader, bool *found)
{
	const char *begin = reader->position;
	int line = reader->line;

	*found = false;
	if (reader->end - begin < 2 || begin[0] != '/' || (begin[1] != '*' && begin[1] != '/'))
		return 0;
	*found = true;
	reader->position += 2;
	if (begin[1] == '/') {
		/* consecutive "//" lines form one comment */
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
			reader->comment = (struct contract_span){begin, reader->position};
			reader->comment_end_line = reader->line;
			return 0;
		}
		if (*reader->position == '\n')
			reader->line++;
	}
	return contract_fail_at(reader, line, "this comment has no end");
}

/*
 * The control line at position, including lines joined to it by a backslash or a comment.
 */
static struct contract_span take_control_line(struct contract_reader *reader)
{
	struct contract_span line = {reader->position + 1, NULL};
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
int contract_next(struct contract_reader *reader)
{
	reader->comment = (struct contract_span){NULL, NULL};
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
		if (contract_is_blank(character) ||
			(character == '\\' && reader->end - reader->position > 1 &&
				(reader->position[1] == '\n' || reader->position[1] == '\r'))) {
			reader->position++;
			continue;
		}
		if (character == '#' && reader->line_begins) {
			int number = reader->line;
			struct contract_span line = take_control_line(reader);

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
	reader->token.text = (struct contract_span){reader->position, reader->position};
	if (reader->position == reader->end) {
		reader->token.kind = TOKEN_END;
		return 0;
	}
	if (contract_is_word(*reader->position)) {
		reader->token.kind = TOKEN_WORD;
		while (reader->position < reader->end && contract_is_word(*reader->position))
			reader->position++;
	} else {
		reader->token.kind = TOKEN_CHARACTER;
		reader->token.character = *reader->position++;
	}
	reader->token.text.end = reader->position;
	return 0;
}

bool contract_at_word(const struct contract_reader *reader, const char *word)
{
	return reader->token.kind == TOKEN_WORD && contract_span_is(reader->token.text, word);
}

int contract_fail_token(struct contract_reader *reader, const char *expected)
{
	char reason[96];

	if (reader->token.kind == TOKEN_END) {
		snprintf(reason, sizeof(reason), "expected %s, the file ends", expected);
		return contract_fail_at(reader, reader->token.line, reason);
	}
	snprintf(reason, sizeof(reason), "expected %s, found", expected);
	return contract_fail_word(reader, reader->token.line, reason, reader->token.text);
}

int contract_take_character(struct contract_reader *reader, char character)
{
	char expected[4] = {'\'', character, '\'', 0};

	if (reader->token.character != character)
		return contract_fail_token(reader, expected);
	return contract_next(reader);
}

/* Takes a name of a provider, probe, type or parameter. */
int contract_take_name(struct contract_reader *reader, const char *what, struct contract_span *name)
{
	if (reader->token.kind != TOKEN_WORD || isdigit((unsigned char)*reader->token.text.begin))
		return contract_fail_token(reader, what);
	*name = reader->token.text;
	if (name->end - name->begin > WORD_BYTES_MAX)
		return contract_fail_word(
			reader, reader->token.line, "this name is too long:", *name);
	return contract_next(reader);
}
/* --- control lines --- */

/* Takes the next word, delimited by white space, from a line; empty if there is none. */
struct contract_span contract_take_field(struct contract_span *line)
{
	struct contract_span field;

	while (line->begin < line->end && (contract_is_blank(*line->begin) || *line->begin == '\n'))
		line->begin++;
	field.begin = line->begin;
	while (line->begin < line->end && !contract_is_blank(*line->begin) && *line->begin != '\n')
		line->begin++;
	field.end = line->begin;
	return field;
}

static int stability_line(struct contract_reader *reader, struct contract_span line, int number)
{
	struct contract_pragma pragma = {.line = number};
	struct contract_span attributes = contract_take_field(&line);
	struct contract_span keyword = contract_take_field(&line);
	struct contract_span part, rest;

	pragma.provider = contract_take_field(&line);
	part = contract_take_field(&line);
	rest = contract_take_field(&line);
	if (!stability_parse(attributes.begin, (size_t)(attributes.end - attributes.begin),
		    &pragma.stability))
		return contract_fail_word(reader, number,
			"expected three attributes such as Evolving/Evolving/Common, found",
			attributes);
	if (!contract_span_is(keyword, "provider"))
		return contract_fail_word(reader, number, "expected 'provider', found", keyword);
	pragma.which = stability_part(part.begin, (size_t)(part.end - part.begin));
	if (pragma.which < 0)
		return contract_fail_word(reader, number,
			"expected provider, module, function, name or args, found", part);
	if (rest.begin < rest.end)
		return contract_fail_word(reader, number, "unexpected", rest);
	if (reader->pragma_count == PRAGMAS_MAX)
		return contract_fail_at(reader, number, "too many stability attributes");
	reader->pragmas[reader->pragma_count++] = pragma;
	return 0;
}

static int control_line(struct contract_reader *reader, struct contract_span line, int number)
{
	struct contract_span word = contract_take_field(&line);

	if (contract_span_is(word, "define"))
		return contract_define_line(reader, line, number);
	if (contract_span_is(word, "pragma") && contract_span_is(contract_take_field(&line), "D") &&
		contract_span_is(contract_take_field(&line), "attributes"))
		return stability_line(reader, line, number);
	return 0;
}
