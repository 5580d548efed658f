/*
 * test_shim_wishes.c: what a client may ask for beyond the events: the thread's CPU clock and
 * lossless delivery. Both hold for the probes that it names and cost no other event anything; and
 * the VM waits for nobody for ever.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/core/object.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { HANGS_S = 100, LONG_MS = 600000 };

/* ---- the CPU clock ---- */

/* Every call of this program and of the library ends here. The library's thread reads its own clock
 * for other reasons. */
static _Atomic uint64_t cpu_clock_calls;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock == CLOCK_THREAD_CPUTIME_ID && syscall(SYS_gettid) == getpid())
		atomic_fetch_add(&cpu_clock_calls, 1);
	return (int)syscall(SYS_clock_gettime, clock, time);
}

/* One that is asked for on a probe that never fires is never read. */
START_TEST(a_cpu_clock_is_read_only_for_its_probes)
{
	const unsigned idle = VMTAP_PROBE_GC_IDLE, work = VMTAP_PROBE_GC_WORK;
	struct reader wishful, other;

	fixture_start();
	ck_reader(&wishful, reader_open(&wishful, fixture_path) && reader_until_header(&wishful));
	reader_subscribe(&wishful, WIRE_CPU_CLOCK | WIRE_LOSSLESS, 1, &idle, 1);
	ck_reader(&wishful, reader_until_acknowledged(&wishful, 1));
	ck_reader(&other, reader_open(&other, fixture_path) && reader_until_header(&other));
	reader_subscribe(&other, 0, 1, &work, 1);
	ck_reader(&other, reader_until_acknowledged(&other, 1));
	for (unsigned i = 0; i < 1000; i++)
		VMTAP_GC_WORK(0);
	ck_assert_uint_eq(atomic_load(&cpu_clock_calls), 0);
	/* The number carries the wishes for an event: nobody has any for this one. */
	ck_assert_uint_lt(vmtap_numbers[work], VMTAP_PROBES);
	ck_assert_uint_gt(vmtap_numbers[idle], VMTAP_PROBES);
	for (unsigned i = 0; i < 10; i++)
		VMTAP_GC_IDLE(0);
	ck_assert_uint_eq(atomic_load(&cpu_clock_calls), 10);
	ck_reader(&wishful, reader_finish(&wishful));
	ck_assert_uint_eq(wishful.cpu_times, 10);
	ck_assert_uint_eq(reader_received(&wishful), 10);
	/* Once nobody wishes it any more it is not read either. */
	ck_assert(fixture_await_guards(1));
	for (unsigned i = 0; i < 10; i++)
		VMTAP_GC_WORK(0);
	ck_assert_uint_lt(vmtap_numbers[idle], VMTAP_PROBES);
	ck_reader(&other, reader_finish(&other));
	ck_assert_uint_eq(reader_received(&other), 1010);
	ck_assert_uint_eq(other.cpu_times, 0);
	ck_assert_uint_eq(atomic_load(&cpu_clock_calls), 10);
	reader_close(&wishful);
	reader_close(&other);
}
END_TEST

static size_t put_entry(unsigned char *at, const char *name, uint16_t strings)
{
	size_t length = strlen(name);

	at[0] = (unsigned char)length;
	memcpy(at + 1, name, length);
	at[1 + length] = (unsigned char)(strings >> 8);
	at[2 + length] = (unsigned char)strings;
	return length + 3;
}

/* A client may also list the probes whose events it wants the clock with. */
START_TEST(a_cpu_clock_for_some_of_a_clients_probes)
{
	unsigned char frame[128] = {'V', 'M', 'T', 'P', WIRE_SUBSCRIBE_BY_NAME,
		WIRE_CPU_CLOCK | WIRE_CPU_CLOCK_LISTED, 0, 0, 0, 1};
	size_t length = WIRE_SUBSCRIBE_BYTES;
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	length += put_entry(frame + length, "vm:::gc-idle", WIRE_ENTRY_CPU_CLOCK);
	length += put_entry(frame + length, "vm:::gc-work", 0x7fff);
	frame[11] = (unsigned char)(length - WIRE_SUBSCRIBE_BYTES);
	reader_send(&reader, frame, length);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	for (unsigned i = 0; i < 50; i++) {
		VMTAP_GC_WORK(0);
		if (i % 5 == 0)
			VMTAP_GC_IDLE(0);
	}
	ck_assert_uint_eq(atomic_load(&cpu_clock_calls), 10);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.cpu_times, 10);
	ck_assert_uint_eq(reader_received(&reader), 60);
	reader_close(&reader);
}
END_TEST

/* ---- lossless delivery ---- */

static void start_lossless(int32_t lossless_ms, uint32_t flush_ms)
{
	const struct vmtap_options options = {.size = sizeof(options),
		.queue_bytes = 1,
		.flush_ms = flush_ms,
		.lossless_ms = lossless_ms};

	ck_assert_int_eq(vmtap_start(&options), 0);
}

static void subscribe_to(struct reader *reader, uint8_t flags, unsigned probe)
{
	ck_reader(reader, reader_open(reader, fixture_path) && reader_until_header(reader));
	reader_subscribe(reader, flags, 1, &probe, 1);
	ck_reader(reader, reader_until_acknowledged(reader, 1));
}

/* Events of other probes are lost rather than waited for. */
START_TEST(nobody_waits_for_a_client_of_other_events)
{
	enum { EVENTS = 1000000 }; /* far more than ring, queue and socket hold */
	struct reader wishful, other;

	alarm(HANGS_S);
	start_lossless(LONG_MS, 0);
	subscribe_to(&wishful, WIRE_LOSSLESS, VMTAP_PROBE_GC_IDLE);
	subscribe_to(&other, 0, VMTAP_PROBE_GC_WORK);
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_GC_WORK(0);
	ck_reader(&other, reader_finish(&other));
	ck_assert_uint_gt(reader_lost(&other), 0);
	ck_assert_uint_eq(reader_received(&other) + reader_lost(&other), EVENTS);
	reader_close(&wishful);
	reader_close(&other);
}
END_TEST

static atomic_bool stop;
static _Atomic uint64_t fired;

static void *fire_until_stopped(void *argument)
{
	while (!atomic_load(&stop)) {
		VMTAP_GC_IDLE(1);
		atomic_fetch_add(&fired, 1);
	}
	return argument;
}

/* Until nothing has been fired for a fifth of a second. */
static void await_standstill(void)
{
	const struct timespec window = {.tv_nsec = 200000000};
	uint64_t before;

	do {
		before = atomic_load(&fired);
		nanosleep(&window, NULL);
	} while (!before || atomic_load(&fired) != before);
}

/* How often a thread has slept. */
static unsigned long sleeps(pid_t thread)
{
	char path[64], line[128];
	unsigned long count = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)thread);
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "voluntary_ctxt_switches: %lu", &count);
	fclose(file);
	return count;
}

/* While one client holds its events up, others get theirs, and nobody polls. */
START_TEST(a_stalled_client_stalls_no_other)
{
	enum { EVENTS = 2000 };
	const struct timespec second = {.tv_sec = 1};
	struct reader stalled, other;
	pthread_t thread;

	alarm(HANGS_S);
	start_lossless(LONG_MS, 0);
	subscribe_to(&stalled, WIRE_LOSSLESS, VMTAP_PROBE_GC_IDLE);
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_until_stopped, NULL), 0);
	await_standstill();
	pid_t server = fixture_thread();
	ck_assert_int_ne(server, 0);
	unsigned long before = sleeps(server);
	nanosleep(&second, NULL);
	ck_assert_uint_le(sleeps(server) - before, 20); /* it has other reasons, too */
	subscribe_to(&other, 0, VMTAP_PROBE_GC_WORK);
	for (unsigned i = 0; i < EVENTS; i++) {
		VMTAP_GC_WORK(0);
		if (i % 100 == 99)
			ck_reader(&other, reader_until_time(&other, reader_now()));
	}
	ck_assert_uint_eq(reader_received(&other), EVENTS);
	/* It has been waiting all the time, and nothing is lost. */
	atomic_store(&stop, true);
	ck_reader(&stalled, reader_finish(&stalled));
	pthread_join(thread, NULL);
	ck_assert_uint_eq(reader_lost(&stalled), 0);
	ck_assert_uint_ge(reader_received(&stalled), atomic_load(&fired) - 1);
	reader_close(&stalled);
	reader_close(&other);
}
END_TEST

/* One that takes nothing for lossless_ms loses events, and is told. */
START_TEST(the_vm_goes_on_after_a_while)
{
	enum { EVENTS = 1000000 };
	struct reader reader;

	alarm(HANGS_S);
	start_lossless(200, 0);
	subscribe_to(&reader, WIRE_LOSSLESS, VMTAP_PROBE_GC_IDLE);
	ck_assert(reader.flags & WIRE_LOSSLESS);
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_GC_IDLE(1);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), EVENTS);
	ck_assert_msg(strstr(reader.message, "no longer lossless") != NULL, "%s", reader.message);
	reader_close(&reader);
}
END_TEST

static void *fire_many(void *argument)
{
	for (unsigned i = 0; i < 300000; i++)
		VMTAP_GC_IDLE(1);
	atomic_store(&stop, true);
	return argument;
}

/* One that reads, however slowly, is waited for. */
START_TEST(a_slow_client_is_waited_for)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	struct reader reader;
	pthread_t thread;

	alarm(HANGS_S);
	start_lossless(1000, 0);
	subscribe_to(&reader, WIRE_LOSSLESS, VMTAP_PROBE_GC_IDLE);
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_many, NULL), 0);
	reader.piece = 32 << 10;
	for (unsigned i = 0; i < 150; i++) { /* three times as long as one that takes nothing has */
		nanosleep(&pause, NULL);
		ck_reader(&reader, reader_step(&reader, 1000));
	}
	reader.piece = 0;
	while (!atomic_load(&stop))
		ck_reader(&reader, reader_step(&reader, 10));
	pthread_join(thread, NULL);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader), 300000);
	reader_close(&reader);
}
END_TEST

/* A VM may refuse: the answer says so, and nobody waits. */
START_TEST(lossless_delivery_can_be_refused)
{
	enum { EVENTS = 1000000 };
	struct reader reader;

	alarm(HANGS_S);
	start_lossless(-1, 0);
	subscribe_to(&reader, WIRE_LOSSLESS, VMTAP_PROBE_GC_IDLE);
	ck_assert_uint_eq(reader.flags & WIRE_LOSSLESS, 0);
	ck_assert_uint_lt(vmtap_numbers[VMTAP_PROBE_GC_IDLE], VMTAP_PROBES);
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_GC_IDLE(1);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), EVENTS);
	reader_close(&reader);
}
END_TEST

static void stop_firing(int number)
{
	(void)number;
	atomic_store(&stop, true);
}

/* A signal ends the wait after flush_ms, so that the program can act on it. */
START_TEST(a_signal_ends_the_wait)
{
	const struct sigaction action = {.sa_handler = stop_firing, .sa_flags = SA_RESTART};
	struct reader reader;
	pthread_t thread;

	alarm(HANGS_S);
	start_lossless(LONG_MS, 100);
	subscribe_to(&reader, WIRE_LOSSLESS, VMTAP_PROBE_GC_IDLE);
	sigaction(SIGUSR1, &action, NULL);
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_until_stopped, NULL), 0);
	await_standstill();
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	/* The client is no longer waited for. */
	for (unsigned i = 0; i < 1000000; i++)
		VMTAP_GC_IDLE(1);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(
		reader_received(&reader) + reader_lost(&reader), atomic_load(&fired) + 1000000);
	reader_close(&reader);
}
END_TEST

static void exit_here(int number)
{
	exit(number == SIGUSR1 ? 5 : 6);
}

/* exit() ends it too, on another thread or in a signal handler of the waiting one. */
static void run_until_exit(bool in_handler)
{
	pthread_t thread;

	alarm(HANGS_S);
	fixture_set_path();
	signal(SIGUSR1, exit_here);
	start_lossless(LONG_MS, 100);
	while (fixture_open_guards() == 0)
		sched_yield();
	if (pthread_create(&thread, NULL, fire_until_stopped, NULL))
		_exit(1);
	await_standstill();
	if (!in_handler)
		exit(5);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
}

START_TEST(exit_ends_the_wait)
{
	struct reader reader;
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		run_until_exit(_i);
		_exit(2);
	}
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)child);
	while (access(fixture_path, F_OK))
		sched_yield();
	while (!reader_open(&reader, fixture_path)) /* it may not listen yet */
		sched_yield();
	ck_reader(&reader, reader_until_header(&reader));
	const unsigned probe = VMTAP_PROBE_GC_IDLE;
	reader_subscribe(&reader, WIRE_LOSSLESS, 1, &probe, 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 5, "%#x", (unsigned)status);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, a_cpu_clock_is_read_only_for_its_probes);
	tcase_add_test(tests, a_cpu_clock_for_some_of_a_clients_probes);
	tcase_add_test(tests, nobody_waits_for_a_client_of_other_events);
	tcase_add_test(tests, a_stalled_client_stalls_no_other);
	tcase_add_test(tests, the_vm_goes_on_after_a_while);
	tcase_add_test(tests, a_slow_client_is_waited_for);
	tcase_add_test(tests, lossless_delivery_can_be_refused);
	tcase_add_test(tests, a_signal_ends_the_wait);
	tcase_add_loop_test(tests, exit_ends_the_wait, 0, 2);
}
