/*
 * hold.h: processes that are stopped by SIGSTOP until new probes are attached.
 *
 * A process is held as long as its id is in a map, where the program that has stopped it puts it.
 * Several tracers may hold a process at once, each in a map of its own. SIGSTOPs are not counted:
 * one SIGCONT ends all their stops, and one that comes late ends the next stop, too. So a tracer
 * that resumes a process
 * - first waits until the process has stopped: then all programs that stop it at this event have
 *   run;
 * - does the rest under a lock that all tracers have in common;
 * - checks the maps of others, and leaves the SIGCONT to the last tracer that holds the process.
 * From before it takes the process out of its map until after the SIGCONT, the same map has the
 * process with another key, kernel_hold_leaving(), which no program writes: if the tracer dies in
 * between, its guardian still finds the process.
 */
#ifndef VMTAP_KERNEL_WATCH_HOLD_H
#define VMTAP_KERNEL_WATCH_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/* The value that a map has for a process. */
struct kernel_held {
	uint64_t time;   /* of the stop, CLOCK_MONOTONIC, ns */
	uint32_t thread; /* that SIGSTOP was sent to */
	uint32_t unused;
};

/*
 * The key of a process while it is being resumed, and the reverse: ids have fewer bits than a key.
 */
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
	KERNEL_HOLD_COMES,  /* a SIGSTOP is pending */
	KERNEL_HOLD_STOPPED /* by a signal, or by ptrace() */
};

/* Makes a map for that many processes; the keys are their ids, of 4 bytes. Returns its descriptor
 * or a negative errno. */
int kernel_hold_map(uint32_t processes);

/* The functions below use no memory but the stack's. */

/* Returns the state of a thread of a process. */
enum kernel_hold_state kernel_hold_state(uint32_t pid, uint32_t thread);

/* Waits until the state is not KERNEL_HOLD_COMES, or gives up after a time. Returns the state. */
enum kernel_hold_state kernel_hold_wait(uint32_t pid, uint32_t thread);

/*
 * Takes a process out of the map, and resumes it unless others hold it. Without the right to see
 * other maps (CAP_SYS_ADMIN), it is resumed in any case.
 */
void kernel_hold_end(int map, uint32_t pid);

/* Resumes a stopped process that is in no map of ours. Returns 0 or a negative errno. */
int kernel_hold_continue(uint32_t pid);

#endif
