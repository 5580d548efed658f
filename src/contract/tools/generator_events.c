/*
 * generator_events.c: the table by which the stream's server turns each probe's record into
 * events, and declares their types (wire/wire.h).
 */
#include "contract/tools/generator.h"

#include <stdlib.h>
#include <string.h>

#include "wire/wire.h"

/* The text that declares an event type, from which a reader knows the probe. */
static void put_description(
	FILE *out, const struct contract_provider *provider, const struct contract_probe *probe)
{
	fprintf(out, "\"%s:::%s(", provider->name, probe->name);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const char *type = generate_is_text(argument) ? "char" : argument->type;
		fprintf(out, "%s%s%s%s%s", i ? ", " : "", type,
			type[strlen(type) - 1] == '*' ? "" : " ", argument->name,
			generate_is_text(argument) ? "[]" : "");
	}
	fputs(")\"", out);
}

/* The events of GHC's that stand beside the probe's own. */
static void put_forms(
	FILE *out, const struct contract_probe *probe, const struct generate_layout *layout)
{
	unsigned count = 0;

	fputs("\t\t.forms = {", out);
	for (unsigned i = 0; i < probe->eventlog_count; i++) {
		const struct contract_eventlog *form = &probe->eventlogs[i];
		unsigned payload = 0;
		if (generate_is_whole(form))
			continue;
		fprintf(out, "%s\n\t\t\t{%u, .name = \"%s\", .fields = {", count++ ? "," : "",
			form->type, form->name);
		for (unsigned j = 0; j < form->argument_count; j++) {
			bool constant = form->arguments[j] == CONTRACT_CAPSET;
			unsigned size = constant ? 4 : probe->arguments[form->arguments[j]].size;
			fprintf(out, "{%u, %u}, ",
				constant ? 0 : layout->offset[form->arguments[j]], size);
			payload += size;
		}
		fprintf(out, "}, .field_count = %u, .payload = %u", form->argument_count, payload);
		if (form->is_conditional)
			fprintf(out, ", .condition = %u, .is_negated = %d",
				layout->offset[form->condition_argument], form->is_negated);
		fputc('}', out);
	}
	fprintf(out, "},\n\t\t.form_count = %u},\n", count);
}

/* The lines that declare the probes of compatible providers that an event fires. */
static void put_compat_lines(FILE *out, const struct generate_input *input, size_t event)
{
	fprintf(out, "static const struct event_compat compat_%s[] = {\n",
		generate_name(&input->provider->probes[event], false));
	for (size_t i = 0; i < input->compat_count; i++) {
		const struct generate_compat *compat = &input->compats[i];
		for (size_t j = 0; j < compat->provider->probe_count; j++) {
			char *line;
			if (compat->mappings[j].event != event)
				continue;
			line = contract_compat_line(compat->provider, &compat->provider->probes[j],
				input->provider, &compat->mappings[j]);
			if (!line) {
				perror("generate");
				exit(1);
			}
			fprintf(out, "\t{%uu, \"%s\"},\n", 1u << i, line);
			free(line);
		}
	}
	fputs("\t{0, NULL},\n};\n", out);
}

static bool is_compatible(const struct generate_input *input, size_t event)
{
	for (size_t i = 0; i < input->compat_count; i++)
		if (generate_serves(&input->compats[i], event))
			return true;
	return false;
}

void generate_events(FILE *out, const struct generate_input *input)
{
	const struct contract_provider *provider = input->provider;

	fputs("/* How each probe's record becomes an event. Generated from the contract. */\n"
	      "#include \"shim/encode.h\"\n\n",
		out);
	for (size_t i = 0; i < provider->probe_count; i++)
		if (is_compatible(input, i))
			put_compat_lines(out, input, i);
	fputs("\nconst char *const event_providers[] = {", out);
	for (size_t i = 0; i < input->compat_count; i++)
		fprintf(out, "\"%s\", ", input->compats[i].provider->name);
	fputs("NULL};\n\nconst struct event_type event_types[EVENT_TYPES] = {\n", out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		size_t wire = WIRE_PROBES + i;
		struct generate_layout layout;
		unsigned payload = 0;

		generate_layout(probe, &layout);
		for (unsigned j = 0; j < probe->eventlog_count; j++)
			if (generate_is_whole(&probe->eventlogs[j]))
				wire = probe->eventlogs[j].type;
		for (unsigned j = 0; j < probe->argument_count; j++)
			if (!generate_is_cap(probe, j) && !generate_is_text(&probe->arguments[j]))
				payload += generate_is_name(&probe->arguments[j])
					? 4
					: probe->arguments[j].size;
		fprintf(out,
			"\t{.wire = %zu, .payload = %u, .record = %u, .has_cap = %d, .has_text = "
			"%d,\n",
			wire, payload, layout.bytes,
			probe->argument_count && generate_is_cap(probe, 0), layout.text >= 0);
		fputs("\t\t.description = ", out);
		put_description(out, provider, probe);
		if (is_compatible(input, i))
			fprintf(out, ",\n\t\t.compat = compat_%s", generate_name(probe, false));
		unsigned fields = 0;
		fputs(",\n\t\t.fields = {", out);
		for (unsigned j = 0; j < probe->argument_count; j++) {
			const struct contract_argument *argument = &probe->arguments[j];
			if (generate_is_cap(probe, j) || generate_is_text(argument))
				continue;
			fprintf(out, "%s{%u, %u, %d}", fields++ ? ", " : "", layout.offset[j],
				generate_is_name(argument) ? 4u : argument->size,
				generate_is_name(argument));
		}
		if (!fields)
			fputs("{0, 0, 0}", out);
		fprintf(out, "}, .field_count = %u, .text = %u,\n", fields,
			layout.text >= 0 ? layout.offset[layout.text] : 0);
		put_forms(out, probe, &layout);
	}
	fprintf(out, "};\n\nconst uint32_t event_digest = %uu;\n", generate_digest(input));
}
