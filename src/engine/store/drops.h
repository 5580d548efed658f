/*
 * drops.h: counts what was lost, by kind, until it is reported. All losses are counted here: those
 * of the sources and those of the engine's own buffers and tables.
 */
#ifndef VMTAP_ENGINE_STORE_DROPS_H
#define VMTAP_ENGINE_STORE_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DTrace's kinds of drops, in the order in which they are reported. */
enum drop_kind {
	DROP_PRINCIPAL,               /* records, counted by CPU */
	DROP_AGGREGATION,             /* updates of aggregations, counted by CPU */
	DROP_DYNAMIC,                 /* stores into variables for which there was no room */
	DROP_SPECULATION,             /* records of a speculating clause */
	DROP_SPECULATION_BUSY,        /* speculation() while one is being committed */
	DROP_SPECULATION_UNAVAILABLE, /* speculation() while all are in use */
	DROP_STACK,                   /* guest stacks for which there was no room */
	DROP_ERROR,                   /* faults in ERROR clauses */
	DROP_KINDS
};

enum { DROP_KINDS_BY_CPU = DROP_AGGREGATION + 1 };

static inline bool drop_has_cpu(enum drop_kind kind)
{
	return kind <= DROP_AGGREGATION;
}

struct writer;

struct drops {
	uint64_t *by_cpu[DROP_KINDS_BY_CPU]; /* `cpus` elements each */
	size_t cpus;
	uint64_t counts[DROP_KINDS]; /* of the other kinds */
};

int drops_init(struct drops *drops);
void drops_free(struct drops *drops);

/*
 * Sums saturate. The first function is for the kinds that are counted by CPU, the second for the
 * others.
 */
void drops_add_on_cpu(struct drops *drops, enum drop_kind kind, uint16_t cpu, uint64_t count);
void drops_add(struct drops *drops, enum drop_kind kind, uint64_t count);

/* Reports to the writer what was lost since the last report. */
void drops_report(struct drops *drops, struct writer *writer);

#endif
