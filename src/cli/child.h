/*
 * child.h: the command that `vmtap trace -c` runs. Its process is there before its program is,
 * which starts when it is released: with the pid as VMTAP_WAIT in its environment its library
 * waits for a client before it lets the first event pass; those of the programs that it starts
 * do not.
 */
#ifndef VMTAP_CLI_CHILD_H
#define VMTAP_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct error;

struct child {
	pid_t pid;      /* 0: there is none */
	int descriptor; /* readable when it has ended; -1: the kernel has no such thing */
	int line;       /* to it until it is released, then -1 */
	bool ended;
	int status; /* as waitpid says, when it has ended */
};

extern const struct child child_none;

/*
 * Splits the command at blanks, looks its first word up in PATH and makes a process that waits
 * to be released. It dies with us. The negative errno of what is wrong.
 */
int child_start(struct child *child, const char *command, struct error *error);

/*
 * Starts its program, once; waits: with VMTAP_WAIT. Returns when it runs, or has been killed, or
 * the negative errno of starting it; then there is no child any more. command is what it was made
 * with, for the message.
 */
int child_release(struct child *child, const char *command, bool waits, struct error *error);

/* A descriptor that is readable when that process has ended; -1: the kernel has no such thing, or
 * there is no such process. */
int child_process(pid_t pid);

/* Looks whether it has ended; true: it has. */
bool child_poll(struct child *child);

/* Ends it if it still runs, and forgets it. */
void child_end(struct child *child);

#endif
