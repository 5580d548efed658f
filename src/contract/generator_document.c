/*
 * generator_document.c: what `vmtap generate --doc` writes: the probes of a provider with their
 * arguments, as a page in Markdown and as a manual page (mdoc, section 7).
 */
#include <string.h>

#include "contract/generator.h"

/* Writes text in which Markdown would see markup; in a table, '|' ends a cell. */
static void put_markdown(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>#|", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static const char *carried(const struct contract_argument *argument)
{
	return generate_is_name(argument)    ? "name"
		: generate_is_text(argument) ? "text"
		: argument->is_address       ? "address"
					     : "";
}

void generate_markdown(FILE *out, const struct generate_input *input)
{
	const struct contract_provider *provider = input->provider;

	fprintf(out,
		"# Provider %s\n\n"
		"| probe | arguments | fires when |\n"
		"|---|---|---|\n",
		provider->name);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		fprintf(out, "| `%s` | ", probe->name);
		for (unsigned j = 0; j < probe->argument_count; j++)
			fprintf(out, "%s`%s`", j ? ", " : "", probe->arguments[j].name);
		fputs(" | ", out);
		put_markdown(out, probe->text);
		fputs(" |\n", out);
	}
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		fprintf(out, "\n## %s\n\n", probe->name);
		put_markdown(out, probe->text);
		fprintf(out, "%s`%s_%s(", *probe->text ? "\n\n" : "", input->macro,
			generate_name(probe, true));
		generate_argument_names(out, probe);
		fputs(")`\n", out);
		if (!probe->argument_count)
			continue;
		fputs("\n| | argument | type | | |\n|---|---|---|---|---|\n", out);
		for (unsigned j = 0; j < probe->argument_count; j++) {
			const struct contract_argument *argument = &probe->arguments[j];
			fprintf(out, "| arg%u | `%s` | `%s` | %s | ", j, argument->name,
				argument->type, carried(argument));
			put_markdown(out, argument->text);
			fputs(" |\n", out);
		}
	}
}

/* Writes text in a manual page: at a line's beginning, '.' and '\'' would be requests. */
static void put_roff(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
	fputc('\n', out);
}

void generate_manual(FILE *out, const struct generate_input *input)
{
	const struct contract_provider *provider = input->provider;
	const char *upper = generate_upper(provider->name);

	fprintf(out,
		".Dd $Mdocdate$\n"
		".Dt %s_PROBES 7\n"
		".Os\n"
		".Sh NAME\n"
		".Nm %s_probes\n"
		".Nd the probes of provider %s\n"
		".Sh SYNOPSIS\n"
		".Li vmtap trace -p Ar pid Fl n Li '%s*:::%s { ... }'\n"
		".Sh DESCRIPTION\n"
		"In D, the arguments are\n"
		".Li args[0]\n"
		"and so on, in this order.\n",
		upper, provider->name, provider->name, provider->name, provider->probes[0].name);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		fprintf(out, ".Ss %s\n", probe->name);
		if (*probe->text)
			put_roff(out, probe->text);
		if (!probe->argument_count)
			continue;
		fputs(".Bl -tag -width Ds\n", out);
		for (unsigned j = 0; j < probe->argument_count; j++) {
			const struct contract_argument *argument = &probe->arguments[j];
			fprintf(out, ".It Va %s Pq Vt %s\n", argument->name, argument->type);
			if (*argument->text)
				put_roff(out, argument->text);
		}
		fputs(".El\n", out);
	}
	fputs(".Sh SEE ALSO\n.Xr vmtap-trace 1\n", out);
}
