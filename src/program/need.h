/*
 * need.h: what a program needs from the source of its events beyond the events themselves.
 *
 * A built-in variable, action or subroutine that only some sources support compiles like any other,
 * and its clause records what was used, and where. Before a program starts, the needs of each
 * clause are compared with what the sources of its probes provide; the first need that a source
 * does not meet is reported as an error, so there is never a wrong value at run time. A new kind of
 * need is a row here and in need.c, and a bit in source/capability.c for each source that has it.
 */
#ifndef VMTAP_PROGRAM_NEED_H
#define VMTAP_PROGRAM_NEED_H

#include <stddef.h>
#include <stdint.h>

enum d_need {
	D_NEED_NOTHING,
	D_NEED_CPU,       /* the processor an event happened on */
	D_NEED_OS_THREAD, /* the thread an event happened on */
	D_NEED_OWNER,     /* the process's user and group */
	D_NEED_CPU_TIME,  /* the CPU clock of the thread with each event */
	D_NEED_CALLER,
	D_NEED_REGISTERS,
	D_NEED_ERRNO,
	D_NEED_USER_STACK,
	D_NEED_KERNEL_STACK,
	D_NEED_GUEST_STACK,  /* of the program that a VM runs */
	D_NEED_USER_SYMBOLS, /* names of the process's addresses */
	D_NEED_KERNEL_SYMBOLS,
	D_NEED_MEMORY,            /* of the process, to write to it */
	D_NEED_PROCESS,           /* a live one, to stop, signal or write to */
	D_NEED_PROGRAM_ARGUMENTS, /* the arguments it was started with */
	D_NEED_DIRECTORY,         /* its current and root directory */
	D_NEED_FILES,             /* its open files */
	D_NEED_PROCESS_STATE,     /* what the kernel knows of it: psinfo_t except ids and name */
	D_NEED_THREAD_STATE,      /* the same for the thread: lwpsinfo_t */
	D_NEED_THREAD_ADDRESS,    /* where the kernel has the thread: curthread */
	D_NEED_PROCESSOR_STATE,   /* what the kernel keeps of the processor: cpuinfo_t */
	D_NEED_OTHER_MEMORY,      /* memory of another process than that of the event */
	D_NEED_KERNEL_VARIABLES,  /* memory of the kernel at fixed addresses */
	D_NEED_KERNEL_LOCKS,
	D_NEED_KERNEL_DATA, /* messages, device paths */
	D_NEEDS
};

/* A construct in a clause that needs something; only the first one of each need is kept. */
struct d_need_use {
	enum d_need need;
	char *name;  /* as scripts write it: "errno", "stack( )" */
	char *where; /* "line 3", "script.d: line 3"; "" for a one-line program given as a string */
};

struct d_needs {
	uint64_t set; /* bit per enum d_need */
	struct d_need_use *uses;
	size_t use_count, use_capacity;
};

/*
 * Records a use; returns 0 or -ENOMEM. where is copied; it is "" if there is no position to report.
 */
int d_needs_add(struct d_needs *needs, enum d_need need, const char *name, const char *where);
void d_needs_free(struct d_needs *needs);

static inline uint64_t d_need_bit(enum d_need need)
{
	return UINT64_C(1) << need;
}

/* What is needed, for messages: "the processor of an event". */
const char *d_need_text(enum d_need need);

/* What to use instead of a need that no source meets, in parentheses after a space, or "". */
const char *d_need_instead(enum d_need need);

#endif
