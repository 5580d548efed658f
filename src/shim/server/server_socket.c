/*
 * server_socket.c: see server_socket.h. Whether a path's socket is alive is found out by connecting
 * to it, under the directory's lock where there is one. Nothing is removed but a dead socket of our
 * user.
 */
#include "shim/server/server_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/test_point.h"
#include "shim/core/ledger.h"
#include "shim/server/socket_directory.h"
#include "wire/place.h"

enum { ENDPOINT_BACKLOG = 16 };

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
	if (socket_directory_touch(address) != -ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

/* Creates the socket at endpoint->path. The caller holds the directory's lock, or removes is
 * false. */
static int open_here(struct server_socket *endpoint, bool removes)
{
	struct sockaddr_un address;
	struct stat status;
	int directory = -1, error;

	endpoint->socket = -1;
	error = socket_directory_address(endpoint->path, &address, &directory);
	if (error)
		return error;
	endpoint->socket = ledger_enter(
		descriptor_own(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
	if (endpoint->socket < 0) {
		error = endpoint->socket;
		goto out;
	}
	endpoint->file = descriptor_file(endpoint->socket);
	ledger_name(&address);
	/* The file gets the socket's mode, whatever the umask, so that there is no moment at
	 * which others can connect. */
	fchmod(endpoint->socket, 0600);
	if (bind(endpoint->socket, (struct sockaddr *)&address, sizeof(address))) {
		error = -errno;
		if (error == -EADDRINUSE && removes)
			error = remove_stale(endpoint->path, &address);
		if (!error && bind(endpoint->socket, (struct sockaddr *)&address, sizeof(address)))
			error = -errno;
	}
	TEST_POINT("socket-bound");
	if (!error &&
		/* at once, because clients that see the socket connect */
		(listen(endpoint->socket, ENDPOINT_BACKLOG) || lstat(endpoint->path, &status)))
		error = -errno;
	if (!error) {
		endpoint->device = status.st_dev;
		endpoint->inode = status.st_ino;
	}
out:
	if (directory >= 0)
		close(directory);
	if (error && endpoint->socket >= 0) {
		ledger_close(endpoint->socket, endpoint->file);
		endpoint->socket = -1;
	}
	return error;
}

static int open_chosen(struct server_socket *endpoint, const char *chosen)
{
	int lock, error;

	if (!place_expand(chosen, (uint32_t)getpid(), endpoint->path,
		    sizeof(((struct sockaddr_un *)NULL)->sun_path)))
		return -ENAMETOOLONG;
	lock = socket_directory_lock(endpoint->path);
	error = open_here(endpoint, lock >= 0);
	socket_directory_unlock(lock);
	return error;
}

/* Takes the first name in the directory that no living process has. */
static int open_in(struct server_socket *endpoint, const char *directory)
{
	int lock, error = -EADDRINUSE;
	char name[PLACE_NAME_MAX];

	if ((size_t)snprintf(endpoint->path, sizeof(endpoint->path), "%s/", directory) >=
		sizeof(endpoint->path))
		return -ENAMETOOLONG;
	lock = socket_directory_lock(endpoint->path);
	if (lock >= 0)
		socket_directory_sweep(directory);
	for (unsigned i = 0; i < PLACE_ALTERNATIVES && error == -EADDRINUSE; i++) {
		place_socket((uint32_t)getpid(), i, name);
		error = -ENAMETOOLONG;
		if ((size_t)snprintf(endpoint->path, sizeof(endpoint->path), "%s/%s", directory,
			    name) < sizeof(endpoint->path))
			error = open_here(endpoint, lock >= 0);
	}
	socket_directory_unlock(lock);
	return error;
}

int server_socket_open(struct server_socket *endpoint, const char *chosen)
{
	char directory[PATH_MAX];
	unsigned index = 0;
	int error, last;

	endpoint->socket = -1;
	if (chosen)
		return open_chosen(endpoint, chosen);
	error = last = socket_directory_next(&index, directory, sizeof(directory));
	while (!last) {
		error = open_in(endpoint, directory);
		/* without a descriptor or memory, no other directory is better */
		if (!error || error == -EMFILE || error == -ENFILE || error == -ENOMEM)
			break;
		last = socket_directory_next(&index, directory, sizeof(directory));
	}
	return error;
}

bool server_socket_is_ours(const struct server_socket *endpoint)
{
	return endpoint->socket >= 0 && descriptor_is(endpoint->socket, endpoint->file);
}

static void remove_path(const struct server_socket *endpoint)
{
	struct stat status;

	if (endpoint->socket >= 0 && !lstat(endpoint->path, &status) &&
		status.st_dev == endpoint->device && status.st_ino == endpoint->inode)
		unlink(endpoint->path);
}

void server_socket_abandon(struct server_socket *endpoint)
{
	remove_path(endpoint);
	ledger_drop(endpoint->socket);
	endpoint->socket = -1;
}

void server_socket_close(struct server_socket *endpoint)
{
	int socket = endpoint->socket;

	remove_path(endpoint);
	endpoint->socket = -1;
	if (socket >= 0)
		ledger_close(socket, endpoint->file);
}

void server_socket_knock(const struct server_socket *endpoint)
{
	struct sockaddr_un address;
	int directory;

	if (socket_directory_address(endpoint->path, &address, &directory))
		return;
	socket_directory_touch(&address);
	if (directory >= 0)
		close(directory);
}

int server_socket_accept(const struct server_socket *endpoint, bool *refused)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);
	int client, wide = 1 << 20;

	client = ledger_accept(endpoint->socket);
	*refused = false;
	if (client < 0)
		return client;
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &length) ||
		(peer.uid != geteuid() && peer.uid != 0)) {
		ledger_close(client, (struct descriptor_file){0});
		*refused = true;
		return -EPERM;
	}
	setsockopt(client, SOL_SOCKET, SO_SNDBUF, &wide, sizeof(wide));
	return client;
}
