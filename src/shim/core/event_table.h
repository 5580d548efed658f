/*
 * event_table.h: the event types of this process: one for each probe that a registered
 * object can fire, and for each version of its arguments. A type is a copy of the object's
 * definition, so it outlives the object. Types are never removed, because records and
 * clients refer to them by number. The same definition in several objects is one type.
 *
 * Adding requires the registry's lock. Reading does not: a number stays valid for ever.
 */
#ifndef VMTAP_SHIM_CORE_EVENT_TABLE_H
#define VMTAP_SHIM_CORE_EVENT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmtap_object.h"
#include "wire/wire.h"

enum {
	EVENTS_MAX = 1024,
	EVENT_PROVIDERS_MAX = 32 /* compatible providers: bits of a mask */
};

/* A compatible provider's probe that an event fires. The stream declares it with a line in the
 * type's extension. */
struct event_compat {
	uint32_t provider; /* one bit, see event_provider() */
	const char *line;
};

struct event_type {
	struct vmtap_definition is; /* a copy with all that it points to; compats is NULL */
	const struct event_compat *compats;
	uint16_t number;     /* the type's number in records and in this table */
	uint16_t wire;       /* the type's number in the stream */
	uint16_t key_length; /* length of the probe's name in the description: "vm:::gc-start" */
	uint8_t own_form; /* index of the form that serves as the probe's own event; 0xff: none */
	/* Forms whose event type is another probe's own event: bit 0 is the first form. These
	 * are sent only to clients that receive no probe's own events; other clients would take
	 * them for events of the other probe. */
	uint8_t doubled_forms;
};

/* Which events of a probe a client has requested: one bit for its own, then one for each of its
 * forms. */
enum { EVENT_OWN = 1, EVENT_FORM = 2 };

/* The bits of those events that GHC knows. */
uint8_t event_ghc_mask(const struct event_type *type);

/*
 * Returns the number of the definition's event type, which is created if it is new. size is that of
 * the definition in its object, 0 if the object does not say. Returns -EINVAL if an argument that
 * it shares with a type of the same name differs or it has too many forms, -ENOSPC if the table is
 * full, -ENOMEM if memory runs out.
 */
int event_table_add(const struct vmtap_definition *definition, size_t size);

/* Iterates over the types with the same name as this type. Returns the next number, or -1 at
 * the end; after is the previous result, -1 for the first call. */
int event_table_next_of_name(const struct event_type *type, int after);

/*
 * From now on, new types get stream numbers from vmtap's own range: a client has received a
 * header, and an event that the header declares as GHC's must not become a probe's.
 */
void event_table_seal(void);

/* Returns the mask of the compatible providers with these names; the list ends with NULL. */
uint32_t event_table_provider_mask(const char *const *names);
/* Returns the name of the provider with bit 1 << index; NULL if there is no such provider. */
const char *event_provider(unsigned index);

/* Returns the first stream number that no type uses yet. */
uint16_t event_table_next_wire(void);

extern const struct event_type *_Atomic event_types[EVENTS_MAX];
extern _Atomic uint32_t event_types_count;

static inline uint32_t event_count(void)
{
	return atomic_load_explicit(&event_types_count, memory_order_acquire);
}

/* The number must be below event_count(). */
static inline const struct event_type *event_get(uint32_t number)
{
	return atomic_load_explicit(&event_types[number], memory_order_relaxed);
}

#endif
