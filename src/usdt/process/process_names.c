/* process_names.c: see process_names.h. Processes that end meanwhile are left out. */
#include "usdt/process/process_names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "usdt/process/process_info.h"

enum { COMM_BYTES = 15, COMMAND_BYTES = 4096 };

static bool has_name(const struct process_info *process, const char *name)
{
	return !process->exited &&
		(!strcmp(process->program, name) || !strncmp(process->name, name, COMM_BYTES));
}

/* Returns whether a word of a process's command line is the path of a file, as the process sees it.
 */
static bool is_file(uint32_t pid, const char *word)
{
	char path[COMMAND_BYTES + 64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s/%s", pid, *word == '/' ? "root" : "cwd",
		word);
	return !access(path, F_OK);
}

/* Returns whether the first word of the command line that is no option is a file of this name. */
static bool runs_script(uint32_t pid, const char *name)
{
	char path[64], words[COMMAND_BYTES];
	const char *word, *end, *slash;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cmdline", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(words, 1, sizeof(words) - 1, file);
	fclose(file);
	words[length] = '\0';
	end = words + length;
	for (word = words + strlen(words) + 1; word < end && *word == '-';)
		word += strlen(word) + 1;
	if (word >= end)
		return false;
	slash = strrchr(word, '/');
	return (!strcmp(word, name) || (slash && !strcmp(slash + 1, name))) && is_file(pid, word);
}

struct names_search {
	bool is_of_scripts;
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
		!(search->is_of_scripts ? runs_script(pid, search->name)
					: has_name(&process, search->name)))
		return;
	if (search->count < search->most)
		search->pids[search->count] = pid;
	search->count++;
}

size_t process_names_find(const char *name, uint32_t *pids, size_t most)
{
	struct names_search search = {false, name, pids, most, 0};

	process_info_each(take_process, &search);
	return search.count;
}

size_t process_names_find_script(const char *name, uint32_t *pids, size_t most)
{
	struct names_search search = {true, name, pids, most, 0};

	process_info_each(take_process, &search);
	return search.count;
}
