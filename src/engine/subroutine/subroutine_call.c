/* subroutine_call.c: see subroutine_call.h. */
#include "engine/subroutine/subroutine_call.h"

#include "engine/store/value.h"

enum d_fault subroutine_run(struct engine *engine, enum d_subroutine which,
	const uint64_t *arguments, unsigned count, uint64_t *result)
{
#define FUNCTION(number, name, function, ...) subroutine_##function,
	static enum d_fault (*const functions[D_SUBROUTINES])(struct subroutine_call * call) = {
		D_SUBROUTINE_ROWS(FUNCTION, FUNCTION)};
#undef FUNCTION
	struct subroutine_call call = {.engine = engine, .arguments = arguments, .count = count};
	unsigned strings = d_subroutines[which].strings;
	enum d_fault fault;

	for (unsigned i = 0; i < count; i++)
		if ((strings & 1u << i) && !arguments[i])
			/* An element of a NULL string has the address NULL + index. */
			return fault_set(engine, D_FAULT_BADADDR,
				which == D_SUBROUTINE_CHARACTER ? arguments[1] : 0);
	fault = functions[which](&call);
	if (!fault)
		*result = call.result;
	return fault;
}

struct span subroutine_string(const struct subroutine_call *call, unsigned argument)
{
	const struct text *text = value_text(call->arguments[argument]);
	uint32_t limit = call->engine->string_limit;

	return (struct span){text->bytes, text->length < limit ? text->length : limit};
}

enum d_fault subroutine_give(struct subroutine_call *call, const char *bytes, uint32_t length)
{
	struct engine *engine = call->engine;
	const struct text *text = scratch_text(&engine->scratch, bytes,
		length < engine->string_limit ? length : engine->string_limit);

	if (!text)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	call->result = value_of_text(text);
	return D_FAULT_NONE;
}
