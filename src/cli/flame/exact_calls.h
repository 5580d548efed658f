/*
 * exact_calls.h: each call of processes whose runtime has probes of its calls, by the bundled
 * script call_log: a trace with that script, whose writer gives the values of its lines to this. So
 * which probes are calls, and what their arguments are, is known to the script's parts alone.
 *
 * Time is elapsed time. A return that does not come ends with the return of a caller; what still
 * lasts when its thread or process ends lasts until that thread's last call or return.
 */
#ifndef VMTAP_CLI_FLAME_EXACT_CALLS_H
#define VMTAP_CLI_FLAME_EXACT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/flame/call_tree.h"
#include "cli/flame/stacks.h"

struct d_action;
struct exact_calls;
struct target_spec;

/* How the node of a process is named, below which its stacks are. */
enum exact_calls_nodes {
	EXACT_CALLS_ONE,     /* there is only one, without a node */
	EXACT_CALLS_NAMED,   /* "php (4711)" */
	EXACT_CALLS_NUMBERED /* "4711" */
};

/* Returns the script for the targets, with further lines that say how far the time has come. The
 * caller frees it; NULL: out of memory. */
char *exact_calls_script(const struct target_spec *spec);

/*
 * Returns whether one of the processes can be seen to have no probes of calls, after a message that
 * has the command which works. output: the file of its option -o, or NULL. Also says it of a
 * process that seems to have been started without what it fires its probes for, which is no
 * refusal.
 */
bool exact_calls_refused(const struct target_spec *spec, const char *verb, const char *output);

/* Returns true once, if there has been no call or return for some seconds. */
bool exact_calls_waits(struct exact_calls *exact);

/* Says that there have been none, and under which condition the processes fire their probes. */
void exact_calls_remind(const struct target_spec *spec);

/* NULL: out of memory. The tree must outlive it. */
struct exact_calls *exact_calls_new(
	struct call_tree *tree, enum stacks_measure measure, enum exact_calls_nodes processes);
void exact_calls_free(struct exact_calls *exact);

/* Takes the values of a line; others than the script's are left out. false: out of memory. */
bool exact_calls_take(
	struct exact_calls *exact, const struct d_action *action, const uint64_t *values);

/* Events have been lost up to now, nobody knows which: all stacks begin anew, with the first event
 * that comes from now on. */
void exact_calls_lose(struct exact_calls *exact);

/* The process of a node, 0 for the root; not for EXACT_CALLS_ONE. */
uint64_t exact_calls_pid(const struct exact_calls *exact, uint32_t node);

struct exact_process {
	uint64_t pid;
	char name[64];
	uint32_t node;    /* below which its stacks are */
	uint64_t threads; /* that have called something, and existed at the last tick */
};

/* The processes that have called something. */
const struct exact_process *exact_calls_processes(const struct exact_calls *exact, size_t *count);

/* Also counts calls by node: stacks_count_entries(). */
void exact_calls_count(struct exact_calls *exact);
uint64_t exact_calls_counted(struct exact_calls *exact, uint32_t node);

/* All calls that have been seen, and what their probes have taken. */
uint64_t exact_calls_total(const struct exact_calls *exact);
const struct call_cost *exact_calls_cost(const struct exact_calls *exact);

#endif
