/*
 * lua_stack.h: the stack of the Lua program, for jstack(). vmtap asks for it where an event is
 * fired, and only if a script wants it.
 */
#ifndef VMTAP_MODULES_LUA_STACK_H
#define VMTAP_MODULES_LUA_STACK_H

#include "modules/lua/lua_state.h"

/* Once per process, before vmtap_start(). 0, or a negative errno. */
int stack_open(void);

/* Knows the functions that the thread is in, so that a stack that is asked for next has their
 * names. Only reads the thread's stack. Nothing before the first stack was asked for. */
void stack_prepare(struct traced_state *state, lua_State *L);

#endif
