/*
 * sampler.h: samples that clients request: by CPU time, by elapsed time, or by bytes allocated; and
 * dumps of all threads, which clients request one by one. The VM's threads take samples at their
 * safepoints (vmtap_sample_wanted()), or at allocations (vmtap_sample_allocated()). Samples by CPU
 * time become due by timers on the threads' CPU clocks (cpu_timer.h). Those by elapsed time become
 * due at ticks, which the server's turns mark, and so do those by CPU time if there can be no
 * timers.
 */
#ifndef VMTAP_SHIM_EXTRA_SAMPLER_H
#define VMTAP_SHIM_EXTRA_SAMPLER_H

#include <stdbool.h>

#include "shim/core/extra.h"

enum { SAMPLER_PERIOD_NS_MIN = 1000000 };

/* Sets what clients request. has_thread: the caller is the library's thread, which blocks all
 * signals. */
void sampler_set(const struct sampler_wish *wish, bool has_thread);

enum sampler_way sampler_way(void);

/* Marks that samples are due, if they are. Returns the milliseconds until the next call, or -1. */
int sampler_turn(void);

/* Returns the descriptor to poll besides calling sampler_turn(), or -1; call sampler_take() when it
 * is readable. */
int sampler_descriptor(void);
void sampler_take(void);

/* Asks the VM to fire vm:::thread-dump for all its threads. */
void sampler_dump(void);

/* Call when no client requests samples, and none will. */
void sampler_close(void);

/* Call in a child of fork(). */
void sampler_fork_child(void);

#endif
