/*
 * diff.c: `vmtap diff`: how the probes of two builds of a program differ, for somebody who reviews
 * a release: probes that were added or removed, and, for probes in both, changes of what their
 * users rely on: the number, sizes and signs of the arguments, the number of sites, whether there
 * is a semaphore, and the form of the site's instruction. Addresses, registers and functions change
 * with every compiler, so they count only with -v.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/diff_report.h"
#include "cli/cli.h"
#include "cli/probes.h"

/* A probe on one side. Its sites are adjacent in the sorted sites. */
struct probe {
	const struct usdt_site *const *sites;
	size_t count;
};

struct side {
	struct probes_target target;
	const struct usdt_site **sites; /* of all images, sorted by provider and name */
	size_t site_count;
};

struct diff {
	struct side old, new;
	bool verbose;
	struct diff_report report;
};

static const char help[] =
	"Usage: vmtap diff [OPTION]... OLD NEW\n"
	"       vmtap diff [--json] OLD.d NEW.d|BINARY|PID\n"
	"Shows how the USDT probes of two binaries (or pids) differ, or whether a\n"
	"provider's promises in OLD.d are kept: what is added breaks nobody.\n"
	"\n"
	"  -v, --verbose  operands and functions count as changes, too\n"
	"      --json     one JSON document\n"
	"  -h, --help     this text\n"
	"\n"
	"  + vm:::heap(uint16_t, uint64_t)    is new\n"
	"  - vm:::raise(uint64_t)             is gone\n"
	"  ! vm:::gc-start: argument 2: was uint32_t, is uint64_t\n"
	"\n"
	"Examples:\n"
	"  vmtap diff /usr/bin/php build/php     what a new build changes\n"
	"  vmtap diff --json old/libvm.so new/libvm.so | jq .changes\n"
	"  vmtap diff v1/lua.d lua.d             for a VM's own tests\n"
	"\n"
	"Exit status: 0 no difference, or none that breaks a definition's\n"
	"promises, 1 differences, 2 wrong usage, 3 something could not be read.\n";

static int compare_sites(const void *a, const void *b)
{
	const struct usdt_site *x = *(const struct usdt_site *const *)a;
	const struct usdt_site *y = *(const struct usdt_site *const *)b;
	int order = usdt_site_compare(x, y);

	/* the order of sites does not matter: sort by what is compared */
	if (order == 0)
		order = strcmp(x->arguments_text, y->arguments_text);
	return order;
}

static int compare_probes(const struct usdt_site *a, const struct usdt_site *b)
{
	int order = strcmp(a->provider, b->provider);

	return order ? order : strcmp(a->name, b->name);
}

static int open_side(struct side *side, const char *argument)
{
	struct error error;
	size_t total = 0;

	if (probes_open(argument, &side->target, &error) < 0) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	if (probes_report_problems(&side->target) > 0)
		return CLI_CANNOT;
	for (size_t i = 0; i < probes_count(&side->target); i++) {
		const struct usdt_object *object;
		const struct usdt_image *image = probes_image(&side->target, i, &object);

		if (image)
			total += image->site_count;
	}
	side->sites = calloc(total + 1, sizeof(*side->sites));
	if (!side->sites) {
		cli_message("%s: out of memory", argument);
		return CLI_CANNOT;
	}
	for (size_t i = 0; i < probes_count(&side->target); i++) {
		const struct usdt_object *object;
		const struct usdt_image *image = probes_image(&side->target, i, &object);

		for (size_t j = 0; image && j < image->site_count; j++)
			side->sites[side->site_count++] = &image->sites[j];
		if (image && image->damaged_count > 0)
			cli_message("%s: %zu damaged probe notes are passed over", image->name,
				image->damaged_count);
		else if (image && !side->target.process && image->site_count == 0)
			cli_message("no probes in %s: %s", argument, image->absence);
	}
	qsort(side->sites, total, sizeof(*side->sites), compare_sites);
	return CLI_OK;
}

static void close_side(struct side *side)
{
	free(side->sites);
	probes_close(&side->target);
}

static bool next_probe(const struct side *side, size_t *at, struct probe *probe)
{
	*probe = (struct probe){side->sites + *at, 0};
	while (*at < side->site_count && compare_probes(probe->sites[0], side->sites[*at]) == 0) {
		++*at;
		probe->count++;
	}
	return probe->count > 0;
}

#define REPORT(diff, kind, site, what, ...)                                                        \
	diff_report(&(diff)->report, kind, (site)->provider, (site)->name, what, __VA_ARGS__)

/* "(uint16_t, int32_t)" */
static const char *signature(const struct usdt_site *site, char text[512])
{
	size_t length = 0;
	char type[32];

	text[length++] = '(';
	for (int i = 0; i < site->argument_count; i++)
		length += (size_t)snprintf(text + length, 512 - length, "%s%s", i ? ", " : "",
			probes_argument_type(&site->arguments[i], type, sizeof(type)));
	snprintf(text + length, 512 - length, "%s)", site->has_more_arguments ? ", ..." : "");
	return text;
}

static bool same_argument(const struct operand_argument *a, const struct operand_argument *b)
{
	return a->size == b->size && a->is_signed == b->is_signed && a->is_float == b->is_float;
}

static bool same_signature(const struct usdt_site *a, const struct usdt_site *b)
{
	if (a->argument_count != b->argument_count ||
		a->has_more_arguments != b->has_more_arguments)
		return false;
	for (int i = 0; i < a->argument_count; i++)
		if (!same_argument(&a->arguments[i], &b->arguments[i]))
			return false;
	return true;
}

/* The first site whose signature no site on the other side has; NULL if there is none. */
static const struct usdt_site *find_strange(const struct probe *probe, const struct probe *other)
{
	for (size_t i = 0; i < probe->count; i++) {
		bool found = false;

		/* adjacent sites mostly have the same signature: reuse the last answer */
		if (i > 0 && same_signature(probe->sites[i], probe->sites[i - 1]))
			continue;
		for (size_t j = 0; !found && j < other->count; j++)
			found = same_signature(probe->sites[i], other->sites[j]);
		if (!found)
			return probe->sites[i];
	}
	return NULL;
}

static void compare_signatures(struct diff *diff, const struct probe *old, const struct probe *new)
{
	const struct usdt_site *before = find_strange(old, new);
	const struct usdt_site *after = find_strange(new, old);
	char old_text[512], new_text[512];
	char old_type[32], new_type[32];

	if (!before && !after)
		return;
	if (!before)
		before = old->sites[0];
	if (!after)
		after = new->sites[0];
	if (before->argument_count != after->argument_count ||
		before->has_more_arguments != after->has_more_arguments) {
		REPORT(diff, "changed", after, "arguments", "arguments: were %s, are %s",
			signature(before, old_text), signature(after, new_text));
		return;
	}
	for (int i = 0; i < before->argument_count; i++)
		if (!same_argument(&before->arguments[i], &after->arguments[i]))
			REPORT(diff, "changed", after, "arguments", "argument %d: was %s, is %s",
				i + 1,
				probes_argument_type(
					&before->arguments[i], old_type, sizeof(old_type)),
				probes_argument_type(
					&after->arguments[i], new_type, sizeof(new_type)));
}

static size_t count_guarded(const struct probe *probe)
{
	size_t count = 0;

	for (size_t i = 0; i < probe->count; i++)
		count += probe->sites[i]->semaphore.is_set;
	return count;
}

static void compare_semaphores(struct diff *diff, const struct probe *old, const struct probe *new)
{
	const struct usdt_site *site = new->sites[0];
	size_t before = count_guarded(old), after = count_guarded(new);

	if (before == 0 && after > 0)
		REPORT(diff, "changed", site, "semaphore", "semaphore: had none, has one");
	else if (before > 0 && after == 0)
		REPORT(diff, "changed", site, "semaphore", "semaphore: had one, has none");
	else if (before > 0 && (before < old->count) != (after < new->count))
		REPORT(diff, "changed", site, "semaphore",
			"semaphore: was at %zu of %zu sites, is at %zu of %zu", before, old->count,
			after, new->count);
}

static void compare_forms(struct diff *diff, const struct probe *old, const struct probe *new)
{
	unsigned int before = 0, after = 0;

	for (size_t i = 0; i < old->count; i++)
		before |= 1u << old->sites[i]->form;
	for (size_t i = 0; i < new->count; i++)
		after |= 1u << new->sites[i]->form;
	for (unsigned int form = SITE_UNREADABLE; form <= SITE_ANY; form++)
		if ((after & ~before) & 1u << form)
			REPORT(diff, "changed", new->sites[0], "instruction",
				"instruction: was %s, is %s", site_form_text(old->sites[0]->form),
				site_form_text((enum site_form)form));
}

static void compare_details(struct diff *diff, const struct probe *old, const struct probe *new)
{
	for (size_t i = 0; i < old->count && i < new->count; i++) {
		const struct usdt_site *a = old->sites[i], *b = new->sites[i];

		if (strcmp(a->arguments_text, b->arguments_text) != 0)
			REPORT(diff, "changed", b, "operands", "operands: were \"%s\", are \"%s\"",
				a->arguments_text, b->arguments_text);
		if (strcmp(a->function, b->function) != 0)
			REPORT(diff, "changed", b, "function", "function: was %s, is %s",
				a->function[0] ? a->function : "not known",
				b->function[0] ? b->function : "not known");
	}
}

static void compare(struct diff *diff, const struct probe *old, const struct probe *new)
{
	compare_signatures(diff, old, new);
	if (old->count != new->count)
		REPORT(diff, "changed", new->sites[0], "sites", "sites: were %zu, are %zu",
			old->count, new->count);
	compare_semaphores(diff, old, new);
	compare_forms(diff, old, new);
	if (diff->verbose)
		compare_details(diff, old, new);
}

static void run(struct diff *diff)
{
	struct probe old, new;
	size_t old_at = 0, new_at = 0;
	bool has_old = next_probe(&diff->old, &old_at, &old);
	bool has_new = next_probe(&diff->new, &new_at, &new);
	char text[512];

	while (has_old || has_new) {
		int order = !has_old ? 1
			: !has_new   ? -1
				     : compare_probes(old.sites[0], new.sites[0]);

		if (order < 0)
			REPORT(diff, "removed", old.sites[0], NULL, "%s",
				signature(old.sites[0], text));
		else if (order > 0)
			REPORT(diff, "added", new.sites[0], NULL, "%s",
				signature(new.sites[0], text));
		else
			compare(diff, &old, &new);
		if (order <= 0)
			has_old = next_probe(&diff->old, &old_at, &old);
		if (order >= 0)
			has_new = next_probe(&diff->new, &new_at, &new);
	}
}

int command_diff(int argc, char **argv)
{
	static const struct option options[] = {{"verbose", no_argument, NULL, 'v'},
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	struct diff diff = {0};
	bool is_contract;
	int status = CLI_OK;
	int option;

	optind = 0;
	opterr = 0; /* we print the message */
	while ((option = getopt_long(argc, argv, ":vh", options, NULL)) != -1) {
		switch (option) {
		case 'v':
			diff.verbose = true;
			break;
		case 'j':
			if (!diff.report.changes)
				diff.report.changes = json_array();
			break;
		case 'h':
			fputs(help, stdout);
			goto out;
		default:
			status = cli_option_refused("diff", option, argv, options);
			goto out;
		}
	}
	if (argc - optind != 2) {
		status = cli_usage("diff", "name two binaries, pids or definitions");
		goto out;
	}
	if (diff_is_contract(argv[optind + 1]) && !diff_is_contract(argv[optind])) {
		status =
			cli_usage("diff", "a definition comes before what is to keep its promises");
		goto out;
	}
	is_contract = diff_is_contract(argv[optind]);
	if (is_contract) {
		status = diff_contract(&diff.report, argv[optind], argv[optind + 1]);
		if (status)
			goto out;
	} else if (open_side(&diff.old, argv[optind]) != CLI_OK ||
		open_side(&diff.new, argv[optind + 1]) != CLI_OK) {
		status = CLI_CANNOT;
		goto out;
	} else {
		run(&diff);
	}
	if (diff.report.changes) {
		json_t *document = json_object();

		json_object_set(document, "changes", diff.report.changes);
		probes_json_print(document);
	}
	if (diff.report.count > (is_contract ? diff.report.added : 0))
		status = CLI_FOUND;
out:
	json_decref(diff.report.changes);
	close_side(&diff.old);
	close_side(&diff.new);
	return probes_finish(status);
}
