/*
 * manual_table.c: runs during the build: copies vmtap-eventlog(5) and fills in the tables of
 * event types, from the contract and from wire/event_types.h.
 *
 *     manual CONTRACT.d PAGE OUTPUT
 *
 * A line `.\" event-types WHICH` of the page is replaced by the rows of one table; WHICH is one
 * of the names in main().
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "contract/generator.h"
#include "wire/layout.h"
#include "wire/wire_type.h"

/* The notes on the fields that the library's documentation gives, by row. */
static const char *const notes[WIRE_TYPE_COUNT] = {
#define WIRE_TYPE(number, name, size, least, traits, fields, text, note) note,
#include "wire/event_types.h"
};

/* ---- event types that carry no probe ---- */

static void put_payload(FILE *out, unsigned row)
{
	struct layout layout;

	layout_make(&layout, wire_types[row].number, "");
	for (unsigned i = 0; i < layout.field_count; i++) {
		const struct layout_field *field = &layout.fields[i];
		fputs(i ? ", " : "", out);
		if (field->kind == LAYOUT_NUMBER)
			fprintf(out, "u%u %s", field->size * 8u, field->name);
		else if (strcmp(field->name, "text") == 0)
			fputs("text", out);
		else
			fprintf(out, "%s %s", field->kind == LAYOUT_STRING ? "string" : "text",
				field->name);
	}
	if (*notes[row])
		fprintf(out, "%s%s", layout.field_count ? ": " : "", notes[row]);
}

static bool carries_probe(const struct contract_provider *provider, uint16_t type)
{
	for (size_t i = 0; i < provider->probe_count; i++)
		for (unsigned j = 0; j < provider->probes[i].eventlog_count; j++)
			if (provider->probes[i].eventlogs[j].type == type)
				return true;
	return false;
}

/* Writes those that the library's header declares: GHC's or vmtap's, those of heap samples or
 * the others. */
static void put_types(
	FILE *out, const struct contract_provider *provider, bool is_ghc, bool is_sample)
{
	for (unsigned i = 0; i < WIRE_TYPE_COUNT; i++) {
		const struct wire_type *type = &wire_types[i];
		if (!*type->text || wire_is_ghc(type->number) != is_ghc ||
			wire_type_has(type->number, WIRE_SAMPLE) != is_sample ||
			carries_probe(provider, type->number))
			continue;
		fprintf(out, ".It %u Ta %s Ta ", type->number, type->name);
		put_payload(out, i);
		fputc('\n', out);
	}
}

static void put_start(FILE *out, const struct contract_provider *provider)
{
	put_types(out, provider, true, false);
}

static void put_samples(FILE *out, const struct contract_provider *provider)
{
	put_types(out, provider, true, true);
	put_types(out, provider, false, true);
}

static void put_own(FILE *out, const struct contract_provider *provider)
{
	put_types(out, provider, false, false);
}

/* ---- event types that carry probes ---- */

static bool is_whole(const struct contract_probe *probe)
{
	for (unsigned i = 0; i < probe->eventlog_count; i++)
		if (generate_is_whole(&probe->eventlogs[i]))
			return true;
	return false;
}

static void put_probes(FILE *out, const struct contract_provider *provider)
{
	unsigned number = WIRE_PROBES;

	for (size_t i = 0; i < provider->probe_count; i++)
		if (!is_whole(&provider->probes[i]))
			fprintf(out, ".It %u Ta %s\n", number++, provider->probes[i].name);
}

static void put_ghc_probe(
	FILE *out, const struct contract_probe *probe, const struct contract_eventlog *line)
{
	fprintf(out, ".It %u Ta %s Ta %s", line->type, line->name, probe->name);
	for (unsigned i = 0; i < line->argument_count; i++) {
		uint8_t argument = line->arguments[i];
		fprintf(out, "%s%s", i ? ", " : " (\\fI",
			argument == CONTRACT_CAPSET ? "capset" : probe->arguments[argument].name);
	}
	if (line->argument_count)
		fputs("\\fP)", out);
	if (generate_is_whole(line))
		fputs(", whole", out);
	if (line->is_conditional)
		fprintf(out, " when%s %s", line->is_negated ? " not" : "",
			probe->arguments[line->condition_argument].name);
	fputc('\n', out);
}

static void put_ghc_probes(FILE *out, const struct contract_provider *provider)
{
	for (unsigned number = 0; number < WIRE_OWN; number++)
		for (size_t i = 0; i < provider->probe_count; i++)
			for (unsigned j = 0; j < provider->probes[i].eventlog_count; j++)
				if (provider->probes[i].eventlogs[j].type == number)
					put_ghc_probe(out, &provider->probes[i],
						&provider->probes[i].eventlogs[j]);
}

/* ---- the page ---- */

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*put)(FILE *out, const struct contract_provider *provider);
	} tables[] = {{"start", put_start}, {"samples", put_samples}, {"own", put_own},
		{"probes", put_probes}, {"ghc-probes", put_ghc_probes}};
	enum { TABLES = sizeof(tables) / sizeof(tables[0]) };
	static const char mark[] = ".\\\" event-types ";
	struct contract *contract = NULL;
	struct error error;
	char line[4096];
	FILE *page = NULL, *out = NULL;
	unsigned filled = 0;
	int status = 1;

	if (argc != 4) {
		fprintf(stderr, "usage: manual CONTRACT.d PAGE OUTPUT\n");
		return 2;
	}
	if (contract_read(argv[1], &contract, &error)) {
		fprintf(stderr, "manual: %s\n", error.text);
		goto out;
	}
	page = fopen(argv[2], "r");
	out = page ? fopen(argv[3], "w") : NULL;
	if (!out) {
		fprintf(stderr, "manual: %s: %s\n", argv[page ? 3 : 2], strerror(errno));
		goto out;
	}
	while (fgets(line, sizeof(line), page)) {
		unsigned i = 0;
		if (strncmp(line, mark, sizeof(mark) - 1) != 0) {
			fputs(line, out);
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		while (i < TABLES && strcmp(line + sizeof(mark) - 1, tables[i].name) != 0)
			i++;
		if (i == TABLES) {
			fprintf(stderr, "manual: %s: no table is called '%s'\n", argv[2],
				line + sizeof(mark) - 1);
			goto out;
		}
		tables[i].put(out, &contract->providers[0]);
		filled |= 1u << i;
	}
	status = filled != (1u << TABLES) - 1;
	if (status)
		fprintf(stderr, "manual: %s does not have all tables\n", argv[2]);
out:
	if (page && ferror(page))
		status = 1;
	if (page)
		fclose(page);
	if (out && (ferror(out) | fclose(out))) {
		fprintf(stderr, "manual: %s: cannot be written\n", argv[3]);
		status = 1;
	}
	contract_free(contract);
	return status;
}
