/*
 * scheduler.h: a deterministic scheduler. It runs the fibres of a scenario in an order that a seed
 * decides, so that each run can be repeated exactly.
 *
 * Memory models:
 *   sc    each store is seen by all at once;
 *   tso   as on x86: a fibre's stores arrive later, in their order, at moments that the seed
 *         decides; a locked instruction and a sequentially consistent store wait for them;
 *   weak  as the memory orders in the source promise, and no more: relaxed stores and copies of
 *         one fibre arrive in any order, a release store after all that precede it. Loads are not
 *         reordered.
 *
 * Time passes by nanoseconds while any fibre can run. When all of them wait, it moves to the
 * earliest moment at which a wait ends by itself.
 */
#ifndef TESTS_SURVIVE_SCHEDULER_H
#define TESTS_SURVIVE_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schedule_model { SCHEDULE_SC, SCHEDULE_TSO, SCHEDULE_WEAK };

enum {
	SCHEDULE_FIBRES_MAX = 6,
	SCHEDULE_PROCESS = 1000, /* the number of the process; thread i has the number after it */
	SCHEDULE_WAKER = 99      /* the descriptor of the eventfd */
};

struct schedule_scenario {
	const char *name;
	unsigned fibres;       /* fibre 0 is the server */
	unsigned points_max;   /* a schedule that takes more does not end; 0: some 100,000 */
	void (*prepare)(void); /* once for each schedule, before the fibres run */
	void (*run)(unsigned fibre);
	void (*check)(void); /* after all fibres have ended and all stores have arrived */
};

/* Runs one schedule. False: an invariant does not hold; schedule_violation() says which. */
bool schedule_run(const struct schedule_scenario *scenario, enum schedule_model model,
	uint64_t seed, bool traces);
const char *schedule_violation(void);
/* The number of points of decision in all schedules so far. */
uint64_t schedule_points(void);

/* Call before the library's functions are called the first time, to set it up. */
void schedule_begin(void);

/* To be restored before each schedule: memory, and the sections that the hooks name. */
void schedule_keep(void *memory, size_t size);

/* Of memory that the library has mapped so far: these bytes at its beginning and its end. */
void schedule_keep_mapping(unsigned index, size_t first, size_t last);

/* ---- for scenarios ---- */

/* Says that an invariant does not hold, and ends the schedule. */
__attribute__((noreturn, format(printf, 1, 2))) void schedule_fail(const char *format, ...);
#define schedule_expect(condition, ...) ((condition) ? (void)0 : schedule_fail(__VA_ARGS__))

/* A number below limit that the seed decides. */
unsigned schedule_random(unsigned limit);
unsigned schedule_fibre(void);
uint64_t schedule_now(void);
/* A point of decision. */
void schedule_point(void);
/* Reads as this fibre sees the memory, without a point of decision. */
void schedule_peek(const volatile void *at, void *value, size_t size);
/* This fibre's thread gets a new number, as if another thread had begun, or one that was used. */
void schedule_new_thread(unsigned number);
void schedule_end_thread(void);
/* Calls the handler now and then in the middle of what this fibre does; NULL: no longer. */
void schedule_signals(void (*handler)(void));

/* Lets this much time pass for everybody. */
void schedule_pass(uint64_t ns);
/* Waits until another fibre calls schedule_wake() with the address, or until the time; UINT64_MAX:
 * no limit. False: time ended it. */
bool schedule_wait(const void *address, uint64_t until);
void schedule_wake(const void *address);
/* The number of mutexes that are locked. */
unsigned schedule_locked(void);
/* A line of --trace. */
__attribute__((format(printf, 1, 2))) void schedule_trace(const char *format, ...);

/* The server's sleep. True: the eventfd ended it; false: time did. */
bool schedule_sleep(uint64_t ns);
/* The server sleeps and nothing has been written to the eventfd. */
bool schedule_is_asleep(void);
/* Increased by each sleep. */
unsigned schedule_sleeps(void);

#endif
