/* lua_state.c: see lua_state.h. */
#include "modules/lua/lua_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "modules/lua/lua_change.h"
#include "modules/lua/lua_collection.h"
#include "modules/lua/lua_coroutine.h"
#include "modules/lua/lua_dump.h"
#include "modules/lua/lua_hook.h"
#include "modules/lua/lua_library.h"
#include "modules/lua/lua_memory.h"
#include "modules/lua/lua_method.h"
#include "modules/lua/lua_stack.h"

char state_key, threads_key, loaded_key, name_field_key, index_field_key, gc_field_key;

__thread char state_thread_mark;
__thread struct traced_state *state_firing;

static uint32_t instances; /* atomic: states so far */
static struct originals last_originals;

struct traced_state *state_search(lua_State *L)
{
	const void *registry = lua_topointer(L, LUA_REGISTRYINDEX);
	struct traced_state *state = change_states();

	while (state && state->registry != registry)
		state = state->next;
	if (__builtin_expect(!state, 0)) {
		state = change_search(registry);
		if (state)
			state->is_moved = true;
	}
	if (!state || state->is_closed)
		return NULL;
	state_firing = state;
	return state;
}

struct traced_state *state_of(lua_State *L)
{
	struct traced_state *state = change_states();

	/* Our functions are called only by states that have the module: there was no other one. */
	if (__builtin_expect(state && !state->is_closed &&
			    __atomic_load_n(&instances, __ATOMIC_RELAXED) == 1,
		    1)) {
		state_firing = state;
		return state;
	}
	return state_search(L);
}

const struct originals *state_originals(const struct traced_state *state)
{
	return state ? &state->originals : &last_originals;
}

void state_keep_originals(const struct originals *originals)
{
	last_originals = *originals;
}

/* ---- what is traced ---- */

static bool wants_calls(void)
{
	return VMTAP_METHOD_ENTRY_ENABLED() || VMTAP_METHOD_RETURN_ENABLED() ||
		VMTAP_NATIVE_ENTRY_ENABLED() || VMTAP_NATIVE_RETURN_ENABLED() ||
		VMTAP_REQUIRE_ENTRY_ENABLED() || VMTAP_REQUIRE_RETURN_ENABLED() ||
		VMTAP_FIND_REQUIRE_ENTRY_ENABLED() || VMTAP_FIND_REQUIRE_RETURN_ENABLED() ||
		VMTAP_LOAD_ENTRY_ENABLED() || VMTAP_LOAD_RETURN_ENABLED() ||
		VMTAP_PARSE_BEGIN_ENABLED() || VMTAP_PARSE_END_ENABLED() || VMTAP_RAISE_ENABLED() ||
		VMTAP_RESCUE_ENABLED() || VMTAP_GC_REQUEST_ENABLED() || VMTAP_GC_START_ENABLED() ||
		VMTAP_GC_END_ENABLED() || VMTAP_PAUSE_BEGIN_ENABLED() ||
		VMTAP_PAUSE_END_ENABLED() || LUA_TAIL_CALL_ENABLED() ||
		LUA_PROTECTED_ENTRY_ENABLED() || LUA_PROTECTED_RETURN_ENABLED() ||
		LUA_METATABLE_SET_ENABLED() || LUA_GC_CONTROL_ENABLED() || LUA_WARNING_ENABLED();
}

static bool wants_threads(void)
{
	return VMTAP_THREAD_CREATE_ENABLED() || VMTAP_THREAD_EXIT_ENABLED() ||
		VMTAP_THREAD_RUN_ENABLED() || VMTAP_THREAD_STOP_ENABLED() ||
		VMTAP_THREAD_LABEL_ENABLED() || VMTAP_HEAP_ENABLED() ||
		LUA_COROUTINE_RESUME_ENABLED() || LUA_COROUTINE_YIELD_ENABLED() ||
		LUA_COROUTINE_END_ENABLED() || LUA_COROUTINE_CLOSE_ENABLED() ||
		LUA_COLLECTION_END_ENABLED() || VMTAP_SAMPLE_ENABLED() ||
		VMTAP_THREAD_DUMP_ENABLED();
}

static bool wants_objects(void)
{
	return VMTAP_OBJECT_FREE_ENABLED();
}

static bool wants_memory(void)
{
	return wants_objects() || VMTAP_OBJECT_CREATE_ENABLED() || VMTAP_STRING_CREATE_ENABLED() ||
		VMTAP_HASH_CREATE_ENABLED() || VMTAP_HEAP_ENABLED() /* it passes the sum */ ||
		LUA_MEMORY_ALLOCATE_ENABLED() || LUA_MEMORY_RESIZE_ENABLED() ||
		LUA_MEMORY_FREE_ENABLED();
}

static bool wants_finalizers(void)
{
	return VMTAP_FINALIZE_BEGIN_ENABLED() || VMTAP_FINALIZE_END_ENABLED();
}

static void trace_thread(struct traced_state *state, lua_State *thread, lua_State *by)
{
	struct thread *record = thread_know(state, thread, by);

	if (record)
		hook_install(state, record, thread);
}

/* Those that run or wait for one that they have resumed. Others get the hook when resumed. Again at
 * each change, in case somebody has set another hook. */
static void begin_calls(struct traced_state *state, lua_State *L)
{
	if (!state->traces_calls)
		state->has_raised = false;
	state->traces_calls = true;
	trace_thread(state, state->main, L);
	for (struct resumption *resumption = state->resumption; resumption;
		resumption = resumption->previous)
		trace_thread(state, resumption->coroutine, L);
	trace_thread(state, L, L);
}

static void end_calls(struct traced_state *state, lua_State *L)
{
	int top = lua_gettop(L);

	state->traces_calls = false;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &threads_key);
	lua_pushnil(L);
	while (lua_next(L, top + 1)) {
		lua_State *thread = lua_tothread(L, -2);
		struct thread *record = thread_find(state, thread);

		if (record && record->is_hooked)
			hook_remove(state, record, thread);
		lua_pop(L, 1);
	}
	lua_settop(L, top);
}

static void report_collection(struct traced_state *state, lua_State *L)
{
	uint64_t now = collection_bytes(L);

	state->has_collected = false;
	state->collections++;
	thread_collect(state, L);
	LUA_COLLECTION_END(state->cap, state->collections, now);
	if (!state->collecting)
		VMTAP_HEAP(state->cap, state->allocated > now ? state->allocated : now, now, now);
}

static void follow(struct traced_state *state, lua_State *L)
{
	bool calls, memory, finalizers = wants_finalizers();

	calls = wants_calls() || finalizers;
	memory = wants_memory();
	state->traces_threads = calls || wants_threads();
	if (calls)
		begin_calls(state, L);
	else if (state->traces_calls)
		end_calls(state, L);
	if (memory && !state->traces_memory)
		memory_begin(state, L);
	else if (!memory && state->traces_memory)
		memory_end(state, L);
	state->traces_memory = memory;
	if (wants_objects() != state->traces_objects)
		memory_keep_objects(state, !state->traces_objects);
	if (finalizers && !state->traces_finalizers)
		collection_wrap_all(state, L);
	else if (!finalizers && state->traces_finalizers)
		collection_unwrap_all(state, L);
	if (state->traces_threads)
		collection_watch(state, L);
	if (VMTAP_SAMPLE_ENABLED())
		state->wants_stacks = true; /* so that the first sample's has its names */
}

/* A sample by time: what runs is the function whose next instruction this is. */
static void sample(struct traced_state *state, lua_State *L)
{
	uint64_t weight;

	if (!vmtap_sample_wanted())
		return;
	weight = vmtap_sample_take();
	stack_prepare(state, L);
	state->traced = L;
	VMTAP_SAMPLE(state->cap, thread_number(state, L), weight);
	state->traced = NULL;
}

void state_switch(struct traced_state *state, lua_State *L)
{
	bool has_room;

	hook_hold(state);
	hook_disarm(state);
	/* without room on the stack, at the next opportunity */
	has_room = lua_checkstack(L, 2 * LUA_MINSTACK);
	if (has_room)
		while (__atomic_exchange_n(&state->changed, 0, __ATOMIC_ACQUIRE)) {
			follow(state, L);
			if (state->has_collected)
				report_collection(state, L);
		}
	if (__atomic_exchange_n(&state->is_due, 0, __ATOMIC_ACQUIRE)) {
		sample(state, L);
		dump_answer(state, L);
	}
	if (has_room)
		hook_release(state);
	else
		state->busy--;
}

/* ---- beginning and end ---- */

/* Fires what ends with the state. */
static void end_events(struct traced_state *state)
{
	uint32_t number = 0;

	state_firing = state;
	for (uint32_t i = 0; i < state->bucket_count; i++)
		for (struct thread *thread = state->buckets[i], *next; thread; thread = next) {
			next = thread->next;
			if (thread != state->main_thread)
				thread_exit(state, thread);
		}
	if (state->main_thread) {
		number = state->main_thread->number;
		thread_unwind(state, state->main_thread, 0, false);
	}
	VMTAP_THREAD_STOP(state->cap, number, 5, 0);
	VMTAP_THREAD_EXIT(state->cap, number);
	LUA_STATE_CLOSE(state->cap, state->instance, state->main);
	VMTAP_CAP_DELETE(state->cap);
}

/* The finalizer of the state's userdata, called in lua_close(). */
static int state_finalizer(lua_State *L)
{
	struct traced_state *state = *(struct traced_state **)lua_touserdata(L, 1);

	if (!state)
		return 0;
	*(struct traced_state **)lua_touserdata(L, 1) = NULL;
	if (!state->is_closed)
		end_events(state);
	if (state->traces_memory)
		memory_end(state, L);
	state->is_closed = true;
	dump_forget(state);
	state_firing = NULL;
	memory_keep_objects(state, false);
	thread_free_all(state);
	method_free_all(state);
	/* else another OS thread, which has loaded the module, has it in its list */
	if (change_remove(state))
		free(state);
	return 0;
}

void state_end_all(void)
{
	for (struct traced_state *state = change_states(); state; state = state->next) {
		if (!state->is_closed)
			end_events(state);
		__atomic_store_n(&state->is_closed, true, __ATOMIC_RELAXED);
		dump_forget(state);
	}
	VMTAP_SHUTDOWN(0);
}

static void keep_text(lua_State *L, const char *text, void *key)
{
	lua_pushstring(L, text);
	lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

struct traced_state *state_open(lua_State *L)
{
	struct traced_state **holder, *state;

	keep_text(L, "__name", &name_field_key);
	keep_text(L, "__index", &index_field_key);
	keep_text(L, "__gc", &gc_field_key);
	lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &loaded_key);
	collection_open(L);
	coroutine_open(L);
	holder = lua_newuserdatauv(L, sizeof(struct traced_state *), 0);
	*holder = NULL;
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, state_finalizer);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
	state = calloc(1, sizeof(*state));
	if (!state)
		luaL_error(L, "vmtap: not enough memory");
	lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
	state->main = lua_tothread(L, -1);
	lua_pop(L, 1);
	state->registry = lua_topointer(L, LUA_REGISTRYINDEX);
	state->os_thread = (pid_t)syscall(SYS_gettid);
	state->thread_mark = &state_thread_mark;
	state->instance = __atomic_fetch_add(&instances, 1, __ATOMIC_RELAXED);
	state->cap = (uint16_t)(state->instance % VMTAP_NO_CAP);
	*holder = state;
	library_find(state, L);
	return state;
}

void state_begin(struct traced_state *state, lua_State *L)
{
	char name[40] = "main";
	struct thread *thread;

	state_firing = state;
	change_add(state);
	thread = thread_know(state, state->main, L);
	if (state->instance)
		snprintf(name, sizeof(name), "state %u", state->instance);
	VMTAP_CAP_CREATE(state->cap, state->instance, vmtap_name_intern(name, strlen(name)));
	LUA_STATE_OPEN(state->cap, state->instance, state->main);
	if (thread) {
		state->main_number = thread->number;
		VMTAP_THREAD_CREATE(state->cap, thread->number, (uint64_t)state->os_thread);
		VMTAP_THREAD_RUN(state->cap, thread->number);
	}
	__atomic_store_n(&state->changed, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&state->is_due, 1, __ATOMIC_RELAXED); /* a dump may wait for a state */
	state_switch(state, L);
}
