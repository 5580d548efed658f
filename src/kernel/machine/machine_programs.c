/*
 * machine_programs.c: see machine_programs.h. Each way to record an event is a BPF program of its
 * own, which all system calls run: by the call's number it looks up whether the call is wanted, and
 * the number of its site. So thousands of probes take one or a few programs. A probe at another
 * tracepoint, or at a function, has a program for each of its sites.
 *
 * Programs run in interrupts, too, where they may interrupt another one. So each has memory of its
 * own for each processor: the kernel lets no program interrupt itself.
 */
#include "kernel/machine/machine_programs.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/debug.h"
#include "kernel/bpf/bpf.h"
#include "kernel/capture/capture_generator.h"
#include "kernel/machine/process_filter.h"
#include "kernel/reduce/reduce.h"
#include "usdt/elf/btf.h"

enum { NOTED_MAX = 4096 /* threads that are in a system call for which something is noted */ };

void kernel_programs_detach(struct kernel_machine *machine)
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

void kernel_programs_reset(struct kernel_machine *machine)
{
	kernel_programs_detach(machine);
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

int kernel_programs_start(
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
