/*
 * process_info.h: a process, as /proc shows it.
 */
#ifndef VMTAP_USDT_PROCESS_PROCESS_INFO_H
#define VMTAP_USDT_PROCESS_PROCESS_INFO_H

#include <stdbool.h>
#include <stdint.h>

struct error;

struct process_info {
	uint32_t pid, ppid;
	uint32_t own_pid;  /* in its own pid namespace */
	uint32_t uid, gid; /* the real ids, like D's uid and gid */
	uint32_t owner;    /* the effective user, who serves the endpoint */
	bool exited;       /* a zombie */
	bool stopped;      /* by a signal or a debugger */
	char name[64];     /* the kernel's name for it (comm) */
	char program[256]; /* base name of its executable; name if that is hidden */
};

/* -ESRCH if there is no such process, -EINVAL if pid is a thread of another process. */
int process_info_read(uint32_t pid, struct process_info *process, struct error *error);

/* Calls a function with each process of this machine, in no order. */
void process_info_each(void (*call)(void *context, uint32_t pid), void *context);

/* When a process started, in ticks of sysconf(_SC_CLK_TCK) since the boot; 0: it does not exist. */
uint64_t process_info_started(uint32_t pid);

/* Whether a process is stopped now; false if it does not exist. */
bool process_info_is_stopped(uint32_t pid);

/* Sets error to a line that says that the process is stopped; returns -ETIMEDOUT. */
int process_info_tell_stopped(const struct process_info *process, struct error *error);

#endif
