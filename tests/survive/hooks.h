/*
 * hooks.h: included before everything else in the library's sources when they are compiled for
 * schedules.c. The source is the real one. Its atomic operations, copies, locks, system calls,
 * time and thread-local variables become those of the scheduler, which runs "threads" as fibres
 * of one thread and decides at each of these points who goes on and which stores have arrived. The
 * scheduler's own files define HOOKS_NONE: they get the declarations only.
 */
#ifndef TESTS_SURVIVE_HOOKS_H
#define TESTS_SURVIVE_HOOKS_H

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* One point of decision each. A load sees this fibre's own stores that have not arrived yet. */
void schedule_load(const volatile void *at, void *value, size_t size, int order);
void schedule_store(volatile void *at, const void *value, size_t size, int order);
/* Before a read-modify-write, which is then done at once: nobody else runs in between. */
void schedule_modify(volatile void *at, size_t size, int order);
void schedule_fence(int order);
/* A copy; if to memory that others may see, a point of decision. */
void *schedule_copy(void *to, const void *from, size_t size);

pthread_t schedule_self(void);
int schedule_lock(pthread_mutex_t *mutex);
int schedule_unlock(pthread_mutex_t *mutex);
long schedule_syscall(long number, ...);
int schedule_yield(void);
int schedule_clock(clockid_t clock, struct timespec *time);
void *schedule_map(void *at, size_t size, int protection, int flags, int file, off_t offset);
int schedule_unmap(void *at, size_t size);
int schedule_advise(void *at, size_t size, int advice);
/* What is random for a process is always the same, so that a seed repeats its schedule. */
unsigned long schedule_auxiliary(unsigned long type);

#ifndef HOOKS_NONE

#define HOOK_VALUE(p) __typeof__((void)0, *(p))

#undef atomic_load_explicit
#define atomic_load_explicit(p, order)                                                             \
	__extension__({                                                                            \
		HOOK_VALUE(p) value_;                                                              \
		schedule_load((p), &value_, sizeof(value_), (order));                              \
		value_;                                                                            \
	})
#undef atomic_load
#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#undef atomic_store_explicit
#define atomic_store_explicit(p, new, order)                                                       \
	__extension__({                                                                            \
		HOOK_VALUE(p) value_ = (new);                                                      \
		schedule_store((p), &value_, sizeof(value_), (order));                             \
	})
#undef atomic_store
#define atomic_store(p, new) atomic_store_explicit(p, new, memory_order_seq_cst)

#define HOOK_MODIFY(p, order, statement)                                                           \
	__extension__({                                                                            \
		__typeof__(p) at_ = (p);                                                           \
		HOOK_VALUE(p) old_;                                                                \
		schedule_modify(at_, sizeof(old_), (order));                                       \
		old_ = *at_;                                                                       \
		statement;                                                                         \
		old_;                                                                              \
	})
#undef atomic_exchange
#define atomic_exchange(p, new) HOOK_MODIFY(p, memory_order_seq_cst, *at_ = (new))
#undef atomic_fetch_add_explicit
#define atomic_fetch_add_explicit(p, n, order) HOOK_MODIFY(p, order, *at_ = old_ + (n))
#undef atomic_fetch_add
#define atomic_fetch_add(p, n) atomic_fetch_add_explicit(p, n, memory_order_seq_cst)
#undef atomic_fetch_sub
#define atomic_fetch_sub(p, n) HOOK_MODIFY(p, memory_order_seq_cst, *at_ = old_ - (n))

#define HOOK_COMPARE(p, expected, new, order)                                                      \
	__extension__({                                                                            \
		__typeof__(p) at_ = (p);                                                           \
		HOOK_VALUE(p) *expected_ = (expected), old_;                                       \
		schedule_modify(at_, sizeof(old_), (order));                                       \
		old_ = *at_;                                                                       \
		bool same_ = old_ == *expected_;                                                   \
		if (same_)                                                                         \
			*at_ = (new);                                                              \
		else                                                                               \
			*expected_ = old_;                                                         \
		same_;                                                                             \
	})
#undef atomic_compare_exchange_strong
#define atomic_compare_exchange_strong(p, expected, new)                                           \
	HOOK_COMPARE(p, expected, new, memory_order_seq_cst)
#undef atomic_compare_exchange_weak
#define atomic_compare_exchange_weak(p, expected, new)                                             \
	HOOK_COMPARE(p, expected, new, memory_order_seq_cst)
#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit(p, expected, new, order, failure)                  \
	HOOK_COMPARE(p, expected, new, order)
#undef atomic_thread_fence
#define atomic_thread_fence(order) schedule_fence(order)
#undef atomic_signal_fence
#define atomic_signal_fence(order) __atomic_signal_fence(order)

#define __atomic_load_n(p, order) atomic_load_explicit(p, order)
#define __atomic_store_n(p, new, order) atomic_store_explicit(p, new, order)
#define __atomic_compare_exchange_n(p, expected, new, weak, order, failure)                        \
	HOOK_COMPARE(p, expected, new, order)

#define memcpy(to, from, size) schedule_copy(to, from, size)
/* What is static for a thread is kept for each fibre. */
#define __thread __attribute__((section("survive_thread")))

#define pthread_self schedule_self
#define pthread_mutex_lock schedule_lock
#define pthread_mutex_unlock schedule_unlock
#define syscall schedule_syscall
#define sched_yield schedule_yield
#define clock_gettime schedule_clock
#define mmap schedule_map
#define munmap schedule_unmap
#define madvise schedule_advise
#define getauxval schedule_auxiliary

#endif

#endif
