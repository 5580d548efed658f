/*
 * process.h: the VMs of one process: the program's, and those that guest code starts (VM.start).
 *
 * Each is an instance: it has a heap, classes and capabilities of its own, and shares no objects
 * with the others. They share the numbers of capabilities, threads and tasks, so that a tracer of
 * the process can tell them apart, and cap-create says whose a capability is.
 */
#ifndef TOY_PROCESS_H
#define TOY_PROCESS_H

#include "vm.h"

struct process {
	pthread_mutex_t lock;
	pthread_mutex_t stopper;    /* held by the thread that stops all VMs */
	struct capability *counter; /* counts the heaps, and fires the events for them */
	/* The newest first. VMs are only added, so the list can be read without the lock. */
	struct vm *_Atomic instances;
	uint32_t instance_count;
	uint16_t cap_count;
	_Atomic uint32_t thread_count;
};

#define PROCESS_MAX_CAPS 1024u

void process_init(struct process *process);

/*
 * Gives a new VM its place in the process, and numbers to its capabilities; if it runs, on an OS
 * thread of its own. The process frees it. 0, -EAGAIN: there would be too many capabilities, or why
 * there is no thread.
 */
int process_add(struct process *process, struct vm *vm, bool runs);

/*
 * Creates another VM, with as many capabilities and the same limits as the caller's, and runs a
 * program in it. The texts must stay as they are until the process ends. 0 and its number, or a
 * negative errno.
 */
int process_start(
	struct capability *cap, const char *name, const char *program, uint32_t *instance);

/* Brings all capabilities to their safepoints. On any thread; it takes no lock. */
void process_interrupt(struct process *process);

/*
 * At a safepoint: stops all VMs that run. Until process_resume(), the VMs that are stopped are the
 * caller's and those that are held. False: another capability is doing that, or the caller's VM is
 * ending.
 */
bool process_stop(struct capability *cap, struct vmtap_name *reason);
void process_resume(struct capability *cap, struct vmtap_name *reason);
/* The stopped VM after this one; NULL: the first. */
struct vm *process_stopped(struct capability *cap, const struct vm *vm);

/* Waits until all VMs that were started have ended. The exit status of one that failed; 0: none
 * did. */
int process_join(struct process *process);

/* Frees all VMs. */
void process_free(struct process *process);

#endif
