/*
 * scheduler.h: green threads over capabilities, waiting, sparks.
 *
 * One lock, vm->lock, guards all of it: run queues, spark pools, wait lists, the states
 * of threads, locks, queues and sparks. It is held for a few instructions at a time.
 */
#ifndef TOY_SCHEDULER_H
#define TOY_SCHEDULER_H

#include "vm.h"

/* Why the interpreter returned from a thread. */
enum run_result {
	RUN_YIELDED,
	RUN_BLOCKED, /* and holds vm->lock */
	RUN_FINISHED,
	RUN_FAILED, /* thread->exception was not caught */
	RUN_EXIT,   /* the program asked to end, with vm->exit_code */
	RUN_ENDED,  /* the program has been ended by another */
};

/* Runs threads on a capability until the program ends. Its OS thread calls it. */
void scheduler_run(struct capability *cap);

/*
 * Creates a thread that will run a function with arguments; it is not yet runnable. With
 * function NULL it runs a file's code without arguments. NULL when memory runs out. To be
 * called without the lock.
 */
struct thread *scheduler_new_thread(struct capability *cap, struct thread *creator,
	struct code *code, struct function *function, const value *arguments, int count);
/* Puts a thread into its capability's run queue. With the lock. */
void scheduler_enqueue(struct capability *cap, struct thread *thread);
void scheduler_add_spark(struct capability *cap, struct spark *spark);
/* Whether other threads wait for their turn on this capability. Without the lock. */
bool scheduler_others(struct capability *cap);

/* Lets only count capabilities run threads, at least one. Without the lock. */
void scheduler_use_caps(struct capability *cap, uint16_t count);

/* With the lock. The thread must then leave the capability with NATIVE_BLOCK. */
void scheduler_wait(
	struct thread *thread, struct wait_list *list, enum stop_status status, uint32_t info);
/* The same for anything but a lock: fires thread-park. */
void scheduler_park(struct thread *thread, struct wait_list *list, enum stop_status status,
	uint32_t info, struct vmtap_name *reason);
/* The thread runs again on a capability, or is ended there: fires thread-unpark if it was parked.
 */
void scheduler_unpark(struct capability *cap, struct thread *thread);
/* With the lock: wakes the first thread of a list, or all. Returns the thread woken, or NULL. */
struct thread *scheduler_wake_one(struct capability *cap, struct wait_list *list);
void scheduler_wake_all(struct capability *cap, struct wait_list *list);

#endif
