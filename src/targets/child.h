/*
 * child.h: the command that `vmtap trace -c` runs. Its process exists before its program runs; the
 * program starts when the process is released. If VMTAP_WAIT in its environment has its pid and
 * ours, its library waits for us before it lets the first event pass. The libraries of programs
 * that it starts do not wait, since their pids differ. If VMTAP_WAIT has only our pid, they do.
 */
#ifndef VMTAP_TARGETS_CHILD_H
#define VMTAP_TARGETS_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct descriptor_limit;
struct error;

struct child {
	pid_t pid;      /* 0: no child */
	int descriptor; /* readable once it has ended; -1: the kernel has no pidfd */
	int line;       /* socket to it until it is released, then -1 */
	bool stops;     /* CHILD_STOPPED is in force: it was requested, and the system allowed it */
	bool ended;
	bool had_children; /* as child_has_children() when it ended */
	int status;        /* as from waitpid(); valid once it has ended */
};

extern const struct child child_none;

/*
 * Searches a program as execvp() does: its path in file. Returns 0, or a negative errno if it is
 * not found. Only executing it shows whether the kernel can run it.
 */
int child_find_program(const char *name, char file[PATH_MAX]);

/* Returns whether a word names a program: it is a path, or it is found in PATH. */
bool child_is_program(const char *word);

/*
 * Looks the first of the words (which end with NULL) up in PATH and creates a process that waits to
 * be released. Its program gets the original limit of descriptors; if limit is NULL, it gets ours.
 * The process is killed when ours ends. Returns 0, or a negative errno with a line in error.
 */
int child_start(struct child *child, char *const *words, const struct descriptor_limit *limit,
	struct error *error);

/* The processes for which VMTAP_WAIT is set. */
enum child_wait {
	CHILD_WAIT_NONE,
	CHILD_WAIT_ITSELF,
	CHILD_WAIT_ALL,    /* also for all that it starts, as long as we live */
	CHILD_STOPPED = 64 /* added: the program is stopped where it begins; kernel_launch() takes
			      it from there if the child's `stops` is set then */
};

/*
 * Starts the child's program; later calls do nothing. Returns once the program runs or has been
 * killed. Returns 0; if the program cannot be started, removes the child and returns a negative
 * errno with a line in error. words are those passed to child_start(), for the message.
 */
int child_release(struct child *child, char *const *words, unsigned wait, struct error *error);

/*
 * Returns a descriptor that becomes readable when the process ends; -1 if the kernel has no pidfd,
 * or the process does not exist.
 */
int child_process(pid_t pid);

/*
 * From now on, processes that our children start become our children when their parents end.
 * Nothing else that this program starts may be running.
 */
void child_adopt(void);

/*
 * Returns whether any child has not ended. Children that have ended are waited for; first call
 * child_poll() for those whose status matters.
 */
bool child_adopted(void);

/* Kills all children, and theirs, after child_adopt(). */
void child_end_adopted(void);

/* Returns whether the child has children, or has had some that it has waited for. */
bool child_has_children(const struct child *child);

/* Returns true if the child has ended. */
bool child_poll(struct child *child);

/*
 * Kills the child if it still runs, and resets the struct. Returns true if the child was killed, by
 * us or by another's signal (the terminal's ^C reaches it, too), so that it may have left a socket
 * (targets/find/sweep.h).
 */
bool child_end(struct child *child);

#endif
