/*
 * endpoint.c: see endpoint.h. A path that is too long for a socket address is handled by
 * opening its directory first and naming the socket through /proc/self/fd.
 */
#include "targets/find/endpoint.h"

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
#include "base/clock.h"
#include "base/error.h"
#include "targets/find/listener.h"
#include "usdt/process/process_info.h"
#include "wire/place.h"
#include "wire/wire.h"

enum {
	ENVIRONMENT_MAX = 1 << 20,
	LISTENING_MAX = 64, /* sockets of one process that may be the one that it has chosen */
	ADDRESS_MAX = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1,
	USER_UNMAPPED = 65534 /* the kernel shows this for users that a namespace does not map */
};

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

/* Reads a variable of the environment that the process was started with. Returns false if there is
 * none or it is hidden. */
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
 * are resolved as the process would resolve them (Linux 5.6 and later; earlier, absolute ones are
 * resolved as ours).
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

/* Returns whether /proc shows processes with the numbers that our own pid namespace gives them. */
static bool sees_own_processes(void)
{
	char self[32] = "";

	return readlink("/proc/self", self, sizeof(self) - 1) > 0 && atoi(self) == getpid();
}

static int check_peer(const struct process_info *process, int fd, struct error *error)
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
 * Connects. For a process in a user namespace that does not contain our root user, root is like any
 * other unknown user. Root then connects with the credentials of the process's own user, which the
 * kernel records at this moment.
 */
static int connect_as_allowed(
	const struct process_info *process, int fd, const struct sockaddr_un *address)
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

/* Makes a socket that connects as endpoint_connect() describes for wait_ms. */
static int new_socket(int wait_ms)
{
	const struct timeval limit = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (wait_ms ? 0 : SOCK_NONBLOCK), 0);

	if (fd >= 0 && wait_ms)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	return fd;
}

/* Tries one path. Returns -ENOENT if no process listens there, or a different one. */
static int connect_at(const struct process_info *process, const char *path, int wait_ms,
	int *result, struct error *error)
{
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
	fd = new_socket(wait_ms);
	if (fd < 0) {
		status = error_set(error, errno, "process %" PRIu32 " (%s): socket: %s",
			process->pid, process->name, strerror(errno));
		goto out;
	}
	status = connect_as_allowed(process, fd, &address);
	if (status == -ECONNREFUSED || status == -ENOTDIR)
		status = -ENOENT;
	else if (status == -EAGAIN && process->stopped)
		status = process_info_tell_stopped(process, error);
	else if (status == -EAGAIN)
		status = error_set(error, wait_ms ? ETIMEDOUT : EAGAIN,
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

/* Returns true if another place may still have the process's socket. error then says why this one
 * has not. */
static bool goes_on(int status)
{
	return status == -ENOENT || status == -EACCES || status == -EPERM;
}

/* Tries the sockets of processes with this number in a directory: the plain name, then the names
 * that are chosen if it is taken. */
static int connect_in(const struct process_info *process, const char *directory, int wait_ms,
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
	const struct process_info *process, int wait_ms, int *fd, struct error *error)
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
	const struct process_info *process, int wait_ms, int *fd, struct error *error)
{
	char chosen[PATH_MAX], path[PATH_MAX];

	if (!read_variable(process->pid, "VMTAP_SOCKET", chosen, sizeof(chosen)) ||
		!place_expand(chosen, process->own_pid, path, sizeof(path)))
		return -ENOENT;
	return connect_at(process, path, wait_ms, fd, error);
}

/* Returns whether the stream is an eventlog; its first bytes remain unread. */
static bool is_eventlog(int fd)
{
	unsigned char magic[4];

	return recv(fd, magic, sizeof(magic), MSG_PEEK | MSG_DONTWAIT) == sizeof(magic) &&
		bytes_u32(magic) == WIRE_HEADER_BEGIN;
}

/*
 * Returns the index of the first connection that sends an eventlog, or count if none does; the
 * others are closed. All connections have the same time limit. *is_silent: one of them has sent
 * nothing yet.
 */
static size_t find_eventlog(struct pollfd *waits, size_t count, int wait_ms, bool *is_silent)
{
	const uint64_t limit = clock_monotonic() + (uint64_t)wait_ms * CLOCK_NS_PER_MS;
	size_t found = count, open = count;

	while (open && found == count) {
		uint64_t now = clock_monotonic();
		int left = now < limit ? (int)((limit - now) / CLOCK_NS_PER_MS) + 1 : 0;

		if (poll(waits, count, left) <= 0 && (!left || errno != EINTR))
			break;
		for (size_t i = 0; i < count && found == count; i++) {
			if (waits[i].fd < 0 || !waits[i].revents)
				continue;
			if (is_eventlog(waits[i].fd)) {
				found = i;
				break;
			}
			close(waits[i].fd);
			waits[i].fd = -1;
			open--;
		}
	}
	*is_silent = open && found == count;
	for (size_t i = 0; i < count; i++)
		if (i != found && waits[i].fd >= 0)
			close(waits[i].fd);
	return found;
}

/* Finds a path that the VM chose: if the process has the mark of those that serve streams, tries
 * the paths on which it listens and takes the one that sends an eventlog. */
static int connect_listening(
	const struct process_info *process, int wait_ms, int *fd, struct error *error)
{
	struct pollfd waits[LISTENING_MAX];
	const char *silent = NULL;
	int result = -ENOENT, last;
	size_t count = 0, opened = 0, found;
	bool is_silent = false;
	char **paths = NULL;

	if (listener_is_marked(process->pid))
		paths = listener_paths(process->pid, &count);
	for (size_t i = 0; i < count && opened < LISTENING_MAX; i++) {
		waits[opened] = (struct pollfd){.fd = -1, .events = POLLIN};
		last = connect_at(process, paths[i], wait_ms, &waits[opened].fd, error);
		if (last && result != -EAGAIN)
			result = last;
		silent = last ? silent : paths[i];
		opened += !last;
	}
	wait_ms = wait_ms ? wait_ms : ENDPOINT_HURRY_MS;
	found = find_eventlog(waits, opened, process->stopped ? 0 : wait_ms, &is_silent);
	if (found < opened) {
		*fd = waits[found].fd;
		result = 0;
	} else if (count && process->stopped) {
		result = process_info_tell_stopped(process, error);
	} else if (is_silent && result != -EAGAIN) {
		result = error_set(error, ETIMEDOUT,
			"process %" PRIu32 " (%s) does not answer at %s: it may be stopped",
			process->pid, process->name, silent);
	}
	listener_free(paths, count);
	return result;
}

int endpoint_connect_path(
	const char *path, int wait_ms, struct process_info *process, int *fd, struct error *error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int result;

	*fd = -1;
	if (strlen(path) >= sizeof(address.sun_path))
		return error_set(error, ENAMETOOLONG, "'%s': a socket's path has at most %zu bytes",
			path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	*fd = new_socket(wait_ms);
	if (*fd < 0 || connect(*fd, (const struct sockaddr *)&address, sizeof(address)) ||
		getsockopt(*fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		result = errno == EAGAIN
			? error_set(error, wait_ms ? ETIMEDOUT : EAGAIN,
				  "the process at '%s' does not answer: it may be stopped", path)
			: error_set(error, errno, "'%s': %s", path, strerror(errno));
	else if (!peer.pid)
		result = error_set(error, ESRCH,
			"'%s' is served by a process that cannot be seen from here", path);
	else
		result = process_info_read((uint32_t)peer.pid, process, error);
	if (!result)
		result = check_peer(process, *fd, error);
	if (result && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return result;
}

size_t endpoint_further(const struct process_info *process, const char *path,
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

int endpoint_connect(const struct process_info *process, int wait_ms, int *fd, struct error *error)
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
			"(--socket)",
			process->pid, process->name);
	return -ENOENT;
}
