/*
 * server_socket.h: the socket's place in the file system. $XDG_RUNTIME_DIR/vmtap/PID, or
 * /tmp/vmtap-UID/PID where there is none (PID and UID as the process itself sees them: the
 * effective user), or a path that the VM's author or user chose. The directory of the
 * default place is ours alone (0700, owner and type checked, no symbolic link); the socket
 * of a dead process of ours is replaced, a live one, another user's and what is no socket
 * never.
 */
#ifndef VMTAP_SHIM_SERVER_SOCKET_H
#define VMTAP_SHIM_SERVER_SOCKET_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct server_socket {
	int socket;
	ino_t own;    /* inode of the socket itself */
	dev_t device; /* and inode: which file at the path is ours */
	ino_t inode;
	char path[PATH_MAX];
};

/* path NULL: the default place. Returns 0 or a negative errno, which says what stands at
 * a path that cannot be had: -EADDRINUSE a live socket, -ELOOP a symbolic link, -EEXIST
 * another file, -EPERM another user's; -ENAMETOOLONG: a chosen path of more than 107 bytes,
 * which no plain client could connect to. */
int server_socket_open(struct server_socket *endpoint, const char *path);

/* Closes, and removes the path if it is this process's. */
void server_socket_close(struct server_socket *endpoint);

/* Whether the descriptor is still what server_socket_open() made: the program may have closed it.
 */
bool server_socket_is_ours(const struct server_socket *endpoint);

/* Then: removes the path, leaves the descriptor alone. */
void server_socket_abandon(struct server_socket *endpoint);

/* Connects once: whoever polls the socket wakes, although its descriptor may be closed. */
void server_socket_knock(const struct server_socket *endpoint);

/* A connection from the same user or root, non-blocking; -EAGAIN when there is none,
 * another negative errno when one was refused or failed. */
int server_socket_accept(const struct server_socket *endpoint);

#endif
