/*
 * pid_probe.h: what the pid provider can probe in a process: entries, returns and single
 * instructions of its functions.
 *
 * A description's module is a file's name, with or without its version ("libc.so.6", "libc.so",
 * "libc"), "a.out" for the executable, or a path. A function has one canonical name of all that
 * its address has: a name that is not local, then the one with the fewest leading underscores,
 * then a global one before a weak one; a description may use any of them. A name is "entry",
 * "return", or the hexadecimal offset of an instruction. Function "-" takes absolute addresses as
 * names. All four may be globs; an empty part matches everything. Names come from the symbol table
 * of the file, or of its installed debug file, or else from the dynamic one.
 *
 * The kernel sets a breakpoint wherever it is told to, and where no process has mapped the file
 * yet it does not even look. What is listed here has been checked against the file's
 * instructions (code.h); what cannot be probed is listed with the reason.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_CODE_PID_PROBE_H
#define VMTAP_USDT_CODE_PID_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "usdt/code/code.h"

struct error;
struct pid_finder;

enum { PID_PROBES_MAX = 1 << 20 /* of one description */ };

/* The parts of a description after "pid123:"; none is NULL. */
struct pid_pattern {
	const char *module, *function, *name;
};

/* A mapped file. Lives as long as the finder. */
struct pid_module {
	const char *name; /* of the file, without its folders */
	const char *path; /* in the process's own mount namespace */
	uint64_t inode;
	unsigned int device_major, device_minor;
	int file; /* open for reading: /proc/self/fd/N names the right file for a tracer; or -1 */
	bool is_executable; /* the process's program */
};

enum pid_point { PID_ENTRY, PID_RETURN, PID_OFFSET };

/* One place. */
struct pid_place {
	uint64_t address;     /* in the process */
	uint64_t offset;      /* in the file */
	uint64_t in_function; /* bytes from the function's start; of code moved elsewhere too */
};

struct pid_probe {
	const struct pid_module *module; /* lives as long as the finder, like function */
	const char *function;            /* canonical; "-": by an absolute address */
	/* Its other names, each with its NUL, then an empty one; NULL: none. */
	const char *aliases;
	char name[20]; /* "entry", "return", "1f" */
	enum pid_point point;
	struct pid_place place; /* of an entry's or offset's instruction; a return: of the entry */
	enum code_kind kind;    /* of that instruction; CODE_STEPPED if there are sites */
	const char *refusal;    /* why it cannot be probed; NULL: it can */
	/*
	 * Returns only. If there are sites, breakpoints belong there, because a uretprobe is not
	 * safe (caveat says why). They are all of the function's returns; at a jump to another
	 * function, its value is not known yet. If there are none, a uretprobe at place is meant.
	 * The kernel loses the returns of more than 64 calls within each other.
	 */
	size_t site_count;
	const struct pid_place *sites;
	const char *caveat; /* something to know; NULL: nothing */
};

struct pid_list {
	size_t count, capacity;
	struct pid_probe *probes; /* by module and address; entry, return, then offsets */
	struct arena texts;       /* what the probes point into */
};

/*
 * Begins with the present mappings of a process. Files are opened now, so that they can be read
 * later. On failure returns a negative errno and leaves one line in error; *finder is NULL.
 */
int pid_finder_new(pid_t pid, struct pid_finder **finder, struct error *error);
void pid_finder_free(struct pid_finder *finder);

/* Reads the mappings again, after dlopen(); modules that are known stay valid. */
int pid_finder_update(struct pid_finder *finder, struct error *error);

/* The same; from then on, pid_find() finds only what is in files that are new. */
int pid_finder_advance(struct pid_finder *finder, struct error *error);

/* Whether a file with this inode is known. */
bool pid_finder_knows(const struct pid_finder *finder, uint64_t inode, unsigned int device_major,
	unsigned int device_minor);

/* Whether the process has mapped a file that the module of a description means. */
bool pid_has_module(const struct pid_finder *finder, const char *module);

/*
 * Appends all that match to *list, which the caller has zeroed at first and frees. Returns 0,
 * also if none of them can be probed; -ENOENT if nothing matches, with the reason and a
 * suggestion; -EINVAL for a name that can be none; -E2BIG for more than PID_PROBES_MAX; or
 * another negative errno. error has one line then, which does not repeat the description.
 */
int pid_find(struct pid_finder *finder, const struct pid_pattern *pattern, struct pid_list *list,
	struct error *error);
void pid_list_free(struct pid_list *list);

#endif
