/*
 * jvm_map.c: see jvm_map.h. jcmd sends SIGQUIT to make the JVM listen. A process that does not
 * catch this signal would be killed by it, as a JVM with -Xrs, so it must be caught.
 */
#include "cli/jvm_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process_stat.h"
#include "targets/target_spec.h"

enum { LIMIT_MS = 5000 };

extern char **environ;

/* Returns whether a line of the file in /proc contains the text. */
static bool has_line(uint32_t pid, const char *file, const char *text)
{
	char path[64], line[4096];
	bool found = false;
	FILE *lines;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, file);
	lines = fopen(path, "re");
	while (lines && !found && fgets(line, sizeof(line), lines))
		found = strstr(line, text);
	if (lines)
		fclose(lines);
	return found;
}

static bool catches_quit(uint32_t pid)
{
	char caught[32];

	return process_status_value(pid, "SigCgt", caught, sizeof(caught)) &&
		strtoull(caught, NULL, 16) >> (SIGQUIT - 1) & 1;
}

/* Waits for the end of a child of ours, which is killed after the limit. */
static void await_end(pid_t child)
{
	struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	int ready;

	while ((ready = poll(&wait, 1, LIMIT_MS)) < 0 && errno == EINTR)
		;
	if (ready != 1)
		kill(child, SIGKILL);
	if (wait.fd >= 0)
		close(wait.fd);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void ask(uint32_t pid)
{
	char number[16], *words[] = {(char[]){"jcmd"}, number, (char[]){"Compiler.perfmap"}, NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;

	if (!has_line(pid, "maps", "/libjvm.so") || !catches_quit(pid) ||
		posix_spawn_file_actions_init(&actions))
		return;
	snprintf(number, sizeof(number), "%" PRIu32, pid);
	if (!posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0) &&
		!posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO) &&
		!posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO) &&
		!posix_spawnp(&child, words[0], &actions, NULL, words, environ))
		await_end(child);
	posix_spawn_file_actions_destroy(&actions);
}

void jvm_map_ask(const struct target_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++)
		if (spec->items[i].kind == TARGET_PID)
			ask(spec->items[i].pid);
}
