/*
 * generator_definitions.c: generates the definitions that the probe part gives to the
 * runtime (see shim/definition.h): the layout of each probe's record, and how the stream
 * declares and carries its event (see wire/wire.h).
 */
#include "contract/tools/generator.h"

#include <stdlib.h>
#include <string.h>

/* Writes the text that declares an event type; readers recognise the probe by it. */
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

/* Writes one of GHC's events that carries some of the probe's arguments. */
static void put_form(FILE *out, const struct contract_probe *probe,
	const struct contract_eventlog *form, const struct generate_layout *layout)
{
	unsigned payload = 0, field_count = 0;
	bool has_text = false;

	fprintf(out, "\t{.type = %u, .name = \"%s\", .fields = {", form->type, form->name);
	for (unsigned i = 0; i < form->argument_count; i++) {
		bool constant = form->arguments[i] == CONTRACT_CAPSET;
		const struct contract_argument *argument =
			constant ? NULL : &probe->arguments[form->arguments[i]];
		unsigned size = constant ? 4 : argument->size;
		if (argument && generate_is_text(argument)) {
			has_text = true;
			continue;
		}
		fprintf(out, "%s{%u, %u}", field_count++ ? ", " : "",
			constant ? 0 : layout->offset[form->arguments[i]], size);
		payload += size;
	}
	fprintf(out, "}, .field_count = %u,\n\t\t.payload = %u, .has_text = %d, .is_whole = %d",
		field_count, payload, has_text, generate_is_whole(form));
	if (form->is_conditional)
		fprintf(out, ", .condition = %u, .is_negated = %d",
			layout->offset[form->condition_argument], form->is_negated);
	fputs("},\n", out);
}

/* Writes the lines that declare the probes of compatible providers that an event fires; returns
 * their number. */
static unsigned put_compats(FILE *out, const struct generate_input *input, size_t event)
{
	unsigned count = 0;

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
			fprintf(out, "\t{\"%s\", \"%s\"},\n", compat->provider->name, line);
			free(line);
			count++;
		}
	}
	return count;
}

/* Writes the arguments in the event's payload; returns their number. */
static unsigned put_fields(FILE *out, const struct contract_probe *probe,
	const struct generate_layout *layout, unsigned *payload)
{
	unsigned count = 0;

	*payload = 0;
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		unsigned size = generate_is_name(argument) ? 4 : argument->size;
		if (generate_is_cap(probe, i) || generate_is_text(argument))
			continue;
		fprintf(out, "\t{%u, %u, %u, %d},\n", layout->offset[i], size, i,
			generate_is_name(argument));
		*payload += size;
		count++;
	}
	return count;
}

static uint64_t digest_of(const char *text)
{
	uint64_t digest = UINT64_C(14695981039346656037); /* FNV-1a */

	for (; *text; text++)
		digest = (digest ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return digest;
}

/* Writes all of a definition except its digest, which is computed from this text. */
static void put_definition(FILE *out, const struct generate_input *input, size_t event)
{
	const struct contract_probe *probe = &input->provider->probes[event];
	const char *name = generate_name(probe, false);
	struct generate_layout layout;
	unsigned field_count, compat_count, payload;

	generate_layout(probe, &layout);
	fprintf(out, "static const uint32_t prefixes_%s[] = {", name);
	for (unsigned i = 0; i <= probe->argument_count; i++)
		fprintf(out, "%s%uu", i ? ", " : "", generate_prefix_digest(probe, i));
	fprintf(out, "};\nstatic const struct definition_field fields_%s[] = {\n", name);
	field_count = put_fields(out, probe, &layout, &payload);
	fprintf(out, "};\nstatic const struct definition_form forms_%s[] = {\n", name);
	for (unsigned i = 0; i < probe->eventlog_count; i++)
		put_form(out, probe, &probe->eventlogs[i], &layout);
	fprintf(out, "};\nstatic const struct definition_compat compats_%s[] = {\n", name);
	compat_count = put_compats(out, input, event);
	fprintf(out,
		"};\nstatic const struct definition definition_%s = {\n\t.description = ", name);
	put_description(out, input->provider, probe);
	fprintf(out,
		",\n\t.prefixes = prefixes_%s, .fields = fields_%s, .forms = forms_%s, .compats = "
		"compats_%s,\n"
		"\t.payload = %u, .record = %u, .text = %u, .text_argument = %u, .argument_count = "
		"%u,\n"
		"\t.field_count = %u, .form_count = %u, .compat_count = %u, .has_cap = %d, "
		".has_text = %d,\n",
		name, name, name, name, payload, layout.bytes,
		layout.text >= 0 ? layout.offset[layout.text] : 0,
		layout.text >= 0 ? (unsigned)layout.text : 0, probe->argument_count, field_count,
		probe->eventlog_count, compat_count,
		probe->argument_count && generate_is_cap(probe, 0), layout.text >= 0);
}

void generate_definitions(FILE *out, const struct generate_input *input)
{
	const struct contract_provider *provider = input->provider;

	fputs("/* What the probe part tells the runtime of its probes. Generated from the "
	      "contract. "
	      "*/\n#include \"shim/object.h\"\n\n",
		out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		char *text = NULL;
		size_t size;
		FILE *memory = open_memstream(&text, &size);

		if (memory)
			put_definition(memory, input, i);
		if (!memory || ferror(memory) | fclose(memory)) {
			perror("generate");
			exit(1);
		}
		fprintf(out, "%s\t.digest = UINT64_C(%llu)};\n\n", text,
			(unsigned long long)digest_of(text));
		free(text);
	}
	fputs("const struct definition *const vmtap_definitions[VMTAP_PROBES] = {\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\t&definition_%s,\n", generate_name(&provider->probes[i], false));
	fputs("};\n\nuint16_t vmtap_numbers[VMTAP_PROBES];\n", out);
}
