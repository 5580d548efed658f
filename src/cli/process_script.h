/*
 * process_script.h: the D script with which verbs show processes that serve no event stream:
 * samples of their stacks, which the kernel takes at ticks of each processor.
 */
#ifndef VMTAP_CLI_PROCESS_SCRIPT_H
#define VMTAP_CLI_PROCESS_SCRIPT_H

#include <stdint.h>

struct target_spec;

enum {
	PROCESS_SCRIPT_HZ = 97,
	PROCESS_SCRIPT_PERIOD = 1000000000 / PROCESS_SCRIPT_HZ /* ns */
};

/* What a script collects. */
enum process_script_kind {
	PROCESS_SCRIPT_NAMED,  /* @time[pid, execname, stack(), ustack()] */
	PROCESS_SCRIPT_EVENTS, /* each sample by itself: printf() with PROCESS_SCRIPT_VALUES values,
				  in the order of enum process_script_value */
	PROCESS_SCRIPT_THREADS /* @time[pid, stack(), ustack()], and @threads[pid, execname]: those
				  that have been seen */
};

/* What the script prints of a sample. */
enum process_script_value {
	PROCESS_SCRIPT_TIME,
	PROCESS_SCRIPT_PID,
	PROCESS_SCRIPT_PPID,
	PROCESS_SCRIPT_TID,
	PROCESS_SCRIPT_CPU,
	PROCESS_SCRIPT_NAME,
	PROCESS_SCRIPT_ARGUMENTS, /* the command line */
	PROCESS_SCRIPT_KERNEL,    /* the kernel's stack */
	PROCESS_SCRIPT_USER,      /* the process's */
	PROCESS_SCRIPT_VALUES
};

/*
 * The script: the sum of the CPU time, in ns, of the targets, or of all processes if there are
 * none, and of what they have started with --follow. The caller frees it; NULL: out of memory.
 */
char *process_script(const struct target_spec *spec, enum process_script_kind kind);

/* Has targets of which some serve an event stream and some do not be traced by the kernel alone,
 * and says so: samples of streams and of the kernel have nothing in common. */
void process_script_tell_mixed(struct target_spec *spec);

#endif
