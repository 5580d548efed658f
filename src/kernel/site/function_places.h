/*
 * function_places.h: which probes of the pid provider a target has, so that several descriptions
 * that match the same functions add each probe once, however many there are.
 */
#ifndef VMTAP_KERNEL_SITE_FUNCTION_PLACES_H
#define VMTAP_KERNEL_SITE_FUNCTION_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

struct d_probe;
struct d_probe_set;

struct kernel_place {
	uint32_t probe; /* its index in the set */
	uint32_t file;  /* the target's number: files of one name are different modules */
};

/* A zeroed one is empty. */
struct kernel_places {
	struct kernel_place *items;
	size_t count, capacity;
	struct hash_table by_probe;
};

/* Returns whether there is such a probe: in that file, of the same names and with the same
 * source_tag. */
bool kernel_places_has(const struct kernel_places *places, const struct d_probe_set *set,
	const struct d_probe *probe, uint32_t file);

/* Notes a probe of the set. Returns 0 or -ENOMEM. */
int kernel_places_add(
	struct kernel_places *places, const struct d_probe_set *set, uint32_t probe, uint32_t file);

void kernel_places_free(struct kernel_places *places);

#endif
