/*
 * endpoint.h: the socket's place in the file system. $XDG_RUNTIME_DIR/vmtap/PID, or
 * /tmp/vmtap-UID/PID where there is none (PID and UID as the process itself sees them: the
 * effective user), or a path of the VM author's choosing. The directory is ours alone
 * (0700, owner and type checked, no symbolic link); the socket of a dead process is
 * replaced, a live one never.
 */
#ifndef VMTAP_SHIM_ENDPOINT_H
#define VMTAP_SHIM_ENDPOINT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct endpoint {
	int socket;
	dev_t device; /* and inode: which file at the path is ours */
	ino_t inode;
	char path[PATH_MAX];
};

/* path NULL: the default place. Returns 0 or a negative errno. */
int endpoint_open(struct endpoint *endpoint, const char *path);

/* Closes, and removes the path if it is this process's. */
void endpoint_close(struct endpoint *endpoint);

/* A connection from the same user or root, non-blocking; -EAGAIN when there is none,
 * another negative errno when one was refused or failed. */
int endpoint_accept(const struct endpoint *endpoint);

#endif
