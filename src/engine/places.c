/* places.c: see places.h. */
#include "engine/places.h"

#include <stdlib.h>
#include <string.h>

void places_init(struct places *places, bool recorded, uint32_t target)
{
	memset(places, 0, sizeof(*places));
	places->recorded = recorded;
	places->target = target;
}

void places_free(struct places *places)
{
	for (size_t i = 0; i < places->process_count; i++)
		usdt_addresses_free(places->processes[i].addresses);
	free(places->processes);
	usdt_functions_free(&places->kernel);
}

/* NULL: nothing can be found out about this process. */
static struct usdt_addresses *process_of(struct places *places, uint64_t pid)
{
	struct place_process *grown;

	for (size_t i = 0; i < places->process_count; i++)
		if (places->processes[i].pid == pid)
			return places->processes[i].addresses;
	if (places->recorded || !pid || pid > INT32_MAX)
		return NULL;
	grown = realloc(places->processes, (places->process_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	places->processes = grown;
	grown += places->process_count;
	if (usdt_addresses_new((pid_t)pid, &grown->addresses))
		return NULL;
	grown->pid = (uint32_t)pid;
	places->process_count++;
	return grown->addresses;
}

static const struct usdt_functions *kernel_of(struct places *places)
{
	if (!places->kernel_read && !places->recorded)
		usdt_functions_read_kernel("/proc/kallsyms", &places->kernel);
	places->kernel_read = true;
	return &places->kernel;
}

bool places_find(struct places *places, uint64_t pid, uint64_t address, struct usdt_address *found)
{
	struct usdt_addresses *addresses;
	const struct usdt_functions *kernel;

	if (pid) {
		addresses = process_of(places, pid);
		return addresses && usdt_addresses_find(addresses, address, found);
	}
	kernel = kernel_of(places);
	found->module = usdt_functions_module(kernel, address, &found->module_begin);
	if (!found->module)
		return false;
	found->function = usdt_functions_find(kernel, address, &found->function_begin);
	return true;
}

static struct text *make(struct scratch *scratch, uint32_t pid, uint32_t count)
{
	size_t size = ((size_t)count + 1) * sizeof(uint64_t);
	struct text *value = scratch_get(scratch, sizeof(*value) + size + 1);
	uint64_t process = pid;

	if (!value)
		return NULL;
	value->bytes = (const char *)(value + 1);
	value->length = (uint32_t)size;
	value->hash = 0;
	memcpy(value + 1, &process, sizeof(process));
	((char *)(value + 1))[size] = '\0';
	return value;
}

static void put(struct text *value, uint32_t index, uint64_t address)
{
	memcpy((char *)(value + 1) + (index + 1) * sizeof(address), &address, sizeof(address));
}

const struct text *places_stack(struct places *places, struct scratch *scratch, uint32_t pid,
	const struct event_stack *stack, uint32_t most)
{
	uint32_t count = stack->count < most ? stack->count : most;
	struct usdt_addresses *addresses = process_of(places, pid);
	struct text *value = make(scratch, pid, count);

	if (!value)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		put(value, i, stack->frames[i]);
		if (addresses)
			usdt_addresses_note(addresses, stack->frames[i]);
	}
	value->hash = text_hash(value->bytes, value->length);
	return value;
}

const struct text *places_address(struct places *places, struct scratch *scratch, uint32_t pid,
	enum d_value_kind kind, uint64_t address)
{
	struct text *value = make(scratch, pid, 1);
	struct usdt_address found;

	if (!value)
		return NULL;
	if (places_find(places, pid, address, &found)) {
		if ((kind == D_VALUE_SYMBOL || kind == D_VALUE_USER_SYMBOL) && found.function)
			address = found.function_begin;
		else if (kind == D_VALUE_MODULE || kind == D_VALUE_USER_MODULE)
			address = found.module_begin;
	}
	put(value, 0, address);
	value->hash = text_hash(value->bytes, value->length);
	return value;
}
