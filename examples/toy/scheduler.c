/*
 * scheduler.c: which thread runs on which capability.
 *
 * A capability looks for work in this order: a thread from its own run queue; a thread
 * from the queue of a busy capability, which then migrates; a spark of its own, or one
 * stolen from another capability, for which it creates a spark thread. A spark thread runs
 * sparks as long as there are any and no other thread waits. Without work a capability is
 * idle and sleeps. If all are idle while the main thread waits, nothing will ever wake the
 * main thread: it gets a ThreadError.
 */
#include "scheduler.h"
#include "backtrace.h"
#include "collector.h"
#include "exception.h"
#include "frame.h"
#include "heap.h"
#include "interpreter.h"
#include "process.h"
#include "world.h"

#include <errno.h>
#include <stdlib.h>

#define TIME_SLICE 20000

static void list_append(struct wait_list *list, struct thread *thread)
{
	thread->next = NULL;
	if (list->last)
		list->last->next = thread;
	else
		list->first = thread;
	list->last = thread;
}

static void list_remove(struct wait_list *list, struct thread *thread)
{
	struct thread *previous = NULL;
	struct thread *entry = list->first;

	while (entry && entry != thread) {
		previous = entry;
		entry = entry->next;
	}
	if (!entry)
		return;
	if (previous)
		previous->next = thread->next;
	else
		list->first = thread->next;
	if (list->last == thread)
		list->last = previous;
	thread->next = NULL;
}

static void wake_idle(struct vm *vm)
{
	if (vm->idle_count)
		pthread_cond_broadcast(&vm->wake);
}

void scheduler_enqueue(struct capability *cap, struct thread *thread)
{
	thread->state = THREAD_RUNNABLE;
	list_append(&thread->cap->runnable, thread);
	EVENT(cap, THREAD_RUNNABLE, thread->cap->number, thread->number);
	wake_idle(cap->vm);
}

void scheduler_wait(
	struct thread *thread, struct wait_list *list, enum stop_status status, uint32_t info)
{
	thread->stop_status = (uint16_t)status;
	thread->stop_info = info;
	thread->waits_in = list;
	list_append(list, thread);
}

void scheduler_park(struct thread *thread, struct wait_list *list, enum stop_status status,
	uint32_t info, struct vmtap_name *reason)
{
	thread->parked = reason;
	EVENT(thread->cap, THREAD_PARK, thread->cap->number, thread->number, reason);
	scheduler_wait(thread, list, status, info);
}

void scheduler_unpark(struct capability *cap, struct thread *thread)
{
	struct vmtap_name *reason = thread->parked;

	thread->parked = NULL;
	if (reason)
		EVENT(cap, THREAD_UNPARK, cap->number, thread->number, reason);
}

static void wake(struct capability *cap, struct thread *thread)
{
	list_remove(thread->waits_in, thread);
	thread->waits_in = NULL;
	EVENT(cap, THREAD_WAKEUP, cap->number, thread->number, thread->cap->number);
	scheduler_enqueue(cap, thread);
}

struct thread *scheduler_wake_one(struct capability *cap, struct wait_list *list)
{
	struct thread *thread = list->first;

	if (thread)
		wake(cap, thread);
	return thread;
}

void scheduler_wake_all(struct capability *cap, struct wait_list *list)
{
	while (scheduler_wake_one(cap, list))
		;
}

bool scheduler_others(struct capability *cap)
{
	bool others;

	pthread_mutex_lock(&cap->vm->lock);
	others = cap->runnable.first != NULL;
	pthread_mutex_unlock(&cap->vm->lock);
	return others;
}

void scheduler_add_spark(struct capability *cap, struct spark *spark)
{
	pthread_mutex_lock(&cap->vm->lock);
	spark->next = NULL;
	if (cap->sparks.last)
		cap->sparks.last->next = spark;
	else
		cap->sparks.first = spark;
	cap->sparks.last = spark;
	wake_idle(cap->vm);
	pthread_mutex_unlock(&cap->vm->lock);
}

static struct spark *pool_take(struct spark_pool *pool)
{
	struct spark *spark = pool->first;

	if (spark) {
		pool->first = spark->next;
		if (!pool->first)
			pool->last = NULL;
		spark->next = NULL;
	}
	return spark;
}

/* Prepares an empty thread to run a function. 0 or a negative errno. */
static int start_function(struct thread *thread, struct code *code, struct function *function,
	const value *arguments, int count)
{
	int error = thread_reserve(thread, (uint32_t)count + 1);

	if (error)
		return error;
	thread->stack[0] = function ? function->self : VALUE_NIL;
	for (int i = 0; i < count; i++)
		thread->stack[1 + i] = arguments[i];
	error = thread_push_frame(thread, code, function, NULL, FRAME_FILE, 0);
	thread->top = error ? 0 : code->locals;
	return error;
}

static struct thread *new_thread(struct capability *cap)
{
	struct vm *vm = cap->vm;
	struct thread *thread =
		heap_allocate_anyway(cap, vm->class_thread, KIND_THREAD, sizeof(*thread));

	if (!thread)
		return NULL;
	memset((char *)thread + sizeof(thread->object), 0,
		sizeof(*thread) - sizeof(thread->object));
	thread->vm = vm;
	thread->cap = cap;
	thread->exception = VALUE_NIL;
	atomic_init(&thread->result, VALUE_NIL);
	return thread;
}

/* With the lock. */
static void register_thread(struct capability *cap, struct thread *thread)
{
	struct vm *vm = cap->vm;

	thread->number = atomic_fetch_add(&vm->options.process->thread_count, 1) + 1;
	thread->all_next = vm->threads;
	if (vm->threads)
		vm->threads->all_previous = thread;
	vm->threads = thread;
	EVENT(cap, THREAD_CREATE, cap->number, thread->number, (uint64_t)0);
}

struct thread *scheduler_new_thread(struct capability *cap, struct thread *creator,
	struct code *code, struct function *function, const value *arguments, int count)
{
	struct thread *thread = new_thread(cap);

	if (!thread)
		return NULL;
	if (start_function(thread, code, function, arguments, count)) {
		/* The thread is garbage now; its finalizer frees the stack. */
		return NULL;
	}
	pthread_mutex_lock(&cap->vm->lock);
	register_thread(cap, thread);
	pthread_mutex_unlock(&cap->vm->lock);
	object_created(creator ? creator : thread, &thread->object,
		thread_place(creator ? creator : thread));
	return thread;
}

/*
 * Sets the next spark up to run on a spark thread; tell_spark() must be called as soon as the
 * thread runs. With the lock. Returns false if there is no spark.
 */
static bool next_spark(struct capability *cap, struct thread *thread)
{
	struct vm *vm = cap->vm;
	struct spark *spark = pool_take(&cap->sparks);
	struct capability *victim = cap;

	for (uint16_t i = 1; !spark && i < vm->cap_count; i++) {
		victim = &vm->caps[(cap->index + i) % vm->cap_count];
		spark = pool_take(&victim->sparks);
	}
	if (!spark)
		return false;
	spark->state = SPARK_RUNNING;
	spark->runner = thread;
	thread->spark = spark;
	thread->spark_victim = victim;
	return true;
}

static void tell_spark(struct capability *cap, struct thread *thread)
{
	struct capability *victim = thread->spark_victim;

	thread->spark_victim = NULL;
	if (victim == cap)
		EVENT(cap, SPARK_RUN, cap->number, thread->number);
	else if (victim)
		EVENT(cap, SPARK_STEAL, cap->number, thread->number, victim->number);
}

static bool any_sparks(const struct vm *vm)
{
	for (uint16_t i = 0; i < vm->cap_count; i++) {
		if (vm->caps[i].sparks.first)
			return true;
	}
	return false;
}

/* Sets up the frame of the thread's spark; a failure ends the spark, not the thread. */
static bool start_spark(struct capability *cap, struct thread *thread)
{
	struct function *function = value_to_object(slot_load(&thread->spark->function));

	thread->top = 0;
	if (start_function(thread, function->code, function, NULL, 0) == 0)
		return true;
	thread->exception = exception_new(thread, cap->vm->class_memory_error, function->code->file,
		0, "no memory for a spark");
	return false;
}

/* With the lock. */
static void finish_spark(struct capability *cap, struct thread *thread, bool failed)
{
	struct spark *spark = thread->spark;
	value result = failed ? thread->exception : slot_load(&thread->result);

	slot_store(&spark->result, result);
	heap_barrier(cap, &spark->object, result);
	spark->state = failed ? SPARK_FAILED : SPARK_DONE;
	spark->runner = NULL;
	slot_store(&spark->function, VALUE_NIL);
	thread->spark = NULL;
	scheduler_wake_all(cap, &spark->waiters);
}

static struct thread *new_spark_thread(struct capability *cap)
{
	struct function *function;
	struct thread *thread;
	struct place place;

	if (!any_sparks(cap->vm))
		return NULL;
	thread = new_thread(cap);
	if (!thread)
		return NULL;
	register_thread(cap, thread);
	EVENT(cap, SPARK_THREAD_CREATE, cap->number, thread->number);
	next_spark(cap, thread);
	function = value_to_object(slot_load(&thread->spark->function));
	place.file = &function->code->file->name;
	place.line = function->code->line;
	object_created(thread, &thread->object, place);
	return thread;
}

/* With the lock. The last capability to become idle checks whether anything can still run. */
static void break_deadlock(struct capability *cap)
{
	struct vm *vm = cap->vm;
	struct thread *main_thread = vm->main_thread;

	if (vm->idle_count != vm->cap_count || !main_thread ||
		main_thread->state != THREAD_BLOCKED || any_sparks(vm))
		return;
	for (uint16_t i = 0; i < vm->cap_count; i++) {
		if (vm->caps[i].runnable.first)
			return;
	}
	main_thread->deadlocked = true;
	wake(cap, main_thread);
}

/* With the lock. A disabled capability's threads go to the first one, which is never disabled. */
static void give_away(struct capability *cap)
{
	struct capability *first = &cap->vm->caps[0];
	struct thread *thread;

	while ((thread = cap->runnable.first)) {
		list_remove(&cap->runnable, thread);
		EVENT(cap, THREAD_MIGRATE, cap->number, thread->number, first->number);
		thread->cap = first;
		list_append(&first->runnable, thread);
	}
	wake_idle(cap->vm);
}

void scheduler_use_caps(struct capability *cap, uint16_t count)
{
	struct vm *vm = cap->vm;

	pthread_mutex_lock(&vm->lock);
	for (uint16_t i = 1; i < vm->cap_count; i++) {
		struct capability *other = &vm->caps[i];

		if (other->disabled == (i >= count))
			continue;
		other->disabled = i >= count;
		if (other->disabled)
			EVENT(cap, CAP_DISABLE, other->number);
		else
			EVENT(cap, CAP_ENABLE, other->number);
	}
	wake_idle(vm);
	pthread_mutex_unlock(&vm->lock);
}

/* With the lock. NULL: the program has ended. */
static struct thread *find_thread(struct capability *cap)
{
	struct vm *vm = cap->vm;

	for (;;) {
		struct thread *thread;

		world_park(cap);
		if (vm->ending)
			return NULL;
		if (cap->disabled && cap->runnable.first)
			give_away(cap);
		thread = cap->runnable.first;
		if (thread) {
			list_remove(&cap->runnable, thread);
			return thread;
		}
		for (uint16_t i = 1; !cap->disabled && i < vm->cap_count; i++) {
			struct capability *other = &vm->caps[(cap->index + i) % vm->cap_count];

			/* If the other one is idle, it has been woken and will take the thread. */
			thread = other->idle ? NULL : other->runnable.first;
			if (thread) {
				list_remove(&other->runnable, thread);
				EVENT(cap, THREAD_MIGRATE, other->number, thread->number,
					cap->number);
				thread->cap = cap;
				return thread;
			}
		}
		thread = cap->disabled ? NULL : new_spark_thread(cap);
		if (thread)
			return thread;
		cap->idle = true;
		vm->idle_count++;
		break_deadlock(cap);
		if (!cap->runnable.first && !vm->stopping && !vm->ending)
			pthread_cond_wait(&vm->wake, &vm->lock);
		vm->idle_count--;
		cap->idle = false;
	}
}

/* With the lock, so that all see the thread end. */
static void retire_thread(struct capability *cap, struct thread *thread)
{
	struct vm *vm = cap->vm;

	thread->state = THREAD_FINISHED;
	if (thread->all_previous)
		thread->all_previous->all_next = thread->all_next;
	else
		vm->threads = thread->all_next;
	if (thread->all_next)
		thread->all_next->all_previous = thread->all_previous;
	thread->all_next = NULL;
	thread->all_previous = NULL;
	EVENT(cap, THREAD_EXIT, thread->cap->number, thread->number);
	thread_free_stacks(thread);
}

/* Ends the program, unless another capability is already doing so. Without the lock. */
static void end_program(struct capability *cap, struct thread *thread, int exit_code)
{
	struct vm *vm = cap->vm;
	bool first = world_stop(cap, &vm->reason_exit, NULL);

	if (!first)
		return;
	vm->ending = true;
	vm->exit_code = exit_code;
	vm->ended_by = cap->index;
	while (vm->threads) {
		struct thread *other = vm->threads;

		scheduler_unpark(cap, other);
		if (other->pending) {
			EVENT(cap, NATIVE_RETURN, &other->pending->owner->name,
				&other->pending->name, thread_file(other, 0), thread_line(other, 0),
				other->number);
			other->pending = NULL;
		}
		while (other->frame_count)
			thread_pop_frame(cap, other, true);
		if (other == thread || other->state == THREAD_RUNNING)
			EVENT(cap, THREAD_STOP, other->cap->number, other->number,
				(uint16_t)STOP_FINISHED, 0u);
		retire_thread(cap, other);
	}
	world_resume(cap, &vm->reason_exit);
	pthread_mutex_lock(&vm->lock);
	pthread_cond_broadcast(&vm->wake);
	pthread_mutex_unlock(&vm->lock);
}

static void finish_thread(struct capability *cap, struct thread *thread, bool failed)
{
	struct vm *vm = cap->vm;

	if (failed)
		exception_report(thread);
	if (thread == vm->main_thread) {
		end_program(cap, thread, failed ? 1 : 0);
		return;
	}
	pthread_mutex_lock(&vm->lock);
	thread->failed = failed;
	if (failed)
		slot_store(&thread->result, thread->exception);
	heap_barrier(cap, &thread->object, slot_load(&thread->result));
	scheduler_wake_all(cap, &thread->waiters);
	EVENT(cap, THREAD_STOP, cap->number, thread->number, (uint16_t)STOP_FINISHED, 0u);
	retire_thread(cap, thread);
	pthread_mutex_unlock(&vm->lock);
}

/* Runs one spark after another. Returns whether the thread is done with them. */
static bool go_on_with_sparks(struct capability *cap, struct thread *thread, bool failed)
{
	struct vm *vm = cap->vm;
	bool more;

	pthread_mutex_lock(&vm->lock);
	finish_spark(cap, thread, failed);
	more = !cap->runnable.first && !cap->disabled && !vm->stopping && next_spark(cap, thread);
	if (more)
		tell_spark(cap, thread);
	pthread_mutex_unlock(&vm->lock);
	return !more;
}

static void run_thread(struct capability *cap, struct thread *thread)
{
	struct vm *vm = cap->vm;
	enum run_result result;

	cap->budget = TIME_SLICE;
again:
	if (thread->spark && !thread->frame_count && !start_spark(cap, thread))
		result = RUN_FAILED;
	else
		result = interpreter_run(cap, thread);
	switch (result) {
	case RUN_YIELDED:
		pthread_mutex_lock(&vm->lock);
		EVENT(cap, THREAD_STOP, cap->number, thread->number, (uint16_t)STOP_YIELD, 0u);
		scheduler_enqueue(cap, thread);
		pthread_mutex_unlock(&vm->lock);
		break;
	case RUN_BLOCKED:
		EVENT(cap, THREAD_STOP, cap->number, thread->number, thread->stop_status,
			thread->stop_info);
		thread->state = THREAD_BLOCKED;
		pthread_mutex_unlock(&vm->lock);
		break;
	case RUN_FINISHED:
	case RUN_FAILED:
		if (thread->spark) {
			if (!go_on_with_sparks(cap, thread, result == RUN_FAILED))
				goto again;
			/* The sparks have their own results. */
			slot_store(&thread->result, VALUE_NIL);
			result = RUN_FINISHED;
		}
		finish_thread(cap, thread, result == RUN_FAILED);
		break;
	case RUN_EXIT:
		end_program(cap, thread, thread->exit_code);
		break;
	case RUN_ENDED:
		break;
	}
}

void scheduler_run(struct capability *cap)
{
	struct vm *vm = cap->vm;
	struct thread *thread;

	backtrace_attach(cap);
	pthread_mutex_lock(&vm->lock);
	while ((thread = find_thread(cap))) {
		thread->state = THREAD_RUNNING;
		EVENT(cap, THREAD_RUN, cap->number, thread->number);
		tell_spark(cap, thread);
		pthread_mutex_unlock(&vm->lock);
		cap->running = thread;
		finalizer_begin(cap, thread);
		run_thread(cap, thread);
		cap->running = NULL;
		/* The thread may have ended before a requested collection was done. */
		if (cap->collect_full || cap->collect_young)
			collector_collect(cap, cap->collect_full);
		pthread_mutex_lock(&vm->lock);
	}
	pthread_mutex_unlock(&vm->lock);
	backtrace_attach(NULL);
}
