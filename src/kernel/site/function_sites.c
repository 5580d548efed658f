/*
 * function_sites.c: see function_sites.h. usdt/code/pid_probe.h finds the places and checks them;
 * this turns them into sites, with the arguments where the x86-64 calling convention has them.
 */
#include "kernel/site/function_sites.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/pattern.h"
#include "usdt/code/pid_probe.h"

enum { REGISTER_ARGUMENTS = 6, ENTRY_ARGUMENTS = 10, INSTRUCTION_BYTES_MAX = 15 };

static const uint16_t argument_registers[REGISTER_ARGUMENTS] = {
	KERNEL_RDI, KERNEL_RSI, KERNEL_RDX, KERNEL_RCX, KERNEL_R8, KERNEL_R9};

static struct kernel_operand in_register(uint16_t place)
{
	return (struct kernel_operand){.kind = KERNEL_OPERAND_REGISTER,
		.base = place,
		.index = KERNEL_NO_REGISTER,
		.size = 8,
		.is_signed = true};
}

/* Returns the number of the module's file; file_count if the target does not have it. */
static uint32_t find_file(const struct kernel_target *target, const struct pid_module *module)
{
	uint32_t i = 0;

	for (; i < target->file_count; i++) {
		const struct usdt_object *object = target->files[i].object;

		if (object->inode == module->inode &&
			object->device_major == module->device_major &&
			object->device_minor == module->device_minor)
			break;
	}
	return i;
}

static void take_entry_arguments(struct kernel_site *site)
{
	site->argument_count = ENTRY_ARGUMENTS;
	for (unsigned i = 0; i < ENTRY_ARGUMENTS; i++) {
		if (i < REGISTER_ARGUMENTS) {
			site->arguments[i] = in_register(argument_registers[i]);
			continue;
		}
		site->arguments[i] = in_register(KERNEL_RSP); /* after the return address */
		site->arguments[i].kind = KERNEL_OPERAND_MEMORY;
		site->arguments[i].value = 8 * (int64_t)(i - REGISTER_ARGUMENTS + 1);
	}
}

/* arg0 is the offset of the return, 0 where it is not known; arg1 is the value. */
static void take_return_arguments(struct kernel_site *site, uint64_t offset)
{
	site->argument_count = 2;
	site->arguments[0] = (struct kernel_operand){
		.kind = KERNEL_OPERAND_CONSTANT, .value = (int64_t)offset, .size = 8};
	site->arguments[1] = in_register(KERNEL_RAX);
}

/*
 * Returns whether the function's value is known at this exit: not if it jumps to another function.
 */
static bool has_value(const struct pid_probe *probe, const struct pid_place *place)
{
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	struct code_instruction instruction;
	ssize_t count = pread(probe->module->file, bytes, sizeof(bytes), (off_t)place->offset);

	if (count <= 0)
		return false;
	code_decode(EM_X86_64, bytes, (size_t)count, &instruction);
	return instruction.flow == CODE_RETURN;
}

static int add_sites(struct kernel_target *target, struct d_probe_set *set,
	const struct pid_probe *probe, uint32_t number)
{
	struct kernel_operand arguments[KERNEL_ARGUMENTS_MAX] = {{0}};
	struct kernel_site site = {.arguments = arguments,
		.probe = number,
		.file = find_file(target, probe->module),
		.pid = target->is_shared ? 0 : target->pid,
		.offset = probe->place.offset};
	int result = 0;

	if (probe->point != PID_RETURN || !probe->site_count) {
		site.is_return = probe->point == PID_RETURN;
		if (site.is_return)
			take_return_arguments(&site, 0);
		else
			take_entry_arguments(&site);
		return kernel_target_add_site(target, &site);
	}
	for (size_t i = 0; i < probe->site_count && !result; i++) {
		site.offset = probe->sites[i].offset;
		take_return_arguments(&site, probe->sites[i].in_function);
		if (!has_value(probe, &probe->sites[i])) {
			site.arguments[1].kind = KERNEL_OPERAND_UNREADABLE;
			set->probes[number].unreadable |= 1u << 1;
		}
		result = kernel_target_add_site(target, &site);
	}
	return result;
}

/* Returns a note for the user about the probe; NULL if there is none. */
static const char *note_of(const struct pid_probe *probe)
{
	if (probe->refusal)
		return probe->refusal;
	if (probe->kind != CODE_STEPPED)
		return probe->caveat;
	return probe->site_count
		? "its instructions that return are single-stepped, so that each "
		  "hit costs about ten times as much as at other places"
		: "its instruction is single-stepped, so that each hit costs about "
		  "ten times as much as at other places";
}

/*
 * Returns a number for the place of the probe that distinguishes functions of one name in a file.
 */
static uint32_t tag_of(const struct pid_probe *probe)
{
	return (uint32_t)(probe->place.offset ? probe->place.offset : probe->place.address);
}

/* Adds one probe, unless an earlier description has added it. */
static int add_probe(struct kernel_target *target, struct d_probe_set *set, const char *provider,
	const struct pid_probe *probe)
{
	const struct d_probe added = {.note = (char *)note_of(probe),
		.is_refused = probe->refusal != NULL,
		.source_tag = tag_of(probe),
		.provider = (char *)provider,
		.module = (char *)probe->module->name,
		.function = (char *)probe->function,
		.aliases = (char *)probe->aliases,
		.name = (char *)probe->name,
		.kind = D_PROBE_SOURCE,
		.is_place = true,
		.is_program = probe->module->is_executable};
	uint32_t file = find_file(target, probe->module);
	long number;

	/* A file that has been mapped since the target's were listed has its own notice. */
	if (file == target->file_count || target->files[file].is_known)
		return 0;
	if (kernel_places_has(&target->places, set, &added, file))
		return 0;
	number = d_probe_set_add(set, &added);
	if (number < 0)
		return (int)number;
	if (kernel_places_add(&target->places, set, (uint32_t)number, file))
		return -ENOMEM;
	if (probe->refusal)
		return kernel_target_add_obstacle(target, (uint32_t)number, "%s:%s:%s:%s: %s",
			provider, added.module, added.function, added.name, probe->refusal);
	return add_sites(target, set, probe, (uint32_t)number);
}

static int add_matching(struct kernel_target *target, struct d_probe_set *set, const char *provider,
	const struct d_asked *asked, struct error *error)
{
	const struct pid_pattern pattern = {asked->module, asked->function, asked->name};
	struct pid_list list = {0};
	struct error reason;
	int result =
		target->finder ? 0 : pid_finder_new((pid_t)target->pid, &target->finder, error);

	if (result)
		return result;
	result = pid_find(target->finder, &pattern, &list, &reason);
	if (result)
		error_set(error, -result, "%s:%s:%s:%s: %.800s", provider, asked->module,
			asked->function, asked->name, reason.text);
	/* A file that is not mapped yet may be mapped later, and then be searched. */
	if (result == -ENOENT && target->may_miss)
		result = pid_has_module(target->finder, asked->module)
			? kernel_target_add_obstacle(target, KERNEL_NO_PROBE, "%s", error->text)
			: 0;
	for (size_t i = 0; i < list.count && !result; i++) {
		result = add_probe(target, set, provider, &list.probes[i]);
		if (result)
			error_set(error, -result, "process %u: out of memory",
				(unsigned int)target->pid);
	}
	pid_list_free(&list);
	return result;
}

int kernel_pid_add(struct kernel_target *target, struct d_probe_set *set,
	const struct d_asked *asked, size_t count, struct error *error)
{
	char provider[24];
	int result = 0;

	snprintf(provider, sizeof(provider), "pid%u", (unsigned int)target->pid);
	for (size_t i = 0; i < count && !result; i++)
		if (!strncmp(asked[i].provider, "pid", 3) &&
			pattern_match(asked[i].provider, provider))
			result = add_matching(target, set, provider, &asked[i], error);
	return result;
}
