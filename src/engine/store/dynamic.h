/*
 * dynamic.h: variables that come and go: self-> variables, and elements of associative arrays,
 * global or of a thread. Together they take at most dynvarsize bytes; a store for which there is no
 * room is lost and counted. Storing 0 (or a NULL string) frees a variable.
 *
 * A thread's self-> scalars are in one record, found by (pid, tid) and cached from one access to
 * the next. Records without any value are kept until room is needed, because most threads soon use
 * their variables again. An owner is pid << 32 | tid, or 0 for global elements. A thread's number
 * may later be another thread's, so what a thread has is freed when it ends.
 */
#ifndef VMTAP_ENGINE_STORE_DYNAMIC_H
#define VMTAP_ENGINE_STORE_DYNAMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/drops.h"
#include "engine/store/slab.h"
#include "engine/store/strings.h"
#include "engine/store/tuple.h"

struct dynamic_thread {
	struct dynamic_thread *next;
	uint64_t owner;
	uint64_t used; /* values that are not 0 */
	uint64_t values[];
};

struct dynamic_element {
	struct dynamic_element *next;
	uint64_t owner;
	uint64_t value;
	uint32_t hash;
	uint32_t variable;
	uint64_t keys[];
};

/* Precedes an element of a thread's: the elements of a thread are a list. */
struct dynamic_owned {
	struct dynamic_element *next, *previous;
	uint32_t size; /* of this and the element */
	bool is_text;  /* the value is a text, or NULL */
};

struct dynamic {
	struct slab *slab;
	struct strings *strings;
	struct drops *drops;  /* counts stores for which there was no room */
	uint64_t limit, used; /* bytes */
	uint32_t self_count;  /* self-> scalars of the program */
	uint32_t
		slot_count; /* those, and one for the list of elements if there are self-> arrays */
	bool *slot_is_text; /* by scalar: its values are texts */
	struct dynamic_thread *last;
	struct dynamic_thread **threads;
	uint32_t thread_mask, thread_count, idle_count;
	struct dynamic_element **elements;
	uint32_t element_mask, element_count;
};

int dynamic_init(struct dynamic *dynamic, struct slab *slab, struct strings *strings,
	struct drops *drops, uint32_t self_count, bool has_self_arrays, uint64_t limit);
void dynamic_free(struct dynamic *dynamic);

struct dynamic_thread *dynamic_find_thread(struct dynamic *dynamic, uint64_t owner);

/* A thread's scalar number `slot`; 0 if it is not set. */
static inline uint64_t dynamic_self_load(struct dynamic *dynamic, uint64_t owner, uint32_t slot)
{
	struct dynamic_thread *thread = dynamic->last;

	if (!thread || thread->owner != owner)
		thread = dynamic_find_thread(dynamic, owner);
	return thread ? thread->values[slot] : 0;
}

void dynamic_self_store(struct dynamic *dynamic, uint64_t owner, uint32_t slot, uint64_t value);
/* The copy of the text that is stored is cut at `limit` characters. */
void dynamic_self_store_text(struct dynamic *dynamic, uint64_t owner, uint32_t slot,
	const struct text *text, uint32_t limit);

/* Frees all variables of a thread that has ended. Call between clauses. */
void dynamic_forget_thread(struct dynamic *dynamic, uint64_t owner);

/*
 * Values that are bytes (D_VALUE_BYTES): returns the stored text of that size, whose bytes may be
 * changed. NULL if the variable is not set. With create it is created then, and NULL means that
 * there was no room, which is counted. Storing a NULL text frees the value.
 */
struct text *dynamic_self_bytes(
	struct dynamic *dynamic, uint64_t owner, uint32_t slot, uint32_t size, bool create);
struct text *dynamic_element_bytes(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple, uint32_t size, bool create);

/* Elements. The tuple must have been gathered with dynamic_seed(). */
static inline uint64_t dynamic_seed(uint32_t variable, uint64_t owner)
{
	return (owner + 1) * UINT64_C(0x9e3779b97f4a7c15) + variable;
}

uint64_t dynamic_element_load(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple);
void dynamic_element_store(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple, uint64_t value);
void dynamic_element_store_text(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple, const struct text *text,
	uint32_t limit);

#endif
