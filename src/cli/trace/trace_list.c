/* trace_list.c: see trace_list.h. */
#include "cli/trace/trace_list.h"

#include <string.h>

#include "base/clean_text.h"
#include "cli/cli.h"
#include "contract/promise.h"
#include "source/source.h"

enum { REFUSALS_MAX = 5 /* more are only counted */ };

struct probe_listing {
	FILE *output;
	const struct d_probe_set *set;
	const struct source *source;
	bool verbose;
	unsigned refused; /* how many probes cannot be traced; refusals has the first of them */
	const struct d_probe *refusals[REFUSALS_MAX];
	bool differ; /* not all of them have the same reason */
};

void trace_list_arguments(FILE *output, const struct d_probe *probe)
{
	fprintf(output, "\n\tArgument Types\n");
	for (unsigned int i = 0; probe && i < probe->argument_count; i++) {
		const char *name = probe->arguments[i].name;

		fprintf(output, "\t\targs[%u]%s%s: %s\n", i, name && *name ? " " : "",
			name ? name : "", probe->arguments[i].type);
	}
	if (!probe || !probe->argument_count)
		fprintf(output, "\t\tNone\n");
}

/* Which source delivers the probe's events, and what to know of that. */
static void list_source(const struct probe_listing *listing, uint32_t index)
{
	static const char *const names[SOURCE_KINDS] = {[SOURCE_KIND_STREAM] = "event stream",
		[SOURCE_KIND_LOG] = "recorded log",
		[SOURCE_KIND_KERNEL] = "kernel"};
	const struct d_probe *probe = &listing->set->probes[index];
	const char *name = names[source_capability(listing->source, index).kind];

	if (!name)
		return;
	fprintf(listing->output, "\n\tSource\n\t\t%s\n", name);
	if (probe->note)
		fprintf(listing->output, "\t\t%s%s\n",
			probe->is_refused ? "cannot be traced: " : "", probe->note);
}

static void note_refusal(struct probe_listing *listing, const struct d_probe *probe)
{
	if (listing->refused < REFUSALS_MAX)
		listing->refusals[listing->refused] = probe;
	listing->refused++;
	listing->differ |= strcmp(listing->refusals[0]->note, probe->note) != 0;
}

/* Says which of the listed probes cannot be traced, and why. */
static void tell_refusals(const struct probe_listing *listing)
{
	unsigned shown = listing->refused < REFUSALS_MAX ? listing->refused : REFUSALS_MAX;
	const struct d_probe *first = listing->refusals[0];

	if (listing->refused > REFUSALS_MAX && !listing->differ) {
		cli_message("%s:%s:%s:%s and %u more probes cannot be traced: %s", first->provider,
			first->module, first->function, first->name, listing->refused - 1,
			first->note);
		return;
	}
	for (unsigned i = 0; i < shown; i++) {
		const struct d_probe *probe = listing->refusals[i];

		cli_message("%s:%s:%s:%s cannot be traced: %s", probe->provider, probe->module,
			probe->function, probe->name, probe->note);
	}
	if (listing->refused > shown)
		cli_message(
			"%u more probes cannot be traced; -v says why", listing->refused - shown);
}

/* A column of names, which are the traced program's: they must not steer a terminal. */
static void list_name(FILE *output, int width, const char *name)
{
	int length = (int)strlen(name);

	fprintf(output, "%*s", length < width ? width - length : 0, "");
	clean_text_print(output, name);
	fputc(' ', output);
}

static void list_probe(struct probe_listing *listing, uint32_t index)
{
	const struct d_probe *probe = &listing->set->probes[index];
	FILE *output = listing->output;
	struct promise promise;

	fprintf(output, "%5u ", (unsigned int)(index + 1));
	list_name(output, 10, probe->provider);
	list_name(output, 17, probe->module);
	list_name(output, 33, probe->function);
	clean_text_print(output, probe->name);
	fputc('\n', output);
	if (probe->is_refused)
		note_refusal(listing, probe);
	if (!listing->verbose)
		return;
	promise = promise_of(probe->provider, probe->has_stability ? probe->stability : NULL);
	promise_print(output, &promise, probe->module, probe->function);
	trace_list_arguments(output, probe);
	if (probe->kind == D_PROBE_SOURCE && listing->source)
		list_source(listing, index);
	fprintf(output, "\n");
}

static void list_all(struct probe_listing *listing)
{
	for (size_t i = 0; i < listing->set->count; i++)
		if (!listing->set->probes[i].is_absent)
			list_probe(listing, (uint32_t)i);
}

static void list_matched(struct probe_listing *listing, const struct d_program *program)
{
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		bool is_siteless =
			clause->later_count && listing->set->probes[clause->probes[0]].is_siteless;
		if (!clause->probe_count && !clause->goes_on)
			fprintf(stderr,
				"dtrace: failed to match %s: No probe matches description%s\n",
				clause->description,
				is_siteless ? " (no object of the process has a site of it, so it "
					      "cannot fire)"
					    : "");
	}
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		for (size_t j = 0; j < clause->probe_count && !clause->goes_on; j++)
			list_probe(listing, clause->probes[j]);
	}
}

void trace_list_probes(FILE *output, const struct d_probe_set *set, const struct d_program *program,
	const struct source *source, bool verbose)
{
	struct probe_listing listing = {
		.output = output, .set = set, .source = source, .verbose = verbose};

	fprintf(output, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (program)
		list_matched(&listing, program);
	else
		list_all(&listing);
	if (!verbose)
		tell_refusals(&listing);
}
