/*
 * generator_header.c: generates the headers that VM authors use, vmtap_probes.h and those of
 * their own providers: the macros of the probes with their documentation, and in vmtap_probes.h
 * how to opt in for the providers of other runtimes.
 */
#include "contract/generator.h"

#include <string.h>

/* Writes a blank and a word. A backslash at a line's end, also as "??/", is for compilers no text.
 */
static void put_word(FILE *out, const char *word, size_t length)
{
	fputc(' ', out);
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '/' && i >= 2 && word[i - 1] == '?' && word[i - 2] == '?')
			fputc(' ', out);
		fputc(word[i], out);
	}
	if (word[length - 1] == '\\')
		fputc('.', out);
}

/* Writes text in a comment, wrapped at 96 columns, each line after a prefix. */
static void put_folded(FILE *out, const char *prefix, const char *more, const char *text)
{
	size_t column = strlen(prefix);

	fputs(prefix, out);
	while (*text) {
		size_t word = strcspn(text, " ");
		if (column + 1 + word > 96) {
			fprintf(out, "\n%s", more);
			column = strlen(more);
		}
		put_word(out, text, word);
		column += word + 1;
		text += word + strspn(text + word, " ");
	}
	fputc('\n', out);
}

static void put_documentation(FILE *out, const struct contract_probe *probe)
{
	char label[160];

	put_folded(out, "/*\n *", " *", probe->text);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		snprintf(label, sizeof(label), " *   %s:", probe->arguments[i].name);
		put_folded(out, label, " *      ", probe->arguments[i].text);
	}
	fputs(" */\n", out);
}

/* Writes how a VM opts in for a compatible provider: a symbol whose object has its sites. */
static void put_opt_in(FILE *out, const struct generate_input *input)
{
	fputs("/*\n * ---- providers of other runtimes, for their scripts ----\n *\n"
	      " * Each of these, defined where a file of the VM includes <vmtap.h> (best in "
	      "CFLAGS), gives\n"
	      " * the VM's object that runtime's probes as well, fired by the same events. A probe "
	      "that\n"
	      " * nobody listens to costs what it did.\n *\n",
		out);
	for (size_t i = 0; i < input->compat_count; i++)
		fprintf(out, " *   VMTAP_PROVIDER_%s\n",
			generate_upper(input->compats[i].provider->name));
	fputs(" *\n * A VM that compiles no C links with -Wl,-u,SYMBOL, the symbol as declared "
	      "below.\n"
	      " */\n",
		out);
	for (size_t i = 0; i < input->compat_count; i++) {
		const char *name = input->compats[i].provider->name;
		fprintf(out,
			"#ifdef VMTAP_PROVIDER_%s\n"
			"VMTAP_HIDDEN extern const char vmtap_provider_%s;\n"
			"static const char *const vmtap_wants_%s __attribute__((used)) = "
			"&vmtap_provider_%s;\n"
			"#endif\n",
			generate_upper(name), name, name, name);
	}
	fputc('\n', out);
}

/* Writes the macros of a probe. */
static void put_macros(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	const char *upper = generate_name(probe, true);

	put_documentation(out, probe);
	fprintf(out, "#define %s_%s(", input->macro, upper);
	generate_argument_names(out, probe);
	fprintf(out, ") \\\n\tdo { \\\n\t\tif (%s_%s_ENABLED()) \\\n\t\t\t%s_fire_%s(",
		input->macro, upper, input->symbol, generate_name(probe, false));
	generate_argument_names(out, probe);
	fprintf(out,
		"); \\\n\t} while (0)\n#define %s_%s_ENABLED() VMTAP_ENABLED_(%s_%s_semaphore)\n",
		input->macro, upper, input->provider->name, probe->identifier);
	fprintf(out, "#define %s_guard_%s %s_%s_semaphore\n#define %s_fires_%s %s_fire_%s\n\n",
		input->symbol, upper, input->provider->name, probe->identifier, input->symbol,
		upper, input->symbol, generate_name(probe, false));
}

/* Writes what stands for them where probes are compiled out. */
static void put_stubs(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	const char *upper = generate_name(probe, true);

	fprintf(out, "#define %s_%s(", input->macro, upper);
	generate_argument_names(out, probe);
	fputs(") do { if (0) {", out);
	for (unsigned i = 0; i < probe->argument_count; i++)
		fprintf(out, " (void)(%s);", generate_argument(&probe->arguments[i]));
	fprintf(out, " } } while (0)\n#define %s_%s_ENABLED() 0\n", input->macro, upper);
}

/* Writes the macros that give a JIT compiler the addresses that belong to one probe. */
static void put_addresses(FILE *out, const struct generate_input *input)
{
	fprintf(out,
		"/*\n"
		" * For generated code: the address of a probe's 32-bit word, and its fire "
		"function, "
		"by the name\n"
		" * in its macro: %s_GUARD(%s). They bring that probe's site alone into the "
		"object.\n"
		" */\n"
		"#define %s_GUARD(probe) vmtap_word_(&%s_guard_##probe)\n"
		"#define %s_FIRE(probe) VMTAP_FUNCTION_(%s_fires_##probe)\n\n",
		input->macro, generate_name(&input->provider->probes[0], true), input->macro,
		input->symbol, input->macro, input->symbol);
}

/* Writes the beginning of vmtap_probes.h. */
static void put_vm_head(FILE *out, const struct contract_provider *provider, bool sites)
{
	fprintf(out,
		"/*\n * vmtap_probes.h: the probes of provider %s. Generated from the contract; "
		"include\n"
		" * <vmtap.h>, not this file.\n"
		" *\n"
		" * VMTAP_PROBE(arguments) fires if somebody listens, and evaluates its arguments "
		"only then.\n"
		" * VMTAP_PROBE_ENABLED() says whether somebody does, where preparing the "
		"arguments takes more.\n"
		" */\n#ifndef VMTAP_PROBES_H\n#define VMTAP_PROBES_H\n\n",
		provider->name);
	if (!sites)
		fputs("/* The library was built without sys/sdt.h: every probe is compiled out. "
		      "*/\n"
		      "#ifndef VMTAP_DISABLE\n#define VMTAP_DISABLE 1\n#endif\n\n",
			out);
	fputs("#if !defined(VMTAP_DISABLE) && !defined(__linux__)\n#define VMTAP_DISABLE "
	      "1\n#endif\n\n"
	      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nenum vmtap_probe {\n",
		out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\tVMTAP_PROBE_%s = %zu,\n", generate_name(&provider->probes[i], true),
			i);
	fprintf(out, "\tVMTAP_PROBES = %zu\n};\n\n", provider->probe_count);
}

/* Writes the beginning of a VM author's header. */
static void put_own_head(FILE *out, const struct generate_input *input)
{
	const char *provider = input->provider->name, *macro = input->macro;

	fprintf(out,
		"/*\n * The probes of provider %s. Generated by vmtap from the provider's "
		"definition.\n"
		" *\n"
		" * %s_PROBE(arguments) fires if somebody listens, and evaluates its arguments "
		"only "
		"then.\n"
		" * %s_PROBE_ENABLED() says whether somebody does, where preparing the arguments "
		"takes more.\n"
		" *\n"
		" * Code that is not C, such as that of a JIT compiler, tests the 32-bit word\n"
		" * %s_PROBE_semaphore and, if it is not 0, calls %s_fire_PROBE().\n"
		" */\n#ifndef VMTAP_%s_PROBES_H\n#define VMTAP_%s_PROBES_H\n\n"
		"#include <vmtap.h>\n\n"
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
		provider, macro, macro, provider, input->symbol, macro, macro);
}

void generate_header(FILE *out, const struct generate_input *input, bool sites)
{
	const struct contract_provider *provider = input->provider;

	if (input->is_own)
		put_own_head(out, input);
	else
		put_vm_head(out, provider, sites);
	fputs("#ifndef VMTAP_DISABLE\n\n#include <vmtap_guard.h>\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "%s(%s_%s_semaphore);\n",
			input->is_own ? "VMTAP_WORD_32" : "VMTAP_WORD", provider->name,
			provider->probes[i].identifier);
	fputc('\n', out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		fprintf(out, "VMTAP_HIDDEN void %s_fire_%s(", input->symbol,
			generate_name(&provider->probes[i], false));
		generate_parameters(out, &provider->probes[i]);
		fputs(");\n", out);
	}
	fputc('\n', out);
	if (!input->is_own)
		put_opt_in(out, input);
	fputs("/* ---- the probes ---- */\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		put_macros(out, input, &provider->probes[i]);
	put_addresses(out, input);
	fputs("#else /* VMTAP_DISABLE: arguments are type-checked and never evaluated */\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		put_stubs(out, input, &provider->probes[i]);
	fprintf(out,
		"#define %s_GUARD(probe) vmtap_guard((enum vmtap_probe)0)\n"
		"#define %s_FIRE(probe) ((vmtap_fire_function)0)\n",
		input->macro, input->macro);
	fputs("\n#endif\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
}
