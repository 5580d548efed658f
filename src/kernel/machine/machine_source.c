/*
 * machine_source.c: see machine_source.h. Each way to record an event is a BPF program of its own,
 * which all system calls run: by the call's number it looks up whether the call is wanted, and the
 * number of its site. So thousands of probes take one or a few programs. A probe at another
 * tracepoint, or at a function, has a program for each of its sites.
 *
 * Programs run in interrupts, too, where they may interrupt another one. So each has memory of its
 * own for each processor: the kernel lets no program interrupt itself.
 */
#include "kernel/machine/machine_source.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/capture/capture.h"
#include "kernel/capture/capture_generator.h"
#include "kernel/machine/machine_feed.h"
#include "kernel/machine/machine_providers.h"
#include "kernel/machine/process_filter.h"
#include "kernel/reduce/follow.h"
#include "kernel/reduce/reduce.h"
#include "kernel/reduce/refusal.h"
#include "kernel/reduce/tally.h"
#include "usdt/elf/btf.h"
#include "usdt/elf/function.h"

enum {
	NOTED_MAX = 4096, /* threads that are in a system call for which something is noted */
	BUSY_MS = 5       /* between two readings of the ring while events come */
};

/* A probe that is enabled. Its index is the number that programs know it by. */
struct machine_site {
	struct kernel_site site;
	uint32_t plan;
};

/* A program, the map of the system calls that it records, and its memory. */
struct machine_program {
	struct kernel_plan plan;
	const char *tracepoint;
	const struct bpf_function *function; /* NULL: it is for a tracepoint */
	uint32_t probe, clause;              /* the first ones that it is for */
	int descriptor;                      /* -1: it is not loaded */
	uint64_t missed;                     /* calls during which it did not run, as reported */
	int calls, sample, frame;
};

struct kernel_machine {
	struct source source;
	struct d_probe_set *set;
	struct bpf_features features;
	struct kernel_providers providers;
	struct arena arena; /* of sites */
	struct kernel_maps maps;
	struct kernel_feed feed;
	struct machine_site *sites;
	size_t site_count, site_capacity;
	struct machine_program *programs;
	size_t program_count, program_capacity;
	int *links;
	size_t link_count;
	struct kernel_reduction reduction;
	struct kernel_reader reader;
	uint64_t *updates;               /* lost updates by processor */
	struct usdt_functions functions; /* of the kernel, if a clause wants its stack */
	char message[2048];              /* to go with the next batch; "": none */
	char told[2048];                 /* what a batch's message points to */
};

static struct kernel_machine *machine_of(const struct source *source)
{
	return (struct kernel_machine *)(uintptr_t)source;
}

static void detach_programs(struct kernel_machine *machine)
{
	bpf_close_all(machine->links, machine->link_count);
	machine->link_count = 0;
}

static void close_map(int *map)
{
	if (*map >= 0)
		close(*map);
	*map = -1;
}

/* Resets the plans, as if nothing had been planned or attached. */
static void reset_plans(struct kernel_machine *machine)
{
	detach_programs(machine);
	kernel_feed_reset(&machine->feed, &machine->maps);
	close_map(&machine->maps.noted);
	for (size_t i = 0; i < machine->program_count; i++) {
		close_map(&machine->programs[i].descriptor);
		close_map(&machine->programs[i].calls);
		close_map(&machine->programs[i].sample);
		close_map(&machine->programs[i].frame);
	}
	free(machine->sites);
	free(machine->programs);
	free(machine->links);
	machine->sites = NULL;
	machine->programs = NULL;
	machine->links = NULL;
	machine->site_count = machine->program_count = machine->program_capacity = 0;
	machine->site_capacity = 0;
	arena_free(&machine->arena);
	machine->arena = (struct arena){0};
}

static void machine_close(struct source *source)
{
	struct kernel_machine *machine = machine_of(source);

	reset_plans(machine);
	kernel_tally_end(&machine->reader, &machine->reduction);
	kernel_reduce_free(&machine->reduction);
	free(machine->updates);
	kernel_feed_close(&machine->feed, &machine->maps);
	usdt_functions_free(&machine->functions);
	kernel_providers_close(&machine->providers);
	free(machine);
}

/* ---- planning ---- */

static int out_of_memory(struct error *error)
{
	return error_set(error, ENOMEM, "out of memory");
}

/* Writes the name of a probe, such as "syscall::read:entry". */
static void name_probe(
	const struct kernel_machine *machine, uint32_t probe, char *text, size_t size)
{
	const struct d_probe *named = &machine->set->probes[probe];

	snprintf(text, size, "%s:%s:%s:%s", named->provider, named->module, named->function,
		named->name);
}

static int tell_plan(
	const struct kernel_machine *machine, uint32_t probe, int reason, struct error *error)
{
	char name[512];

	name_probe(machine, probe, name, sizeof(name));
	return kernel_plan_refuse(name, reason, error);
}

static int find_program(struct kernel_machine *machine, const struct kernel_plan *plan,
	const struct kernel_site *site, uint32_t clause)
{
	for (size_t i = 0; i < machine->program_count; i++)
		if (!memcmp(&machine->programs[i].plan, plan, sizeof(*plan)) &&
			!strcmp(machine->programs[i].tracepoint, site->tracepoint))
			return (int)i;
	if (array_room(&machine->programs, &machine->program_capacity, machine->program_count,
		    sizeof(*machine->programs)))
		return -ENOMEM;
	machine->programs[machine->program_count] = (struct machine_program){.descriptor = -1,
		.calls = -1,
		.sample = -1,
		.frame = -1,
		.tracepoint = site->tracepoint,
		.function = site->function,
		.probe = site->probe,
		.clause = clause};
	memcpy(&machine->programs[machine->program_count].plan, plan, sizeof(*plan));
	return (int)machine->program_count++;
}

static int plan_site(struct kernel_machine *machine, const struct kernel_site *where,
	const struct source_want *wants, size_t count, struct error *error)
{
	struct machine_site *site;
	struct kernel_plan plan;
	unsigned argument;
	int result, number;

	if (array_room(&machine->sites, &machine->site_capacity, machine->site_count,
		    sizeof(*machine->sites)))
		return out_of_memory(error);
	site = &machine->sites[machine->site_count];
	site->site = *where;
	if (where->notes) /* nothing is reported */
		count = 0;
	result = kernel_plan_make(&plan, where, wants, count, &argument);
	if (result)
		return tell_plan(machine, wants[0].probe, result, error);
	plan.pid = kernel_filter_pid(wants, count);
	if (!where->is_call)
		plan.number = (uint32_t)machine->site_count + 1;
	if (kernel_clauses_plan(
		    &machine->reduction, wants, count, &machine->set->probes[where->probe], &plan))
		return out_of_memory(error);
	number = find_program(machine, &plan, where, wants[0].clause);
	if (number < 0)
		return out_of_memory(error);
	site->plan = (uint32_t)number;
	machine->site_count++;
	return 0;
}

static int plan_probe(struct kernel_machine *machine, const struct source_want *wants, size_t count,
	struct error *error)
{
	struct kernel_site sites[KERNEL_PROVIDER_SITES];
	int result = 0, found;

	for (size_t i = 0; i < count; i++)
		if (!wants[i].reduced && !wants[i].followed && wants[i].demand &&
			wants[i].demand->any_memory)
			return tell_plan(machine, wants[0].probe, -ENOTSUP, error);
	found = kernel_providers_sites(&machine->providers, &machine->set->probes[wants[0].probe],
		wants[0].probe, &machine->arena, sites);
	if (found < 0)
		return out_of_memory(error);
	for (int i = 0; i < found && !result; i++)
		result = plan_site(machine, &sites[i], wants, count, error);
	return result;
}

/* Each function's probe needs a program, which takes time to attach and to detach. */
static int check_functions(const struct kernel_machine *machine,
	const struct source_request *request, struct error *error)
{
	const struct kernel_provider *limited = NULL;
	size_t count = 0;

	for (size_t i = 0; i < request->want_count; i = source_request_next(request, i)) {
		const struct d_probe *probe = &machine->set->probes[request->wants[i].probe];
		const struct kernel_provider *provider = kernel_providers_row(probe);

		if (!provider->functions_max || probe->is_refused)
			continue;
		limited = provider;
		count++;
	}
	return !limited || count <= limited->functions_max
		? 0
		: error_set(error, E2BIG,
			  "provider %s: %zu probes are described; each needs a program of its "
			  "own, and at most %u are possible: describe fewer functions",
			  limited->name, count, limited->functions_max);
}

static int plan_all(
	struct kernel_machine *machine, const struct source_request *request, struct error *error)
{
	const struct d_probe *refused = NULL;
	int result = check_functions(machine, request, error);

	for (size_t i = 0, next; i < request->want_count && !result; i = next) {
		const struct d_probe *probe = &machine->set->probes[request->wants[i].probe];

		next = source_request_next(request, i);
		if (probe->is_refused)
			refused = refused ? refused : probe;
		else
			result = plan_probe(machine, &request->wants[i], next - i, error);
	}
	if (!result && refused && !machine->site_count)
		result = error_set(error, ENOTSUP, "%s:%s:%s:%s cannot be traced: %s",
			refused->provider, refused->module, refused->function, refused->name,
			refused->note);
	return result;
}

/* ---- maps ---- */

static int make_map(int *map, uint32_t type, uint32_t bytes, uint32_t count, struct error *error)
{
	*map = bpf_map(type, 4, bytes, count, 0);
	return *map < 0
		? error_set(error, -*map, "the kernel refuses a BPF map: %s", strerror(-*map))
		: 0;
}

/* Tells a program which calls it records, and the numbers of their sites. */
static int make_calls(struct kernel_machine *machine, size_t number, struct error *error)
{
	struct machine_program *program = &machine->programs[number];
	const uint32_t key = 0;
	uint32_t calls[KERNEL_CALLS] = {0};
	int result = make_map(&program->calls, BPF_MAP_TYPE_ARRAY, sizeof(calls), 1, error);

	for (size_t i = 0; i < machine->site_count; i++)
		if (machine->sites[i].plan == number && machine->sites[i].site.is_call &&
			machine->sites[i].site.call < KERNEL_CALLS)
			calls[machine->sites[i].site.call] = (uint32_t)i + 1;
	if (!result && bpf_map_set(program->calls, &key, calls))
		result = error_set(error, EIO, "the kernel refuses an element of a BPF map");
	return result;
}

static int make_program_maps(struct kernel_machine *machine, size_t number, struct error *error)
{
	struct machine_program *program = &machine->programs[number];
	const struct kernel_plan *plan = &program->plan;
	uint32_t bytes = plan->limit;
	int result = 0;

	if (plan->clauses && bytes < machine->reduction.sent_bytes)
		bytes = machine->reduction.sent_bytes;
	if (bytes)
		result = make_map(&program->sample, BPF_MAP_TYPE_PERCPU_ARRAY, bytes, 1, error);
	if (!result && plan->clauses)
		result = make_map(&program->frame, BPF_MAP_TYPE_PERCPU_ARRAY,
			KERNEL_FRAME_BYTES + machine->reduction.self_bytes, 1, error);
	return result || !plan->is_call ? result : make_calls(machine, number, error);
}

static int open_clock(struct kernel_machine *machine, struct error *error)
{
	bool has_clock = false;

	for (size_t i = 0; i < machine->program_count; i++)
		has_clock |= machine->programs[i].plan.has_cpu_clock ||
			machine->programs[i].plan.looks_at_clock;
	return has_clock ? kernel_feed_use_clock(&machine->feed, &machine->maps, error) : 0;
}

/* Returns the type of the tracepoint of system calls, for a program that is loaded for it. */
static struct bpf_function type_of_calls(const struct kernel_machine *machine, bool is_return)
{
	return (struct bpf_function){
		.number = btf_find(machine->providers.btf, BTF_KIND_TYPEDEF,
			is_return ? "btf_trace_sys_exit" : "btf_trace_sys_enter"),
		.is_tracepoint = true};
}

static int make_maps(struct kernel_machine *machine, struct error *error)
{
	struct kernel_maps *maps = &machine->maps;
	bool has_directories = false, notes = false;
	int result;

	for (size_t i = 0; i < machine->program_count; i++) {
		has_directories |= machine->programs[i].plan.has_directories;
		notes |= machine->programs[i].plan.notes;
	}
	kernel_layout_find(&maps->layout);
	result = open_clock(machine, error);
	if (!result && has_directories && kernel_directory_find(&maps->directories, error))
		result = -ENOTSUP;
	if (!result && notes) {
		const struct bpf_function type = type_of_calls(machine, true);

		bpf_find_tasks(&machine->features, &type);
		result = make_map(&maps->noted, BPF_MAP_TYPE_LRU_HASH, 8, NOTED_MAX, error);
	}
	kernel_words_find(&maps->words, machine->providers.btf);
	kernel_reduce_use(maps, &machine->reduction);
	maps->own_pid = (uint32_t)getpid();
	/* further losses: of stores, of updates by processor, of events by program */
	if (!result)
		result = kernel_feed_count(&machine->feed, maps, machine->site_count,
			1 + machine->reduction.cpu_count + machine->program_count, error);
	for (size_t i = 0; i < machine->program_count && !result; i++)
		result = make_program_maps(machine, i, error);
	return result;
}

/* ---- programs ---- */

/* Reports a program that the kernel refuses. If its verifier does not accept a program of ours,
 * that is a bug. */
static int tell_refused(struct kernel_machine *machine, const struct machine_program *program,
	const struct d_program *script, int result, struct error *error)
{
	const struct error reason = *error;
	char name[512];

	if (result == -EPERM || result == -ENOMEM)
		return result;
	name_probe(machine, program->probe, name, sizeof(name));
	return error_set(error, -result,
		"%s: a bug of vmtap, please report it with the script: for the clause in line %u, "
		"%s",
		name, script && script->clause_count ? script->clauses[program->clause].line : 0,
		reason.text);
}

/* Returns whether to load the program for its tracepoint's type: only such a program may find a
 * thread by its number. */
static bool is_typed(const struct kernel_machine *machine, const struct machine_program *program)
{
	bool result = program->plan.notes;

	for (unsigned i = 0; i < KERNEL_ARGUMENTS_MAX; i++)
		result |= program->plan.arguments[i].kind == KERNEL_OPERAND_TARGET ||
			program->plan.arguments[i].kind == KERNEL_OPERAND_PRIORITY;
	for (unsigned i = 0; i < KERNEL_CONDITIONS_MAX; i++)
		result |= program->plan.conditions[i].comparison &&
			program->plan.conditions[i].operand.kind == KERNEL_OPERAND_TARGET;
	return result && machine->features.find_task;
}

/* Loads a program. Returns its descriptor or a negative errno. */
static int load_program(struct kernel_machine *machine, size_t number,
	const struct d_program *script, struct error *error)
{
	const struct machine_program *program = &machine->programs[number];
	struct kernel_maps maps = machine->maps;
	struct bpf_function type = {0};
	struct bpf_code code;
	int result;

	if (is_typed(machine, program))
		type = type_of_calls(machine, program->plan.is_return);
	maps.calls = program->calls;
	maps.sample = program->sample;
	maps.frame = program->frame;
	bpf_code_begin(&code);
	kernel_capture_generate(&code, &program->plan, &maps, &machine->features);
	result = bpf_code_end(&code);
	if (result)
		error_set(error, -result, "a BPF program: %s", strerror(-result));
	else if (program->function)
		result = bpf_load_function(code.instructions, code.count, program->function, error);
	else if (type.is_tracepoint)
		result = bpf_load_function(code.instructions, code.count, &type, error);
	else
		result = bpf_load(code.instructions, code.count, BPF_RAW, error);
	debug_say(DEBUG_KERNEL,
		"program %zu: %zu instructions, records of %u to %u bytes, process %u", number,
		code.count, program->plan.begin, program->plan.limit, program->plan.pid);
	bpf_code_free(&code);
	/* The kernel loads no program at all for some functions; that is no bug of ours. */
	if (result < 0 &&
		(!program->function || !bpf_try_function(program->function, &(struct error){0})))
		return tell_refused(machine, program, script, result, error);
	return result;
}

static int attach_program(struct kernel_machine *machine, size_t number,
	const struct d_program *script, struct error *error)
{
	struct machine_program *attached = &machine->programs[number];
	int program = load_program(machine, number, script, error), link;

	if (program < 0)
		return program;
	attached->descriptor = program;
	link = bpf_attach_raw(program, is_typed(machine, attached) ? NULL : attached->tracepoint);
	if (link < 0)
		return error_set(error, -link,
			"the kernel does not attach to its tracepoint %s: %s", attached->tracepoint,
			strerror(-link));
	machine->links[machine->link_count++] = link;
	return 0;
}

/* The same for a function. Returns 0, 1 if it cannot be attached to, or a negative errno. */
static int attach_function(struct kernel_machine *machine, size_t number,
	const struct d_program *script, struct error *error)
{
	struct machine_program *attached = &machine->programs[number];
	int program = load_program(machine, number, script, error), link;

	if (program < 0)
		return bpf_try_function(attached->function, error) ? 1 : program;
	link = bpf_attach_raw(program, NULL);
	if (link < 0) {
		close(program);
		error_set(error, -link, "%s",
			link == -BPF_ENOTSUPP ? "the kernel passes on fewer arguments than it has"
					      : strerror(-link));
		return 1;
	}
	attached->descriptor = program;
	machine->links[machine->link_count++] = link;
	return 0;
}

/* Attaches to functions. If there are several, those that cannot be attached to are left out. */
static int attach_functions(
	struct kernel_machine *machine, const struct d_program *script, struct error *error)
{
	size_t count = 0, failed = 0;
	struct error reason;
	char name[512];
	int result = 0;

	for (size_t i = 0; i < machine->program_count && result >= 0; i++) {
		if (!machine->programs[i].function)
			continue;
		count++;
		result = attach_function(machine, i, script, error);
		if (result > 0 && !failed++) {
			reason = *error;
			name_probe(machine, machine->programs[i].probe, name, sizeof(name));
		}
	}
	if (result < 0 || !failed)
		return result < 0 ? result : 0;
	if (failed == count)
		return error_set(error, ENOTSUP, "%s: the kernel attaches nothing there: %s", name,
			reason.text);
	snprintf(machine->message, sizeof(machine->message),
		"%zu of %zu functions' probes are left out, the first is %s: the kernel attaches "
		"nothing there: %s",
		failed, count, name, reason.text);
	return 0;
}

static bool has_kernel_stack(const struct kernel_plan *plan)
{
	for (uint32_t i = 0; i < plan->part_count; i++)
		if (plan->parts[i].kind == KERNEL_PART_KERNEL_STACK)
			return true;
	return false;
}

/* Called before programs are attached: this takes long, and events would have to wait meanwhile. */
static void read_functions(struct kernel_machine *machine)
{
	bool is_wanted = false;

	for (size_t i = 0; i < machine->program_count; i++)
		is_wanted |= has_kernel_stack(&machine->programs[i].plan);
	if (is_wanted && !machine->functions.count)
		usdt_functions_read_kernel("/proc/kallsyms", &machine->functions);
	machine->feed.decoder.functions = is_wanted ? &machine->functions : NULL;
}

/* Plans, loads and attaches the programs. */
static int start_programs(
	struct kernel_machine *machine, const struct source_request *request, struct error *error)
{
	int result = plan_all(machine, request, error);

	if (!result)
		result = make_maps(machine, error);
	if (!result)
		read_functions(machine);
	machine->links = calloc(machine->program_count + 1, sizeof(*machine->links));
	if (!result && !machine->links)
		result = out_of_memory(error);
	for (size_t i = 0; i < machine->program_count && !result; i++)
		if (!machine->programs[i].function)
			result = attach_program(machine, i, request->program, error);
	return result ? result : attach_functions(machine, request->program, error);
}

/* Decides what the programs carry out themselves. They carry out nothing if the kernel refuses
 * maps. */
static void reduce_clauses(struct kernel_machine *machine, const struct source_request *request)
{
	int result = kernel_reduce_begin(&machine->reduction, request, false);
	struct error reason;

	if (!result && machine->reduction.reads_cpu_time) {
		result = kernel_cpu_time_open(&machine->feed.times, &reason);
		machine->feed.has_times = !result;
		if (result)
			kernel_cpu_time_close(&machine->feed.times);
	}
	kernel_reduce_tell_clocks(&machine->reduction, machine->feed.times.distance,
		(int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic()));
	if (!result)
		result = kernel_tally_begin(&machine->reader, &machine->reduction);
	machine->updates = calloc(machine->reduction.cpu_count + 1, sizeof(*machine->updates));
	if (!result && machine->updates)
		return;
	debug_say(DEBUG_KERNEL, "nothing is reduced: %s", strerror(-result));
	kernel_tally_end(&machine->reader, &machine->reduction);
	kernel_reduce_undo(&machine->reduction, request);
}

static int machine_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_machine *machine = machine_of(source);
	int result = kernel_feed_begin(&machine->feed, request, &machine->maps, error);

	if (!result && !request->want_count)
		result = kernel_feed_tell_ends(&machine->feed, request, &machine->features,
			&source->tells_thread_ends, error);
	if (result || !request->want_count)
		return result;
	reduce_clauses(machine, request);
	result = kernel_refusal_check(&machine->reduction, request, error);
	if (result)
		return result;
	result = start_programs(machine, request, error);
	if (result && machine->reduction.set_count && !kernel_refusal_is_possible(request)) {
		bool follows = kernel_follow_is_any(&machine->reduction);
		struct error reason = *error;
		int first = result;

		/* records of events may be possible even so */
		reset_plans(machine);
		kernel_tally_end(&machine->reader, &machine->reduction);
		kernel_reduce_undo(&machine->reduction, request);
		result = start_programs(machine, request, error);
		if (result && follows) {
			*error = reason;
			result = first;
		} else if (!result) {
			debug_say(DEBUG_KERNEL, "nothing is reduced: %s", reason.text);
		}
	}
	debug_say(DEBUG_KERNEL,
		"%zu sites, %zu programs; %zu instructions that aggregate are "
		"carried out by programs",
		machine->site_count, machine->program_count, machine->reduction.tally_count);
	if (!result)
		result = kernel_feed_tell_ends(&machine->feed, request, &machine->features,
			&source->tells_thread_ends, error);
	return result;
}

static void machine_fire(struct source *source, bool fires)
{
	kernel_feed_open_sites(&((struct kernel_machine *)source)->feed, fires);
}

/* ---- reading ---- */

static const struct d_probe *probe_of_site(void *context, uint64_t number)
{
	const struct kernel_machine *machine = context;

	return number < machine->site_count
		? &machine->set->probes[machine->sites[number].site.probe]
		: NULL;
}

static bool find_site(void *source, uint32_t number, struct kernel_feed_site *site)
{
	const struct kernel_machine *machine = source;

	if (number >= machine->site_count)
		return false;
	site->plan = &machine->programs[machine->sites[number].plan].plan;
	site->probe = machine->sites[number].site.probe;
	return true;
}

static const struct event_update *read_update(
	void *source, const struct kernel_record *record, struct usdt_unwind *unwind)
{
	struct kernel_machine *machine = source;
	const struct kernel_site_names names = {machine, probe_of_site};

	return kernel_tally_update(&machine->reader, &machine->reduction, &names, record, unwind,
		&machine->feed.decoder.frames);
}

/* Adds losses of clauses that the programs carry out. */
static void add_reduced_losses(struct kernel_machine *machine, struct event_batch *batch)
{
	uint64_t stores;

	if (!kernel_tally_losses(&machine->reader, &machine->reduction, &stores, machine->updates))
		return;
	if (stores)
		machine->feed.losses[batch->loss_count++] = (struct event_loss){
			.kind = EVENT_LOSS_VARIABLES, .count = stores, .probe = UINT32_MAX};
	for (uint32_t cpu = 0; cpu < machine->reduction.cpu_count; cpu++)
		if (machine->updates[cpu])
			machine->feed.losses[batch->loss_count++] =
				(struct event_loss){.kind = EVENT_LOSS_UPDATES,
					.count = machine->updates[cpu],
					.probe = UINT32_MAX,
					.cpu = (uint16_t)cpu};
}

/* Reports events that were missed: their program was already running on that processor. */
static void add_missed(struct kernel_machine *machine, struct event_batch *batch)
{
	for (size_t i = 0; i < machine->program_count; i++) {
		struct machine_program *program = &machine->programs[i];
		uint64_t missed = program->descriptor < 0 ? 0 : bpf_missed(program->descriptor);

		if (missed == program->missed)
			continue;
		machine->feed.losses[batch->loss_count++] = (struct event_loss){
			.count = missed - program->missed, .probe = program->probe};
		program->missed = missed;
	}
}

static void take_message(struct kernel_machine *machine, struct event_batch *batch)
{
	if (!*machine->message)
		return;
	memcpy(machine->told, machine->message, sizeof(machine->told));
	*machine->message = '\0';
	batch->message = machine->told;
	batch->message_process = UINT32_MAX;
}

static void complete_batch(void *source, uint64_t now, struct event_batch *batch)
{
	struct kernel_machine *machine = source;

	if (machine->reduction.clocks >= 0) {
		kernel_cpu_time_follow(&machine->feed.times, now);
		kernel_reduce_tell_clocks(&machine->reduction, machine->feed.times.distance,
			(int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic()));
	}
	take_message(machine, batch);
	if (!machine->feed.counters)
		return;
	add_reduced_losses(machine, batch);
	if (machine->feed.stopping)
		add_missed(machine, batch);
}

static void detach_all(void *source)
{
	detach_programs(source);
}

static enum source_state machine_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	static const struct kernel_feed_methods methods = {.find = find_site,
		.update = read_update,
		.complete = complete_batch,
		.detach = detach_all};
	struct kernel_machine *machine = machine_of(source);

	return kernel_feed_next(&machine->feed, &methods, machine, timeout_ms, batch, error);
}

static void machine_collect(struct source *source, const struct partial_sink *sink)
{
	struct kernel_machine *machine = machine_of(source);
	const struct kernel_site_names names = {machine, probe_of_site};

	kernel_tally_read(&machine->reader, &machine->reduction, &names, sink);
}

static void machine_stop(struct source *source)
{
	kernel_feed_stop(&machine_of(source)->feed);
}

static int machine_descriptor(const struct source *source)
{
	return machine_of(source)->feed.wait;
}

static uint64_t machine_due(const struct source *source)
{
	return machine_of(source)->feed.due;
}

static const struct source_methods machine_methods = {
	.enable = machine_enable,
	.fire = machine_fire,
	.next = machine_next,
	.collect = machine_collect,
	.stop = machine_stop,
	.descriptor = machine_descriptor,
	.due = machine_due,
	.close = machine_close,
};

/* ---- opening ---- */

int source_machine_open(struct d_probe_set *set, const struct d_asked *asked, size_t asked_count,
	struct source **source, struct error *error)
{
	struct kernel_machine *machine;
	struct bpf_features features;
	size_t named = 0;
	int result;

	*source = NULL;
	while (named < asked_count && !kernel_providers_are_asked(&asked[named]))
		named++;
	if (named == asked_count)
		return 0;
	result = bpf_features(&features, error);
	if (result)
		return result;
	machine = calloc(1, sizeof(*machine));
	if (!machine)
		return out_of_memory(error);
	machine->set = set;
	set->has_machine = true;
	if (kernel_providers_open(&machine->providers, asked, asked_count, set)) {
		kernel_providers_close(&machine->providers);
		free(machine);
		return out_of_memory(error);
	}
	machine->features = features;
	machine->maps = (struct kernel_maps){
		.counters = -1, .task = -1, .sample = -1, .calls = -1, .noted = -1, .frame = -1};
	kernel_reduce_free(&machine->reduction); /* it has no maps */
	machine->source = (struct source){.methods = &machine_methods,
		.kind = SOURCE_KIND_KERNEL,
		.accompanies = true,
		.provides = source_kind_provides(SOURCE_KIND_KERNEL)};
	result = kernel_feed_open(&machine->feed, BUSY_MS);
	if (result) {
		error_set(error, -result, "the kernel source: %s", strerror(-result));
		machine_close(&machine->source);
	} else {
		*source = &machine->source;
	}
	return result;
}
