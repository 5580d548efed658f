/*
 * builtin.h: D's built-in variables that the machine reads: name, type, and what they need from a
 * source. arg0 to arg9 and args[ ] are handled separately; curpsinfo and the like are defined in D
 * in terms of these.
 */
#ifndef VMTAP_PROGRAM_BUILTIN_H
#define VMTAP_PROGRAM_BUILTIN_H

#include <stdbool.h>

#include "program/need.h"

enum d_builtin {
	D_BUILTIN_PID,
	D_BUILTIN_PPID,
	D_BUILTIN_UID,
	D_BUILTIN_GID,
	D_BUILTIN_TID,
	D_BUILTIN_CPU,
	D_BUILTIN_ID,
	D_BUILTIN_EPID,
	D_BUILTIN_TIMESTAMP, /* read once per clause */
	D_BUILTIN_VTIMESTAMP,
	D_BUILTIN_WALLTIMESTAMP,
	D_BUILTIN_EXECNAME,
	D_BUILTIN_PROBEPROV,
	D_BUILTIN_PROBEMOD,
	D_BUILTIN_PROBEFUNC,
	D_BUILTIN_PROBENAME,
	D_BUILTIN_CALLER,
	D_BUILTIN_UCALLER,
	D_BUILTIN_UREGS, /* b: the number of the register */
	D_BUILTIN_ERRNO,
	D_BUILTIN_STACKDEPTH,
	D_BUILTIN_USTACKDEPTH,
	D_BUILTIN_IPL, /* Linux has no interrupt priority levels: 0 */
	D_BUILTIN_CURTHREAD,
	D_BUILTIN_CWD,
	D_BUILTIN_ROOT,
	D_BUILTIN_EXECARGS,
	/* for the D library only: what its translators need from the kernel */
	D_BUILTIN_PROCESS,
	D_BUILTIN_THREAD,
	D_BUILTIN_OTHERS,
	D_BUILTIN_FILES,
	D_BUILTIN_PATHS,
	D_BUILTINS
};

struct d_builtin_form {
	const char *name;
	const char *type;
	enum d_need need;
	bool is_string;
};

/* Whether it is the address of the thread in the kernel. */
static inline bool d_builtin_is_thread(enum d_builtin which)
{
	return which == D_BUILTIN_CURTHREAD || which == D_BUILTIN_PROCESS ||
		which == D_BUILTIN_THREAD || which == D_BUILTIN_FILES;
}

extern const struct d_builtin_form d_builtins[D_BUILTINS];

#endif
