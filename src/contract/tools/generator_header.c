/*
 * generator_header.c: generates vmtap_probes.h, which VM authors use: the macros of the
 * contract's probes with their documentation, and how to opt in for the providers of other
 * runtimes.
 */
#include "contract/tools/generator.h"

#include <string.h>

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
		fprintf(out, " %.*s", (int)word, text);
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

void generate_header(FILE *out, const struct generate_input *input, bool sites)
{
	const struct contract_provider *provider = input->provider;

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

	fputs("#ifndef VMTAP_DISABLE\n\n"
	      "/* Implementation: one aligned 32-bit word per probe and object. Its low half is "
	      "the kernel's\n"
	      " * counter of tracers (the USDT semaphore), its high half the stream's. It is "
	      "tested by inline\n"
	      " * assembly because a plain load may be hoisted out of a loop by the compiler. */\n"
	      "#define VMTAP_WORD(word) extern unsigned short word "
	      "__attribute__((section(\".probes\"))) VMTAP_HIDDEN\n"
	      "#if defined(__x86_64__)\n"
	      "/* The second form of the instruction is for -masm=intel. */\n"
	      "#if defined(__clang__)\n"
	      "#define VMTAP_TEST_ \"{cmpl $0, %1|cmp dword ptr %1, 0}\"\n"
	      "#else\n"
	      "#define VMTAP_TEST_ \"{cmpl $0, %1|cmp %k1, 0}\"\n"
	      "#endif\n"
	      "#define VMTAP_ENABLED_(word) \\\n"
	      "\t__builtin_expect(__extension__({ \\\n"
	      "\t\tint vmtap_enabled_; \\\n"
	      "\t\t__asm__ volatile(VMTAP_TEST_ : \"=@ccne\"(vmtap_enabled_) : \"m\"(word)); "
	      "\\\n"
	      "\t\tvmtap_enabled_; \\\n"
	      "\t}), 0)\n"
	      "#else\n"
	      "static inline int vmtap_enabled_(const void *word)\n{\n"
	      "\tunsigned int both;\n"
	      "\t__asm__(\"\" : \"+r\"(word));\n"
	      "\tboth = __atomic_load_n((const unsigned int *)word, __ATOMIC_RELAXED);\n"
	      "\treturn __builtin_expect(both != 0, 0);\n}\n"
	      "#define VMTAP_ENABLED_(word) vmtap_enabled_(&(word))\n"
	      "#endif\n\n",
		out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		fprintf(out, "VMTAP_WORD(%s_%s_semaphore);\n", provider->name, probe->identifier);
	}
	fputc('\n', out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		fprintf(out, "VMTAP_HIDDEN void vmtap_fire_%s(",
			generate_name(&provider->probes[i], false));
		generate_parameters(out, &provider->probes[i]);
		fputs(");\n", out);
	}
	fputc('\n', out);
	put_opt_in(out, input);
	fputs("/* ---- the probes ---- */\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		const char *upper = generate_name(probe, true);
		put_documentation(out, probe);
		fprintf(out, "#define VMTAP_%s(", upper);
		generate_argument_names(out, probe);
		fprintf(out,
			") \\\n\tdo { \\\n\t\tif (VMTAP_%s_ENABLED()) \\\n\t\t\tvmtap_fire_%s(",
			upper, generate_name(probe, false));
		generate_argument_names(out, probe);
		fprintf(out,
			"); \\\n\t} while (0)\n#define VMTAP_%s_ENABLED() "
			"VMTAP_ENABLED_(%s_%s_semaphore)\n\n",
			upper, provider->name, probe->identifier);
	}
	fputs("#else /* VMTAP_DISABLE: arguments are type-checked and never evaluated */\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		fprintf(out, "#define VMTAP_%s(", generate_name(probe, true));
		generate_argument_names(out, probe);
		fputs(") do { if (0) {", out);
		for (unsigned j = 0; j < probe->argument_count; j++)
			fprintf(out, " (void)(%s);", generate_argument(&probe->arguments[j]));
		fprintf(out, " } } while (0)\n#define VMTAP_%s_ENABLED() 0\n",
			generate_name(probe, true));
	}
	fputs("\n#endif\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
}
