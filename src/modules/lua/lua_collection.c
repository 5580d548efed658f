/* lua_collection.c: see lua_collection.h. */
#include "modules/lua/lua_collection.h"

#include <string.h>

#include "modules/lua/lua_hook.h"
#include "modules/lua/lua_method.h"

char sentinel_key, finalizers_key;

uint64_t collection_bytes(lua_State *L)
{
	int kilobytes = lua_gc(L, LUA_GCCOUNT);

	/* Lua does not tell while it calls a finalizer */
	return kilobytes < 0 ? 0 : (uint64_t)kilobytes * 1024 + (uint64_t)lua_gc(L, LUA_GCCOUNTB);
}

/* ---- the end of a collection ---- */

/* A Lua function. */
static int make_sentinel(lua_State *L)
{
	lua_newuserdatauv(L, 0, 0);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &sentinel_key);
	lua_setmetatable(L, -2);
	return 0;
}

void collection_watch(struct traced_state *state, lua_State *L)
{
	if (state->has_sentinel)
		return;
	state->has_sentinel = true;
	lua_pushcfunction(L, make_sentinel);
	state->has_sentinel = hook_quiet_call(state, L, 0);
}

/* Lua tells no sizes while it calls a finalizer, so the event is fired at the next instruction. */
static int sentinel_finalizer(lua_State *L)
{
	struct traced_state *state = state_of(L);

	if (!state)
		return 0;
	state->has_sentinel = false;
	if (!state->traces_threads)
		return 0;
	state->has_collected = true;
	collection_watch(state, L);
	__atomic_store_n(&state->changed, 1, __ATOMIC_RELAXED);
	hook_arm(state);
	return 0;
}

/* ---- finalizers ---- */

static bool is_called_by_collector(lua_State *L)
{
	lua_Debug ar;

	return lua_getstack(L, 0, &ar) && lua_getinfo(L, "n", &ar) && ar.name &&
		!strcmp(ar.name, "__gc") && !strcmp(ar.namewhat, "metamethod");
}

/* Takes the place of a metatable's finalizer, which is the upvalue. */
static int call_finalizer(lua_State *L)
{
	struct traced_state *state = state_of(L);
	bool is_event = state && (VMTAP_FINALIZE_BEGIN_ENABLED() || VMTAP_FINALIZE_END_ENABLED()) &&
		is_called_by_collector(L);
	uintptr_t address = (uintptr_t)lua_topointer(L, 1);
	struct vmtap_name *class = NULL;
	int status;

	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	if (!is_event) {
		lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
		return lua_gettop(L);
	}
	class = method_class_of(L, 2);
	VMTAP_FINALIZE_BEGIN(state->cap, class, address);
	status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
	VMTAP_FINALIZE_END(state->cap, class, address);
	return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

void collection_wrap(lua_State *L, int metatable)
{
	int top = lua_gettop(L);

	lua_rawgetp(L, LUA_REGISTRYINDEX, &finalizers_key);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &gc_field_key);
	lua_pushvalue(L, -1);
	if (lua_rawget(L, metatable) == LUA_TFUNCTION && lua_tocfunction(L, -1) != call_finalizer) {
		lua_pushvalue(L, metatable);
		lua_pushboolean(L, 1);
		lua_rawset(L, top + 1);
		lua_pushcclosure(L, call_finalizer, 1);
		lua_rawset(L, metatable);
	}
	lua_settop(L, top);
}

/* A Lua function: the metatables that libraries have registered. */
static int wrap_registered(lua_State *L)
{
	lua_pushnil(L);
	while (lua_next(L, LUA_REGISTRYINDEX)) {
		if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1))
			collection_wrap(L, lua_gettop(L));
		lua_pop(L, 1);
	}
	return 0;
}

void collection_wrap_all(struct traced_state *state, lua_State *L)
{
	state->traces_finalizers = true;
	lua_pushcfunction(L, wrap_registered);
	hook_quiet_call(state, L, 0);
}

/* A Lua function: only sets fields that are there, so it needs no memory. */
static int unwrap_all(lua_State *L)
{
	lua_settop(L, 0);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &finalizers_key);
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		lua_pop(L, 1);
		lua_rawgetp(L, LUA_REGISTRYINDEX, &gc_field_key);
		if (lua_rawget(L, 2) == LUA_TFUNCTION && lua_tocfunction(L, -1) == call_finalizer &&
			lua_getupvalue(L, -1, 1)) {
			lua_rawgetp(L, LUA_REGISTRYINDEX, &gc_field_key);
			lua_insert(L, -2);
			lua_rawset(L, 2);
		}
		lua_settop(L, 2);
	}
	return 0;
}

void collection_unwrap_all(struct traced_state *state, lua_State *L)
{
	state->traces_finalizers = false;
	lua_pushcfunction(L, unwrap_all);
	hook_quiet_call(state, L, 0);
}

static void weak_table(lua_State *L, void *key)
{
	lua_newtable(L);
	lua_newtable(L);
	lua_pushliteral(L, "k");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void collection_open(lua_State *L)
{
	weak_table(L, &threads_key);
	weak_table(L, &finalizers_key);
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, sentinel_finalizer);
	lua_setfield(L, -2, "__gc");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &sentinel_key);
}
