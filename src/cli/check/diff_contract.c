/*
 * diff_contract.c: `vmtap diff OLD.d NEW`: whether a provider still keeps the promises of its last
 * definition: in the next one, or in a binary. What is added breaks nobody. What is removed,
 * renamed or changed does: scripts that name the probe, and, if its arguments differ, also objects
 * that were made from the old definition and meet new ones in one process.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/check/diff_report.h"
#include "cli/cli.h"
#include "cli/probes.h"
#include "contract/generator.h"

int diff_is_contract(const char *argument)
{
	size_t length = strlen(argument);

	return length > 2 && !strcmp(argument + length - 2, ".d");
}

/* "(uint16_t cap, char *name)"; at most size bytes with the NUL. */
static const char *signature(const struct contract_probe *probe, char *text, size_t size)
{
	size_t length = (size_t)snprintf(text, size, "(");

	for (unsigned i = 0; i < probe->argument_count && length < size; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		bool is_pointer = argument->type[strlen(argument->type) - 1] == '*';
		length += (size_t)snprintf(text + length, size - length, "%s%s%s%s", i ? ", " : "",
			argument->type, is_pointer || !*argument->name ? "" : " ", argument->name);
	}
	if (length < size)
		snprintf(text + length, size - length, ")");
	return text;
}

/* How a string or number is carried: part of what objects of both versions must agree on. */
static const char *carried(const struct contract_argument *argument)
{
	return argument->string == CONTRACT_STRING_NAME    ? " [name]"
		: argument->string == CONTRACT_STRING_TEXT ? " [text]"
							   : "";
}

static bool same_argument(const struct contract_argument *a, const struct contract_argument *b)
{
	return a->kind == b->kind && a->string == b->string &&
		!strcmp(generate_type(a), generate_type(b));
}

static bool same_arguments(const struct contract_probe *a, const struct contract_probe *b)
{
	bool same = a->argument_count == b->argument_count;

	for (unsigned i = 0; same && i < a->argument_count; i++)
		same = same_argument(&a->arguments[i], &b->arguments[i]) &&
			!strcmp(a->arguments[i].name, b->arguments[i].name);
	return same;
}

/* The only added probe with the arguments of a removed one, which are some; NULL: none, or several.
 */
static const struct contract_probe *find_renamed(const struct contract_provider *old,
	const struct contract_provider *new, const struct contract_probe *probe)
{
	const struct contract_probe *found = NULL;

	for (size_t i = 0; i < new->probe_count && probe->argument_count; i++) {
		if (contract_find_probe(old, new->probes[i].name) ||
			!same_arguments(probe, &new->probes[i]))
			continue;
		if (found)
			return NULL;
		found = &new->probes[i];
	}
	return found;
}

static void compare_probes(struct diff_report *report, const struct contract_provider *provider,
	const struct contract_probe *old, const struct contract_probe *new)
{
	char before[512], after[512];

	if (new->argument_count < old->argument_count)
		diff_report(report, "changed", provider->name, old->name, "arguments",
			"arguments: were %s, are %s", signature(old, before, sizeof(before)),
			signature(new, after, sizeof(after)));
	for (unsigned i = 0; i < old->argument_count && i < new->argument_count; i++) {
		const struct contract_argument *a = &old->arguments[i], *b = &new->arguments[i];
		if (!same_argument(a, b))
			diff_report(report, "changed", provider->name, old->name, "arguments",
				"argument %u: was %s%s, is %s%s", i + 1, a->type, carried(a),
				b->type, carried(b));
		else if (*a->name && strcmp(a->name, b->name) != 0)
			diff_report(report, "changed", provider->name, old->name, "arguments",
				"argument %u: was named %s, is named %s", i + 1, a->name, b->name);
	}
	for (unsigned i = old->argument_count; i < new->argument_count; i++)
		diff_report(report, "added", provider->name, old->name, "arguments",
			"argument %u: %s %s is new", i + 1, new->arguments[i].type,
			new->arguments[i].name);
}

/* The type that an argument has in scripts; NULL: there is none with this number. */
static const char *type_in_scripts(const struct contract_probe *probe, unsigned number)
{
	if (probe->translated_count)
		return number < probe->translated_count ? probe->translated[number].type : NULL;
	return number < probe->argument_count ? probe->arguments[number].type : NULL;
}

/* What translators make of the arguments. */
static void compare_translated(struct diff_report *report, const struct contract_provider *provider,
	const struct contract_probe *old, const struct contract_probe *new)
{
	for (unsigned i = 0; old->translated_count || new->translated_count; i++) {
		const char *before = type_in_scripts(old, i), *after = type_in_scripts(new, i);

		if (!before)
			return;
		if (!after || strcmp(before, after) != 0)
			diff_report(report, "changed", provider->name, old->name, "arguments",
				"args[%u]: was %s, is %s", i, before, after ? after : "missing");
	}
}

static const struct contract_constant *find_constant(
	const struct contract *contract, const char *name)
{
	for (size_t i = 0; i < contract->constant_count; i++)
		if (!strcmp(contract->constants[i].name, name))
			return &contract->constants[i];
	return NULL;
}

static void compare_constants(
	struct diff_report *report, const struct contract *old, const struct contract *new)
{
	const char *provider = old->provider_count ? old->providers[0].name : "";

	for (size_t i = 0; i < old->constant_count; i++) {
		const struct contract_constant *before = &old->constants[i];
		const struct contract_constant *after = find_constant(new, before->name);

		if (!after)
			diff_report(report, "removed", provider, "", "constant", "constant %s (%s)",
				before->name, before->value);
		else if (strcmp(before->value, after->value) != 0)
			diff_report(report, "changed", provider, "", "constant",
				"constant %s: was %s, is %s", before->name, before->value,
				after->value);
	}
}

static bool is_lower(struct stability a, struct stability b)
{
	return a.name < b.name || a.data < b.data || a.class < b.class;
}

static void compare_stability(struct diff_report *report, const struct contract_provider *old,
	const struct contract_provider *new)
{
	static const char *const parts[STABILITY_PARTS] = {
		"provider", "module", "function", "name", "args"};

	for (unsigned i = 0; i < STABILITY_PARTS; i++)
		if (old->stability[i].given &&
			is_lower(new->stability[i].value, old->stability[i].value))
			diff_report(report, "changed", old->name, "", "stability",
				"stability of %s: is less than it was", parts[i]);
}

static void compare_providers(struct diff_report *report, const struct contract_provider *old,
	const struct contract_provider *new)
{
	char text[512];

	for (size_t i = 0; i < old->probe_count; i++) {
		const struct contract_probe *probe = &old->probes[i], *renamed;
		const struct contract_probe *now = contract_find_probe(new, probe->name);

		if (now) {
			compare_probes(report, old, probe, now);
			compare_translated(report, old, probe, now);
			continue;
		}
		renamed = find_renamed(old, new, probe);
		diff_report(report, "removed", old->name, probe->name, NULL, "%s%s%s",
			signature(probe, text, sizeof(text)), renamed ? ", now named " : "",
			renamed ? renamed->name : "");
	}
	for (size_t i = 0; i < new->probe_count; i++)
		if (!contract_find_probe(old, new->probes[i].name))
			diff_report(report, "added", new->name, new->probes[i].name, NULL, "%s",
				signature(&new->probes[i], text, sizeof(text)));
	compare_stability(report, old, new);
}

static void compare_contracts(
	struct diff_report *report, const struct contract *old, const struct contract *new)
{
	for (size_t i = 0; i < old->provider_count; i++) {
		const struct contract_provider *provider = &old->providers[i];
		const struct contract_provider *now = contract_find_provider(new, provider->name);

		if (now)
			compare_providers(report, provider, now);
		else
			diff_report(report, "removed", provider->name, "", NULL,
				"the provider with its %zu probes", provider->probe_count);
	}
	compare_constants(report, old, new);
	for (size_t i = 0; i < new->provider_count; i++)
		if (!contract_find_provider(old, new->providers[i].name))
			diff_report(report, "added", new->providers[i].name, "", NULL,
				"the provider with its %zu probes", new->providers[i].probe_count);
}

/* ---- a binary ---- */

/* The first site of a probe; NULL: the binary has none. */
static const struct usdt_site *find_site(const struct probes_target *target, const char *provider,
	const char *probe, const struct usdt_image **image)
{
	for (size_t i = 0; i < probes_count(target); i++) {
		const struct usdt_object *object;

		*image = probes_image(target, i, &object);
		for (size_t j = 0; *image && j < (*image)->site_count; j++)
			if (!strcmp((*image)->sites[j].provider, provider) &&
				!strcmp((*image)->sites[j].name, probe))
				return &(*image)->sites[j];
	}
	return NULL;
}

static void compare_site(struct diff_report *report, const struct contract_provider *provider,
	const struct contract_probe *probe, const struct usdt_site *site, bool is_64)
{
	char type[32];

	if (site->argument_count < probe->argument_count)
		diff_report(report, "changed", provider->name, probe->name, "arguments",
			"arguments: were %u, are %u", probe->argument_count, site->argument_count);
	for (unsigned i = 0; i < probe->argument_count && i < site->argument_count; i++) {
		const struct contract_argument *declared = &probe->arguments[i];
		const struct operand_argument *found = &site->arguments[i];
		uint8_t size = is_64 ? declared->size : declared->size_ilp32;

		if (found->size != size || found->is_float ||
			(declared->kind == CONTRACT_INTEGER &&
				found->is_signed != declared->is_signed))
			diff_report(report, "changed", provider->name, probe->name, "arguments",
				"argument %u: was %s, is %s", i + 1, declared->type,
				probes_argument_type(found, type, sizeof(type)));
	}
}

/* What the binary has beyond the definition. */
static void report_added(struct diff_report *report, const struct contract_provider *provider,
	const struct probes_target *target)
{
	const struct usdt_image *image, *first_image;

	for (size_t i = 0; i < probes_count(target); i++) {
		const struct usdt_object *object;

		image = probes_image(target, i, &object);
		for (size_t j = 0; image && j < image->site_count; j++) {
			const struct usdt_site *site = &image->sites[j];
			if (!strcmp(site->provider, provider->name) &&
				!contract_find_probe(provider, site->name) &&
				find_site(target, site->provider, site->name, &first_image) == site)
				diff_report(report, "added", provider->name, site->name, NULL,
					": not in the definition");
		}
	}
}

static int compare_binary(
	struct diff_report *report, const struct contract *old, const char *argument)
{
	struct probes_target target = {0};
	struct error error;
	int status = CLI_OK;

	if (probes_open(argument, &target, &error) < 0) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	if (probes_report_problems(&target) > 0)
		status = CLI_CANNOT;
	for (size_t i = 0; i < old->provider_count && !status; i++) {
		const struct contract_provider *provider = &old->providers[i];
		char text[512];

		for (size_t j = 0; j < provider->probe_count; j++) {
			const struct contract_probe *probe = &provider->probes[j];
			const struct usdt_image *image;
			const struct usdt_site *site =
				find_site(&target, provider->name, probe->name, &image);

			if (site)
				compare_site(report, provider, probe, site, image->is_64);
			else
				diff_report(report, "removed", provider->name, probe->name, NULL,
					"%s", signature(probe, text, sizeof(text)));
		}
		report_added(report, provider, &target);
	}
	probes_close(&target);
	return status;
}

static int read_contract(const char *file, struct contract **contract)
{
	struct error error;

	if (!contract_read(cli_input(file), contract, &error))
		return CLI_OK;
	cli_message("%s", error.text);
	return CLI_CANNOT;
}

int diff_contract(struct diff_report *report, const char *old, const char *new)
{
	struct contract *before = NULL, *after = NULL;
	int status = read_contract(old, &before);

	if (!status && !diff_is_contract(new)) {
		status = compare_binary(report, before, new);
	} else if (!status) {
		status = read_contract(new, &after);
		if (!status)
			compare_contracts(report, before, after);
	}
	contract_free(before);
	contract_free(after);
	return status;
}
