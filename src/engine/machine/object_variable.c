/* object_variable.c: see object_variable.h. */
#include "engine/machine/object_variable.h"

/* The stored bytes of a self-> variable or an element; *bytes is NULL if it is not set. */
static enum d_fault find_value(struct engine *engine, uint32_t index, const uint64_t *keys,
	bool create, struct text **bytes)
{
	const struct engine_variable *variable = &engine->variables[index];
	uint64_t owner = variable->is_self ? firing_owner(&engine->firing) : 0;
	uint32_t size = engine->program->variables[index].type.size;
	struct tuple tuple;

	if (!keys) {
		*bytes = dynamic_self_bytes(&engine->dynamic, owner, variable->slot, size, create);
		return D_FAULT_NONE;
	}
	if (!tuple_gather(&tuple, &variable->shape, keys, dynamic_seed(index, owner)))
		return fault_set(engine, D_FAULT_BADADDR, 0);
	*bytes = dynamic_element_bytes(
		&engine->dynamic, &variable->shape, index, owner, &tuple, size, create);
	return D_FAULT_NONE;
}

enum d_fault object_address(struct engine *engine, uint32_t variable, const uint64_t *keys,
	bool create, uint64_t *address)
{
	uint32_t size = engine->program->variables[variable].type.size;
	struct text *bytes;
	enum d_fault fault;

	if (!keys && !engine->variables[variable].is_self) {
		*address = memory_address(variable + 1);
		return D_FAULT_NONE;
	}
	fault = find_value(engine, variable, keys, create, &bytes);
	if (fault)
		return fault;
	if (bytes)
		return memory_lend(
			engine, (char *)(uintptr_t)bytes->bytes, bytes->length, true, address);
	if (create)
		return memory_block(engine, size, address);
	return memory_lend(engine, engine->zeroes, size, false, address);
}
