/*
 * lua_search.h: the coroutines that a program can reach, for a dump: a program that nobody traces
 * keeps no list of them. The search follows tables, upvalues, local variables, metatables and the
 * values of userdata. It only reads, and ends after a number of values, so that the program does
 * not stop for long.
 */
#ifndef VMTAP_MODULES_LUA_SEARCH_H
#define VMTAP_MODULES_LUA_SEARCH_H

#include "modules/lua/lua_state.h"

/* Makes a record of each coroutine that is found and has not ended. L is the thread that runs.
 * Raises no error. */
void search_coroutines(struct traced_state *state, lua_State *L);

#endif
