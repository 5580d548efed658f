/* lua_method.c: see lua_method.h. */
#include "modules/lua/lua_method.h"

#include <stdlib.h>
#include <string.h>

#include "modules/lua/lua_library.h"

enum {
	METHODS_MAX = 65536,
	TRIES_MAX = 8, /* to find a name of a function that is called without one */
	MODULE_BYTES = 200
};

struct vmtap_name name_native = VMTAP_NAME("(native)"), name_none = VMTAP_NAME("(none)"),
		  name_anonymous = VMTAP_NAME("(anonymous)");
static struct vmtap_name name_main = VMTAP_NAME("(main)"), name_string = VMTAP_NAME("(string)");

static struct method crowd = {.is_named = 1,
	.class = &name_none,
	.name = &name_anonymous,
	.file = &name_string,
	.line = 1};

static struct vmtap_name *intern(const char *text)
{
	return *text ? vmtap_name_intern(text, strlen(text)) : &name_anonymous;
}

struct vmtap_name *method_file(const lua_Debug *ar)
{
	if (*ar->source == '@' || (*ar->source == '=' && strcmp(ar->source, "=?")))
		return ar->source[1] ? intern(ar->source + 1) : &name_string;
	return *ar->source == '=' ? &name_native : &name_string;
}

/* ---- names ---- */

/* What is known of a name for the function that lies on the top of the stack. */
struct name_search {
	const char *module;
	const char *field;
};

/* Looks for the function among the fields of the table below it, which ends on the top again. */
static const char *search_table(lua_State *L, int table, int function)
{
	const char *found = NULL;

	lua_pushnil(L);
	while (lua_next(L, table)) {
		bool is_it = lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, function);

		lua_pop(L, 1);
		if (is_it) {
			const char *field = lua_tostring(L, -1);

			if (!found || strcmp(field, found) < 0)
				found = field;
		}
	}
	return found;
}

/* Of several modules that have the function, the one with the shortest name. */
static void consider(struct name_search *search, const char *module, const char *field)
{
	size_t length = strlen(module);

	if (search->module) {
		size_t other = strlen(search->module);

		if (length > other || (length == other && strcmp(module, search->module) > 0))
			return;
	}
	search->module = module;
	search->field = field;
}

/* In the tables that modules have returned, and in those of their kinds of userdata. The texts
 * that are found are fields of living tables. */
static void search_loaded(lua_State *L, int function, struct name_search *search)
{
	int top = lua_gettop(L);

	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key) == LUA_TTABLE) {
		lua_pushnil(L);
		while (lua_next(L, top + 1)) {
			if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1)) {
				const char *field = search_table(L, top + 3, function);

				if (field)
					consider(search, lua_tostring(L, -2), field);
			} else if (lua_type(L, -2) == LUA_TSTRING &&
				lua_rawequal(L, -1, function)) {
				consider(search, lua_tostring(L, -2), "(call)");
			}
			lua_pop(L, 1);
		}
	}
	lua_settop(L, top);
	if (search->module)
		return;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &index_field_key);
	lua_pushnil(L);
	while (lua_next(L, LUA_REGISTRYINDEX)) {
		if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1) &&
			strcmp(lua_tostring(L, -2), LUA_LOADED_TABLE) != 0 &&
			strcmp(lua_tostring(L, -2), LUA_PRELOAD_TABLE) != 0) {
			const char *kind = lua_tostring(L, -2);
			const char *field = search_table(L, top + 3, function);

			if (field)
				consider(search, kind, field);
			lua_pushvalue(L, top + 1);
			if (lua_rawget(L, top + 3) == LUA_TTABLE) {
				field = search_table(L, top + 4, function);
				if (field)
					consider(search, kind, field);
			}
			lua_pop(L, 1);
		}
		lua_pop(L, 1);
	}
	lua_settop(L, top);
}

/* A parameter's name says nothing of the function that was passed for it. */
static bool is_parameter(lua_State *L, const lua_Debug *ar, int level)
{
	lua_Debug caller;
	bool is_one = false;

	if (strcmp(ar->namewhat, "local") != 0 || !lua_getstack(L, level + 1, &caller) ||
		!lua_getinfo(L, "u", &caller))
		return false;
	for (int i = 1; i <= caller.nparams && !is_one; i++) {
		const char *name = lua_getlocal(L, &caller, i);

		if (name)
			lua_pop(L, 1);
		is_one = name && !strcmp(name, ar->name);
	}
	return is_one;
}

/* The name by which the function is called; NULL: none. */
static struct vmtap_name *called_name(lua_State *L, lua_Debug *ar, int level)
{
	char text[MODULE_BYTES];

	if (!lua_getinfo(L, "n", ar) || !ar->name || !*ar->name || !strcmp(ar->name, "?") ||
		is_parameter(L, ar, level))
		return NULL;
	if (strcmp(ar->namewhat, "metamethod") != 0)
		return intern(ar->name);
	text[0] = text[1] = '_';
	strncpy(text + 2, ar->name, sizeof(text) - 3);
	text[sizeof(text) - 1] = '\0';
	return intern(!strncmp(ar->name, "__", 2) ? ar->name : text);
}

/* "pl/List.lua": List; "pl/init.lua": pl */
static struct vmtap_name *module_of(const lua_Debug *ar)
{
	const char *path = ar->source + 1, *end = path + strlen(path), *start;

	if (*ar->source != '@')
		return &name_none;
	if (end - path > 4 && !strcmp(end - 4, ".lua"))
		end -= 4;
	if (end - path > 5 && !strncmp(end - 5, "/init", 5))
		end -= 5;
	for (start = end; start > path && start[-1] != '/'; start--)
		;
	return start < end ? vmtap_name_intern(start, (size_t)(end - start)) : &name_none;
}

/* Gives the method a name, or tries to. */
static void name_method(struct method *method, lua_State *L, lua_Debug *ar, int level)
{
	struct name_search search = {0};
	struct vmtap_name *called;

	method->tries++;
	if (method->key || *ar->source == '@') {
		lua_getinfo(L, "f", ar);
		search_loaded(L, lua_gettop(L), &search);
		lua_pop(L, 1);
	}
	if (search.module) {
		method->class = intern(search.module);
		method->name = intern(search.field);
		method->is_named = 1;
		return;
	}
	called = called_name(L, ar, level);
	if (called) {
		method->name = called;
		method->is_named = 1;
	}
}

/* ---- the table ---- */

static struct method *add_method(struct traced_state *state, struct method **bucket)
{
	struct method *method;

	if (state->method_count >= METHODS_MAX)
		return NULL;
	method = calloc(1, sizeof(*method));
	if (!method)
		return NULL;
	state->method_count++;
	method->class = &name_none;
	method->name = &name_anonymous;
	method->next = *bucket;
	*bucket = method;
	return method;
}

static size_t bucket_number(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 52;
}

static struct method **bucket_of(struct traced_state *state, uint64_t key)
{
	if (!state->methods)
		state->methods = calloc(METHOD_BUCKETS, sizeof(struct method *));
	if (!state->methods)
		return NULL;
	return &state->methods[bucket_number(key)];
}

static struct method *native_method(struct traced_state *state, lua_State *L, lua_Debug *ar)
{
	lua_CFunction function;
	struct method **bucket, *method;

	lua_getinfo(L, "f", ar);
	function = lua_tocfunction(L, -1);
	lua_pop(L, 1);
	bucket = bucket_of(state, (uintptr_t)function >> 2);
	if (!bucket)
		return &crowd;
	for (method = *bucket; method; method = method->next)
		if (method->key == (const void *)function)
			return method;
	method = add_method(state, bucket);
	if (!method)
		return &crowd;
	method->key = (const void *)function;
	method->is_native = 1;
	method->file = &name_native;
	method->role = library_role_of(state, function);
	return method;
}

static uint64_t lua_key(const lua_Debug *ar)
{
	uint64_t tail = 0;

	if (ar->srclen >= sizeof(tail))
		memcpy(&tail, ar->source + ar->srclen - sizeof(tail), sizeof(tail));
	return tail ^ (uint64_t)ar->srclen << 48 ^ (uint64_t)(unsigned)ar->linedefined << 20 ^
		(uint64_t)(unsigned)ar->lastlinedefined;
}

static struct method *find_lua(struct method *method, const lua_Debug *ar)
{
	while (method &&
		(method->key || method->line != ar->linedefined ||
			method->last_line != ar->lastlinedefined ||
			strcmp(method->shown, ar->short_src) != 0))
		method = method->next;
	return method;
}

static struct method *lua_method(struct traced_state *state, const lua_Debug *ar)
{
	struct method **bucket = bucket_of(state, lua_key(ar)), *method;

	if (!bucket)
		return &crowd;
	method = find_lua(*bucket, ar);
	if (method)
		return method;
	method = add_method(state, bucket);
	if (!method)
		return &crowd;
	method->line = ar->linedefined;
	method->last_line = ar->lastlinedefined;
	memcpy(method->shown, ar->short_src, sizeof(method->shown));
	method->file = method_file(ar);
	method->class = module_of(ar);
	if (*ar->what == 'm') {
		method->name = &name_main;
		method->is_named = 1;
	}
	return method;
}

struct method *method_known(const struct traced_state *state, const lua_Debug *ar)
{
	return state->methods ? find_lua(state->methods[bucket_number(lua_key(ar))], ar) : NULL;
}

void method_guess(struct traced_state *state, const lua_Debug *ar)
{
	struct method *method = lua_method(state, ar);

	if (method->name == &name_anonymous && !method->is_named && ar->name && *ar->name &&
		strcmp(ar->name, "?") != 0)
		method->name = intern(ar->name);
}

struct method *method_of(struct traced_state *state, lua_State *L, lua_Debug *ar, int level)
{
	struct method *method;

	lua_getinfo(L, "S", ar);
	method = *ar->what == 'C' ? native_method(state, L, ar) : lua_method(state, ar);
	if (!method->is_named && method->tries < TRIES_MAX)
		name_method(method, L, ar, level);
	return method;
}

struct vmtap_name *method_class_of(lua_State *L, int index)
{
	struct vmtap_name *class = NULL;
	int top = lua_gettop(L);

	index = lua_absindex(L, index);
	if (lua_getmetatable(L, index)) {
		lua_rawgetp(L, LUA_REGISTRYINDEX, &name_field_key);
		if (lua_istable(L, top + 1) && lua_rawget(L, top + 1) == LUA_TSTRING)
			class = intern(lua_tostring(L, -1));
	}
	lua_settop(L, top);
	return class ? class : intern(lua_typename(L, lua_type(L, index)));
}

void method_free_all(struct traced_state *state)
{
	for (size_t i = 0; state->methods && i < METHOD_BUCKETS; i++)
		while (state->methods[i]) {
			struct method *method = state->methods[i];

			state->methods[i] = method->next;
			free(method);
		}
	free(state->methods);
	state->methods = NULL;
}
