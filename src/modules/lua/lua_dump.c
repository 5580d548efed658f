/* lua_dump.c: see lua_dump.h. */
#include "modules/lua/lua_dump.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "modules/lua/lua_change.h"
#include "modules/lua/lua_method.h"
#include "modules/lua/lua_search.h"
#include "modules/lua/lua_thread.h"

enum { ANSWER_SECONDS = 1, WATCH_STACK_BYTES = 128 * 1024 };

/* As vm:::thread-dump tells them; 3, 6 and 8 are those of thread-stop. */
enum { STATUS_RUNS = 0, STATUS_YIELDS = 3, STATUS_FOREIGN = 6, STATUS_WAITS = 8 };

static struct vmtap_name reason_coroutine = VMTAP_NAME("coroutine"),
			 reason_resume = VMTAP_NAME("resume"),
			 reason_first = VMTAP_NAME("first resume"), reason_c = VMTAP_NAME("C code");

struct lua_place {
	struct vmtap_name *class;
	struct vmtap_name *method;
	struct vmtap_name *file;
	uint32_t line;
};

/* A thread as it was when its state answered. */
struct shown {
	struct shown *next;
	uint32_t number;
	uint32_t info;
	struct vmtap_name *reason;
	uint16_t cap;
	uint16_t status;
	uint32_t cut; /* outer frames that have no place */
	uint32_t count;
	struct lua_place places[];
};

struct shown_list {
	struct shown *first;
	struct shown **end;
};

/* Under change_lock. */
static struct {
	enum { IDLE, COLLECTING, FIRING } phase;
	uint32_t awaited; /* states that have not answered */
	struct shown_list answers;
	bool is_watched;
} dump;

static pthread_cond_t ended = PTHREAD_COND_INITIALIZER; /* a dump has ended, or all have answered */

static __thread const struct shown *firing;

/* ---- the frames of a thread ---- */

static void describe_native(
	struct lua_place *place, const struct method *method, lua_State *L, lua_Debug *ar)
{
	place->class = method->class;
	place->method = method->name;
	place->file = &name_native;
	place->line = 0;
	if (method->class != &name_none)
		return;
	/* No module has it. Many C functions may be one to us, such as those of coroutine.wrap. */
	lua_getinfo(L, "n", ar);
	if (ar->name && *ar->name && strcmp(ar->name, "?") != 0)
		place->method = vmtap_name_intern(ar->name, strlen(ar->name));
	else
		place->method = &name_anonymous;
}

static void describe_lua(struct lua_place *place, const struct method *method, int line)
{
	place->class = method->class;
	place->method = method->name;
	place->file = method->file;
	place->line = line > 0 ? (uint32_t)line : 0;
}

/* The C function of the interpreter's own that is the outermost of all. */
static bool is_interpreter(
	const struct traced_state *state, const struct method *method, lua_State *L, int level)
{
	lua_Debug next;

	return method->is_native && !method->is_named && L == state->main &&
		!lua_getstack(L, level + 1, &next);
}

/* The stack of a thread that stays where it is: how many places. */
static uint32_t describe(
	struct traced_state *state, lua_State *L, struct lua_place *places, uint32_t *cut)
{
	uint32_t count = 0;
	lua_Debug ar;
	int level = 0;

	*cut = 0;
	if (!thread_has_room(L))
		return 0;
	for (; count < VMTAP_STACK_FRAMES_MAX && lua_getstack(L, level, &ar); level++) {
		const struct method *method = method_of(state, L, &ar, level);

		if (is_interpreter(state, method, L, level))
			break;
		lua_getinfo(L, "l", &ar);
		if (method->is_native)
			describe_native(&places[count++], method, L, &ar);
		else
			describe_lua(&places[count++], method, ar.currentline);
	}
	if (count == VMTAP_STACK_FRAMES_MAX)
		*cut = (uint32_t)(thread_depth(L) - level);
	return count;
}

/* A coroutine that was never resumed has no frames; its function lies on its stack. */
static uint32_t describe_first(struct traced_state *state, lua_State *L, struct lua_place *place)
{
	const struct method *method;
	lua_Debug ar;

	if (!thread_has_room(L) || !lua_isfunction(L, 1))
		return 0;
	lua_pushvalue(L, 1);
	lua_getinfo(L, ">S", &ar);
	if (*ar.what == 'C')
		return 0;
	ar.name = NULL;
	method_guess(state, &ar);
	method = method_known(state, &ar);
	if (method)
		describe_lua(place, method, ar.linedefined);
	return method != NULL;
}

/* ---- the threads of a state ---- */

static void append(struct shown_list *list, struct shown *shown)
{
	shown->next = NULL;
	*list->end = shown;
	list->end = &shown->next;
}

static void free_list(struct shown *shown)
{
	while (shown) {
		struct shown *next = shown->next;

		free(shown);
		shown = next;
	}
}

static void dump_add(struct traced_state *state, struct shown_list *list, lua_State *L,
	uint32_t number, uint16_t status, struct vmtap_name *reason, uint32_t info)
{
	struct lua_place places[VMTAP_STACK_FRAMES_MAX];
	uint32_t cut = 0,
		 count = reason == &reason_first ? describe_first(state, L, places)
						 : describe(state, L, places, &cut);
	struct shown *shown = malloc(sizeof(*shown) + count * sizeof(*places));

	if (!shown)
		return;
	shown->number = number;
	shown->info = info;
	shown->reason = reason;
	shown->cap = state->cap;
	shown->status = status;
	shown->cut = cut;
	shown->count = count;
	memcpy(shown->places, places, count * sizeof(*places));
	append(list, shown);
}

/* One that runs, or waits for the coroutine of this number. Its number. */
static uint32_t add_active(struct traced_state *state, struct shown_list *list, lua_State *thread,
	lua_State *L, uint32_t info)
{
	bool runs = thread == L, has_room = lua_checkstack(L, LUA_MINSTACK);
	struct thread *record =
		has_room ? thread_identify(state, thread, L) : thread_find(state, thread);

	if (record)
		record->mark = state->mark;
	dump_add(state, list, thread, record ? record->number : 0,
		runs ? STATUS_RUNS : STATUS_WAITS, runs ? &name_none : &reason_coroutine, info);
	return record ? record->number : 0;
}

/* A coroutine that neither runs nor is known to have resumed another. */
static void add_other(
	struct traced_state *state, struct shown_list *list, lua_State *thread, uint32_t number)
{
	lua_Debug ar;

	if (thread_has_ended(thread))
		return;
	if (lua_status(thread) == LUA_YIELD)
		dump_add(state, list, thread, number, STATUS_YIELDS, &reason_resume, 0);
	else if (lua_getstack(thread, 0, &ar)) /* C code has resumed it, and it another one */
		dump_add(state, list, thread, number, STATUS_WAITS, &reason_coroutine, 0);
	else
		dump_add(state, list, thread, number, STATUS_YIELDS, &reason_first, 0);
}

static int compare(const void *left, const void *right)
{
	const struct shown *const *a = left, *const *b = right;

	return ((*a)->number > (*b)->number) - ((*a)->number < (*b)->number);
}

/* By their numbers; without memory in any order. */
static void sort(struct shown **first)
{
	struct shown **array;
	size_t count = 0, i = 0;

	for (const struct shown *shown = *first; shown; shown = shown->next)
		count++;
	array = malloc((count + 1) * sizeof(struct shown *));
	if (!array)
		return;
	for (struct shown *shown = *first; shown; shown = shown->next)
		array[i++] = shown;
	qsort(array, count, sizeof(struct shown *), compare);
	array[count] = NULL;
	*first = array[0];
	for (i = 0; i < count; i++)
		array[i]->next = array[i + 1];
	free(array);
}

/* The thread that runs, those that wait for it and for each other, and the suspended ones. */
static struct shown *write_down(struct traced_state *state, lua_State *L)
{
	struct shown_list list = {NULL, &list.first};
	struct shown **others;
	int top = lua_gettop(L);
	uint32_t number;

	/* records of coroutines that were collected while nobody traced */
	thread_collect(state, L);
	(void)thread_know(state, state->main, L);
	search_coroutines(state, L);
	state->mark++;
	number = add_active(state, &list, L, L, 0);
	for (const struct resumption *resumption = state->resumption; resumption;
		resumption = resumption->previous)
		if (resumption->coroutine != L)
			number = add_active(state, &list, resumption->coroutine, L, number);
	if (state->main != L)
		(void)add_active(state, &list, state->main, L, number);
	others = list.end;
	if (!lua_checkstack(L, LUA_MINSTACK))
		return list.first;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &threads_key);
	lua_pushnil(L);
	while (lua_next(L, top + 1)) {
		lua_State *thread = lua_tothread(L, -2); /* which the stack keeps alive */
		const struct thread *record = thread_find(state, thread);

		if (record && record->mark != state->mark)
			add_other(state, &list, thread, record->number);
		lua_pop(L, 1);
	}
	lua_settop(L, top);
	sort(others);
	return list.first;
}

/* ---- the events ---- */

static void fire(struct shown *list)
{
	uint32_t count = 0, index = 0;

	for (const struct shown *shown = list; shown; shown = shown->next)
		count++;
	for (const struct shown *shown = list; shown; shown = shown->next) {
		firing = shown;
		VMTAP_THREAD_DUMP(shown->cap, shown->number, shown->status, shown->reason,
			shown->info, index++, count);
		firing = NULL;
	}
	free_list(list);
}

bool dump_walk(struct vmtap_stack *stack)
{
	if (!firing)
		return false;
	for (uint32_t i = 0; i < firing->count; i++) {
		const struct lua_place *place = &firing->places[i];

		vmtap_stack_frame(stack, place->class, place->method, place->file, place->line);
	}
	for (uint32_t i = 0; i < firing->cut; i++) /* which are counted */
		vmtap_stack_frame(stack, &name_none, &name_anonymous, &name_native, 0);
	return true;
}

/* ---- from the request to the last answer; with change_lock ---- */

static bool can_answer(const struct traced_state *state)
{
	return !__atomic_load_n(&state->is_closed, __ATOMIC_RELAXED);
}

static bool has_states(void)
{
	const struct traced_state *state = change_first();

	while (state && !can_answer(state))
		state = state->next_of_all;
	return state != NULL;
}

static void begin(void)
{
	dump.phase = COLLECTING;
	dump.awaited = 0;
	dump.answers = (struct shown_list){NULL, &dump.answers.first};
	for (struct traced_state *state = change_first(); state; state = state->next_of_all) {
		bool is_awaited = can_answer(state);

		__atomic_store_n(&state->is_awaited, is_awaited, __ATOMIC_RELAXED);
		dump.awaited += is_awaited;
	}
}

/* What came while the events were fired is another dump. Gives up the lock meanwhile. */
static void finish(void)
{
	struct shown *list = dump.answers.first;

	dump.phase = FIRING;
	pthread_mutex_unlock(&change_lock);
	fire(list);
	pthread_mutex_lock(&change_lock);
	dump.phase = IDLE;
	if (vmtap_dump_wanted())
		change_notify();
	pthread_cond_signal(&ended);
}

static void answered(struct traced_state *state)
{
	__atomic_store_n(&state->is_awaited, 0, __ATOMIC_RELAXED);
	if (!--dump.awaited)
		finish();
}

void dump_answer(struct traced_state *state, lua_State *L)
{
	struct shown *list;

	if (!vmtap_dump_wanted() && !__atomic_load_n(&state->is_awaited, __ATOMIC_RELAXED))
		return;
	list = write_down(state, L);
	pthread_mutex_lock(&change_lock);
	if (dump.phase == IDLE && vmtap_dump_take())
		begin();
	if (dump.phase == COLLECTING && state->is_awaited) {
		while (list) {
			struct shown *next = list->next;

			append(&dump.answers, list);
			list = next;
		}
		answered(state);
	}
	pthread_mutex_unlock(&change_lock);
	free_list(list);
}

void dump_forget(struct traced_state *state)
{
	pthread_mutex_lock(&change_lock);
	if (dump.phase == COLLECTING && state->is_awaited)
		answered(state);
	pthread_mutex_unlock(&change_lock);
}

/* ---- states that do not answer ---- */

static struct timespec deadline_from_now(void)
{
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += ANSWER_SECONDS;
	return deadline;
}

static void show_silent(void)
{
	if (dump.phase == IDLE && vmtap_dump_take())
		begin();
	if (dump.phase != COLLECTING)
		return;
	for (struct traced_state *state = change_first(); state; state = state->next_of_all) {
		struct shown *shown = state->is_awaited ? calloc(1, sizeof(*shown)) : NULL;

		__atomic_store_n(&state->is_awaited, 0, __ATOMIC_RELAXED);
		if (!shown)
			continue;
		shown->cap = state->cap;
		shown->number = state->main_number;
		shown->status = STATUS_FOREIGN;
		shown->reason = &reason_c;
		append(&dump.answers, shown);
	}
	finish();
}

static void *watch(void *unused)
{
	struct timespec deadline = deadline_from_now();

	(void)unused;
	pthread_mutex_lock(&change_lock);
	/* without a state, the next one answers when it is opened */
	while (dump.phase != IDLE || (vmtap_dump_wanted() && has_states())) {
		if (pthread_cond_clockwait(&ended, &change_lock, CLOCK_MONOTONIC, &deadline) ==
			ETIMEDOUT)
			show_silent();
		deadline = deadline_from_now();
	}
	dump.is_watched = false;
	pthread_mutex_unlock(&change_lock);
	return NULL;
}

void dump_watch(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_mutex_lock(&change_lock);
	if (dump.is_watched || (dump.phase == IDLE && !vmtap_dump_wanted()) ||
		pthread_attr_init(&attributes))
		goto out;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, WATCH_STACK_BYTES);
	dump.is_watched = !pthread_create(&thread, &attributes, watch, NULL);
	pthread_attr_destroy(&attributes);
out:
	pthread_mutex_unlock(&change_lock);
}

void dump_fork_child(void)
{
	if (dump.phase == COLLECTING)
		free_list(dump.answers.first);
	dump.phase = IDLE;
	dump.is_watched = false;
	ended = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	for (struct traced_state *state = change_first(); state; state = state->next_of_all)
		state->is_awaited = 0;
}
