/*
 * name.h: copies of the texts of names, so that the VM may move or free its own. The table
 * has a fixed size; it is reserved at the first name, and its pages are touched as it fills.
 * Taking an id is lock-free and safe on any thread. A text is complete before its id is
 * visible, so every thread that reads an id from a record may read its text.
 *
 * Names are not freed while the process lives, because their ids stay in the VM's objects.
 * When the table is full, texts travel with their events instead (see ring.h). The server
 * keeps the last NAME_TRANSIENTS of these texts for each ring. An event whose text is older,
 * because many events interrupted it on the same thread, is counted as lost.
 */
#ifndef VMTAP_SHIM_CORE_NAME_H
#define VMTAP_SHIM_CORE_NAME_H

#include <stdint.h>

#include "vmtap.h"

/* Ids from this one on denote texts that travel with events; each ring has its own counter. */
#define NAME_TRANSIENT UINT32_C(0x80000000)

enum {
	NAME_BYTES_DEFAULT = 16 << 20,
	NAME_LENGTH_MAX = 4000, /* longer texts are cut */
	NAME_FIRST = 16,        /* the table's first id; the encoder uses the lower ones */
	NAME_TRANSIENTS = 64    /* number of texts travelling with events that are kept per ring */
};

/* Sets the maximum size of the table, which the budget limits too. Has no effect after the
 * first name. */
void name_limit(uint32_t bytes);

/* Makes the table, so that there is memory for it. If that fails, the first name tries again. */
void name_prepare(void);

/* Returns the name's id, giving it one if it has none; 0 if the table is full. */
uint32_t name_take(struct vmtap_name *name);

/* vmtap_name_intern() is here too: its names have their ids from the start, and lie in front of
 * their texts. */

/* Returns how many slots of their table are between an interned name and the place where the search
 * for it begins. For tests. */
uint32_t name_distance(const struct vmtap_name *name);

/* Returns the text of an id that name_take() returned; *length is in bytes. */
const char *name_text(uint32_t id, uint32_t *length);

/* Returns the maximum number of ids. */
uint32_t name_capacity(void);

#endif
