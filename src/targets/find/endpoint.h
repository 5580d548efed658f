/*
 * endpoint.h: the socket on which a process serves its event stream. The process may live in other
 * namespaces: its socket is opened through its root directory, under the pid that it has in its own
 * pid namespace. The search covers the default places (wire/place.h), the path in VMTAP_SOCKET in
 * the environment that the process was started with, and every path on which it listens.
 */
#ifndef VMTAP_TARGETS_FIND_ENDPOINT_H
#define VMTAP_TARGETS_FIND_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct process_info;

/*
 * Connects to the process's endpoint and checks which user serves it. The caller owns *fd. Waits at
 * most wait_ms for each socket that does not answer. If wait_ms is 0, there is other work to do: a
 * socket that has no room for a connection now leads to -EAGAIN. Only if the VM has chosen its path
 * itself, so that just the first bytes show whether it is a stream, the function waits
 * ENDPOINT_HURRY_MS for all its sockets together. Returns 0; -ENOENT if no place has an endpoint of
 * this process yet, or none that is safe to use; -EACCES if the process belongs to another user;
 * -ETIMEDOUT if it does not answer; or another negative errno. All errors but -ENOENT and -EAGAIN
 * are final. Each sets a line in error.
 */
int endpoint_connect(const struct process_info *process, int wait_ms, int *fd, struct error *error);

enum {
	ENDPOINT_WAIT_MS = 2000, /* if nothing else has to be done */
	ENDPOINT_HURRY_MS = 50
};

/*
 * Connects to the socket at a path in our own namespace and determines which process serves it.
 * Sets *process and *fd (owned by the caller). Returns 0 or a negative errno; every error sets a
 * line in error. wait_ms as above.
 */
int endpoint_connect_path(
	const char *path, int wait_ms, struct process_info *process, int *fd, struct error *error);

/*
 * Finds further sockets of the process beside the one at path, which is as the process sees it: a
 * process that contains the library twice serves a socket for each copy. Writes paths for
 * endpoint_connect_path() and returns their number, at most ENDPOINT_FURTHER_MAX. Only connecting
 * shows whether they are this process's.
 */
enum { ENDPOINT_FURTHER_MAX = 8, ENDPOINT_PATH_MAX = 108 };
size_t endpoint_further(const struct process_info *process, const char *path,
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX]);

#endif
