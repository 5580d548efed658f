/*
 * world.c: the stop-the-world protocol.
 *
 * The capability that stops the world sets vm->stopping and every capability's interrupt
 * flag, and waits until all others have counted themselves as stopped. A stopped capability
 * helps to mark if a collection asks for it. If the world stops again before a capability
 * has noticed that it resumed, that capability just stays stopped: the count remains right.
 */
#include "world.h"
#include "collector.h"

#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void world_park(struct capability *cap)
{
	struct vm *vm = cap->vm;

	if (!vm->stopping)
		return;
	vm->stopped_count++;
	pthread_cond_broadcast(&vm->stopped);
	while (vm->stopping) {
		if (vm->marking && cap->marked_in != vm->collections) {
			cap->marked_in = vm->collections;
			pthread_mutex_unlock(&vm->lock);
			collector_mark(cap, false);
			pthread_mutex_lock(&vm->lock);
		} else {
			pthread_cond_wait(&vm->resume, &vm->lock);
		}
	}
	vm->stopped_count--;
}

/* With the lock: asks all capabilities to stop, and waits until that many others have. Fires the
 * events as cap. It may still run when the first one is fired: actor, the caller's own, counts and
 * records that one. */
static void begin_stop(struct capability *cap, struct capability *actor, struct vmtap_name *reason,
	uint16_t others)
{
	struct vm *vm = cap->vm;
	uint64_t asked;

	vm->stopping = true;
	EVENT(actor, PAUSE_BEGIN, cap->number, reason);
	asked = now_ns();
	for (uint16_t i = 0; i < vm->cap_count; i++)
		atomic_store(&vm->caps[i].interrupt, true);
	pthread_cond_broadcast(&vm->wake);
	while (vm->stopped_count < others)
		pthread_cond_wait(&vm->stopped, &vm->lock);
	vm->stop_ns = now_ns() - asked;
	EVENT(cap, SAFEPOINT_BEGIN, cap->number, reason, vm->stop_ns);
}

bool world_stop(struct capability *cap, struct vmtap_name *reason, const uint64_t *collections)
{
	struct vm *vm = cap->vm;
	bool stands = false;

	pthread_mutex_lock(&vm->lock);
	while (vm->stopping)
		world_park(cap);
	if (vm->ending || (collections && *collections != vm->collections))
		goto out;
	stands = true;
	begin_stop(cap, cap, reason, vm->cap_count - 1);
out:
	pthread_mutex_unlock(&vm->lock);
	return stands;
}

bool world_hold(struct vm *vm, struct capability *actor, struct vmtap_name *reason)
{
	pthread_mutex_lock(&vm->lock);
	while (vm->stopping)
		pthread_cond_wait(&vm->resume, &vm->lock);
	vm->is_held = vm->runs && !vm->ending;
	if (vm->is_held)
		begin_stop(&vm->caps[0], actor, reason, vm->cap_count);
	pthread_mutex_unlock(&vm->lock);
	return vm->is_held;
}

void world_release(struct vm *vm, struct vmtap_name *reason)
{
	vm->is_held = false;
	world_resume(&vm->caps[0], reason);
}

void world_resume(struct capability *cap, struct vmtap_name *reason)
{
	struct vm *vm = cap->vm;

	pthread_mutex_lock(&vm->lock);
	EVENT(cap, SAFEPOINT_END, cap->number, reason, vm->stop_ns);
	EVENT(cap, PAUSE_END, cap->number, reason);
	vm->stopping = false;
	pthread_cond_broadcast(&vm->resume);
	pthread_mutex_unlock(&vm->lock);
}
