/*
 * server_socket.h: the socket at which clients connect. Its path is one that the VM's author or
 * user chose, or the first usable one of those that wire/place.h lists. The socket of a dead
 * process of ours is replaced; a live socket, another user's socket and anything that is not a
 * socket never are.
 */
#ifndef VMTAP_SHIM_SERVER_SERVER_SOCKET_H
#define VMTAP_SHIM_SERVER_SERVER_SOCKET_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "shim/core/descriptor.h"

struct server_socket {
	int socket;
	struct descriptor_file file; /* identity of the socket itself */
	dev_t device;                /* and inode: identity of our file at the path */
	ino_t inode;
	char path[PATH_MAX];
};

/*
 * Opens the socket. chosen: a path, which may contain %p; NULL: the first default place that can be
 * used. Returns 0, or a negative errno that says why a chosen path cannot be used: -EADDRINUSE (a
 * live socket), -ELOOP (a symbolic link), -EEXIST (another file), -EPERM (another user's file),
 * -ENAMETOOLONG (more than 107 bytes, to which no plain client could connect). If no path is
 * chosen, the errno says why the first shared place cannot be used.
 */
int server_socket_open(struct server_socket *endpoint, const char *chosen);

/* Closes the socket, and removes the path if it belongs to this process. */
void server_socket_close(struct server_socket *endpoint);

/* Returns true if the descriptor still refers to the socket made by server_socket_open(): the
 * program may have closed it. */
bool server_socket_is_ours(const struct server_socket *endpoint);

/* For a descriptor that is not: removes the path and leaves the descriptor alone. */
void server_socket_abandon(struct server_socket *endpoint);

/* Connects once to wake any thread that polls the socket, even if its descriptor has been
 * closed. */
void server_socket_knock(const struct server_socket *endpoint);

/*
 * Accepts a connection from the same user or root, non-blocking. Returns the descriptor, -EAGAIN if
 * there is none, or another negative errno if the call failed. *refused: another user's connection
 * was closed, and more may wait.
 */
int server_socket_accept(const struct server_socket *endpoint, bool *refused);

#endif
