/*
 * name.c: see name.h. Ids are dense from NAME_FIRST on; offsets[id] is the position of its
 * length and text in the arena. A thread that loses the race for a name wastes the id it has
 * taken, which costs a few bytes of the table.
 *
 * Interned names are found by a table of their own, which is made at the first one: open
 * addressing, entries are only ever added. A slot holds the position in the arena of the name, plus
 * one; the text follows the name. A thread puts the whole name into the arena before it takes a
 * slot by compare-and-swap. If another thread has just taken that slot for the same text, the bytes
 * it has put there are wasted. There are more slots than names that fit into the arena.
 */
#include "shim/core/name.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/keyed_hash.h"
#include "base/test_point.h"
#include "shim/core/budget.h"

enum {
	NAME_BYTES_MIN = 64 << 10,
	NAME_SHARE = 8,         /* the texts take at most 1/8 of the budget */
	NAME_BYTES_PER_ID = 16, /* the smallest size of an entry; limits the number of ids */
	NAME_ALIGN = 8
};

struct name_table {
	uint32_t capacity; /* number of ids */
	uint32_t bytes;
	_Atomic uint32_t next_id;
	_Atomic uint32_t used;
	char *arena;
	uint32_t offsets[];
};

struct intern_table {
	struct keyed_hash_key key;
	uint32_t mask; /* number of slots, a power of two, minus one */
	_Atomic uint32_t slots[];
};

static struct name_table *_Atomic table;
static struct intern_table *_Atomic interned;
static _Atomic uint32_t limit = NAME_BYTES_DEFAULT;

void name_limit(uint32_t bytes)
{
	uint64_t share = budget_size() / NAME_SHARE;

	if (bytes > share)
		bytes = (uint32_t)share;
	atomic_store(&limit, bytes < NAME_BYTES_MIN ? NAME_BYTES_MIN : bytes);
}

static struct name_table *table_get(void)
{
	struct name_table *now = atomic_load_explicit(&table, memory_order_acquire);

	if (now)
		return now;
	uint32_t bytes = atomic_load(&limit) & ~(uint32_t)(NAME_ALIGN - 1);
	uint32_t capacity = bytes / NAME_BYTES_PER_ID;
	size_t head = sizeof(*now) + (size_t)capacity * sizeof(now->offsets[0]);
	head = (head + NAME_ALIGN - 1) & ~(size_t)(NAME_ALIGN - 1);
	int saved = errno;
	struct name_table *made = budget_map(BUDGET_NAMES, head + bytes, 0);

	errno = saved; /* restores the traced program's errno */
	if (!made)
		return NULL;
	made->capacity = capacity;
	made->bytes = bytes;
	made->arena = (char *)made + head;
	atomic_init(&made->next_id, NAME_FIRST);
	if (atomic_compare_exchange_strong(&table, &now, made))
		return made;
	budget_unmap(made, head + bytes);
	return now;
}

void name_prepare(void)
{
	table_get();
}

/*
 * Puts a text into the arena, with `before` bytes in front of it, and sets *room to the position of
 * these. Returns the text's id, or 0 if the table is full.
 */
static uint32_t put_text(struct name_table *names, uint32_t before, const char *text,
	uint32_t length, uint32_t *room)
{
	uint32_t need = (uint32_t)(before + sizeof(length) + length + 1 + NAME_ALIGN - 1) &
		~(uint32_t)(NAME_ALIGN - 1);
	uint32_t at, id;

	at = atomic_load_explicit(&names->used, memory_order_relaxed);
	do
		if (need > names->bytes - at)
			return 0;
	while (!atomic_compare_exchange_weak(&names->used, &at, at + need));
	*room = at;
	at += before;
	id = atomic_load_explicit(&names->next_id, memory_order_relaxed);
	do
		if (id >= names->capacity)
			return 0;
	while (!atomic_compare_exchange_weak(&names->next_id, &id, id + 1));
	TEST_POINT("name-number-taken");
	memcpy(names->arena + at, &length, sizeof(length));
	memcpy(names->arena + at + sizeof(length), text, length);
	names->offsets[id] = at;
	return id;
}

uint32_t name_take(struct vmtap_name *name)
{
	struct name_table *names = table_get();
	uint32_t length = name->length < NAME_LENGTH_MAX ? name->length : NAME_LENGTH_MAX;
	uint32_t id, room, none = 0;

	id = names ? put_text(names, 0, name->text, length, &room) : 0;
	if (!id)
		return 0;
	/* Release: the text and the offset are visible before the id. */
	if (__atomic_compare_exchange_n(
		    &name->id, &none, id, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		return id;
	return none;
}

static struct intern_table *interned_get(const struct name_table *names)
{
	struct intern_table *now = atomic_load_explicit(&interned, memory_order_acquire);
	struct intern_table *made;
	uint32_t count = 1;
	size_t bytes;
	int saved = errno;

	if (now)
		return now;
	while (count < names->capacity)
		count *= 2;
	bytes = sizeof(*made) + count * sizeof(made->slots[0]);
	made = budget_map(BUDGET_NAMES, bytes, 0);
	errno = saved; /* restores the traced program's errno */
	if (!made)
		return NULL;
	made->mask = count - 1;
	made->key = keyed_hash_key();
	if (atomic_compare_exchange_strong(&interned, &now, made))
		return made;
	budget_unmap(made, bytes);
	return now;
}

/* Returns the position of a new name plus one, or 0 if there is no room. */
static uint32_t make_name(struct name_table *names, const char *text, uint32_t length)
{
	struct vmtap_name *name;
	uint32_t room, id = put_text(names, sizeof(*name), text, length, &room);

	if (!id)
		return 0;
	name = (struct vmtap_name *)(void *)(names->arena + room);
	name->text = (const char *)(name + 1) + sizeof(length);
	name->length = length;
	name->id = id;
	return room + 1;
}

static uint32_t first_slot(const struct intern_table *all, const char *text, uint32_t length)
{
	return (uint32_t)keyed_hash(
		all->key, text, length, KEYED_HASH_ROUNDS, KEYED_HASH_LAST_ROUNDS);
}

uint32_t name_distance(const struct vmtap_name *name)
{
	struct name_table *names = atomic_load_explicit(&table, memory_order_acquire);
	struct intern_table *all = atomic_load_explicit(&interned, memory_order_acquire);

	if (!names || !all)
		return 0;
	for (uint32_t first = first_slot(all, name->text, name->length), i = 0;; i++) {
		uint32_t taken = atomic_load(&all->slots[(first + i) & all->mask]);
		if (!taken || names->arena + taken - 1 == (const char *)name)
			return i;
	}
}

struct vmtap_name *vmtap_name_intern(const char *text, size_t size)
{
	static struct vmtap_name no_room = VMTAP_NAME("(no room for names)");
	struct name_table *names = table_get();
	struct intern_table *all = names ? interned_get(names) : NULL;
	uint32_t length = size < NAME_LENGTH_MAX ? (uint32_t)size : NAME_LENGTH_MAX;
	uint32_t made = 0;

	if (!all)
		return &no_room;
	for (uint32_t i = first_slot(all, text, length);; i++) {
		_Atomic uint32_t *slot = &all->slots[i & all->mask];
		uint32_t taken = atomic_load_explicit(slot, memory_order_acquire);
		struct vmtap_name *name;

		if (!taken && !made) {
			made = make_name(names, text, length);
			if (!made)
				return &no_room;
			TEST_POINT("name-made");
		}
		/* Release: the name is complete before it can be found. */
		if (!taken &&
			atomic_compare_exchange_strong_explicit(
				slot, &taken, made, memory_order_release, memory_order_acquire))
			taken = made;
		name = (struct vmtap_name *)(void *)(names->arena + taken - 1);
		if (name->length == length && memcmp(name->text, text, length) == 0)
			return name;
	}
}

const char *name_text(uint32_t id, uint32_t *length)
{
	struct name_table *names = atomic_load_explicit(&table, memory_order_acquire);

	if (!names || id == 0 || id >= names->capacity) {
		*length = 0;
		return "";
	}
	memcpy(length, names->arena + names->offsets[id], sizeof(*length));
	return names->arena + names->offsets[id] + sizeof(*length);
}

uint32_t name_capacity(void)
{
	struct name_table *names = atomic_load_explicit(&table, memory_order_acquire);

	return names ? names->capacity : atomic_load(&limit) / NAME_BYTES_PER_ID;
}
