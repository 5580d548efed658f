/*
 * lua_hook.h: our hook in a thread, and the program's own beside it.
 *
 * A thread has one hook. While calls are traced it is ours, which passes on the events that the
 * program's hook is for. debug.sethook and debug.gethook are wrapped: they see the program's.
 */
#ifndef VMTAP_MODULES_LUA_HOOK_H
#define VMTAP_MODULES_LUA_HOOK_H

#include "modules/lua/lua_thread.h"

/* Puts our hook into a thread that has a record, and takes its frames. Nothing if it is there. */
void hook_install(struct traced_state *state, struct thread *thread, lua_State *L);

/* Puts the program's hook back. */
void hook_remove(struct traced_state *state, struct thread *thread, lua_State *L);

/* The hook that the signal handler puts into the thread that runs: at its first event it puts the
 * program's back and follows the change. */
void hook_arm(struct traced_state *state);
void hook_disarm(struct traced_state *state);

/* Moves it to the thread that runs now: a resume has begun or ended. */
void hook_move(struct traced_state *state);

/* While hooks are exchanged the signal handler only leaves its mark. hook_release() then does what
 * the handler would have done. */
static inline void hook_hold(struct traced_state *state)
{
	state->busy++;
}
void hook_release(struct traced_state *state);

/* lua_pcall() of a function of ours, with no results, which is no event of anybody's. Raises no
 * error, and leaves none. Whether it has succeeded. */
bool hook_quiet_call(struct traced_state *state, lua_State *L, int arguments);

/* Whether the thread's hook is one of ours. */
bool hook_is_ours(lua_State *L);

int hook_sethook(lua_State *L);
int hook_gethook(lua_State *L);

#endif
