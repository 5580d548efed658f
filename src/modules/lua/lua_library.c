/*
 * lua_library.c: see lua_library.h.
 *
 * A frame's phase: for require, whether its search has begun (1) and ended (2); for what parses, 1
 * while it does; for collectgarbage, 1 if it collects.
 */
#include "modules/lua/lua_library.h"

#include <stdlib.h>
#include <string.h>

#include "modules/lua/lua_collection.h"
#include "modules/lua/lua_hook.h"
#include "modules/lua/lua_method.h"

enum { TEXT_MAX = 1000, SEARCHERS_MAX = 8 };
enum { NOT_BEGUN, BEGUN, ENDED };

struct vmtap_name name_gc = VMTAP_NAME("gc"), name_request = VMTAP_NAME("request");

/* ---- which functions ---- */

static void note(struct traced_state *state, lua_State *L, enum library_role role)
{
	lua_CFunction function = lua_tocfunction(L, -1);

	lua_pop(L, 1);
	if (!function || state->role_count == ROLE_FUNCTIONS ||
		library_role_of(state, function) != ROLE_NONE)
		return;
	state->roles[state->role_count].function = function;
	state->roles[state->role_count++].role = role;
}

/* May raise a Lua error; when the module is loaded. */
void library_find(struct traced_state *state, lua_State *L)
{
	static const struct {
		const char *name;
		enum library_role role;
	} functions[] = {{"require", ROLE_REQUIRE}, {"load", ROLE_LOAD},
		{"loadfile", ROLE_LOADFILE}, {"dofile", ROLE_DOFILE}, {"pcall", ROLE_PROTECTED},
		{"xpcall", ROLE_PROTECTED}, {"error", ROLE_ERROR}, {"assert", ROLE_ASSERT},
		{"collectgarbage", ROLE_COLLECT}, {"setmetatable", ROLE_SETMETATABLE},
		{"warn", ROLE_WARN}};
	int top = lua_gettop(L);

	lua_pushglobaltable(L);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		lua_pushstring(L, functions[i].name);
		lua_rawget(L, top + 1);
		note(state, L, functions[i].role);
	}
	lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key);
	if (lua_istable(L, -1) && lua_getfield(L, -1, "debug") == LUA_TTABLE) {
		lua_getfield(L, -1, "setmetatable");
		note(state, L, ROLE_SETMETATABLE);
		lua_pop(L, 1);
	}
	lua_settop(L, top + 2);
	if (lua_istable(L, -1) && lua_getfield(L, -1, "package") == LUA_TTABLE &&
		lua_getfield(L, -1, "searchers") == LUA_TTABLE)
		for (int i = 1; i <= SEARCHERS_MAX; i++) {
			lua_rawgeti(L, -1, i);
			note(state, L, ROLE_SEARCHER);
		}
	lua_settop(L, top);
}

enum library_role library_role_of(const struct traced_state *state, lua_CFunction function)
{
	for (uint32_t i = 0; i < state->role_count; i++)
		if (state->roles[i].function == function)
			return state->roles[i].role;
	return ROLE_NONE;
}

/* ---- what begins ---- */

static char *copy_text(const char *text)
{
	return text ? strndup(text, TEXT_MAX) : NULL;
}

static const char *text_of(const struct lua_frame *frame)
{
	return frame->text ? frame->text : "";
}

/* The name of what is parsed, from a chunk's name. */
static struct vmtap_name *chunk_file(const char *chunk)
{
	static struct vmtap_name name_string = VMTAP_NAME("(string)");

	if (chunk && (*chunk == '@' || *chunk == '=') && chunk[1])
		return vmtap_name_intern(chunk + 1, strlen(chunk + 1));
	return &name_string;
}

static struct vmtap_name *parsed_file(const struct lua_frame *frame)
{
	if (frame->method->role == ROLE_LOAD)
		return chunk_file(frame->text);
	return frame->text && *frame->text ? vmtap_name_intern(frame->text, strlen(frame->text))
					   : vmtap_name_intern("stdin", 5);
}

static void begin_collection(struct traced_state *state, struct lua_frame *frame, lua_State *L)
{
	frame->phase = BEGUN;
	frame->before = collection_bytes(L);
	state->collecting++;
	state->requested++;
	VMTAP_GC_REQUEST(state->cap, 0);
	VMTAP_PAUSE_BEGIN(state->cap, &name_gc);
	VMTAP_GC_START(state->cap, 0, 1, frame->before, &name_request, state->requested);
}

static void end_collection(struct traced_state *state, struct lua_frame *frame)
{
	uint64_t now = collection_bytes(state->main);
	uint64_t freed = frame->before > now ? frame->before - now : 0;

	state->collecting--;
	VMTAP_GC_END(state->cap, 0, 1, freed, &name_request, state->requested);
	VMTAP_HEAP(state->cap, state->allocated > now ? state->allocated : now, now, now);
	VMTAP_PAUSE_END(state->cap, &name_gc);
}

static void fire_raise(struct traced_state *state, struct thread *thread,
	const struct lua_frame *frame, lua_State *L, int value, const char *message)
{
	state->has_raised = true;
	if (value && lua_type(L, value) == LUA_TSTRING)
		message = lua_tostring(L, value);
	VMTAP_RAISE(value ? method_class_of(L, value) : vmtap_name_intern("string", 6), frame->file,
		frame->line, thread->number, message);
}

/* A Lua function of one argument, a metatable. */
static int wrap_finalizer(lua_State *L)
{
	collection_wrap(L, 1);
	return 0;
}

static void set_metatable(struct traced_state *state, struct thread *thread,
	const struct lua_frame *frame, lua_State *L, int value, int metatable)
{
	if (!lua_istable(L, metatable))
		return;
	if (LUA_METATABLE_SET_ENABLED()) {
		struct vmtap_name *class = vmtap_name_intern("table", 5);

		lua_rawgetp(L, LUA_REGISTRYINDEX, &name_field_key);
		if (lua_rawget(L, metatable) == LUA_TSTRING && *lua_tostring(L, -1))
			class = vmtap_name_intern(lua_tostring(L, -1), lua_rawlen(L, -1));
		lua_pop(L, 1);
		LUA_METATABLE_SET(class, frame->file, frame->line, thread->number,
			(uintptr_t)lua_topointer(L, value));
	}
	if (!state->traces_finalizers)
		return;
	lua_pushcfunction(L, wrap_finalizer);
	lua_pushvalue(L, metatable);
	hook_quiet_call(state, L, 1);
}

/* Pushes the call's first three arguments, nil for those that are missing. */
static void push_arguments(lua_State *L, lua_Debug *ar)
{
	int count;

	lua_getinfo(L, "r", ar);
	count = ar->ntransfer;
	for (int i = 1; i <= 3; i++)
		if (i > count || !lua_getlocal(L, ar, i))
			lua_pushnil(L);
}

void library_enter(struct traced_state *state, struct thread *thread, struct lua_frame *frame,
	lua_State *L, lua_Debug *ar)
{
	int top = lua_gettop(L), first = top + 1, second = top + 2;
	const char *text = NULL;

	push_arguments(L, ar);
	if (lua_type(L, first) == LUA_TSTRING)
		text = lua_tostring(L, first);
	switch (frame->method->role) {
	case ROLE_REQUIRE:
		frame->text = copy_text(text);
		VMTAP_REQUIRE_ENTRY(text_of(frame), frame->file, frame->line);
		break;
	case ROLE_LOAD:
		frame->text = lua_type(L, second) == LUA_TSTRING
			? copy_text(lua_tostring(L, second))
			: NULL;
		frame->phase = BEGUN;
		VMTAP_PARSE_BEGIN(parsed_file(frame), 1);
		break;
	case ROLE_LOADFILE:
	case ROLE_DOFILE:
		frame->text = copy_text(text);
		frame->phase = BEGUN;
		VMTAP_LOAD_ENTRY(text_of(frame), frame->file, frame->line);
		VMTAP_PARSE_BEGIN(parsed_file(frame), 1);
		break;
	case ROLE_PROTECTED:
		LUA_PROTECTED_ENTRY(frame->file, frame->line, thread->number);
		break;
	case ROLE_ERROR:
		fire_raise(state, thread, frame, L, first, "");
		break;
	case ROLE_ASSERT:
		if (!lua_toboolean(L, first) && ar->ntransfer > 0)
			fire_raise(state, thread, frame, L, ar->ntransfer > 1 ? second : 0,
				ar->ntransfer > 1 ? "" : "assertion failed!");
		break;
	case ROLE_COLLECT:
		LUA_GC_CONTROL(state->cap,
			text && *text ? vmtap_name_intern(text, strlen(text))
				      : vmtap_name_intern("collect", 7),
			collection_bytes(L));
		if (lua_isnil(L, first) || (text && !strcmp(text, "collect")))
			begin_collection(state, frame, L);
		break;
	case ROLE_SETMETATABLE:
		set_metatable(state, thread, frame, L, first, second);
		break;
	case ROLE_WARN:
		LUA_WARNING(state->cap, text ? text : "");
		break;
	default:
		break;
	}
	lua_settop(L, top);
}

void library_call(struct traced_state *state, struct lua_frame *frame, const struct method *callee)
{
	(void)state;
	if (frame->method->role == ROLE_REQUIRE && callee->role == ROLE_SEARCHER &&
		frame->phase == NOT_BEGUN) {
		frame->phase = BEGUN;
		VMTAP_FIND_REQUIRE_ENTRY(text_of(frame), frame->file, frame->line);
	}
	if (frame->method->role == ROLE_DOFILE && frame->phase == BEGUN) {
		frame->phase = ENDED;
		VMTAP_PARSE_END(parsed_file(frame), 1);
	}
}

/* ---- what ends ---- */

static void end_search(struct lua_frame *frame)
{
	if (frame->phase != BEGUN)
		return;
	frame->phase = ENDED;
	VMTAP_FIND_REQUIRE_RETURN(text_of(frame), frame->file, frame->line);
}

/* pcall and xpcall return false and the error. */
static void end_protected(
	struct traced_state *state, struct thread *thread, uint32_t index, lua_State *L, int first)
{
	struct lua_frame *frame = &thread->frames[index];
	bool has_failed = lua_isboolean(L, first) && !lua_toboolean(L, first);

	if (has_failed) {
		thread_raise(state, thread, index + 1, L, first + 1);
		thread_unwind(state, thread, index + 1, true);
		frame = &thread->frames[index];
		VMTAP_RESCUE(
			method_class_of(L, first + 1), frame->file, frame->line, thread->number);
	}
	state->has_raised = false;
	frame->phase = ENDED;
	LUA_PROTECTED_RETURN(frame->file, frame->line, thread->number, has_failed);
}

void library_results(struct traced_state *state, struct thread *thread, uint32_t index,
	lua_State *L, lua_Debug *ar)
{
	struct lua_frame *frame = &thread->frames[index];
	enum library_role role = frame->method->role;
	int top = lua_gettop(L);

	if (role != ROLE_PROTECTED && role != ROLE_SEARCHER)
		return;
	lua_getinfo(L, "r", ar);
	for (int i = 0; i < 2; i++)
		if (i >= ar->ntransfer || !lua_getlocal(L, ar, ar->ftransfer + i))
			lua_pushnil(L);
	if (role == ROLE_PROTECTED)
		end_protected(state, thread, index, L, top + 1);
	else if (lua_isfunction(L, top + 1) && index &&
		thread->frames[index - 1].method->role == ROLE_REQUIRE)
		end_search(&thread->frames[index - 1]);
	lua_settop(L, top);
}

void library_leave(
	struct traced_state *state, struct thread *thread, struct lua_frame *frame, bool by_error)
{
	if (frame->is_silent)
		return;
	switch (frame->method->role) {
	case ROLE_REQUIRE:
		end_search(frame);
		VMTAP_REQUIRE_RETURN(text_of(frame), frame->file, frame->line, by_error);
		break;
	case ROLE_LOAD:
	case ROLE_LOADFILE:
	case ROLE_DOFILE:
		if (frame->phase == BEGUN)
			VMTAP_PARSE_END(parsed_file(frame), 1);
		if (frame->method->role != ROLE_LOAD)
			VMTAP_LOAD_RETURN(text_of(frame), frame->file, frame->line, by_error);
		break;
	case ROLE_PROTECTED:
		if (frame->phase != ENDED)
			LUA_PROTECTED_RETURN(frame->file, frame->line, thread->number, by_error);
		break;
	case ROLE_COLLECT:
		if (frame->phase == BEGUN)
			end_collection(state, frame);
		break;
	default:
		break;
	}
}
