/*
 * cpu_timer.c: see cpu_timer.h. Records of threads lie in blocks that are only added, so a signal
 * handler can check that a record is ours without a lock. A record's state is changed by
 * compare-and-swap, and the thread that has changed it to MAKING or DELETING alone uses its timer.
 * Handlers and vmtap_sample_wanted() must not allocate memory, except a block by mmap().
 */
#include "shim/extra/cpu_timer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/test_point.h"
#include "shim/core/budget.h"
#include "shim/core/descriptor.h"
#include "shim/core/ledger.h"
#include "shim/core/registry.h"
#include "shim/core/stamp.h"
#include "shim/core/vm_call.h"
#include "vmtap.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum {
	BLOCK_BYTES = 16384,
	NO_TIMER = -1,
	SIGNALS_READ = 16,
	LOOKS = 10, /* checks of the signal's action before all threads are checked */
	MADE_MANY = 256,
	/* Timers expire at the scheduler's ticks, which may be 10 ms apart. */
	SILENT_PERIODS = 4,
	SILENT_NS = 50000000,
	FRAME_MIN = 2048,    /* of a signal, if the kernel does not say */
	HANDLER_STACK = 2048 /* of the handler, with what may interrupt it */
};

/* Determines who may use a timer. */
enum record_state {
	RECORD_IDLE,   /* there is none */
	RECORD_MAKING, /* its thread makes it, or somebody sets its next expiry */
	RECORD_ARMED,
	RECORD_DELETING /* the thread that has set this state deletes the timer */
};

/* One thread of the VM. */
struct timer_record {
	_Atomic uint32_t thread; /* its id; 0: the record is free */
	_Atomic uint32_t state;
	int timer; /* the kernel writes it, before it returns from timer_create() */
	_Atomic bool to_library;
	_Atomic bool is_refused;
	_Atomic uint64_t round;  /* that the timer was made for */
	_Atomic uint64_t due;    /* ns */
	_Atomic uint64_t marked; /* ns, by this timer */
	/* A signal of an earlier timer may still be marked while the thread makes a new one. */
	_Atomic uint64_t period;
	uint64_t due_round; /* the round that `due` belongs to */
	uint64_t made_at;   /* the thread's CPU clock when the timer was made */
};

enum { BLOCK_RECORDS = (BLOCK_BYTES - 16) / sizeof(struct timer_record) };

/* Blocks are only added. */
struct timer_block {
	struct timer_block *next;
	struct timer_record records[BLOCK_RECORDS];
};

static struct timer_block *_Atomic blocks;
static _Atomic uint32_t generation; /* counts forks: a child does not use its parent's records */

static _Atomic uint64_t current_round; /* number of the round; 0: there is none */
static _Atomic uint64_t period;
static _Atomic int number;         /* of the signal */
static _Atomic bool is_direct;     /* threads may be signalled */
static _Atomic uint32_t library;   /* id of the thread that reads the descriptor; 0: none */
static _Atomic bool wants_library; /* a thread blocks the signal */
static _Atomic bool has_too_few;
static _Atomic unsigned made; /* timers since the threads were checked */

static uint64_t rounds;
static bool has_thread, has_handler;
static int handled;                /* the signal that has our handler */
static int signal_descriptor = -1; /* in the ledger */
static bool is_reading;            /* in this round */
static struct descriptor_file signal_file;

static void (*_Atomic due_function)(void *context);
static void *_Atomic due_context;
static struct vm_calls due_calls;

static __thread struct timer_record *own_record;
static __thread uint32_t own_generation;
static __thread volatile bool is_making;

/* ---- timers ---- */

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time = {0};

	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Reads the CPU clock of a thread of this process. Builds the clock's id like
 * pthread_getcpuclockid(). */
static uint64_t clock_of(uint32_t thread)
{
	enum { OF_THREAD = 4, RUNNING = 2 };

	return read_clock((clockid_t)(~thread << 3 | OF_THREAD | RUNNING));
}

/*
 * Each period of CPU time has one sample, at a random moment in it. So a program that repeats the
 * same work in about one period is not always sampled at the same place, and threads that use less
 * CPU time than a period are sampled in proportion to it.
 *
 * A timer expires at the first of the scheduler's ticks after its time, half a tick too late on
 * average, or never in the life of a thread that is shorter than the distance of two ticks. Setting
 * it three quarters of a tick earlier makes up for both to within a quarter.
 *
 * Returns the ns from now on the thread's clock. An expiry that is already late comes with the next
 * tick.
 */
static uint64_t next_expiry(const struct timer_record *record, uint64_t now)
{
	uint64_t marked = atomic_load(&record->marked), at = record->made_at + marked;
	uint64_t random = stamp_raw() ^ (uint64_t)(uintptr_t)record ^ marked << 20 ^
		(uint64_t)atomic_load(&record->thread) << 32;
	struct timespec tick = {0};
	uint64_t early;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	early = (uint64_t)tick.tv_nsec * 3 / 4;
	random = (random ^ random >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	random ^= random >> 29;
	at += random % record->period;
	return at > now + early ? at - now - early : 1;
}

/* The interval makes the timer count further periods until the next expiry is set. */
static int set_expiry(const struct timer_record *record, uint64_t first)
{
	struct {
		long interval_s, interval_ns, first_s, first_ns;
	} times = {(long)(record->period / 1000000000), (long)(record->period % 1000000000),
		(long)(first / 1000000000), (long)(first % 1000000000)};

	return syscall(SYS_timer_settime, record->timer, 0, &times, NULL) ? -errno : 0;
}

/* Uses system calls, because the C library's functions may allocate memory. */
static int make_timer(struct timer_record *record, clockid_t clock, uint32_t receiver)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = atomic_load(&number),
		.sigev_value = {.sival_ptr = record}};
	int error = 0;

	event.sigev_notify_thread_id = (int)receiver;
	record->timer = NO_TIMER;
	if (syscall(SYS_timer_create, clock, &event, &record->timer))
		error = -errno;
	else
		error = set_expiry(record, next_expiry(record, record->made_at));
	if (error && record->timer != NO_TIMER)
		syscall(SYS_timer_delete, record->timer);
	return error;
}

/* Deletes a timer that the caller has taken. */
static void delete_taken(struct timer_record *record)
{
	if (record->timer != NO_TIMER)
		syscall(SYS_timer_delete, record->timer);
	record->timer = NO_TIMER;
	atomic_store(&record->state, RECORD_IDLE);
}

static void disarm(struct timer_record *record)
{
	uint32_t armed = RECORD_ARMED;

	atomic_store(&record->round, 0);
	if (atomic_compare_exchange_strong(&record->state, &armed, RECORD_DELETING))
		delete_taken(record);
}

/* ---- the signal ---- */

static bool is_ours(const struct timer_record *record)
{
	for (struct timer_block *block = atomic_load(&blocks); block; block = block->next) {
		uintptr_t offset = (uintptr_t)record - (uintptr_t)block->records;

		if (offset < sizeof(block->records))
			return offset % sizeof(*record) == 0;
	}
	return false;
}

/* A thread that finds the state MAKING does not delete the timer, so we do it afterwards if need
 * be. */
static void set_next(struct timer_record *record)
{
	uint64_t round = atomic_load(&record->round), now = clock_of(atomic_load(&record->thread));
	uint32_t armed = RECORD_ARMED;

	/* no clock: the thread has ended */
	if (!now || !atomic_compare_exchange_strong(&record->state, &armed, RECORD_MAKING))
		return;
	set_expiry(record, next_expiry(record, now));
	atomic_store(&record->state, RECORD_ARMED);
	if (atomic_load(&record->round) != round || atomic_load(&current_round) != round)
		disarm(record);
}

static void mark(struct timer_record *record, int overrun)
{
	uint64_t times = 1 + (overrun > 0 ? (uint64_t)overrun : 0);
	uint64_t marked = atomic_load_explicit(&record->period, memory_order_relaxed) * times;

	atomic_fetch_add_explicit(&record->marked, marked, memory_order_relaxed);
	atomic_fetch_add_explicit(&record->due, marked, memory_order_relaxed);
	set_next(record);
}

/* Makes sure that the context is the function's: another registration may come between the
 * loads. */
static void call_due(void)
{
	void (*function)(void *);
	void *context;

	vm_call_begin(&due_calls);
	do {
		context = atomic_load(&due_context);
		function = atomic_load(&due_function);
	} while (context != atomic_load(&due_context));
	if (function)
		function(context);
	vm_call_leave(&due_calls);
}

/* May be called at any time by a program that saved it as the handler before its own. */
static void handle(int signal, siginfo_t *info, void *context)
{
	int saved = errno;
	struct timer_record *record = info->si_value.sival_ptr;

	(void)signal;
	(void)context;
	if (info->si_code == SI_TIMER && is_ours(record)) {
		mark(record, info->si_overrun);
		call_due();
	}
	errno = saved;
}

static bool is_our_action(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == handle;
}

static bool is_default(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

/* Takes a signal only if it has no handler. Ours runs on the thread's alternate stack, if it has
 * one: the VM's threads may run on small stacks. */
static bool take_signal(int signal)
{
	struct sigaction ours = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	struct sigaction before;

	registry_signals(&ours.sa_mask);
	if (has_handler && handled != signal)
		return false; /* an earlier signal could not be given back yet */
	if (sigaction(signal, NULL, &before) || !(is_default(&before) || is_our_action(&before)))
		return false;
	handled = signal; /* set first: a child of fork() must know what to give back */
	if (!is_our_action(&before) && sigaction(signal, &ours, &before))
		return false;
	if (!is_default(&before) && !is_our_action(&before)) {
		sigaction(signal, &before, NULL); /* another thread has set a handler meanwhile */
		return false;
	}
	has_handler = true;
	return true;
}

/*
 * Gives the signal back. Ignoring it for a moment discards it where it is pending; otherwise its
 * default action could kill the process in a thread that has not run since its timer expired. A
 * signal that the program has blocked, to read it itself, must not be lost: then our handler stays.
 */
static void give_back(void)
{
	struct sigaction now, ours;
	sigset_t pending;

	if (!has_handler)
		return;
	sigemptyset(&pending);
	if (!sigpending(&pending) && sigismember(&pending, handled) == 1)
		return;
	if (sigaction(handled, NULL, &now))
		return;
	has_handler = false;
	if (!is_our_action(&now))
		return;
	memset(&now, 0, sizeof(now));
	now.sa_handler = SIG_IGN;
	if (sigaction(handled, &now, &ours))
		return;
	now.sa_handler = SIG_DFL;
	sigaction(handled, is_our_action(&ours) ? &now : &ours, NULL);
}

/* ---- the library's thread ---- */

static void fill(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, atomic_load(&number));
}

/* Returns true if the descriptor is ours. Many other files have the same identity (device and
 * inode), but only a signalfd accepts this call. */
static bool is_ours_still(void)
{
	sigset_t set;

	fill(&set);
	return signal_descriptor >= 0 && descriptor_is(signal_descriptor, signal_file) &&
		signalfd(signal_descriptor, &set, SFD_CLOEXEC | SFD_NONBLOCK) == signal_descriptor;
}

/* The descriptor stays open after the round: a child made while it is being closed would keep
 * it. */
static bool open_descriptor(void)
{
	sigset_t set;

	if (is_reading || !has_thread)
		return is_reading;
	fill(&set);
	if (!is_ours_still()) {
		ledger_drop(signal_descriptor);
		signal_descriptor = ledger_enter(
			descriptor_own(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)));
		if (signal_descriptor < 0)
			return false;
		signal_file = descriptor_file(signal_descriptor);
	}
	is_reading = true;
	atomic_store(&library, (uint32_t)syscall(SYS_gettid));
	return true;
}

static void stop_reading(void)
{
	atomic_store(&library, 0);
	is_reading = false;
}

int cpu_timer_descriptor(void)
{
	return is_reading ? signal_descriptor : -1;
}

void cpu_timer_close(void)
{
	stop_reading();
	if (signal_descriptor >= 0)
		ledger_close(signal_descriptor, signal_file);
	signal_descriptor = -1;
}

/* Ends the use of timers: from now on threads are sampled by ticks. */
static void refuse_timers(void)
{
	atomic_store(&current_round, 0);
	atomic_store(&has_too_few, true);
}

/* Called if we have read a signal that the program waits for: sends it again, and no longer uses
 * this signal. */
static void return_signal(const struct signalfd_siginfo *read)
{
	siginfo_t info = {.si_signo = (int)read->ssi_signo,
		.si_code = read->ssi_code,
		.si_errno = read->ssi_errno};

	info.si_pid = (pid_t)read->ssi_pid;
	info.si_uid = read->ssi_uid;
	info.si_value.sival_ptr = (void *)(uintptr_t)read->ssi_ptr;
	stop_reading();
	/* Only the process's first thread may queue a signal as if kill() had sent it. */
	if (syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info))
		kill(getpid(), info.si_signo);
	refuse_timers();
}

bool cpu_timer_read(void)
{
	struct signalfd_siginfo infos[SIGNALS_READ];
	bool has_marked = false;
	ssize_t got = 1;

	if (!is_reading)
		return false;
	if (!is_ours_still()) { /* the program has closed it */
		stop_reading();
		return false;
	}
	while (is_reading && (got = read(signal_descriptor, infos, sizeof(infos))) > 0) {
		for (size_t i = 0; i < (size_t)got / sizeof(*infos); i++) {
			struct timer_record *record = (void *)(uintptr_t)infos[i].ssi_ptr;

			if (infos[i].ssi_code != SI_TIMER || !is_ours(record)) {
				return_signal(&infos[i]);
				continue;
			}
			mark(record, (int)infos[i].ssi_overrun);
			has_marked = true;
		}
		if (got < (ssize_t)sizeof(infos))
			break;
	}
	return has_marked;
}

/* ---- threads ---- */

static struct timer_block *add_block(void)
{
	struct timer_block *block = budget_map(BUDGET_RING, BLOCK_BYTES, 0);

	if (!block)
		return NULL;
	for (size_t i = 0; i < BLOCK_RECORDS; i++)
		block->records[i].timer = NO_TIMER;
	block->next = atomic_load(&blocks);
	while (!atomic_compare_exchange_weak(&blocks, &block->next, block))
		;
	return block;
}

/* A record with this thread's id belonged to an ended thread, and is taken over. */
static bool claim_in(struct timer_block *block, uint32_t thread)
{
	for (size_t i = 0; i < BLOCK_RECORDS; i++) {
		struct timer_record *record = &block->records[i];
		uint32_t nobody = 0;

		if (atomic_load_explicit(&record->thread, memory_order_relaxed) == thread)
			disarm(record);
		else if (!atomic_compare_exchange_strong(&record->thread, &nobody, thread))
			continue;
		own_record = record;
		return true;
	}
	return false;
}

static bool claim(void)
{
	uint32_t thread = (uint32_t)syscall(SYS_gettid);
	struct timer_block *block;

	for (block = atomic_load(&blocks); block; block = block->next)
		if (claim_in(block, thread))
			break;
	while (!block && (block = add_block()) && !claim_in(block, thread))
		block = NULL; /* other threads have claimed all of it */
	if (!block)
		return false;
	own_generation = atomic_load(&generation);
	atomic_store(&own_record->to_library, false);
	atomic_store(&own_record->is_refused, false);
	atomic_store(&own_record->round, 0);
	return true;
}

/* If the thread's alternate stack has no room for the handler, the signal would end the process. */
static bool has_small_stack(void)
{
	unsigned long frame = getauxval(AT_MINSIGSTKSZ);
	stack_t stack = {0};

	if (sigaltstack(NULL, &stack))
		return true;
	return !(stack.ss_flags & SS_DISABLE) &&
		stack.ss_size < (frame > FRAME_MIN ? frame : FRAME_MIN) + HANDLER_STACK;
}

/* Returns the thread that gets the timer's signals; 0 if none can for now. blocked are the signals
 * that the thread blocks; NULL if it cannot block any or find that out. */
static uint32_t receiver_of(struct timer_record *record, const sigset_t *blocked)
{
	uint32_t thread;

	if (!atomic_load(&is_direct) || !blocked ||
		sigismember(blocked, atomic_load(&number)) == 1 || has_small_stack())
		atomic_store(&record->to_library, true);
	if (!atomic_load(&record->to_library))
		return atomic_load(&record->thread);
	thread = atomic_load(&library);
	if (!thread)
		atomic_store(&wants_library, true);
	return thread;
}

static bool arm(uint64_t round, const sigset_t *blocked)
{
	uint32_t idle = RECORD_IDLE, receiver;

	if ((!own_record || own_generation != atomic_load(&generation)) && !claim()) {
		atomic_store(&has_too_few, true);
		return false;
	}
	if (atomic_load(&own_record->is_refused) ||
		!atomic_compare_exchange_strong(&own_record->state, &idle, RECORD_MAKING))
		return false;
	atomic_store(&own_record->period, atomic_load(&period));
	own_record->made_at = read_clock(CLOCK_THREAD_CPUTIME_ID);
	atomic_store(&own_record->marked, 0);
	if (own_record->due_round != round)
		atomic_store(&own_record->due, 0);
	own_record->due_round = round;
	receiver = receiver_of(own_record, blocked);
	if (!receiver) {
		atomic_store(&own_record->state, RECORD_IDLE);
		return false;
	}
	if (make_timer(own_record, CLOCK_THREAD_CPUTIME_ID, receiver)) {
		atomic_store(&own_record->is_refused, true);
		atomic_store(&own_record->state, RECORD_IDLE);
		atomic_store(&has_too_few, true);
		return false;
	}
	TEST_POINT("timer-made");
	atomic_fetch_add(&made, 1);
	atomic_store(&own_record->round, round);
	atomic_store(&own_record->state, RECORD_ARMED);
	/* The server may have passed this record meanwhile, and have changed the receiver. */
	if (atomic_load(&current_round) != round ||
		(!atomic_load(&own_record->to_library) && !atomic_load(&is_direct)))
		disarm(own_record);
	return atomic_load(&own_record->round) == round;
}

/* Returns true if arm() would return false at every safepoint until the server has acted. */
static bool is_in_vain(const struct timer_record *record)
{
	if (atomic_load(&record->is_refused))
		return true;
	if (!atomic_load(&record->to_library) || atomic_load(&library))
		return false;
	atomic_store(&wants_library, true);
	return true;
}

/* Keeps the program's handlers from running meanwhile, since one could leave by longjmp() or fork,
 * and the thread from being cancelled. */
static bool arm_undisturbed(uint64_t round)
{
	int cancel = PTHREAD_CANCEL_ENABLE;
	sigset_t set, before;
	bool masked, serves;

	registry_signals(&set);
	sigemptyset(&before);
	masked = !pthread_sigmask(SIG_BLOCK, &set, &before);
	if (masked)
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	is_making = true;
	serves = arm(round, masked ? &before : NULL);
	is_making = false;
	if (masked) {
		pthread_setcancelstate(cancel, NULL);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	return serves;
}

bool cpu_timer_serves(void)
{
	uint64_t round = atomic_load_explicit(&current_round, memory_order_relaxed);
	int saved = errno;
	bool serves;

	if (own_record && atomic_load_explicit(&own_record->round, memory_order_relaxed) == round &&
		round)
		return true;
	if (!round || is_making) /* a signal handler has interrupted this */
		return false;
	if (own_record && own_generation == atomic_load(&generation) && is_in_vain(own_record))
		return false;
	serves = arm_undisturbed(round);
	errno = saved;
	return serves;
}

uint64_t cpu_timer_due(void)
{
	return atomic_load_explicit(&own_record->due, memory_order_relaxed);
}

uint64_t cpu_timer_take(void)
{
	if (!own_record || own_generation != atomic_load(&generation) ||
		own_record->due_round != atomic_load(&current_round))
		return 0;
	return atomic_exchange_explicit(&own_record->due, 0, memory_order_relaxed);
}

/* ---- rounds ---- */

void cpu_timer_set_due(void (*due)(void *context), void *context)
{
	atomic_store(&due_function, NULL);
	atomic_store(&due_context, context);
	atomic_store(&due_function, due);
}

void cpu_timer_await_due(void)
{
	vm_call_await(&due_calls);
}

static void disarm_all(void)
{
	for (struct timer_block *block = atomic_load(&blocks); block; block = block->next)
		for (size_t i = 0; i < BLOCK_RECORDS; i++)
			disarm(&block->records[i]);
}

bool cpu_timer_begin(const struct cpu_timer_terms *terms)
{
	bool direct;

	atomic_store(&has_too_few, false);
	atomic_store(&wants_library, false);
	if (terms->signal < VMTAP_SAMPLE_TO_LIBRARY)
		return false;
	has_thread = terms->has_thread;
	atomic_store(&period, terms->period);
	atomic_store(&number, terms->signal > 0 ? terms->signal : SIGURG);
	direct = terms->signals_threads && terms->signal >= 0 && take_signal(atomic_load(&number));
	atomic_store(&is_direct, direct);
	if (!direct && !open_descriptor())
		return false;
	for (struct timer_block *block = atomic_load(&blocks); block; block = block->next)
		for (size_t i = 0; i < BLOCK_RECORDS; i++) {
			atomic_store(&block->records[i].to_library, false);
			atomic_store(&block->records[i].is_refused, false);
		}
	atomic_store(&current_round, ++rounds);
	return true;
}

void cpu_timer_end(void)
{
	atomic_store(&current_round, 0);
	disarm_all();
	cpu_timer_read(); /* otherwise the signals would stay for the next round */
	stop_reading();
	give_back();
}

bool cpu_timer_is_short(void)
{
	return atomic_load(&has_too_few);
}

bool cpu_timer_help(void)
{
	if (!atomic_load(&current_round) || !atomic_exchange(&wants_library, false) ||
		atomic_load(&library))
		return false;
	if (!open_descriptor())
		atomic_store(&has_too_few, true);
	return is_reading;
}

/* Returns the CPU time that a thread has used since its timer was made without a signal for it. */
static uint64_t missed_by(const struct timer_record *record, uint32_t thread)
{
	uint64_t clock = clock_of(thread), known = record->made_at + atomic_load(&record->marked);

	return clock > known ? clock - known : 0;
}

/* Deletes a timer whose signals do not reach us any more. The missed time becomes due, and the
 * thread gets another timer when it next asks. */
static void replace(struct timer_record *record, uint32_t thread)
{
	uint64_t missed;

	if (atomic_load(&record->state) != RECORD_ARMED)
		return;
	missed = missed_by(record, thread);
	disarm(record);
	atomic_fetch_add(&record->due, missed - missed % record->period);
}

static void free_record(struct timer_record *record)
{
	uint32_t making = RECORD_MAKING;

	disarm(record);
	if (atomic_compare_exchange_strong(&record->state, &making, RECORD_DELETING))
		delete_taken(record);
	atomic_store(&record->thread, 0);
}

/* Returns true if the thread has used CPU time and no signal has come for it, because the thread
 * blocks the signal now or a sandbox swallows it. */
static bool check_silence(struct timer_record *record, uint32_t thread)
{
	if (atomic_load(&record->state) != RECORD_ARMED ||
		missed_by(record, thread) <= record->period * SILENT_PERIODS + SILENT_NS)
		return false;
	if (atomic_exchange(&record->to_library, true)) {
		atomic_store(&record->is_refused, true);
		atomic_store(&has_too_few, true);
	}
	replace(record, thread);
	return true;
}

static bool check_thread(struct timer_record *record, bool is_lost)
{
	uint32_t thread = atomic_load(&record->thread);

	if (!thread)
		return false;
	if (syscall(SYS_tgkill, getpid(), thread, 0) && errno == ESRCH) {
		free_record(record);
		return false;
	}
	if (!is_lost)
		return check_silence(record, thread);
	replace(record, thread);
	return true;
}

/* Returns true if the program now handles the signal itself. */
static bool has_lost_signal(void)
{
	struct sigaction now;

	if (!atomic_load(&is_direct) || sigaction(handled, NULL, &now) || is_our_action(&now))
		return false;
	has_handler = false;
	atomic_store(&is_direct, false);
	if (!open_descriptor())
		refuse_timers();
	return true;
}

bool cpu_timer_check(void)
{
	static unsigned looks;
	bool is_lost, wants = false;

	if (!atomic_load(&current_round))
		return false;
	is_lost = has_lost_signal();
	if (!is_lost && ++looks < LOOKS && atomic_load(&made) < MADE_MANY)
		return false;
	looks = 0;
	atomic_store(&made, 0);
	for (struct timer_block *block = atomic_load(&blocks); block; block = block->next)
		for (size_t i = 0; i < BLOCK_RECORDS; i++)
			wants |= check_thread(&block->records[i], is_lost);
	return wants;
}

void cpu_timer_settle(void)
{
	if (!atomic_load(&current_round))
		give_back();
}

/* The mapped memory stays: the child may be made by a handler in the middle of a function that uses
 * its thread's record, which is not used again after that. */
void cpu_timer_fork_child(void)
{
	atomic_store(&current_round, 0);
	atomic_store(&blocks, NULL);
	atomic_fetch_add(&generation, 1);
	atomic_store(&library, 0);
	atomic_store(&has_too_few, false);
	atomic_store(&wants_library, false);
	is_reading = false;
	signal_descriptor = -1; /* see ledger.h */
	is_making = false;
	has_handler = handled != 0; /* another thread may have been setting the handler */
	give_back();
	vm_call_fork_child(&due_calls);
}
