/*
 * endpoint.h: a process, as /proc shows it, and the socket on which it serves its event
 * stream. The process may live in other name spaces: its socket is opened through its
 * root, under the pid it has in its own pid name space. It is looked for in the default
 * places, where VMTAP_SOCKET says in the environment that the process was started with, and
 * on every path on which it listens.
 */
#ifndef VMTAP_SOURCE_ENDPOINT_H
#define VMTAP_SOURCE_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct endpoint_process {
	uint32_t pid, ppid;
	uint32_t own_pid;  /* in its own pid name space */
	uint32_t uid, gid; /* real, as D's uid and gid are */
	uint32_t owner;    /* the effective user: who serves the endpoint */
	bool exited;       /* a zombie */
	char name[64];     /* the kernel's name for it (comm) */
	char program[256]; /* base name of its executable; the name when that is hidden */
};

/* -ESRCH when there is no such process, -EINVAL when pid is a thread of another. */
int endpoint_process(uint32_t pid, struct endpoint_process *process, struct error *error);

/*
 * Connects to the process's endpoint and checks who serves it. *fd is the caller's.
 * -ENOENT: there is no endpoint (it may still come); -EACCES: another user's; other
 * errors are final too. Every one has a line in error.
 */
int endpoint_connect(const struct endpoint_process *process, int *fd, struct error *error);

/*
 * Connects to the socket at a path, as it is seen from here, and finds out whose it is.
 * *process and *fd (the caller's) are set; every error has a line.
 */
int endpoint_connect_path(
	const char *path, struct endpoint_process *process, int *fd, struct error *error);

#endif
