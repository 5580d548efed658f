/*
 * memory.h: objects and other blocks of memory, by an allocator around the state's own. Lua tells
 * an allocator the type of each new object, but not of those that it frees, so their types are
 * kept.
 */
#ifndef LUA_EXAMPLE_MEMORY_H
#define LUA_EXAMPLE_MEMORY_H

#include "state.h"

void memory_begin(struct state *state, lua_State *L);
void memory_end(struct state *state, lua_State *L);
void memory_keep_objects(struct state *state, bool keep);

#endif
