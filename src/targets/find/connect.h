/*
 * connect.h: connects to the event stream of a process.
 */
#ifndef VMTAP_TARGETS_FIND_CONNECT_H
#define VMTAP_TARGETS_FIND_CONNECT_H

#include <stdint.h>

struct connection;
struct error;

enum { CONNECT_HURRY = -1 /* as wait_ms: 0, and wait for each answer only a second */ };

/*
 * Connects to a process or, if socket is not NULL, to the process that serves the socket at
 * that path; pid and wait_ms are ignored then. wait_ms limits the wait for the endpoint to
 * appear (0: it must exist already) while the process lives. Returns 0 or a negative errno; error
 * messages name the process. Call connection_close() even after an error.
 */
int connect_process(struct connection *connection, uint32_t pid, const char *socket, int wait_ms,
	struct error *error);

#endif
