/* scheduler.c: see scheduler.h. */
#define HOOKS_NONE
#include "hooks.h"

#include "scheduler.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <ucontext.h>

enum {
	STACK_BYTES = 128 << 10,
	STORES_MAX = 48,
	POINTS_MAX = 200000, /* a schedule that takes more does not end */
	KEPT_MAX = 64,
	MAPPINGS_MAX = 12,
	MAPPING_BYTES = 320 << 10, /* the texts that travel with a ring's events need most */
	DIRTY_BYTES = 24 << 10,    /* of a mapping's beginning, restored before each schedule */
	THREAD_BYTES_MAX = 256,
	THREADS_MAX = 32,
	MUTEXES_MAX = 8,
	POINT_NS = 5
};

/* A wait that ends by itself after this much is in time. */
#define IN_TIME_NS UINT64_C(20000000)
#define START_NS UINT64_C(1000000000000)

/* A store that has not arrived. */
struct store {
	unsigned char *at;
	uint8_t size;
	bool releases;
	unsigned char bytes[8];
};

enum fibre_state { FIBRE_RUNS, FIBRE_WAITS, FIBRE_SLEEPS, FIBRE_ENDED };

struct fibre {
	ucontext_t context;
	jmp_buf point;
	bool begun;
	enum fibre_state state;
	const void *address; /* of the futex or mutex that it waits for */
	uint64_t until;      /* when the wait ends by itself */
	bool timed_out;
	int thread; /* its thread's number, 0: ended */
	struct store stores[STORES_MAX];
	unsigned store_count;
	void (*handler)(void);
	bool in_handler;
	int error; /* errno */
	unsigned char thread_bytes[THREAD_BYTES_MAX];
};

static struct {
	const struct schedule_scenario *scenario;
	enum schedule_model model;
	bool traces;
	uint64_t random;
	unsigned switch_bits, arrive_bits; /* how rare these are, as powers of two */
	uint64_t now;
	unsigned points, points_max;
	uint64_t all_points;
	unsigned current, count;
	jmp_buf main;
	uint64_t written; /* to the eventfd */
	unsigned sleeps;
	bool asleep;
	bool quiet; /* prepares or checks: no decisions */
	bool failed;
	char violation[512];
} run = {.quiet = true}; /* the library has a constructor */

static struct fibre fibres[SCHEDULE_FIBRES_MAX];
static unsigned char stacks[SCHEDULE_FIBRES_MAX][STACK_BYTES] __attribute__((aligned(64)));
static struct {
	void *memory;
	void *copy;
	size_t size;
} kept[KEPT_MAX];
static unsigned kept_count;
static unsigned char mappings[MAPPINGS_MAX][MAPPING_BYTES] __attribute__((aligned(4096)));
static size_t mapped[MAPPINGS_MAX]; /* 0: free */
static bool unmapped[MAPPINGS_MAX]; /* it was in use in this schedule, and must not be touched */
static unsigned mapping_count, mapping_first;
static bool threads[THREADS_MAX];
static struct mutex {
	const void *mutex;
	int owner; /* 1 + the fibre; 0: free */
	unsigned depth;
} held[MUTEXES_MAX];

extern unsigned char __start_survive_thread[], __stop_survive_thread[];
static unsigned char thread_image[THREAD_BYTES_MAX]; /* what a new thread begins with */

static size_t thread_size(void)
{
	return (size_t)(__stop_survive_thread - __start_survive_thread);
}

/* ---- randomness ---- */

static uint64_t next_random(void)
{
	run.random ^= run.random >> 12;
	run.random ^= run.random << 25;
	run.random ^= run.random >> 27;
	return run.random * UINT64_C(2685821657736338717);
}

unsigned schedule_random(unsigned limit)
{
	return (unsigned)((next_random() >> 33) % limit);
}

static bool rarely(unsigned bits)
{
	return !(next_random() >> 32 & ((1u << bits) - 1));
}

/* ---- ends ---- */

void schedule_trace(const char *format, ...)
{
	va_list arguments;

	if (!run.traces)
		return;
	printf("%8u %11.3f ms  fibre %u  ", run.points, (double)(run.now - 2 * START_NS) / 1e6,
		run.current);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

void schedule_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(run.violation, sizeof(run.violation), format, arguments);
	va_end(arguments);
	schedule_trace("VIOLATION: %s", run.violation);
	run.failed = true;
	_longjmp(run.main, 1);
}

const char *schedule_violation(void)
{
	return run.violation;
}

uint64_t schedule_points(void)
{
	return run.all_points;
}

/* ---- stores ---- */

static void arrive(struct fibre *fibre, unsigned index)
{
	struct store *store = &fibre->stores[index];

	memcpy(store->at, store->bytes, store->size);
	fibre->store_count--;
	memmove(store, store + 1, (fibre->store_count - index) * sizeof(*store));
}

static void arrive_all(struct fibre *fibre)
{
	while (fibre->store_count)
		arrive(fibre, 0);
}

static bool overlaps(const struct store *store, const volatile void *at, size_t size)
{
	return store->at < (const unsigned char *)at + size &&
		(const unsigned char *)at < store->at + store->size;
}

/* Whether this store may arrive before the older ones. */
static bool may_arrive(const struct fibre *fibre, unsigned index)
{
	const struct store *store = &fibre->stores[index];

	if (index && (run.model == SCHEDULE_TSO || store->releases))
		return false;
	for (unsigned i = 0; i < index; i++)
		if (overlaps(&fibre->stores[i], store->at, store->size))
			return false;
	return true;
}

static void arrive_any(void)
{
	struct fibre *fibre = &fibres[schedule_random(run.count)];

	if (!fibre->store_count)
		return;
	unsigned index = run.model == SCHEDULE_TSO ? 0 : schedule_random(fibre->store_count);
	if (may_arrive(fibre, index))
		arrive(fibre, index);
}

/* What this fibre sees: memory, and its own stores that have not arrived. */
static void see(void *value, const volatile void *at, size_t size)
{
	const struct fibre *fibre = &fibres[run.current];

	memcpy(value, (const void *)(uintptr_t)at, size);
	for (unsigned i = 0; i < fibre->store_count; i++)
		for (unsigned j = 0; j < fibre->stores[i].size; j++) {
			const unsigned char *byte = fibre->stores[i].at + j;
			if (byte >= (const unsigned char *)at &&
				byte < (const unsigned char *)at + size)
				((unsigned char *)value)[byte - (const unsigned char *)at] =
					fibre->stores[i].bytes[j];
		}
}

void schedule_peek(const volatile void *at, void *value, size_t size)
{
	see(value, at, size);
}

static void store(volatile void *at, const void *value, size_t size, bool releases)
{
	struct fibre *fibre = &fibres[run.current];

	if (run.model == SCHEDULE_SC || run.quiet) {
		memcpy((void *)(uintptr_t)at, value, size);
		return;
	}
	while (size) {
		size_t piece = size < 8 ? size : 8;
		if (fibre->store_count == STORES_MAX)
			arrive(fibre, 0);
		struct store *last = &fibre->stores[fibre->store_count++];
		last->at = (unsigned char *)(uintptr_t)at;
		last->size = (uint8_t)piece;
		last->releases = releases;
		memcpy(last->bytes, value, piece);
		at = (volatile unsigned char *)at + piece;
		value = (const unsigned char *)value + piece;
		size -= piece;
	}
}

/* ---- fibres ---- */

static void resume(unsigned next)
{
	struct fibre *to = &fibres[next];

	run.current = next;
	memcpy(__start_survive_thread, to->thread_bytes, thread_size());
	errno = to->error;
	if (to->begun)
		_longjmp(to->point, 1);
	to->begun = true;
	setcontext(&to->context);
}

static void go_to(unsigned next)
{
	struct fibre *from = &fibres[run.current];

	if (next == run.current)
		return;
	memcpy(from->thread_bytes, __start_survive_thread, thread_size());
	from->error = errno;
	if (!_setjmp(from->point))
		resume(next);
}

static unsigned choose(void);

/* A fibre runs its part of each schedule, and waits here for the next. */
static void enter(void)
{
	for (;;) {
		run.scenario->run(run.current);
		schedule_end_thread();
		fibres[run.current].state = FIBRE_ENDED;
		if (!_setjmp(fibres[run.current].point))
			resume(choose());
	}
}

/* The next fibre: a random one of those that can run. If none can, time moves on. */
static unsigned choose(void)
{
	unsigned able[SCHEDULE_FIBRES_MAX], count = 0, first = 0;
	uint64_t earliest = UINT64_MAX;

	for (unsigned i = 0; i < run.count; i++) {
		if (fibres[i].state == FIBRE_RUNS)
			able[count++] = i;
		if ((fibres[i].state == FIBRE_WAITS || fibres[i].state == FIBRE_SLEEPS) &&
			fibres[i].until < earliest) {
			earliest = fibres[i].until;
			first = i;
		}
	}
	if (count)
		return able[count == 1 ? 0 : schedule_random(count)];
	if (earliest == UINT64_MAX) {
		for (unsigned i = 0; i < run.count; i++)
			if (fibres[i].state != FIBRE_ENDED)
				schedule_fail("all fibres wait for ever");
		_longjmp(run.main, 2);
	}
	for (unsigned i = 0; i < run.count; i++) /* that much time lets every store arrive */
		arrive_all(&fibres[i]);
	if (earliest > run.now)
		run.now = earliest;
	fibres[first].timed_out = true;
	fibres[first].state = FIBRE_RUNS;
	return first;
}

void schedule_point(void)
{
	struct fibre *fibre = &fibres[run.current];

	if (run.quiet)
		return;
	run.now += POINT_NS;
	run.all_points++;
	if (++run.points > run.points_max)
		schedule_fail("it does not end");
	if (run.model != SCHEDULE_SC && rarely(run.arrive_bits))
		arrive_any();
	if (fibre->state == FIBRE_RUNS && fibre->handler && !fibre->in_handler && rarely(5)) {
		int saved = errno;
		fibre->in_handler = true;
		schedule_trace("a signal");
		fibre->handler();
		fibre->in_handler = false;
		errno = saved;
	}
	if (fibre->state != FIBRE_RUNS || rarely(run.switch_bits))
		go_to(choose());
}

unsigned schedule_fibre(void)
{
	return run.current;
}

uint64_t schedule_now(void)
{
	return run.now;
}

void schedule_signals(void (*handler)(void))
{
	fibres[run.current].handler = handler;
}

/* ---- threads ---- */

void schedule_end_thread(void)
{
	struct fibre *fibre = &fibres[run.current];

	arrive_all(fibre);
	if (fibre->thread)
		threads[fibre->thread - SCHEDULE_PROCESS] = false;
	fibre->thread = 0;
}

void schedule_new_thread(unsigned number)
{
	schedule_end_thread();
	memcpy(__start_survive_thread, thread_image, thread_size());
	fibres[run.current].thread = SCHEDULE_PROCESS + (int)number;
	threads[number] = true;
}

/* ---- waiting ---- */

static void wait_until(enum fibre_state state, const void *address, uint64_t until)
{
	struct fibre *fibre = &fibres[run.current];

	arrive_all(fibre);
	fibre->state = state;
	fibre->address = address;
	fibre->until = until;
	fibre->timed_out = false;
	schedule_point();
}

void schedule_wake(const void *address)
{
	for (unsigned i = 0; i < run.count; i++)
		if (fibres[i].state == FIBRE_WAITS && fibres[i].address == address)
			fibres[i].state = FIBRE_RUNS;
}

bool schedule_wait(const void *address, uint64_t until)
{
	wait_until(FIBRE_WAITS, address, until);
	return !fibres[run.current].timed_out;
}

void schedule_pass(uint64_t ns)
{
	run.now += ns;
}

bool schedule_sleep(uint64_t ns)
{
	bool ended;

	run.sleeps++;
	run.asleep = true;
	schedule_trace("the server sleeps");
	if (!run.written)
		wait_until(FIBRE_SLEEPS, NULL, run.now + ns);
	ended = run.written != 0;
	run.written = 0;
	run.asleep = false;
	schedule_trace("the server wakes%s", ended ? ", told to" : "");
	return ended;
}

bool schedule_is_asleep(void)
{
	return run.asleep && !run.written;
}

unsigned schedule_sleeps(void)
{
	return run.sleeps;
}

/* ---- what the hooks call ---- */

/* Memory that has been given back must not be touched. */
static void check_mapped(const volatile void *at)
{
	size_t offset = (size_t)((const unsigned char *)at - mappings[0]);

	if (offset < sizeof(mappings) && unmapped[offset / MAPPING_BYTES])
		schedule_fail("memory is used that was unmapped: mapping %zu, offset %zu",
			offset / MAPPING_BYTES, offset % MAPPING_BYTES);
}

void schedule_load(const volatile void *at, void *value, size_t size, int order)
{
	(void)order;
	schedule_point();
	check_mapped(at);
	see(value, at, size);
}

void schedule_store(volatile void *at, const void *value, size_t size, int order)
{
	schedule_point();
	check_mapped(at);
	if (order == __ATOMIC_SEQ_CST) {
		arrive_all(&fibres[run.current]);
		memcpy((void *)(uintptr_t)at, value, size);
	} else {
		store(at, value, size, order == __ATOMIC_RELEASE);
	}
}

void schedule_modify(volatile void *at, size_t size, int order)
{
	struct fibre *fibre = &fibres[run.current];

	schedule_point();
	check_mapped(at);
	if (run.model != SCHEDULE_WEAK || order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
		order == __ATOMIC_SEQ_CST) {
		arrive_all(fibre);
		return;
	}
	for (unsigned i = 0; i < fibre->store_count; i++)
		if (overlaps(&fibre->stores[i], at, size)) { /* and what must precede it */
			arrive_all(fibre);
			return;
		}
}

void schedule_fence(int order)
{
	schedule_point();
	if (order == __ATOMIC_SEQ_CST || run.model == SCHEDULE_WEAK)
		arrive_all(&fibres[run.current]);
}

void *schedule_copy(void *to, const void *from, size_t size)
{
	unsigned char *local = (unsigned char *)to;
	bool shared = local >= mappings[0] && local < mappings[MAPPINGS_MAX - 1] + MAPPING_BYTES;
	unsigned char bytes[512];

	if (shared)
		schedule_point();
	check_mapped(to);
	check_mapped(from);
	if (size > sizeof(bytes))
		return memmove(to, from, size);
	see(bytes, from, size);
	if (shared)
		store(to, bytes, size, false);
	else
		memcpy(to, bytes, size);
	return to;
}

pthread_t schedule_self(void)
{
	return (pthread_t)(1 + run.current);
}

static struct mutex *find_mutex(const void *mutex)
{
	for (unsigned i = 0; i < MUTEXES_MAX; i++) {
		if (!held[i].mutex)
			held[i].mutex = mutex;
		if (held[i].mutex == mutex)
			return &held[i];
	}
	schedule_fail("too many mutexes for this test");
}

unsigned schedule_locked(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MUTEXES_MAX; i++)
		count += held[i].owner != 0;
	return count;
}

int schedule_lock(pthread_mutex_t *mutex)
{
	struct mutex *own = find_mutex(mutex);

	schedule_point();
	while (own->owner && own->owner != 1 + (int)run.current)
		wait_until(FIBRE_WAITS, mutex, UINT64_MAX);
	arrive_all(&fibres[run.current]);
	own->owner = 1 + (int)run.current;
	own->depth++;
	return 0;
}

int schedule_unlock(pthread_mutex_t *mutex)
{
	struct mutex *own = find_mutex(mutex);

	arrive_all(&fibres[run.current]);
	if (!--own->depth) {
		own->owner = 0;
		schedule_wake(mutex);
	}
	schedule_point();
	return 0;
}

int schedule_yield(void)
{
	schedule_point();
	return 0;
}

int schedule_clock(clockid_t clock, struct timespec *time)
{
	(void)clock;
	run.now += 100; /* so that whoever waits for time to pass ends */
	*time = (struct timespec){
		.tv_sec = (time_t)(run.now / 1000000000), .tv_nsec = (long)(run.now % 1000000000)};
	return 0;
}

static long futex(uint32_t *address, int operation, uint32_t value, const struct timespec *limit)
{
	uint32_t seen;

	operation &= FUTEX_CMD_MASK;
	arrive_all(&fibres[run.current]);
	if (operation == FUTEX_WAKE) {
		schedule_point();
		schedule_wake(address);
		return 1;
	}
	schedule_point();
	check_mapped(address);
	memcpy(&seen, address, sizeof(seen));
	if (seen != value) {
		errno = EAGAIN;
		return -1;
	}
	uint64_t ns = limit ? (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec
			    : UINT64_MAX - run.now;
	schedule_trace("waits");
	wait_until(FIBRE_WAITS, address, run.now + ns);
	if (fibres[run.current].timed_out) {
		schedule_expect(ns <= IN_TIME_NS,
			"a wait for %" PRIu64 " ms ended by itself: its wake-up was lost",
			ns / 1000000);
		errno = ETIMEDOUT;
		return -1;
	}
	return 0;
}

long schedule_syscall(long number, ...)
{
	long arguments[4];
	va_list list;
	int thread;

	va_start(list, number);
	for (unsigned i = 0; i < 4; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	switch (number) {
	case SYS_gettid:
		return fibres[run.current].thread;
	case SYS_tgkill:
		schedule_point();
		thread = (int)arguments[1] - SCHEDULE_PROCESS;
		if (thread >= 0 && thread < THREADS_MAX && threads[thread])
			return 0;
		errno = ESRCH;
		return -1;
	case SYS_futex:
		return futex((uint32_t *)arguments[0], (int)arguments[1], (uint32_t)arguments[2],
			(const struct timespec *)arguments[3]);
	default:
		schedule_fail("system call %ld is not simulated", number);
	}
}

/* descriptor.c's part: the only descriptor is the eventfd. */
void schedule_tell(void)
{
	schedule_point();
	arrive_all(&fibres[run.current]);
	schedule_trace("wakes the server");
	run.written++;
	for (unsigned i = 0; i < run.count; i++)
		if (fibres[i].state == FIBRE_SLEEPS)
			fibres[i].state = FIBRE_RUNS;
}

void *schedule_map(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	(void)at, (void)protection, (void)flags, (void)file, (void)offset;
	if (size > MAPPING_BYTES || mapping_count == MAPPINGS_MAX) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	mapped[mapping_count] = size;
	return mappings[mapping_count++];
}

int schedule_unmap(void *at, size_t size)
{
	size_t index = (size_t)((unsigned char *)at - mappings[0]) / MAPPING_BYTES;

	schedule_point();
	check_mapped(at);
	(void)size;
	unmapped[index] = true;
	schedule_trace("mapping %zu is unmapped", index);
	return 0;
}

int schedule_advise(void *at, size_t size, int advice)
{
	(void)at, (void)size, (void)advice;
	return 0;
}

unsigned long schedule_auxiliary(unsigned long type)
{
	static const char bytes[16] = "always the same";

	(void)type;
	return (unsigned long)bytes;
}

/* ---- schedules ---- */

void schedule_begin(void)
{
	run.quiet = true;
	run.count = 1;
	run.now = START_NS;
	memcpy(thread_image, __start_survive_thread, thread_size());
}

void schedule_keep(void *memory, size_t size)
{
	if (!size)
		return;
	if (kept_count == KEPT_MAX)
		abort();
	kept[kept_count].memory = memory;
	kept[kept_count].size = size;
	kept[kept_count].copy = malloc(size);
	memcpy(kept[kept_count++].copy, memory, size);
	mapping_first = mapping_count; /* mappings so far are kept by whoever made them */
}

void schedule_keep_mapping(unsigned index, size_t first, size_t last)
{
	schedule_keep(mappings[index], first);
	schedule_keep(mappings[index] + mapped[index] - last, last);
}

static void restore(void)
{
	for (unsigned i = mapping_first; i < mapping_count; i++) {
		/* No scenario writes more than a little to a mapping. */
		memset(mappings[i], 0, DIRTY_BYTES < mapped[i] ? DIRTY_BYTES : mapped[i]);
		mapped[i] = 0;
	}
	memset(unmapped, 0, sizeof(unmapped));
	mapping_count = mapping_first;
	for (unsigned i = 0; i < kept_count; i++)
		memcpy(kept[i].memory, kept[i].copy, kept[i].size);
}

static void prepare_fibres(void)
{
	memset(threads, 0, sizeof(threads));
	for (unsigned i = 0; i < run.count; i++) {
		struct fibre *fibre = &fibres[i];
		fibre->state = FIBRE_RUNS;
		fibre->store_count = 0;
		fibre->handler = NULL;
		fibre->in_handler = false;
		fibre->thread = SCHEDULE_PROCESS + (int)i;
		threads[i] = true;
		memcpy(fibre->thread_bytes, thread_image, sizeof(fibre->thread_bytes));
		if (fibre->begun && !run.violation[0])
			continue;
		fibre->begun = false;
		getcontext(&fibre->context);
		fibre->context.uc_stack.ss_sp = stacks[i];
		fibre->context.uc_stack.ss_size = STACK_BYTES;
		makecontext(&fibre->context, enter, 0);
	}
}

bool schedule_run(const struct schedule_scenario *scenario, enum schedule_model model,
	uint64_t seed, bool traces)
{
	static const unsigned switches[] = {1, 1, 2, 3, 5}, arrivals[] = {0, 1, 3, 5};
	int end;

	restore();
	if (thread_size() > sizeof(thread_image))
		abort();
	run.scenario = scenario;
	run.model = model;
	run.traces = traces;
	run.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	run.random ^= run.random >> 29 ^ UINT64_C(0x2545f4914f6cdd1d);
	if (!run.random)
		run.random = 1;
	next_random();
	next_random();
	run.switch_bits = switches[schedule_random(5)];
	run.arrive_bits = arrivals[schedule_random(4)];
	run.now = START_NS * 2;
	run.points = 0;
	run.points_max = scenario->points_max ? scenario->points_max : POINTS_MAX;
	run.count = scenario->fibres;
	run.written = 0;
	run.sleeps = 0;
	run.asleep = run.failed = false;
	memset(held, 0, sizeof(held));
	prepare_fibres();
	run.violation[0] = '\0';
	run.current = 0;
	run.quiet = true;
	memcpy(__start_survive_thread, thread_image, thread_size());
	scenario->prepare();
	run.quiet = false;
	end = _setjmp(run.main);
	if (!end)
		resume(0);
	if (end == 2) { /* all fibres have ended */
		run.quiet = true;
		memcpy(__start_survive_thread, thread_image, thread_size());
		if (!_setjmp(run.main))
			scenario->check();
		run.quiet = false;
	}
	return !run.failed;
}
