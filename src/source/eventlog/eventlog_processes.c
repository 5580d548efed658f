/*
 * eventlog_processes.c: the processes of a log. A stream is that of one process. A log that `vmtap
 * record` has made by the kernel may have several: each has a capability set of its own, whose
 * capabilities are those of the process's blocks. The first process described is the log's own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/command_line.h"
#include "source/eventlog/eventlog_private.h"

enum { ARGUMENTS_MAX = 4096, FURTHER_MAX = 65535 };

/* The further process of a capability set; NULL: it is that of the first one, or none. */
static struct further_process *find_further(const struct eventlog *log, uint32_t capset)
{
	for (size_t i = log->further.count; i--;)
		if (log->further.list[i].capset == capset)
			return &log->further.list[i];
	return NULL;
}

bool eventlog_take_pid(struct eventlog *log, uint32_t capset, uint32_t pid)
{
	struct further_processes *further = &log->further;
	struct further_process *process = find_further(log, capset);

	if (!process && (!log->process.pid || capset == log->capset)) {
		log->capset = capset;
		log->process.pid = pid;
		return true;
	}
	if (!process) {
		if (further->count == FURTHER_MAX)
			return true;
		if (array_room(&further->list, &further->capacity, further->count,
			    sizeof(*further->list)))
			return eventlog_damaged(log, log->scanned, "out of memory");
		process = &further->list[further->count++];
		*process = (struct further_process){.capset = capset};
	}
	process->pid = pid;
	further->changes++;
	return true;
}

bool eventlog_take_further(struct eventlog *log, uint16_t type, uint32_t capset,
	const unsigned char *rest, size_t size)
{
	struct further_process *process = find_further(log, capset);
	char text[ARGUMENTS_MAX];

	if (!process)
		return false;
	log->further.changes++;
	if (type == WIRE_OSPROCESS_PPID) {
		process->ppid = bytes_u32(rest);
	} else if (type == WIRE_PROCESS_NAME) {
		free(process->name);
		process->name = strndup((const char *)rest, size);
	} else if (type == WIRE_PROGRAM_ARGS) {
		command_line_join(text, sizeof(text), (const char *)rest, size);
		free(process->arguments);
		process->arguments = strdup(text);
	}
	return true;
}

bool eventlog_take_cap(struct eventlog *log, uint32_t capset, uint16_t cap)
{
	const struct further_process *process = find_further(log, capset);

	if (!process)
		return true;
	if (!log->further.of_cap) {
		log->further.of_cap = calloc(WIRE_NO_CAP + 1, sizeof(*log->further.of_cap));
		if (!log->further.of_cap)
			return eventlog_damaged(log, log->scanned, "out of memory");
	}
	log->further.of_cap[cap] = (uint16_t)(process - log->further.list + 1);
	return true;
}

const struct further_process *eventlog_further(
	const struct eventlog *log, size_t *count, uint64_t *changes)
{
	*count = log->further.count;
	*changes = log->further.changes;
	return log->further.list;
}

void eventlog_free_further(struct eventlog *log)
{
	for (size_t i = 0; i < log->further.count; i++) {
		free(log->further.list[i].name);
		free(log->further.list[i].arguments);
	}
	free(log->further.list);
	free(log->further.of_cap);
}
