/*
 * generator_definitions.c: generates the definitions that an object gives to the
 * runtime (see vmtap_object.h): the layout of each probe's record, and how the stream
 * declares and carries its event (see wire/wire.h).
 */
#include "contract/generator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Writes one of GHC's events that carries some of the probe's arguments. */
static void put_form(FILE *out, const struct contract_probe *probe,
	const struct contract_eventlog *form, const struct generate_layout *layout)
{
	unsigned payload = 0, field_count = 0;
	bool has_text = false;

	for (unsigned i = 0; i < form->argument_count; i++) {
		bool is_constant = form->arguments[i] == CONTRACT_CAPSET;
		const struct contract_argument *argument =
			is_constant ? NULL : &probe->arguments[form->arguments[i]];
		bool is_text = argument && generate_is_text(argument);
		has_text |= is_text;
		field_count += !is_text;
		payload += is_constant ? 4 : is_text ? 0 : argument->size;
	}
	fprintf(out, "\t{%u, %u, %u, %u, %d, %d, %d, \"%s\", {", form->type, payload, field_count,
		form->is_conditional ? layout->offset[form->condition_argument] : 0,
		form->is_negated, has_text, generate_is_whole(form), form->name);
	if (!field_count)
		fputs("{0, 0}", out);
	for (unsigned i = 0, put = 0; i < form->argument_count; i++) {
		bool is_constant = form->arguments[i] == CONTRACT_CAPSET;
		if (!is_constant && generate_is_text(&probe->arguments[form->arguments[i]]))
			continue;
		fprintf(out, "%s{%u, %u}", put++ ? ", " : "",
			is_constant ? 0 : layout->offset[form->arguments[i]],
			is_constant ? 4u : probe->arguments[form->arguments[i]].size);
	}
	fputs("}},\n", out);
}

/* Writes the lines that declare the probes of compatible providers that an event fires; returns
 * their number, or -ENOMEM. */
static int put_compats(FILE *out, const struct generate_input *input, size_t event)
{
	int count = 0;

	for (size_t i = 0; i < input->compat_count; i++) {
		const struct generate_compat *compat = &input->compats[i];
		for (size_t j = 0; j < compat->provider->probe_count; j++) {
			char *line;
			if (compat->mappings[j].event != event)
				continue;
			line = contract_compat_line(compat->provider, &compat->provider->probes[j],
				input->provider, &compat->mappings[j]);
			if (!line)
				return -ENOMEM;
			fprintf(out, "\t{\"%s\", \"%s\"},\n", compat->provider->name, line);
			free(line);
			count++;
		}
	}
	return count;
}

/* Whether an argument is in the event's payload before its text. */
static bool is_field(const struct contract_probe *probe, unsigned index)
{
	return !generate_is_cap(probe, index) && !generate_is_text(&probe->arguments[index]);
}

static unsigned field_size(const struct contract_argument *argument)
{
	return generate_is_name(argument) ? 4 : argument->size;
}

static unsigned count_fields(const struct contract_probe *probe, unsigned *payload)
{
	unsigned count = 0;

	*payload = 0;
	for (unsigned i = 0; i < probe->argument_count; i++) {
		if (!is_field(probe, i))
			continue;
		*payload += field_size(&probe->arguments[i]);
		count++;
	}
	return count;
}

static void put_fields(
	FILE *out, const struct contract_probe *probe, const struct generate_layout *layout)
{
	for (unsigned i = 0; i < probe->argument_count; i++)
		if (is_field(probe, i))
			fprintf(out, "\t{%u, %u, %u, %d},\n", layout->offset[i],
				field_size(&probe->arguments[i]), i,
				generate_is_name(&probe->arguments[i]));
}

/* ---- the digest ---- */

static uint64_t digest_byte(uint64_t digest, uint8_t byte)
{
	return (digest ^ byte) * UINT64_C(1099511628211); /* FNV-1a */
}

static uint64_t digest_text(uint64_t digest, const char *text)
{
	do
		digest = digest_byte(digest, (uint8_t)*text);
	while (*text++);
	return digest;
}

static uint64_t digest_form(uint64_t digest, const struct contract_eventlog *form)
{
	digest = digest_text(digest, form->name);
	digest = digest_byte(digest, form->type & 0xff);
	digest = digest_byte(digest, (uint8_t)(form->type >> 8));
	for (unsigned i = 0; i < form->argument_count; i++)
		digest = digest_byte(digest, form->arguments[i]);
	return digest_byte(digest,
		form->is_conditional
			? (uint8_t)(2 + 2 * form->condition_argument + form->is_negated)
			: 0);
}

static uint64_t digest_compat(uint64_t digest, const struct generate_compat *compat, size_t event)
{
	for (size_t i = 0; i < compat->provider->probe_count; i++) {
		const struct contract_probe *probe = &compat->provider->probes[i];
		const struct contract_mapping *mapping = &compat->mappings[i];
		if (mapping->event != event)
			continue;
		digest =
			digest_text(digest_text(digest, compat->provider->name), probe->identifier);
		for (unsigned j = 0; j < probe->argument_count; j++)
			digest = digest_byte(digest_text(digest, probe->arguments[j].type),
				mapping->arguments[j]);
		digest = digest_byte(digest, (uint8_t)(mapping->condition + 1));
		digest = digest_byte(digest, probe->event.is_negated);
	}
	return digest;
}

/* A digest of all that a definition says. */
static uint64_t digest_definition(const struct generate_input *input, size_t event)
{
	const struct contract_probe *probe = &input->provider->probes[event];
	uint64_t digest = UINT64_C(14695981039346656037);

	digest = digest_text(digest_text(digest, input->provider->name), probe->identifier);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		digest = digest_text(digest, generate_type(argument));
		digest = digest_text(digest, argument->name);
		digest = digest_byte(digest, generate_is_name(argument));
	}
	for (unsigned i = 0; i < probe->eventlog_count; i++)
		digest = digest_form(digest, &probe->eventlogs[i]);
	for (size_t i = 0; i < input->compat_count; i++)
		digest = digest_compat(digest, &input->compats[i], event);
	return digest;
}

/* ---- definitions ---- */

/* Writes a text as a string of C, a line of the text on each line. */
static void put_string(FILE *out, const char *text)
{
	fputs("\n\t\"", out);
	for (; *text; text++) {
		if (*text == '\n')
			fputs(text[1] ? "\\n\"\n\t\"" : "\\n", out);
		else if (*text == '"' || *text == '\\' || *text == '?')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f)
			fputc(*text, out);
		else
			fprintf(out, "\\%03o", (unsigned char)*text);
	}
	fputc('"', out);
}

/* Writes the definition in D that a stream carries. In a binary it is in a section of its own,
 * where `vmtap list` finds it. */
void generate_library_text(FILE *out, const struct generate_input *input)
{
	enum { STRING_MAX = 4095 /* more than this need not compile in C11 */ };
	const char *text = input->library;
	unsigned column = 0;

	fprintf(out,
		"static const char library[] __attribute__((section(\"" CONTRACT_SECTION
		"\"), used)) = ");
	if (strlen(text) < STRING_MAX) {
		put_string(out, text);
		fputs(";\n\n", out);
		return;
	}
	fputs("{", out);
	for (; *text; text++)
		fprintf(out, "%s%d,", column++ % 16 ? " " : "\n\t", (signed char)*text);
	fputs(" 0};\n\n", out);
}

/* Writes the name of an array, or NULL if it is empty and so does not exist. */
static void put_array(FILE *out, const char *array, const char *name, unsigned count)
{
	if (count)
		fprintf(out, "%s_%s, ", array, name);
	else
		fputs("NULL, ", out);
}

int generate_definition(FILE *out, const struct generate_input *input, size_t event)
{
	const struct contract_probe *probe = &input->provider->probes[event];
	const char *name = generate_name(probe, false);
	struct generate_layout layout;
	unsigned field_count, payload;
	bool serves = false;
	int compat_count = 0;

	generate_layout(probe, &layout);
	fprintf(out, "static const uint32_t prefixes_%s[] = {", name);
	for (unsigned i = 0; i <= probe->argument_count; i++)
		fprintf(out, "%s%uu", i ? ", " : "", generate_prefix_digest(probe, i));
	fputs("};\n", out);
	field_count = count_fields(probe, &payload);
	if (field_count) {
		fprintf(out, "static const struct vmtap_field fields_%s[] = {\n", name);
		put_fields(out, probe, &layout);
		fputs("};\n", out);
	}
	if (probe->eventlog_count) {
		fprintf(out, "static const struct vmtap_form forms_%s[] = {\n", name);
		for (unsigned i = 0; i < probe->eventlog_count; i++)
			put_form(out, probe, &probe->eventlogs[i], &layout);
		fputs("};\n", out);
	}
	for (size_t i = 0; i < input->compat_count; i++)
		serves |= generate_serves(&input->compats[i], event);
	if (serves) {
		fprintf(out, "static const struct vmtap_compat compats_%s[] = {\n", name);
		compat_count = put_compats(out, input, event);
		fputs("};\n", out);
	}
	fprintf(out, "static const struct vmtap_definition definition_%s = {\n\t", name);
	fputc('"', out);
	generate_description(out, input->provider, probe);
	fprintf(out, "\",\n\tUINT64_C(%llu), prefixes_%s, ",
		(unsigned long long)digest_definition(input, event), name);
	put_array(out, "fields", name, field_count);
	put_array(out, "forms", name, probe->eventlog_count);
	put_array(out, "compats", name, (unsigned)compat_count);
	fprintf(out, "%u, %u, %u, %u, %u, %u, %u, %d, %d, %d, ", payload, layout.bytes,
		layout.text >= 0 ? layout.offset[layout.text] : 0,
		layout.text >= 0 ? (unsigned)layout.text : 0, probe->argument_count, field_count,
		probe->eventlog_count, compat_count,
		probe->argument_count && generate_is_cap(probe, 0), layout.text >= 0);
	fputs("NULL};\n\n", out); /* vmtap_part_list() adds what the stream carries */
	return compat_count < 0 ? compat_count : 0;
}

int generate_definitions(FILE *out, const struct generate_input *input)
{
	const struct contract_provider *provider = input->provider;
	int result = 0;

	fputs("/* What the runtime is told of each probe. Generated from the contract. */\n"
	      "#include \"shim/core/object.h\"\n\n",
		out);
	for (size_t i = 0; i < provider->probe_count && !result; i++)
		result = generate_definition(out, input, i);
	fprintf(out, "extern const struct vmtap_definition *const vmtap_definitions[%zu];\n",
		provider->probe_count);
	fprintf(out, "const struct vmtap_definition *const vmtap_definitions[%zu] = {\n",
		provider->probe_count);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\t&definition_%s,\n", generate_name(&provider->probes[i], false));
	fprintf(out, "};\n\nuint16_t vmtap_numbers[%zu];\n", provider->probe_count);
	return result;
}
