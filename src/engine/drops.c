/* drops.c: see drops.h. */
#include "engine/drops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS_START = 64 };

int drops_init(struct drops *drops)
{
	memset(drops, 0, sizeof(*drops));
	drops->cpus = CPUS_START;
	for (unsigned kind = 0; kind < DROP_KINDS_BY_CPU; kind++) {
		drops->by_cpu[kind] = calloc(CPUS_START, sizeof(uint64_t));
		if (!drops->by_cpu[kind]) {
			drops_free(drops);
			return -ENOMEM;
		}
	}
	return 0;
}

void drops_free(struct drops *drops)
{
	for (unsigned kind = 0; kind < DROP_KINDS_BY_CPU; kind++) {
		free(drops->by_cpu[kind]);
		drops->by_cpu[kind] = NULL;
	}
}

/* The index that counts for this CPU; without memory the last one there is. */
static size_t index_of_cpu(struct drops *drops, uint16_t cpu)
{
	size_t cpus = drops->cpus;

	while (cpus <= cpu)
		cpus *= 2;
	if (cpus == drops->cpus)
		return cpu;
	for (unsigned kind = 0; kind < DROP_KINDS_BY_CPU; kind++) {
		uint64_t *grown = realloc(drops->by_cpu[kind], cpus * sizeof(*grown));
		if (!grown)
			return drops->cpus - 1;
		memset(grown + drops->cpus, 0, (cpus - drops->cpus) * sizeof(*grown));
		drops->by_cpu[kind] = grown;
	}
	drops->cpus = cpus;
	return cpu;
}

static void add(uint64_t *sum, uint64_t count)
{
	*sum = *sum + count < count ? UINT64_MAX : *sum + count;
}

void drops_add_on_cpu(struct drops *drops, enum drop_kind kind, uint16_t cpu, uint64_t count)
{
	size_t i = index_of_cpu(drops, cpu);

	add(&drops->by_cpu[kind][i], count);
}

void drops_add(struct drops *drops, enum drop_kind kind, uint64_t count)
{
	add(&drops->counts[kind], count);
}

/* The words that DTrace has for a kind of drop: "N THINGs REST". */
struct drop_words {
	const char *tag, *thing, *rest;
};

static const struct drop_words words[DROP_KINDS] = {
	[DROP_PRINCIPAL] = {"PRINCIPAL", "drop", ""},
	[DROP_AGGREGATION] = {"AGGREGATION", "aggregation drop", ""},
	[DROP_DYNAMIC] = {"DYNAMIC", "dynamic variable drop", ""},
	[DROP_SPECULATION] = {"SPEC", "speculative drop", ""},
	[DROP_SPECULATION_BUSY] = {"SPECBUSY", "failed speculation",
		" (available buffer(s) still busy)"},
	[DROP_SPECULATION_UNAVAILABLE] = {"SPECUNAVAIL", "failed speculation",
		" (no speculative buffer available)"},
	[DROP_ERROR] = {"DBLERROR", "error", " in ERROR probe enabling"},
};

static void report(enum drop_kind kind, uint64_t count, bool tags, FILE *messages)
{
	fputs("dtrace: ", messages);
	if (tags)
		fprintf(messages, "[DTRACEDROP_%s] ", words[kind].tag);
	fprintf(messages, "%" PRIu64 " %s%s%s", count, words[kind].thing, count == 1 ? "" : "s",
		words[kind].rest);
}

void drops_report(struct drops *drops, bool tags, FILE *messages)
{
	for (unsigned kind = 0; kind < DROP_KINDS; kind++) {
		for (size_t cpu = 0; kind < DROP_KINDS_BY_CPU && cpu < drops->cpus; cpu++) {
			if (!drops->by_cpu[kind][cpu])
				continue;
			report(kind, drops->by_cpu[kind][cpu], tags, messages);
			fprintf(messages, " on CPU %zu\n", cpu);
			drops->by_cpu[kind][cpu] = 0;
		}
		if (!drops->counts[kind])
			continue;
		report(kind, drops->counts[kind], tags, messages);
		putc('\n', messages);
		drops->counts[kind] = 0;
	}
}
