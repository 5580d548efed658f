/*
 * subroutine_tracing.c: subroutines that depend on the firing or on the tracer's own state, and
 * those that need a kernel; see subroutine_call.h.
 */
#include "engine/subroutine/subroutine_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"

enum { NODES_MAX = 64, PROCESSORS_MAX = 8192 };

enum d_fault subroutine_progenyof(struct subroutine_call *call)
{
	struct engine *engine = call->engine;

	call->result = lineage_contains(
		&engine->lineage, engine->firing.process, engine->recorded, call->arguments[0]);
	return D_FAULT_NONE;
}

enum d_fault subroutine_speculation(struct subroutine_call *call)
{
	call->result = (uint64_t)speculation_new(&call->engine->speculations);
	return D_FAULT_NONE;
}

/* The package of a processor, which every kernel shows; 0: it is not known. */
static uint64_t find_package(int64_t processor)
{
	char path[96];
	int package = 0;
	FILE *file;

	snprintf(path, sizeof(path),
		"/sys/devices/system/cpu/cpu%" PRId64 "/topology/physical_package_id", processor);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &package) != 1 || package < 0)
		package = 0;
	fclose(file);
	return (uint64_t)package;
}

/* The number of the node that the processor has a link to; 0: there is none. */
static uint64_t find_node(int64_t processor)
{
	char path[96];

	for (int node = 0; node < NODES_MAX; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%" PRId64 "/node%d",
			processor, node);
		if (!access(path, F_OK))
			return (uint64_t)node;
	}
	return 0;
}

/* What is known of a processor; NULL: it cannot exist, or no memory. */
static const struct engine_processor *find_processor(struct engine *engine, uint64_t number)
{
	struct engine_processor *found;

	if (number >= PROCESSORS_MAX)
		return NULL;
	while (engine->processor_count <= number) {
		if (array_room(&engine->processors, &engine->processor_capacity,
			    engine->processor_count, sizeof(*engine->processors)))
			return NULL;
		engine->processors[engine->processor_count++] = (struct engine_processor){0};
	}
	found = &engine->processors[number];
	if (!found->is_known)
		*found = (struct engine_processor){.is_known = true,
			.package = find_package((int64_t)number),
			.node = find_node((int64_t)number)};
	return found;
}

enum d_fault subroutine_processor(struct subroutine_call *call)
{
	const struct engine_processor *found = find_processor(call->engine, call->arguments[0]);

	call->result = !found ? 0 : call->arguments[1] ? found->node : found->package;
	return D_FAULT_NONE;
}

/* No source provides what these need, so no program that calls one is started. */
enum d_fault subroutine_kernel(struct subroutine_call *call)
{
	return fault_set(call->engine, D_FAULT_ILLOP, 0);
}
