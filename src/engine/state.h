/*
 * state.h: the engine's internal state, shared by engine.c (firing), machine.c (instructions),
 * consume.c and flow.c (carrying out records), and effect.c (effects beyond the output). Nothing
 * outside src/engine includes it, nor does src/engine/output, which only sees what writer.h shows.
 *
 * How a firing proceeds: engine.c fills `firing`, finds the probe's clauses and runs one after the
 * other. machine_run() executes a clause; its actions become records. When the clause has ended
 * without a fault, consume_records() carries out the records. Then scratch and retired strings are
 * freed.
 */
#ifndef VMTAP_ENGINE_STATE_H
#define VMTAP_ENGINE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/machine/flow.h"
#include "engine/machine/kept.h"
#include "engine/machine/memory.h"
#include "engine/output/writer.h"
#include "engine/store/aggregate.h"
#include "engine/store/buffer.h"
#include "engine/store/drops.h"
#include "engine/store/dynamic.h"
#include "engine/store/fault.h"
#include "engine/store/guest_stacks.h"
#include "engine/store/lineage.h"
#include "engine/store/places.h"
#include "engine/store/scratch.h"
#include "engine/store/slab.h"
#include "engine/store/speculation.h"
#include "engine/store/strings.h"
#include "program/event.h"
#include "program/program.h"

/* A clause with its code rewritten for the machine (machine_prepare()). */
struct engine_clause {
	struct d_instruction *predicate; /* NULL: none */
	struct d_instruction *code;
	uint32_t predicate_count;
	bool prints;
};

enum engine_name {
	ENGINE_NAME_PROVIDER,
	ENGINE_NAME_MODULE,
	ENGINE_NAME_FUNCTION,
	ENGINE_NAME_NAME,
	ENGINE_NAMES
};

/* A probe's clauses: enabled[first] ... enabled[first + count - 1]. */
struct engine_probe {
	uint32_t first, count;
	struct text *names; /* ENGINE_NAMES of them, created when first needed */
};

#define ENGINE_LEFT (UINT32_C(1) << 31)

struct engine_variable {
	struct tuple_shape shape;
	bool is_self, is_bytes;
	bool is_text;   /* a string, or a stack, which is stored as a string is */
	uint32_t limit; /* of a text: the most characters stored; a stack is never cut */
	uint32_t slot;  /* of a self-> scalar */
	/*
	 * Of a string of which a character was stored: all its bytes, also those after a NUL; valid
	 * until another string is stored.
	 */
	char *characters;
	bool has_characters;
};

/* The event that clauses are running for, as they see it. */
struct firing {
	const struct event_process *process;
	const struct event_batch *batch; /* whose handles are valid */
	const uint64_t *arguments;
	const struct event *event; /* in the batch; NULL: an event of the tracer's own */
	uint64_t time;
	int64_t wall_offset;
	uint32_t probe;
	uint32_t tid;
	uint32_t enabling; /* number of the clause on this probe: epid */
	uint16_t cpu;
	uint8_t argument_count;
};

/* The string that strtok() is splitting, for one firing. */
struct tokens {
	char *bytes; /* not NUL-terminated */
	uint32_t capacity, length, at;
	bool active;
};

/* A text about a process, created when first needed. */
struct process_text {
	const struct event_process *process; /* of this batch, or the tracer; NULL: no text yet */
	struct text text;
};

struct engine_tick {
	uint64_t next, period;
	uint32_t probe;
};

/* Where a processor of this machine is. */
struct engine_processor {
	bool is_known;
	uint64_t package, node;
};

struct engine {
	const struct d_program *program;
	const struct d_probe_set *probes;
	const struct event_process *self;
	const struct engine_effects *effects; /* NULL: not available */
	bool (*is_stopped)(void *context);    /* as in engine_settings */
	void *stop_context;
	bool (*is_late)(void *context); /* as in engine_settings */
	void *late_context;
	bool late; /* it has said so in this batch */
	void (*collect)(void *context, const struct partial_sink *sink);
	void *collect_context;
	bool leaves;    /* some clause is carried out by a source */
	bool collected; /* in this firing, or for good because tracing has ended */
	struct writer *writer;
	struct d_options options; /* as setopt() has left them */
	uint32_t string_limit;

	struct engine_clause *clauses;
	struct engine_probe *table;
	size_t table_count;
	uint32_t *enabled; /* clause indices; with ENGINE_LEFT: a source carries it out */
	size_t enabled_count;

	uint64_t registers[D_REGISTERS_MAX];
	struct firing firing;
	struct fault fault;
	struct scratch scratch;
	struct tokens tokens;
	struct memory memory;
	struct kept kept;
	char *zeroes;       /* the initial value of self-> variables and elements that are bytes */
	uint64_t allocated; /* bytes that this clause has allocated with alloca() */
	uint64_t nothing;   /* address of its alloca(0) since the last block, 0: none yet */
	struct engine_processor *processors; /* by number */
	size_t processor_count, processor_capacity;
	struct buffer_record *records;
	uint64_t *record_values;
	uint32_t record_count, record_value_count;
	struct speculations speculations;
	struct buffer principal; /* with bufpolicy fill and ring: all records until the end */
	struct buffer waiting;   /* at most one entry, within a firing: see flow.h */

	struct slab slab;
	struct strings strings;
	uint64_t *values; /* of global and this-> variables, by variable */
	struct engine_variable *variables;
	struct dynamic dynamic;
	struct aggregate *aggregates;
	struct quota aggregate_quota; /* option aggsize */
	struct drops drops;

	struct engine_tick *ticks;
	size_t tick_count;
	int64_t wall_offset;
	uint64_t random; /* state of rand() */
	bool recorded;   /* events are from a recording */
	bool unfused;    /* for tests, see struct engine_settings */
	struct lineage lineage;
	struct places places;
	struct guest_stacks guest_stacks;

	struct event_batch no_batch; /* of BEGIN, END and ticks: no handles */
	struct text empty;
	struct process_text name, arguments; /* of the last process they were needed for */

	bool begun, ended, exited, in_error;
	bool exit_at_end;   /* exit() was called while END ran */
	uint64_t exit_time; /* of the firing that called exit() */
	int status;
	struct flow flow;
	uint32_t running; /* the running clause */
};

/* The owner of the self-> variables that the firing sees. */
static inline uint64_t firing_owner(const struct firing *firing)
{
	return (uint64_t)firing->process->pid << 32 | firing->tid;
}

/* What the source has captured with the event, or NULL. */
static inline const struct event_capture *firing_capture(const struct firing *firing)
{
	return firing->event && firing->batch->captures
		? &firing->batch->captures[firing->event - firing->batch->events]
		: NULL;
}

/* Records a fault. Returns its code, for the calling function to return. */
static inline enum d_fault fault_set(struct engine *engine, enum d_fault code, uint64_t value)
{
	engine->fault.code = code;
	engine->fault.value = value;
	return code;
}

#endif
