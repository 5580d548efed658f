/*
 * lua_memory.h: objects and other blocks of memory, by an allocator around the state's own. Lua
 * tells an allocator the type of each new object, but not of those that it frees, so their types
 * are kept.
 */
#ifndef VMTAP_MODULES_LUA_MEMORY_H
#define VMTAP_MODULES_LUA_MEMORY_H

#include "modules/lua/lua_state.h"

void memory_begin(struct traced_state *state, lua_State *L);
void memory_end(struct traced_state *state, lua_State *L);
void memory_keep_objects(struct traced_state *state, bool keep);

#endif
