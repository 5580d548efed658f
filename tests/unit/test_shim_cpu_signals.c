/*
 * test_shim_cpu_signals.c: what the timers of samples by CPU time do to the program, and what the
 * program may do to them: signals that it handles, blocks, waits for or leaves by siglongjmp(),
 * threads that are cancelled, small stacks for signals, sandboxes, exec(), another user.
 */
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shim/cpu_samples.h"
#include "unit_main.h"

enum { SMALL_STACK = 2048 /* the least that the kernel accepts */ };

/* ---- the moment at which a thread has made its timer ---- */

static void (*_Atomic at_moment)(void);
static __thread sigjmp_buf escape;

/* Replaces the C library's function, which a thread calls between making its timer and setting
 * it. */
int clock_getres(clockid_t clock, struct timespec *resolution)
{
	void (*now)(void) = atomic_exchange(&at_moment, NULL);

	if (now)
		now();
	return (int)syscall(SYS_clock_getres, clock, resolution);
}

static void leave(int number)
{
	(void)number;
	siglongjmp(escape, 1);
}

static void raise_now(void)
{
	raise(SIGUSR1);
}

START_TEST(a_handler_leaves_by_siglongjmp)
{
	struct sigaction action = {.sa_handler = leave};
	volatile bool has_left = false;

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	if (sigsetjmp(escape, 1) == 0) {
		atomic_store(&at_moment, raise_now);
		work_until(5);
	} else {
		has_left = true;
	}
	ck_assert(has_left);
	ck_assert_int_le(timers(), 1);
	work_until(20);
	finish();
	check_weight();
	ck_assert_int_le(timers(), 0);
	ck_assert(is_default());
}
END_TEST

/* Not with AddressSanitizer: such a thread ends on its stack for signals, which that then cannot
 * release. */
#ifndef __SANITIZE_ADDRESS__
/* Until the timers of ended threads are gone. */
static void await_timers(int most)
{
	const struct timespec moment = {.tv_nsec = MS};

	while (timers() > most)
		nanosleep(&moment, NULL);
}

static void cancel_now(void)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cancel(pthread_self());
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
}

static void *work_for_ever(void *unused)
{
	for (;;) {
		work(0, MS);
		pthread_testcancel();
	}
	return unused;
}

START_TEST(a_thread_is_cancelled)
{
	pthread_t thread;

	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(3);
	atomic_store(&at_moment, cancel_now);
	ck_assert_int_eq(pthread_create(&thread, NULL, work_for_ever, NULL), 0);
	pthread_join(thread, NULL);
	await_timers(1); /* this thread's */
	work_until(atomic_load(&fired) + 5);
	finish();
	ck_assert_int_le(timers(), 0);
}
END_TEST
#endif

static void stop(void)
{
	vmtap_stop();
}

START_TEST(the_stream_is_stopped)
{
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	atomic_store(&at_moment, stop);
	while (atomic_load(&at_moment))
		work(0, MS);
	ck_assert(!vmtap_sample_wanted());
	ck_assert_int_le(timers(), 0);
	ck_assert(is_default());
	ck_reader(&reader, reader_until_end(&reader));
}
END_TEST

static volatile pid_t child;

static void fork_in_handler(int number)
{
	(void)number;
	child = fork();
}

/* By a handler. The child serves a stream of its own, and is sampled. */
START_TEST(a_child_is_made)
{
	struct sigaction action = {.sa_handler = fork_in_handler};
	int status;

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	child = -1;
	atomic_store(&at_moment, raise_now);
	while (child < 0)
		work(0, MS);
	if (!child)
		child_is_sampled(10);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	work_until(10);
	finish();
	check_weight();
	ck_assert_int_le(timers(), 0);
}
END_TEST

/* ---- the program's signals ---- */

START_TEST(the_signal_is_given_back)
{
	fixture_start();
	ck_assert(is_default());
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(10);
	ck_assert(!is_default());
	finish();
	check_weight();
	ck_assert(is_default());
	ck_assert_int_eq(raise(SIGURG), 0); /* it is ignored */
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(20);
	vmtap_stop();
	ck_assert(is_default());
}
END_TEST

/* The timers then signal the library's thread. */
START_TEST(a_signal_that_the_program_handles)
{
	own_handler();
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(20);
	finish();
	check_weight();
	ck_assert(is_own());
	ck_assert_uint_eq(handled, 0);
}
END_TEST

START_TEST(a_signal_that_the_program_handles_later)
{
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(5);
	own_handler();
	work_until(150);
	finish();
	check_weight();
	ck_assert(is_own());
}
END_TEST

START_TEST(a_signal_that_the_thread_blocks)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	fixture_start();
	if (_i)
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(5);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	work_until(50);
	finish();
	check_weight();
	ck_assert(is_default());
}
END_TEST

/* What the program has blocked to take it itself is not lost to it. */
START_TEST(a_signal_that_the_program_waits_for)
{
	const struct timespec limit = {.tv_sec = 20};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	ck_assert_int_eq(kill(getpid(), SIGURG), 0);
	work_until(20);
	finish();
	ck_assert_int_eq(sigtimedwait(&set, NULL, &limit), SIGURG);
}
END_TEST

START_TEST(another_signal_or_none)
{
	struct vmtap_sample_options options = {.size = sizeof(options)};
	static const int signals[] = {SIGUSR2, VMTAP_SAMPLE_TO_LIBRARY, VMTAP_SAMPLE_NO_TIMERS};

	options.signal = signals[_i];
	ck_assert_int_eq(vmtap_sample_register(&options), 0);
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(20);
	ck_assert(is_default());
	finish();
	check_weight();
	ck_assert(is_default());
}
END_TEST

/* Threads that block all signals, as a program has them which waits for signals in one place. */
static void *wait_for_all(void *count)
{
	sigset_t all;
	int number = 0;

	sigfillset(&all);
	while (!sigwait(&all, &number) && number != SIGTERM)
		atomic_fetch_add((_Atomic unsigned *)count, 1);
	return NULL;
}

START_TEST(a_thread_waits_for_all_signals)
{
	static _Atomic unsigned seen;
	pthread_t thread;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	fixture_start();
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_all, (void *)&seen), 0);
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(30);
	finish();
	check_weight();
	pthread_kill(thread, SIGTERM);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(seen, 0);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}
END_TEST

/* ---- small stacks for signals ---- */

/* On a processor whose registers need more than there is here, the kernel ends a process that gets
 * a signal on such a stack. */
static void *work_on_small_stack(void *memory)
{
	const stack_t stack = {.ss_sp = memory, .ss_size = SMALL_STACK};
	stack_t before;

	ck_assert_int_eq((int)syscall(SYS_sigaltstack, &stack, &before), 0);
	work_until(20);
	/* AddressSanitizer unmaps the stack that the thread has at its end. */
	ck_assert_int_eq((int)syscall(SYS_sigaltstack, &before, NULL), 0);
	return NULL;
}

START_TEST(a_small_stack_for_signals)
{
	static char memory[SMALL_STACK];
	pthread_t thread;

	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	ck_assert_int_eq(pthread_create(&thread, NULL, work_on_small_stack, memory), 0);
	pthread_join(thread, NULL);
	finish();
	check_weight();
}
END_TEST

/* ---- sandboxes ----
 * Check asks timer_create() before and after a test whether CLOCK_MONOTONIC has timers, and takes
 * the time from another clock if not. So the answer for that clock must not change between: the
 * test's duration would be a difference of two clocks, which fits Check's field or not, depending
 * on the time of day. */

static const struct {
	int call, error; /* 0: it pretends to succeed; timer_create may not, for Check's sake */
} refusals[] = {{SYS_timer_create, EPERM}, {SYS_timer_create, ENOSYS}, {SYS_timer_settime, EPERM},
	{SYS_timer_settime, 0}, {SYS_timer_delete, EPERM}, {SYS_rt_sigaction, EPERM},
	{SYS_rt_sigprocmask, EPERM}, {SYS_rt_sigpending, EPERM}, {SYS_clock_getres, EPERM},
	{SYS_gettid, EPERM}, {SYS_signalfd4, EPERM}, {SYS_tgkill, EPERM}, {SYS_sigaltstack, EPERM}};
enum {
#ifdef __SANITIZE_ADDRESS__
	/* AddressSanitizer's threads cannot begin without sigaltstack(), the last. */
	REFUSALS = sizeof(refusals) / sizeof(*refusals) - 1
#else
	REFUSALS = sizeof(refusals) / sizeof(*refusals)
#endif
};

static bool is_refused;

/* LeakSanitizer asks this before it looks for leaks, which it cannot do without some of the calls.
 */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_refused;
}

static bool refuse(int call, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_MONOTONIC, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog program = {.len = sizeof(code) / sizeof(*code), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			&program) == 0;
}

START_TEST(a_call_is_refused)
{
	fixture_start();
	ck_assert(refuse(refusals[_i].call, refusals[_i].error));
	is_refused = true;
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(20);
	finish();
	check_weight();
}
END_TEST

/* ---- exec(), another user ---- */

START_TEST(the_program_executes_another)
{
	struct vmtap_sample_options with = {.size = sizeof(with), .signal = SIGUSR2};
	int status;

	child = fork();
	if (!child) {
		vmtap_sample_register(&with);
		fixture_set_path();
		fixture_start();
		begin(WIRE_SAMPLING_TIME, PERIOD);
		work_until(10);
		if (_i) {
			sigset_t set;
			sigemptyset(&set);
			sigaddset(&set, SIGUSR2);
			pthread_sigmask(SIG_BLOCK, &set, NULL);
			work(0, 30 * MS); /* one is pending */
		}
		execl("/bin/sleep", "sleep", "0.1", (char *)NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(another_user)
{
	enum { NOBODY = 65534 };

	if (geteuid())
		return;
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(5);
	ck_assert_int_eq(seteuid(NOBODY), 0);
	work_until(30);
	ck_assert_int_eq(seteuid(0), 0);
	work_until(40);
	finish();
	check_weight();
}
END_TEST

/* ---- system calls that a signal interrupts ---- */

enum { WAITS = 4 };

/* Whether the call was interrupted. */
static bool await_in(unsigned kind)
{
	const struct timespec time = {.tv_nsec = MS};
	struct timespec until;
	static uint32_t word;
	sem_t semaphore;
	int got = -1;

	switch (kind) {
	case 0:
		return nanosleep(&time, NULL) != 0;
	case 1:
		return poll(NULL, 0, 1) != 0;
	case 2:
		sem_init(&semaphore, 0, 0);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += MS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		got = sem_timedwait(&semaphore, &until);
		sem_destroy(&semaphore);
		return got && errno == EINTR;
	default:
		return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, NULL, 0) && errno == EINTR;
	}
}

START_TEST(waits_are_not_interrupted)
{
	unsigned waited[WAITS] = {0}, failed[WAITS] = {0};

	fixture_start();
	begin(WIRE_SAMPLING_TIME, MS);
	while (atomic_load(&fired) < 100)
		for (unsigned kind = 0; kind < WAITS; kind++) {
			work(0, MS);
			waited[kind]++;
			failed[kind] += await_in(kind);
		}
	finish();
	for (unsigned kind = 0; kind < WAITS; kind++)
		ck_assert_msg(failed[kind] * 50 <= waited[kind], "kind %u: %u of %u", kind,
			failed[kind], waited[kind]);
}
END_TEST

/* ---- two clients ---- */

START_TEST(two_clients_with_different_rates)
{
	static struct reader other;
	uint64_t begun;

	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(20);
	begun = cpu_time();
	ck_reader(&other, reader_open(&other, fixture_path) && reader_until_header(&other));
	ask(&other, WIRE_SAMPLING_TIME, MS);
	reader_subscribe_names(&other, 0, 1, "vm:::sample", 0);
	ck_reader(&other, reader_until_acknowledged(&other, 1));
	/* The thread is sampled while it reads, too. */
	atomic_fetch_add(&used[0], cpu_time() - begun);
	work_until(60);
	begun = cpu_time();
	ck_reader(&other, reader_finish(&other));
	reader_close(&other);
	atomic_fetch_add(&used[0], cpu_time() - begun);
	work_until(80);
	finish();
	check_weight_of(3 + 2); /* set anew when the other comes and goes */
	ck_assert(is_default());
	ck_assert_int_le(timers(), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_handler_leaves_by_siglongjmp);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test(tests, a_thread_is_cancelled);
#endif
	tcase_add_test(tests, the_stream_is_stopped);
	tcase_add_test(tests, a_child_is_made);
	tcase_add_test(tests, the_signal_is_given_back);
	tcase_add_test(tests, a_signal_that_the_program_handles);
	tcase_add_loop_test(tests, a_signal_that_the_program_handles_later, 0, 2);
	tcase_add_loop_test(tests, a_signal_that_the_thread_blocks, 0, 2);
	tcase_add_test(tests, a_signal_that_the_program_waits_for);
	tcase_add_loop_test(tests, another_signal_or_none, 0, 3);
	tcase_add_test(tests, a_thread_waits_for_all_signals);
	tcase_add_test(tests, a_small_stack_for_signals);
	tcase_add_loop_test(tests, a_call_is_refused, 0, REFUSALS);
	tcase_add_loop_test(tests, the_program_executes_another, 0, 2);
	tcase_add_test(tests, another_user);
	tcase_add_test(tests, waits_are_not_interrupted);
	tcase_add_test(tests, two_clients_with_different_rates);
}
