/* process_names.c: see process_names.h. Processes that end meanwhile are left out. */
#include "usdt/process/process_names.h"

#include <stdbool.h>
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

struct names_search {
	const char *name;
	uint32_t *pids;
	size_t most, count;
};

static void take_process(void *context, uint32_t pid)
{
	struct names_search *search = context;
	struct process_info process;
	struct error ignored;

	if (pid == (uint32_t)getpid() || process_info_read(pid, &process, &ignored) ||
		!has_name(&process, search->name))
		return;
	if (search->count < search->most)
		search->pids[search->count] = pid;
	search->count++;
}

size_t process_names_find(const char *name, uint32_t *pids, size_t most)
{
	struct names_search search = {name, pids, most, 0};

	process_info_each(take_process, &search);
	return search.count;
}
