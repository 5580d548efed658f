/*
 * generate.c: `vmtap generate`: makes the C code of a VM author's own provider from its definition,
 * or its documentation. What is generated is in contract/generator_*.c, which also make provider
 * vm's code.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "contract/generator.h"
#include "d/compile.h"
#include "wire/wire.h"

enum { FILE_BYTES_MAX = 1 << 20, PATH_BYTES_MAX = 4096 };

struct generate {
	const char *directory;
	bool documents, checks, splits, lists;
	char *text; /* of the definition */
	size_t length;
	char *library;
	struct contract *contract;
	struct generate_input input;
};

static const char help[] =
	"Usage: vmtap generate [OPTION]... FILE.d\n"
	"Makes C code for the probes of a provider of your own: PROVIDER_probes.h with a macro "
	"for\n"
	"each probe, and PROVIDER_probes.c to compile into each object that fires them. FILE.d is "
	"a\n"
	"provider's definition in D with the comments of probes/vm.d.\n"
	"\n"
	"  -d, --directory DIR  write there, not into the working directory\n"
	"      --split          also write a C file for each probe, PROVIDER_probes_PROBE.c, and\n"
	"                       PROVIDER_probes-common.c. Put them into an archive: what is "
	"linked\n"
	"                       with it has the sites of those probes that its code refers to, "
	"and\n"
	"                       no others\n"
	"      --list           also print the names of the C files to compile, one on a line\n"
	"      --doc            write PROVIDER_probes.md and PROVIDER_probes.7 instead, a table "
	"and a\n"
	"                       manual page\n"
	"      --check          write nothing, only say what is wrong with FILE.d\n"
	"  -h, --help           this text\n"
	"\n"
	"Examples:\n"
	"  vmtap generate lua.d && cc -mno-red-zone -c lua_probes.c\n"
	"  vmtap generate --split lua.d && cc -mno-red-zone -c lua_probes[-_]*.c\n"
	"  vmtap generate --doc -d doc lua.d\n"
	"\n"
	"Exit status: 0 done, 1 the definition is wrong, 2 wrong usage, 3 something could not be "
	"read\n"
	"or written.\n";

static int read_text(struct generate *generate, const char *file)
{
	FILE *in = fopen(file, "re");
	int status = CLI_OK;

	if (!in) {
		cli_message("%s: %m", file);
		return CLI_CANNOT;
	}
	generate->text = malloc(FILE_BYTES_MAX + 1);
	errno = ENOMEM;
	if (generate->text)
		generate->length = fread(generate->text, 1, FILE_BYTES_MAX + 1, in);
	if (!generate->text || ferror(in)) {
		cli_message("%s: %m", file);
		status = CLI_CANNOT;
	}
	fclose(in);
	return status;
}

/* Lets the D compiler read the definition, as it will read what a stream carries. */
static int check_d(const struct generate *generate, const char *file)
{
	const struct d_compile_settings settings = {.name = "vmtap"};
	struct d_compiler *compiler;
	struct d_error error;
	int status = CLI_OK;

	if (d_compiler_new(&settings, &compiler)) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	if (d_parse_script(compiler, file, generate->text, generate->length, &error)) {
		cli_message("%s: %s", file, error.message.text);
		status = CLI_FOUND;
	}
	d_compiler_free(compiler);
	return status;
}

static int read_definition(struct generate *generate, const char *file)
{
	struct error error = {""};
	int status = read_text(generate, file);

	if (status)
		return status;
	if (contract_parse(file, generate->text, generate->length, &generate->contract, &error) ||
		generate_check_own(generate->contract, &error)) {
		cli_message("%s", error.text);
		return CLI_FOUND;
	}
	status = check_d(generate, file);
	if (status)
		return status;
	generate->library = generate_library(generate->text, generate->length);
	if (!generate->library) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	if (strlen(generate->library) > WIRE_LIBRARY_MAX) {
		cli_message("%s: without its comments the definition takes %zu bytes; a stream "
			    "carries at most %d",
			file, strlen(generate->library), WIRE_LIBRARY_MAX);
		return CLI_FOUND;
	}
	generate_take_own(&generate->input, generate->contract, generate->library);
	return CLI_OK;
}

static int put_header(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	(void)probe;
	generate_header(out, input, true);
	return 0;
}

static int put_source(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	char header[128];

	(void)probe;
	snprintf(header, sizeof(header), "%s_probes.h", input->provider->name);
	return generate_source(out, input, header);
}

static int put_markdown(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	(void)probe;
	generate_markdown(out, input);
	return 0;
}

static int put_manual(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	(void)probe;
	generate_manual(out, input);
	return 0;
}

static int put_member(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe)
{
	char source[128];

	snprintf(source, sizeof(source), "%s_probes.c", input->provider->name);
	generate_member(out, input, probe, source);
	return 0;
}

/* What to write for: a probe's own file, else NULL. */
typedef int put_function(
	FILE *out, const struct generate_input *input, const struct contract_probe *probe);

/* Writes one file: PROVIDER_probes and the ending. */
static int write_file(const struct generate *generate, const char *ending, put_function *put,
	const struct contract_probe *probe)
{
	char path[PATH_BYTES_MAX];
	FILE *out;
	int result;

	if (snprintf(path, sizeof(path), "%s%s%s_probes%s",
		    generate->directory ? generate->directory : "", generate->directory ? "/" : "",
		    generate->input.provider->name, ending) >= (int)sizeof(path)) {
		cli_message("%s: %s", generate->directory, strerror(ENAMETOOLONG));
		return CLI_CANNOT;
	}
	if (generate->lists && put != put_header && (put == put_member) == generate->splits)
		puts(path);
	errno = 0;
	out = fopen(path, "we");
	if (!out) {
		cli_message("%s: %m", path);
		return CLI_CANNOT;
	}
	result = put(out, &generate->input, probe);
	if (!result && (fflush(out) || ferror(out)))
		result = errno ? -errno : -EIO;
	if (fclose(out) && !result)
		result = -errno;
	if (!result)
		return CLI_OK;
	cli_message("%s: %s", path, strerror(-result));
	remove(path); /* half of a file would be newer than its definition */
	return CLI_CANNOT;
}

/* Writes the files of an archive's members. A probe's is named by its identifier, which has no '-'.
 */
static int write_members(const struct generate *generate)
{
	const struct contract_provider *provider = generate->input.provider;
	int status = write_file(generate, "-common.c", put_member, NULL);

	for (size_t i = 0; i < provider->probe_count && !status; i++) {
		char ending[160];

		snprintf(ending, sizeof(ending), "_%s.c", provider->probes[i].identifier);
		status = write_file(generate, ending, put_member, &provider->probes[i]);
	}
	return status;
}

static int run(struct generate *generate, const char *file)
{
	int status = read_definition(generate, file);

	if (status || generate->checks)
		return status;
	status = write_file(generate, generate->documents ? ".md" : ".h",
		generate->documents ? put_markdown : put_header, NULL);
	if (!status)
		status = write_file(generate, generate->documents ? ".7" : ".c",
			generate->documents ? put_manual : put_source, NULL);
	return status || !generate->splits ? status : write_members(generate);
}

int command_generate(int argc, char **argv)
{
	static const struct option options[] = {{"directory", required_argument, NULL, 'd'},
		{"doc", no_argument, NULL, 'D'}, {"check", no_argument, NULL, 'c'},
		{"split", no_argument, NULL, 's'}, {"list", no_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	struct generate generate = {0};
	int option, status;

	optind = 0;
	opterr = 0; /* we print the message */
	while ((option = getopt_long(argc, argv, ":d:h", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			generate.directory = optarg;
			break;
		case 'D':
			generate.documents = true;
			break;
		case 'c':
			generate.checks = true;
			break;
		case 's':
			generate.splits = true;
			break;
		case 'l':
			generate.lists = true;
			break;
		case 'h':
			fputs(help, stdout);
			return CLI_OK;
		default:
			return cli_option_refused("generate", option, argv, options);
		}
	}
	if (argc - optind != 1)
		return cli_usage("generate", "name one provider definition");
	if ((generate.splits || generate.lists) && (generate.documents || generate.checks))
		return cli_usage("generate", "--%s is about the code, which --%s does not write",
			generate.splits ? "split" : "list", generate.documents ? "doc" : "check");
	status = run(&generate, cli_input(argv[optind]));
	contract_free(generate.contract);
	free(generate.library);
	free(generate.text);
	return status;
}
