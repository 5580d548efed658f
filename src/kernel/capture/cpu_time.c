/*
 * cpu_time.c: see cpu_time.h. The scheduler's clock is read from a perf event of our own thread:
 * the record of a change of its name has the time. The distance to CLOCK_MONOTONIC is measured
 * several times, and the quickest measurement counts. That is repeated from time to time. A
 * thread's time must not go back, though the measurements differ a little.
 */
#include "kernel/capture/cpu_time.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum {
	TRIES = 8, /* of a measurement; the fastest counts */
	MEASURE_MS = 100,
	BACK_MS = 10 /* if the clock goes back by more, it is that of a later thread with the same
			id */
};

/*
 * Returns the scheduler's clock now; 0 if it is not known. The kernel notes the clock's time with
 * each entry in the event's ring. It makes an entry when a thread is named, even if the name does
 * not change.
 */
static uint64_t scheduler_clock(const struct kernel_cpu_time *time)
{
	struct perf_event_mmap_page *page = time->page;
	const char *entries = (const char *)page + sysconf(_SC_PAGESIZE);
	uint64_t before = page->data_tail, end, result;
	char name[16];

	if (prctl(PR_GET_NAME, name) || prctl(PR_SET_NAME, name))
		return 0;
	end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	if (end == before)
		return 0;
	/* The time is the last part of an entry; no part crosses the ring's end. */
	memcpy(&result, entries + ((end - sizeof(result)) & (page->data_size - 1)), sizeof(result));
	__atomic_store_n(&page->data_tail, end, __ATOMIC_RELEASE);
	return result;
}

static bool measure(struct kernel_cpu_time *time)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = clock_monotonic(), clock = scheduler_clock(time);
		uint64_t after = clock_monotonic();

		if (!clock)
			return false;
		if (after - before >= best)
			continue;
		best = after - before;
		time->distance = (int64_t)(clock - (before + best / 2));
	}
	time->measured = clock_monotonic();
	return true;
}

static size_t mapped_bytes(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

int kernel_cpu_time_open(struct kernel_cpu_time *time, struct error *error)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1};

	time->page = MAP_FAILED;
	time->event =
		(int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (time->event >= 0)
		time->page = mmap(
			NULL, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, time->event, 0);
	if (time->page == MAP_FAILED)
		return error_set(error, errno, "vtimestamp: the kernel refuses a perf event: %s",
			strerror(errno));
	time->last = calloc(KERNEL_CPU_THREADS, sizeof(*time->last));
	if (!time->last)
		return error_set(error, ENOMEM, "out of memory");
	if (!measure(time))
		return error_set(error, ENOTSUP,
			"vtimestamp: the kernel does not tell its scheduler's time");
	return 0;
}

void kernel_cpu_time_close(struct kernel_cpu_time *time)
{
	if (time->page && time->page != MAP_FAILED)
		munmap(time->page, mapped_bytes());
	if (time->page && time->event >= 0)
		close(time->event);
	free(time->last);
	*time = (struct kernel_cpu_time){.event = -1};
}

void kernel_cpu_time_follow(struct kernel_cpu_time *time, uint64_t now)
{
	if (time->last && now > time->measured + MEASURE_MS * CLOCK_NS_PER_MS)
		measure(time);
}

uint64_t kernel_cpu_time_of(
	struct kernel_cpu_time *time, uint32_t tid, const struct kernel_clock *clock)
{
	uint32_t slot = tid % KERNEL_CPU_THREADS;
	uint64_t result = clock->runtime;
	int64_t running;

	if (!time->last)
		return 0;
	kernel_cpu_time_follow(time, clock->now);
	/* Interrupts, and time that a hypervisor has taken, make the two clocks of a processor
	 * differ. */
	running = (int64_t)(clock->now + (uint64_t)time->distance - clock->clock) +
		(int64_t)(clock->task_clock - clock->since);
	if (running > 0)
		result += (uint64_t)running;
	if (time->last[slot].tid == tid && time->last[slot].time > result &&
		time->last[slot].time - result < BACK_MS * CLOCK_NS_PER_MS)
		result = time->last[slot].time;
	time->last[slot].tid = tid;
	time->last[slot].time = result;
	return result;
}
