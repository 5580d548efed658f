/*
 * kernel_hold.h: processes that are stopped by SIGSTOP until new probes are attached.
 *
 * A process is held as long as its id is in a map, where the program that has stopped it puts it.
 * Several tracers may hold a process at once, each in a map of its own, and one SIGCONT would end
 * all their stops. So whoever lets a process go looks for the maps of others first, and leaves the
 * SIGCONT to the last one. All programs that stop a process at an event have run before any tracer
 * can know of it.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_HOLD_H
#define VMTAP_SOURCE_KERNEL_KERNEL_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/* Makes a map for that many processes: pid to the time of the stop. A negative errno. */
int kernel_hold_map(uint32_t processes);

/*
 * Takes a process out of the map, and lets it go on unless others hold it. Without the right to see
 * other maps (CAP_SYS_ADMIN), it goes on. Uses no memory but the stack's.
 */
void kernel_hold_end(int map, uint32_t pid);

/* Lets a stopped process go on that is in no map of ours. A negative errno. */
int kernel_hold_continue(uint32_t pid);

/* Whether a process that has been sent SIGSTOP is still stopped, or about to. */
bool kernel_hold_lasts(uint32_t pid);

#endif
