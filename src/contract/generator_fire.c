/*
 * generator_fire.c: generates the code with the USDT sites: the fire functions of the
 * contract's probes with their tables, and the functions of a compatible provider, which the
 * fire functions call if they are linked.
 */
#include "contract/generator.h"

#include <string.h>

/* Writes the calls of the compatible providers' functions, made only if those are linked. */
static void put_hook_calls(FILE *out, const struct generate_input *input, size_t event)
{
	const struct contract_probe *probe = &input->provider->probes[event];

	for (size_t i = 0; i < input->compat_count; i++) {
		const char *provider = input->compats[i].provider->name;
		if (!generate_serves(&input->compats[i], event))
			continue;
		fprintf(out, "\tif (vmtap_%s_hooks)\n\t\tvmtap_%s_hooks->on_%s(", provider,
			provider, generate_name(probe, false));
		generate_argument_names(out, probe);
		fputs(");\n", out);
	}
}

/* Declares the table of a compatible provider's functions, one for each event that it serves,
 * and the pointer to the table. */
static void put_hooks(
	FILE *out, const struct contract_provider *events, const struct generate_compat *compat)
{
	const char *name = compat->provider->name;

	fprintf(out, "struct vmtap_%s_hooks {\n", name);
	for (size_t i = 0; i < events->probe_count; i++) {
		if (!generate_serves(compat, i))
			continue;
		fprintf(out, "\tvoid (*on_%s)(", generate_name(&events->probes[i], false));
		generate_parameters(out, &events->probes[i]);
		fputs(");\n", out);
	}
	fprintf(out, "};\nVMTAP_HIDDEN extern const struct vmtap_%s_hooks *vmtap_%s_hooks;\n", name,
		name);
}

/*
 * Each member defines the pointers that it uses, as NULL: if one were left undefined, a linker
 * would look for it in the archive, and find the provider's member.
 */
static void put_no_hooks(FILE *out, const struct generate_input *input)
{
	for (size_t i = 0; i < input->compat_count; i++) {
		const char *name = input->compats[i].provider->name;
		put_hooks(out, input->provider, &input->compats[i]);
		fprintf(out,
			"FIRE_HOOKS __attribute__((weak)) const struct vmtap_%s_hooks "
			"*vmtap_%s_hooks = NULL;\n\n",
			name, name);
	}
}

/* Defines a function that says which of the providers are linked. */
static void put_providers(FILE *out, const struct generate_input *input)
{
	fprintf(out,
		"const char *const *vmtap_providers(void)\n{\n\tstatic const char *names[%zu];\n"
		"\tunsigned count = 0;\n\n",
		input->compat_count + 1);
	for (size_t i = 0; i < input->compat_count; i++)
		fprintf(out, "\tif (vmtap_%s_hooks)\n\t\tnames[count++] = \"%s\";\n",
			input->compats[i].provider->name, input->compats[i].provider->name);
	fputs("\tnames[count] = NULL;\n\treturn names;\n}\n\n", out);
}

static void put_site(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	if (!input->is_own)
		fprintf(out, "\t%s(", generate_site_macro(input->provider, probe));
	else if (probe->argument_count)
		fprintf(out, "\tSTAP_PROBE%u(%s, %s, ", probe->argument_count,
			input->provider->name, probe->identifier);
	else
		fprintf(out, "\tSTAP_PROBE(%s, %s", input->provider->name, probe->identifier);
	for (unsigned i = 0; i < probe->argument_count; i++)
		fprintf(out, "%s%s%s", i ? ", " : "", generate_argument(&probe->arguments[i]),
			generate_is_name(&probe->arguments[i]) ? "->text" : "");
	fputs(");\n", out);
}

/* Writes what puts the record into the thread's ring. */
static void put_record(FILE *out, const struct generate_input *input, size_t event)
{
	const struct contract_probe *probe = &input->provider->probes[event];
	struct generate_layout layout;

	generate_layout(probe, &layout);
	for (unsigned i = 0; i < probe->argument_count; i++)
		if (generate_is_name(&probe->arguments[i]))
			fprintf(out,
				"\t\tconst uint32_t vmtap_id_%u = vmtap_name_id(&%s_object, %s);\n",
				i, input->symbol, generate_argument(&probe->arguments[i]));
	fprintf(out,
		"\t\tstruct vmtap_record *vmtap_record = vmtap_record_begin(&%s_object, "
		"&%s_numbers[%zu], ",
		input->symbol, input->symbol, event);
	if (layout.text >= 0)
		fprintf(out, "vmtap_text_bytes(%u, vmtap_length_%d));\n",
			layout.offset[layout.text] + 4, layout.text);
	else
		fprintf(out, "%u);\n", layout.bytes);
	fputs("\n\t\tif (vmtap_record) {\n", out);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const char *name = generate_argument(argument);
		const char *cast = argument->kind == CONTRACT_POINTER ? "(uintptr_t)" : "";
		if (generate_is_text(argument))
			fprintf(out,
				"\t\t\tvmtap_put_text(vmtap_record, %u, %s, vmtap_length_%u);\n",
				layout.offset[i], name, i);
		else if (generate_is_name(argument))
			fprintf(out, "\t\t\tvmtap_put_u32(vmtap_record, %u, vmtap_id_%u);\n",
				layout.offset[i], i);
		else if (argument->size == 8)
			fprintf(out, "\t\t\tvmtap_put_u64(vmtap_record, %u, (uint64_t)%s%s);\n",
				layout.offset[i], cast, name);
		else
			fprintf(out, "\t\t\tvmtap_put_u32(vmtap_record, %u, (uint32_t)%s);\n",
				layout.offset[i], name);
	}
	fprintf(out,
		"\t\t\tvmtap_record_commit(vmtap_record);\n\t\t} else {\n"
		"\t\t\tVMTAP_KEEP_LISTED(vmtap_listed_%s);\n\t\t}\n",
		generate_name(probe, false));
}

/* Writes a probe's entry in the object's list. */
static void put_listed(FILE *out, const struct generate_input *input, size_t event)
{
	const struct contract_probe *probe = &input->provider->probes[event];
	const char *name = generate_name(probe, false);

	fprintf(out,
		"static const struct vmtap_site site_%s = {&definition_%s,\n"
		"\t(unsigned short *)(void *)&%s_%s_semaphore, (void (*)(void))%s_fire_%s, %zu};\n"
		"static const struct vmtap_site *vmtap_listed_%s VMTAP_LISTED(vmtap_%s_sites) = "
		"&site_%s;\n\n",
		name, name, input->provider->name, probe->identifier, input->symbol, name, event,
		name, input->provider->name, name);
}

static void put_fire_function(FILE *out, const struct generate_input *input, size_t event)
{
	const struct contract_probe *probe = &input->provider->probes[event];

	fprintf(out, "VMTAP_FIRE_FUNCTION void %s_fire_%s(", input->symbol,
		generate_name(probe, false));
	generate_parameters(out, probe);
	fputs(")\n{\n\tVMTAP_KEEP_BASE;\n", out);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const char *name = generate_argument(argument);
		if (generate_is_name(argument))
			fprintf(out, "\t%s = vmtap_touch_name(%s);\n", name, name);
		else if (generate_is_text(argument))
			fprintf(out, "\tconst uint32_t vmtap_length_%u = vmtap_touch_text(&%s);\n",
				i, name);
	}
	put_site(out, input, probe);
	put_hook_calls(out, input, event);
	fprintf(out, "\tif (vmtap_wants_stream(&%s_%s_semaphore)) {\n", input->provider->name,
		probe->identifier);
	put_record(out, input, event);
	fputs("\t}\n}\n\n", out);
}

/* Writes the words of a VM author's provider, which are 32 bits wide. */
static void put_words(FILE *out, const struct contract_provider *provider)
{
	fputs("VMTAP_WORDS_BEGIN;\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "VMTAP_WORD_DEFINED uint32_t %s_%s_semaphore = 0;\n", provider->name,
			provider->probes[i].identifier);
	fputc('\n', out);
}

/* Begins what is compiled into the whole, and alone into the archive's member of that name. */
static void begin_member(FILE *out, const char *name)
{
	fprintf(out, "#if !defined(VMTAP_MEMBER) || defined(%s)\n\n", name);
}

static void end_member(FILE *out)
{
	fputs("#endif\n\n", out);
}

/* The macro that asks for a probe's member. A probe's macros are in capitals, its member's not, so
 * it is none of theirs. */
static const char *member_of(const struct contract_probe *probe)
{
	static char name[160];

	snprintf(name, sizeof(name), "VMTAP_MEMBER_%s", generate_name(probe, false));
	return name;
}

static int put_probes(FILE *out, const struct generate_input *input)
{
	int result = 0;

	for (size_t i = 0; i < input->provider->probe_count && !result; i++) {
		begin_member(out, member_of(&input->provider->probes[i]));
		result = generate_definition(out, input, i);
		put_listed(out, input, i);
		put_fire_function(out, input, i);
		end_member(out);
	}
	return result;
}

/* Writes what the members of a VM author's provider share. */
static void put_own_object(FILE *out, const struct generate_input *input)
{
	const struct contract_provider *provider = input->provider;
	const char *symbol = input->symbol;

	begin_member(out, "VMTAP_COMMON_MEMBER");
	put_words(out, provider);
	if (input->library)
		generate_library_text(out, input);
	fprintf(out,
		"static const struct vmtap_definition *definitions[%zu];\n"
		"static unsigned short *words[%zu];\n"
		"uint16_t %s_numbers[%zu];\n\n"
		"struct vmtap_object %s_object = {sizeof(struct vmtap_object), "
		"VMTAP_OBJECT_VERSION,\n"
		"\t0, NULL, NULL, %s_numbers, NULL, NULL, NULL, sizeof(struct "
		"vmtap_definition)};\n\n",
		provider->probe_count, provider->probe_count, symbol, provider->probe_count, symbol,
		symbol);
	fprintf(out,
		"/* The list of what this object can fire. It has an entry of our own, so that it "
		"always exists. */\n"
		"VMTAP_HIDDEN extern const struct vmtap_site *__start_vmtap_%s_sites[];\n"
		"VMTAP_HIDDEN extern const struct vmtap_site *__stop_vmtap_%s_sites[];\n"
		"static const struct vmtap_site *listed VMTAP_LISTED(vmtap_%s_sites) = NULL;\n\n",
		provider->name, provider->name, provider->name);
	fprintf(out,
		"__attribute__((constructor)) static void %s_enter(void)\n{\n"
		"\tstatic struct vmtap_definition first;\n\n"
		"\tVMTAP_KEEP_LISTED(listed);\n"
		"\tvmtap_part_list(&%s_object, definitions, words, __start_vmtap_%s_sites,\n"
		"\t\t__stop_vmtap_%s_sites, &first, %s);\n"
		"\tvmtap_part_enter(&%s_object);\n}\n\n"
		"__attribute__((destructor)) static void %s_leave(void)\n{\n"
		"\tvmtap_part_leave(&%s_object);\n}\n\n",
		symbol, symbol, provider->name, provider->name, input->library ? "library" : "NULL",
		symbol, symbol, symbol);
	end_member(out);
}

int generate_source(FILE *out, const struct generate_input *input, const char *header)
{
	const struct contract_provider *provider = input->provider;
	int result;

	fprintf(out,
		"/*\n * The probes of provider %s: words, fire functions with their USDT sites, "
		"and what the event\n"
		" * stream is told of them. Generated by vmtap from the provider's definition; "
		"compile it into each\n"
		" * object that fires the probes, with -mno-red-zone on x86-64, and link "
		"libvmtap. Or let vmtap\n"
		" * generate --split make a file for each probe, and put them into an archive: "
		"what is linked\n"
		" * with it then has the sites of those probes alone that its code refers to.\n"
		" */\n"
		"#include \"%s\"\n\n"
		"#ifdef VMTAP_DISABLE\n"
		"typedef int %s_is_disabled; /* C wants a declaration */\n"
		"#else\n\n"
		"#include <vmtap_provider.h>\n\n"
		"#if defined(__clang__) /* about the macros of sys/sdt.h */\n"
		"#pragma clang diagnostic ignored \"-Wgnu-zero-variadic-macro-arguments\"\n"
		"#endif\n\n"
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
		"VMTAP_HIDDEN extern struct vmtap_object %s_object;\n"
		"VMTAP_HIDDEN extern uint16_t %s_numbers[%zu];\n\n",
		provider->name, header, input->symbol, input->symbol, input->symbol,
		provider->probe_count);
	put_own_object(out, input);
	result = put_probes(out, input);
	fputs("#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
	return result;
}

void generate_member(FILE *out, const struct generate_input *input,
	const struct contract_probe *probe, const char *source)
{
	fprintf(out, "/* %s%s of provider %s. Generated by vmtap. */\n",
		probe ? "Probe " : "What the probes", probe ? probe->name : " share",
		input->provider->name);
	fprintf(out, "#define VMTAP_MEMBER\n#define %s\n#include \"%s\"\n",
		probe ? member_of(probe) : "VMTAP_COMMON_MEMBER", source);
}

int generate_fire(FILE *out, const struct generate_input *input)
{
	const struct contract_provider *provider = input->provider;
	int result;

	fputs("/* The fire functions and the tables of the probe part. Generated from the "
	      "contract. */\n",
		out);
	fputs("#include \"shim/core/fire.h\"\n\n", out);
	put_no_hooks(out, input);
	begin_member(out, "VMTAP_COMMON_MEMBER");
	put_providers(out, input);
	fputs("unsigned short *const vmtap_words[VMTAP_PROBES] = {\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\t&%s_%s_semaphore,\n", provider->name,
			provider->probes[i].identifier);
	fputs("};\n\n", out);
	end_member(out);
	begin_member(out, "VMTAP_NAMES_MEMBER");
	fputs("const char *const vmtap_probe_names[VMTAP_PROBES] = {\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\t\"%s\",\n", provider->probes[i].name);
	fputs("};\n\n", out);
	end_member(out);
	begin_member(out, "VMTAP_FIRES_MEMBER");
	fputs("const vmtap_fire_function vmtap_fires[VMTAP_PROBES] = {\n", out);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "\t(vmtap_fire_function)vmtap_fire_%s,\n",
			generate_name(&provider->probes[i], false));
	fputs("};\n\n", out);
	end_member(out);
	result = put_probes(out, input);
	return result;
}

/* "haskell_event" of "probes/compat/haskell_event.d": the build uses it to name generated files. */
static const char *file_stem(const char *file)
{
	static char stem[128];
	const char *slash = strrchr(file, '/');

	snprintf(stem, sizeof(stem), "%s", slash ? slash + 1 : file);
	stem[strcspn(stem, ".")] = '\0';
	return stem;
}

/* Writes a compatible provider's object: its sites by event, and the symbol that links it. */
void generate_compat(FILE *out, const struct generate_input *input)
{
	const struct generate_compat *compat = &input->compats[0];
	const struct contract_provider *events = input->provider, *provider = compat->provider;

	fprintf(out,
		"/* The probes of provider %s, fired by events of provider %s. Generated from the "
		"contracts. */\n"
		"#include \"shim/core/fire.h\"\n\n"
		"/* A function takes all of its event's arguments, whatever its probes make of "
		"them. */\n"
		"#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n\n"
		"/* Each site names its event's word. */\n",
		provider->name, events->name);
	for (size_t i = 0; i < provider->probe_count; i++)
		fprintf(out, "#define %s_%s_semaphore %s_%s_semaphore\n", provider->name,
			provider->probes[i].identifier, events->name,
			events->probes[compat->mappings[i].event].identifier);
	fprintf(out, "#include \"vmtap_sites_%s.h\"\n\n", file_stem(compat->contract->file));
	fprintf(out,
		"VMTAP_HIDDEN extern const char vmtap_provider_%s;\nconst char vmtap_provider_%s = "
		"1;\n\n",
		provider->name, provider->name);
	for (size_t i = 0; i < events->probe_count; i++) {
		const struct contract_probe *event = &events->probes[i];
		if (!generate_serves(compat, i))
			continue;
		fprintf(out, "FIRE_HOOK void on_%s(", generate_name(event, false));
		generate_parameters(out, event);
		fputs(")\n{\n\tVMTAP_KEEP_BASE;\n", out);
		for (size_t j = 0; j < provider->probe_count; j++) {
			const struct contract_probe *probe = &provider->probes[j];
			const struct contract_mapping *mapping = &compat->mappings[j];
			if (mapping->event != i)
				continue;
			if (mapping->condition >= 0)
				fprintf(out, "\tif (%s%s)\n\t", probe->event.is_negated ? "!" : "",
					generate_argument(&event->arguments[mapping->condition]));
			fprintf(out, "\t%s(", generate_site_macro(provider, probe));
			for (unsigned k = 0; k < probe->argument_count; k++) {
				const struct contract_argument *given =
					&event->arguments[mapping->arguments[k]];
				fprintf(out, "%s%s%s", k ? ", " : "", generate_argument(given),
					generate_is_name(given) ? "->text" : "");
			}
			fputs(");\n", out);
		}
		fputs("}\n\n", out);
	}
	put_hooks(out, events, compat);
	fprintf(out,
		"FIRE_HOOKS const struct vmtap_%s_hooks *vmtap_%s_hooks = &(const struct "
		"vmtap_%s_hooks){\n",
		provider->name, provider->name, provider->name);
	for (size_t i = 0; i < events->probe_count; i++) {
		const char *name = generate_name(&events->probes[i], false);
		if (generate_serves(compat, i))
			fprintf(out, "\t.on_%s = on_%s,\n", name, name);
	}
	fputs("};\n", out);
}
