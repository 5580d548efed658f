/* drops.c: see drops.h. */
#include "engine/store/drops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/writer.h"

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

/* The index of this CPU's counter; if there is no memory for it, the last existing one. */
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

static void add_saturated(uint64_t *sum, uint64_t count)
{
	*sum = *sum + count < count ? UINT64_MAX : *sum + count;
}

void drops_add_on_cpu(struct drops *drops, enum drop_kind kind, uint16_t cpu, uint64_t count)
{
	size_t i = index_of_cpu(drops, cpu);

	add_saturated(&drops->by_cpu[kind][i], count);
}

void drops_add(struct drops *drops, enum drop_kind kind, uint64_t count)
{
	add_saturated(&drops->counts[kind], count);
}

static void report(enum drop_kind kind, uint16_t cpu, uint64_t *count, struct writer *writer)
{
	const struct writer_drop drop = {.kind = kind, .count = *count, .cpu = cpu};

	if (*count)
		writer->operations->drop(writer, &drop);
	*count = 0;
}

void drops_report(struct drops *drops, struct writer *writer)
{
	for (unsigned kind = 0; kind < DROP_KINDS_BY_CPU; kind++)
		for (size_t cpu = 0; cpu < drops->cpus; cpu++)
			report(kind, (uint16_t)cpu, &drops->by_cpu[kind][cpu], writer);
	for (unsigned kind = DROP_KINDS_BY_CPU; kind < DROP_KINDS; kind++)
		report(kind, 0, &drops->counts[kind], writer);
}
