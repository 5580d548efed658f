/* lua_thread.c: see lua_thread.h. */
#include "modules/lua/lua_thread.h"

#include <stdlib.h>
#include <string.h>

#include "modules/lua/lua_hook.h"
#include "modules/lua/lua_library.h"
#include "modules/lua/lua_method.h"

enum { FRAMES_FIRST = 32, BUCKETS_FIRST = 64, LEVELS_MAX = 100 };

static uint32_t numbers; /* atomic: given so far, in all states */

/* ---- records ---- */

static struct thread **slot_of(const struct traced_state *state, const lua_State *L)
{
	uint64_t key = (uint64_t)(uintptr_t)L * UINT64_C(0x9e3779b97f4a7c15);

	return &state->buckets[key >> 32 & (state->bucket_count - 1)];
}

struct thread *thread_find(struct traced_state *state, lua_State *L)
{
	struct thread *thread = state->last;

	if (thread && thread->L == L)
		return thread;
	if (!state->bucket_count)
		return NULL;
	for (thread = *slot_of(state, L); thread && thread->L != L; thread = thread->next)
		;
	if (thread)
		state->last = thread;
	return thread;
}

uint32_t thread_number(struct traced_state *state, lua_State *L)
{
	const struct thread *thread = thread_find(state, L);

	return thread ? thread->number : 0;
}

static bool grow_table(struct traced_state *state)
{
	uint32_t count = state->bucket_count ? state->bucket_count * 2 : BUCKETS_FIRST;
	uint32_t old_count = state->bucket_count;
	struct thread **old = state->buckets, **grown = calloc(count, sizeof(struct thread *));

	if (!grown)
		return false;
	state->buckets = grown;
	state->bucket_count = count;
	for (uint32_t i = 0; i < old_count; i++)
		while (old[i]) {
			struct thread *thread = old[i], **slot;

			old[i] = thread->next;
			slot = slot_of(state, thread->L);
			thread->next = *slot;
			*slot = thread;
		}
	free(old);
	return true;
}

static void free_record(struct traced_state *state, struct thread *thread)
{
	struct thread **slot = slot_of(state, thread->L);

	while (*slot && *slot != thread)
		slot = &(*slot)->next;
	if (*slot)
		*slot = thread->next;
	if (state->last == thread)
		state->last = NULL;
	if (state->main_thread == thread)
		state->main_thread = NULL;
	state->thread_count--;
	thread_forget_frames(thread);
	free(thread->frames);
	free(thread);
}

/* A Lua function of one argument: lists a thread among those that live. */
static int list_thread(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &threads_key);
	lua_pushvalue(L, 1);
	lua_pushboolean(L, 1);
	lua_rawset(L, -3);
	return 0;
}

static bool has_frames(lua_State *L)
{
	lua_Debug ar;

	return lua_getstack(L, 0, &ar);
}

/* A Lua function's frame is innermost in a hook, and where a hook of C code has yielded: Lua has
 * made room for the hook. lua_checkstack() would make the values above the function's a part of its
 * frame, which is restored only when a hook returns, and the collector would look at them. */
bool thread_has_room(lua_State *L)
{
	lua_Debug ar;

	if (lua_getstack(L, 0, &ar) && lua_getinfo(L, "S", &ar) && *ar.what != 'C')
		return true;
	return lua_checkstack(L, LUA_MINSTACK);
}

bool thread_has_ended(lua_State *L)
{
	if (lua_status(L) == LUA_OK)
		return !has_frames(L) && !lua_gettop(L);
	return lua_status(L) != LUA_YIELD;
}

static bool push_thread(lua_State *L, lua_State *by)
{
	if (L != by && !thread_has_room(L))
		return false;
	lua_pushthread(L);
	if (L != by)
		lua_xmove(L, by, 1);
	return true;
}

static bool enlist(struct traced_state *state, lua_State *L, lua_State *by)
{
	lua_pushcfunction(by, list_thread);
	if (!push_thread(L, by)) {
		lua_pop(by, 1);
		return false;
	}
	return hook_quiet_call(state, by, 1);
}

static bool is_listed(lua_State *L, lua_State *by)
{
	bool is_listed;

	lua_rawgetp(by, LUA_REGISTRYINDEX, &threads_key);
	if (!push_thread(L, by)) {
		lua_pop(by, 1);
		return true;
	}
	is_listed = lua_rawget(by, -2) != LUA_TNIL;
	lua_pop(by, 2);
	return is_listed;
}

static struct thread *thread_add(struct traced_state *state, lua_State *L, lua_State *by)
{
	const struct thread *creator = thread_find(state, by);
	struct thread *thread, **slot;

	if (state->thread_count >= state->bucket_count && !grow_table(state))
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	if (!enlist(state, L, by)) {
		free(thread);
		return NULL;
	}
	thread->L = L;
	thread->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	thread->mark = state->mark;
	if (creator && creator->is_hooked)
		thread->program = creator->program;
	slot = slot_of(state, L);
	thread->next = *slot;
	*slot = thread;
	state->thread_count++;
	state->last = thread;
	if (L == state->main)
		state->main_thread = thread;
	return thread;
}

struct thread *thread_know(struct traced_state *state, lua_State *L, lua_State *by)
{
	struct thread *thread = thread_find(state, L);
	bool is_new = L != state->main && lua_status(L) == LUA_OK && !has_frames(L);

	/* another coroutine has had this address */
	if (thread && is_new && !is_listed(L, by)) {
		thread_exit(state, thread);
		thread = NULL;
	}
	if (thread)
		return thread;
	thread = thread_add(state, L, by);
	if (thread && is_new)
		VMTAP_THREAD_CREATE(state->cap, thread->number, 0);
	return thread;
}

struct thread *thread_identify(struct traced_state *state, lua_State *L, lua_State *by)
{
	struct thread *thread = thread_find(state, L);

	if (thread && L != state->main && !is_listed(L, by))
		thread_exit(state, thread);
	return thread_know(state, L, by);
}

struct thread *thread_create(struct traced_state *state, lua_State *L, lua_State *by)
{
	struct thread *thread = thread_find(state, L);

	if (thread)
		thread_exit(state, thread);
	thread = thread_add(state, L, by);
	if (thread)
		VMTAP_THREAD_CREATE(state->cap, thread->number, 0);
	return thread;
}

void thread_exit(struct traced_state *state, struct thread *thread)
{
	thread_unwind(state, thread, 0, false);
	VMTAP_THREAD_EXIT(state->cap, thread->number);
	free_record(state, thread);
}

void thread_collect(struct traced_state *state, lua_State *L)
{
	int top = lua_gettop(L);

	if (!lua_checkstack(L, 4))
		return;
	state->mark++;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &threads_key);
	lua_pushnil(L);
	while (lua_next(L, top + 1)) {
		struct thread *thread = thread_find(state, lua_tothread(L, -2));

		if (thread)
			thread->mark = state->mark;
		lua_pop(L, 1);
	}
	lua_settop(L, top);
	for (uint32_t i = 0; i < state->bucket_count; i++)
		for (struct thread *thread = state->buckets[i], *next; thread; thread = next) {
			next = thread->next;
			if (thread->mark != state->mark && thread != state->main_thread)
				thread_exit(state, thread);
		}
}

void thread_free_all(struct traced_state *state)
{
	for (uint32_t i = 0; i < state->bucket_count; i++)
		while (state->buckets[i])
			free_record(state, state->buckets[i]);
	free(state->buckets);
	state->buckets = NULL;
	state->bucket_count = 0;
}

/* ---- frames ---- */

static struct lua_frame *push(struct thread *thread)
{
	if (thread->count == thread->capacity) {
		uint32_t capacity = thread->capacity ? thread->capacity * 2 : FRAMES_FIRST;
		struct lua_frame *grown = realloc(thread->frames, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		thread->frames = grown;
		thread->capacity = capacity;
	}
	memset(&thread->frames[thread->count], 0, sizeof(struct lua_frame));
	return &thread->frames[thread->count++];
}

static void pop(struct traced_state *state, struct thread *thread, bool by_error)
{
	struct lua_frame *frame = &thread->frames[thread->count - 1];
	struct method *method = frame->method;

	if (method->role)
		library_leave(state, thread, frame, by_error);
	if (frame->is_silent)
		;
	else if (method->is_native)
		VMTAP_NATIVE_RETURN(
			method->class, frame->name, frame->file, frame->line, thread->number);
	else
		VMTAP_METHOD_RETURN(
			method->class, frame->name, frame->file, frame->line, thread->number);
	free(frame->text);
	thread->count--;
}

void thread_unwind(struct traced_state *state, struct thread *thread, uint32_t count, bool by_error)
{
	state->unwinding = thread;
	while (thread->count > count)
		pop(state, thread, by_error);
	state->unwinding = NULL;
}

void thread_forget_frames(struct thread *thread)
{
	while (thread->count)
		free(thread->frames[--thread->count].text);
}

/* Frames that were entered unseen: silent ones, from the outermost level to the innermost. */
static void push_silent(
	struct traced_state *state, struct thread *thread, lua_State *L, int from, int to)
{
	lua_Debug ar;

	for (int level = from; level >= to; level--) {
		struct lua_frame *frame;

		if (!lua_getstack(L, level, &ar) || !(frame = push(thread)))
			return;
		frame->id = ar.i_ci;
		frame->method = method_of(state, L, &ar, level);
		frame->name = frame->method->name;
		frame->file = &name_native;
		frame->is_silent = 1;
	}
}

int thread_depth(lua_State *L)
{
	lua_Debug ar;
	int low = 0, high = 1;

	while (lua_getstack(L, high, &ar)) {
		low = high;
		high *= 2;
	}
	while (low < high) {
		int middle = (low + high) / 2;

		if (lua_getstack(L, middle, &ar))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void thread_take_frames(struct traced_state *state, struct thread *thread, lua_State *L)
{
	thread_forget_frames(thread);
	if (thread_has_room(L))
		push_silent(state, thread, L, thread_depth(L) - 1, 0);
}

/* How many frames there are up to the one with this id, including it; 0: it has none. */
static uint32_t find_frame(const struct thread *thread, const void *id)
{
	uint32_t count = thread->count;

	while (count && thread->frames[count - 1].id != id)
		count--;
	return count;
}

/* Frames that Lua has left without telling, because of an error. If it is not a protected call that
 * has caught it, it was C code, and the error is over. */
static void drop(struct traced_state *state, struct thread *thread, uint32_t count, lua_State *L)
{
	if (thread->count <= count)
		return;
	thread_raise(state, thread, count, L, 0);
	thread_unwind(state, thread, count, true);
	if (!count || thread->frames[count - 1].method->role != ROLE_PROTECTED)
		state->has_raised = false;
}

/* The frame that calls is not known: it was entered where hooks are off. */
static void resynchronize(struct traced_state *state, struct thread *thread, lua_State *L)
{
	lua_Debug ar;
	uint32_t count = 0;
	int level = 2;

	while (level < LEVELS_MAX && lua_getstack(L, level, &ar)) {
		count = find_frame(thread, ar.i_ci);
		if (count)
			break;
		level++;
	}
	drop(state, thread, count, L);
	push_silent(state, thread, L, level - 1, 1);
}

/* The first frame of a coroutine whose record may be that of another, which had its address. */
static void renew(struct traced_state *state, struct thread *thread, lua_State *L)
{
	if (thread->L == state->main || is_listed(L, L))
		return;
	thread_unwind(state, thread, 0, false);
	VMTAP_THREAD_EXIT(state->cap, thread->number);
	enlist(state, L, L);
	thread->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	VMTAP_THREAD_CREATE(state->cap, thread->number, 0);
}

/* Finds the frame of the caller, with those above it gone. NULL: there is none. */
static struct lua_frame *settle(
	struct traced_state *state, struct thread *thread, lua_State *L, const lua_Debug *caller)
{
	uint32_t count = caller ? find_frame(thread, caller->i_ci) : 0;

	if (caller && !count)
		resynchronize(state, thread, L);
	else
		drop(state, thread, count, L);
	if (!caller)
		renew(state, thread, L);
	return caller && thread->count ? &thread->frames[thread->count - 1] : NULL;
}

void thread_enter(struct traced_state *state, struct thread *thread, lua_State *L, lua_Debug *ar)
{
	lua_Debug caller;
	bool has_caller = lua_getstack(L, 1, &caller);
	struct vmtap_name *file = &name_native;
	struct method *method;
	struct lua_frame *frame, *below = NULL;
	bool is_tail = ar->event == LUA_HOOKTAILCALL;
	int line = 0;

	if (is_tail) {
		uint32_t count = find_frame(thread, ar->i_ci);

		if (count) {
			drop(state, thread, count, L);
			frame = &thread->frames[count - 1];
			file = frame->method->file;
			line = frame->method->is_native   ? 0
				: frame->method->line > 0 ? frame->method->line
							  : 1;
			thread_unwind(state, thread, count - 1, false);
		}
	}
	below = settle(state, thread, L, has_caller ? &caller : NULL);
	if (!is_tail && below && !below->method->is_native) {
		lua_getinfo(L, "l", &caller);
		if (caller.currentline > 0) {
			file = below->method->file;
			line = caller.currentline;
		}
	}
	method = method_of(state, L, ar, 0);
	if (below && below->method->role)
		library_call(state, below, method);
	frame = push(thread);
	if (!frame)
		return;
	frame->id = ar->i_ci;
	frame->method = method;
	frame->name = method->name;
	frame->file = file;
	frame->line = line;
	if (is_tail)
		LUA_TAIL_CALL(method->class, frame->name, file, line, thread->number);
	if (method->is_native)
		VMTAP_NATIVE_ENTRY(method->class, frame->name, file, line, thread->number);
	else
		VMTAP_METHOD_ENTRY(method->class, frame->name, file, line, thread->number);
	if (method->role)
		library_enter(state, thread, frame, L, ar);
}

void thread_leave(struct traced_state *state, struct thread *thread, lua_State *L, lua_Debug *ar)
{
	uint32_t count = find_frame(thread, ar->i_ci);

	if (!count)
		return;
	if (thread->frames[count - 1].method->role)
		library_results(state, thread, count - 1, L, ar);
	drop(state, thread, count, L);
	pop(state, thread, false);
}

/* ---- errors ---- */

struct vmtap_name *thread_place(struct traced_state *state, lua_State *L, int *line)
{
	lua_Debug ar;

	(void)state;
	*line = 0;
	for (int level = 0; level < LEVELS_MAX && lua_getstack(L, level, &ar); level++) {
		lua_getinfo(L, "Sl", &ar);
		if (ar.currentline <= 0)
			continue;
		*line = ar.currentline;
		return method_file(&ar);
	}
	return &name_native;
}

/* "file:12: message" begins with the place of the error. */
static int line_of(const char *message)
{
	for (const char *colon = strchr(message, ':'); colon; colon = strchr(colon + 1, ':')) {
		char *end;
		long line = strtol(colon + 1, &end, 10);

		if (end > colon + 1 && *end == ':' && line > 0 && line < INT32_MAX)
			return (int)line;
	}
	return 0;
}

void thread_raise(
	struct traced_state *state, struct thread *thread, uint32_t count, lua_State *L, int value)
{
	static struct vmtap_name name_error = VMTAP_NAME("error");
	struct vmtap_name *file = &name_native;
	const char *message =
		value && lua_type(L, value) == LUA_TSTRING ? lua_tostring(L, value) : "";
	int line = 0;

	if (state->has_raised)
		return;
	state->has_raised = true;
	for (uint32_t i = thread->count; i > count && !line; i--) {
		const struct method *method = thread->frames[i - 1].method;

		if (method->is_native || method->line < 0)
			continue;
		file = method->file;
		line = line_of(message);
		if (!line)
			line = method->line ? method->line : 1;
	}
	VMTAP_RAISE(value ? method_class_of(L, value) : &name_error, file, line, thread->number,
		message);
}
