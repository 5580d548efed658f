/*
 * library.h: the calls of functions of Lua's libraries that are events of their own: require, load,
 * pcall, error, collectgarbage, setmetatable.
 */
#ifndef LUA_EXAMPLE_LIBRARY_H
#define LUA_EXAMPLE_LIBRARY_H

#include "thread.h"

/* Finds the functions among what is loaded. */
void library_find(struct state *state, lua_State *L);
enum library_role library_role_of(const struct state *state, lua_CFunction function);

/* After a call's native-entry. below is the frame of the caller; NULL: there is none. */
void library_enter(struct state *state, struct thread *thread, struct frame *frame, lua_State *L,
	lua_Debug *ar);
/* Before a function is entered that this frame of a library function calls. */
void library_call(struct state *state, struct frame *frame, const struct method *callee);
/* At a return of Lua's, before frames above this one are unwound. */
void library_results(
	struct state *state, struct thread *thread, uint32_t index, lua_State *L, lua_Debug *ar);
/* Before its native-return. */
void library_leave(struct state *state, struct thread *thread, struct frame *frame, bool by_error);

#endif
