/*
 * losses.h: what was lost since it was last reported, and the words DTrace has for it.
 */
#ifndef VMTAP_ENGINE_LOSSES_H
#define VMTAP_ENGINE_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct losses {
	uint64_t *principal;   /* per CPU */
	uint64_t *aggregation; /* per CPU */
	size_t cpus;
	uint64_t error; /* faults in ERROR clauses */
};

/* Losses that are counted where they happen. */
struct loss_counts {
	uint64_t dynamic, speculative, speculation_busy, speculation_unavailable;
};

int losses_init(struct losses *losses);
void losses_free(struct losses *losses);

/* Sums saturate. */
void losses_add_principal(struct losses *losses, uint16_t cpu, uint64_t count);
void losses_add_aggregation(struct losses *losses, uint16_t cpu, uint64_t count);

/*
 * Prints both, and forgets its own. tags: each message says which drop it is, as option
 * droptags has it.
 */
void losses_report(
	struct losses *losses, const struct loss_counts *counts, bool tags, FILE *messages);

#endif
