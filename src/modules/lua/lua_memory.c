/*
 * lua_memory.c: see lua_memory.h.
 *
 * The allocator may be called in the middle of anything, so it only reads: the position is that of
 * the innermost Lua frame of the thread that the wrappers know to run. It is not looked up when a
 * block is resized, because that block may be the stack.
 */
#include "modules/lua/lua_memory.h"

#include <stdlib.h>

#include "modules/lua/lua_collection.h"
#include "modules/lua/lua_hook.h"
#include "modules/lua/lua_stack.h"

enum { TABLE_FIRST = 1024, MEASURED = 1000 };
enum { TYPE_UPVALUE = LUA_NUMTYPES, TYPE_PROTOTYPE, TYPES };

static struct vmtap_name type_names[TYPES] = {[LUA_TSTRING] = VMTAP_NAME("string"),
	[LUA_TTABLE] = VMTAP_NAME("table"),
	[LUA_TFUNCTION] = VMTAP_NAME("function"),
	[LUA_TUSERDATA] = VMTAP_NAME("userdata"),
	[LUA_TTHREAD] = VMTAP_NAME("thread"),
	[TYPE_UPVALUE] = VMTAP_NAME("upvalue"),
	[TYPE_PROTOTYPE] = VMTAP_NAME("prototype")};

/* ---- the types of living objects ---- */

/* Open addressing; an address of 0 is a free slot. */
struct object_table {
	uint32_t count;
	uint32_t capacity;
	uint8_t *types;
	uintptr_t addresses[];
};

static uint32_t home_of(const struct object_table *table, uintptr_t address)
{
	return (uint32_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
		(table->capacity - 1);
}

static struct object_table *new_table(uint32_t capacity)
{
	struct object_table *table =
		calloc(1, sizeof(*table) + (size_t)capacity * (sizeof(uintptr_t) + 1));

	if (!table)
		return NULL;
	table->capacity = capacity;
	table->types = (uint8_t *)&table->addresses[capacity];
	return table;
}

static void put(struct object_table *table, uintptr_t address, uint8_t type)
{
	uint32_t at = home_of(table, address);

	while (table->addresses[at] && table->addresses[at] != address)
		at = (at + 1) & (table->capacity - 1);
	if (!table->addresses[at])
		table->count++;
	table->addresses[at] = address;
	table->types[at] = type;
}

/* Without memory the object is not kept, and its end will not be known. */
static void keep(struct traced_state *state, const void *object, uint8_t type)
{
	struct object_table *table = state->objects;

	if (!table || table->count >= table->capacity / 4 * 3) {
		struct object_table *grown =
			new_table(table ? table->capacity * 2 : (uint32_t)TABLE_FIRST);

		if (!grown && (!table || table->count >= table->capacity - 1))
			return;
		for (uint32_t i = 0; grown && table && i < table->capacity; i++)
			if (table->addresses[i])
				put(grown, table->addresses[i], table->types[i]);
		if (grown) {
			free(table);
			state->objects = table = grown;
		}
	}
	put(table, (uintptr_t)object, type);
}

/* The type of an object, which is forgotten; 0: it was not kept. */
static uint8_t forget(struct traced_state *state, const void *object)
{
	struct object_table *table = state->objects;
	uint32_t at, next, mask;
	uint8_t type;

	if (!table)
		return 0;
	mask = table->capacity - 1;
	at = home_of(table, (uintptr_t)object);
	while (table->addresses[at] && table->addresses[at] != (uintptr_t)object)
		at = (at + 1) & mask;
	if (!table->addresses[at])
		return 0;
	type = table->types[at];
	table->count--;
	for (next = (at + 1) & mask; table->addresses[next]; next = (next + 1) & mask) {
		uint32_t home = home_of(table, table->addresses[next]);

		if (((next - home) & mask) < ((next - at) & mask))
			continue;
		table->addresses[at] = table->addresses[next];
		table->types[at] = table->types[next];
		at = next;
	}
	table->addresses[at] = 0;
	return type;
}

/* ---- the allocator ---- */

/* Samples by bytes, of all blocks of memory. */
static void count_bytes(struct traced_state *state, size_t bytes)
{
	lua_State *L = state_running(state);
	uint64_t weight;

	if (!VMTAP_OBJECT_CREATE_ENABLED() && !VMTAP_STRING_CREATE_ENABLED() &&
		!VMTAP_HASH_CREATE_ENABLED())
		return;
	weight = vmtap_sample_allocated(bytes);
	if (!weight)
		return;
	stack_prepare(state, L);
	VMTAP_SAMPLE(state->cap, thread_number(state, L), weight);
}

static void created(struct traced_state *state, const void *object, size_t type, size_t bytes)
{
	lua_State *L = state_running(state);
	struct vmtap_name *file = &name_native, *class;
	int line = 0;

	if (type < LUA_TSTRING || type >= TYPES) {
		LUA_MEMORY_ALLOCATE((uintptr_t)object, bytes);
		return;
	}
	class = &type_names[type];
	if (state->traces_objects)
		keep(state, object, (uint8_t)type);
	if (VMTAP_OBJECT_CREATE_ENABLED() || VMTAP_STRING_CREATE_ENABLED() ||
		VMTAP_HASH_CREATE_ENABLED()) {
		file = thread_place(state, L, &line);
		stack_prepare(state, L);
	}
	if (type == LUA_TSTRING)
		VMTAP_STRING_CREATE((long)(bytes - state->string_overhead), file, line, bytes,
			class, thread_number(state, L), (uintptr_t)object);
	else if (type == LUA_TTABLE)
		VMTAP_HASH_CREATE(
			0, file, line, bytes, class, thread_number(state, L), (uintptr_t)object);
	else
		VMTAP_OBJECT_CREATE(
			class, bytes, file, line, thread_number(state, L), (uintptr_t)object);
}

static void freed(struct traced_state *state, const void *block, size_t bytes)
{
	uint8_t type = state->traces_objects ? forget(state, block) : 0;

	if (type)
		VMTAP_OBJECT_FREE(&type_names[type], bytes, (uintptr_t)block);
	else
		LUA_MEMORY_FREE((uintptr_t)block, bytes);
}

static void *allocate(void *data, void *block, size_t old_size, size_t size)
{
	struct traced_state *state = data;
	uintptr_t address = (uintptr_t)block;
	void *result;

	if (state->is_closed)
		return state->allocate(state->allocate_data, block, old_size, size);
	state_firing = state;
	if (block && !size)
		freed(state, block, old_size);
	result = state->allocate(state->allocate_data, block, old_size, size);
	if (!result || !size)
		return result;
	if (!block) {
		state->allocated += size;
		count_bytes(state, size);
		created(state, result, old_size, size);
	} else {
		if (size > old_size)
			state->allocated += size - old_size;
		LUA_MEMORY_RESIZE(address, (uintptr_t)result, old_size, size);
	}
	return result;
}

/* ---- beginning and end ---- */

/* A Lua function: makes a string whose size the allocator sees. */
static int make_string(lua_State *L)
{
	char text[MEASURED];

	for (int i = 0; i < MEASURED; i++)
		text[i] = 'x';
	lua_pushlstring(L, text, sizeof(text));
	return 0;
}

static void *measure(void *data, void *block, size_t old_size, size_t size)
{
	struct traced_state *state = data;

	if (!block && old_size == LUA_TSTRING && size > MEASURED && size < 2 * MEASURED)
		state->string_overhead = (uint32_t)(size - MEASURED);
	return state->allocate(state->allocate_data, block, old_size, size);
}

void memory_begin(struct traced_state *state, lua_State *L)
{
	uint64_t now = collection_bytes(L);

	if (state->allocated < now)
		state->allocated = now; /* at least this was allocated before counting began */
	state->allocate = lua_getallocf(L, &state->allocate_data);
	if (!state->string_overhead) {
		state->string_overhead = 1;
		lua_setallocf(L, measure, state);
		lua_pushcfunction(L, make_string);
		hook_quiet_call(state, L, 0);
	}
	lua_setallocf(L, allocate, state);
}

void memory_end(struct traced_state *state, lua_State *L)
{
	void *data;

	/* not if somebody has put another allocator around ours */
	if (lua_getallocf(L, &data) == allocate && data == state)
		lua_setallocf(L, state->allocate, state->allocate_data);
}

void memory_keep_objects(struct traced_state *state, bool keep)
{
	state->traces_objects = keep;
	if (keep)
		return;
	free(state->objects);
	state->objects = NULL;
}
