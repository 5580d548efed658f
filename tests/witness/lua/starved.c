/*
 * starved.c: runs a script in many Lua states, each with an allocator that fails after another
 * number of allocations, or now and then. The script may fail, but nothing else may happen, and
 * each state works when there is memory again.
 *
 *   starved SCRIPT STATES
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEVER = -1, STEP = 3, ONE_IN = 150 };

static long left = NEVER;       /* allocations that succeed before all fail */
static unsigned long generator; /* 0: none fails at random */

static bool fails(void)
{
	if (generator) {
		generator = generator * 6364136223846793005ul + 1442695040888963407ul;
		return (generator >> 33) % ONE_IN == 0;
	}
	if (left > 0)
		left--;
	return left == 0;
}

static void *allocate(void *data, void *block, size_t old_size, size_t size)
{
	(void)data;
	if (!size) {
		free(block);
		return NULL;
	}
	if ((!block || size > old_size) && fails())
		return NULL;
	return realloc(block, size);
}

static int run(lua_State *L)
{
	const char *script = lua_touserdata(L, 1);

	lua_getglobal(L, "require");
	lua_pushliteral(L, "vmtap");
	lua_call(L, 1, 0);
	if (luaL_loadfile(L, script))
		lua_error(L);
	lua_call(L, 0, 0);
	return 0;
}

static bool works(lua_State *L)
{
	lua_settop(L, 0);
	return !luaL_dostring(L,
		"collectgarbage() local c = coroutine.wrap(function() "
		"coroutine.yield(1) end) assert(c() == 1) assert(not pcall(error)) "
		"debug.sethook(print, 'c') debug.sethook()");
}

int main(int argc, char **argv)
{
	int states = argc == 3 ? atoi(argv[2]) : 0, failed = 0;

	for (int i = 0; i < states; i++) {
		lua_State *L = lua_newstate(allocate, NULL);

		luaL_openlibs(L);
		lua_pushcfunction(L, run);
		lua_pushlightuserdata(L, argv[1]);
		if (i % 4 == 3)
			generator = (unsigned long)i;
		else
			left = (long)i * STEP + 1;
		failed += lua_pcall(L, 1, 0, 0) != LUA_OK;
		left = NEVER;
		generator = 0;
		if (!works(L)) {
			printf("state %d: %s\n", i, lua_tostring(L, -1));
			return 1;
		}
		lua_close(L);
	}
	printf("%s\n", failed && failed < states ? "some failed" : "none failed, or all");
	return 0;
}
