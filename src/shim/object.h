/*
 * object.h: how the probe part of an object (an executable, an extension .so) and the
 * process's one runtime part meet.
 *
 * Each object that fires has a struct vmtap_object and offers it to the runtime in a
 * constructor, if there is a runtime; a destructor takes it back. The runtime copies the
 * object's definitions, gives each a number for its records, opens and closes the stream's
 * halves of the object's words, and gives it two functions to record with.
 *
 * An object may have been made from another version of a contract. A probe whose arguments
 * are a prefix of those that the process knows, or the other way round, is an event type of
 * its own under the same name. A probe whose common arguments differ has no number: its
 * events are missing from the stream, and clients are told its name.
 *
 * An object never reads another object's words.
 */
#ifndef VMTAP_SHIM_OBJECT_H
#define VMTAP_SHIM_OBJECT_H

#include <stdatomic.h>
#include <stdint.h>

#include "shim/definition.h"
#include "vmtap.h"

/*
 * A record being written: what fire functions see of a ring. at is where the record
 * goes; storing next to head publishes it; busy is 1 meanwhile.
 */
struct vmtap_record {
	unsigned char *at;
	uint64_t next;
	_Atomic uint64_t head;
	_Atomic uint32_t busy;
};

/* Offsets in a record; what follows is decided by the generator. */
enum {
	RECORD_TIME = 0,  /* u64, raw clock */
	RECORD_EVENT = 8, /* u16: the number that the runtime gave the event */
	RECORD_CPU = 10,  /* u16 */
	RECORD_BODY = 12,
	RECORD_ALIGN = 8,
	RECORD_TEXT_MAX = 4000, /* an inline text is cut there */
	RECORD_MAX = 4096 + 128
};

struct vmtap_runtime {
	/* A place for a record of this event with that many bytes (a multiple of
	 * RECORD_ALIGN), or NULL: dropped, and counted. */
	struct vmtap_record *(*begin)(uint32_t event, uint32_t bytes);
	/* The id of a name that has none yet; 0: there is no room for its text, and a record that
	 * has it counts as lost. */
	uint32_t (*name)(struct vmtap_name *name);
};

/* Changes when the layout of these structs, of definitions or of records does. */
enum { VMTAP_OBJECT_VERSION = 1, VMTAP_OBJECT_NO_NUMBER = 0xffff };

struct vmtap_object {
	uint32_t size; /* of this struct: it can grow at its end */
	uint32_t version;
	uint32_t event_count;
	const struct definition *const *definitions;
	unsigned short *const *words; /* each the low half of a 32-bit word */
	uint16_t *numbers;            /* of the events: the runtime fills them in */
	const char *const *providers; /* the compatible ones it has opted in for, and NULL */
	const struct vmtap_runtime *_Atomic runtime;
	struct vmtap_object *next; /* the runtime's list */
};

/* The runtime's side; in the process's global scope, or absent. */
VMTAP_API void vmtap_object_add(struct vmtap_object *object);
VMTAP_API void vmtap_object_remove(struct vmtap_object *object);

/* The stream's half of a word. Only 16-bit stores touch it: the kernel changes the other
 * half at any moment by a plain read-modify-write of its own 16 bits. */
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
VMTAP_HIDDEN extern const struct definition *const vmtap_definitions[VMTAP_PROBES];
VMTAP_HIDDEN extern uint16_t vmtap_numbers[VMTAP_PROBES];
/* The names of the compatible providers that the object has opted in for, and NULL. */
VMTAP_HIDDEN const char *const *vmtap_providers(void);
VMTAP_HIDDEN extern struct vmtap_object vmtap_object;

#endif
