/*
 * interpreter.h: runs byte code.
 */
#ifndef TOY_INTERPRETER_H
#define TOY_INTERPRETER_H

#include "scheduler.h"

/*
 * Runs a thread until it ends, waits, or its turn is over. The capability's OS thread
 * calls it with no lock held; when it returns RUN_BLOCKED, it holds the VM's lock.
 */
enum run_result interpreter_run(struct capability *cap, struct thread *thread);

#endif
