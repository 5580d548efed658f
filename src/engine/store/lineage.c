/* lineage.c: see lineage.h. */
#include "engine/store/lineage.h"

#include <stdio.h>
#include <string.h>

#include "base/process_stat.h"

/* The parent of a live process, 0 if unknown. */
static uint32_t parent_of(uint32_t pid)
{
	char text[PROCESS_STAT_BYTES];
	const char *fields = process_stat_read(pid, text);
	unsigned parent = 0;

	return fields && sscanf(fields, " %*c %u", &parent) == 1 ? parent : 0;
}

static void look_up(struct lineage *lineage, const struct event_process *process, bool recorded)
{
	uint32_t parent = process->ppid, pid, slot;

	lineage->ancestors[0] = process->pid;
	lineage->count = 1;
	if (parent) {
		slot = process->pid % LINEAGE_REMEMBERED;
		lineage->remembered[slot].pid = process->pid;
		lineage->remembered[slot].parent = parent;
	}
	while (parent && lineage->count < LINEAGE_MAX) {
		lineage->ancestors[lineage->count++] = parent;
		if (recorded)
			break;
		pid = parent;
		slot = pid % LINEAGE_REMEMBERED;
		parent = parent_of(pid);
		if (!parent && lineage->remembered[slot].pid == pid)
			parent = lineage->remembered[slot].parent;
	}
}

bool lineage_contains(
	struct lineage *lineage, const struct event_process *process, bool recorded, uint64_t pid)
{
	if (!lineage->count || lineage->ancestors[0] != process->pid ||
		(process->ppid && (lineage->count < 2 || lineage->ancestors[1] != process->ppid)))
		look_up(lineage, process, recorded);
	for (uint32_t i = 0; i < lineage->count; i++)
		if (lineage->ancestors[i] == pid)
			return true;
	return false;
}
