/* metrics_process.c: see metrics_process.h. */
#include "engine/output/metrics_process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { ROOM = 1024 /* the table's first capacity */ };

static bool has_ended(uint64_t pid)
{
	return pid && pid <= INT32_MAX && kill((pid_t)pid, 0) && errno == ESRCH;
}

/* The index of a process in the table, or the index at which to insert it. */
static size_t find_place(const struct metrics_processes *processes, uint64_t pid)
{
	size_t low = 0, high = processes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (processes->items[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Removes processes that have ended and that no row of a recent page names. */
static void forget(struct metrics_processes *processes)
{
	uint64_t now = clock_monotonic();
	size_t kept = 0;

	for (size_t i = 0; i < processes->count; i++)
		if (now - processes->items[i].used <= 2 * METRICS_PID_KEPT_S * CLOCK_NS_PER_S ||
			!has_ended(processes->items[i].pid))
			processes->items[kept++] = processes->items[i];
	processes->count = kept;
}

/* Makes room for one more; false: there is no memory. */
static bool make_room(struct metrics_processes *processes)
{
	size_t room = processes->room ? 2 * processes->room : ROOM;
	struct metrics_process *grown;

	if (processes->count < processes->room)
		return true;
	forget(processes);
	if (processes->room && processes->count <= processes->room / 2)
		return true;
	grown = realloc(processes->items, room * sizeof(*grown));
	if (!grown)
		return false;
	processes->items = grown;
	processes->room = room;
	return true;
}

struct metrics_process *metrics_process_get(
	struct metrics_processes *processes, uint64_t pid, bool *is_new)
{
	size_t place = find_place(processes, pid);
	struct metrics_process *entry;

	*is_new = place == processes->count || processes->items[place].pid != pid;
	if (*is_new) {
		if (!make_room(processes))
			return NULL;
		place = find_place(processes, pid); /* others may have been removed */
		entry = &processes->items[place];
		memmove(entry + 1, entry, (processes->count - place) * sizeof(*entry));
		processes->count++;
		*entry = (struct metrics_process){.pid = pid};
	}
	entry = &processes->items[place];
	entry->used = clock_monotonic();
	return entry;
}

bool metrics_process_is_gone(struct metrics_process *process, uint64_t page)
{
	uint64_t now = process->used;

	if (process->page != page) {
		process->page = page;
		if (!has_ended(process->pid))
			process->ended = 0; /* or another process has its number now */
		else if (!process->ended)
			process->ended = now;
	}
	return process->ended && now - process->ended > METRICS_PID_KEPT_S * CLOCK_NS_PER_S;
}

void metrics_processes_free(struct metrics_processes *processes)
{
	free(processes->items);
	*processes = (struct metrics_processes){.count = 0};
}
