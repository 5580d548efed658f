/*
 * cpu_time.h: a thread's CPU clock, as CLOCK_THREAD_CPUTIME_ID would have shown it when a probe
 * fired.
 *
 * The kernel adds to a thread's time when it stops running, and at each tick of the processor. The
 * time that has passed since then is the difference of two times of the scheduler's clock, but a
 * program can only read CLOCK_MONOTONIC. So the program notes the scheduler's times, and this file
 * measures the distance between the two clocks.
 */
#ifndef VMTAP_KERNEL_CAPTURE_CPU_TIME_H
#define VMTAP_KERNEL_CAPTURE_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct error;

/* The clocks that a program notes, in ns. */
struct kernel_clock {
	uint64_t now;     /* CLOCK_MONOTONIC */
	uint64_t runtime; /* of the thread, up to `since` */
	uint64_t since;   /* on the processor's clock for threads */
	/* the scheduler's clock and the processor's clock for threads, when both were last set */
	uint64_t clock, task_clock;
};

enum { KERNEL_CPU_THREADS = 4096 };

struct kernel_cpu_time {
	int event;
	void *page;        /* the event's ring, in which the kernel notes its time */
	int64_t distance;  /* the scheduler's clock minus CLOCK_MONOTONIC */
	uint64_t measured; /* when */
	/* By thread: the last result. A thread's clock never goes back. */
	struct {
		uint32_t tid;
		uint64_t time;
	} * last;
};

/* Returns 0, -ENOTSUP if the scheduler's clock cannot be read here, or another negative errno, with
 * a line in error. */
int kernel_cpu_time_open(struct kernel_cpu_time *time, struct error *error);
void kernel_cpu_time_close(struct kernel_cpu_time *time);

/* Measures the distance of the clocks again if it is due. */
void kernel_cpu_time_follow(struct kernel_cpu_time *time, uint64_t now);

uint64_t kernel_cpu_time_of(
	struct kernel_cpu_time *time, uint32_t tid, const struct kernel_clock *clock);

#endif
