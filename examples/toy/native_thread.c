/*
 * native_thread.c: threads, locks, queues and sparks for guest programs.
 *
 * A native that must wait puts its thread into a wait list and returns NATIVE_BLOCK with
 * the VM's lock held. It is called again when the thread has been woken, and checks its
 * condition again. Only a lock is handed over directly, to the thread that waited longest.
 */
#include "native.h"

#include <stdlib.h>

static void lock_vm(struct thread *thread)
{
	pthread_mutex_lock(&thread->vm->lock);
}

static void unlock_vm(struct thread *thread)
{
	pthread_mutex_unlock(&thread->vm->lock);
}

/* Thread.new(function, argument, ...) */
NATIVE(thread_make)
{
	struct function *function = native_object(thread, arguments[1], KIND_FUNCTION, "Function");
	struct thread *made;

	if (!function)
		return NATIVE_RAISE;
	if (count - 1 != (int)function->code->parameters)
		return exception_raise(thread, thread->vm->class_argument_error,
			"the thread's function takes %d arguments, not %d",
			(int)function->code->parameters, count - 1);
	if (!heap_has_room(thread->cap))
		return NATIVE_MEMORY;
	made = scheduler_new_thread(
		thread->cap, thread, function->code, function, arguments + 2, count - 1);
	if (!made)
		return NATIVE_MEMORY;
	*result = value_object(made);
	lock_vm(thread);
	scheduler_enqueue(thread->cap, made);
	unlock_vm(thread);
	return NATIVE_OK;
}

NATIVE(thread_current)
{
	(void)arguments;
	(void)count;
	*result = value_object(thread);
	return NATIVE_OK;
}

NATIVE(thread_yield)
{
	(void)thread;
	(void)arguments;
	(void)count;
	*result = VALUE_NIL;
	return NATIVE_YIELD;
}

NATIVE(thread_join)
{
	struct thread *other = value_to_object(arguments[0]);

	(void)count;
	if (other == thread)
		return exception_raise(
			thread, thread->vm->class_thread_error, "a thread cannot wait for itself");
	lock_vm(thread);
	if (other->state != THREAD_FINISHED) {
		scheduler_park(thread, &other->waiters, STOP_BLOCKED, other->number,
			&thread->vm->reason_join);
		return NATIVE_BLOCK;
	}
	unlock_vm(thread);
	*result = slot_load(&other->result);
	if (!other->failed)
		return NATIVE_OK;
	exception_throw(thread, *result);
	return NATIVE_RAISE;
}

NATIVE(thread_done)
{
	struct thread *other = value_to_object(arguments[0]);

	(void)count;
	lock_vm(thread);
	*result = value_bool(other->state == THREAD_FINISHED);
	unlock_vm(thread);
	return NATIVE_OK;
}

NATIVE(thread_number)
{
	(void)thread;
	(void)count;
	*result = value_int(((struct thread *)value_to_object(arguments[0]))->number);
	return NATIVE_OK;
}

/* The capability that runs the thread, or has it in its queue. */
NATIVE(thread_cap)
{
	struct thread *other = value_to_object(arguments[0]);

	(void)count;
	lock_vm(thread);
	*result = value_int(other->cap->number);
	unlock_vm(thread);
	return NATIVE_OK;
}

NATIVE(thread_label)
{
	struct thread *other = value_to_object(arguments[0]);
	struct string *label = native_string(thread, arguments[1]);

	(void)count;
	if (!label)
		return NATIVE_RAISE;
	lock_vm(thread);
	EVENT(thread->cap, THREAD_LABEL, other->cap->number, other->number, label->text);
	unlock_vm(thread);
	*result = arguments[1];
	return NATIVE_OK;
}

NATIVE(lock_make)
{
	struct string *name = NULL;
	struct lock *lock;
	char *text = NULL;

	if (count && !(name = native_string(thread, arguments[1])))
		return NATIVE_RAISE;
	lock = heap_allocate(thread->cap, thread->vm->class_lock, KIND_LOCK, sizeof(*lock), 0);
	if (!lock)
		return NATIVE_MEMORY;
	memset((char *)lock + sizeof(lock->object), 0, sizeof(*lock) - sizeof(lock->object));
	if (name)
		text = strdup(name->text);
	lock->text = text;
	if (text)
		vmtap_name_init(&lock->name, text, strlen(text));
	else
		vmtap_name_init(&lock->name, "Lock", 4);
	object_created(thread, &lock->object, thread_place(thread));
	*result = value_object(lock);
	return NATIVE_OK;
}

static void got_lock(struct thread *thread, struct lock *lock)
{
	heap_barrier(thread->cap, &lock->object, value_object(thread));
	EVENT(thread->cap, LOCK_ACQUIRED, thread->cap->number, thread->number,
		(uint64_t)(uintptr_t)lock, &lock->name);
}

NATIVE(lock_acquire)
{
	struct lock *lock = value_to_object(arguments[0]);

	(void)count;
	*result = arguments[0];
	lock_vm(thread);
	if (thread->resumed) {
		/* The releaser has made this thread the owner. */
		got_lock(thread, lock);
	} else if (!lock->owner) {
		lock->owner = thread;
		got_lock(thread, lock);
	} else if (lock->owner == thread) {
		unlock_vm(thread);
		return exception_raise(thread, thread->vm->class_thread_error,
			"the thread holds the lock already");
	} else {
		EVENT(thread->cap, LOCK_WAIT, thread->cap->number, thread->number,
			(uint64_t)(uintptr_t)lock, &lock->name);
		thread->lock_name = &lock->name;
		scheduler_wait(thread, &lock->waiters, STOP_BLOCKED, lock->owner->number);
		return NATIVE_BLOCK;
	}
	unlock_vm(thread);
	return NATIVE_OK;
}

NATIVE(lock_release)
{
	struct lock *lock = value_to_object(arguments[0]);

	(void)count;
	*result = arguments[0];
	lock_vm(thread);
	if (lock->owner != thread) {
		unlock_vm(thread);
		return exception_raise(thread, thread->vm->class_thread_error,
			"the thread does not hold the lock");
	}
	EVENT(thread->cap, LOCK_RELEASE, thread->cap->number, thread->number,
		(uint64_t)(uintptr_t)lock, &lock->name);
	lock->owner = scheduler_wake_one(thread->cap, &lock->waiters);
	if (lock->owner)
		heap_barrier(thread->cap, &lock->object, value_object(lock->owner));
	unlock_vm(thread);
	return NATIVE_OK;
}

NATIVE(lock_waiting)
{
	struct lock *lock = value_to_object(arguments[0]);
	int64_t waiting = 0;

	(void)count;
	lock_vm(thread);
	for (struct thread *entry = lock->waiters.first; entry; entry = entry->next)
		waiting++;
	*result = value_int(waiting);
	unlock_vm(thread);
	return NATIVE_OK;
}

/* Queue.new(capacity) */
NATIVE(queue_make)
{
	struct queue *queue;
	int64_t capacity = 16;

	if (count && !native_int(thread, arguments[1], &capacity))
		return NATIVE_RAISE;
	if (capacity < 1 || capacity > 1 << 24)
		return exception_raise(thread, thread->vm->class_argument_error,
			"a queue holds 1 to 16777216 values");
	queue = heap_allocate(thread->cap, thread->vm->class_queue, KIND_QUEUE, sizeof(*queue),
		(size_t)capacity * sizeof(slot));
	if (!queue)
		return NATIVE_MEMORY;
	memset((char *)queue + sizeof(queue->object), 0, sizeof(*queue) - sizeof(queue->object));
	queue->capacity = (size_t)capacity;
	queue->items = malloc(queue->capacity * sizeof(slot));
	if (!queue->items) {
		heap_cancel(thread->cap, &queue->object, queue->capacity * sizeof(slot));
		return NATIVE_MEMORY;
	}
	object_created(thread, &queue->object, thread_place(thread));
	*result = value_object(queue);
	return NATIVE_OK;
}

NATIVE(queue_push)
{
	struct queue *queue = value_to_object(arguments[0]);

	(void)count;
	*result = arguments[0];
	lock_vm(thread);
	if (queue->closed) {
		unlock_vm(thread);
		return exception_raise(
			thread, thread->vm->class_thread_error, "the queue is closed");
	}
	if (queue->count == queue->capacity) {
		scheduler_park(thread, &queue->givers, STOP_BLOCKED, 0, &thread->vm->reason_queue);
		return NATIVE_BLOCK;
	}
	slot_store(&queue->items[(queue->head + queue->count++) % queue->capacity], arguments[1]);
	heap_barrier(thread->cap, &queue->object, arguments[1]);
	scheduler_wake_one(thread->cap, &queue->takers);
	unlock_vm(thread);
	return NATIVE_OK;
}

/* The next value; nil once the queue is closed and empty. */
NATIVE(queue_pop)
{
	struct queue *queue = value_to_object(arguments[0]);

	(void)count;
	*result = VALUE_NIL;
	lock_vm(thread);
	if (queue->count) {
		*result = slot_load(&queue->items[queue->head]);
		queue->head = (queue->head + 1) % queue->capacity;
		queue->count--;
		scheduler_wake_one(thread->cap, &queue->givers);
	} else if (!queue->closed) {
		scheduler_park(thread, &queue->takers, STOP_BLOCKED, 0, &thread->vm->reason_queue);
		return NATIVE_BLOCK;
	}
	unlock_vm(thread);
	return NATIVE_OK;
}

NATIVE(queue_close)
{
	struct queue *queue = value_to_object(arguments[0]);

	(void)count;
	lock_vm(thread);
	queue->closed = true;
	scheduler_wake_all(thread->cap, &queue->takers);
	scheduler_wake_all(thread->cap, &queue->givers);
	unlock_vm(thread);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

NATIVE(queue_length)
{
	struct queue *queue = value_to_object(arguments[0]);

	(void)count;
	lock_vm(thread);
	*result = value_int((int64_t)queue->count);
	unlock_vm(thread);
	return NATIVE_OK;
}

/* Spark.new(function) */
NATIVE(spark_make)
{
	struct function *function = native_object(thread, arguments[1], KIND_FUNCTION, "Function");
	struct spark *spark;

	(void)count;
	if (!function)
		return NATIVE_RAISE;
	if (function->code->parameters)
		return exception_raise(thread, thread->vm->class_argument_error,
			"a spark's function takes no arguments");
	spark = heap_allocate(thread->cap, thread->vm->class_spark, KIND_SPARK, sizeof(*spark), 0);
	if (!spark)
		return NATIVE_MEMORY;
	memset((char *)spark + sizeof(spark->object), 0, sizeof(*spark) - sizeof(spark->object));
	atomic_init(&spark->function, arguments[1]);
	atomic_init(&spark->result, VALUE_NIL);
	object_created(thread, &spark->object, thread_place(thread));
	*result = value_object(spark);
	scheduler_add_spark(thread->cap, spark);
	return NATIVE_OK;
}

NATIVE(spark_value)
{
	struct spark *spark = value_to_object(arguments[0]);
	enum spark_state state;

	(void)count;
	lock_vm(thread);
	state = spark->state;
	if (state == SPARK_WAITING || state == SPARK_RUNNING) {
		scheduler_park(thread, &spark->waiters, STOP_SPARK,
			spark->runner ? spark->runner->number : 0, &thread->vm->reason_spark);
		return NATIVE_BLOCK;
	}
	unlock_vm(thread);
	*result = slot_load(&spark->result);
	if (state == SPARK_DONE)
		return NATIVE_OK;
	exception_throw(thread, *result);
	return NATIVE_RAISE;
}

NATIVE(spark_done)
{
	struct spark *spark = value_to_object(arguments[0]);

	(void)count;
	lock_vm(thread);
	*result = value_bool(spark->state == SPARK_DONE || spark->state == SPARK_FAILED);
	unlock_vm(thread);
	return NATIVE_OK;
}

NATIVE(function_arity)
{
	(void)thread;
	(void)count;
	*result = value_int(((struct function *)value_to_object(arguments[0]))->code->parameters);
	return NATIVE_OK;
}

void native_thread_methods(struct vm *vm)
{
	vm_native(vm, vm->class_thread, true, "new", 1, -1, thread_make);
	vm_native(vm, vm->class_thread, true, "current", 0, 0, thread_current);
	vm_native(vm, vm->class_thread, true, "yield", 0, 0, thread_yield);
	vm_native(vm, vm->class_thread, false, "join", 0, 0, thread_join);
	vm_native(vm, vm->class_thread, false, "done?", 0, 0, thread_done);
	vm_native(vm, vm->class_thread, false, "number", 0, 0, thread_number);
	vm_native(vm, vm->class_thread, false, "cap", 0, 0, thread_cap);
	vm_native(vm, vm->class_thread, false, "label=", 1, 1, thread_label);
	vm_native(vm, vm->class_lock, true, "new", 0, 1, lock_make);
	vm_native(vm, vm->class_lock, false, "acquire", 0, 0, lock_acquire);
	vm_native(vm, vm->class_lock, false, "release", 0, 0, lock_release);
	vm_native(vm, vm->class_lock, false, "waiting", 0, 0, lock_waiting);
	vm_native(vm, vm->class_queue, true, "new", 0, 1, queue_make);
	vm_native(vm, vm->class_queue, false, "push", 1, 1, queue_push);
	vm_native(vm, vm->class_queue, false, "pop", 0, 0, queue_pop);
	vm_native(vm, vm->class_queue, false, "close", 0, 0, queue_close);
	vm_native(vm, vm->class_queue, false, "length", 0, 0, queue_length);
	vm_native(vm, vm->class_spark, true, "new", 1, 1, spark_make);
	vm_native(vm, vm->class_spark, false, "value", 0, 0, spark_value);
	vm_native(vm, vm->class_spark, false, "done?", 0, 0, spark_done);
	vm_native(vm, vm->class_function, false, "arity", 0, 0, function_arity);
}
