/*
 * lua_library.h: the calls of functions of Lua's libraries that are events of their own: require,
 * load, pcall, error, collectgarbage, setmetatable.
 */
#ifndef VMTAP_MODULES_LUA_LIBRARY_H
#define VMTAP_MODULES_LUA_LIBRARY_H

#include "modules/lua/lua_thread.h"

/* Finds the functions among what is loaded. */
void library_find(struct traced_state *state, lua_State *L);
enum library_role library_role_of(const struct traced_state *state, lua_CFunction function);

/* After a call's native-entry. below is the frame of the caller; NULL: there is none. */
void library_enter(struct traced_state *state, struct thread *thread, struct lua_frame *frame,
	lua_State *L, lua_Debug *ar);
/* Before a function is entered that this frame of a library function calls. */
void library_call(struct traced_state *state, struct lua_frame *frame, const struct method *callee);
/* At a return of Lua's, before frames above this one are unwound. */
void library_results(struct traced_state *state, struct thread *thread, uint32_t index,
	lua_State *L, lua_Debug *ar);
/* Before its native-return. */
void library_leave(
	struct traced_state *state, struct thread *thread, struct lua_frame *frame, bool by_error);

#endif
