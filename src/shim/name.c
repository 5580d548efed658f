/*
 * name.c: see name.h. Ids are dense from NAME_FIRST on; offsets[id] is the position of its
 * length and text in the arena. A thread that loses the race for a name wastes the id it has
 * taken, which costs a few bytes of the table.
 */
#include "shim/name.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/test_point.h"
#include "shim/budget.h"

enum {
	NAME_BYTES_MIN = 64 << 10,
	NAME_SHARE = 8,         /* the texts take at most one part in so many of the budget */
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

static struct name_table *_Atomic table;
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

uint32_t name_take(struct vmtap_name *name)
{
	struct name_table *names = table_get();
	uint32_t length = name->length < NAME_LENGTH_MAX ? name->length : NAME_LENGTH_MAX;
	uint32_t need = (uint32_t)(sizeof(length) + length + 1 + NAME_ALIGN - 1) &
		~(uint32_t)(NAME_ALIGN - 1);
	uint32_t at, id, none = 0;

	if (!names)
		return 0;
	at = atomic_load_explicit(&names->used, memory_order_relaxed);
	do
		if (need > names->bytes - at)
			return 0;
	while (!atomic_compare_exchange_weak(&names->used, &at, at + need));
	id = atomic_load_explicit(&names->next_id, memory_order_relaxed);
	do
		if (id >= names->capacity)
			return 0;
	while (!atomic_compare_exchange_weak(&names->next_id, &id, id + 1));
	TEST_POINT("name-number-taken");
	memcpy(names->arena + at, &length, sizeof(length));
	memcpy(names->arena + at + sizeof(length), name->text, length);
	names->offsets[id] = at;
	/* Release: the text and the offset are visible before the id. */
	if (__atomic_compare_exchange_n(
		    &name->id, &none, id, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		return id;
	return none;
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
