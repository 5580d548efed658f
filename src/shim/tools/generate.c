/*
 * generate.c: makes from the contract what the library and its users compile:
 *   generate CONTRACT.d --header FILE   vmtap_probes.h: the macros, for VM authors
 *   generate CONTRACT.d --fire FILE     the fire functions and their tables
 *   generate CONTRACT.d --events FILE   how the stream's server encodes each event
 *   generate ... --no-sites             for a system without sys/sdt.h: all compiled out
 *
 * Runs on the build machine, from the Makefile. It must not know any probe: names,
 * arguments and their order come from the contract alone. The layout of a record in a
 * ring (fire writes it, the server reads it) is decided here, by record_layout().
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "shim/wire.h"
#include "usdt/contract.h"

enum {
	RECORD_HEADER = 12, /* u64 time, u16 probe, u16 cpu: struct ring_record */
	RECORD_ALIGN = 8
};

struct layout {
	unsigned offset[CONTRACT_ARGUMENTS_MAX];
	unsigned bytes; /* of the record, an inline text not counted */
	int text;       /* index of the inline text, -1: none */
};

static bool is_cap(const struct contract_probe *probe, unsigned index)
{
	const struct contract_argument *argument = &probe->arguments[index];
	return index == 0 && argument->kind == CONTRACT_INTEGER && argument->size == 2 &&
		!argument->is_signed && strcmp(argument->name, "cap") == 0;
}

static bool is_name(const struct contract_argument *argument)
{
	return argument->string == CONTRACT_STRING_NAME;
}

static bool is_text(const struct contract_argument *argument)
{
	return argument->kind == CONTRACT_STRING && !is_name(argument);
}

/* Slots of 4 bytes: a name's id, an integer up to 4 bytes; 8 bytes take two. */
static void record_layout(const struct contract_probe *probe, struct layout *layout)
{
	unsigned at = RECORD_HEADER;

	layout->text = -1;
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		if (is_text(argument)) {
			layout->text = (int)i;
			continue;
		}
		layout->offset[i] = at;
		at += !is_name(argument) && argument->size == 8 ? 8 : 4;
	}
	if (layout->text >= 0) {
		layout->offset[layout->text] = at; /* u32 length, then the bytes */
		at += 4;
	}
	layout->bytes = (at + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1u);
}

/* A number that differs when probes or their arguments do: objects made from different
 * contracts must not share a runtime. FNV-1a. */
static uint32_t contract_digest(const struct contract_provider *provider)
{
	uint32_t digest = 2166136261u;

	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		for (unsigned j = 0; j <= probe->argument_count; j++) {
			const char *text = j == 0 ? probe->identifier : probe->arguments[j - 1].type;
			do
				digest = (digest ^ (unsigned char)*text) * 16777619u;
			while (*text++);
			if (j && is_name(&probe->arguments[j - 1]))
				digest = (digest ^ 1) * 16777619u;
		}
	}
	return digest;
}

/* "gc__start" as GC_START or gc_start: what C programmers write. */
static const char *c_name(const struct contract_probe *probe, bool upper)
{
	static char names[4][128];
	static unsigned next;
	char *name = names[next++ % 4], *to = name;

	for (const char *from = probe->identifier; *from && to < name + sizeof(names[0]) - 1; from++) {
		if (from[0] == '_' && from[1] == '_')
			from++;
		*to++ = upper ? (char)toupper((unsigned char)*from) : *from;
	}
	*to = '\0';
	return name;
}

/* The macro that `dtrace -h` makes for a probe: VM_GC_START. */
static const char *site_macro(
	const struct contract_provider *provider, const struct contract_probe *probe)
{
	static char name[256];
	char *to = name;

	for (const char *from = provider->name; *from && to < name + 100; from++)
		*to++ = (char)toupper((unsigned char)*from);
	snprintf(to, sizeof(name) - (size_t)(to - name), "_%s", c_name(probe, true));
	return name;
}

/* An argument's name where it is declared: C++ has keywords that D has not. */
static const char *c_argument(const struct contract_argument *argument)
{
	static const char *const reserved[] = {"class", "new", "delete", "this", "template", "private",
		"public", "protected", "namespace", "operator", "virtual", "try", "catch", "throw"};
	static char name[128];

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(argument->name, reserved[i]) == 0) {
			snprintf(name, sizeof(name), "%s_", reserved[i]);
			return name;
		}
	return argument->name;
}

/* The type a VM author passes. */
static const char *c_type(const struct contract_argument *argument)
{
	if (is_name(argument))
		return "struct vmtap_name *";
	return is_text(argument) ? "const char *" : argument->type;
}

static void put_parameters(FILE *out, const struct contract_probe *probe)
{
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const char *type = c_type(&probe->arguments[i]);
		fprintf(out, "%s%s%s%s", i ? ", " : "", type, type[strlen(type) - 1] == '*' ? "" : " ",
			c_argument(&probe->arguments[i]));
	}
	if (!probe->argument_count)
		fputs("void", out);
}

/* Text in a comment, folded at 96 columns behind a prefix. */
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

static void put_macro_names(FILE *out, const struct contract_probe *probe)
{
	for (unsigned i = 0; i < probe->argument_count; i++)
		fprintf(out, "%s%s", i ? ", " : "", c_argument(&probe->arguments[i]));
}

static void put_header(FILE *out, const struct contract *contract, bool sites)
{
	const struct contract_provider *provider = &contract->providers[0];

	fprintf(out,
		"/*\n * vmtap_probes.h: the probes of provider %s. Generated from the contract; include\n"
		" * <vmtap.h>, not this file.\n"
		" *\n"
		" * VMTAP_PROBE(arguments) fires if somebody listens, and evaluates its arguments only then.\n"
		" * VMTAP_PROBE_ENABLED() says whether somebody does, where preparing the arguments takes more.\n"
		" */\n#ifndef VMTAP_PROBES_H\n#define VMTAP_PROBES_H\n\n",
		provider->name);
	if (!sites)
		fputs("/* The library was built without sys/sdt.h: every probe is compiled out. */\n"
		      "#ifndef VMTAP_DISABLE\n#define VMTAP_DISABLE 1\n#endif\n\n",
			out);
	fputs("#if !defined(VMTAP_DISABLE) && !defined(__linux__)\n#define VMTAP_DISABLE 1\n#endif\n\n"
	      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nenum vmtap_probe {\n",
		out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\tVMTAP_PROBE_%s = %zu,\n", c_name(&provider->probes[i], true), i);
	fprintf(out, "\tVMTAP_PROBES = %zu\n};\n\n", provider->probe_count);

	fputs("#ifndef VMTAP_DISABLE\n\n"
	      "/* Implementation: one aligned 32-bit word per probe and object. Its low half is the kernel's\n"
	      " * counter of tracers (the USDT semaphore), its high half the stream's. It is tested by inline\n"
	      " * assembly because a plain load may be hoisted out of a loop by the compiler. */\n"
	      "#define VMTAP_WORD(word) extern unsigned short word __attribute__((section(\".probes\"))) VMTAP_HIDDEN\n"
	      "#if defined(__x86_64__)\n"
	      "#define VMTAP_ENABLED_(word) \\\n"
	      "\t__builtin_expect(__extension__({ \\\n"
	      "\t\tint vmtap_enabled_; \\\n"
	      "\t\t__asm__ volatile(\"cmpl $0, %1\" : \"=@ccne\"(vmtap_enabled_) : \"m\"(word)); \\\n"
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
		fprintf(out, "VMTAP_HIDDEN void vmtap_fire_%s(", c_name(&provider->probes[i], false));
		put_parameters(out, &provider->probes[i]);
		fputs(");\n", out);
	}
	fputs("\n/* ---- the probes ---- */\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		const char *upper = c_name(probe, true);
		put_documentation(out, probe);
		fprintf(out, "#define VMTAP_%s(", upper);
		put_macro_names(out, probe);
		fprintf(out,
			") \\\n\tdo { \\\n\t\tif (VMTAP_%s_ENABLED()) \\\n\t\t\tvmtap_fire_%s(",
			upper, c_name(probe, false));
		put_macro_names(out, probe);
		fprintf(out, "); \\\n\t} while (0)\n#define VMTAP_%s_ENABLED() VMTAP_ENABLED_(%s_%s_semaphore)\n\n",
			upper, provider->name, probe->identifier);
	}
	fputs("#else /* VMTAP_DISABLE: arguments are type-checked and never evaluated */\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		fprintf(out, "#define VMTAP_%s(", c_name(probe, true));
		put_macro_names(out, probe);
		fputs(") do { if (0) {", out);
		for (unsigned j = 0; j < probe->argument_count; j++)
			fprintf(out, " (void)(%s);", c_argument(&probe->arguments[j]));
		fprintf(out, " } } while (0)\n#define VMTAP_%s_ENABLED() 0\n", c_name(probe, true));
	}
	fputs("\n#endif\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
}

static void put_fire_function(
	FILE *out, const struct contract_provider *provider, const struct contract_probe *probe)
{
	struct layout layout;

	record_layout(probe, &layout);
	fprintf(out, "FIRE void vmtap_fire_%s(", c_name(probe, false));
	put_parameters(out, probe);
	fputs(")\n{\n\tFIRE_KEEP_BASE;\n", out);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const char *name = c_argument(argument);
		if (is_name(argument))
			fprintf(out, "\t%s = fire_touch_name(%s);\n", name, name);
		else if (is_text(argument))
			fprintf(out, "\tconst uint32_t %s_length = fire_touch_text(&%s);\n", argument->name,
				name);
	}
	fprintf(out, "\t%s(", site_macro(provider, probe));
	for (unsigned i = 0; i < probe->argument_count; i++)
		fprintf(out, "%s%s%s", i ? ", " : "", c_argument(&probe->arguments[i]),
			is_name(&probe->arguments[i]) ? "->text" : "");
	fprintf(out, ");\n\tif (fire_wants_stream(&%s_%s_semaphore)) {\n", provider->name,
		probe->identifier);
	for (unsigned i = 0; i < probe->argument_count; i++)
		if (is_name(&probe->arguments[i]))
			fprintf(out, "\t\tconst uint32_t %s_id = fire_name(%s);\n", probe->arguments[i].name,
				c_argument(&probe->arguments[i]));
	if (layout.text >= 0)
		fprintf(out,
			"\t\tstruct vmtap_record *record = fire_begin(VMTAP_PROBE_%s, fire_text_bytes(%u, %s_length));\n",
			c_name(probe, true), layout.offset[layout.text] + 4,
			probe->arguments[layout.text].name);
	else
		fprintf(out, "\t\tstruct vmtap_record *record = fire_begin(VMTAP_PROBE_%s, %u);\n",
			c_name(probe, true), layout.bytes);
	fputs("\n\t\tif (record) {\n", out);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const char *name = c_argument(argument);
		if (is_text(argument))
			fprintf(out, "\t\t\tfire_put_text(record, %u, %s, %s_length);\n", layout.offset[i], name,
				argument->name);
		else if (is_name(argument))
			fprintf(out, "\t\t\tfire_put_u32(record, %u, %s_id);\n", layout.offset[i],
				argument->name);
		else if (argument->size == 8)
			fprintf(out, "\t\t\tfire_put_u64(record, %u, (uint64_t)%s);\n", layout.offset[i], name);
		else
			fprintf(out, "\t\t\tfire_put_u32(record, %u, (uint32_t)%s);\n", layout.offset[i], name);
	}
	fputs("\t\t\tfire_commit(record);\n\t\t}\n\t}\n}\n\n", out);
}

static void put_fire(FILE *out, const struct contract *contract)
{
	const struct contract_provider *provider = &contract->providers[0];

	fputs("/* The fire functions and the tables of the probe part. Generated from the contract. */\n",
		out);
	fputs("#include \"shim/fire.h\"\n\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		put_fire_function(out, provider, &provider->probes[i]);
	fprintf(out, "const uint32_t vmtap_contract_digest = %uu;\n\n", contract_digest(provider));
	fputs("unsigned short *const vmtap_words[VMTAP_PROBES] = {\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\t&%s_%s_semaphore,\n", provider->name, provider->probes[i].identifier);
	fputs("};\n\nconst vmtap_fire_function vmtap_fires[VMTAP_PROBES] = {\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\t(vmtap_fire_function)vmtap_fire_%s,\n", c_name(&provider->probes[i], false));
	fputs("};\n", out);
}

/* The text that declares an event type, from which a reader knows the probe. */
static void put_description(
	FILE *out, const struct contract_provider *provider, const struct contract_probe *probe)
{
	fprintf(out, "\"%s:::%s(", provider->name, probe->name);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const char *type = is_text(argument) ? "char" : argument->type;
		fprintf(out, "%s%s%s%s%s", i ? ", " : "", type, type[strlen(type) - 1] == '*' ? "" : " ",
			argument->name, is_text(argument) ? "[]" : "");
	}
	fputs(")\"", out);
}

static void put_events(FILE *out, const struct contract *contract)
{
	const struct contract_provider *provider = &contract->providers[0];

	fputs("/* How each probe's record becomes an event. Generated from the contract. */\n"
	      "#include \"shim/encode.h\"\n\nconst struct event_type event_types[EVENT_TYPES] = {\n",
		out);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		bool ghc = probe->eventlog.present && probe->eventlog.complete;
		struct layout layout;
		unsigned payload = 0;

		record_layout(probe, &layout);
		for (unsigned j = 0; j < probe->argument_count; j++)
			if (!is_cap(probe, j) && !is_text(&probe->arguments[j]))
				payload += is_name(&probe->arguments[j]) ? 4 : probe->arguments[j].size;
		fprintf(out, "\t{.wire = %zu, .payload = %u, .record = %u, .has_cap = %d, .has_text = %d,\n",
			ghc ? (size_t)probe->eventlog.type : WIRE_PROBES + i, payload, layout.bytes,
			probe->argument_count && is_cap(probe, 0), layout.text >= 0);
		fputs("\t\t.description = ", out);
		put_description(out, provider, probe);
		unsigned fields = 0;
		fputs(",\n\t\t.fields = {", out);
		for (unsigned j = 0; j < probe->argument_count; j++) {
			const struct contract_argument *argument = &probe->arguments[j];
			if (is_cap(probe, j) || is_text(argument))
				continue;
			fprintf(out, "%s{%u, %u, %d}", fields++ ? ", " : "", layout.offset[j],
				is_name(argument) ? 4u : argument->size, is_name(argument));
		}
		if (!fields)
			fputs("{0, 0, 0}", out);
		fprintf(out, "}, .field_count = %u, .text = %u},\n", fields,
			layout.text >= 0 ? layout.offset[layout.text] : 0);
	}
	fprintf(out, "};\n\nconst uint32_t event_digest = %uu;\n", contract_digest(provider));
}

/* What this generator relies on beyond the contract's grammar. */
static int contract_suits(const struct contract *contract, struct error *error)
{
	const struct contract_provider *provider = &contract->providers[0];

	if (contract->provider_count != 1)
		return error_set(error, EINVAL, "%s: expected one provider, found %zu", contract->file,
			contract->provider_count);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		unsigned texts = 0;
		if (!*probe->text)
			return error_set(error, EINVAL, "%s: line %d: probe %s has no documentation",
				contract->file, probe->line, probe->name);
		for (unsigned j = 0; j < probe->argument_count; j++) {
			const struct contract_argument *argument = &probe->arguments[j];
			if (!*argument->name || !*argument->text)
				return error_set(error, EINVAL,
					"%s: line %d: probe %s: argument %u has no name or no documentation",
					contract->file, probe->line, probe->name, j);
			if (argument->kind == CONTRACT_STRING && argument->string == CONTRACT_STRING_NONE)
				return error_set(error, EINVAL,
					"%s: line %d: probe %s: say [name] or [text] for %s", contract->file,
					probe->line, probe->name, argument->name);
			texts += is_text(argument);
		}
		if (texts > 1)
			return error_set(error, EINVAL, "%s: line %d: probe %s has more than one [text]",
				contract->file, probe->line, probe->name);
		if (probe->eventlog.present && probe->eventlog.complete)
			for (unsigned j = 1; j < probe->eventlog.argument_count; j++)
				if (probe->eventlog.arguments[j] < probe->eventlog.arguments[j - 1])
					return error_set(error, EINVAL,
						"%s: line %d: probe %s: @eventlog arguments out of order",
						contract->file, probe->line, probe->name);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct contract *contract = NULL;
	struct error error;
	FILE *out = NULL;
	bool sites = !(argc == 5 && strcmp(argv[4], "--no-sites") == 0);
	int status = 1;

	if (argc < 4 || argc > 5 || (argc == 5 && sites)) {
		fprintf(stderr, "usage: generate CONTRACT.d --header|--fire|--events FILE [--no-sites]\n");
		return 2;
	}
	if (contract_read(argv[1], &contract, &error) || contract_suits(contract, &error)) {
		fprintf(stderr, "%s\n", error.text);
		goto out;
	}
	out = fopen(argv[3], "w");
	if (!out) {
		perror(argv[3]);
		goto out;
	}
	if (strcmp(argv[2], "--header") == 0)
		put_header(out, contract, sites);
	else if (strcmp(argv[2], "--fire") == 0)
		put_fire(out, contract);
	else
		put_events(out, contract);
	status = 0;
out:
	if (out && (ferror(out) | fclose(out))) {
		perror(argv[3]);
		status = 1;
	}
	contract_free(contract);
	return status;
}
