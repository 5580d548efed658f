/*
 * test_shim_interrupted.c: a signal handler interrupts a function of the library and forks. The
 * child returns to that function, too, and goes on as its parent does.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum {
	HANGS_S = 60,
	CHILD_HANGS_S = 20,
	FLUSH_MS = 500,
	FILES = 32,
	EVENTS = 1000000,
	TURN_EVENTS = 1000,
	RING_EVENTS = 10000
};

static _Atomic pid_t child = -1;     /* of the handler; 0 in itself */
static int files[FILES], file_count; /* the child's, in place of what it has closed */
static __thread bool forks_after_mask, forks_in_send;

static void fork_in_handler(int number)
{
	char name[] = "/tmp/vmtap-interrupted-XXXXXX";

	(void)number;
	if (atomic_load(&child) >= 0)
		return;
	atomic_store(&child, fork());
	if (atomic_load(&child))
		return;
	alarm(CHILD_HANGS_S);
	files[file_count++] = mkstemp(name);
	unlink(name);
	while (file_count < FILES)
		files[file_count++] = dup(files[0]);
}

/* Replaces the C library's function: a signal comes as soon as the library lets it. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	long error = syscall(SYS_rt_sigprocmask, how, set, before, _NSIG / 8);

	if (how == SIG_SETMASK && forks_after_mask) {
		forks_after_mask = false;
		raise(SIGUSR1);
	}
	return error ? errno : 0;
}

/* The same: a signal comes while the library moves events to a client. */
ssize_t send(int socket, const void *bytes, size_t length, int flags)
{
	if (forks_in_send) {
		forks_in_send = false;
		raise(SIGUSR1);
	}
	return sendto(socket, bytes, length, flags, NULL, 0);
}

static void setup(void)
{
	fixture_setup();
	signal(SIGUSR1, fork_in_handler);
}

static void expect_child(void)
{
	int status = -1;

	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

/* In the child: nothing was written to its files, and it can have a stream. */
static int check_child(void)
{
	struct stat status;

	signal(SIGUSR1, SIG_IGN);
	if (fstat(files[0], &status) || status.st_size)
		return 30;
	while (file_count > 0)
		if (close(files[--file_count]))
			return 31;
	return fixture_serve();
}

static unsigned counted;

static void take_nothing(struct vmtap_census *census, void *context)
{
	(void)census;
	(void)context;
	counted++;
}

/* The call of the VM's function has been announced, and has not begun. */
START_TEST(a_census_in_a_child)
{
	const struct vmtap_census_options options = {
		.size = sizeof(options), .take = take_nothing, .by = VMTAP_CENSUS_BY_CLASS};

	if (_i)
		fixture_start();
	ck_assert_int_eq(vmtap_census_register(&options), 0);
	if (_i)
		fixture_await_sleep();
	forks_after_mask = true;
	int taken = vmtap_census_now();
	if (child == 0)
		_exit(taken != 1                            ? 2
				: counted != 1              ? 3
				: vmtap_census_now() != 1   ? 4
				: vmtap_census_unregister() ? 5
							    : check_child());
	ck_assert_int_eq(taken, 1);
	ck_assert_uint_eq(counted, 1);
	expect_child();
	ck_assert_int_eq(vmtap_census_unregister(), 0);
}
END_TEST

static _Atomic bool *subscribed;

/* A client that reads nothing more until the VM's end. */
static void stall(void)
{
	struct reader reader;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (reader_open(&reader, fixture_path) && reader_until_header(&reader)) {
		reader_subscribe_all(&reader, 0, 1);
		atomic_store(subscribed, reader_until_acknowledged(&reader, 1));
	}
	for (;;)
		pause();
}

static pthread_t stopping;
static atomic_bool has_stopped;

static void *interrupt_stop(void *argument)
{
	while (access(fixture_path, F_OK) == 0)
		sched_yield();
	for (unsigned i = 0; i < 10 && !atomic_load(&has_stopped) && atomic_load(&child) < 0; i++) {
		pthread_kill(stopping, SIGUSR1);
		usleep(20000);
	}
	return argument;
}

/* Has a stream and a client that will read nothing more. Returns the client. */
static pid_t start_with_client(bool without_thread)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .flush_ms = FLUSH_MS, .without_thread = without_thread};
	pid_t client;

	subscribed = mmap(NULL, sizeof(*subscribed), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_int_eq(vmtap_start(&options), 0);
	client = fork();
	if (client == 0)
		stall();
	while (!atomic_load(subscribed)) {
		vmtap_turn();
		sched_yield();
	}
	return client;
}

static void kill_client(pid_t client)
{
	kill(client, SIGKILL);
	waitpid(client, NULL, 0);
}

/* The end of the stream waits for a client. Without a thread of the library's, it does so on the
 * thread that is interrupted. */
START_TEST(stop_in_a_child)
{
	pid_t client = start_with_client(_i);
	pthread_t thread;

	for (unsigned i = 0; i < EVENTS; i++) {
		VMTAP_GC_IDLE(1);
		if (i % TURN_EVENTS == 0)
			vmtap_turn();
	}
	stopping = pthread_self();
	ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_stop, NULL), 0);
	int stopped = vmtap_stop();
	if (child == 0)
		_exit(stopped ? 2 : check_child());
	atomic_store(&has_stopped, true);
	ck_assert_int_eq(stopped, 0);
	pthread_join(thread, NULL);
	expect_child();
	kill_client(client);
	ck_assert_int_eq(fixture_serve(), 0);
}
END_TEST

static void *fire_many(void *argument)
{
	for (unsigned i = 0; i < RING_EVENTS; i++)
		VMTAP_GC_IDLE(1);
	return argument;
}

/* Without a thread of the library's, vmtap_stop() reads a ring that the child does not have. */
START_TEST(last_events_in_a_child)
{
	pid_t client = start_with_client(true);
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, fire_many, NULL), 0);
	pthread_join(thread, NULL);
	forks_in_send = true;
	int stopped = vmtap_stop();
	if (child == 0)
		_exit(stopped ? 2 : check_child());
	ck_assert_int_eq(stopped, 0);
	ck_assert(!forks_in_send);
	expect_child();
	kill_client(client);
	ck_assert_int_eq(fixture_serve(), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_set_timeout(tests, HANGS_S);
	tcase_add_checked_fixture(tests, setup, fixture_teardown);
	tcase_add_loop_test(tests, a_census_in_a_child, 0, 2);
	tcase_add_loop_test(tests, stop_in_a_child, 0, 2);
	tcase_add_test(tests, last_events_in_a_child);
}
