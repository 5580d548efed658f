/* scalar_variable.c: see scalar_variable.h. */
#include "engine/machine/scalar_variable.h"

#include <stdlib.h>
#include <string.h>

void scalar_store_text(struct engine *engine, uint32_t variable, const struct text *text)
{
	uint64_t *value = &engine->values[variable];
	struct text *kept = NULL;

	if (*value == value_of_text(text))
		return;
	engine->variables[variable].has_characters = false;
	if (text && text->length == 0) {
		kept = &engine->empty;
	} else if (text) {
		kept = strings_keep(&engine->strings, text, engine->variables[variable].limit);
		if (!kept) {
			drops_add(&engine->drops, DROP_DYNAMIC, 1);
			return;
		}
	}
	/* The empty string, which is also the initial value, belongs to the engine. */
	if (*value && *value != value_of_text(&engine->empty))
		strings_retire(&engine->strings, (struct text *)(uintptr_t)*value);
	*value = value_of_text(kept);
}

enum d_fault scalar_store_character(
	struct engine *engine, uint32_t index, uint64_t position, char character)
{
	struct engine_variable *variable = &engine->variables[index];
	const struct text *text = value_text(engine->values[index]);
	size_t size = (size_t)engine->string_limit + 1;
	struct text changed = {0};

	if (!text || position >= size)
		return fault_set(engine, D_FAULT_BADADDR, position);
	if (!variable->characters)
		variable->characters = malloc(size);
	if (!variable->characters) {
		drops_add(&engine->drops, DROP_DYNAMIC, 1);
		return D_FAULT_NONE;
	}
	if (!variable->has_characters) {
		memset(variable->characters, 0, size);
		memcpy(variable->characters, text->bytes,
			text->length < size ? text->length : size - 1);
	}
	variable->characters[position] = character;
	changed.bytes = variable->characters;
	changed.length = (uint32_t)strnlen(variable->characters, size - 1);
	scalar_store_text(engine, index, &changed);
	variable->has_characters = true;
	return D_FAULT_NONE;
}

uint64_t scalar_load(struct engine *engine, uint32_t index)
{
	const struct engine_variable *variable = &engine->variables[index];

	return variable->is_self
		? dynamic_self_load(&engine->dynamic, firing_owner(&engine->firing), variable->slot)
		: engine->values[index];
}

void scalar_store(struct engine *engine, uint32_t index, uint64_t value)
{
	const struct engine_variable *variable = &engine->variables[index];

	if (variable->is_self && variable->is_text)
		dynamic_self_store_text(&engine->dynamic, firing_owner(&engine->firing),
			variable->slot, value_text(value), variable->limit);
	else if (variable->is_self)
		dynamic_self_store(
			&engine->dynamic, firing_owner(&engine->firing), variable->slot, value);
	else if (variable->is_text)
		scalar_store_text(engine, index, value_text(value));
	else
		engine->values[index] = value;
}
