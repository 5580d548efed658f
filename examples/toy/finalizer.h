/*
 * finalizer.h: functions that run once an object is not used any more (VM.finalize). The
 * collector finds these objects after marking, keeps them alive for their functions, and
 * starts a thread for each function once the world runs again. An object is finalized once.
 */
#ifndef TOY_FINALIZER_H
#define TOY_FINALIZER_H

#include "vm.h"

struct finalizer {
	struct finalizer
		*next; /* of the VM; changed under vm->lock or while the world is stopped */
	struct object *object;
	struct object *function;
	bool ready; /* the object is not used any more */
};

/* 0, -ENOMEM. Without the VM's lock. */
int finalizer_add(struct vm *vm, struct object *object, struct object *function);
/* Starts the threads of all that are ready. Without the VM's lock; the world runs. */
void finalizer_start(struct capability *cap);
void finalizer_free(struct vm *vm);

/* Report that a thread begins to run, or ends, if it runs a finalizer. */
void finalizer_begin(struct capability *cap, struct thread *thread);
void finalizer_end(struct capability *cap, struct thread *thread);

#endif
