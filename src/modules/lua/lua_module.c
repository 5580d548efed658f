/*
 * lua_module.c: `lua5.4 -l vmtap`: loads what traces a Lua program, and gives the program three
 * functions to speak to its tracers.
 *
 * The module never changes what a program does or prints. It serves the event stream, wraps six
 * functions of the libraries coroutine and debug, and waits for tracers.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modules/lua/lua_change.h"
#include "modules/lua/lua_coroutine.h"
#include "modules/lua/lua_dump.h"
#include "modules/lua/lua_hook.h"
#include "modules/lua/lua_stack.h"
#include "modules/lua/lua_thread.h"

/* ---- the library's thread, once per process ---- */

/* The program's arguments, from the table arg; what main() got. NULL: there is no such table. */
static char **collect_arguments(lua_State *L, int *count)
{
	char **arguments = NULL;
	int top = lua_gettop(L), first = 0, last = 0;

	*count = 0;
	lua_pushglobaltable(L);
	lua_pushliteral(L, "arg");
	if (lua_rawget(L, -2) != LUA_TTABLE)
		goto out;
	while (lua_rawgeti(L, top + 2, first - 1) == LUA_TSTRING)
		first--;
	while (lua_rawgeti(L, top + 2, last + 1) == LUA_TSTRING && lua_checkstack(L, 1))
		last++;
	lua_settop(L, top + 2);
	arguments = calloc((size_t)(last - first) + 2, sizeof(char *));
	for (int i = first; arguments && i <= last; i++) {
		/* the text lives in the table */
		if (lua_rawgeti(L, top + 2, i) == LUA_TSTRING)
			arguments[(*count)++] = (char *)lua_tostring(L, -1);
		lua_pop(L, 1);
	}
out:
	lua_settop(L, top);
	return arguments;
}

/* On vmtap's thread. */
static void sample_or_dump(void *context)
{
	(void)context;
	change_sample();
	dump_watch();
}

static pthread_mutex_t serve_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_served;

/* Serves the stream, unless that is done. Another state's thread waits meanwhile: vmtap_start() may
 * wait for a client. No function of Lua's is called with the lock, since an error would keep it. */
static int serve_once(const struct vmtap_options *options)
{
	const struct vmtap_sample_options samples = {.size = sizeof(samples),
		.wanted = sample_or_dump,
		.signal = SIGWINCH, /* SIGURG is lua_change.c's own */
		.due = change_due};
	int error = -EALREADY;

	pthread_mutex_lock(&serve_lock);
	if (!is_served) {
		is_served = true;
		(void)stack_open();
		(void)vmtap_sample_register(&samples);
		error = vmtap_start(options);
		VMTAP_STARTUP(1);
		atexit(state_end_all);
	}
	pthread_mutex_unlock(&serve_lock);
	return error;
}

static void serve(lua_State *L)
{
	struct vmtap_options options = {.size = sizeof(options), .runtime = LUA_RELEASE};
	char **arguments = collect_arguments(L, &options.argument_count);
	int error;

	options.arguments = arguments;
	error = serve_once(&options);
	free(arguments);
	if (error && error != -EALREADY)
		fprintf(stderr, "vmtap: the event stream is not served: %s\n", strerror(-error));
}

/* ---- what the program can say ---- */

static int send_message(lua_State *L)
{
	const char *text = luaL_checkstring(L, 1);
	const struct traced_state *state = state_of(L);

	if (state)
		VMTAP_USER_MSG(state->cap, text);
	return 0;
}

static int send_marker(lua_State *L)
{
	const char *text = luaL_checkstring(L, 1);
	const struct traced_state *state = state_of(L);

	if (state)
		VMTAP_USER_MARKER(state->cap, text);
	return 0;
}

static int label(lua_State *L)
{
	lua_State *target = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
	const char *text = luaL_checkstring(L, lua_isthread(L, 1) ? 2 : 1);
	struct traced_state *state = state_of(L);
	struct thread *thread;

	if (!state || !VMTAP_THREAD_LABEL_ENABLED())
		return 0;
	thread = thread_know(state, target, L);
	if (thread)
		VMTAP_THREAD_LABEL(state->cap, thread->number, text);
	return 0;
}

/* ---- loading ---- */

/* Puts a function of ours into the place of one that is written in C and has no upvalues. */
static lua_CFunction wrap(lua_State *L, const char *library, const char *name, lua_CFunction ours)
{
	int top = lua_gettop(L);
	lua_CFunction original = NULL;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key);
	if (lua_istable(L, -1) && lua_getfield(L, -1, library) == LUA_TTABLE) {
		lua_getfield(L, -1, name);
		original = lua_tocfunction(L, -1);
		if (original && lua_getupvalue(L, -1, 1))
			original = NULL;
	}
	if (original && ours) {
		lua_settop(L, top + 2);
		lua_pushcfunction(L, ours);
		lua_setfield(L, -2, name);
	}
	lua_settop(L, top);
	return original;
}

static void wrap_all(struct traced_state *state, lua_State *L)
{
	struct originals *originals = &state->originals;

	originals->create = wrap(L, "coroutine", "create", NULL);
	originals->resume = wrap(L, "coroutine", "resume", NULL);
	originals->close = wrap(L, "coroutine", "close", NULL);
	originals->sethook = wrap(L, "debug", "sethook", NULL);
	originals->gethook = wrap(L, "debug", "gethook", NULL);
	/* before the wrappers can be called, also if what follows fails */
	state_keep_originals(originals);
	if (originals->close)
		wrap(L, "coroutine", "close", coroutine_close);
	if (originals->create && originals->resume) {
		wrap(L, "coroutine", "create", coroutine_create);
		wrap(L, "coroutine", "resume", coroutine_resume);
		wrap(L, "coroutine", "wrap", coroutine_wrap);
	}
	if (originals->sethook && originals->gethook) {
		wrap(L, "debug", "sethook", hook_sethook);
		wrap(L, "debug", "gethook", hook_gethook);
	}
}

LUAMOD_API VMTAP_API int luaopen_vmtap(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"message", send_message}, {"marker", send_marker}, {"label", label}, {NULL, NULL}};
	struct traced_state *state;
	int error;

	luaL_checkversion(L);
	luaL_newlib(L, functions);
	lua_pushliteral(L, VMTAP_VERSION);
	lua_setfield(L, -2, "version");
	if (state_search(L))
		return 1;
	state = state_open(L);
	lua_pop(L, 1);
	serve(L);
	wrap_all(state, L);
	error = change_open();
	if (error)
		luaL_error(L, "vmtap: changes of probes cannot be followed: %s", strerror(-error));
	state_begin(state, L);
	return 1;
}
