/*
 * host.c: a program with several Lua states: one on each OS thread, and two on the main one. Each
 * runs the script that is its argument, some rounds each with a new state. They print whole lines:
 * Lua's own print writes each value by itself, so that those of several threads would mix.
 *
 *   host SCRIPT THREADS ROUNDS
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char print_lines[] =
	"local write, concat, text, pack = io.write, table.concat, tostring, table.pack\n"
	"function print(...)\n"
	"	local values = pack(...)\n"
	"	for i = 1, values.n do values[i] = text(values[i]) end\n"
	"	write(concat(values, '\\t') .. '\\n')\n"
	"end";

static const char *script;
static int rounds;

static lua_State *open_state(void)
{
	lua_State *L = luaL_newstate();

	if (!L)
		exit(1);
	luaL_openlibs(L);
	lua_getglobal(L, "require");
	lua_pushliteral(L, "vmtap");
	if (lua_pcall(L, 1, 0, 0) || luaL_dostring(L, print_lines)) {
		fprintf(stderr, "%s\n", lua_tostring(L, -1));
		exit(1);
	}
	return L;
}

static void run(lua_State *L)
{
	if (luaL_dofile(L, script)) {
		fprintf(stderr, "%s\n", lua_tostring(L, -1));
		exit(1);
	}
}

static void *work(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		lua_State *L = open_state();

		run(L);
		lua_close(L);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	int count = argc == 4 ? atoi(argv[2]) : 0;
	lua_State *one, *other;

	if (count < 1 || count > 16)
		return 2;
	script = argv[1];
	rounds = atoi(argv[3]);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	one = open_state();
	other = open_state();
	run(one);
	run(other);
	run(one);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	lua_close(one);
	lua_close(other);
	return 0;
}
