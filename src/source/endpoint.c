/*
 * endpoint.c: see endpoint.h. A path longer than a socket address can hold is no
 * problem: the directory is opened first, and the socket is named through
 * /proc/self/fd.
 */
#include "source/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"

enum {
	ENVIRONMENT_MAX = 1 << 20,
	CONNECT_SECONDS = 2,
	USER_UNMAPPED = 65534 /* what the kernel shows for users that a name space lacks */
};

static int no_process(uint32_t pid, struct error *error)
{
	return error_set(error, ESRCH, "process %" PRIu32 " does not exist", pid);
}

static void read_program(struct endpoint_process *process)
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

/* A user as a process in a user name space of its own sees it, where its socket's folder has
 * the number in its name. */
static uint32_t user_within(uint32_t pid, uint32_t user)
{
	unsigned long inside, outside, count;
	uint32_t result = user;
	bool found = false;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/uid_map", pid);
	file = fopen(path, "re");
	if (!file)
		return user;
	while (!found && fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3) {
		found = user >= outside && user - outside < count;
		if (found)
			result = (uint32_t)(inside + (user - outside));
	}
	fclose(file);
	return found ? result : USER_UNMAPPED;
}

int endpoint_process(uint32_t pid, struct endpoint_process *process, struct error *error)
{
	char path[64], line[512];
	uint32_t group = pid;
	FILE *file;

	*process = (struct endpoint_process){ .pid = pid, .own_pid = pid };
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	if (!file && errno != ENOENT)
		return error_set(error, errno, "process %" PRIu32 ": %s: %s", pid, path,
			strerror(errno));
	if (!file)
		return no_process(pid, error);
	while (fgets(line, sizeof(line), file)) {
		char *last;
		line[strcspn(line, "\n")] = '\0';
		last = strrchr(line, '\t');
		if (!strncmp(line, "Name:\t", 6))
			snprintf(process->name, sizeof(process->name), "%.63s", line + 6);
		else if (!strncmp(line, "State:\t", 7))
			process->exited = line[7] == 'Z' || line[7] == 'X';
		else if (!strncmp(line, "Tgid:\t", 6))
			group = (uint32_t)strtoul(line + 6, NULL, 10);
		else if (!strncmp(line, "PPid:\t", 6))
			process->ppid = (uint32_t)strtoul(line + 6, NULL, 10);
		else if (!strncmp(line, "Uid:\t", 5)) {
			process->uid = (uint32_t)strtoul(line + 5, &last, 10);
			process->owner = (uint32_t)strtoul(last, NULL, 10);
		}
		else if (!strncmp(line, "Gid:\t", 5))
			process->gid = (uint32_t)strtoul(line + 5, NULL, 10);
		else if (!strncmp(line, "NSpid:\t", 7) && last)
			process->own_pid = (uint32_t)strtoul(last + 1, NULL, 10);
	}
	fclose(file);
	if (!process->name[0])
		return no_process(pid, error); /* it went away meanwhile */
	if (group != pid)
		return error_set(error, EINVAL, "%" PRIu32 " is a thread of process %" PRIu32, pid,
			group);
	read_program(process);
	return 0;
}

/* The value of XDG_RUNTIME_DIR that the process was started with; false: none, or hidden. */
static bool runtime_directory(uint32_t pid, char *value, size_t size)
{
	static const char name[] = "XDG_RUNTIME_DIR=";
	char path[64], *entry = NULL;
	size_t capacity = 0, total = 0;
	bool found = false;
	ssize_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/environ", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && total < ENVIRONMENT_MAX &&
		(length = getdelim(&entry, &capacity, '\0', file)) > 0) {
		total += (size_t)length;
		if (strncmp(entry, name, sizeof(name) - 1))
			continue;
		found = snprintf(value, size, "%s", entry + sizeof(name) - 1) < (int)size;
		break;
	}
	free(entry);
	fclose(file);
	return found && value[0] == '/';
}

/* A directory as the process sees it; where its root is hidden, as we see it. */
static int open_directory(uint32_t pid, const char *path)
{
	char through[PATH_MAX + 64];
	int fd;

	snprintf(through, sizeof(through), "/proc/%" PRIu32 "/root%s", pid, path);
	fd = open(through, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd;
}

static int check_peer(const struct endpoint_process *process, int fd, struct error *error)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return error_set(error, errno, "process %" PRIu32 " (%s): its endpoint's owner: %s",
			process->pid, process->name, strerror(errno));
	if (peer.uid != process->owner && peer.uid != 0)
		return error_set(error, EPERM,
			"process %" PRIu32 " (%s): its endpoint is served by user %u, not by its own "
			"user %" PRIu32 ": not trusted",
			process->pid, process->name, (unsigned int)peer.uid, process->owner);
	/* 0: the server lives in a pid name space that we do not see into */
	if (peer.pid && (uint32_t)peer.pid != process->pid)
		return error_set(error, ENOENT,
			"process %" PRIu32 " (%s) serves no event stream: its endpoint belongs to "
			"process %d",
			process->pid, process->name, (int)peer.pid);
	return 0;
}

/* Tries one directory. -ENOENT: nobody listens there. */
static int connect_in(const struct endpoint_process *process, const char *directory, int *result,
	struct error *error)
{
	const struct timeval limit = { .tv_sec = CONNECT_SECONDS };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int status = 0, fd = -1, at = open_directory(process->pid, directory);

	if (at < 0)
		return -ENOENT;
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%" PRIu32, at,
		process->own_pid);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		status = error_set(error, errno, "process %" PRIu32 " (%s): socket: %s",
			process->pid, process->name, strerror(errno));
		goto out;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR)
			status = -ENOENT;
		else if (errno == EAGAIN)
			status = error_set(error, ETIMEDOUT,
				"process %" PRIu32 " (%s) does not answer at %s/%" PRIu32
				": it may be stopped",
				process->pid, process->name, directory, process->own_pid);
		else
			status = error_set(error, errno, "process %" PRIu32 " (%s): %s/%" PRIu32
				": %s", process->pid, process->name, directory,
				process->own_pid, strerror(errno));
		goto out;
	}
	status = check_peer(process, fd, error);
out:
	close(at);
	if (status && fd >= 0)
		close(fd);
	else
		*result = fd;
	return status;
}

int endpoint_connect(const struct endpoint_process *process, int *fd, struct error *error)
{
	char directory[PATH_MAX], environment[PATH_MAX - 16];
	const char *own = secure_getenv("XDG_RUNTIME_DIR");
	const struct passwd *user;
	int result = -ENOENT;

	*fd = -1;
	if (geteuid() != 0 && process->owner != geteuid()) {
		user = getpwuid(process->owner);
		return error_set(error, EACCES,
			"process %" PRIu32 " (%s) belongs to user %s%s%" PRIu32 "%s: only that user "
			"and root can trace it",
			process->pid, process->name, user ? user->pw_name : "",
			user ? " (" : "", process->owner, user ? ")" : "");
	}
	error_set(error, 0, "%s", "");
	if (runtime_directory(process->pid, environment, sizeof(environment))) {
		snprintf(directory, sizeof(directory), "%s/vmtap", environment);
		result = connect_in(process, directory, fd, error);
	} else if (own && own[0] == '/' && strlen(own) < sizeof(environment)) {
		snprintf(directory, sizeof(directory), "%s/vmtap", own);
		result = connect_in(process, directory, fd, error);
	}
	if (result == -ENOENT) {
		snprintf(directory, sizeof(directory), "/tmp/vmtap-%" PRIu32,
			user_within(process->pid, process->owner));
		result = connect_in(process, directory, fd, error);
	}
	if (result == -ENOENT && error && !error->text[0])
		error_set(error, ENOENT,
			"process %" PRIu32 " (%s) serves no event stream: it was built without "
			"libvmtap, has not called vmtap_start(), or uses another socket; see "
			"`vmtap list %" PRIu32 "` for its probes",
			process->pid, process->name, process->pid);
	return result;
}
