/*
 * socket_directory.c: see socket_directory.h.
 *
 * The lock of a directory is flock() on the directory itself. That is safe only where no other
 * user can open it. For a chosen path in a shared directory, such as /tmp, the lock is that of our
 * own directory among the shared places instead.
 */
#include "shim/server/socket_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "shim/core/ledger.h"
#include "wire/place.h"

enum {
	LOCK_TRIES = 500,  /* one millisecond apart */
	SWEEP_MAX = 64,    /* sockets that one start examines */
	ENTRIES_MAX = 4096 /* names that one start reads in a directory that others can fill */
};

/* ---- which directory ---- */

static bool is_private(const struct stat *status)
{
	return S_ISDIR(status->st_mode) && status->st_uid == geteuid() && !(status->st_mode & 077);
}

/* Creates the directory if necessary; only this user may have access to it. */
static int make_private(const char *path)
{
	struct stat status;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(path, &status))
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	if (!is_private(&status))
		return -EPERM;
	/* fails on a read-only mount, for example */
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) ? -errno : 0;
}

/* Returns the user's runtime directory if it belongs to this user: root with the environment of
 * another user must not create a directory there that the other user could not access. */
static const char *runtime_directory(void)
{
	const char *path = secure_getenv("XDG_RUNTIME_DIR");
	struct stat status;

	return path && !stat(path, &status) && status.st_uid == geteuid() ? path : NULL;
}

/* Writes the path of a directory of ours with a random name in the base: one that exists, or a new
 * one. */
static int find_random(const char *base, char *path, size_t size)
{
	char name[PLACE_NAME_MAX];
	struct dirent *entry;
	bool found = false, is_random;
	unsigned count = 0;
	uint32_t user;
	DIR *entries = opendir(base);

	while (entries && !found && count++ < ENTRIES_MAX && (entry = readdir(entries))) {
		if (!place_is_directory(entry->d_name, &user, &is_random) || !is_random ||
			user != geteuid() ||
			(size_t)snprintf(path, size, "%s/%s", base, entry->d_name) >= size)
			continue;
		found = !make_private(path);
	}
	if (entries)
		closedir(entries);
	if (found)
		return 0;
	place_random(geteuid(), name);
	if ((size_t)snprintf(path, size, "%s/%s", base, name) >= size)
		return -ENAMETOOLONG;
	return mkdtemp(path) ? 0 : -errno;
}

/* Tries the names in the order of wire/place.h, then the random ones. */
static int use_directory(unsigned index, char *path, size_t size)
{
	unsigned base = index - PLACE_DIRECTORIES + 1;

	if (index >= PLACE_DIRECTORIES)
		return find_random(place_base(base), path, size);
	if (!place_directory(index, index ? NULL : runtime_directory(), geteuid(), path, size))
		return -ENOENT;
	return make_private(path);
}

int socket_directory_next(unsigned *index, char *path, size_t size)
{
	int error = -ENOENT, first = -ENOENT;

	for (; *index < 2 * PLACE_DIRECTORIES - 1; ++*index) {
		error = use_directory(*index, path, size);
		if (!error) {
			++*index;
			return 0;
		}
		if (*index == 1)
			first = error;
	}
	return first;
}

/* ---- sockets ---- */

int socket_directory_address(const char *path, struct sockaddr_un *address, int *directory)
{
	const char *name = strrchr(path, '/');
	char parent[PATH_MAX];

	*directory = -1;
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) < sizeof(address->sun_path)) {
		memcpy(address->sun_path, path, strlen(path) + 1);
		return 0;
	}
	if (!name)
		return -ENAMETOOLONG;
	memcpy(parent, path, (size_t)(name - path));
	parent[name - path] = '\0';
	*directory = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*directory < 0)
		return -errno;
	if ((size_t)snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d%s",
		    *directory, name) >= sizeof(address->sun_path)) {
		close(*directory);
		*directory = -1;
		return -ENAMETOOLONG;
	}
	return 0;
}

int socket_directory_touch(const struct sockaddr_un *address)
{
	int error = 0,
	    probe = ledger_enter(
		    descriptor_own(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));

	if (probe < 0)
		return probe;
	if (connect(probe, (const struct sockaddr *)address, sizeof(*address)))
		error = -errno;
	ledger_close(probe, (struct descriptor_file){0});
	return error;
}

/* Removes a socket of ours on which no process listens. */
static void sweep(const char *path)
{
	struct sockaddr_un address;
	struct stat status;
	int directory;

	if (lstat(path, &status) || !S_ISSOCK(status.st_mode) || status.st_uid != geteuid() ||
		socket_directory_address(path, &address, &directory))
		return;
	if (socket_directory_touch(&address) == -ECONNREFUSED)
		unlink(path);
	if (directory >= 0)
		close(directory);
}

void socket_directory_sweep(const char *path)
{
	char socket[PATH_MAX];
	struct dirent *entry;
	unsigned count = 0;
	uint32_t pid;
	DIR *entries = opendir(path);

	while (entries && count < SWEEP_MAX && (entry = readdir(entries))) {
		/* The socket of a live process is not touched. The pid may also be one of another
		 * pid namespace. */
		if (!place_is_socket(entry->d_name, &pid) || pid > INT_MAX ||
			!kill((pid_t)pid, 0) || errno == EPERM ||
			(size_t)snprintf(socket, sizeof(socket), "%s/%s", path, entry->d_name) >=
				sizeof(socket))
			continue;
		sweep(socket);
		count++;
	}
	if (entries)
		closedir(entries);
}

/* ---- locks ---- */

/* Processes hold the lock only for an instant, so do not wait long for it. */
static int lock_open(int directory)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int tries = 0;

	while (directory >= 0 && flock(directory, LOCK_EX | LOCK_NB)) {
		if (++tries < LOCK_TRIES) {
			nanosleep(&pause, NULL); /* a signal may end it early */
			continue;
		}
		ledger_close(directory, descriptor_file(directory));
		directory = -1;
	}
	return directory;
}

int socket_directory_lock(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned index = 1; /* not the runtime directory, which may differ between processes */
	char parent[PATH_MAX];
	struct stat status;
	int directory;

	snprintf(parent, sizeof(parent), "%.*s", name ? (int)(name - path + 1) : 1,
		name ? path : ".");
	directory = ledger_enter(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (directory >= 0 && !fstat(directory, &status) && !is_private(&status)) {
		ledger_close(directory, descriptor_file(directory));
		directory = -1;
		if (!socket_directory_next(&index, parent, sizeof(parent)))
			directory = ledger_enter(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	}
	return lock_open(directory);
}

void socket_directory_unlock(int lock)
{
	if (lock < 0)
		return;
	flock(lock, LOCK_UN); /* a child of fork() may have inherited the descriptor */
	ledger_close(lock, descriptor_file(lock));
}
