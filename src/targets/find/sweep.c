/* sweep.c: see sweep.h. A socket is removed only if no process listens on it, under the directory's
 * lock. */
#include "targets/find/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire/place.h"

enum { LOCK_TRIES = 100 /* one millisecond apart */ };

/*
 * Opens a directory, if it belongs to our user alone, and locks it. Returns -1 if it does not, or
 * if a process holds the lock for longer than a start takes.
 */
static int lock_private(const char *path)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), tries = 0;
	struct stat status;

	if (directory < 0)
		return -1;
	if (!fstat(directory, &status) && status.st_uid == geteuid() && !(status.st_mode & 077)) {
		for (; flock(directory, LOCK_EX | LOCK_NB) && tries < LOCK_TRIES; tries++)
			nanosleep(&pause, NULL);
		if (tries < LOCK_TRIES)
			return directory; /* closing it releases the lock */
	}
	close(directory);
	return -1;
}

/* Removes an entry of an open directory if it is a socket of ours on which no process listens. */
static void sweep(int directory, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat status;
	int probe;

	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISSOCK(status.st_mode) ||
		status.st_uid != geteuid() ||
		(size_t)snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s",
			directory, name) >= sizeof(address.sun_path))
		return;
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (probe < 0)
		return;
	if (connect(probe, (const struct sockaddr *)&address, sizeof(address)) &&
		errno == ECONNREFUSED)
		unlinkat(directory, name, 0);
	close(probe);
}

/* Removes the sockets of dead processes in a directory of ours. */
static void sweep_directory(const char *path)
{
	int lock = lock_private(path), copy = lock >= 0 ? dup(lock) : -1;
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	uint32_t pid;

	/*
	 * A socket is checked even if a process here has its number: that may be a later process.
	 */
	while (entries && (entry = readdir(entries)))
		if (place_is_socket(entry->d_name, &pid))
			sweep(lock, entry->d_name);
	if (entries)
		closedir(entries);
	else if (copy >= 0)
		close(copy);
	if (lock >= 0) {
		flock(lock, LOCK_UN);
		close(lock);
	}
}

/*
 * Locks for a chosen path: its directory or, if that is shared, our own directory among the places.
 */
static int lock_chosen(const char *directory)
{
	char path[PATH_MAX];
	int lock = lock_private(directory);

	for (unsigned i = 1; lock < 0 && place_directory(i, NULL, geteuid(), path, sizeof(path));
		i++)
		lock = lock_private(path);
	return lock;
}

static void sweep_chosen(const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	int lock, at;

	if (path[0] != '/' || strlen(path) >= sizeof(directory))
		return;
	snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path + 1), path);
	lock = lock_chosen(directory);
	at = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (lock >= 0 && at >= 0)
		sweep(at, slash + 1);
	if (at >= 0)
		close(at);
	if (lock >= 0)
		close(lock);
}

void sweep_sockets(const char *chosen)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool is_random;
	uint32_t user;
	DIR *entries;

	if (place_directory(0, secure_getenv("XDG_RUNTIME_DIR"), geteuid(), path, sizeof(path)))
		sweep_directory(path);
	for (unsigned i = 1; place_base(i); i++) {
		entries = opendir(place_base(i));
		while (entries && (entry = readdir(entries))) {
			if (!place_is_directory(entry->d_name, &user, &is_random) ||
				user != geteuid())
				continue;
			snprintf(path, sizeof(path), "%s/%s", place_base(i), entry->d_name);
			sweep_directory(path);
		}
		if (entries)
			closedir(entries);
	}
	if (chosen)
		sweep_chosen(chosen);
}
