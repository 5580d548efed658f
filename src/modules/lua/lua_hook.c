/* lua_hook.c: see lua_hook.h. */
#include "modules/lua/lua_hook.h"

#include <stddef.h>

enum { OUR_MASK = LUA_MASKCALL | LUA_MASKRET };

static void trace_hook(lua_State *L, lua_Debug *ar);
static void switch_hook(lua_State *L, lua_Debug *ar);

bool hook_is_ours(lua_State *L)
{
	lua_Hook hook = lua_gethook(L);

	return hook == trace_hook || hook == switch_hook;
}

static struct program_hook hook_of(lua_State *L)
{
	return (struct program_hook){lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L)};
}

static void put_program(lua_State *L, const struct program_hook *program)
{
	lua_sethook(L, program->hook, program->mask, program->count);
}

static void put_ours(struct thread *thread, lua_State *L)
{
	const struct program_hook *program = &thread->program;

	thread->is_hooked = true;
	lua_sethook(L, trace_hook, OUR_MASK | program->mask, program->count);
}

bool hook_quiet_call(struct traced_state *state, lua_State *L, int arguments)
{
	struct program_hook now;
	bool is_done;

	hook_hold(state);
	now = hook_of(L);
	if (now.hook)
		lua_sethook(L, NULL, 0, 0);
	is_done = lua_pcall(L, arguments, 0, 0) == LUA_OK;
	if (!is_done)
		lua_pop(L, 1);
	if (now.hook)
		lua_sethook(L, now.hook, now.mask, now.count);
	hook_release(state);
	return is_done;
}

void hook_install(struct traced_state *state, struct thread *thread, lua_State *L)
{
	lua_Hook hook = lua_gethook(L);
	bool is_known;

	if (hook == trace_hook && thread->is_hooked)
		return;
	if (hook == switch_hook)
		thread->program = state->armed_program;
	else if (hook != trace_hook)
		thread->program = hook_of(L);
	/* if another library has taken our place meanwhile, the frames are known */
	is_known = thread->is_hooked;
	put_ours(thread, L);
	if (!is_known)
		thread_take_frames(state, thread, L);
}

void hook_remove(struct traced_state *state, struct thread *thread, lua_State *L)
{
	(void)state;
	thread_forget_frames(thread);
	if (lua_gethook(L) == trace_hook)
		put_program(L, &thread->program);
	thread->is_hooked = false;
}

/* ---- the switching hook ---- */

void hook_arm(struct traced_state *state)
{
	lua_State *L = state_running(state);
	struct program_hook now;

	if (state->busy || state->armed)
		return;
	now = hook_of(L);
	if (now.hook == switch_hook)
		return;
	state->armed = L;
	if (now.hook == trace_hook) {
		lua_sethook(L, trace_hook, now.mask | LUA_MASKCOUNT, 1);
		return;
	}
	state->armed_program = now;
	lua_sethook(L, switch_hook, now.mask | LUA_MASKCOUNT, 1);
}

void hook_disarm(struct traced_state *state)
{
	lua_State *L = state->armed;
	struct thread *thread;

	if (!L)
		return;
	thread = thread_find(state, L);
	if (lua_gethook(L) == switch_hook)
		put_program(L, &state->armed_program);
	else if (lua_gethook(L) == trace_hook && thread)
		put_ours(thread, L);
	state->armed = NULL;
}

void hook_release(struct traced_state *state)
{
	state->busy--;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!state->busy && !state->is_closed &&
		(__atomic_load_n(&state->changed, __ATOMIC_RELAXED) ||
			__atomic_load_n(&state->is_due, __ATOMIC_RELAXED)))
		hook_arm(state);
}

void hook_move(struct traced_state *state)
{
	hook_hold(state);
	hook_disarm(state);
	hook_release(state);
}

/* Whether the program's hook is for this event. */
static bool wants(const struct program_hook *program, const lua_Debug *ar)
{
	int event = ar->event == LUA_HOOKTAILCALL ? LUA_HOOKCALL : ar->event;

	return program->hook && (program->mask & 1 << event);
}

/* The program's hook comes last: it may yield, or raise an error, and then we do not return. */
static void switch_hook(lua_State *L, lua_Debug *ar)
{
	struct traced_state *state = state_of(L);
	struct program_hook program = {NULL, 0, 0};

	if (state) {
		program = state->armed_program;
		if (state->armed != L) {
			hook_hold(state);
			put_program(L, &program);
			hook_release(state);
		}
		state_switch(state, L);
	} else {
		lua_sethook(L, NULL, 0, 0);
	}
	if (ar->event != LUA_HOOKCOUNT && wants(&program, ar))
		program.hook(L, ar);
}

static void trace_hook(lua_State *L, lua_Debug *ar)
{
	struct traced_state *state = state_of(L);
	int currentline = ar->currentline;
	bool is_ours = false;
	struct thread *thread;

	if (!state) {
		lua_sethook(L, NULL, 0, 0);
		return;
	}
	if (state->armed == L) {
		is_ours = ar->event == LUA_HOOKCOUNT;
		state_switch(state, L);
	}
	state_follow(state, L);
	thread = thread_find(state, L);
	if (state->traces_calls && (!thread || !thread->is_hooked)) {
		/* a coroutine that C code has made and resumed */
		thread = thread_know(state, L, L);
		if (thread)
			hook_install(state, thread, L);
	} else if (state->traces_calls) {
		state->traced = L;
		if (ar->event == LUA_HOOKCALL || ar->event == LUA_HOOKTAILCALL)
			thread_enter(state, thread, L, ar);
		else if (ar->event == LUA_HOOKRET)
			thread_leave(state, thread, L, ar);
		state->traced = NULL;
	} else if (!thread || !thread->is_hooked) {
		hook_hold(state);
		if (lua_gethook(L) == trace_hook)
			put_program(L, thread ? &thread->program : &state->armed_program);
		hook_release(state);
	}
	if (!thread || is_ours || !wants(&thread->program, ar))
		return;
	ar->currentline = currentline;
	thread->program.hook(L, ar);
}

/* ---- the program's view ---- */

static lua_State *target_of(lua_State *L, int *argument)
{
	*argument = lua_isthread(L, 1) ? 1 : 0;
	return *argument ? lua_tothread(L, 1) : L;
}

/* Whether debug.sethook will get as far as to set the hook. */
static bool is_valid(lua_State *L, int argument)
{
	int is_integer = 1;

	if (lua_isnoneornil(L, argument + 1))
		return true;
	if (!lua_isnoneornil(L, argument + 3))
		lua_tointegerx(L, argument + 3, &is_integer);
	return lua_isfunction(L, argument + 1) && lua_isstring(L, argument + 2) && is_integer;
}

/* Calls one of debug's functions while the thread has the program's hook. */
static int with_program(lua_State *L, struct traced_state *state, lua_CFunction function, bool sets)
{
	int argument, results;
	lua_State *target = target_of(L, &argument);
	struct thread *thread;
	bool is_ours;

	if (!state)
		return function(L);
	state_follow(state, L);
	if (sets && !is_valid(L, argument))
		return function(L);
	hook_hold(state);
	hook_disarm(state);
	is_ours = lua_gethook(target) == trace_hook;
	thread = thread_find(state, target);
	if (is_ours)
		put_program(target, thread ? &thread->program : &state->armed_program);
	results = function(L);
	if (is_ours && thread) {
		thread->program = hook_of(target);
		put_ours(thread, target);
	}
	hook_release(state);
	if (sets)
		LUA_HOOK_SET(thread ? thread->number : 0,
			is_ours && thread ? thread->program.mask : lua_gethookmask(target),
			is_ours && thread ? thread->program.count : lua_gethookcount(target));
	state_follow(state, L);
	return results;
}

int hook_sethook(lua_State *L)
{
	struct traced_state *state = state_of(L);

	return with_program(L, state, state_originals(state)->sethook, true);
}

int hook_gethook(lua_State *L)
{
	struct traced_state *state = state_of(L);

	return with_program(L, state, state_originals(state)->gethook, false);
}
