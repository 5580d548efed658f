/*
 * recorded_places.h: the places that are in the stacks of a log as texts ("libc.so.6`read+0x11",
 * or "0x7f0012345678" where nothing was known), as addresses for the engine, which shows stacks of
 * a live process. An address is made up: it stands for the module and function of its text, with
 * the offset in its low half. So addresses in one function are found as the same function, and
 * whatever shows one shows the text.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_RECORDED_PLACES_H
#define VMTAP_SOURCE_EVENTLOG_RECORDED_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "base/symbol_lookup.h"
#include "base/text.h"

struct recorded_place;

/* All zero: empty; but call recorded_places_init() before a lookup. */
struct recorded_places {
	struct recorded_place *places;
	size_t count, capacity;
	struct hash_table table;
	uint64_t *addresses; /* by index of the text; 0: it has not been read yet */
	size_t address_count;
	struct symbol_lookup lookup;
};

void recorded_places_init(struct recorded_places *places);
void recorded_places_free(struct recorded_places *places);

/* Returns the address for a place; index is that of the text, which the caller keeps. 0: the text
 * is empty, or memory has run out. */
uint64_t recorded_places_address(
	struct recorded_places *places, uint32_t index, const struct text *text);

#endif
