/*
 * reduce.c: see reduce.h. All clauses are candidates at first. Those with something that programs
 * cannot do are struck out, then those whose variables or aggregations are used by one that was
 * struck out, until nothing changes. Maps are made last, and if the kernel refuses one, nothing is
 * reduced.
 */
#include "kernel/reduce/reduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/reduce/follow.h"
#include "kernel/reduce/refusal.h"
#include "kernel/translate/reader_guard.h"
#include "kernel/translate/sent_updates.h"
#include "kernel/translate/translate.h"
#include "kernel/translate/translate_copyout.h"

enum {
	MAPS_MAX = 48,    /* of a program, which may use 64 in all */
	STRING_MAX = 320, /* a longer one has no room on the program's stack */
	ENTRIES_MAX = 1 << 20,
	SHARERS = 4, /* each of this many tallies may have as much room as all tallies together */
	PART_LEAST = 1 << 13,   /* elements for each tally, however many there are */
	STRINGS_MAX = 1 << 15,  /* listing many more takes longer than sending the updates */
	ROUNDS_KEPT = 4,        /* keys of an aggregation that rotates stay for several seconds */
	ELEMENT_LEAST = 32,     /* bytes of an element of the engine's */
	VARIABLE_BYTES = 64,    /* of an element of an associative array, about */
	FIRST_BYTES = 64 << 10, /* of a tally's first map */
	FIRST_LEAST = 16,       /* elements of it */
	ZEROES_MIN = 64
};

/* Properties of a clause that are used while it is decided. */
struct reducible {
	bool is_wanted;   /* at some probe of this source */
	bool is_complete; /* this source has all its probes */
	bool samples;     /* at some probe of provider profile */
	bool is_taken;
};

/* ---- the program ---- */

static size_t instruction_count(const struct d_clause *clause)
{
	return clause->predicate_count + clause->code_count;
}

static const struct d_instruction *instruction(const struct d_clause *clause, size_t number)
{
	return number < clause->predicate_count ? &clause->predicate[number]
						: &clause->code[number - clause->predicate_count];
}

/* Returns the variable that an instruction touches; -1 if there is none. */
static int touched(const struct d_instruction *at)
{
	enum d_immediate kind = d_opcodes[at->opcode].immediate;

	return kind >= D_IMMEDIATE_SCALAR && kind <= D_IMMEDIATE_OBJECT_ELEMENT ? at->immediate
										: -1;
}

static const struct d_action *action_of(
	const struct d_program *program, const struct d_instruction *at)
{
	return at->opcode == D_OP_ACTION ? &program->actions[at->immediate] : NULL;
}

/*
 * Returns whether the clause may run at an event of a source, or at a fault of a clause that does.
 */
static bool runs_at_events(const struct source_request *request, const struct d_clause *clause)
{
	for (size_t i = 0; i < d_clause_probes(clause); i++) {
		enum d_probe_kind kind = request->probes->probes[clause->probes[i]].kind;

		if (kind == D_PROBE_ERROR || kind == D_PROBE_SOURCE)
			return true;
	}
	return false;
}

/* Finds what must not be reduced because an event decides when it is shown. Returns false if
 * nothing at all can be reduced. */
static bool pin_aggregations(const struct source_request *request, bool *pinned)
{
	const struct d_program *program = request->program;

	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];

		for (size_t j = 0; j < instruction_count(clause); j++) {
			const struct d_action *action = action_of(program, instruction(clause, j));

			if (!action || !runs_at_events(request, clause))
				continue;
			if (action->kind == D_ACTION_EXIT)
				return false;
			for (unsigned k = 0; k < action->aggregation_count; k++)
				pinned[action->aggregations[k]] = true;
		}
	}
	return true;
}

/* ---- decisions ---- */

/* Returns whether the clause only aggregates and stores, and loads no this-> variable before
 * storing it. */
static bool is_suitable(const struct d_program *program, const struct d_clause *clause,
	const bool *pinned, bool *stored)
{
	bool suits = true, works = false;

	for (size_t i = 0; i < instruction_count(clause); i++) {
		const struct d_instruction *at = instruction(clause, i);
		int variable = touched(at);

		if (at->opcode == D_OP_ACTION)
			suits = false;
		if (at->opcode == D_OP_AGGREGATE)
			suits &= !pinned[at->immediate];
		works |= at->opcode == D_OP_AGGREGATE || variable >= 0;
		if (at->opcode == D_OP_STORE)
			stored[variable] = true;
		if (at->opcode == D_OP_LOAD && program->variables[variable].scope == D_SCOPE_THIS)
			suits &= stored[variable];
	}
	return suits && (works || kernel_copyout_is_in(clause));
}

static bool aggregates(const struct d_clause *clause)
{
	for (size_t i = 0; i < instruction_count(clause); i++)
		if (instruction(clause, i)->opcode == D_OP_AGGREGATE)
			return true;
	return false;
}

/* Returns whether the probe is a sample. Samples interrupt anything, even the kernel's work on
 * maps, so programs for them only record. */
static bool is_sample(const struct source_request *request, uint32_t probe)
{
	return !strcmp(request->probes->probes[probe].provider, "profile");
}

static void note_wants(const struct source_request *request, struct reducible *candidates)
{
	size_t *counts = calloc(request->program->clause_count + 1, sizeof(*counts));

	for (size_t i = 0; i < request->want_count && counts; i++) {
		uint32_t clause = request->wants[i].clause;

		candidates[clause].is_wanted = true;
		candidates[clause].samples |= is_sample(request, request->wants[i].probe);
		candidates[clause].is_complete =
			++counts[clause] == d_clause_probes(&request->program->clauses[clause]);
	}
	free(counts);
}

/* Returns whether both clauses touch some variable so that they must both be taken, or neither. */
static bool must_agree(const struct d_program *program, const struct reducible *candidates,
	uint32_t one, uint32_t other)
{
	for (size_t i = 0; i < instruction_count(&program->clauses[one]); i++) {
		int variable = touched(instruction(&program->clauses[one], i));

		if (variable < 0 ||
			(program->variables[variable].scope == D_SCOPE_THIS &&
				!candidates[other].is_wanted))
			continue;
		for (size_t j = 0; j < instruction_count(&program->clauses[other]); j++)
			if (touched(instruction(&program->clauses[other], j)) == variable)
				return true;
	}
	return false;
}

/* Returns whether the clause touches a variable that outlives the event. */
static bool keeps_variables(const struct d_program *program, uint32_t clause)
{
	for (size_t i = 0; i < instruction_count(&program->clauses[clause]); i++) {
		int variable = touched(instruction(&program->clauses[clause], i));

		if (variable >= 0 && program->variables[variable].scope != D_SCOPE_THIS)
			return true;
	}
	return false;
}

/* Leaves out clauses that share variables with one that is not taken. */
static void settle(const struct d_program *program, struct reducible *candidates)
{
	bool changed = true;

	for (uint32_t i = 0; i < program->clause_count; i++)
		if (!candidates[i].is_complete && keeps_variables(program, i))
			candidates[i].is_taken = false;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < program->clause_count; i++)
			for (uint32_t j = 0; j < program->clause_count && candidates[i].is_taken;
				j++)
				if (!candidates[j].is_taken &&
					must_agree(program, candidates, i, j)) {
					candidates[i].is_taken = false;
					changed = true;
				}
	}
}

/* Returns the number of maps that a clause uses in a program, besides those that all use. */
static unsigned count_maps(const struct kernel_reduction *reduction, uint32_t clause)
{
	const struct d_clause *is = &reduction->program->clauses[clause];
	unsigned count = 0;

	for (size_t i = 0; i < reduction->tally_count; i++)
		count += reduction->tallies[i].clause == clause ? 2 : 0;
	for (size_t i = 0; i < instruction_count(is); i++) {
		int variable = touched(instruction(is, i));

		count += variable >= 0 && reduction->program->variables[variable].key_count;
	}
	return count;
}

/* Leaves out the last clauses of a probe whose program would use more maps than allowed. */
static void limit_maps(const struct kernel_reduction *reduction,
	const struct source_request *request, struct reducible *candidates)
{
	size_t next;

	for (size_t i = 0; i < request->want_count; i = next) {
		unsigned count = 0;

		next = source_request_next(request, i);
		for (size_t j = i; j < next; j++) {
			uint32_t clause = request->wants[j].clause;

			if (!candidates[clause].is_taken)
				continue;
			count += count_maps(reduction, clause);
			candidates[clause].is_taken = count <= MAPS_MAX;
		}
	}
}

static int try_clause(struct kernel_reduction *reduction, uint32_t clause, bool *is_possible)
{
	struct kernel_translated translated;
	int result = kernel_translate_try(reduction, clause, false, &translated);

	*is_possible = !result && translated.is_possible;
	reduction->sleeps[clause] = translated.sleeps;
	reduction->names[clause] = translated.names_site;
	reduction->times[clause] = translated.looks_at_time;
	reduction->frames[clause] = translated.uses_frame;
	return result;
}

static int try_predicate(struct kernel_reduction *reduction, uint32_t clause)
{
	struct kernel_translated translated;
	int result;

	reduction->sleeps[clause] = reduction->times[clause] = false;
	if (!reduction->demands[clause].predicate)
		return 0;
	result = kernel_translate_try(reduction, clause, true, &translated);
	reduction->filters[clause] = !result && translated.is_possible;
	reduction->sleeps[clause] = reduction->filters[clause] && translated.sleeps;
	reduction->times[clause] = reduction->filters[clause] && translated.looks_at_time;
	reduction->frames[clause] = reduction->filters[clause] && translated.uses_frame;
	return result;
}

/* Returns whether the clause depends on which process's provider a probe belongs to. */
static bool needs_provider(const struct d_clause *clause)
{
	static const char any[] = "[0-9]*"; /* $target, where that stands for several processes */
	size_t length = strcspn(clause->description, ":");
	const char *end = clause->description + length;

	if (length >= strlen(any) && !strncmp(end - strlen(any), any, strlen(any)))
		length -= strlen(any);
	else if (length && end[-1] == '*')
		length--;
	if (length && clause->description[length - 1] >= '0' &&
		clause->description[length - 1] <= '9')
		return true;
	if (memchr(clause->description, '[', length) || memchr(clause->description, '?', length))
		return true;
	for (size_t i = 0; i < instruction_count(clause); i++) {
		const struct d_instruction *at = instruction(clause, i);

		if (at->opcode == D_OP_BUILTIN &&
			(at->immediate == D_BUILTIN_PROBEPROV || at->immediate == D_BUILTIN_ID ||
				at->immediate == D_BUILTIN_EPID))
			return true;
	}
	return false;
}

static bool is_allowed(const struct d_options *options)
{
	return options->reduce && options->bufpolicy == D_BUFFER_SWITCH && options->cpu < 0 &&
		!options->aggpercpu;
}

/* Returns whether any clause writes to the process, and no option forbids carrying it out. */
static bool copies(const struct kernel_reduction *reduction)
{
	for (size_t i = 0; i < reduction->program->clause_count; i++)
		if (reduction->copies[i])
			return reduction->program->options.cpu < 0;
	return false;
}

static int decide(struct kernel_reduction *reduction, const struct source_request *request,
	struct reducible *candidates, bool *pinned, bool *stored)
{
	const struct d_program *program = request->program;
	bool is_all = is_allowed(&program->options), may_filter = is_all;
	size_t kept = 0;
	int result = 0;

	note_wants(request, candidates);
	is_all &= pin_aggregations(request, pinned);
	for (uint32_t i = 0; i < program->clause_count && !result; i++)
		if (is_suitable(program, &program->clauses[i], pinned, stored) &&
			(is_all || (copies(reduction) && !aggregates(&program->clauses[i]))) &&
			(candidates[i].is_wanted || reduction->copies[i]) &&
			!candidates[i].samples &&
			!(reduction->is_shared && needs_provider(&program->clauses[i])))
			result = try_clause(reduction, i, &candidates[i].is_taken);
	settle(program, candidates);
	limit_maps(reduction, request, candidates);
	settle(program, candidates);
	for (size_t i = 0; i < reduction->tally_count; i++)
		if (candidates[reduction->tallies[i].clause].is_taken)
			reduction->tallies[kept++] = reduction->tallies[i];
	reduction->tally_count = kept;
	for (uint32_t i = 0; i < program->clause_count && !result && may_filter; i++)
		if (!candidates[i].is_taken && candidates[i].is_wanted && !candidates[i].samples &&
			!(reduction->is_shared && needs_provider(&program->clauses[i])))
			result = try_predicate(reduction, i);
	for (uint32_t i = 0; i < program->clause_count && !result; i++)
		reduction->taken[i] = candidates[i].is_taken;
	for (uint32_t i = 0; i < program->clause_count && !result; i++)
		if (candidates[i].is_wanted && reduction->copies[i] && !candidates[i].is_taken &&
			!reduction->refusal.why)
			kernel_refusal_find(reduction, i,
				reduction->is_shared && needs_provider(&program->clauses[i]));
	return result;
}

/* Decides which of the other clauses are followed. */
static int follow_clauses(struct kernel_reduction *reduction, const struct source_request *request,
	const struct reducible *candidates)
{
	const struct d_program *program = request->program;
	bool *is_possible = calloc(program->clause_count + 1, sizeof(*is_possible));
	int result = is_possible ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < program->clause_count && !result; i++)
		is_possible[i] =
			(candidates[i].is_complete ||
				(reduction->is_shared && !d_clause_probes(&program->clauses[i]))) &&
			!candidates[i].is_taken && !candidates[i].samples &&
			!(reduction->is_shared && needs_provider(&program->clauses[i]));
	if (!result && kernel_follow_is_wanted(request))
		result = kernel_follow_decide(reduction, request, is_possible);
	free(is_possible);
	return result;
}

/* Finds which variables the taken clauses use, and gives them places. */
static void place_variables(struct kernel_reduction *reduction, const struct reducible *candidates)
{
	const struct d_program *program = reduction->program;

	for (size_t i = 0; i < program->variable_count; i++)
		reduction->variables[i].is_used = reduction->variables[i].is_followed;
	for (uint32_t i = 0; i < program->clause_count; i++)
		for (size_t j = 0; j < instruction_count(&program->clauses[i]); j++) {
			int variable = touched(instruction(&program->clauses[i], j));

			if (variable < 0 || !candidates[i].is_taken)
				continue;
			reduction->variables[variable].is_used = true;
		}
}

void kernel_reduce_tell_clocks(
	const struct kernel_reduction *reduction, int64_t distance, int64_t wall)
{
	const int64_t clocks[KERNEL_CLOCKS] = {
		[KERNEL_CLOCK_DISTANCE] = distance, [KERNEL_CLOCK_WALL] = wall};
	const uint32_t index = 0;

	if (reduction->clocks >= 0)
		bpf_map_set(reduction->clocks, &index, clocks);
}

static void number_variables(struct kernel_reduction *reduction)
{
	const struct d_program *program = reduction->program;

	for (uint32_t i = 0; i < program->clause_count; i++)
		reduction->reads_cpu_time |=
			kernel_reduction_clause_reads(&program->clauses[i], D_BUILTIN_VTIMESTAMP);
	if (reduction->reads_cpu_time) {
		reduction->cpu_time = reduction->local_count++;
		reduction->last_cpu_time = reduction->self_bytes;
		reduction->self_bytes += 8;
	}
	for (size_t i = 0; i < program->variable_count; i++) {
		struct kernel_variable *variable = &reduction->variables[i];
		const struct d_variable *definition = &program->variables[i];

		variable->map = -1;
		if (definition->key_count || definition->type.kind != D_VALUE_INTEGER)
			continue;
		if (definition->scope == D_SCOPE_THIS)
			variable->place = reduction->local_count++;
		if (definition->scope == D_SCOPE_SELF) {
			variable->place = reduction->self_bytes;
			reduction->self_bytes += 8;
		}
	}
}

/* ---- maps ---- */

static void add_strings(
	struct kernel_reduction *reduction, const struct kernel_tally *tally, uint64_t entries)
{
	uint64_t most = reduction->strings_max;

	for (unsigned i = 0; i < tally->key_count; i++)
		most += tally->keys[i].kind == KERNEL_KEY_LISTED ? entries : 0;
	reduction->strings_max = most < ENTRIES_MAX ? (uint32_t)most : ENTRIES_MAX;
}

static int make_tally_maps(struct kernel_reduction *reduction, struct kernel_tally *tally)
{
	uint64_t entries =
		reduction->program->options.aggsize / (ELEMENT_LEAST + 8u * tally->key_count);
	uint64_t part = SHARERS * entries / reduction->tally_count;
	uint32_t bytes = 8 * tally->words, each = bytes * reduction->cpu_count + tally->key_bytes;
	uint32_t first = FIRST_BYTES / (each + ELEMENT_LEAST);

	if (!tally->key_bytes) {
		tally->map = bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, bytes, 1, 0);
		return tally->map < 0 ? tally->map : 0;
	}
	/* all aggregations share the room, and a map with a greater maximum size takes longer to
	 * make */
	part = part < PART_LEAST ? PART_LEAST : part;
	entries = entries > part ? part : entries;
	entries *= tally->rotates ? ROUNDS_KEPT : 1;
	entries = entries > ENTRIES_MAX ? ENTRIES_MAX : entries;
	first = first < FIRST_LEAST ? FIRST_LEAST : first;
	add_strings(reduction, tally, first + entries);
	tally->map = bpf_map(BPF_MAP_TYPE_PERCPU_HASH, tally->key_bytes, bytes, first, 0);
	if (tally->map < 0)
		return tally->map;
	tally->further = bpf_map(BPF_MAP_TYPE_HASH, tally->key_bytes, bytes,
		entries ? (uint32_t)entries : 1, BPF_F_NO_PREALLOC);
	return tally->further < 0 ? tally->further : 0;
}

static int make_variable_map(struct kernel_reduction *reduction, size_t number)
{
	const struct d_variable *definition = &reduction->program->variables[number];
	uint64_t entries = reduction->program->options.dynvarsize / VARIABLE_BYTES;
	struct kernel_variable *variable = &reduction->variables[number];
	unsigned keys = definition->key_count + (definition->scope == D_SCOPE_SELF);

	if (!variable->is_used || !definition->key_count)
		return 0;
	if (entries > ENTRIES_MAX)
		entries = ENTRIES_MAX;
	variable->map = bpf_map(
		BPF_MAP_TYPE_HASH, 8 * keys, 8, entries ? (uint32_t)entries : 1, BPF_F_NO_PREALLOC);
	return variable->map < 0 ? variable->map : 0;
}

static int make_array(int *map, uint32_t bytes)
{
	*map = bpf_map(BPF_MAP_TYPE_ARRAY, 4, bytes, 1, 0);
	return *map < 0 ? *map : 0;
}

static bool has_stack_key(const struct kernel_tally *tally)
{
	for (unsigned i = 0; i < tally->key_count; i++)
		if (tally->keys[i].kind == KERNEL_KEY_STACK)
			return true;
	return false;
}

static int make_string_maps(struct kernel_reduction *reduction)
{
	uint32_t bytes = reduction->string_bytes;

	if (reduction->strings_max > STRINGS_MAX)
		reduction->strings_max = STRINGS_MAX;
	reduction->strings =
		bpf_map(BPF_MAP_TYPE_HASH, bytes, 8, reduction->strings_max, BPF_F_NO_PREALLOC);
	if (reduction->strings < 0)
		return reduction->strings;
	reduction->texts =
		bpf_map(BPF_MAP_TYPE_HASH, 8, bytes, 2 * reduction->strings_max, BPF_F_NO_PREALLOC);
	return reduction->texts < 0 ? reduction->texts : make_array(&reduction->numbers, 8);
}

static int make_maps(struct kernel_reduction *reduction)
{
	uint32_t words = ZEROES_MIN / 8;
	bool has_stacks = false, has_cpu_time = false;
	int result = 0;

	for (size_t i = 0; i < reduction->tally_count && !result; i++) {
		struct kernel_sent_layout layout;

		result = make_tally_maps(reduction, &reduction->tallies[i]);
		reduction->rotates |= reduction->tallies[i].rotates;
		kernel_send_lay_out(reduction, &reduction->tallies[i], &layout);
		if (layout.limit > reduction->sent_bytes)
			reduction->sent_bytes = layout.limit;
		has_stacks |= has_stack_key(&reduction->tallies[i]);
		if (reduction->tallies[i].words > words)
			words = reduction->tallies[i].words;
	}
	if (!result && has_stacks)
		result = kernel_stacks_open(&reduction->stacks);
	for (size_t i = 0; i < reduction->variable_count && !result; i++)
		result = make_variable_map(reduction, i);
	if (!result) {
		reduction->self = bpf_task_map(reduction->self_bytes + KERNEL_FRAME_BYTES);
		result = reduction->self < 0 ? reduction->self : 0;
	}
	if (!result && reduction->tally_count)
		result = make_array(&reduction->zeroes, 8 * words);
	for (uint32_t i = 0; i < reduction->program->clause_count && !result; i++) {
		bool reads_cpu_time = kernel_reduction_reads(reduction, i, D_BUILTIN_VTIMESTAMP);

		has_cpu_time |= reads_cpu_time;
		if (reduction->clocks < 0 &&
			(reads_cpu_time ||
				kernel_reduction_reads(reduction, i, D_BUILTIN_WALLTIMESTAMP)))
			result = make_array(&reduction->clocks, 8 * KERNEL_CLOCKS);
	}
	reduction->reads_cpu_time = has_cpu_time;
	if (!result)
		result = make_array(&reduction->losses, 8 * (1 + reduction->cpu_count));
	if (!result && reduction->lists_strings)
		result = make_string_maps(reduction);
	return result || !reduction->tally_count ? result : kernel_guard_open(reduction);
}

static struct kernel_reduction no_reduction(void)
{
	return (struct kernel_reduction){.self = -1,
		.zeroes = -1,
		.strings = -1,
		.texts = -1,
		.numbers = -1,
		.guard = -1,
		.inside = -1,
		.clocks = -1,
		.losses = -1};
}

static void close_map(int map)
{
	if (map >= 0)
		close(map);
}

int kernel_reduce_begin(
	struct kernel_reduction *reduction, const struct source_request *request, bool is_shared)
{
	const struct d_program *program = request->program;
	size_t count = program ? program->clause_count : 0;
	struct reducible *candidates = NULL;
	bool *pinned = NULL, *stored = NULL;
	int result = -ENOMEM;

	*reduction = no_reduction();
	if (!program || !request->probes ||
		(!is_allowed(&program->options) && !kernel_refusal_is_possible(request) &&
			!kernel_follow_is_wanted(request)))
		return 0;
	reduction->program = program;
	reduction->is_shared = is_shared;
	reduction->demands = request->demands;
	reduction->string_bytes = program->options.strsize < STRING_MAX
		? ((uint32_t)program->options.strsize + 8) & ~7u
		: 0;
	reduction->sleeps = calloc(count + 1, sizeof(bool));
	reduction->names = calloc(count + 1, sizeof(bool));
	reduction->filters = calloc(count + 1, sizeof(bool));
	reduction->times = calloc(count + 1, sizeof(bool));
	reduction->frames = calloc(count + 1, sizeof(bool));
	reduction->taken = calloc(count + 1, sizeof(bool));
	reduction->copies = calloc(count + 1, sizeof(bool));
	reduction->followed = calloc(count + 1, sizeof(bool));
	reduction->cpu_count = bpf_cpu_count();
	reduction->variables = calloc(program->variable_count + 1, sizeof(*reduction->variables));
	candidates = calloc(count + 1, sizeof(*candidates));
	pinned = calloc(program->aggregation_count + 1, sizeof(bool));
	stored = calloc(program->variable_count + 1, sizeof(bool));
	if (reduction->sleeps && reduction->names && reduction->filters && reduction->times &&
		reduction->frames && reduction->taken && reduction->copies && reduction->followed &&
		reduction->variables && candidates && pinned && stored) {
		for (size_t i = 0; i < count; i++)
			reduction->copies[i] = kernel_copyout_is_in(&program->clauses[i]);
		reduction->variable_count = program->variable_count;
		number_variables(reduction);
		result = decide(reduction, request, candidates, pinned, stored);
		if (!result)
			result = follow_clauses(reduction, request, candidates);
		place_variables(reduction, candidates);
	}
	if (!result)
		result = make_maps(reduction);
	free(candidates);
	free(pinned);
	free(stored);
	reduction->demands = NULL; /* they are the request's */
	kernel_reduce_answer(reduction, request);
	if (result)
		kernel_reduce_undo(reduction, request);
	return result;
}

void kernel_reduce_answer(
	const struct kernel_reduction *reduction, const struct source_request *request)
{
	for (size_t i = 0; i < request->want_count && reduction->taken && reduction->followed;
		i++) {
		request->wants[i].reduced = reduction->taken[request->wants[i].clause];
		request->wants[i].followed = reduction->followed[request->wants[i].clause];
	}
}

void kernel_reduce_use(struct kernel_maps *maps, struct kernel_reduction *reduction)
{
	static const struct kernel_clause_code code = {
		kernel_translate_set, kernel_follow_generate};

	maps->reduction = reduction;
	maps->clause_code = &code;
}

void kernel_reduce_undo(struct kernel_reduction *reduction, const struct source_request *request)
{
	struct kernel_refusal refusal;

	for (size_t i = 0; i < request->want_count; i++)
		request->wants[i].reduced = request->wants[i].followed = false;
	refusal = reduction->refusal;
	kernel_reduce_free(reduction);
	reduction->refusal = refusal;
}

void kernel_reduce_free(struct kernel_reduction *reduction)
{
	for (size_t i = 0; i < reduction->tally_count; i++) {
		close_map(reduction->tallies[i].map);
		close_map(reduction->tallies[i].further);
	}
	for (size_t i = 0; i < reduction->variable_count; i++)
		close_map(reduction->variables[i].map);
	for (size_t i = 0; i < reduction->set_count; i++)
		kernel_clauses_free(&reduction->sets[i]);
	if (reduction->program) {
		close_map(reduction->self);
		close_map(reduction->zeroes);
		close_map(reduction->strings);
		close_map(reduction->texts);
		close_map(reduction->numbers);
		close_map(reduction->guard);
		close_map(reduction->inside);
		close_map(reduction->clocks);
		close_map(reduction->losses);
	}
	kernel_stacks_close(&reduction->stacks);
	free(reduction->sets);
	free(reduction->tallies);
	free(reduction->variables);
	free(reduction->sleeps);
	free(reduction->names);
	free(reduction->filters);
	free(reduction->times);
	free(reduction->frames);
	free(reduction->taken);
	free(reduction->copies);
	free(reduction->followed);
	*reduction = no_reduction();
}
