/* heard_code.c: see heard_code.h. */
#include "usdt/process/heard_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "usdt/process/process_images.h"
#include "usdt/process/process_info.h"

enum {
	PROCESSES_MAX = 8192, /* a power of two */
	SLOTS = 2 * PROCESSES_MAX,
	MAPPINGS_MAX = 1024 /* of a process; the oldest is forgotten */
};

struct heard_process {
	uint32_t pid, slot; /* slot: where the table has it */
	size_t count, capacity;
	struct heard_mapping *mappings;
};

struct heard_code {
	bool is_fed;
	uint64_t count; /* of processes ever: process n has place n % PROCESSES_MAX */
	struct heard_process processes[PROCESSES_MAX];
	uint16_t slots[SLOTS]; /* a hash table by pid of places + 1; 0: free */
};

struct heard_code *heard_code_new(void)
{
	return calloc(1, sizeof(struct heard_code));
}

static void forget_mappings(struct heard_process *process)
{
	for (size_t i = 0; i < process->count; i++)
		free((char *)(uintptr_t)process->mappings[i].path);
	process->count = 0;
}

void heard_code_free(struct heard_code *heard)
{
	if (!heard)
		return;
	for (size_t i = 0; i < PROCESSES_MAX; i++) {
		forget_mappings(&heard->processes[i]);
		free(heard->processes[i].mappings);
	}
	free(heard);
}

bool heard_code_begin(struct heard_code *heard)
{
	bool was_fed = heard->is_fed;

	heard->is_fed = true;
	return !was_fed;
}

static uint32_t home_of(uint32_t pid)
{
	return (uint32_t)(pid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (SLOTS - 1);
}

/* The slot of a process, or the free one where it belongs. */
static uint32_t find_slot(const struct heard_code *heard, uint32_t pid)
{
	uint32_t at = home_of(pid);

	while (heard->slots[at] && heard->processes[heard->slots[at] - 1].pid != pid)
		at = (at + 1) & (SLOTS - 1);
	return at;
}

static const struct heard_process *heard_find_process(const struct heard_code *heard, uint32_t pid)
{
	uint16_t place = heard->slots[find_slot(heard, pid)];

	return place ? &heard->processes[place - 1] : NULL;
}

/* Takes a process out of the table; those behind it that would not be found any more move up. */
static void remove_slot(struct heard_code *heard, uint32_t hole)
{
	uint32_t at = hole;

	for (;;) {
		uint32_t home;

		at = (at + 1) & (SLOTS - 1);
		if (!heard->slots[at])
			break;
		home = home_of(heard->processes[heard->slots[at] - 1].pid);
		if (((at - home) & (SLOTS - 1)) < ((at - hole) & (SLOTS - 1)))
			continue;
		heard->slots[hole] = heard->slots[at];
		heard->processes[heard->slots[hole] - 1].slot = hole;
		hole = at;
	}
	heard->slots[hole] = 0;
}

/* The process, added if it is new. */
static struct heard_process *need(struct heard_code *heard, uint32_t pid)
{
	struct heard_process *process;
	uint32_t slot = find_slot(heard, pid);
	size_t place;

	if (heard->slots[slot])
		return &heard->processes[heard->slots[slot] - 1];
	place = heard->count++ % PROCESSES_MAX;
	process = &heard->processes[place];
	if (heard->count > PROCESSES_MAX) {
		forget_mappings(process);
		remove_slot(heard, process->slot);
		slot = find_slot(heard, pid);
	}
	process->pid = pid;
	process->slot = slot;
	heard->slots[slot] = (uint16_t)(place + 1);
	return process;
}

static void remove_mapping(struct heard_process *process, size_t number)
{
	free((char *)(uintptr_t)process->mappings[number].path);
	process->count--;
	memmove(&process->mappings[number], &process->mappings[number + 1],
		(process->count - number) * sizeof(*process->mappings));
}

/* Of two mappings of the same addresses, the later one counts. */
static void heard_add_mapping(struct heard_process *process, const struct heard_mapping *mapping)
{
	char *path;

	for (size_t i = process->count; i-- > 0;) {
		const struct heard_mapping *other = &process->mappings[i];

		if (other->begin >= mapping->end || mapping->begin >= other->end)
			continue;
		if (other->time > mapping->time)
			return;
		remove_mapping(process, i);
	}
	if (process->count == MAPPINGS_MAX)
		remove_mapping(process, 0);
	path = strdup(mapping->path);
	if (!path ||
		array_room(&process->mappings, &process->capacity, process->count,
			sizeof(*process->mappings))) {
		free(path);
		return;
	}
	process->mappings[process->count] = *mapping;
	process->mappings[process->count++].path = path;
}

void heard_code_add(struct heard_code *heard, uint32_t pid, const struct heard_mapping *mapping)
{
	heard_add_mapping(need(heard, pid), mapping);
}

static void add_object(
	struct heard_process *process, const struct usdt_object *object, uint64_t time)
{
	for (size_t i = 0; i < object->mapping_count; i++) {
		const struct usdt_mapping *mapping = &object->mappings[i];
		const struct heard_mapping heard = {mapping->begin, mapping->end, mapping->offset,
			object->inode, object->device_major, object->device_minor, time,
			object->path};

		if (mapping->is_executable)
			heard_add_mapping(process, &heard);
	}
}

void heard_code_learn(struct heard_code *heard, uint32_t pid, uint64_t time)
{
	struct heard_process *process;
	struct usdt_process *mapped;
	struct error error;

	if (usdt_process_map((pid_t)pid, &mapped, &error))
		return;
	if (mapped->object_count) { /* the kernel's threads have none */
		const struct heard_mapping vdso = {.begin = mapped->vdso.begin,
			.end = mapped->vdso.end,
			.time = time,
			.path = USDT_VDSO_PATH};

		process = need(heard, pid);
		for (size_t i = 0; i < mapped->object_count; i++)
			add_object(process, &mapped->objects[i], time);
		if (vdso.begin)
			heard_add_mapping(process, &vdso);
	}
	usdt_process_free(mapped);
}

struct learning {
	struct heard_code *heard;
	uint64_t time;
};

static void learn_one(void *context, uint32_t pid)
{
	const struct learning *learning = context;

	heard_code_learn(learning->heard, pid, learning->time);
}

void heard_code_learn_all(struct heard_code *heard, uint64_t time)
{
	process_info_each(learn_one, &(struct learning){heard, time});
}

void heard_code_fork(struct heard_code *heard, uint32_t parent, uint32_t child, uint64_t time)
{
	const struct heard_process *maker;
	struct heard_process *made;

	if (!heard_find_process(heard, parent))
		heard_code_learn(heard, parent, time);
	made = need(heard, child);
	for (size_t i = made->count; i-- > 0;)
		if (made->mappings[i].time < time) /* of an earlier process with this number */
			remove_mapping(made, i);
	maker = heard_find_process(heard, parent);
	for (size_t i = 0; maker && maker != made && i < maker->count; i++)
		if (maker->mappings[i].time <= time)
			heard_add_mapping(made, &maker->mappings[i]);
}

const struct heard_mapping *heard_code_find(
	const struct heard_code *heard, uint32_t pid, size_t *count)
{
	const struct heard_process *process = heard_find_process(heard, pid);

	*count = process ? process->count : 0;
	return *count ? process->mappings : NULL;
}
