/*
 * check.c: `vmtap check`: does a binary have the probes that its contract promises, and can tracers
 * use them? Prints one line per finding, for a project's continuous integration. The checks
 * themselves are in usdt/contract_check.c; this file has the options and the output.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/probes.h"
#include "usdt/contract_check.h"

struct check {
	struct contract *contract;
	struct verify_allowed *allowed;
	size_t allowed_count;
	char **lists; /* copies of the values of --allow-missing; allowed points into them */
	size_t list_count;
	json_t *findings; /* NULL without --json */
	size_t finding_count;
};

static const char help[] =
	"Usage: vmtap check --contract FILE.d [OPTION]... FILE|PID...\n"
	"Compares the USDT probes of binaries with their contract, and with what tracers need.\n"
	"\n"
	"  -c, --contract FILE.d       the provider's definition, as for dtrace -h\n"
	"  -a, --allow-missing PROBE[,PROBE...]\n"
	"                              these may be missing, and then must be; repeatable\n"
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
	"\n"
	"Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3 something could not be read.\n";

/* Splits "a,vm:::b" and looks each name up; a name that is not in the contract is an error. */
static int add_allowed(struct check *check, const char *text, struct error *error)
{
	char *list = strdup(text);
	char **lists = realloc(check->lists, (check->list_count + 1) * sizeof(*lists));
	char *rest = NULL;

	if (lists)
		check->lists = lists;
	if (!list || !lists) {
		free(list);
		return error_set(error, ENOMEM, "out of memory");
	}
	lists[check->list_count++] = list;
	for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		struct verify_allowed *grown = realloc(
			check->allowed, (check->allowed_count + 1) * sizeof(*check->allowed));
		struct verify_allowed *allowed;
		char *separator;

		if (!grown)
			return error_set(error, ENOMEM, "out of memory");
		check->allowed = grown;
		allowed = &grown[check->allowed_count++];
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

/* A name in --allow-missing that is not in the contract; NULL if there is none. */
static const char *find_unknown(const struct check *check)
{
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

int command_check(int argc, char **argv)
{
	static const struct option options[] = {{"contract", required_argument, NULL, 'c'},
		{"allow-missing", required_argument, NULL, 'a'}, {"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	struct check check = {0};
	const char *file = NULL, *unknown;
	struct error error;
	int status = CLI_OK;
	int option;

	optind = 0;
	opterr = 0; /* we print the message */
	while ((option = getopt_long(argc, argv, ":c:a:h", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			file = optarg;
			break;
		case 'a':
			if (add_allowed(&check, optarg, &error) < 0) {
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
	if (!file || optind == argc) {
		status = cli_usage(
			"check", file ? "name a binary or a pid" : "--contract FILE.d is needed");
		goto out;
	}
	if (contract_read(file, &check.contract, &error) < 0) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
		goto out;
	}
	unknown = find_unknown(&check);
	if (unknown) {
		status = cli_usage("check", "--allow-missing: %s has no probe '%s'", file, unknown);
		goto out;
	}
	for (; optind < argc; optind++)
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
	free(check.allowed);
	contract_free(check.contract);
	return probes_finish(status);
}
