/*
 * shown_processes.c: see shown_processes.h. Processes are kept from batch to batch and searched
 * from the last one backwards. When there are too many, all are forgotten at the beginning of a
 * batch, never within one, since events have their numbers.
 */
#include "kernel/capture/shown_processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/command_line.h"
#include "base/error.h"
#include "usdt/process/process_info.h"
#include "usdt/unwind/unwind.h"

enum { KNOWN_MAX = 1024, ARGUMENTS_MAX = 4096 };

struct kernel_shown_process {
	struct kernel_identity identity; /* as captured */
	struct usdt_unwind *unwind;      /* NULL: not needed yet */
	uint64_t started;                /* start time of the process that it unwinds */
	uint32_t batch;                  /* in which that was checked */
	char name[64];
	char *arguments;
};

static void forget_processes(struct kernel_shown *shown)
{
	for (size_t i = 0; i < shown->count; i++) {
		usdt_unwind_free(shown->known[i]->unwind);
		free(shown->known[i]->arguments);
		free(shown->known[i]);
	}
	shown->count = 0;
	shown->last = 0;
}

void kernel_shown_begin(struct kernel_shown *shown)
{
	shown->batch++;
	if (shown->count > KNOWN_MAX)
		forget_processes(shown);
}

/* Returns the command line, its words separated by blanks; NULL if it cannot be read. */
static char *read_arguments(uint32_t pid)
{
	char text[ARGUMENTS_MAX];

	command_line_read(text, sizeof(text), pid);
	return *text ? strdup(text) : NULL;
}

/* Returns the index of the latest entry for this id; -1 if there is none. */
static long find_latest(const struct kernel_shown *shown, uint32_t pid)
{
	long i = (long)shown->count - 1;

	while (i >= 0 && shown->list[i].pid != pid)
		i--;
	return i;
}

/* Takes over what does not change when a process changes its user, parent or name. */
static void inherit(struct kernel_shown *shown, size_t index, struct kernel_shown_process *known,
	struct event_process *process)
{
	struct kernel_shown_process *before = shown->known[index];

	*process = shown->list[index];
	if (!known->name[0])
		memcpy(known->name, before->name, sizeof(known->name));
	known->unwind = before->unwind;
	known->started = before->started;
	before->unwind = NULL;
	known->arguments = before->arguments ? strdup(before->arguments) : NULL;
}

/* Describes a process. One with another name may run another program, as long as it lives. */
static void describe(struct kernel_shown *shown, struct kernel_shown_process *known,
	struct event_process *process, uint32_t pid, const struct kernel_identity *identity)
{
	struct process_info found;
	struct error ignored;
	long latest = find_latest(shown, pid);
	bool is_found = pid && !process_info_read(pid, &found, &ignored);

	*process = (struct event_process){.pid = pid};
	if (identity) {
		known->identity = *identity;
		snprintf(known->name, sizeof(known->name), "%.*s", (int)sizeof(identity->name),
			identity->name);
	}
	if (latest >= 0 && !strcmp(shown->known[latest]->name, known->name)) {
		inherit(shown, (size_t)latest, known, process);
	} else if (is_found && !found.exited) {
		process->ppid = found.ppid;
		process->uid = found.uid;
		process->gid = found.gid;
		if (!known->name[0])
			memcpy(known->name, found.name, sizeof(known->name));
		known->arguments = read_arguments(pid);
	} else if (latest >= 0) {
		inherit(shown, (size_t)latest, known, process);
	} else if (is_found && !known->name[0]) {
		memcpy(known->name, found.name, sizeof(known->name)); /* a zombie has its name */
	}
	process->execname = known->name;
	process->arguments = known->arguments;
	if (!identity)
		return;
	process->uid = identity->uid;
	process->gid = identity->gid;
	if (identity->ppid)
		process->ppid = identity->ppid;
}

static bool is_same(const struct kernel_shown *shown, size_t index, uint32_t pid,
	const struct kernel_identity *identity)
{
	return index < shown->count && shown->list[index].pid == pid &&
		(!identity || !memcmp(&shown->known[index]->identity, identity, sizeof(*identity)));
}

long kernel_shown_find(
	struct kernel_shown *shown, uint32_t pid, const struct kernel_identity *identity)
{
	struct kernel_shown_process *known;

	if (is_same(shown, shown->last, pid, identity))
		return shown->last;
	/* the latest first, which is what it is now */
	for (size_t i = shown->count; i; i--) {
		if (!is_same(shown, i - 1, pid, identity))
			continue;
		shown->last = (uint32_t)i - 1;
		return shown->last;
	}
	if (array_room(&shown->list, &shown->list_capacity, shown->count, sizeof(*shown->list)) ||
		array_room(&shown->known, &shown->known_capacity, shown->count,
			sizeof(struct kernel_shown_process *)))
		return -ENOMEM;
	known = calloc(1, sizeof(*known));
	if (!known)
		return -ENOMEM;
	describe(shown, known, &shown->list[shown->count], pid, identity);
	shown->known[shown->count] = known;
	shown->last = (uint32_t)shown->count++;
	return shown->last;
}

/* Forgets the unwinder of a process that has ended if another process has got its id. */
static void check_process(
	struct kernel_shown *shown, struct kernel_shown_process *known, uint32_t pid)
{
	uint64_t started;

	if (!known->unwind || known->batch == shown->batch)
		return;
	known->batch = shown->batch;
	started = process_info_started(pid);
	if (!started || started == known->started)
		return;
	usdt_unwind_free(known->unwind);
	known->unwind = NULL;
}

struct usdt_unwind_files *kernel_shown_files(struct kernel_shown *shown)
{
	if (!shown->files)
		shown->files = usdt_unwind_files_new(shown->heard);
	return shown->files;
}

struct usdt_unwind *kernel_shown_unwind(struct kernel_shown *shown, size_t index)
{
	struct kernel_shown_process *known = shown->known[index];
	uint32_t pid = shown->list[index].pid;

	if (pid)
		check_process(shown, known, pid);
	if (!known->unwind && pid) {
		known->started = process_info_started(pid);
		known->batch = shown->batch;
		if (!kernel_shown_files(shown) ||
			usdt_unwind_new((pid_t)pid, shown->files, &known->unwind))
			known->unwind = NULL;
	}
	return known->unwind;
}

void kernel_shown_replace(struct kernel_shown *shown, uint32_t pid)
{
	for (size_t i = 0; i < shown->count; i++) {
		if (shown->list[i].pid != pid)
			continue;
		usdt_unwind_free(shown->known[i]->unwind);
		shown->known[i]->unwind = NULL;
	}
}

void kernel_shown_free(struct kernel_shown *shown)
{
	forget_processes(shown);
	usdt_unwind_files_free(shown->files);
	free(shown->list);
	free(shown->known);
	*shown = (struct kernel_shown){0};
}
