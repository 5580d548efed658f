/*
 * endpoint.c: see endpoint.h. A path that is too long for a socket address is handled by
 * opening its directory first and naming the socket through /proc/self/fd.
 */
#include "source/endpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/process_stat.h"
#include "source/listener.h"
#include "usdt/process/process_images.h"
#include "wire/place.h"
#include "wire/wire.h"

enum {
	ENVIRONMENT_MAX = 1 << 20,
	ADDRESS_MAX = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1,
	USER_UNMAPPED = 65534 /* the kernel shows this for users that a namespace does not map */
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

/* A user's id as seen by a process in its own user namespace. The directory of its socket has
 * that number in its name. */
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

	*process = (struct endpoint_process){.pid = pid, .own_pid = pid};
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

uint64_t endpoint_started(uint32_t pid)
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

bool endpoint_is_stopped(uint32_t pid)
{
	struct endpoint_process process;
	struct error ignored;

	return !endpoint_process(pid, &process, &ignored) && process.stopped;
}

int endpoint_tell_stopped(const struct endpoint_process *process, struct error *error)
{
	return error_set(error, ETIMEDOUT,
		"process %" PRIu32 " (%s) is stopped and cannot answer: `kill -CONT %" PRIu32
		"` lets it go on",
		process->pid, process->name, process->pid);
}

/* The value of a variable that the process was started with; false if there is none or it is
 * hidden. */
static bool read_variable(uint32_t pid, const char *name, char *value, size_t size)
{
	size_t name_length = strlen(name);
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
		if (strncmp(entry, name, name_length) || entry[name_length] != '=')
			continue;
		found = snprintf(value, size, "%s", entry + name_length + 1) < (int)size;
		break;
	}
	free(entry);
	fclose(file);
	return found && *value;
}

/*
 * Opens a directory as the process sees it or, if its root is hidden, as we see it. Symbolic links
 * lead to where they lead the process (Linux 5.6 and later; earlier, an absolute one leads to where
 * it leads us).
 */
static int open_directory(uint32_t pid, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	char through[PATH_MAX + 64];
	int root, fd = -1;

	snprintf(through, sizeof(through), "/proc/%" PRIu32 "/root", pid);
	root = path[0] == '/' ? open(through, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (root >= 0) {
		fd = (int)syscall(SYS_openat2, root, path + 1, &how, sizeof(how));
		close(root);
	}
	if (fd < 0 && (root < 0 || errno == ENOSYS || errno == EPERM)) {
		snprintf(through, sizeof(through), "/proc/%" PRIu32 "/%s%s", pid,
			path[0] == '/' ? "root" : "cwd/", path);
		fd = open(through, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd;
}

/* Whether the processes in /proc have the numbers that our own pid namespace gives them. */
static bool sees_own_processes(void)
{
	char self[32] = "";

	return readlink("/proc/self", self, sizeof(self) - 1) > 0 && atoi(self) == getpid();
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
			"process %" PRIu32
			" (%s): its endpoint is served by user %u, not by its own "
			"user %" PRIu32 ": not trusted",
			process->pid, process->name, (unsigned int)peer.uid, process->owner);
	/* 0: a process that has no number in our pid namespace, so not one that we see */
	if (peer.pid ? (uint32_t)peer.pid != process->pid : sees_own_processes())
		return error_set(error, ENOENT,
			"process %" PRIu32 " (%s) serves no event stream: its endpoint belongs to "
			"process %d",
			process->pid, process->name, (int)peer.pid);
	return 0;
}

/*
 * Connects. A process in a user namespace that does not contain our root user cannot tell it from
 * any other stranger. Root then connects with the credentials of the process's own user, which
 * the kernel records at this moment.
 */
static int connect_as_allowed(
	const struct endpoint_process *process, int fd, const struct sockaddr_un *address)
{
	bool lends = geteuid() == 0 && process->owner != 0 &&
		user_within(process->pid, 0) == USER_UNMAPPED;
	int dumpable = prctl(PR_GET_DUMPABLE), result = 0;

	lends = lends && !seteuid(process->owner);
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		result = -errno;
	if (lends) {
		if (seteuid(0))
			result = -errno;
		prctl(PR_SET_DUMPABLE, dumpable);
	}
	return result;
}

/* Tries one path. -ENOENT: no process listens there, or a different one. */
static int connect_at(const struct endpoint_process *process, const char *path, int wait_ms,
	int *result, struct error *error)
{
	const struct timeval limit = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char directory[PATH_MAX], through[PATH_MAX];
	int status = 0, fd = -1, at;

	if (strlen(path) >= sizeof(directory))
		return -ENOENT;
	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(name - path) : 1,
		slash ? path : ".");
	at = open_directory(process->pid, directory);
	if (at < 0)
		return -ENOENT;
	/* A name that fills a whole address can only come from a path that we see ourselves. */
	snprintf(through, sizeof(through), "/proc/self/fd/%d/%.*s", at, ADDRESS_MAX, name);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.*s", ADDRESS_MAX,
		strlen(through) <= ADDRESS_MAX ? through : path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		status = error_set(error, errno, "process %" PRIu32 " (%s): socket: %s",
			process->pid, process->name, strerror(errno));
		goto out;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	status = connect_as_allowed(process, fd, &address);
	if (status == -ECONNREFUSED || status == -ENOTDIR)
		status = -ENOENT;
	else if (status == -EAGAIN && process->stopped)
		status = endpoint_tell_stopped(process, error);
	else if (status == -EAGAIN)
		status = error_set(error, ETIMEDOUT,
			"process %" PRIu32 " (%s) does not answer at %s: it may be stopped",
			process->pid, process->name, path);
	else if (status && status != -ENOENT)
		status = error_set(error, -status, "process %" PRIu32 " (%s): %s: %s", process->pid,
			process->name, path, strerror(-status));
	if (!status)
		status = check_peer(process, fd, error);
out:
	close(at);
	if (status && fd >= 0)
		close(fd);
	else
		*result = fd;
	return status;
}

/* True: another place may still have the process's socket. error then says why this one has not. */
static bool goes_on(int status)
{
	return status == -ENOENT || status == -EACCES || status == -EPERM;
}

/* Tries the sockets of processes with this number in a directory: the plain name, then those that
 * were chosen because it was taken. */
static int connect_in(const struct endpoint_process *process, const char *directory, int wait_ms,
	int *fd, struct error *error)
{
	char path[PATH_MAX], through[64];
	struct dirent *entry;
	DIR *entries = NULL;
	int at, result = -ENOENT;
	uint32_t pid;

	if (snprintf(path, sizeof(path), "%s/%" PRIu32, directory, process->own_pid) <
		(int)sizeof(path))
		result = connect_at(process, path, wait_ms, fd, error);
	at = goes_on(result) ? open_directory(process->pid, directory) : -1;
	snprintf(through, sizeof(through), "/proc/self/fd/%d", at);
	if (at >= 0)
		entries = opendir(through);
	while (entries && goes_on(result) && (entry = readdir(entries)))
		if (place_is_socket(entry->d_name, &pid) && pid == process->own_pid &&
			strchr(entry->d_name, '.') &&
			snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) <
				(int)sizeof(path))
			result = connect_at(process, path, wait_ms, fd, error);
	if (entries)
		closedir(entries);
	if (at >= 0)
		close(at);
	return result;
}

/* Tries the default places. */
static int connect_default(
	const struct endpoint_process *process, int wait_ms, int *fd, struct error *error)
{
	uint32_t user = user_within(process->pid, process->owner);
	char directory[PATH_MAX], variable[PATH_MAX];
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	int result = -ENOENT;

	if (read_variable(process->pid, "XDG_RUNTIME_DIR", variable, sizeof(variable)))
		runtime = variable;
	for (unsigned i = 0; i < PLACE_DIRECTORIES && goes_on(result); i++)
		if (place_directory(i, runtime, user, directory, sizeof(directory)))
			result = connect_in(process, directory, wait_ms, fd, error);
	return result;
}

/* Tries the path that the process's user has chosen. */
static int connect_chosen(
	const struct endpoint_process *process, int wait_ms, int *fd, struct error *error)
{
	char chosen[PATH_MAX], path[PATH_MAX];

	if (!read_variable(process->pid, "VMTAP_SOCKET", chosen, sizeof(chosen)) ||
		!place_expand(chosen, process->own_pid, path, sizeof(path)))
		return -ENOENT;
	return connect_at(process, path, wait_ms, fd, error);
}

/* Whether an eventlog begins there; the bytes that it sends first remain unread. */
static bool is_eventlog(int fd, int wait_ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	unsigned char magic[4];

	return poll(&wait, 1, wait_ms) > 0 &&
		recv(fd, magic, sizeof(magic), MSG_PEEK | MSG_DONTWAIT) == sizeof(magic) &&
		bytes_u32(magic) == WIRE_HEADER_BEGIN;
}

/* For a path that the VM chose: if the process has the mark of those that serve streams, tries the
 * paths on which it listens and takes the one that sends an eventlog. */
static int connect_listening(
	const struct endpoint_process *process, int wait_ms, int *fd, struct error *error)
{
	int result = -ENOENT;
	size_t count = 0;
	char **paths = NULL;

	if (listener_is_marked(process->pid))
		paths = listener_paths(process->pid, &count);
	for (size_t i = 0; i < count && goes_on(result); i++) {
		result = connect_at(process, paths[i], wait_ms, fd, error);
		if (!result && (process->stopped || !is_eventlog(*fd, wait_ms))) {
			close(*fd);
			*fd = -1;
			result = -ENOENT;
		}
	}
	if (result && count && process->stopped)
		result = endpoint_tell_stopped(process, error);
	listener_free(paths, count);
	return result;
}

int endpoint_connect_path(const char *path, int wait_ms, struct endpoint_process *process, int *fd,
	struct error *error)
{
	const struct timeval limit = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int result;

	*fd = -1;
	if (strlen(path) >= sizeof(address.sun_path))
		return error_set(error, ENAMETOOLONG, "'%s': a socket's path has at most %zu bytes",
			path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd >= 0)
		setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (*fd < 0 || connect(*fd, (const struct sockaddr *)&address, sizeof(address)) ||
		getsockopt(*fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		result = errno == EAGAIN
			? error_set(error, ETIMEDOUT,
				  "the process at '%s' does not answer: it may be stopped", path)
			: error_set(error, errno, "'%s': %s", path, strerror(errno));
	else if (!peer.pid)
		result = error_set(error, ESRCH,
			"'%s' is served by a process that cannot be seen from here", path);
	else
		result = endpoint_process((uint32_t)peer.pid, process, error);
	if (!result)
		result = check_peer(process, *fd, error);
	if (result && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return result;
}

size_t endpoint_further(const struct endpoint_process *process, const char *path,
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX])
{
	char directory[ENDPOINT_PATH_MAX];
	const char *slash = strrchr(path, '/');
	const struct dirent *entry;
	size_t count = 0;
	uint32_t pid;
	DIR *entries;

	if (!slash ||
		(size_t)snprintf(directory, sizeof(directory), "/proc/%" PRIu32 "/root%.*s",
			process->pid, (int)(slash - path), path) >= sizeof(directory))
		return 0;
	entries = opendir(directory);
	while (entries && count < ENDPOINT_FURTHER_MAX && (entry = readdir(entries))) {
		if (!place_is_socket(entry->d_name, &pid) || pid != process->own_pid ||
			strcmp(entry->d_name, slash + 1) == 0)
			continue;
		count += (size_t)snprintf(paths[count], ENDPOINT_PATH_MAX, "%s/%s", directory,
				 entry->d_name) < ENDPOINT_PATH_MAX;
	}
	if (entries)
		closedir(entries);
	return count;
}

int endpoint_connect(
	const struct endpoint_process *process, int wait_ms, int *fd, struct error *error)
{
	const struct passwd *user;
	int result;

	*fd = -1;
	if (geteuid() != 0 && process->owner != geteuid()) {
		user = getpwuid(process->owner);
		return error_set(error, EACCES,
			"process %" PRIu32 " (%s) belongs to user %s%s%" PRIu32
			"%s: only that user "
			"and root can trace it",
			process->pid, process->name, user ? user->pw_name : "", user ? " (" : "",
			process->owner, user ? ")" : "");
	}
	error_set(error, 0, "%s", "");
	result = connect_default(process, wait_ms, fd, error);
	if (goes_on(result))
		result = connect_chosen(process, wait_ms, fd, error);
	if (goes_on(result))
		result = connect_listening(process, wait_ms, fd, error);
	if (!goes_on(result))
		return result;
	if (error && !error->text[0])
		error_set(error, ENOENT,
			"process %" PRIu32 " (%s) serves no event stream: it was built without "
			"libvmtap, has not called vmtap_start(), or its socket cannot be found "
			"(--socket); see `vmtap list %" PRIu32 "` for its probes",
			process->pid, process->name, process->pid);
	return -ENOENT;
}
