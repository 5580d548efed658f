/*
 * lua_change.h: how a state learns that guards have opened or closed, or that a sample is due.
 * vmtap's thread sends SIGURG to the OS thread of each state. The handler puts a count hook into
 * the thread that runs, and the change is followed in that hook, at the next instruction of Lua
 * code.
 */
#ifndef VMTAP_MODULES_LUA_CHANGE_H
#define VMTAP_MODULES_LUA_CHANGE_H

#include <pthread.h>

#include "modules/lua/lua_state.h"

/* Once per process. 0, or a negative errno. */
int change_open(void);

/* Samples by time are due, or a dump is: on vmtap's thread. */
void change_sample(void);
/* A sample of this thread is due: in a signal handler. */
void change_due(void *context);
/* The same with change_lock, on any thread. */
void change_notify(void);

/* The list of all states, which vmtap's thread reads, and its lock. */
extern VMTAP_HIDDEN pthread_mutex_t change_lock;
struct traced_state *change_first(void);
void change_add(struct traced_state *state);
/* Whether the state can be freed: false on another OS thread than change_add(). */
bool change_remove(struct traced_state *state);

/* The states of this OS thread. */
extern VMTAP_HIDDEN __thread struct traced_state *change_own;

static inline struct traced_state *change_states(void)
{
	return change_own;
}

/* A search in the states of all threads. */
struct traced_state *change_search(const void *registry);

#endif
