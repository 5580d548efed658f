/* process_symbols.c: see process_symbols.h. */
#include "usdt/process/process_symbols.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash_table.h"
#include "usdt/elf/function.h"
#include "usdt/elf/readable_names.h"
#include "usdt/process/address.h"
#include "usdt/process/file_store.h"

struct known_process {
	uint64_t pid;
	struct usdt_addresses *addresses;
};

struct process_symbols {
	struct symbol_lookup lookup;
	struct known_process *processes;
	size_t process_room;
	struct hash_table process_table; /* by pid */
	struct file_store files;
	bool kernel_read;
	struct usdt_functions kernel;
	struct readable_names readable;
	uint64_t addresses, unnamed[USDT_UNNAMED_REASONS];
};

static bool is_process(const void *processes, uint32_t index, const void *pid)
{
	return ((const struct known_process *)processes)[index].pid == *(const uint64_t *)pid;
}

/* NULL: nothing can be found out about this process. */
static struct usdt_addresses *addresses_of(struct process_symbols *symbols, uint64_t pid)
{
	uint32_t hash = hash_table_number(pid), count = symbols->process_table.count, index;
	struct known_process process = {.pid = pid};

	if (!pid || pid > INT32_MAX)
		return NULL;
	index = hash_table_find(
		&symbols->process_table, hash, is_process, symbols->processes, &pid);
	if (index != HASH_TABLE_NONE)
		return symbols->processes[index].addresses;
	if (array_room(&symbols->processes, &symbols->process_room, count, sizeof(process)) ||
		hash_table_room(&symbols->process_table) ||
		usdt_addresses_new((pid_t)pid, &symbols->files, &process.addresses))
		return NULL;
	symbols->processes[count] = process;
	hash_table_add(&symbols->process_table, hash, count);
	return process.addresses;
}

static bool find_in_kernel(struct process_symbols *symbols, uint64_t address, struct symbol *found)
{
	struct usdt_functions *kernel = &symbols->kernel;

	if (!symbols->kernel_read)
		usdt_functions_read_kernel("/proc/kallsyms", kernel);
	symbols->kernel_read = true;
	found->module = usdt_functions_module(kernel, address, &found->module_begin);
	if (!found->module)
		return false;
	found->function = usdt_functions_find(kernel, address, &found->function_begin);
	return true;
}

static bool find_symbol(void *context, uint64_t pid, uint64_t address, struct symbol *found)
{
	struct process_symbols *symbols = context;
	struct usdt_addresses *addresses;
	bool is_found;

	if (!pid)
		return find_in_kernel(symbols, address, found);
	addresses = addresses_of(symbols, pid);
	is_found = addresses && usdt_addresses_find(addresses, address, found);
	symbols->addresses++;
	if (!is_found || !found->function)
		symbols->unnamed[addresses ? usdt_addresses_unnamed(addresses, address)
					   : USDT_UNNAMED_PROCESS]++;
	return is_found;
}

static size_t find_inlined(
	void *context, uint64_t pid, uint64_t address, const char **names, size_t most)
{
	struct usdt_addresses *addresses = pid ? addresses_of(context, pid) : NULL;

	return addresses ? usdt_addresses_inlined(addresses, address, names, most) : 0;
}

static const char *find_readable(void *context, const char *name, bool with_parameters)
{
	struct process_symbols *symbols = context;

	return readable_name(&symbols->readable, name, with_parameters);
}

static void note(void *context, uint64_t pid, uint64_t address)
{
	struct usdt_addresses *addresses = addresses_of(context, pid);

	if (addresses)
		usdt_addresses_note(addresses, address);
}

struct process_symbols *process_symbols_new(const struct heard_code *heard)
{
	struct process_symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols) {
		symbols->lookup = (struct symbol_lookup){.context = symbols,
			.find = find_symbol,
			.inlined = find_inlined,
			.readable = find_readable,
			.note = note};
		usdt_addresses_store(&symbols->files);
		symbols->files.heard = heard;
	}
	return symbols;
}

void process_symbols_free(struct process_symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->process_table.count; i++)
		usdt_addresses_free(symbols->processes[i].addresses);
	free(symbols->processes);
	hash_table_free(&symbols->process_table);
	file_store_end(&symbols->files);
	usdt_functions_free(&symbols->kernel);
	readable_names_free(&symbols->readable);
	free(symbols);
}

const struct symbol_lookup *process_symbols_lookup(const struct process_symbols *symbols)
{
	return &symbols->lookup;
}

bool process_symbols_unnamed(const struct process_symbols *symbols, char *text, size_t size)
{
	static const char *const reasons[USDT_UNNAMED_REASONS] = {
		[USDT_UNNAMED_PROCESS] = "of processes that ended before they could be examined",
		[USDT_UNNAMED_FILE] = "in files that could not be opened",
		[USDT_UNNAMED_MEMORY] = "in memory without a file",
		[USDT_UNNAMED_SYMBOL] = "where a file has no symbol"};
	uint64_t all = 0;
	size_t used;

	for (size_t i = 0; i < USDT_UNNAMED_REASONS; i++)
		all += symbols->unnamed[i];
	used = (size_t)snprintf(text, size,
		"%" PRIu64 " of %" PRIu64 " addresses that were shown have no function's name", all,
		symbols->addresses);
	for (size_t i = 0, told = 0; i < USDT_UNNAMED_REASONS; i++)
		if (symbols->unnamed[i] && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s %" PRIu64 " %s",
				told++ ? "," : ":", symbols->unnamed[i], reasons[i]);
	return symbols->unnamed[USDT_UNNAMED_PROCESS] || symbols->unnamed[USDT_UNNAMED_FILE];
}
