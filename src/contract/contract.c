/*
 * contract.c: the reader of provider definitions; contract.h defines the language.
 *
 * The parser passes once through the short grammar, without recursion, over the tokens of
 * contract_scan.c, and stops at the first error. Tables have fixed limits, so a hostile file
 * costs little time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "base/error.h"
#include "contract/contract_private.h"
#include "wire/wire.h"

/* --- parameters --- */

static int parse_parameter(struct contract_reader *reader, struct contract_argument *argument)
{
	struct contract_type type;
	struct contract_type_text text;
	struct contract_span name = {"", ""};
	int line = reader->token.line;
	int column = contract_column(reader, reader->token.text.begin);
	int error = contract_parse_type(reader, &type, &text);

	name.end = name.begin;
	if (error == 0 && reader->token.kind == TOKEN_WORD)
		error = contract_take_name(reader, "a parameter's name", &name);
	if (error == 0)
		error = contract_skip_array(reader, &type);
	if (error < 0)
		return error;
	if (type.is_void || type.is_struct || type.is_float)
		return error_set(reader->error, EINVAL,
			"%s: line %d, column %d: a probe's argument is an integer or a pointer, "
			"not '%s'",
			reader->file, line, column, text.text);
	argument->type = strdup(text.text);
	argument->name = contract_span_copy(name);
	argument->text = strdup("");
	argument->line = line;
	argument->column = column;
	argument->kind = type.kind;
	argument->size = type.size;
	argument->size_ilp32 = type.size_ilp32;
	argument->is_signed = type.kind == CONTRACT_INTEGER && type.is_signed;
	argument->is_typedef = type.kind == CONTRACT_INTEGER && type.is_typedef;
	if (!argument->type || !argument->name || !argument->text)
		return contract_fail_memory(reader);
	return 0;
}

static void free_argument(struct contract_argument *argument)
{
	free(argument->type);
	free(argument->name);
	free(argument->text);
}

/* Parses "( a, b )"; at most CONTRACT_ARGUMENTS_MAX parameters. */
static int parse_parameters(
	struct contract_reader *reader, struct contract_argument *arguments, uint8_t *count)
{
	int error = contract_take_character(reader, '(');

	if (error == 0 && reader->token.character == ')')
		return contract_next(reader);
	if (error == 0 && contract_at_word(reader, "void")) {
		struct contract_reader ahead = *reader;

		/* looks one token ahead; only comments can be skipped by that */
		ahead.error = NULL;
		if (contract_next(&ahead) == 0 && ahead.token.character == ')') {
			error = contract_next(reader);
			return error < 0 ? error : contract_next(reader);
		}
	}
	while (error == 0) {
		if (*count == CONTRACT_ARGUMENTS_MAX)
			return contract_fail_at(
				reader, reader->token.line, "a probe has at most 12 arguments");
		error = parse_parameter(reader, &arguments[(*count)++]);
		if (error < 0)
			break;
		if (reader->token.character == ')')
			return contract_next(reader);
		if (reader->token.character != ',') {
			error = contract_fail_token(reader, "',' or ')'");
			break;
		}
		error = contract_next(reader);
	}
	return error;
}
/* --- probes, providers, files --- */

static char *name_of(struct contract_span identifier)
{
	char *name = contract_span_copy(identifier);
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

static int parse_probe(struct contract_reader *reader, struct contract_provider *provider)
{
	struct contract_probe *probe = &provider->probes[provider->probe_count];
	struct contract_span comment = reader->comment;
	struct contract_span identifier;
	int comment_line = reader->comment_end_line;
	int error;

	memset(probe, 0, sizeof(*probe));
	provider->probe_count++; /* so that a half-read probe is freed */
	probe->line = reader->token.line;
	if (comment_line < probe->line - 1)
		comment.begin = NULL;
	error = contract_next(reader);
	if (error == 0)
		error = contract_take_name(reader, "a probe's name", &identifier);
	if (error < 0)
		return error;
	probe->column = contract_column(reader, identifier.begin);
	probe->identifier = contract_span_copy(identifier);
	probe->name = name_of(identifier);
	probe->text = strdup("");
	if (!probe->identifier || !probe->name || !probe->text)
		return contract_fail_memory(reader);
	for (size_t i = 0; i + 1 < provider->probe_count; i++)
		if (strcmp(provider->probes[i].name, probe->name) == 0)
			return contract_fail_word(
				reader, probe->line, "a second probe", identifier);
	error = parse_parameters(reader, probe->arguments, &probe->argument_count);
	if (error == 0 && reader->token.character == ':') {
		/* the types that translators give the arguments in D; sites carry the first list */
		error = contract_next(reader);
		if (error == 0)
			error = parse_parameters(
				reader, probe->translated, &probe->translated_count);
	}
	if (error == 0 && comment.begin)
		error = contract_parse_documentation(reader, probe, comment, comment_line);
	if (error == 0)
		error = contract_take_character(reader, ';');
	return error;
}

static int parse_provider(struct contract_reader *reader, struct contract *contract)
{
	struct contract_provider *provider;
	struct contract_span name;
	size_t capacity = 0;
	int line = reader->token.line;
	int error = contract_next(reader);

	if (error == 0)
		error = contract_take_name(reader, "a provider's name", &name);
	if (error < 0)
		return error;
	for (size_t i = 0; i < contract->provider_count; i++)
		if (contract_span_is(name, contract->providers[i].name))
			return contract_fail_word(reader, line, "a second provider", name);
	if (contract->provider_count == PROVIDERS_MAX)
		return contract_fail_at(reader, line, "too many providers");
	if (array_room(&contract->providers, &contract->provider_room, contract->provider_count,
		    sizeof(*provider)))
		return contract_fail_memory(reader);
	provider = &contract->providers[contract->provider_count];
	memset(provider, 0, sizeof(*provider));
	provider->line = line;
	provider->column = contract_column(reader, name.begin);
	for (size_t i = 0; i < STABILITY_PARTS; i++)
		provider->stability[i].value = (struct stability){
			STABILITY_UNSTABLE, STABILITY_UNSTABLE, STABILITY_COMMON};
	provider->name = contract_span_copy(name);
	if (!provider->name)
		return contract_fail_memory(reader);
	contract->provider_count++;
	error = contract_take_character(reader, '{');
	while (error == 0 && reader->token.character != '}') {
		if (!contract_at_word(reader, "probe"))
			return contract_fail_token(reader, "'probe' or '}'");
		if (provider->probe_count == PROBES_MAX)
			return contract_fail_at(reader, reader->token.line, "too many probes");
		if (array_room(&provider->probes, &capacity, provider->probe_count,
			    sizeof(*provider->probes)))
			return contract_fail_memory(reader);
		error = parse_probe(reader, provider);
	}
	if (error == 0)
		error = contract_next(reader);
	if (error == 0 && reader->token.character == ';')
		error = contract_next(reader);
	return error;
}

/* Skips a declaration that a provider file may contain besides its providers. */
static int skip_declaration(struct contract_reader *reader)
{
	struct contract_type type;
	struct contract_type_text text;
	bool is_inline = contract_at_word(reader, "inline"), is_number = false;
	long long value = 0;
	int error = 0;

	if (contract_at_word(reader, "enum"))
		error = contract_parse_type(reader, &type, &text);
	while (error == 0 && is_inline && reader->token.character != ';' &&
		reader->token.kind != TOKEN_END) {
		struct contract_reader ahead = *reader;

		ahead.error = NULL;
		if (reader->token.kind == TOKEN_WORD && contract_next(&ahead) == 0 &&
			ahead.token.character == '=')
			error = contract_parse_constant(reader, &value, &is_number);
		else
			error = contract_next(reader);
	}
	while (error == 0 && reader->token.character != ';') {
		if (reader->token.kind == TOKEN_END)
			return contract_fail_token(reader, "';'");
		error = reader->token.character == '{' ? contract_skip_braces(reader)
						       : contract_next(reader);
	}
	return error < 0 ? error : contract_next(reader);
}

static int attach_stability(struct contract_reader *reader, struct contract *contract)
{
	for (size_t i = 0; i < reader->pragma_count; i++) {
		const struct contract_pragma *pragma = &reader->pragmas[i];
		struct contract_stability *stability = NULL;

		for (size_t j = 0; j < contract->provider_count; j++)
			if (contract_span_is(pragma->provider, contract->providers[j].name))
				stability = &contract->providers[j].stability[pragma->which];
		if (!stability)
			return contract_fail_word(
				reader, pragma->line, "no provider", pragma->provider);
		if (stability->given)
			return contract_fail_word(reader, pragma->line,
				"these attributes are given twice for", pragma->provider);
		stability->given = true;
		stability->value = pragma->stability;
	}
	return 0;
}

static int parse_file(struct contract_reader *reader, struct contract *contract)
{
	int error = contract_next(reader);

	while (error == 0 && reader->token.kind != TOKEN_END) {
		if (contract_at_word(reader, "provider"))
			error = parse_provider(reader, contract);
		else if (contract_at_word(reader, "typedef"))
			error = contract_parse_typedef(reader);
		else if (contract_at_word(reader, "struct") || contract_at_word(reader, "union") ||
			contract_at_word(reader, "enum") ||
			contract_at_word(reader, "translator") ||
			contract_at_word(reader, "inline"))
			error = skip_declaration(reader);
		else if (reader->token.character == ';')
			error = contract_next(reader);
		else
			error = contract_fail_token(reader, "'provider' or 'typedef'");
	}
	if (error == 0 && contract->provider_count == 0)
		error = error_set(reader->error, EINVAL,
			"%s: line %d: the file defines no provider", reader->file, reader->line);
	if (error == 0)
		error = attach_stability(reader, contract);
	return error;
}

int contract_parse(const char *file, const char *text, size_t length, struct contract **contract,
	struct error *error)
{
	struct contract_reader reader = {.file = file,
		.begin = text,
		.position = text,
		.end = text + length,
		.line = 1,
		.line_begins = true,
		.error = error};
	struct contract *made = calloc(1, sizeof(*made));
	int result = 0;

	reader.made = made;

	*contract = NULL;
	reader.definitions = calloc(TYPEDEFS_MAX, sizeof(*reader.definitions));
	reader.pragmas = calloc(PRAGMAS_MAX, sizeof(*reader.pragmas));
	if (made)
		made->file = strdup(file);
	if (!made || !made->file || !reader.definitions || !reader.pragmas)
		result = contract_fail_memory(&reader);
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

int contract_parse_carried(const char *name, const char *text, size_t length,
	struct contract **contract, struct error *error)
{
	const size_t mark = strlen(WIRE_LIBRARY);
	const char *end = text + length;
	char *plain = malloc(length + 1);
	size_t used = 0;
	int result;

	*contract = NULL;
	if (!plain)
		return error_set(error, ENOMEM, "%s: out of memory", name);
	for (const char *line = text, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		next = newline ? newline + 1 : end;
		if ((size_t)(next - line) < mark || memcmp(line, WIRE_LIBRARY, mark) != 0)
			continue;
		memcpy(plain + used, line + mark, (size_t)(next - line) - mark);
		used += (size_t)(next - line) - mark;
	}
	result = contract_parse(name, plain, used, contract, error);
	free(plain);
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
			for (uint8_t k = 0; k < probe->translated_count; k++)
				free_argument(&probe->translated[k]);
			free(probe->identifier);
			free(probe->name);
			free(probe->text);
			for (uint8_t k = 0; k < probe->eventlog_count; k++)
				free(probe->eventlogs[k].name);
			contract_free_event(&probe->event);
		}
		free(provider->probes);
		free(provider->name);
	}
	for (size_t i = 0; i < contract->constant_count; i++) {
		free(contract->constants[i].name);
		free(contract->constants[i].value);
	}
	free(contract->constants);
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
