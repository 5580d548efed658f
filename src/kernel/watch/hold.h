/*
 * hold.h: processes that are stopped by SIGSTOP until new probes are attached.
 *
 * A process is held as long as its id is in a map, where the program that has stopped it puts it.
 * Several tracers may hold a process at once, each in a map of its own. SIGSTOPs are not counted:
 * one SIGCONT ends all their stops, and one that comes late ends the next stop, too. So a tracer
 * that lets a process go
 * - first waits until it has stopped: then all programs that stop it at this event have run;
 * - does the rest under a lock that all tracers have in common;
 * - looks for the maps of others, and leaves the SIGCONT to the last one.
 * From before it takes the process out of its map until after the SIGCONT, the same map has the
 * process with another key, kernel_hold_leaving(), which no program writes: if the tracer dies in
 * between, its guardian still finds the process.
 */
#ifndef VMTAP_KERNEL_WATCH_HOLD_H
#define VMTAP_KERNEL_WATCH_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/* What a map has of a process. */
struct kernel_held {
	uint64_t time;   /* of the stop, CLOCK_MONOTONIC, ns */
	uint32_t thread; /* that has been sent SIGSTOP */
	uint32_t unused;
};

/* The key of a process that is being let go, and back: ids have fewer bits than a key. */
static inline uint32_t kernel_hold_leaving(uint32_t pid)
{
	return pid | UINT32_C(1) << 31;
}

static inline uint32_t kernel_hold_pid(uint32_t key)
{
	return key & ~(UINT32_C(1) << 31);
}

enum kernel_hold_state {
	KERNEL_HOLD_ENDED, /* there is no such thread any more */
	KERNEL_HOLD_RUNS,
	KERNEL_HOLD_COMES,  /* it has a SIGSTOP to take */
	KERNEL_HOLD_STOPPED /* by a signal, or by ptrace() */
};

/* Makes a map for that many processes, from their ids, 4 bytes. Returns it or a negative errno. */
int kernel_hold_map(uint32_t processes);

/* None of the following uses other memory than the stack's. */

/* The state of a thread of a process. */
enum kernel_hold_state kernel_hold_state(uint32_t pid, uint32_t thread);

/* The same once it no longer comes, or after so long a time that it is given up. */
enum kernel_hold_state kernel_hold_wait(uint32_t pid, uint32_t thread);

/*
 * Takes a process out of the map, and lets it go on unless others hold it. Without the right to see
 * other maps (CAP_SYS_ADMIN), it goes on.
 */
void kernel_hold_end(int map, uint32_t pid);

/* Lets a stopped process go on that is in no map of ours. Returns 0 or a negative errno. */
int kernel_hold_continue(uint32_t pid);

#endif
