/*
 * stamp.c: see stamp.h. Times are converted with the line through the last two points, and the end
 * of one line is the beginning of the next, so times do not run backwards where lines meet.
 */
#include "shim/core/stamp.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
	/* Two readings of the clocks agree to some tens of ns. Points closer together would
	 * give a slope that is off by more than one part in a thousand. */
	POINT_DISTANCE_NS = 100000,
	/* The clock is adjusted without jumps by changing the speed of CLOCK_MONOTONIC too, so
	 * their difference changes only if the clock is set or the machine is suspended. */
	WALL_JUMP_NS = 1000000,
	WALL_TRIES = 3,
	RESTART_UNITS = 1000000 /* more than the difference between any two CPUs' counters */
};

_Atomic bool clock_by_call;

__attribute__((cold, noinline)) uint64_t stamp_raw_slow(void)
{
	fork_page_check();
	return clock_monotonic();
}

/* The kernel checks that the counters of all CPUs agree before it keeps time by them. If a sandbox
 * hides the kernel's choice, the previous result is kept. */
static bool kernel_trusts_counter(void)
{
	char name[16] = "";
	int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return atomic_load(&fork_page.uses_counter);
	ssize_t length = read(file, name, sizeof(name) - 1);
	close(file);
	if (length < 0)
		return atomic_load(&fork_page.uses_counter);
	return length >= 3 && memcmp(name, "tsc", 3) == 0;
}

/* Returns true if the calling thread may not read the counter. Threads inherit that; once found, it
 * holds for the process, since other threads have no other clock. */
static bool counter_is_forbidden(void)
{
#if defined(__x86_64__)
	int mode = PR_TSC_ENABLE;

	if (!atomic_load(&clock_by_call) && !prctl(PR_GET_TSC, &mode) && mode == PR_TSC_SIGSEGV)
		atomic_store(&clock_by_call, true);
#endif
	return atomic_load(&clock_by_call);
}

bool stamp_choose(void)
{
	bool counts = false;
#if defined(__x86_64__)
	unsigned a, b, c, d;

	counts = !counter_is_forbidden() && __get_cpuid(0x80000007, &a, &b, &c, &d) &&
		(d & 1u << 8) && kernel_trusts_counter();
#else
	(void)kernel_trusts_counter;
	(void)counter_is_forbidden;
#endif
	return atomic_exchange(&fork_page.uses_counter, counts) != counts;
}

/* Reads the raw clock and CLOCK_MONOTONIC at one instant: the closest of a few pairs. */
static void read_pair(uint64_t *raw, uint64_t *time)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		uint64_t before = stamp_raw(), now = clock_monotonic(), after = stamp_raw();
		if (after - before < best) {
			best = after - before;
			*raw = before + (after - before) / 2;
			*time = now;
		}
	}
}

static uint64_t clock_real(void)
{
	return clock_now(CLOCK_REALTIME);
}

/* Reads CLOCK_REALTIME minus CLOCK_MONOTONIC. Returns false if the two could not be read at one
 * instant because the thread was interrupted each time. */
static bool read_wall(uint64_t *difference)
{
	for (int i = 0; i < WALL_TRIES; i++) {
		uint64_t before = clock_monotonic(), real = clock_real(), after = clock_monotonic();
		*difference = real - (before + (after - before) / 2);
		if (after - before < WALL_JUMP_NS / 4)
			return true;
	}
	return false;
}

void stamp_start(struct stamp_line *line)
{
	uint64_t difference;

	stamp_restart(line);
	read_wall(&difference);
	line->zero = line->time[0];
	line->zero_real = line->zero + difference;
}

bool stamp_check_wall(struct stamp_line *line)
{
	uint64_t difference;

	if (!read_wall(&difference))
		return false;
	int64_t jump = (int64_t)(line->zero + difference - line->zero_real);
	if (jump > -WALL_JUMP_NS && jump < WALL_JUMP_NS)
		return false;
	line->zero_real += (uint64_t)jump;
	return true;
}

void stamp_restart(struct stamp_line *line)
{
	read_pair(&line->raw[0], &line->time[0]);
	line->raw[1] = line->raw[0];
	line->time[1] = line->time[0];
	line->slope = 0; /* the first point, taken before the first event, sets it */
}

bool stamp_point(struct stamp_line *line)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t raw = 0, time = 0;

	do /* a slope is required, even if it takes a moment this once */
		read_pair(&raw, &time);
	while (!line->slope && time < line->time[1] + POINT_DISTANCE_NS);
	if (raw + RESTART_UNITS < line->raw[1]) {
		stamp_restart(line);
		stamp_point(line);
		return true;
	}
	if (raw <= line->raw[1] || time < line->time[1] + POINT_DISTANCE_NS)
		return false;
	line->raw[0] = line->raw[1];
	line->time[0] = line->time[1];
	line->raw[1] = raw;
	line->time[1] = time;
	line->slope = (uint64_t)(((wide)(line->time[1] - line->time[0]) << 32) /
		(line->raw[1] - line->raw[0]));
	return false;
}

uint64_t stamp_convert(const struct stamp_line *line, uint64_t raw)
{
	__extension__ typedef __int128 wide;
	int64_t since = (int64_t)(raw - line->raw[0]);
	int64_t time =
		(int64_t)(line->time[0] - line->zero) + (int64_t)((wide)since * line->slope >> 32);

	return time < 0 ? 0 : (uint64_t)time;
}

uint64_t stamp_raw_microsecond(const struct stamp_line *line)
{
	return (UINT64_C(1000) << 32) / (line->slope ? line->slope : 1) + 1;
}
