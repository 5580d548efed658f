/*
 * object.h: the interface between the probe part of an object (an executable, an extension
 * .so) and the process's one runtime part; the part of it that generated files need is in
 * vmtap_object.h.
 *
 * Each object that fires has a struct vmtap_object for each of its providers. A constructor
 * registers it with the runtime, if there is one; a destructor removes it. The runtime copies the
 * object's definitions, assigns each a number for its records, opens and closes the stream's halves
 * of the object's words, and gives it two functions to record with.
 *
 * An object may have been made from another version of a contract. A probe whose arguments
 * are a prefix of those that the process knows, or the other way round, is a separate event
 * type with the same name. A probe whose common arguments differ gets no number: its events
 * are missing from the stream, and clients receive its name.
 *
 * An object never reads another object's words.
 */
#ifndef VMTAP_SHIM_CORE_OBJECT_H
#define VMTAP_SHIM_CORE_OBJECT_H

#include <stdatomic.h>
#include <stdint.h>

#include "vmtap.h"
#include "vmtap_object.h"

/* Offsets in a record; the generator decides the layout of the rest. */
enum {
	RECORD_TIME = 0,  /* u64, raw clock */
	RECORD_EVENT = 8, /* u16: the event's number, assigned by the runtime */
	RECORD_CPU = 10,  /* u16 */
	RECORD_BODY = VMTAP_RECORD_BODY,
	RECORD_ALIGN = VMTAP_RECORD_ALIGN,
	RECORD_MAX = 4096 + 128
};

/* Provided by the runtime, in the process's global scope; may be absent. */
VMTAP_API void vmtap_object_add(struct vmtap_object *object);
VMTAP_API void vmtap_object_remove(struct vmtap_object *object);

/*
 * Lets an object that cannot call the runtime report that, because clients must learn that events
 * are missing. Such an object is an extension whose executable has the runtime but does not export
 * it. A note in the runtime's program headers ("vmtap", type BEACON_NOTE) holds the distance to
 * this struct.
 */
struct vmtap_beacon {
	uint32_t version; /* VMTAP_OBJECT_VERSION */
	/* change: 1 if the object in that file is loaded, -1 if it is unloaded. */
	void (*unreachable)(const char *file, int change);
};
#define BEACON_NOTE 1
#define BEACON_NOTE_TEXT "1"

/* The stream's half of a word. Access it only with 16-bit stores: at any moment the kernel may
 * change the other half with a plain 16-bit read-modify-write. */
static inline uint16_t *vmtap_word_stream(const void *word)
{
	const uint16_t *half = word;

	__asm__("" : "+r"(half)); /* the declared object is only the first half */
	return (uint16_t *)half + 1;
}

static inline uint16_t vmtap_word_stream_load(const void *word)
{
	return __atomic_load_n(vmtap_word_stream(word), __ATOMIC_RELAXED);
}

static inline void vmtap_word_stream_store(const void *word, uint16_t open)
{
	__atomic_store_n(vmtap_word_stream(word), open, __ATOMIC_RELEASE);
}

/* The probe part's tables, made by the generator. */
VMTAP_HIDDEN extern unsigned short *const vmtap_words[VMTAP_PROBES];
VMTAP_HIDDEN extern const vmtap_fire_function vmtap_fires[VMTAP_PROBES];
VMTAP_HIDDEN extern const char *const vmtap_probe_names[VMTAP_PROBES];
VMTAP_HIDDEN extern uint16_t vmtap_numbers[VMTAP_PROBES];
/* The names of the compatible providers that the object has opted in for, followed by NULL. */
VMTAP_HIDDEN const char *const *vmtap_providers(void);
VMTAP_HIDDEN extern struct vmtap_object vmtap_object;

#endif
