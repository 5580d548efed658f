/* losses.c: see losses.h. */
#include "engine/losses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS_START = 64 };

int losses_init(struct losses *losses)
{
	memset(losses, 0, sizeof(*losses));
	losses->cpus = CPUS_START;
	losses->principal = calloc(CPUS_START, sizeof(uint64_t));
	losses->aggregation = calloc(CPUS_START, sizeof(uint64_t));
	if (losses->principal && losses->aggregation)
		return 0;
	losses_free(losses);
	return -ENOMEM;
}

void losses_free(struct losses *losses)
{
	free(losses->principal);
	free(losses->aggregation);
	losses->principal = NULL;
	losses->aggregation = NULL;
}

static int grow_counts(uint64_t **counts, size_t from, size_t to)
{
	uint64_t *grown = realloc(*counts, to * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	memset(grown + from, 0, (to - from) * sizeof(*grown));
	*counts = grown;
	return 0;
}

/* The place that counts for this CPU; without memory the last one there is. */
static size_t index_of_cpu(struct losses *losses, uint16_t cpu)
{
	size_t cpus = losses->cpus;

	while (cpus <= cpu)
		cpus *= 2;
	if (cpus != losses->cpus) {
		if (grow_counts(&losses->principal, losses->cpus, cpus) ||
			grow_counts(&losses->aggregation, losses->cpus, cpus))
			return losses->cpus - 1;
		losses->cpus = cpus;
	}
	return cpu;
}

static void add(uint64_t *sum, uint64_t count)
{
	*sum = *sum + count < count ? UINT64_MAX : *sum + count;
}

void losses_add_principal(struct losses *losses, uint16_t cpu, uint64_t count)
{
	size_t i = index_of_cpu(losses, cpu);

	add(&losses->principal[i], count);
}

void losses_add_aggregation(struct losses *losses, uint16_t cpu, uint64_t count)
{
	size_t i = index_of_cpu(losses, cpu);

	add(&losses->aggregation[i], count);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* The start of a message; tag is DTrace's name for the kind of drop. */
static void begin(const char *tag, bool tags, FILE *messages)
{
	fputs("dtrace: ", messages);
	if (tags)
		fprintf(messages, "[DTRACEDROP_%s] ", tag);
}

static void report_cpus(
	uint64_t *counts, size_t cpus, const char *kind, const char *tag, bool tags, FILE *messages)
{
	for (size_t cpu = 0; cpu < cpus; cpu++) {
		if (!counts[cpu])
			continue;
		begin(tag, tags, messages);
		fprintf(messages, "%" PRIu64 " %sdrop%s on CPU %zu\n", counts[cpu], kind,
			plural(counts[cpu]), cpu);
		counts[cpu] = 0;
	}
}

/* One kind of loss that belongs to no CPU: "N THINGs REST". */
static void report_kind(uint64_t count, const char *tag, const char *thing, const char *rest,
	bool tags, FILE *messages)
{
	if (!count)
		return;
	begin(tag, tags, messages);
	fprintf(messages, "%" PRIu64 " %s%s%s\n", count, thing, plural(count), rest);
}

void losses_report(
	struct losses *losses, const struct loss_counts *counts, bool tags, FILE *messages)
{
	report_cpus(losses->principal, losses->cpus, "", "PRINCIPAL", tags, messages);
	report_cpus(
		losses->aggregation, losses->cpus, "aggregation ", "AGGREGATION", tags, messages);
	report_kind(counts->dynamic, "DYNAMIC", "dynamic variable drop", "", tags, messages);
	report_kind(counts->speculative, "SPEC", "speculative drop", "", tags, messages);
	report_kind(counts->speculation_busy, "SPECBUSY", "failed speculation",
		" (available buffer(s) still busy)", tags, messages);
	report_kind(counts->speculation_unavailable, "SPECUNAVAIL", "failed speculation",
		" (no speculative buffer available)", tags, messages);
	report_kind(losses->error, "DBLERROR", "error", " in ERROR probe enabling", tags, messages);
	losses->error = 0;
}
