/*
 * lua_search.c: see lua_search.h.
 *
 * Values cannot be kept for later except on Lua's stack, so the search goes into depth, to a limit.
 * A value that is reached again by a shorter way is searched again.
 */
#include "modules/lua/lua_search.h"

#include <stdlib.h>
#include <string.h>

#include "modules/lua/lua_thread.h"

enum { DEPTH_MAX = 40, SLOTS_PER_LEVEL = 4, STEPS_MAX = 500000, SEEN_FIRST = 1024 };

struct seen {
	const void *value;
	int depth;
};

struct coroutine_search {
	struct traced_state *state;
	lua_State *L;
	uint32_t steps_left;
	struct seen *seen; /* by address; a power of two */
	uint32_t seen_capacity;
	uint32_t seen_count;
};

static void visit(struct coroutine_search *search, int depth);

/* ---- what has been seen ---- */

static struct seen *slot_of(const struct coroutine_search *search, const void *value)
{
	uint64_t hash = (uint64_t)(uintptr_t)value * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(hash >> 32);

	while (search->seen[i & (search->seen_capacity - 1)].value &&
		search->seen[i & (search->seen_capacity - 1)].value != value)
		i++;
	return &search->seen[i & (search->seen_capacity - 1)];
}

static bool search_grow(struct coroutine_search *search)
{
	struct seen *old = search->seen;
	uint32_t old_capacity = search->seen_capacity;

	search->seen_capacity = old_capacity ? old_capacity * 2 : SEEN_FIRST;
	search->seen = calloc(search->seen_capacity, sizeof(*old));
	if (!search->seen) {
		search->seen = old;
		search->seen_capacity = old_capacity;
		return false;
	}
	for (uint32_t i = 0; i < old_capacity; i++)
		if (old[i].value)
			*slot_of(search, old[i].value) = old[i];
	free(old);
	return true;
}

/* Whether the value is to be searched: not if that was done from the same depth or a lesser one. */
static bool see(struct coroutine_search *search, const void *value, int depth)
{
	struct seen *seen;

	if (search->seen_count >= search->seen_capacity / 2 && !search_grow(search))
		return false;
	seen = slot_of(search, value);
	if (seen->value && seen->depth <= depth)
		return false;
	search->seen_count += !seen->value;
	*seen = (struct seen){value, depth};
	return true;
}

/* ---- what a value refers to; the value is on the top of the stack, and stays there ---- */

/* Takes the referred value off the stack. */
static void visit_and_pop(struct coroutine_search *search, int depth)
{
	visit(search, depth + 1);
	lua_pop(search->L, 1);
}

static void visit_metatable(struct coroutine_search *search, int depth)
{
	if (lua_getmetatable(search->L, -1))
		visit_and_pop(search, depth);
}

static void visit_table(struct coroutine_search *search, int depth)
{
	lua_State *L = search->L;
	int table = lua_gettop(L);

	lua_pushnil(L);
	while (search->steps_left && lua_next(L, table)) {
		search->steps_left--;
		visit_and_pop(search, depth);
		visit(search, depth + 1); /* the key */
	}
	lua_settop(L, table);
}

static void visit_upvalues(struct coroutine_search *search, int depth)
{
	for (int i = 1; lua_getupvalue(search->L, -1, i); i++)
		visit_and_pop(search, depth);
}

static void visit_user_values(struct coroutine_search *search, int depth)
{
	for (int i = 1; lua_getiuservalue(search->L, -1, i) != LUA_TNONE; i++)
		visit_and_pop(search, depth);
	lua_pop(search->L, 1); /* the nil of the one that is not there */
}

/* A local variable, or a value of a C function. What a Lua function has only for a moment is left
 * out. */
static bool visit_local(
	struct coroutine_search *search, lua_State *thread, const lua_Debug *ar, int i, int depth)
{
	const char *name = lua_getlocal(thread, ar, i);

	if (!name)
		return false;
	if (thread != search->L)
		lua_xmove(thread, search->L, 1);
	if (strcmp(name, "(temporary)") != 0)
		visit(search, depth + 1);
	lua_pop(search->L, 1);
	return true;
}

static void visit_frames(struct coroutine_search *search, lua_State *thread, int depth)
{
	lua_Debug ar;

	if (!thread_has_room(thread))
		return;
	for (int level = 0; search->steps_left && lua_getstack(thread, level, &ar); level++) {
		search->steps_left--;
		lua_getinfo(thread, "f", &ar);
		if (thread != search->L)
			lua_xmove(thread, search->L, 1);
		visit_and_pop(search, depth);
		for (int i = 1; visit_local(search, thread, &ar, i, depth); i++)
			;
		for (int i = -1; visit_local(search, thread, &ar, i, depth); i--)
			;
	}
	if (thread == search->L || lua_status(thread) != LUA_OK || lua_getstack(thread, 0, &ar))
		return;
	/* one that has not begun: its function, and nothing if it has ended */
	for (int i = 1, count = lua_gettop(thread); i <= count; i++) {
		lua_pushvalue(thread, i);
		lua_xmove(thread, search->L, 1);
		visit_and_pop(search, depth);
	}
}

static void visit_thread(struct coroutine_search *search, int depth)
{
	lua_State *thread = lua_tothread(search->L, -1);

	if (thread_has_ended(thread))
		return;
	(void)thread_know(search->state, thread, search->L);
	visit_frames(search, thread, depth);
}

static void visit(struct coroutine_search *search, int depth)
{
	lua_State *L = search->L;
	int type = lua_type(L, -1);

	if (!search->steps_left || depth > DEPTH_MAX)
		return;
	if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA &&
		type != LUA_TTHREAD)
		return;
	search->steps_left--;
	if (!see(search, lua_topointer(L, -1), depth))
		return;
	if (type == LUA_TTHREAD)
		visit_thread(search, depth);
	if (type == LUA_TFUNCTION)
		visit_upvalues(search, depth);
	if (type == LUA_TUSERDATA)
		visit_user_values(search, depth);
	if (type == LUA_TTABLE || type == LUA_TUSERDATA)
		visit_metatable(search, depth);
	if (type == LUA_TTABLE)
		visit_table(search, depth);
}

void search_coroutines(struct traced_state *state, lua_State *L)
{
	struct coroutine_search search = {.state = state, .L = L, .steps_left = STEPS_MAX};
	int top = lua_gettop(L);

	if (!lua_checkstack(L, DEPTH_MAX * SLOTS_PER_LEVEL + LUA_MINSTACK))
		return;
	/* our list of them, which grows meanwhile */
	lua_rawgetp(L, LUA_REGISTRYINDEX, &threads_key);
	(void)see(&search, lua_topointer(L, -1), -1);
	lua_pop(L, 1);
	visit_frames(&search, L, 0);
	for (const struct resumption *resumption = state->resumption; resumption;
		resumption = resumption->previous)
		if (resumption->coroutine != L)
			visit_frames(&search, resumption->coroutine, 0);
	lua_pushvalue(L, LUA_REGISTRYINDEX);
	visit(&search, 0);
	lua_settop(L, top);
	free(search.seen);
}
