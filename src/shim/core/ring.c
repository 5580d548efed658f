/*
 * ring.c: see ring.h. A producer marks its ring busy, writes the record at the head and publishes
 * it by storing the new head; the server frees space by moving the tail and sets the limit up to
 * which producers need not check anything else. Producer and server set one thing and check
 * another in opposite orders wherever one sleeps and the other wakes it, so no wake-up is lost.
 */
#include "shim/core/ring.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/test_point.h"
#include "shim/core/descriptor.h"
#include "shim/core/extra.h"
#include "shim/core/fork_page.h"
#include "shim/core/name.h"
#include "shim/core/registry.h"
#include "shim/core/ring_memory.h"
#include "shim/core/stamp.h"
#include "wire/loss.h"

enum {
	WAKER_YIELDS = 10000,
	QUARTER = 4,
	RING_WAIT_MS = 1000, /* the longest that a waiting producer sleeps before it checks again;
				also, a signal interrupts only a sleep that has a limit */
	REFUSED_MS = 10,     /* the same if a sandbox refuses futexes */
	PATIENCE_MS_DEFAULT = 12000,
	MAKE_AGAIN =
		1024 /* a thread that had no memory for a ring tries again after this many events */
};

/* A counter of drops: the number, the reasons, and the end of the epoch. */
#define DROP_REASON_SHIFT 37
#define DROP_COUNT ((UINT64_C(1) << DROP_REASON_SHIFT) - 1)
#define DROP_EPOCH_SHIFT 40
#define DROP_EPOCH_MASK (UINT64_MAX >> DROP_EPOCH_SHIFT)

struct ring_drops ring_unattached;

static _Atomic uint64_t drop_epoch; /* see ring_begin_epoch() */
static _Atomic bool listening;
static _Atomic pid_t owner; /* the process in which the server runs */
static _Atomic uint8_t event_wishes[EVENTS_MAX];
static _Atomic uint32_t lossless_events; /* types with that wish */
static _Atomic bool held;                /* see ring_set_held() */
static _Atomic bool wait_told;           /* the server will check for waiting producers */
static _Atomic bool gave_up;             /* see ring_has_waiters() */
static _Atomic uint32_t flush_ms;
static _Atomic uint32_t patience_ms = PATIENCE_MS_DEFAULT;
static _Atomic uint32_t turns; /* that the server has taken */
static _Atomic bool is_stuck;  /* it took none for longer than the patience, and none since */
static _Atomic bool asleep;    /* the server sleeps: the next record wakes it */
static _Atomic int waker = -1;
static struct descriptor_file waker_file; /* set before waker */
static _Atomic uint32_t waking;           /* number of producers that are using the waker */
static const struct ring_helper *_Atomic waiting_helper;
static struct ring *_Atomic watcher; /* the waiting producer that watches the clients for all */

/* Stands in for the ring of threads that have none. It is always busy, so that one test covers both
 * cases. */
static struct {
	struct vmtap_record record;
} __attribute__((aligned(64))) no_ring = {.record = {.busy = RING_WRITING}};
#define NO_RING ((struct ring *)(void *)&no_ring)

static __thread struct ring *thread_ring = NO_RING;
static __thread volatile bool thread_making; /* it is making its ring; a signal may interrupt */
static __thread volatile bool thread_waking; /* it is counted in waking */
static __thread unsigned thread_without;     /* events since memory for the ring ran out */
static __thread bool thread_serves;          /* it is the server's thread */

/* glibc 2.35 registers each thread for restartable sequences. The kernel keeps the number of
 * the thread's CPU up to date there, so reading it is a load instead of a call. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static inline uint16_t current_cpu(void)
{
#if defined(__has_builtin) && __has_builtin(__builtin_thread_pointer)
	if (__builtin_expect(&__rseq_offset && &__rseq_size && __rseq_size, 1)) {
		/* struct rseq: u32 cpu_id_start, u32 cpu_id */
		const volatile uint32_t *area =
			(const volatile uint32_t *)((char *)__builtin_thread_pointer() +
				__rseq_offset);
		int32_t cpu = (int32_t)area[1];
		if (__builtin_expect(cpu >= 0, 1))
			return (uint16_t)cpu;
	}
#endif
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (uint16_t)cpu;
}

/* Returns the number of epochs that have begun since the one that a counter has. */
static uint64_t drop_age(uint64_t counter, uint64_t epoch)
{
	return (epoch - (counter >> DROP_EPOCH_SHIFT)) & DROP_EPOCH_MASK;
}

/* epoch: as it was before the event was given up. Drops of several epochs in a counter have the
 * latest one: so none is kept from a client that is to be told of it. */
static void count_drop(struct ring *ring, uint32_t event, uint64_t epoch, enum loss_reason reason)
{
	struct ring_drops *drops = ring ? &ring->drops : &ring_unattached;
	uint64_t before, after;

	if (event >= EVENTS_MAX) /* the record of a text; the event that lacks the text is counted
				    instead */
		return;
	TEST_POINT("drop-decided");
	before = atomic_load(&drops->of[event]);
	do {
		uint64_t now = atomic_load(&drop_epoch); /* not before the counter is read */
		uint64_t counted = before & ((UINT64_C(1) << DROP_EPOCH_SHIFT) - 1);
		uint64_t of = epoch << DROP_EPOCH_SHIFT;
		if (counted && drop_age(before, now) < drop_age(of, now))
			of = before - counted;
		after = of | ((counted | (uint64_t)reason << DROP_REASON_SHIFT) + 1);
	} while (!atomic_compare_exchange_strong(&drops->of[event], &before, after));
	atomic_store_explicit(&drops->any, true, memory_order_release);
}

struct ring_drop ring_take_drop(struct ring_drops *drops, uint32_t event)
{
	uint64_t counter = atomic_exchange(&drops->of[event], 0), now = atomic_load(&drop_epoch);

	return (struct ring_drop){.count = counter & DROP_COUNT,
		.epoch = now - drop_age(counter, now),
		.reasons = counter >> DROP_REASON_SHIFT & LOSS_REASONS};
}

uint64_t ring_begin_epoch(void)
{
	return atomic_fetch_add(&drop_epoch, 1) + 1;
}

/*
 * Returns false in a child of vfork(), which shares our memory and the state of one of our threads,
 * and in any child if the kernel is too old for fork_page.h. Such a child must not create rings: a
 * ring made there would be freed when the child ends, while that thread still uses it.
 */
static bool is_owner(void)
{
	return getpid() == atomic_load_explicit(&owner, memory_order_relaxed);
}

/* The slow path, when the thread has no usable ring. Returns NULL if the event is dropped. */
static __attribute__((cold, noinline)) struct ring *ring_slow(uint32_t event)
{
	struct ring *ring = thread_ring == NO_RING ? NULL : thread_ring;

	/* Acquire: makes visible what was set up for producers, such as the choice of a clock. */
	if (!atomic_load_explicit(&listening, memory_order_acquire))
		return NULL; /* fired while its guard was being closed */
	if (fork_page_check())
		return NULL;
	/* A signal handler made the ring after the caller had found none. */
	if (ring && atomic_load_explicit(&ring->record.busy, memory_order_relaxed) == RING_IDLE)
		return ring;
	/* A signal handler has interrupted a record of this thread, or the creation of its ring. */
	if (ring || thread_making) {
		count_drop(ring, event, atomic_load(&drop_epoch), LOSS_INTERRUPTED);
		return NULL;
	}
	if (thread_without % MAKE_AGAIN == 0 && !is_owner()) {
		count_drop(NULL, event, atomic_load(&drop_epoch), LOSS_NO_RING);
		return NULL;
	}
	if (thread_without++ % MAKE_AGAIN == 0) {
		int saved = errno;
		thread_making = true;
		atomic_signal_fence(memory_order_seq_cst);
		if (thread_ring == NO_RING) { /* a signal handler may have made it just now */
			ring = ring_map();
			if (ring)
				thread_ring = ring;
		}
		atomic_signal_fence(memory_order_seq_cst);
		thread_making = false;
		errno = saved;
	}
	if (thread_ring != NO_RING)
		return thread_ring;
	count_drop(NULL, event, atomic_load(&drop_epoch), LOSS_NO_RING);
	return NULL;
}

static void ring_tell_server(void)
{
	int descriptor;

	thread_waking = true;
	atomic_signal_fence(memory_order_seq_cst);
	atomic_fetch_add(&waking, 1);
	TEST_POINT("ring-wakes-server");
	descriptor = atomic_load(&waker);
	if (descriptor >= 0)
		descriptor_tell(descriptor, waker_file, 1);
	atomic_fetch_sub(&waking, 1);
	atomic_signal_fence(memory_order_seq_cst);
	thread_waking = false;
}

/* A text precedes its event and may belong to any, so any lossless event counts for it. */
static bool is_lossless(uint32_t event)
{
	return event < EVENTS_MAX ? atomic_load(&event_wishes[event]) & RING_LOSSLESS
				  : atomic_load(&lossless_events) > 0;
}

/* A text is not held, because its event, which follows, is. */
static inline bool is_held(uint32_t event)
{
	return event < EVENTS_MAX && atomic_load(&held);
}

static void ring_bump(struct ring *ring)
{
	atomic_fetch_add(&ring->room, 1);
	syscall(SYS_futex, &ring->room, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* One waiting producer at a time watches the clients; the others sleep. */
static bool start_watching(struct ring *ring)
{
	struct ring *nobody = NULL;

	return atomic_load(&watcher) == ring ||
		atomic_compare_exchange_strong(&watcher, &nobody, ring);
}

void ring_stop_watching(struct ring *ring)
{
	atomic_compare_exchange_strong(&watcher, &ring, NULL);
}

/* Lets another waiting producer watch the clients, unless one does already. */
static void stop_watching(struct ring *ring, const struct ring_helper *help)
{
	ring_stop_watching(ring);
	if (!atomic_load(&watcher))
		help->pass_on();
}

/*
 * Sleeps until the ring's futex changes or, for the producer that watches the clients, until one of
 * them can take bytes; at most until the deadline if there is one. Returns false to give up,
 * because the deadline has passed or waiting is impossible here.
 */
static bool ring_sleep(
	struct ring *ring, uint32_t seen, uint64_t *deadline, const struct ring_helper *watches)
{
	const struct timespec refused = {.tv_nsec = REFUSED_MS * 1000000L};
	uint64_t now = clock_monotonic(), wait = RING_WAIT_MS * UINT64_C(1000000);

	if (*deadline && now >= *deadline)
		return false;
	if (*deadline && *deadline - now < wait)
		wait = *deadline - now;
	const struct timespec limit = {
		.tv_sec = (time_t)(wait / 1000000000u), .tv_nsec = (long)(wait % 1000000000u)};
	int error = 0;
	if (watches)
		error = -watches->wait((int)(wait / 1000000) + 1);
	else if (syscall(SYS_futex, &ring->room, FUTEX_WAIT_PRIVATE, seen, &limit, NULL, 0))
		error = errno;
	if (!error || error == EAGAIN || error == ETIMEDOUT)
		return true;
	if (error == EINTR) {
		if (!*deadline)
			*deadline = now + atomic_load(&flush_ms) * UINT64_C(1000000);
		return true;
	}
	return !watches && (!nanosleep(&refused, NULL) || errno == EINTR);
}

/* Wakes the server if it is asleep. Only one producer makes the system call for that. */
static void wake_server(void)
{
	if (atomic_load(&asleep) && atomic_exchange(&asleep, false))
		ring_tell_server();
}

/*
 * Returns true if this producer should give up, because the server has taken no turn for too long
 * while it waited. *since is for how long it has taken none, in ns; *seen is the number of its
 * turns so far.
 */
static bool is_hopeless(uint32_t *seen, uint64_t *since, uint64_t slept)
{
	const uint64_t most = RING_WAIT_MS * UINT64_C(1000000);
	uint32_t now = atomic_load(&turns);

	if (now != *seen) {
		*seen = now;
		*since = 0;
		return false;
	}
	/* Count no more than a sleep can last: the whole process may have been stopped
	 * meanwhile. */
	*since += slept < most ? slept : most;
	if (*since < atomic_load(&patience_ms) * UINT64_C(1000000))
		return false;
	/* Set before the turns are read again; the server does the two in the opposite order. */
	atomic_store(&is_stuck, true);
	if (atomic_load(&turns) == now)
		return true;
	atomic_store(&is_stuck, false);
	return false;
}

/* Returns true if this thread would wait for itself: a signal handler has interrupted its use of
 * the registry, or the VM fires an event in a function that the server has called. */
static bool waits_for_itself(void)
{
	return thread_serves || registry_is_used_here();
}

/* Waits for room as long as a client requires that. After a signal the wait is limited, so that the
 * program can act on what its handler has noted. *epoch: as it was before what clients require was
 * read for the last time. */
static bool ring_wait(struct ring *ring, uint32_t event, uint64_t next, uint64_t *epoch)
{
	const struct ring_helper *help = atomic_load(&waiting_helper);
	enum ring_help helped = RING_BUSY;
	int saved = errno;
	uint64_t deadline = 0, before, hopeless = 0;
	uint32_t turn = atomic_load(&turns);
	bool room = false, told = false;

	if (!is_owner() || waits_for_itself())
		return false;
	atomic_store_explicit(&ring->record.busy, RING_WAITING, memory_order_seq_cst);
	TEST_POINT("ring-waits");
	for (;;) {
		uint32_t seen = atomic_load(&ring->room);
		*epoch = atomic_load(&drop_epoch);
		/* Read room before deciding whether to wait: the ring may have been emptied for
		 * the last time. */
		bool waits = atomic_load(&listening) && is_lossless(event);
		uint64_t tail = atomic_load(&ring->tail);
		atomic_store(&ring->limit, tail + ring->size);
		room = next - tail <= ring->size;
		if (!waits || (room && !is_held(event))) {
			/* The limit may have been set after the server armed the ring for its
			 * sleep. */
			wake_server();
			break;
		}
		if (!told && !atomic_exchange(&wait_told, true))
			ring_tell_server();
		told = true;
		if (help && helped != RING_DRAINED) {
			helped = help->drain();
			if (helped == RING_DRAINED)
				continue;
			if (helped == RING_NO_HELP)
				break;
		}
		if (atomic_load(&is_stuck))
			break;
		bool watches = helped == RING_DRAINED && start_watching(ring);
		helped = RING_BUSY;
		before = clock_monotonic();
		bool goes_on = ring_sleep(ring, seen, &deadline, watches ? help : NULL);
		if (goes_on && is_hopeless(&turn, &hopeless, clock_monotonic() - before))
			break;
		if (!goes_on) {
			atomic_store(&gave_up, true);
			atomic_store(&wait_told, true);
			ring_tell_server();
			break;
		}
	}
	atomic_store_explicit(&ring->record.busy, RING_WRITING, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (help)
		stop_watching(ring, help);
	errno = saved;
	return room;
}

/* Returns true if the event is dropped. */
static __attribute__((cold, noinline)) bool ring_full(
	struct ring *ring, uint32_t event, uint64_t next, bool lossless)
{
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	uint64_t epoch = atomic_load(&drop_epoch);

	if (fork_page_check())
		return true;
	/* The event's tag may be older than the epoch. In one that a lossless client has begun, its
	 * events wait. */
	lossless = lossless || is_lossless(event);
	/* Set the limit before checking whether the server sleeps; the server does the two in
	 * the opposite order. */
	atomic_store(&ring->limit, tail + ring->size);
	wake_server();
	if (next - tail <= ring->size && !(lossless && is_held(event)))
		return false;
	if (lossless && ring_wait(ring, event, next, &epoch))
		return false;
	count_drop(ring, event, epoch, LOSS_ROOM);
	return true;
}

static inline void put_head(unsigned char *at, uint64_t time, uint32_t event)
{
	uint16_t event_and_cpu[2] = {(uint16_t)event, (uint16_t)current_cpu()};

	memcpy(at + RECORD_TIME, &time, sizeof(time));
	memcpy(at + RECORD_EVENT, event_and_cpu, sizeof(event_and_cpu));
}

/* Reserves space for a record of this size, preceded by the CPU clock if clocked is set, and by the
 * stack unless it is NULL. Either all of them fit, or none is written. */
static inline __attribute__((always_inline)) struct vmtap_record *reserve(uint32_t event,
	uint32_t bytes, bool clocked, const struct vmtap_stack *stack, bool lossless)
{
	struct ring *ring = thread_ring;

	if (__builtin_expect(
		    atomic_load_explicit(&ring->record.busy, memory_order_relaxed) != 0, 0)) {
		ring = ring_slow(event);
		if (!ring)
			return NULL;
	}
	atomic_store_explicit(&ring->record.busy, RING_WRITING, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	uint64_t head = atomic_load_explicit(&ring->record.head, memory_order_relaxed);
	uint64_t next = ring_after(head,
		bytes + (clocked ? RING_CLOCK_BYTES : 0) +
			(stack ? stack_record_bytes(stack->count) : 0),
		ring->size);
	if (__builtin_expect(next > atomic_load_explicit(&ring->limit, memory_order_relaxed) ||
			    (lossless && is_held(event)),
		    0) &&
		ring_full(ring, event, next, lossless)) {
		atomic_store_explicit(&ring->record.busy, RING_IDLE, memory_order_release);
		return NULL;
	}
	TEST_POINT("record-begun");
	unsigned char *at = ring->bytes + (head & (ring->size - 1));
	if (clocked) {
		struct timespec cpu = {0};
		int saved = errno;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
		errno = saved;
		uint64_t spent = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
		put_head(at, stamp_raw(), RING_CLOCK);
		memcpy(at + RING_CLOCK_VALUE, &spent, sizeof(spent));
		at += RING_CLOCK_BYTES;
	}
	if (stack) {
		put_head(at, stamp_raw(), RING_STACK);
		stack_record_put(stack, at);
		at += stack_record_bytes(stack->count);
	}
	put_head(at, stamp_raw(), event);
	ring->record.at = at;
	ring->record.next = next;
	return &ring->record;
}

/* The walker runs before the record is begun, so it may take as long as it needs: the server does
 * not have to wait for it, and what the walker fires is recorded. */
static __attribute__((noinline)) struct vmtap_record *begin_with_stack(
	uint32_t number, uint32_t bytes, uint32_t wishes)
{
	struct ring *ring = thread_ring;
	const struct vmtap_stack *stack;
	struct vmtap_record *record;
	int saved = errno;

	if (atomic_load_explicit(&ring->record.busy, memory_order_relaxed) != 0) {
		ring = ring_slow(number);
		if (!ring)
			return NULL;
	}
	stack = vmtap_extra_walker->walk(&ring->stack);
	errno = saved;
	record = reserve(number, bytes, wishes & RING_CLOCKED, stack, wishes & RING_LOSSLESS);
	vmtap_extra_walker->done(&ring->stack, stack);
	return record;
}

/* Begins the record of an event with wishes other than RING_OPEN. */
static __attribute__((noinline)) struct vmtap_record *begin_tagged(uint32_t event, uint32_t bytes)
{
	uint32_t number = event & RING_NUMBER, wishes = (event >> RING_TAGS) * RING_CLOCKED;

	if (wishes & RING_UNHEARD)
		return NULL;
	if (wishes & RING_STACKS && extra_walker_is_there())
		return begin_with_stack(number, bytes, wishes);
	if (wishes & RING_CLOCKED)
		return reserve(number, bytes, true, NULL, wishes & RING_LOSSLESS);
	return reserve(number, bytes, false, NULL, wishes & RING_LOSSLESS);
}

static struct vmtap_record *ring_begin(uint32_t event, uint32_t bytes)
{
	if (__builtin_expect(event > RING_NUMBER, 0))
		return begin_tagged(event, bytes);
	return reserve(event, bytes, false, NULL, false);
}

/*
 * Returns the name's id. If the table is full or the name must not use an id, the id is valid for
 * this event only and the text is written before the event. Returns 0 if there is no room for the
 * text; the event itself may still fit, and then lacks the text.
 */
static uint32_t ring_name(struct vmtap_name *name)
{
	bool is_once = __atomic_load_n(&name->id, __ATOMIC_RELAXED) == VMTAP_NAME_ID_NONE;
	uint32_t id = is_once ? 0 : name_take(name);

	if (id)
		return id;
	uint32_t length = name->length < NAME_LENGTH_MAX ? name->length : NAME_LENGTH_MAX;
	uint32_t bytes =
		(RECORD_BODY + 8 + length + RECORD_ALIGN - 1) & ~(uint32_t)(RECORD_ALIGN - 1);
	struct vmtap_record *record =
		reserve(RING_NAME, bytes, false, NULL, is_lossless(RING_NAME));
	if (!record)
		return 0;
	id = NAME_TRANSIENT | thread_ring->next_transient++;
	memcpy(record->at + RECORD_BODY, &id, sizeof(id));
	memcpy(record->at + RECORD_BODY + 4, &length, sizeof(length));
	memcpy(record->at + RECORD_BODY + 8, name->text, length);
	TEST_POINT("name-recorded");
	atomic_store_explicit(&record->head, record->next, memory_order_release);
	atomic_store_explicit(&record->busy, RING_IDLE, memory_order_release);
	return id;
}

const struct vmtap_runtime ring_runtime = {.begin = ring_begin, .name = ring_name};

/* Makes every waiting producer check again. */
static void ring_wake(void)
{
	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		if (atomic_load(&ring->record.busy) == RING_WAITING)
			ring_bump(ring);
}

void ring_set_listening(bool now)
{
	if (now)
		atomic_store(&owner, getpid());
	if (atomic_exchange(&listening, now) && !now)
		ring_wake();
}

void ring_set_wishes(uint32_t event, uint8_t wishes)
{
	uint8_t before = atomic_exchange(&event_wishes[event], wishes);

	if (wishes & ~before & RING_LOSSLESS)
		atomic_fetch_add(&lossless_events, 1);
	if (before & ~wishes & RING_LOSSLESS) {
		atomic_fetch_sub(&lossless_events, 1);
		ring_wake();
	}
}

bool ring_set_held(bool now)
{
	bool before = atomic_exchange(&held, now);

	if (before && !now)
		ring_wake();
	return before;
}

void ring_set_flush(uint32_t ms)
{
	atomic_store(&flush_ms, ms);
}

void ring_set_patience(uint32_t ms)
{
	atomic_store(&patience_ms, ms);
}

void ring_note_turn(void)
{
	atomic_fetch_add(&turns, 1);
	if (atomic_load(&is_stuck))
		atomic_store(&is_stuck, false);
}

void ring_serve_here(void)
{
	thread_serves = true;
}

bool ring_has_waiters(bool *impatient)
{
	bool any = false;

	/* Before the rings are read; a producer does the two in the opposite order. */
	atomic_store(&wait_told, false);
	*impatient = atomic_exchange(&gave_up, false);
	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		any |= atomic_load(&ring->record.busy) == RING_WAITING;
	return any;
}

void ring_release(struct ring *ring)
{
	TEST_POINT("ring-drained");
	atomic_store_explicit(&ring->tail, ring->drained, memory_order_seq_cst);
	TEST_POINT("ring-space-free");
	if (atomic_load_explicit(&ring->record.busy, memory_order_seq_cst) == RING_WAITING)
		ring_bump(ring);
}

bool ring_arm(bool at_first)
{
	atomic_store(&asleep, true);
	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		atomic_store(&ring->limit,
			at_first ? 0 : atomic_load(&ring->tail) + ring->size / QUARTER);
	for (struct ring *ring = ring_first(); ring; ring = ring->next) {
		uint64_t length = atomic_load(&ring->record.head) - atomic_load(&ring->tail);
		if (length > (at_first ? 0 : ring->size / QUARTER) ||
			(at_first && atomic_load(&ring->record.busy) == RING_WRITING &&
				!ring->stuck)) {
			ring_disarm();
			return false;
		}
	}
	return true;
}

void ring_disarm(void)
{
	atomic_store(&asleep, false);
}

void ring_set_waker(int descriptor)
{
	if (descriptor >= 0)
		waker_file = descriptor_file(descriptor);
	atomic_store(&waker, descriptor);
}

bool ring_release_waker(int descriptor)
{
	int expected = descriptor;

	atomic_compare_exchange_strong(&waker, &expected, -1);
	for (unsigned i = 0; atomic_load(&waking) && i < WAKER_YIELDS; i++)
		sched_yield();
	return !atomic_load(&waking);
}

void ring_reset_thread(void)
{
	const struct ring_helper *help = atomic_load(&waiting_helper);
	struct ring *ring = thread_ring;

	thread_making = false;
	if (thread_waking)
		atomic_fetch_sub(&waking, 1);
	thread_waking = false;
	if (ring == NO_RING)
		return;
	extra_walker_reset(&ring->stack);
	atomic_store_explicit(&ring->record.busy, RING_IDLE, memory_order_release);
	if (help && atomic_load(&watcher) == ring)
		stop_watching(ring, help);
}

void ring_wake_one(void)
{
	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		if (atomic_load(&ring->record.busy) == RING_WAITING &&
			atomic_load(&watcher) != ring) {
			ring_bump(ring);
			return;
		}
}

void ring_set_helper(const struct ring_helper *now)
{
	atomic_store(&waiting_helper, now);
}

void ring_fork_child(void)
{
	struct ring *own = thread_ring == NO_RING ? NULL : thread_ring;

	ring_memory_fork_child(own);
	extra_walker_fork_child(own ? &own->stack : NULL);
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		atomic_store(&event_wishes[i], 0);
	atomic_store(&lossless_events, 0);
	atomic_store(&is_stuck, false);
	thread_serves = false;
	atomic_store(&waker, -1);
	atomic_store(&waking, 0);
	atomic_store(&asleep, false);
	atomic_store(&held, false);
	atomic_store(&wait_told, false);
	atomic_store(&gave_up, false);
	atomic_store(&waiting_helper, NULL);
	atomic_store(&watcher, NULL);
}
