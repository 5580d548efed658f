/* process_symbols.c: see process_symbols.h. */
#include "usdt/process_symbols.h"

#include <stddef.h>
#include <stdlib.h>

#include "usdt/address.h"
#include "usdt/function.h"

struct process_symbols {
	struct symbol_lookup lookup;
	size_t process_count;
	struct known_process {
		uint64_t pid;
		struct usdt_addresses *addresses;
	} * processes;
	bool kernel_read;
	struct usdt_functions kernel;
};

/* NULL: nothing can be found out about this process. */
static struct usdt_addresses *addresses_of(struct process_symbols *symbols, uint64_t pid)
{
	struct known_process *grown;

	for (size_t i = 0; i < symbols->process_count; i++)
		if (symbols->processes[i].pid == pid)
			return symbols->processes[i].addresses;
	if (!pid || pid > INT32_MAX)
		return NULL;
	grown = realloc(symbols->processes, (symbols->process_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	symbols->processes = grown;
	grown += symbols->process_count;
	if (usdt_addresses_new((pid_t)pid, &grown->addresses))
		return NULL;
	grown->pid = pid;
	symbols->process_count++;
	return grown->addresses;
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

	if (!pid)
		return find_in_kernel(symbols, address, found);
	addresses = addresses_of(symbols, pid);
	return addresses && usdt_addresses_find(addresses, address, found);
}

static void note(void *context, uint64_t pid, uint64_t address)
{
	struct usdt_addresses *addresses = addresses_of(context, pid);

	if (addresses)
		usdt_addresses_note(addresses, address);
}

struct process_symbols *process_symbols_new(void)
{
	struct process_symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->lookup =
			(struct symbol_lookup){.context = symbols, .find = find, .note = note};
	return symbols;
}

void process_symbols_free(struct process_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->process_count; i++)
		usdt_addresses_free(symbols->processes[i].addresses);
	free(symbols->processes);
	usdt_functions_free(&symbols->kernel);
	free(symbols);
}

const struct symbol_lookup *process_symbols_lookup(const struct process_symbols *symbols)
{
	return &symbols->lookup;
}
