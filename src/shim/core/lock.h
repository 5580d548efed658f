/*
 * lock.h: a mutex that knows which thread holds it. A signal handler may call exit() or fork()
 * while its own thread holds the lock, and must not wait for itself. Not every C library has
 * initialisers for POSIX's recursive and error-checking mutexes (musl has none), and these locks
 * are needed before any code can initialise them.
 */
#ifndef VMTAP_SHIM_CORE_LOCK_H
#define VMTAP_SHIM_CORE_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct lock {
	pthread_mutex_t mutex;
	_Atomic(pthread_t) owner; /* valid while depth is not 0 */
	_Atomic unsigned depth;   /* how many times the owner has taken it */
};

/* A static initialiser. */
#define LOCK_INITIALIZER                                                                           \
	{                                                                                          \
		.mutex = PTHREAD_MUTEX_INITIALIZER                                                 \
	}

static inline bool lock_is_mine(struct lock *lock)
{
	return atomic_load(&lock->depth) &&
		pthread_equal(atomic_load(&lock->owner), pthread_self());
}

/* Waits for the lock unless this thread holds it already. Release it once for each time that it was
 * taken. */
static inline void lock_take(struct lock *lock)
{
	if (!lock_is_mine(lock)) {
		pthread_mutex_lock(&lock->mutex);
		atomic_store(&lock->owner, pthread_self());
	}
	atomic_fetch_add(&lock->depth, 1);
}

/* Takes the lock if no thread holds it, not even this one. */
static inline bool lock_try(struct lock *lock)
{
	if (lock_is_mine(lock) || pthread_mutex_trylock(&lock->mutex))
		return false;
	atomic_store(&lock->owner, pthread_self());
	atomic_fetch_add(&lock->depth, 1);
	return true;
}

/* Does nothing in a child of fork() that was made while this thread held the lock. */
static inline void lock_release(struct lock *lock)
{
	if (lock_is_mine(lock) && atomic_fetch_sub(&lock->depth, 1) == 1)
		pthread_mutex_unlock(&lock->mutex);
}

/* Call in the child of fork(), where only this thread is left: the lock is free afterwards. */
static inline void lock_fork_child(struct lock *lock)
{
	*lock = (struct lock)LOCK_INITIALIZER;
}

#endif
