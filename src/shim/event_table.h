/*
 * event_table.h: the event types of this process: one for each probe that a registered object
 * can fire, and for each version of its arguments. A type is a copy of the object's
 * definition, so it outlives the object, and is never removed: records and clients refer to
 * it by its number. The same definition in several objects is one type.
 *
 * Adding needs the registry's lock. Reading needs none: a number that has been given is valid
 * for ever.
 */
#ifndef VMTAP_SHIM_EVENT_TABLE_H
#define VMTAP_SHIM_EVENT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/definition.h"
#include "wire/wire.h"

enum {
	EVENTS_MAX = 1024,
	EVENT_PROVIDERS_MAX = 32 /* compatible ones: bits of a mask */
};

/* A compatible provider's probe that an event fires: a line of its type's extension. */
struct event_compat {
	uint32_t provider; /* a bit, see event_provider() */
	const char *line;
};

struct event_type {
	struct definition is; /* its pointers lead into the copy; compats is NULL */
	const struct event_compat *compats;
	uint16_t number;     /* in records and in this table */
	uint16_t wire;       /* in the stream */
	uint16_t key_length; /* of the description: the probe's name, "vm:::gc-start" */
	uint8_t own_form;    /* which form serves as the probe's own event, 0xff: none does */
	/* Forms whose event type is another probe's own event: bit 0 is the first form. Only
	 * clients that get no probes' own events are sent these, for others would take them
	 * for events of that probe. */
	uint8_t doubled_forms;
};

/* Which events of a probe a client wants: a bit for its own, then one for each of its forms. */
enum { EVENT_OWN = 1, EVENT_FORM = 2 };

/* Those of them that GHC knows. */
uint8_t event_ghc_mask(const struct event_type *type);

/*
 * The number of the event type of this definition, made if it is new. -EINVAL: an argument
 * that it has in common with a type of the same name differs; -ENOSPC: the table is full;
 * -ENOMEM.
 */
int event_table_add(const struct definition *definition);

/* Whether some type has this type's name. The answer is its number or -1; after is the last
 * answer, -1 at first. */
int event_table_next_of_name(const struct event_type *type, int after);

/*
 * From now on new types get numbers of vmtap's own in the stream: a client has a header, and
 * an event of GHC's that the header declares as GHC's must not become a probe's.
 */
void event_table_seal(void);

/* The mask of the compatible providers of these names, which a NULL ends. */
uint32_t event_table_provider_mask(const char *const *names);
/* The name of the provider of bit 1 << index; NULL: there are fewer. */
const char *event_provider(unsigned index);

/* The first number in the stream that no type has yet. */
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
