/*
 * sampler.h: samples that clients ask for: by time, at a period of the fastest client's, or by
 * bytes allocated. The server's turns mark that samples are due; the VM's threads take them at
 * their safepoints (vmtap_sample_wanted()), or at allocations (vmtap_sample_allocated()). And dumps
 * of all threads, which clients ask for one by one.
 */
#ifndef VMTAP_SHIM_SAMPLER_H
#define VMTAP_SHIM_SAMPLER_H

#include <stdint.h>

enum { SAMPLER_PERIOD_NS_MIN = 1000000 };

/* What clients ask for now, 0: nothing. Time takes precedence over bytes. */
void sampler_set(uint64_t period_ns, uint64_t bytes);

/* Marks that samples are due, if they are. Returns the milliseconds until the next, -1: none. */
int sampler_turn(void);

/* Asks the VM to fire vm:::thread-dump for all its threads. */
void sampler_dump(void);

/* Call in a child of fork(). */
void sampler_fork_child(void);

#endif
