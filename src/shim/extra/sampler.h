/*
 * sampler.h: samples that clients ask for: by CPU time, by elapsed time, or by bytes allocated. The
 * VM's threads take them at their safepoints (vmtap_sample_wanted()), or at allocations
 * (vmtap_sample_allocated()). Samples by CPU time become due by timers on the threads' CPU clocks
 * (cpu_timer.h). Those by elapsed time become due at ticks, which the server's turns mark, and so
 * do those by CPU time where there can be no timers. And dumps of all threads, which clients ask
 * for one by one.
 */
#ifndef VMTAP_SHIM_EXTRA_SAMPLER_H
#define VMTAP_SHIM_EXTRA_SAMPLER_H

#include <stdbool.h>

#include "shim/core/extra.h"

enum { SAMPLER_PERIOD_NS_MIN = 1000000 };

/* has_thread: the caller is the library's thread, which blocks all signals. */
void sampler_set(const struct sampler_wish *wish, bool has_thread);

enum sampler_way sampler_way(void);

/* Marks that samples are due, if they are. Returns the milliseconds until the next call, or -1. */
int sampler_turn(void);

/* The descriptor to wait for beside sampler_turn(), or -1; sampler_take() is called when it is
 * readable. */
int sampler_descriptor(void);
void sampler_take(void);

/* Asks the VM to fire vm:::thread-dump for all its threads. */
void sampler_dump(void);

/* Call when no client requests samples, and none will. */
void sampler_close(void);

/* Call in a child of fork(). */
void sampler_fork_child(void);

#endif
