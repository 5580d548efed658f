/*
 * lua_stack.c: see lua_stack.h.
 *
 * The walker may be called in the middle of an allocation, so it only reads: Lua's own stack, and
 * of names those that are known already. Where a thread's frames are being unwound, Lua has left
 * them, and may have freed the thread: then only our own stack is used.
 */
#include "modules/lua/lua_stack.h"

#include <string.h>

#include "modules/lua/lua_dump.h"
#include "modules/lua/lua_method.h"
#include "modules/lua/lua_thread.h"

static uint32_t line_in(const struct lua_frame *frame)
{
	return frame->method->is_native || frame->method->line < 0 ? 0
								   : (uint32_t)frame->method->line;
}

static void add_own(
	struct vmtap_stack *stack, const struct thread *thread, uint32_t index, bool is_innermost)
{
	const struct lua_frame *frame = &thread->frames[index];
	uint32_t line = is_innermost || frame->method->is_native ? line_in(frame)
		: thread->frames[index + 1].line > 0 ? (uint32_t)thread->frames[index + 1].line
						     : line_in(frame);

	vmtap_stack_frame(stack, frame->method->class, frame->name, frame->method->file, line);
}

static struct vmtap_name once(const char *text)
{
	return (struct vmtap_name){text, (uint32_t)strlen(text), VMTAP_NAME_ID_NONE};
}

/* A function that has no record, such as one of C: only the name by which it is called is known. */
static void add_unknown(struct vmtap_stack *stack, lua_State *L, lua_Debug *ar, int level)
{
	struct vmtap_name file, method;
	bool has_file = *ar->source == '@' && ar->source[1], has_name;

	lua_getinfo(L, "n", ar);
	has_name = ar->name && *ar->name && strcmp(ar->name, "?") != 0;
	if (level && !has_name && *ar->what == 'C')
		return;
	if (has_file)
		file = once(ar->source + 1);
	if (has_name)
		method = once(ar->name);
	vmtap_stack_frame(stack, &name_none, has_name ? &method : &name_anonymous,
		has_file ? &file : &name_native,
		ar->currentline > 0 ? (uint32_t)ar->currentline : 0);
}

static void walk_lua(struct vmtap_stack *stack, struct traced_state *state, lua_State *L)
{
	const struct thread *thread = state->traces_calls ? thread_find(state, L) : NULL;
	uint32_t top = thread ? thread->count : 0;
	lua_Debug ar;

	for (int level = 0; level < VMTAP_STACK_FRAMES_MAX && lua_getstack(L, level, &ar);
		level++) {
		const struct method *method;
		uint32_t known = top;
		uint32_t line;

		lua_getinfo(L, "Sl", &ar);
		line = ar.currentline > 0 ? (uint32_t)ar.currentline : 0;
		while (known && thread->frames[known - 1].id != ar.i_ci)
			known--;
		if (known) {
			const struct lua_frame *frame = &thread->frames[known - 1];

			top = known - 1;
			/* such as the interpreter's own, which is the outermost of all */
			if (level && frame->method->is_native && !frame->method->is_named)
				continue;
			vmtap_stack_frame(stack, frame->method->class, frame->name,
				frame->method->file, line);
			continue;
		}
		method = *ar.what == 'C' ? NULL : method_known(state, &ar);
		if (method)
			vmtap_stack_frame(stack, method->class, method->name, method->file, line);
		else
			add_unknown(stack, L, &ar, level);
	}
}

static void walk(struct vmtap_stack *stack, void *context)
{
	struct traced_state *state = state_firing;
	const struct thread *thread;

	(void)context;
	if (dump_walk(stack))
		return;
	if (!state || state->is_closed)
		return;
	state->wants_stacks = true;
	thread = state->unwinding;
	if (!thread) {
		walk_lua(stack, state, state->traced ? state->traced : state_running(state));
		return;
	}
	for (uint32_t i = thread->count; i > 0; i--)
		add_own(stack, thread, i - 1, i == thread->count);
}

int stack_open(void)
{
	return vmtap_stack_register(walk, NULL);
}

void stack_prepare(struct traced_state *state, lua_State *L)
{
	lua_Debug ar;

	if (!state->wants_stacks)
		return;
	for (int level = 0; level < VMTAP_STACK_FRAMES_MAX && lua_getstack(L, level, &ar);
		level++) {
		lua_getinfo(L, "Sn", &ar);
		if (*ar.what != 'C')
			method_guess(state, &ar);
	}
}
