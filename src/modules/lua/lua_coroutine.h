/*
 * lua_coroutine.h: the wrappers of coroutine.create, wrap, resume and close. They know which
 * coroutine runs, which Lua does not tell, and fire the events of threads.
 */
#ifndef VMTAP_MODULES_LUA_COROUTINE_H
#define VMTAP_MODULES_LUA_COROUTINE_H

#include "modules/lua/lua_state.h"

/* When the module is loaded. May raise a Lua error. */
void coroutine_open(lua_State *L);

int coroutine_create(lua_State *L);
int coroutine_wrap(lua_State *L);
int coroutine_resume(lua_State *L);
int coroutine_close(lua_State *L);

#endif
