/* process_names.c: see process_names.h. Processes that end meanwhile are left out. */
#include "usdt/process/process_names.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "usdt/process/process_info.h"

enum { COMM_BYTES = 15 };

static bool has_name(const struct process_info *process, const char *name)
{
	return !process->exited &&
		(!strcmp(process->program, name) || !strncmp(process->name, name, COMM_BYTES));
}

size_t process_names_find(const char *name, uint32_t *pids, size_t most)
{
	DIR *processes = opendir("/proc");
	struct process_info process;
	struct dirent *entry;
	struct error ignored;
	size_t count = 0;
	char *end;

	while (processes && (entry = readdir(processes))) {
		unsigned long pid = strtoul(entry->d_name, &end, 10);

		if (!pid || *end || pid > INT32_MAX || pid == (unsigned long)getpid() ||
			process_info_read((uint32_t)pid, &process, &ignored) ||
			!has_name(&process, name))
			continue;
		if (count < most)
			pids[count] = (uint32_t)pid;
		count++;
	}
	if (processes)
		closedir(processes);
	return count;
}
