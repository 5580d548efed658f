/*
 * sampling.h: samples that tracers ask for, by time at safepoints, and by bytes at allocations; and
 * dumps of all threads.
 */
#ifndef TOY_SAMPLING_H
#define TOY_SAMPLING_H

#include <stdint.h>

struct capability;
struct process;
struct thread;

/* Lets the library bring the capabilities to their safepoints, before the stream starts. */
void sampling_register(struct process *process);

/* At a safepoint: fires a sample if one is due. */
void sampling_poll(struct capability *cap, struct thread *thread);

/* At a safepoint, if a tracer or the program wants a dump: fires thread-dump for each thread of all
 * VMs of the process. */
void sampling_dump(struct capability *cap);

/* Where bytes were allocated and the probe's guard is open: fires a sample if one is due. */
void sampling_count(struct capability *cap, uint64_t bytes);

#endif
