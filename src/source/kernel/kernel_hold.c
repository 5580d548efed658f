/* kernel_hold.c: see kernel_hold.h. */
#include "source/kernel/kernel_hold.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/kernel/bpf.h"

static const char map_name[] = "vmtap_held";

int kernel_hold_map(uint32_t processes)
{
	return bpf_map_named(map_name, BPF_MAP_TYPE_HASH, 4, 8, processes, BPF_F_NO_PREALLOC);
}

/* Whether any tracer holds the process. */
static bool is_held(uint32_t pid)
{
	uint32_t id = 0;
	uint64_t time;
	bool result = false;
	int map;

	while (!result && (map = bpf_map_find(map_name, &id)) >= 0) {
		result = !bpf_map_get(map, &pid, &time);
		close(map);
	}
	return result;
}

int kernel_hold_continue(uint32_t pid)
{
	return is_held(pid) || !kill((pid_t)pid, SIGCONT) ? 0 : -errno;
}

void kernel_hold_end(int map, uint32_t pid)
{
	bpf_map_delete(map, &pid);
	kernel_hold_continue(pid);
}

enum hold_state { HOLD_ENDED, HOLD_RUNS, HOLD_STOPPED };

/* Whether a thread is stopped, by a signal or by ptrace(), or has a SIGSTOP to take. */
static enum hold_state look_at_thread(uint32_t pid, const char *thread)
{
	const uint64_t bit = UINT64_C(1) << (SIGSTOP - 1);
	enum hold_state result = HOLD_ENDED;
	char path[320], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%s/status", pid, thread);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "State:\t", 7) && line[7] != 'Z' && line[7] != 'X')
			result = line[7] == 'T' || line[7] == 't' ? HOLD_STOPPED : HOLD_RUNS;
		else if ((!strncmp(line, "SigPnd:", 7) || !strncmp(line, "ShdPnd:", 7)) &&
			strtoull(line + 7, NULL, 16) & bit)
			result = HOLD_STOPPED;
	}
	if (file)
		fclose(file);
	return result;
}

bool kernel_hold_lasts(uint32_t pid)
{
	bool is_stopped = false, runs = false;
	struct dirent *entry;
	char path[64];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		enum hold_state state =
			*entry->d_name == '.' ? HOLD_ENDED : look_at_thread(pid, entry->d_name);

		is_stopped |= state == HOLD_STOPPED;
		runs |= state == HOLD_RUNS;
	}
	if (threads)
		closedir(threads);
	return is_stopped || !runs;
}
