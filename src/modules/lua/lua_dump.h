/*
 * lua_dump.h: what all coroutines are doing, when a tracer asks for it (vmtap dump).
 *
 * A thread's stack can be read only on the OS thread that runs its state, between two instructions.
 * So each state writes down its own threads in the switching hook, and the one that answers last
 * fires vm:::thread-dump for all. A state that runs C code does not come to its hook: after a
 * second its main thread is shown without a stack. A thread that lives only while a dump is being
 * made watches for that.
 */
#ifndef VMTAP_MODULES_LUA_DUMP_H
#define VMTAP_MODULES_LUA_DUMP_H

#include "modules/lua/lua_state.h"

/* On vmtap's thread, after the states have been notified: watches that a dump is made in time. */
void dump_watch(void);

/* Writes down the threads of a state, if a dump is being made. L is the thread that runs, in a C
 * function or a hook. Raises no error. */
void dump_answer(struct traced_state *state, lua_State *L);

/* The state ends: no dump waits for it. */
void dump_forget(struct traced_state *state);

/* The walker of the thread that is being fired. False: none is. */
bool dump_walk(struct vmtap_stack *stack);

/* In the child of fork(), with change_lock. */
void dump_fork_child(void);

#endif
