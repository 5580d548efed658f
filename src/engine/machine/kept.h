/*
 * kept.h: the texts that a script's char * values point to. A string becomes a char * when it is
 * stored as one: in a variable, an element, a member or a key. The string itself lives only as long
 * as its clause, so the pointer gets the address of a copy that stays. Equal texts have one copy,
 * so their pointers are equal too.
 *
 * Copies are never freed before the run ends: a script may have put their addresses anywhere. They
 * take at most dynvarsize bytes together. After that a pointer is valid only in its own clause,
 * which counts as a dynamic variable drop.
 */
#ifndef VMTAP_ENGINE_MACHINE_KEPT_H
#define VMTAP_ENGINE_MACHINE_KEPT_H

#include "base/hash_table.h"
#include "engine/store/fault.h"

struct engine;
struct text;

/* How full the table of copies is; the copies themselves are regions (memory.h). */
struct kept {
	struct hash_table table; /* of the regions, by text */
	size_t capacity;         /* of the regions */
	uint64_t used, limit;    /* bytes */
};

void kept_free(struct kept *kept);

/* The address of the copy of a text; 0 for NULL. Fault: NOSCRATCH. */
enum d_fault kept_address(struct engine *engine, const struct text *text, uint64_t *address);

/*
 * The same for the text at an address, if it is the start of an event's text or of a copy; any
 * other address does not change.
 */
enum d_fault kept_pointer(struct engine *engine, uint64_t pointer, uint64_t *address);

#endif
