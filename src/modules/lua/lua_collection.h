/*
 * lua_collection.h: the end of a collection, by an object whose finalizer Lua calls after it and
 * which then is made anew; and finalizers, by functions around those of metatables.
 */
#ifndef VMTAP_MODULES_LUA_COLLECTION_H
#define VMTAP_MODULES_LUA_COLLECTION_H

#include "modules/lua/lua_state.h"

/* Once, when the module is loaded. May raise a Lua error. */
void collection_open(lua_State *L);

/* Makes the object, if there is none. Raises no error. */
void collection_watch(struct traced_state *state, lua_State *L);

/* Wraps the finalizers of the libraries' metatables, or of one metatable; and puts all back. Raise
 * no error. */
void collection_wrap_all(struct traced_state *state, lua_State *L);
void collection_wrap(lua_State *L, int metatable);
void collection_unwrap_all(struct traced_state *state, lua_State *L);

uint64_t collection_bytes(lua_State *L);

#endif
