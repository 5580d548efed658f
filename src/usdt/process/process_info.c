/*
 * process_info.c: see process_info.h. It reads /proc/PID/status and stat, each in one go, and
 * touches no process.
 */
#include "usdt/process/process_info.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process_stat.h"
#include "usdt/process/process_images.h"

static int no_process(uint32_t pid, struct error *error)
{
	return error_set(error, ESRCH, "process %" PRIu32 " does not exist", pid);
}

static void read_program(struct process_info *process)
{
	static const char deleted[] = " (deleted)";
	char path[64], target[PATH_MAX];
	ssize_t length;
	char *base;

	snprintf(process->program, sizeof(process->program), "%s", process->name);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", process->pid);
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return;
	target[length] = '\0';
	if (length > (ssize_t)sizeof(deleted) &&
		!strcmp(target + length - (sizeof(deleted) - 1), deleted))
		target[length - (ssize_t)(sizeof(deleted) - 1)] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (*base && strlen(base) < sizeof(process->program))
		strcpy(process->program, base);
}

int process_info_read(uint32_t pid, struct process_info *process, struct error *error)
{
	char path[64], line[512];
	uint32_t group = pid;
	FILE *file;

	*process = (struct process_info){.pid = pid, .own_pid = pid};
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	if (!file && errno != ENOENT)
		return error_set(
			error, errno, "process %" PRIu32 ": %s: %s", pid, path, strerror(errno));
	if (!file)
		return no_process(pid, error);
	while (fgets(line, sizeof(line), file)) {
		char *last;
		line[strcspn(line, "\n")] = '\0';
		last = strrchr(line, '\t');
		if (!strncmp(line, "Name:\t", 6))
			snprintf(process->name, sizeof(process->name), "%.63s", line + 6);
		else if (!strncmp(line, "State:\t", 7))
			process->exited = line[7] == 'Z' || line[7] == 'X',
			process->stopped = line[7] == 'T' || line[7] == 't';
		else if (!strncmp(line, "Tgid:\t", 6))
			group = (uint32_t)strtoul(line + 6, NULL, 10);
		else if (!strncmp(line, "PPid:\t", 6))
			process->ppid = (uint32_t)strtoul(line + 6, NULL, 10);
		else if (!strncmp(line, "Uid:\t", 5)) {
			process->uid = (uint32_t)strtoul(line + 5, &last, 10);
			process->owner = (uint32_t)strtoul(last, NULL, 10);
		} else if (!strncmp(line, "Gid:\t", 5))
			process->gid = (uint32_t)strtoul(line + 5, NULL, 10);
		else if (!strncmp(line, "NSpid:\t", 7) && last)
			process->own_pid = (uint32_t)strtoul(last + 1, NULL, 10);
	}
	fclose(file);
	if (!process->name[0])
		return no_process(pid, error); /* it ended meanwhile */
	if (process->exited)
		process->exited =
			!usdt_process_thread((pid_t)pid); /* only the main thread may have */
	if (group != pid)
		return error_set(
			error, EINVAL, "%" PRIu32 " is a thread of process %" PRIu32, pid, group);
	read_program(process);
	return 0;
}

uint64_t process_info_started(uint32_t pid)
{
	unsigned long long started = 0;
	char text[PROCESS_STAT_BYTES];
	const char *at = process_stat_read(pid, text);

	/* the start is field 22, the first one here is field 3 */
	for (int field = 3; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at && sscanf(at, "%llu", &started) != 1)
		started = 0;
	return started;
}

bool process_info_is_stopped(uint32_t pid)
{
	struct process_info process;
	struct error ignored;

	return !process_info_read(pid, &process, &ignored) && process.stopped;
}

int process_info_tell_stopped(const struct process_info *process, struct error *error)
{
	return error_set(error, ETIMEDOUT,
		"process %" PRIu32 " (%s) is stopped and cannot answer: `kill -CONT %" PRIu32
		"` lets it go on",
		process->pid, process->name, process->pid);
}

void process_info_each(void (*call)(void *context, uint32_t pid), void *context)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		unsigned long pid = strtoul(entry->d_name, NULL, 10);

		if (pid && pid <= INT32_MAX)
			call(context, (uint32_t)pid);
	}
	if (processes)
		closedir(processes);
}
