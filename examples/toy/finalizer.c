/* finalizer.c: see finalizer.h. */
#include "finalizer.h"
#include "scheduler.h"

#include <errno.h>
#include <stdlib.h>

int finalizer_add(struct vm *vm, struct object *object, struct object *function)
{
	struct finalizer *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->object = object;
	entry->function = function;
	pthread_mutex_lock(&vm->lock);
	entry->next = vm->finalizers;
	vm->finalizers = entry;
	pthread_mutex_unlock(&vm->lock);
	return 0;
}

static void start(struct capability *cap, const struct finalizer *entry)
{
	struct function *function = (struct function *)entry->function;
	value argument = value_object(entry->object);
	struct thread *thread =
		scheduler_new_thread(cap, NULL, function->code, function, &argument, 1);

	if (!thread)
		return;
	thread_frame(thread)->kind = FRAME_FINALIZER;
	thread->finalizes = entry->object->class;
	thread->finalizes_at = (uint64_t)(uintptr_t)entry->object;
	pthread_mutex_lock(&cap->vm->lock);
	scheduler_enqueue(cap, thread);
	pthread_mutex_unlock(&cap->vm->lock);
}

void finalizer_start(struct capability *cap)
{
	struct vm *vm = cap->vm;
	struct finalizer *ready = NULL, **link;

	pthread_mutex_lock(&vm->lock);
	for (link = &vm->finalizers; *link;) {
		struct finalizer *entry = *link;

		if (!entry->ready) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		entry->next = ready;
		ready = entry;
	}
	pthread_mutex_unlock(&vm->lock);
	while (ready) {
		struct finalizer *next = ready->next;

		start(cap, ready);
		free(ready);
		ready = next;
	}
}

void finalizer_free(struct vm *vm)
{
	while (vm->finalizers) {
		struct finalizer *next = vm->finalizers->next;

		free(vm->finalizers);
		vm->finalizers = next;
	}
}

void finalizer_begin(struct capability *cap, struct thread *thread)
{
	if (!thread->finalizes || thread->finalizing)
		return;
	thread->finalizing = true;
	EVENT(cap, FINALIZE_BEGIN, cap->number, &thread->finalizes->name, thread->finalizes_at);
}

void finalizer_end(struct capability *cap, struct thread *thread)
{
	/* If the program ends first, the finalizer has not begun. */
	if (thread->finalizing)
		EVENT(cap, FINALIZE_END, cap->number, &thread->finalizes->name,
			thread->finalizes_at);
	thread->finalizing = false;
	thread->finalizes = NULL;
}
