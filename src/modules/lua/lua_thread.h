/*
 * lua_thread.h: the coroutines of a state and the frames that each is in.
 *
 * Lua tells of a call and of a return, but not of frames that an error unwinds, nor of those of a
 * coroutine that is closed or collected. So each thread has a stack of its own here, which is
 * compared with Lua's at each event, and frames that are gone fire their returns then.
 */
#ifndef VMTAP_MODULES_LUA_THREAD_H
#define VMTAP_MODULES_LUA_THREAD_H

#include "modules/lua/lua_state.h"

/* The record of a thread; NULL: there is none. */
struct thread *thread_find(struct traced_state *state, lua_State *L);

/* The same, made if there is none; NULL: no memory. Raises no error. L must have room for five
 * values on its stack, or not be running. by is the thread that runs. */
struct thread *thread_know(struct traced_state *state, lua_State *L, lua_State *by);

/* As thread_know(), for a coroutine that has just been created by another. Fires thread-create. */
struct thread *thread_create(struct traced_state *state, lua_State *L, lua_State *by);

/* As thread_know(), for a thread whose record may be that of another, which had its address and was
 * collected while nothing was traced. */
struct thread *thread_identify(struct traced_state *state, lua_State *L, lua_State *by);

/* Makes room for ten values on the thread's stack. False: no memory. */
bool thread_has_room(lua_State *L);

/* Whether it has returned, or failed. False for one that has not begun. */
bool thread_has_ended(lua_State *L);

/* How many frames Lua has for the thread. */
int thread_depth(lua_State *L);

/* The number of a thread, 0 if it has no record. */
uint32_t thread_number(struct traced_state *state, lua_State *L);

/* Fires the returns of all frames, and thread-exit, and frees the record. */
void thread_exit(struct traced_state *state, struct thread *thread);

/* Does so for all coroutines that Lua has collected. Raises no error. */
void thread_collect(struct traced_state *state, lua_State *L);

/* Takes the frames that the thread is in, without firing. */
void thread_take_frames(struct traced_state *state, struct thread *thread, lua_State *L);
void thread_forget_frames(struct thread *thread);

/* An event of the hook: a call, a tail call, a return. */
void thread_enter(struct traced_state *state, struct thread *thread, lua_State *L, lua_Debug *ar);
void thread_leave(struct traced_state *state, struct thread *thread, lua_State *L, lua_Debug *ar);

/* Fires the returns of the frames from this one on. */
void thread_unwind(
	struct traced_state *state, struct thread *thread, uint32_t count, bool by_error);

/* Fires raise, for an error whose frames are to be unwound down to count, unless that was done. */
void thread_raise(
	struct traced_state *state, struct thread *thread, uint32_t count, lua_State *L, int value);

/* The file and line of the innermost Lua frame of a thread, "(native)" and 0 if there is none. */
struct vmtap_name *thread_place(struct traced_state *state, lua_State *L, int *line);

void thread_free_all(struct traced_state *state);

#endif
