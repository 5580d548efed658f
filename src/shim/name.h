/*
 * name.h: the texts of names, kept so that the VM may move or free its own. A table of
 * a fixed size, reserved at the first name and touched as it fills. Taking an id is
 * lock-free and safe on any thread: the text is complete before anybody can see the id,
 * so whoever reads an id from a record may read its text.
 *
 * Names are never given back while the process lives: ids stay in the VM's objects. When
 * the table is full, texts travel with their events instead (see ring.h). Of these the
 * server keeps the last NAME_TRANSIENTS of each ring: an event whose text is older, since
 * many others of the same thread have interrupted it, is counted as lost.
 */
#ifndef VMTAP_SHIM_NAME_H
#define VMTAP_SHIM_NAME_H

#include <stdint.h>

#include "vmtap.h"

/* Ids from here on name texts that travel with events; each ring counts its own. */
#define NAME_TRANSIENT UINT32_C(0x80000000)

enum {
	NAME_LENGTH_MAX = 4000, /* longer texts are cut */
	NAME_FIRST = 16,        /* the table's first id; those before are the encoder's */
	NAME_TRANSIENTS = 64    /* texts that travel with events: kept for each ring */
};

/* How large the table may become; before the first name, later calls change nothing. */
void name_limit(uint32_t bytes);

/* Gives the name an id if it has none; 0 when the table is full. */
uint32_t name_take(struct vmtap_name *name);

/* The text of an id that name_take() has given; *length in bytes. */
const char *name_text(uint32_t id, uint32_t *length);

/* How many ids there can ever be. */
uint32_t name_capacity(void);

#endif
