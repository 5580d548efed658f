/*
 * check.c: `vmtap check`: does a binary have the probes that its contract promises, and can tracers
 * use them? With --live: does a VM fire them, and rightly? Prints one line per finding, for a
 * project's continuous integration. The checks themselves are in usdt/elf/contract_check.c and in
 * check_live.c; this file has the options and the output.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "cli/check/check_live.h"
#include "cli/cli.h"
#include "cli/probes.h"
#include "targets/command_words.h"
#include "usdt/elf/contract_check.h"

enum { OPTION_CONTRACT = 256 };

struct check {
	struct contract *contract;
	struct verify_allowed *allowed;
	size_t allowed_count, allowed_room;
	char **lists; /* copies of the values of --allow-missing; allowed points into them */
	size_t list_count, list_room;
	json_t *findings; /* NULL without --json */
	size_t finding_count;
};

static const char help[] =
	"Usage: vmtap check --contract FILE.d [OPTION]... FILE|PID...\n"
	"       vmtap check --live [--contract FILE.d] [OPTION]... -c COMMAND\n"
	"       vmtap check --live [--contract FILE.d] [OPTION]... -- COMMAND [ARGUMENT]...\n"
	"Compares the USDT probes of binaries with their contract, and with what tracers need.\n"
	"With --live, runs a command with all probes on, and reports probes that never fired,\n"
	"entries without return, pauses and phases that do not nest, empty names and lines 0.\n"
	"\n"
	"  -c, --contract FILE.d       the provider's definition, as for dtrace -h\n"
	"      --live                  run a command; -c is the command then\n"
	"  -c COMMAND                  with --live: the command. Quotes and backslashes work as\n"
	"                              in a shell\n"
	"  -a, --allow-missing PROBE[,PROBE...]\n"
	"                              these may be missing, and then must be; repeatable\n"
	"  -a, --allow-missing FILE    the same from a file: its name has a '.' or a '/'\n"
	"      --json                  one JSON document\n"
	"  -h, --help                  this text\n"
	"\n"
	"One line per finding:\n"
	"  BINARY: vm:::gc-start: argument 2: contract says uint32_t, site 0x4f10 has -8@%rdx\n"
	"Argument 1 is D's arg0. Of a process, every object with probes of\n"
	"the contract's providers is looked at.\n"
	"\n"
	"Examples:\n"
	"  vmtap check --contract probes/vm.d build/myvm\n"
	"  vmtap check -c probes/vm.d --allow-missing=gc-idle,spark-run build/myvm\n"
	"  vmtap check -c probes/vm.d --json build/libvm.so | jq '.findings[].text'\n"
	"  vmtap check --live --allow-missing probes.absent -c './myvm tests/all.my'\n"
	"\n"
	"Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3 something could not be read.\n";

/* Splits "a,vm:::b" and looks each name up; a name that is not in the contract is an error. */
static int add_allowed(struct check *check, const char *text, struct error *error)
{
	char *list = strdup(text);
	char *rest = NULL;

	if (!list ||
		array_room(&check->lists, &check->list_room, check->list_count,
			sizeof(*check->lists))) {
		free(list);
		return error_set(error, ENOMEM, "out of memory");
	}
	check->lists[check->list_count++] = list;
	for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		struct verify_allowed *allowed;
		char *separator;

		if (array_room(&check->allowed, &check->allowed_room, check->allowed_count,
			    sizeof(*allowed)))
			return error_set(error, ENOMEM, "out of memory");
		allowed = &check->allowed[check->allowed_count++];
		*allowed = (struct verify_allowed){NULL, word};
		separator = strstr(word, ":::");
		if (separator) {
			*separator = 0;
			allowed->provider = word;
			allowed->probe = separator + 3;
		}
	}
	return 0;
}

/* The same from a file: names separated by blanks, commas or lines; # begins a comment. */
static int add_allowed_file(struct check *check, const char *name, struct error *error)
{
	FILE *file = fopen(name, "r");
	char *line = NULL;
	size_t size = 0;
	int result = 0;

	if (!file)
		return error_set(error, errno, "%s: %s", name, strerror(errno));
	while (!result && getline(&line, &size, file) >= 0) {
		line[strcspn(line, "#\n")] = 0;
		for (char *at = line; (at = strpbrk(at, "\t\r"));)
			*at = ' ';
		result = add_allowed(check, line, error);
	}
	if (!result && ferror(file))
		result = error_set(error, errno, "%s: %s", name, strerror(errno));
	free(line);
	fclose(file);
	return result;
}

/* A name in --allow-missing that is not in the contract; NULL if there is none. */
static const char *find_unknown(const struct check *check)
{
	if (!check->contract)
		return NULL;
	for (size_t i = 0; i < check->allowed_count; i++) {
		const struct verify_allowed *allowed = &check->allowed[i];
		bool known = false;

		for (size_t j = 0; j < check->contract->provider_count; j++) {
			const struct contract_provider *provider = &check->contract->providers[j];

			if ((!allowed->provider ||
				    strcmp(allowed->provider, provider->name) == 0) &&
				contract_find_probe(provider, allowed->probe))
				known = true;
		}
		if (!known)
			return allowed->probe;
	}
	return NULL;
}

static void print_finding(const char *binary, const struct verify_finding *finding)
{
	probes_print(binary);
	if (finding->provider && finding->probe) {
		printf(": ");
		probes_print(finding->provider);
		printf(":::");
		probes_print(finding->probe);
	} else if (finding->provider) {
		printf(": ");
		probes_print(finding->provider);
	}
	if (finding->argument >= 0)
		printf(": argument %d", finding->argument + 1);
	printf(": %s\n", finding->text);
}

static json_t *json_finding(const char *binary, const struct verify_finding *finding)
{
	json_t *json = json_object();

	json_object_set_new(json, "binary", probes_json_text(binary));
	json_object_set_new(json, "kind", json_string(verify_kind_text(finding->kind)));
	json_object_set_new(json, "provider", probes_json_text(finding->provider));
	json_object_set_new(json, "probe", probes_json_text(finding->probe));
	if (finding->argument >= 0)
		json_object_set_new(json, "argument", json_integer(finding->argument + 1));
	if (finding->has_address)
		json_object_set_new(json, "site", probes_json_address(finding->address));
	json_object_set_new(json, "text", probes_json_text(finding->text));
	return json;
}

static int check_one(struct check *check, const char *name, const struct usdt_image *image)
{
	struct verify_report report = {0};
	int result =
		verify_image(check->contract, check->allowed, check->allowed_count, image, &report);

	for (size_t i = 0; i < report.count; i++) {
		if (check->findings)
			json_array_append_new(
				check->findings, json_finding(name, &report.findings[i]));
		else
			print_finding(name, &report.findings[i]);
	}
	check->finding_count += report.count;
	verify_free(&report);
	if (result < 0) {
		cli_message("%s: out of memory", name);
		return CLI_CANNOT;
	}
	return CLI_OK;
}

/* Checks a process: each object that fires probes of the contract. */
static int check_process(struct check *check, const struct probes_target *target)
{
	int status = probes_report_problems(target) > 0 ? CLI_CANNOT : CLI_OK;
	bool any = false;

	for (size_t i = 0; i < probes_count(target); i++) {
		const struct usdt_object *object;
		const struct usdt_image *image = probes_image(target, i, &object);

		if (!image || !verify_concerns(check->contract, image))
			continue;
		any = true;
		if (check_one(check, image->name, image) != CLI_OK)
			status = CLI_CANNOT;
	}
	for (size_t i = 0; !any && i < probes_count(target); i++) {
		const struct usdt_object *object;
		const struct usdt_image *image = probes_image(target, i, &object);

		/* the program itself: the first object */
		if (image)
			return check_one(check, image->name, image) != CLI_OK ? CLI_CANNOT : status;
	}
	return status;
}

static int check_target(struct check *check, const char *argument)
{
	struct probes_target target;
	struct error error;
	int status;

	if (probes_open(argument, &target, &error) < 0) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	status = target.process ? check_process(check, &target)
				: check_one(check, argument, target.file);
	probes_close(&target);
	return status;
}

static void take_live_finding(void *context, const struct live_finding *finding)
{
	struct check *check = context;
	json_t *json;

	check->finding_count++;
	if (!check->findings) {
		probes_print(finding->program);
		printf(": ");
		if (finding->probe) {
			probes_print(finding->provider);
			printf(":::");
			probes_print(finding->probe);
			printf(": ");
		}
		probes_print(finding->text);
		putchar('\n');
		return;
	}
	json = json_object();
	json_object_set_new(json, "binary", probes_json_text(finding->program));
	json_object_set_new(json, "kind", json_string(finding->kind));
	json_object_set_new(json, "provider", probes_json_text(finding->provider));
	json_object_set_new(json, "probe", probes_json_text(finding->probe));
	json_object_set_new(json, "text", probes_json_text(finding->text));
	json_array_append_new(check->findings, json);
}

static int check_command(struct check *check, char *const *words)
{
	const struct live_check live = {.contract = check->contract,
		.allowed = check->allowed,
		.allowed_count = check->allowed_count,
		.find = take_live_finding,
		.context = check};

	return check_live(&live, words);
}

/* The command that -c, or what follows --, names. */
static int take_command(struct command_words *command, const char *text, int argc, char **argv)
{
	struct error error;
	int result;

	if (!text == (optind == argc))
		return cli_usage("check",
			text ? "'%s' is one operand too many"
			     : "--live needs a command: -c COMMAND or -- COMMAND",
			text ? argv[optind] : "");
	if (!text) {
		*command = command_words_of(argv + optind);
		return CLI_OK;
	}
	result = command_words_split(command, text, &error);
	if (result == -ENOMEM) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	return result ? cli_usage("check", "-c: %s", error.text) : CLI_OK;
}

int command_check(int argc, char **argv)
{
	static const struct option options[] = {
		{"contract", required_argument, NULL, OPTION_CONTRACT},
		{"allow-missing", required_argument, NULL, 'a'}, {"json", no_argument, NULL, 'j'},
		{"live", no_argument, NULL, 'l'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	struct check check = {0};
	struct command_words command = {NULL, NULL};
	const char *file = NULL, *short_c = NULL, *unknown;
	bool live = false;
	struct error error;
	int status = CLI_OK;
	int option;

	optind = 0;
	opterr = 0; /* we print the message */
	while ((option = getopt_long(argc, argv, ":c:a:h", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			short_c = optarg;
			break;
		case OPTION_CONTRACT:
			file = optarg;
			break;
		case 'l':
			live = true;
			break;
		case 'a':
			if ((strpbrk(optarg, "./") ? add_allowed_file : add_allowed)(
				    &check, optarg, &error) < 0) {
				cli_message("%s", error.text);
				status = CLI_CANNOT;
				goto out;
			}
			break;
		case 'j':
			if (!check.findings)
				check.findings = json_array();
			break;
		case 'h':
			fputs(help, stdout);
			goto out;
		default:
			status = cli_option_refused("check", option, argv, options);
			goto out;
		}
	}
	if (!live && short_c)
		file = short_c; /* --live has the command there */
	if (live) {
		status = take_command(&command, short_c, argc, argv);
		if (status != CLI_OK)
			goto out;
	} else if (!file || optind == argc) {
		status = cli_usage(
			"check", file ? "name a binary or a pid" : "--contract FILE.d is needed");
		goto out;
	}
	if (file && contract_read(file, &check.contract, &error) < 0) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
		goto out;
	}
	unknown = find_unknown(&check);
	if (unknown) {
		status = cli_usage("check", "--allow-missing: %s has no probe '%s'", file, unknown);
		goto out;
	}
	if (live)
		status = check_command(&check, command.words);
	for (; !live && optind < argc; optind++)
		if (check_target(&check, argv[optind]) != CLI_OK)
			status = CLI_CANNOT;
	if (check.findings) {
		json_t *document = json_object();

		json_object_set(document, "findings", check.findings);
		probes_json_print(document);
	}
	if (status == CLI_OK && check.finding_count > 0)
		status = CLI_FOUND;
out:
	json_decref(check.findings);
	for (size_t i = 0; i < check.list_count; i++)
		free(check.lists[i]);
	free(check.lists);
	command_words_free(&command);
	free(check.allowed);
	contract_free(check.contract);
	return probes_finish(status);
}
