/*
 * lua_coroutine.c: see lua_coroutine.h.
 *
 * resume and the functions that wrap makes are written anew, with the same results and messages,
 * because nothing may raise an error between the beginning of a resumption and its end: it is on
 * the C stack, and the signal handler follows it. lua_resume() raises none, except for want of
 * memory when it makes the message for a coroutine that cannot be resumed; so these messages are
 * kept, and Lua finds them.
 */
#include "modules/lua/lua_coroutine.h"

#include "modules/lua/lua_hook.h"
#include "modules/lua/lua_method.h"
#include "modules/lua/lua_stack.h"

static char messages_key;

enum { STOP_YIELDS = 3, STOP_FINISHED = 5, STOP_WAITS = 8 };

void coroutine_open(lua_State *L)
{
	static const char *const messages[] = {"cannot resume dead coroutine",
		"cannot resume non-suspended coroutine", "C stack overflow"};

	lua_createtable(L, (int)(sizeof(messages) / sizeof(messages[0])), 0);
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		lua_pushstring(L, messages[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_rawsetp(L, LUA_REGISTRYINDEX, &messages_key);
}

static bool can_resume(lua_State *L, int arguments)
{
	lua_Debug ar;

	switch (lua_status(L)) {
	case LUA_YIELD:
		return true;
	case LUA_OK:
		return !lua_getstack(L, 0, &ar) && lua_gettop(L) > arguments;
	default:
		return false;
	}
}

static void begin(struct traced_state *state, lua_State *L, lua_State *coroutine, int arguments)
{
	struct thread *from, *to;

	if (!lua_checkstack(L, LUA_MINSTACK))
		return;
	to = thread_know(state, coroutine, L);
	from = thread_know(state, L, L);
	if (!from || !to)
		return;
	if (state->traces_calls) {
		hook_hold(state);
		hook_install(state, to, coroutine);
		hook_release(state);
	}
	stack_prepare(state, L);
	stack_prepare(state, coroutine);
	LUA_COROUTINE_RESUME(state->cap, from->number, to->number, arguments);
	VMTAP_THREAD_STOP(state->cap, from->number, STOP_WAITS, to->number);
	state->traced = coroutine;
	VMTAP_THREAD_RUN(state->cap, to->number);
	state->traced = NULL;
}

static void end(
	struct traced_state *state, lua_State *L, lua_State *coroutine, int status, int results)
{
	struct thread *to = thread_find(state, coroutine);
	uint32_t from = thread_number(state, L);

	if (!to)
		return;
	state->traced = coroutine;
	if (status == LUA_YIELD) {
		LUA_COROUTINE_YIELD(state->cap, from, to->number, results);
	} else {
		if (status != LUA_OK && lua_checkstack(coroutine, LUA_MINSTACK))
			thread_raise(state, to, 0, coroutine, lua_gettop(coroutine));
		thread_unwind(state, to, 0, status != LUA_OK);
		LUA_COROUTINE_END(state->cap, from, to->number, (uint32_t)status);
	}
	VMTAP_THREAD_STOP(
		state->cap, to->number, status == LUA_YIELD ? STOP_YIELDS : STOP_FINISHED, from);
	VMTAP_THREAD_RUN(state->cap, from);
}

/* A coroutine that has ended, or was closed. */
static void retire(struct traced_state *state, lua_State *coroutine)
{
	struct thread *thread =
		state && state->traces_threads ? thread_find(state, coroutine) : NULL;

	if (thread)
		thread_exit(state, thread);
}

static int resume(
	struct traced_state *state, lua_State *L, lua_State *coroutine, int arguments, int *results)
{
	struct resumption resumption = {NULL, coroutine};
	bool is_traced;
	int status;

	if (!state)
		return lua_resume(coroutine, L, arguments, results);
	state_follow(state, L);
	if (state->thread_mark != &state_thread_mark)
		state->is_moved = true;
	is_traced = state->traces_threads && can_resume(coroutine, arguments);
	if (is_traced)
		begin(state, L, coroutine, arguments);
	resumption.previous = state->resumption;
	state->resumption = &resumption;
	if (__builtin_expect(state->armed != NULL, 0))
		hook_move(state);
	status = lua_resume(coroutine, L, arguments, results);
	state->resumption = resumption.previous;
	if (__builtin_expect(state->armed != NULL, 0))
		hook_move(state);
	if (state->traces_threads && (is_traced || status == LUA_YIELD))
		end(state, L, coroutine, status, *results);
	return status;
}

/* Passes L's values to the coroutine and takes its results: their number, or -1 and an error. */
static int transfer(struct traced_state *state, lua_State *L, lua_State *coroutine, int count)
{
	int results, status;

	if (!lua_checkstack(coroutine, count)) {
		lua_pushliteral(L, "too many arguments to resume");
		return -1;
	}
	lua_xmove(L, coroutine, count);
	status = resume(state, L, coroutine, count, &results);
	if (status != LUA_OK && status != LUA_YIELD) {
		lua_xmove(coroutine, L, 1);
		return -1;
	}
	if (!lua_checkstack(L, results + 1)) {
		lua_pop(coroutine, results);
		lua_pushliteral(L, "too many results to resume");
		return -1;
	}
	lua_xmove(coroutine, L, results);
	return results;
}

/* The program goes on after an error in a coroutine. */
static void rescue(struct traced_state *state, lua_State *L)
{
	int line;
	struct vmtap_name *file;

	state->has_raised = false;
	if (!VMTAP_RESCUE_ENABLED() || !lua_checkstack(L, LUA_MINSTACK))
		return;
	file = thread_place(state, L, &line);
	VMTAP_RESCUE(method_class_of(L, lua_gettop(L)), file, line, thread_number(state, L));
}

/* Not one that runs, or has resumed another: an attempt to resume these fails. */
static bool has_ended(lua_State *coroutine)
{
	lua_Debug ar;

	return lua_status(coroutine) != LUA_YIELD &&
		(lua_status(coroutine) != LUA_OK || !lua_getstack(coroutine, 0, &ar));
}

int coroutine_resume(lua_State *L)
{
	struct traced_state *state = state_of(L);
	lua_State *coroutine = lua_tothread(L, 1);
	int results;

	/* raises the error of the argument */
	if (!coroutine)
		return state_originals(state)->resume(L);
	results = transfer(state, L, coroutine, lua_gettop(L) - 1);
	if (state && state->traces_threads) {
		if (results < 0)
			rescue(state, L);
		if (has_ended(coroutine))
			retire(state, coroutine);
	}
	if (state)
		state_follow(state, L);
	lua_pushboolean(L, results >= 0);
	lua_insert(L, results < 0 ? -2 : -(results + 1));
	return results < 0 ? 2 : results + 1;
}

/* What coroutine.wrap returns; the coroutine is the upvalue. */
static int call_wrapped(lua_State *L)
{
	struct traced_state *state = state_of(L);
	lua_State *coroutine = lua_tothread(L, lua_upvalueindex(1));
	int status, results = transfer(state, L, coroutine, lua_gettop(L));

	if (results >= 0) {
		if (state && state->traces_threads && has_ended(coroutine))
			retire(state, coroutine);
		if (state)
			state_follow(state, L);
		return results;
	}
	status = lua_status(coroutine);
	if (status != LUA_OK && status != LUA_YIELD) {
		status = lua_resetthread(coroutine);
		lua_xmove(coroutine, L, 1);
		retire(state, coroutine);
	}
	if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

/* A new coroutine lies on the top of the stack. */
static inline void created(struct traced_state *state, lua_State *L)
{
	if (!state)
		return;
	state_follow(state, L);
	if (__builtin_expect(state->traces_threads, 0) && lua_checkstack(L, LUA_MINSTACK))
		thread_create(state, lua_tothread(L, -1), L);
}

int coroutine_create(lua_State *L)
{
	struct traced_state *state = state_of(L);
	int results = state_originals(state)->create(L);

	created(state, L);
	return results;
}

int coroutine_wrap(lua_State *L)
{
	struct traced_state *state = state_of(L);

	state_originals(state)->create(L);
	created(state, L);
	lua_pushcclosure(L, call_wrapped, 1);
	return 1;
}

int coroutine_close(lua_State *L)
{
	struct traced_state *state = state_of(L);
	lua_State *coroutine = lua_tothread(L, 1);
	struct thread *thread = NULL;
	uint32_t number = 0;
	int results;

	if (state)
		state_follow(state, L);
	if (coroutine && state && state->traces_threads)
		thread = thread_find(state, coroutine);
	/* Variables that are to be closed call functions then, after the frames have gone. */
	if (thread && lua_status(coroutine) == LUA_YIELD) {
		number = thread->number;
		thread_unwind(state, thread, 0, false);
	}
	results = state_originals(state)->close(L);
	if (number)
		LUA_COROUTINE_CLOSE(state->cap, thread_number(state, L), number);
	if (coroutine)
		retire(state, coroutine);
	return results;
}
