/*
 * lua_state.h: what the module knows of a Lua state: its coroutines, the frames that they are in,
 * the names of its functions, and what is being traced of it.
 *
 * A struct traced_state belongs to one lua_State with all its coroutines, and lives from the
 * module's loading until lua_close(). All of it is used on the one OS thread that runs the state,
 * with three exceptions: changed and is_due are set by vmtap's thread, and the signal handler,
 * which interrupts that OS thread, uses resumption, busy and what is armed.
 *
 * While nothing is traced the state has no hook and no allocator of ours. Then only the wrappers of
 * coroutine.create, wrap, resume, close and of debug.sethook and gethook are there, and each goes
 * on to what it wraps.
 */
#ifndef VMTAP_MODULES_LUA_STATE_H
#define VMTAP_MODULES_LUA_STATE_H

#include <lauxlib.h>
#include <lua.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <vmtap.h>

#include "lua_probes.h"

/* A hook of the program's own, as lua_sethook() takes it. */
struct program_hook {
	lua_Hook hook;
	int mask;
	int count;
};

/* Functions of Lua's libraries whose calls are events. */
enum library_role {
	ROLE_NONE,
	ROLE_REQUIRE,
	ROLE_SEARCHER,
	ROLE_LOAD,     /* load: parses a string, or what a function returns */
	ROLE_LOADFILE, /* loadfile: parses a file */
	ROLE_DOFILE,   /* dofile: parses a file and calls it */
	ROLE_PROTECTED,
	ROLE_ERROR,
	ROLE_ASSERT,
	ROLE_COLLECT,
	ROLE_SETMETATABLE,
	ROLE_WARN,
	ROLE_COUNT
};

enum { ROLE_FUNCTIONS = 24, METHOD_BUCKETS = 4096 };

/* A function, by its definition. */
struct method {
	struct method *next;
	const void *key; /* a C function, or the text of a Lua function's source */
	int line;
	int last_line;
	uint8_t is_native;
	uint8_t is_named;
	uint8_t tries; /* to find a name */
	uint8_t role;  /* enum library_role */
	struct vmtap_name *class;
	struct vmtap_name *name;
	struct vmtap_name *file; /* the file that defines it; "(native)" */
	char shown[LUA_IDSIZE];  /* short_src of its source */
};

/* A call that has not returned. */
struct lua_frame {
	const void *id; /* Lua's: different in all frames of a thread at a time */
	struct method *method;
	struct vmtap_name *name; /* the method's name when it was entered */
	struct vmtap_name *file; /* the file of the call */
	char *text;              /* what a library function was asked for; NULL */
	uint64_t before;         /* collectgarbage: the bytes in use before */
	int line;
	uint8_t is_silent; /* entered before it was traced: its return is no event */
	uint8_t phase;     /* how far a library function is, see lua_library.c */
};

/* A coroutine, or the main thread. */
struct thread {
	struct thread *next;
	lua_State *L;
	uint32_t number;
	uint32_t mark;
	bool is_hooked;
	bool is_armed; /* a count event is due that only we have asked for */
	struct program_hook program;
	struct lua_frame *frames;
	uint32_t count;
	uint32_t capacity;
};

/* A resume in progress, on the C stack of the wrapper that makes it. */
struct resumption {
	struct resumption *previous;
	lua_State *coroutine;
};

/* What the wrappers wrap. */
struct originals {
	lua_CFunction create;
	lua_CFunction resume;
	lua_CFunction close;
	lua_CFunction sethook;
	lua_CFunction gethook;
};

struct object_table;

struct traced_state {
	struct traced_state *next;        /* of this OS thread */
	struct traced_state *next_of_all; /* of the process */
	lua_State *main;
	const void *registry; /* the same for all coroutines of a state */
	pid_t os_thread;
	const void *thread_mark; /* its address of state_thread_mark */
	uint16_t cap;
	uint32_t instance;
	uint32_t main_number; /* of the main thread */
	bool is_closed;
	bool is_moved; /* another OS thread has run it: it gets no signal */

	/* shared with the signal handler */
	struct resumption *volatile resumption; /* the innermost; NULL: the main thread runs */
	volatile sig_atomic_t busy;             /* hooks are being exchanged */
	lua_State *volatile armed;              /* the thread that has the switching hook */
	struct program_hook armed_program;      /* what it had before */
	int changed;                            /* atomic: guards may have opened or closed */
	int is_due;                             /* atomic: a sample is, or a dump */

	bool is_awaited; /* a dump waits for this state; atomic, set with change_lock */

	/* what is traced */
	bool traces_threads;
	bool traces_calls;
	bool traces_memory;
	bool traces_objects; /* the classes of objects are kept until they are freed */
	bool traces_finalizers;
	bool has_sentinel;
	bool wants_stacks; /* somebody has asked for one */

	/* for the walker of stacks */
	const struct thread *unwinding; /* whose frames fire their returns; Lua has left them */
	lua_State *traced; /* whose events are fired; NULL: those of the one that runs */

	struct thread **buckets; /* by lua_State */
	uint32_t bucket_count;   /* a power of two, or 0 */
	uint32_t thread_count;
	uint32_t mark;
	struct thread *last; /* the one that was looked up last */
	struct thread *main_thread;

	struct method **methods;
	uint32_t method_count;
	struct {
		lua_CFunction function;
		enum library_role role;
	} roles[ROLE_FUNCTIONS];
	uint32_t role_count;

	bool has_raised; /* an error is on its way, and its raise has been fired */

	lua_Alloc allocate;
	void *allocate_data;
	uint64_t allocated;
	uint32_t string_overhead;
	struct object_table *objects;

	bool has_collected;   /* a collection was noticed that was not reported yet */
	uint64_t collections; /* that were noticed */
	uint64_t requested;   /* that were asked for */
	uint32_t collecting;  /* calls of collectgarbage("collect") in progress */

	struct originals originals;
};

/* Registry keys of ours: the addresses of these. */
extern char state_key, threads_key, loaded_key, name_field_key, index_field_key, gc_field_key,
	sentinel_key, finalizers_key;

extern VMTAP_HIDDEN __thread char state_thread_mark;

/* The state that has run last on this OS thread: the one whose events are fired. */
extern VMTAP_HIDDEN __thread struct traced_state *state_firing;

extern struct vmtap_name name_native, name_none, name_anonymous, name_gc, name_request;

/* The state of this lua_State; NULL: it has none, or it is closed. */
struct traced_state *state_of(lua_State *L);
/* The same for one that may not have loaded the module. */
struct traced_state *state_search(lua_State *L);

/* The same for the wrappers, of a closed state too. Never NULL. */
const struct originals *state_originals(const struct traced_state *state);
void state_keep_originals(const struct originals *originals);

/* Makes the state of L and its coroutines, and leaves a value on L's stack. Raises Lua errors. */
struct traced_state *state_open(lua_State *L);

/* Fires what begins with the state, and traces what is requested. */
void state_begin(struct traced_state *state, lua_State *L);

/* Brings hooks, allocator and wrappers of finalizers into agreement with the guards. L is the
 * thread that runs, in a C function or a hook. Raises no error. */
void state_switch(struct traced_state *state, lua_State *L);

/* The same if guards may have changed since the last time. */
static inline void state_follow(struct traced_state *state, lua_State *L)
{
	if (__builtin_expect(__atomic_load_n(&state->changed, __ATOMIC_RELAXED), 0))
		state_switch(state, L);
}

/* Fires what ends with the program, on the OS thread that calls exit(). */
void state_end_all(void);

/* The thread that runs, as far as the wrappers know; it is alive. */
static inline lua_State *state_running(const struct traced_state *state)
{
	const struct resumption *resumption = state->resumption;

	return resumption ? resumption->coroutine : state->main;
}

#endif
