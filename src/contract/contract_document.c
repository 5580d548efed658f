/*
 * contract_document.c: parses the comment before a probe: when it fires, what its arguments
 * are ("@argument text"), how the library takes strings ([name], [text]) and which event
 * type of GHC's eventlog carries it ("@eventlog NUMBER NAME (arguments)"). contract_event.c
 * handles "@event" lines.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/error.h"
#include "contract/contract_private.h"

/* Appends words, separated by single blanks, without what would harm the files and terminals that
 * show them; *text is reallocated. */
static int append_folded(struct contract_reader *reader, char **text, struct contract_span more)
{
	size_t length = strlen(*text);
	char *joined;
	struct contract_span word;

	if (length > DOCUMENTATION_MAX)
		return contract_fail_at(
			reader, reader->token.line, "this documentation is too long");
	joined = realloc(*text, length + (size_t)(more.end - more.begin) + 2);
	if (!joined)
		return contract_fail_memory(reader);
	*text = joined;
	while (word = contract_take_field(&more), word.begin < word.end) {
		size_t bytes = (size_t)(word.end - word.begin);

		if (length > 0)
			joined[length++] = ' ';
		clean_text(joined + length, bytes + 1, word.begin, bytes, false);
		length += strlen(joined + length);
	}
	joined[length] = 0;
	return 0;
}

static struct contract_argument *find_argument(
	struct contract_probe *probe, struct contract_span name, uint8_t *index)
{
	for (uint8_t i = 0; i < probe->argument_count; i++) {
		struct contract_argument *argument = &probe->arguments[i];

		if (argument->name[0] && contract_span_is(name, argument->name)) {
			*index = i;
			return argument;
		}
	}
	return NULL;
}

/* Parses "NUMBER NAME (" of an @eventlog line. */
static int parse_eventlog_type(struct contract_reader *inner, struct contract_eventlog *eventlog,
	struct contract_span *name)
{
	unsigned long number = 0;
	int error = contract_next(inner);

	if (error < 0)
		return error;
	if (inner->token.kind != TOKEN_WORD)
		return contract_fail_token(inner, "an event type's number");
	for (const char *at = inner->token.text.begin; at < inner->token.text.end; at++) {
		if (!isdigit((unsigned char)*at) || number > UINT16_MAX)
			return contract_fail_token(inner, "an event type's number");
		number = number * 10 + (unsigned long)(*at - '0');
	}
	if (number > UINT16_MAX)
		return contract_fail_token(inner, "an event type's number");
	eventlog->type = (uint16_t)number;
	error = contract_next(inner);
	if (error == 0)
		error = contract_take_name(inner, "an event type's name", name);
	if (error == 0)
		error = contract_take_character(inner, '(');
	return error;
}

/* Parses "when [not] a" at the end of an @eventlog line, if it is there. */
static int parse_eventlog_condition(struct contract_reader *inner, struct contract_probe *probe,
	struct contract_eventlog *eventlog)
{
	struct contract_span word;
	int error = 0;

	if (contract_at_word(inner, "when")) {
		eventlog->is_conditional = true;
		error = contract_next(inner);
		if (error == 0 && contract_at_word(inner, "not")) {
			eventlog->is_negated = true;
			error = contract_next(inner);
		}
		if (error == 0)
			error = contract_take_name(inner, "an argument's name", &word);
		if (error == 0 && !find_argument(probe, word, &eventlog->condition_argument))
			return contract_fail_word(
				inner, inner->line, "@eventlog: no argument", word);
	}
	if (error == 0 && inner->token.kind != TOKEN_END)
		error = contract_fail_token(inner, "'when' or the line's end");
	return error;
}

static bool is_complete(
	const struct contract_probe *probe, const struct contract_eventlog *eventlog)
{
	uint8_t first = probe->argument_count && strcmp(probe->arguments[0].name, "cap") == 0;
	bool same = !eventlog->is_conditional &&
		eventlog->argument_count == probe->argument_count - first;

	for (uint8_t i = 0; same && i < eventlog->argument_count; i++)
		same = eventlog->arguments[i] == i + first;
	return same;
}

/* Parses the rest of "@eventlog NUMBER NAME (a, b) when [not] c". */
static int parse_eventlog(struct contract_reader *reader, struct contract_probe *probe,
	struct contract_span rest, int line)
{
	struct contract_eventlog eventlog = {0};
	struct contract_reader inner = {.file = reader->file,
		.begin = reader->begin,
		.position = rest.begin,
		.end = rest.end,
		.line = line,
		.error = reader->error};
	unsigned int carried = 0;
	struct contract_span name;
	int error;

	if (probe->eventlog_count == CONTRACT_EVENTLOGS_MAX)
		return contract_fail_at(reader, line, "more than 4 @eventlog lines");
	error = parse_eventlog_type(&inner, &eventlog, &name);
	while (error == 0 && inner.token.character != ')') {
		struct contract_span argument;
		uint8_t index = CONTRACT_CAPSET;

		error = contract_take_name(&inner, "an argument's name or ')'", &argument);
		if (error < 0)
			return error;
		if (!find_argument(probe, argument, &index) &&
			!contract_span_is(argument, "capset"))
			return contract_fail_word(reader, line, "@eventlog: no argument", argument);
		if (index != CONTRACT_CAPSET && carried & 1u << index)
			return contract_fail_word(reader, line, "@eventlog: twice", argument);
		if (eventlog.argument_count == CONTRACT_ARGUMENTS_MAX)
			return contract_fail_at(reader, line, "@eventlog: more than 12 arguments");
		if (index != CONTRACT_CAPSET)
			carried |= 1u << index;
		eventlog.arguments[eventlog.argument_count++] = index;
		if (inner.token.character == ',')
			error = contract_next(&inner);
		else if (inner.token.character != ')')
			error = contract_fail_token(&inner, "',' or ')'");
	}
	if (error == 0)
		error = contract_take_character(&inner, ')');
	if (error == 0)
		error = parse_eventlog_condition(&inner, probe, &eventlog);
	if (error < 0)
		return error;
	eventlog.name = contract_span_copy(name);
	if (!eventlog.name)
		return contract_fail_memory(reader);
	eventlog.complete = is_complete(probe, &eventlog);
	probe->eventlogs[probe->eventlog_count++] = eventlog;
	return 0;
}

/* Parses one "@word ..." line. *text is where its continuation lines go; NULL: nowhere. */
static int parse_tag(struct contract_reader *reader, struct contract_probe *probe,
	struct contract_span line, int number, unsigned int *documented, char ***text)
{
	struct contract_argument *argument;
	struct contract_span name = contract_take_field(&line);
	struct contract_span after, marker;
	uint8_t index;

	*text = NULL;
	name.begin++;
	if (contract_span_is(name, "eventlog"))
		return parse_eventlog(reader, probe, line, number);
	if (contract_span_is(name, "event"))
		return contract_parse_event(reader, probe, line, number);
	argument = find_argument(probe, name, &index);
	if (!argument)
		return contract_fail_word(reader, number, "the probe has no argument", name);
	if (*documented & 1u << index)
		return contract_fail_word(reader, number, "a second documentation of", name);
	*documented |= 1u << index;
	after = line;
	marker = contract_take_field(&after);
	if (contract_span_is(marker, "[name]"))
		argument->string = CONTRACT_STRING_NAME;
	else if (contract_span_is(marker, "[text]"))
		argument->string = CONTRACT_STRING_TEXT;
	if (contract_span_is(marker, "[address]")) {
		if (argument->kind == CONTRACT_STRING)
			argument->kind = CONTRACT_POINTER;
		argument->is_address = true;
		line = after;
	}
	if (argument->string != CONTRACT_STRING_NONE) {
		if (argument->kind != CONTRACT_STRING)
			return contract_fail_word(
				reader, number, "a marker on an argument that is no string:", name);
		line = after;
	}
	*text = &argument->text;
	return append_folded(reader, *text, line);
}

/* Parses the comment before a probe. */
int contract_parse_documentation(struct contract_reader *reader, struct contract_probe *probe,
	struct contract_span comment, int end_line)
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
		struct contract_span rest = {at, at};

		while (at < comment.end && *at != '\n')
			at++;
		rest.end = at;
		while (rest.begin < rest.end &&
			(contract_is_blank(*rest.begin) || *rest.begin == (is_block ? '*' : '/')))
			rest.begin++;
		if (rest.begin == rest.end)
			text = &probe->text; /* a new paragraph belongs to the probe again */
		else if (*rest.begin == '@')
			error = parse_tag(reader, probe, rest, line, &documented, &text);
		else if (text)
			error = append_folded(reader, text, rest);
		else
			error = contract_fail_word(reader, line,
				"an @event or @eventlog line goes on with",
				contract_take_field(&rest));
	}
	return error;
}
