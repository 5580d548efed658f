/*
 * contract_event.c: which event of another provider fires a probe: the line "@event NAME
 * (arguments) when [not] argument" of a compatible provider's contract. The line is read
 * with its file, but the names in it are those of another file. They are looked up when both
 * have been read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract_private.h"

static int take_copy(struct contract_reader *reader, const char *what, char **copy)
{
	struct contract_span name;
	int error = contract_take_name(reader, what, &name);

	if (error < 0)
		return error;
	*copy = contract_span_copy(name);
	return *copy ? 0 : contract_fail_memory(reader);
}

static int parse_arguments(struct contract_reader *reader, struct contract_event *event)
{
	int error = contract_take_character(reader, '(');

	while (error == 0 && reader->token.character != ')') {
		if (event->argument_count == CONTRACT_ARGUMENTS_MAX)
			return contract_fail_at(
				reader, reader->token.line, "@event: more than 12 arguments");
		error = take_copy(reader, "an argument's name or ')'",
			&event->arguments[event->argument_count]);
		if (error < 0)
			break;
		event->argument_count++;
		if (reader->token.character == ',')
			error = contract_next(reader);
		else if (reader->token.character != ')')
			error = contract_fail_token(reader, "',' or ')'");
	}
	return error == 0 ? contract_take_character(reader, ')') : error;
}

static int parse_condition(struct contract_reader *reader, struct contract_event *event)
{
	int error;

	if (!contract_at_word(reader, "when"))
		return 0;
	error = contract_next(reader);
	if (error == 0 && contract_at_word(reader, "not")) {
		event->is_negated = true;
		error = contract_next(reader);
	}
	return error == 0 ? take_copy(reader, "an argument's name", &event->condition) : error;
}

int contract_parse_event(struct contract_reader *reader, struct contract_probe *probe,
	struct contract_span rest, int line)
{
	struct contract_event *event = &probe->event;
	struct contract_span name = contract_take_field(&rest);
	struct contract_reader inner = {.file = reader->file,
		.begin = reader->begin,
		.position = rest.begin,
		.end = rest.end,
		.line = line,
		.error = reader->error};
	int error;

	if (event->present)
		return contract_fail_at(reader, line, "a second @event");
	if (name.begin == name.end || name.end - name.begin > WORD_BYTES_MAX)
		return contract_fail_word(
			reader, line, "@event: expected an event's name, found", name);
	event->present = true;
	event->name = contract_span_copy(name);
	if (!event->name)
		return contract_fail_memory(reader);
	error = contract_next(&inner);
	if (error == 0)
		error = parse_arguments(&inner, event);
	if (error == 0)
		error = parse_condition(&inner, event);
	if (error == 0 && inner.token.kind != TOKEN_END)
		error = contract_fail_token(&inner, "'when' or the line's end");
	if (error == 0 && event->argument_count != probe->argument_count)
		error = error_set(reader->error, EINVAL,
			"%s: line %d: @event gives %u arguments, the probe has %u", reader->file,
			line, event->argument_count, probe->argument_count);
	return error;
}

void contract_free_event(struct contract_event *event)
{
	free(event->name);
	for (uint8_t i = 0; i < event->argument_count; i++)
		free(event->arguments[i]);
	free(event->condition);
}

static int find_argument(const struct contract_probe *event, const char *name)
{
	for (uint8_t i = 0; i < event->argument_count; i++)
		if (strcmp(event->arguments[i].name, name) == 0)
			return i;
	return -1;
}

int contract_map(const struct contract *contract, const struct contract_probe *probe,
	const struct contract_provider *events, struct contract_mapping *mapping,
	struct error *error)
{
	const struct contract_event *wanted = &probe->event;
	const struct contract_probe *event =
		wanted->present ? contract_find_probe(events, wanted->name) : NULL;

	if (!event)
		return error_set(error, EINVAL,
			"%s: line %d: probe %s: provider %s has no event '%s'", contract->file,
			probe->line, probe->name, events->name,
			wanted->present ? wanted->name : "");
	mapping->event = (size_t)(event - events->probes);
	mapping->condition = -1;
	for (uint8_t i = 0; i < wanted->argument_count; i++) {
		const struct contract_argument *own = &probe->arguments[i], *given;
		int index = find_argument(event, wanted->arguments[i]);

		if (index < 0)
			return error_set(error, EINVAL,
				"%s: line %d: probe %s: event %s has no argument '%s'",
				contract->file, probe->line, probe->name, event->name,
				wanted->arguments[i]);
		given = &event->arguments[index];
		if (own->kind != given->kind || own->size != given->size ||
			own->is_signed != given->is_signed)
			return error_set(error, EINVAL,
				"%s: line %d: probe %s: argument %d is %s, %s of event %s is %s",
				contract->file, probe->line, probe->name, i + 1, own->type,
				given->name, event->name, given->type);
		mapping->arguments[i] = (uint8_t)index;
	}
	if (wanted->condition) {
		mapping->condition = find_argument(event, wanted->condition);
		if (mapping->condition < 0 ||
			event->arguments[mapping->condition].kind != CONTRACT_INTEGER)
			return error_set(error, EINVAL,
				"%s: line %d: probe %s: event %s has no integer '%s'",
				contract->file, probe->line, probe->name, event->name,
				wanted->condition);
	}
	return 0;
}

char *contract_compat_line(const struct contract_provider *provider,
	const struct contract_probe *probe, const struct contract_provider *events,
	const struct contract_mapping *mapping)
{
	const struct contract_probe *event = &events->probes[mapping->event];
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s:::%s(", provider->name, probe->name);
	for (uint8_t i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *given = &event->arguments[mapping->arguments[i]];
		/* a reader does not know the typedefs of this file */
		const char *type =
			probe->arguments[i].is_typedef ? given->type : probe->arguments[i].type;

		fprintf(out, "%s%s%s%s", i ? ", " : "", type,
			type[strlen(type) - 1] == '*' ? "" : " ", given->name);
	}
	fputc(')', out);
	if (mapping->condition >= 0)
		fprintf(out, " when %s%s", probe->event.is_negated ? "not " : "",
			event->arguments[mapping->condition].name);
	if (fclose(out) == 0)
		return line;
	free(line);
	return NULL;
}
