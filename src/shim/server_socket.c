/* server_socket.c: see server_socket.h. */
#include "shim/server_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "shim/descriptor.h"

enum {
	ENDPOINT_BACKLOG = 16,
	LOCK_TRIES = 500 /* one millisecond apart */
};

/* Creates the directory if necessary; it must be a directory that only this user may access. */
static int private_directory(const char *path)
{
	struct stat status;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(path, &status))
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	if (status.st_uid != geteuid() || (status.st_mode & 077))
		return -EPERM;
	return 0;
}

static int default_path(char *path, size_t size)
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	int length, error = -ENOENT;

	if (runtime && runtime[0] == '/') {
		length = snprintf(path, size, "%s/vmtap", runtime);
		error = length < 0 || (size_t)length >= size ? -ENAMETOOLONG
							     : private_directory(path);
	}
	if (error) {
		snprintf(path, size, "/tmp/vmtap-%u", (unsigned)geteuid());
		error = private_directory(path);
	}
	if (error)
		return error;
	length = (int)strlen(path);
	if ((size_t)snprintf(path + length, size - (size_t)length, "/%d", (int)getpid()) >=
		size - (size_t)length)
		return -ENAMETOOLONG;
	return 0;
}

/* Builds the socket's address. A path that is too long for the struct is reached through its
 * directory's descriptor, which the caller closes. */
static int make_address(const char *path, struct sockaddr_un *address, int *directory)
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

/* Connects and disconnects. Returns 0 or a negative errno. */
static int touch_socket(const struct sockaddr_un *address)
{
	int error = 0, probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (probe < 0)
		return -errno;
	if (connect(probe, (const struct sockaddr *)address, sizeof(*address)))
		error = -errno;
	close(probe);
	return error;
}

/* Removes an existing file at the path if it is the socket of a dead process; returns 0 then. */
static int remove_stale(const char *path, const struct sockaddr_un *address)
{
	struct stat status;

	if (lstat(path, &status))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISLNK(status.st_mode))
		return -ELOOP;
	if (!S_ISSOCK(status.st_mode))
		return -EEXIST;
	if (status.st_uid != geteuid())
		return -EPERM;
	/* A socket that is bound but does not listen yet also refuses: hence the lock. */
	if (touch_socket(address) != -ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

/* Locks the socket's directory, so that no other process with this library binds there
 * meanwhile, or takes a socket that is being set up for a dead one. Returns -1 if the lock
 * cannot be had; then nothing may be removed. Every process holds the lock only for an instant;
 * one that holds it longer is not waited for. */
static int lock_directory(const char *path)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const char *name = strrchr(path, '/');
	char parent[PATH_MAX];
	int directory, tries = 0;

	snprintf(parent, sizeof(parent), "%.*s", name ? (int)(name - path + 1) : 1,
		name ? path : ".");
	directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (directory >= 0 && flock(directory, LOCK_EX | LOCK_NB)) {
		if (++tries < LOCK_TRIES) {
			nanosleep(&pause, NULL); /* a signal may end it early */
			continue;
		}
		close(directory);
		directory = -1;
	}
	return directory;
}

int server_socket_open(struct server_socket *endpoint, const char *path)
{
	struct sockaddr_un address;
	struct stat status, own;
	int directory = -1, lock = -1, error = 0;

	endpoint->socket = -1;
	if (path && strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	if (path)
		strcpy(endpoint->path, path);
	else
		error = default_path(endpoint->path, sizeof(endpoint->path));
	if (!error)
		error = make_address(endpoint->path, &address, &directory);
	if (error)
		return error;
	endpoint->socket =
		descriptor_own(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (endpoint->socket < 0) {
		error = endpoint->socket;
		goto out;
	}
	/* The file gets the socket's mode, whatever the umask, so that there is no moment at
	 * which others can connect. */
	fchmod(endpoint->socket, 0600);
	lock = lock_directory(endpoint->path);
	if (bind(endpoint->socket, (struct sockaddr *)&address, sizeof(address))) {
		error = -errno;
		if (error == -EADDRINUSE && lock >= 0)
			error = remove_stale(endpoint->path, &address);
		if (!error && bind(endpoint->socket, (struct sockaddr *)&address, sizeof(address)))
			error = -errno;
	}
	if (!error &&
		(lstat(endpoint->path, &status) || fstat(endpoint->socket, &own) ||
			listen(endpoint->socket, ENDPOINT_BACKLOG)))
		error = -errno;
	if (!error) {
		endpoint->own = own.st_ino;
		endpoint->device = status.st_dev;
		endpoint->inode = status.st_ino;
	}
out:
	if (lock >= 0) { /* a child of fork() may have inherited the descriptor */
		flock(lock, LOCK_UN);
		close(lock);
	}
	if (directory >= 0)
		close(directory);
	if (error && endpoint->socket >= 0) {
		close(endpoint->socket);
		endpoint->socket = -1;
	}
	return error;
}

bool server_socket_is_ours(const struct server_socket *endpoint)
{
	struct stat status;

	if (endpoint->socket < 0 || fstat(endpoint->socket, &status)) /* or a sandbox refuses it */
		return endpoint->socket >= 0 && errno != EBADF;
	return S_ISSOCK(status.st_mode) && status.st_ino == endpoint->own;
}

void server_socket_abandon(struct server_socket *endpoint)
{
	struct stat status;

	if (endpoint->socket >= 0 && !lstat(endpoint->path, &status) &&
		status.st_dev == endpoint->device && status.st_ino == endpoint->inode)
		unlink(endpoint->path);
	endpoint->socket = -1;
}

void server_socket_close(struct server_socket *endpoint)
{
	int socket = endpoint->socket;

	server_socket_abandon(endpoint);
	if (socket >= 0)
		close(socket);
}

void server_socket_knock(const struct server_socket *endpoint)
{
	struct sockaddr_un address;
	int directory;

	if (make_address(endpoint->path, &address, &directory))
		return;
	touch_socket(&address);
	if (directory >= 0)
		close(directory);
}

int server_socket_accept(const struct server_socket *endpoint, bool *refused)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);
	int client =
		descriptor_own(accept4(endpoint->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	int wide = 1 << 20;

	*refused = false;
	if (client < 0)
		return client;
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &length) ||
		(peer.uid != geteuid() && peer.uid != 0)) {
		close(client);
		*refused = true;
		return -EPERM;
	}
	setsockopt(client, SOL_SOCKET, SO_SNDBUF, &wide, sizeof(wide));
	return client;
}
