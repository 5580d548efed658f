/*
 * child.h: the command that `vmtap trace -c` runs. It is started with its
 * pid as VMTAP_WAIT in its environment: its library waits for a client before it lets the
 * first event pass; those of the programs that it starts do not.
 */
#ifndef VMTAP_CLI_CHILD_H
#define VMTAP_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct error;

struct child {
	pid_t pid;      /* 0: there is none */
	int descriptor; /* readable when it has ended; -1: the kernel has no such thing */
	bool ended;
	int status; /* as waitpid says, when it has ended */
};

/*
 * Splits the command at blanks, looks its first word up in PATH and starts it. It dies
 * with us. Returns when it runs, or the negative errno of starting it.
 */
int child_start(struct child *child, const char *command, struct error *error);

/* Looks whether it has ended; true: it has. */
bool child_poll(struct child *child);

/* Ends it if it still runs, and forgets it. */
void child_end(struct child *child);

#endif
