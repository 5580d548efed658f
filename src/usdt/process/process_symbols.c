/* process_symbols.c: see process_symbols.h. */
#include "usdt/process/process_symbols.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "usdt/elf/function.h"
#include "usdt/process/address.h"
#include "usdt/process/file_store.h"

enum { SLOTS_MIN = 64 };

struct known_process {
	uint64_t pid; /* 0: the slot is free */
	struct usdt_addresses *addresses;
};

struct process_symbols {
	struct symbol_lookup lookup;
	size_t process_count, slot_count; /* slot_count is a power of two */
	struct known_process *slots;      /* a hash table */
	struct file_store files;
	bool kernel_read;
	struct usdt_functions kernel;
	uint64_t addresses, unnamed[USDT_UNNAMED_REASONS];
};

/* The slot of a process, or the free one where it belongs. */
static struct known_process *find_slot(const struct process_symbols *symbols, uint64_t pid)
{
	size_t at = (size_t)(pid * 0x9e3779b97f4a7c15 >> 32);

	for (;; at++) {
		struct known_process *slot = &symbols->slots[at & (symbols->slot_count - 1)];

		if (!slot->pid || slot->pid == pid)
			return slot;
	}
}

static bool grow(struct process_symbols *symbols)
{
	struct process_symbols grown = *symbols;

	grown.slot_count = symbols->slot_count ? 2 * symbols->slot_count : SLOTS_MIN;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; i < symbols->slot_count; i++)
		if (symbols->slots[i].pid)
			*find_slot(&grown, symbols->slots[i].pid) = symbols->slots[i];
	free(symbols->slots);
	symbols->slots = grown.slots;
	symbols->slot_count = grown.slot_count;
	return true;
}

/* NULL: nothing can be found out about this process. */
static struct usdt_addresses *addresses_of(struct process_symbols *symbols, uint64_t pid)
{
	struct known_process *slot = NULL;

	if (!pid || pid > INT32_MAX)
		return NULL;
	if (symbols->slot_count)
		slot = find_slot(symbols, pid);
	if (slot && slot->pid)
		return slot->addresses;
	if (2 * symbols->process_count >= symbols->slot_count && !grow(symbols))
		return NULL;
	slot = find_slot(symbols, pid);
	if (usdt_addresses_new((pid_t)pid, &symbols->files, &slot->addresses))
		return NULL;
	slot->pid = pid;
	symbols->process_count++;
	return slot->addresses;
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

static bool find(void *context, uint64_t pid, uint64_t address, struct symbol *found)
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
		symbols->lookup =
			(struct symbol_lookup){.context = symbols, .find = find, .note = note};
		usdt_addresses_store(&symbols->files);
		symbols->files.heard = heard;
	}
	return symbols;
}

void process_symbols_free(struct process_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->slot_count; i++)
		usdt_addresses_free(symbols->slots[i].addresses);
	free(symbols->slots);
	file_store_end(&symbols->files);
	usdt_functions_free(&symbols->kernel);
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
