/*
 * test_shim_process.c: the library and its process: fork, exec, starting and stopping.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

extern char **environ;

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- fork and its relatives ---- */

START_TEST(a_forked_child_is_silent)
{
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(1);
	for (unsigned i = 0; i < 20; i++) {
		pid_t child = fork();
		if (child == 0) {
			unsigned open = fixture_open_guards();
			for (unsigned j = 0; j < 100; j++)
				VMTAP_GC_WORK(2);
			vmtap_stop();
			_exit(open ? 1 : 0);
		}
		ck_assert_int_eq(exit_status(child), 0);
		VMTAP_GC_IDLE(1);
	}
	ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_IDLE].received, 21);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_WORK].received, 0);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_int_eq(access(fixture_path, F_OK), 0);
	reader_close(&reader);
}
END_TEST

START_TEST(a_forked_child_may_serve)
{
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(1);
	for (unsigned i = 0; i < 3; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(fixture_serve());
		VMTAP_GC_IDLE(1);
		ck_assert_int_eq(exit_status(child), 0);
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 4);
	reader_close(&reader);
}
END_TEST

static void *fire_for_ever(void *argument)
{
	for (;;) {
		VMTAP_THREAD_RUN(1, 2);
		if (*(volatile int *)argument)
			return NULL;
	}
}

/* Forks while other threads and the server are in the middle of things. */
START_TEST(fork_amid_everything)
{
	static volatile int stop;
	pthread_t threads[2];
	struct reader reader;

	fixture_start();
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, fire_for_ever, (void *)&stop), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	/* On a busy machine it takes a while until the threads run at all. */
	while (!reader_received(&reader) && !reader_lost(&reader))
		ck_reader(&reader, reader_step(&reader, 1000));
	for (unsigned i = 0; i < 60; i++) {
		pid_t child = fork();
		if (child == 0) {
			VMTAP_GC_WORK(2);
			_exit(i % 10 == 0 ? fixture_serve() : 0);
		}
		ck_reader(&reader, reader_step(&reader, 0));
		ck_assert_int_eq(exit_status(child), 0);
	}
	stop = 1;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_msg(reader_received(&reader) > 0, "%llu events lost, none received",
		(unsigned long long)reader_lost(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_WORK].received, 0);
	reader_close(&reader);
}
END_TEST

START_TEST(spawned_programs_do_not_matter)
{
	char *const command[] = {"true", NULL};
	struct reader reader;
	pid_t child;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	for (unsigned i = 0; i < 20; i++) {
		VMTAP_GC_IDLE(1);
		ck_assert_int_eq(posix_spawnp(&child, "true", NULL, NULL, command, environ), 0);
		ck_assert_int_eq(exit_status(child), 0);
		child = vfork();
		if (child == 0) {
			execvp("true", command);
			_exit(127);
		}
		ck_assert_int_eq(exit_status(child), 0);
		child = fork();
		if (child == 0) {
			execvp("true", command);
			_exit(127);
		}
		ck_assert_int_eq(exit_status(child), 0);
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 20);
	reader_close(&reader);
}
END_TEST

/* exec replaces a VM that has a client: the client sees the end of the connection. */
START_TEST(exec_ends_the_connection)
{
	int ready[2];
	pid_t child;
	char byte;

	snprintf(fixture_path, sizeof(fixture_path), "%s/own", fixture_folder);
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		char *const command[] = {"sleep", "60", NULL};
		struct vmtap_options options = {.size = sizeof(options), .socket = fixture_path};
		if (vmtap_start(&options))
			_exit(2);
		if (write(ready[1], "y", 1) != 1)
			_exit(3);
		while (!VMTAP_GC_IDLE_ENABLED())
			sched_yield();
		execvp("sleep", command);
		_exit(127);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	struct reader reader;
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader_subscribe_all(&reader, 0, 1);
	while (reader_step(&reader, 1000))
		;
	ck_assert(reader.closed);
	ck_assert_int_eq(kill(child, 0), 0);
	kill(child, SIGKILL);
	exit_status(child);
	reader_close(&reader);
}
END_TEST

/* ---- starting and stopping ---- */

START_TEST(start_and_stop_again_and_again)
{
	struct reader reader;

	vmtap_stop();
	for (unsigned i = 0; i < 50; i++) {
		ck_assert_int_eq(vmtap_start(NULL), 0);
		ck_assert_int_eq(vmtap_start(NULL), -EALREADY);
		if (i % 5 == 0) {
			ck_reader(&reader, reader_start(&reader, fixture_path, 0));
			VMTAP_GC_IDLE(1);
			vmtap_stop();
			ck_reader(&reader, reader_until_end(&reader));
			ck_assert_uint_eq(reader_received(&reader), 1);
			reader_close(&reader);
		}
		vmtap_stop();
		vmtap_stop();
		ck_assert_int_ne(access(fixture_path, F_OK), 0);
	}
}
END_TEST

START_TEST(start_waits_when_told_to)
{
	int go[2];
	pid_t child;
	char byte;

	snprintf(fixture_path, sizeof(fixture_path), "%s/own", fixture_folder);
	ck_assert_int_eq(pipe(go), 0);
	child = fork();
	if (child == 0) {
		struct vmtap_options options = {.size = sizeof(options), .socket = fixture_path};
		setenv("VMTAP_WAIT", "1", 1);
		if (write(go[1], "y", 1) != 1 || vmtap_start(&options))
			_exit(1);
		for (unsigned i = 0; i < 100; i++)
			VMTAP_GC_IDLE(1); /* no event is lost */
		exit(0);
	}
	close(go[1]);
	ck_assert_int_eq(read(go[0], &byte, 1), 1);
	struct reader reader;
	while (!reader_open(&reader, fixture_path))
		sched_yield();
	ck_reader(&reader, reader_until_header(&reader));
	reader_subscribe_all(&reader, 0, 1);
	ck_reader(&reader, reader_until_end(&reader)); /* exit() ends the stream properly */
	ck_assert_uint_eq(reader_received(&reader), 100);
	ck_assert_int_eq(exit_status(child), 0);
	reader_close(&reader);
}
END_TEST

static void *start_and_wait(void *argument)
{
	(void)argument;
	vmtap_start(NULL);
	return NULL;
}

/* A VM that is stopped while it still waits for a client. */
START_TEST(stop_while_start_waits)
{
	pthread_t thread;
	struct reader reader;

	setenv("VMTAP_WAIT", "1", 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, start_and_wait, NULL), 0);
	while (!reader_open(&reader, fixture_path))
		sched_yield();
	pid_t child = fork(); /* a child must not hang either */
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(exit_status(child), 0);
	reader_close(&reader);
	while (vmtap_start(NULL) != -EALREADY)
		sched_yield();
	/* vmtap_stop() finds nothing until vmtap_start() has put the server in its place. */
	while (access(fixture_path, F_OK) == 0) {
		vmtap_stop();
		sched_yield();
	}
	pthread_join(thread, NULL);
}
END_TEST

/* ---- children that wait ---- */

static pthread_mutex_t vm_lock = PTHREAD_MUTEX_INITIALIZER;

static void take_vm_lock(void)
{
	pthread_mutex_lock(&vm_lock);
}

static void release_vm_lock(void)
{
	pthread_mutex_unlock(&vm_lock);
}

static void use_vm_lock(void *context)
{
	(void)context;
	take_vm_lock();
	release_vm_lock();
}

static void await_child(struct reader *reader, pid_t child)
{
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)child);
	while (!reader_open(reader, fixture_path))
		sched_yield();
	ck_reader(reader, reader_until_header(reader));
}

/* The VM's handlers of fork() hold a lock that a function needs which the library calls because
 * guards have changed: by what the other client wants. */
START_TEST(a_worker_waits_for_its_parents_follower)
{
	const struct vmtap_options options = {.size = sizeof(options), .serve_children = 1};
	const struct vmtap_change_options change = {.size = sizeof(change), .changed = use_vm_lock};
	struct reader follower, other, reader;
	pid_t child;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_int_eq(vmtap_on_change(&change), 0);
	ck_assert_int_eq(pthread_atfork(take_vm_lock, release_vm_lock, release_vm_lock), 0);
	ck_assert(reader_open(&follower, fixture_path));
	ck_reader(&follower, reader_until_header(&follower));
	reader_subscribe_names(&follower, WIRE_FOLLOW, 1, "vm:::gc-idle", 0);
	ck_reader(&follower, reader_until_acknowledged(&follower, 1));
	ck_reader(&other, reader_start(&other, fixture_path, 0));
	for (unsigned i = 0; i < 3; i++) {
		child = fork();
		if (child == 0) {
			for (unsigned j = 0; j < 100; j++)
				VMTAP_GC_IDLE(1);
			vmtap_stop();
			_exit(0);
		}
		await_child(&reader, child);
		reader_subscribe_all(&reader, 0, 1);
		ck_reader(&reader, reader_until_end(&reader));
		ck_assert_uint_eq(reader_received(&reader), 100);
		ck_assert_uint_eq(reader_lost(&reader), 0);
		reader_close(&reader);
		ck_assert_int_eq(exit_status(child), 0);
	}
	reader_close(&follower);
	reader_close(&other);
}
END_TEST

/* The child goes on without it, and tells it how many events it has missed, or has its parent tell
 * it: the child's counts go there once it has waited for long enough. */
START_TEST(what_a_late_follower_misses_is_counted)
{
	const struct vmtap_options options = {.size = sizeof(options), .serve_children = 1};
	struct reader follower, reader;
	int fired[2];
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(fired), 0);
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&follower, reader_start(&follower, fixture_path, WIRE_FOLLOW));
	child = fork();
	if (child == 0) {
		for (unsigned j = 0; j < 100; j++)
			VMTAP_GC_IDLE(1);
		if (write(fired[1], "y", 1) != 1)
			_exit(1);
		while (fixture_open_guards()) /* the follower has come, and left */
			sched_yield();
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(read(fired[0], &byte, 1), 1);
	await_child(&reader, child);
	reader_subscribe_all(&reader, 0, 1);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 0);
	while (reader_lost(&reader) + reader_lost(&follower) < 100)
		ck_reader(&follower, reader_step(&follower, 10000));
	ck_assert_uint_eq(reader_lost(&reader) + reader_lost(&follower), 100);
	reader_close(&reader);
	ck_assert_int_eq(exit_status(child), 0);
	reader_close(&follower);
}
END_TEST

START_TEST(no_descriptor_is_left_open)
{
	struct reader reader;
	int before, after;

	fixture_start();
	vmtap_stop();
	before = dup(0);
	for (unsigned i = 0; i < 5; i++) {
		fixture_start();
		ck_reader(&reader, reader_start(&reader, fixture_path, 0));
		vmtap_stop();
		reader_close(&reader);
	}
	close(before);
	after = dup(0);
	ck_assert_int_eq(before, after);
}
END_TEST

/* When there is no descriptor for a client, the server waits for one and then serves it. */
START_TEST(descriptors_run_out)
{
	struct rlimit limit;
	struct reader reader;
	int taken[64];
	unsigned count = 0;

	fixture_start();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 40;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (count < 64 && (taken[count] = dup(0)) >= 0)
		count++;
	ck_assert_uint_gt(count, 0);
	close(taken[--count]); /* one for this side of the connection */
	ck_assert(reader_open(&reader, fixture_path));
	while (count)
		close(taken[--count]);
	ck_reader(&reader, reader_until_header(&reader));
	reader_subscribe_all(&reader, 0, 1);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	reader_close(&reader);
}
END_TEST

/* A program may print to closed standard descriptors or read from them; the stream must not use
 * their numbers. */
START_TEST(standard_descriptors_are_the_programs)
{
	pid_t child = fork();

	if (child == 0) {
		struct reader reader;
		fixture_set_path();
		for (int i = 0; i < 3; i++)
			close(i);
		if (vmtap_start(NULL) || fcntl(0, F_GETFD) != -1)
			_exit(2);
		if (!reader_open(&reader, fixture_path) || !reader_until_header(&reader))
			_exit(3);
		if (reader.socket != 0 || fcntl(1, F_GETFD) != -1 || fcntl(2, F_GETFD) != -1)
			_exit(4);
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(exit_status(child), 0);
}
END_TEST

/* The number of the library's eventfd. */
static int find_waker(void)
{
	static const char name[] = "anon_inode:[eventfd]";

	for (int i = 3; i < 256; i++) {
		char link[64], target[sizeof(name)] = "";
		snprintf(link, sizeof(link), "/proc/self/fd/%d", i);
		if (readlink(link, target, sizeof(target) - 1) > 0 && !strcmp(target, name))
			return i;
	}
	return -1;
}

/* In round 0 opens files, which get numbers that the library had; an eventfd gets the number waker,
 * or each number if that is -1. Returns whether all are still open and nothing was written to them.
 */
static bool files_are_kept(unsigned round, int waker)
{
	enum { FILES = 8 };
	static int files[FILES];
	char path[300];
	struct stat status;
	uint64_t count;
	bool kept = true;

	for (unsigned i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/file-%u", fixture_folder, i);
		if (round == 0)
			files[i] = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
		bool is_event = waker < 0 || files[i] == waker;
		if (round == 0 && is_event) {
			int event = eventfd(0, EFD_NONBLOCK);
			kept &= dup2(event, files[i]) == files[i] && close(event) == 0;
		}
		kept &= files[i] >= 0 && fstat(files[i], &status) == 0;
		kept &= is_event ? eventfd_read(files[i], &count) == -1 && errno == EAGAIN
				 : status.st_size == 0;
	}
	return kept;
}

/* Closes every descriptor it does not know, as daemons do. Round 0: no client is connected; 1: a
 * client listens; 2: a child is created afterwards; 3: the server sleeps and its path is gone; 4:
 * it sleeps, and none of the files that have the numbers now can wake it. */
static int close_all(int round)
{
	struct reader reader;
	int status;

	fixture_set_path();
	if (vmtap_start(NULL) || (round == 1 && !reader_start(&reader, fixture_path, 0)))
		return 2;
	if (round == 3)
		unlink(fixture_path);
	int waker = round == 4 ? -1 : find_waker();
	for (int i = 3; i < 256; i++)
		close(i);
	if (!files_are_kept(0, waker))
		return 3;
	if (round == 1) { /* this side of the connection has been closed too */
		while (fixture_open_guards())
			sched_yield();
	} else if (round == 2) {
		pid_t child = fork();
		if (child == 0)
			_exit(files_are_kept(1, waker) ? 0 : 1);
		if (waitpid(child, &status, 0) != child || status)
			return 4;
	}
	VMTAP_GC_IDLE(0);
	vmtap_stop();
	if (!files_are_kept(1, waker))
		return 5;
	if (access(fixture_path, F_OK) == 0)
		return 6;
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, 0))
		return 7;
	VMTAP_GC_IDLE(0);
	return reader_finish(&reader) && reader_received(&reader) == 1 ? 0 : 8;
}

START_TEST(a_program_that_closes_all_descriptors)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(60); /* it hangs */
		_exit(close_all(_i));
	}
	ck_assert_int_eq(exit_status(child), 0);
}
END_TEST

/* ---- fork while the server gets a descriptor ---- */

static _Atomic int accepting; /* 1: wait for accept4(); 2: it has returned; 3: forked */

/* Replaces the C library's function: tells the test that the server has just got a descriptor,
 * and gives the test some time to fork. */
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags)
{
	int descriptor = (int)syscall(SYS_accept4, listener, address, length, flags);
	int one = 1;

	if (descriptor >= 0 && atomic_compare_exchange_strong(&accepting, &one, 2)) {
		uint64_t deadline = reader_now() + 300000000;
		while (atomic_load(&accepting) != 3 && reader_now() < deadline)
			sched_yield();
	}
	return descriptor;
}

/* A surviving child does not keep a connection open that its parent has closed. */
START_TEST(no_child_keeps_a_connection)
{
	struct reader reader;
	pid_t child;

	fixture_start();
	atomic_store(&accepting, 1);
	ck_assert(reader_open(&reader, fixture_path));
	while (atomic_load(&accepting) != 2)
		sched_yield();
	child = fork();
	if (child == 0) {
		close(reader.socket);
		for (;;)
			pause();
	}
	atomic_store(&accepting, 3);
	ck_reader(&reader, reader_until_header(&reader));
	vmtap_stop();
	ck_reader(&reader, reader_until_end(&reader));
	uint64_t deadline = reader_now() + UINT64_C(10000000000);
	while (!reader.closed && reader_now() < deadline)
		reader_step(&reader, 100);
	kill(child, SIGKILL);
	exit_status(child);
	ck_assert(reader.closed);
	reader_close(&reader);
}
END_TEST

/* ---- signal handlers while the VM starts ---- */

static _Atomic int binding; /* 1: raise a signal when the next socket is bound */

/* Replaces the C library's function. */
int bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
	if (atomic_exchange(&binding, 0))
		raise(SIGUSR1);
	return (int)syscall(SYS_bind, descriptor, address, length);
}

static void exit_or_fork(int number)
{
	static bool has_forked;

	(void)number;
	if (has_forked)
		exit(7);
	has_forked = true;
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	if (exit_status(child) != 0)
		_exit(8);
}

START_TEST(a_handler_forks_and_exits_amid_a_start)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(60); /* it hangs */
		signal(SIGUSR1, exit_or_fork);
		for (unsigned i = 0; i < 2; i++) {
			binding = 1;
			if (vmtap_start(NULL))
				_exit(9);
			vmtap_stop();
		}
		_exit(10);
	}
	ck_assert_int_eq(exit_status(child), 7);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_forked_child_is_silent);
	tcase_add_test(tests, a_forked_child_may_serve);
	tcase_add_test(tests, fork_amid_everything);
	tcase_add_test(tests, spawned_programs_do_not_matter);
	tcase_add_test(tests, exec_ends_the_connection);
	tcase_add_test(tests, start_and_stop_again_and_again);
	tcase_add_test(tests, start_waits_when_told_to);
	tcase_add_test(tests, stop_while_start_waits);
	tcase_add_test(tests, a_worker_waits_for_its_parents_follower);
	tcase_add_test(tests, what_a_late_follower_misses_is_counted);
	tcase_add_test(tests, no_descriptor_is_left_open);
	tcase_add_test(tests, descriptors_run_out);
	tcase_add_test(tests, standard_descriptors_are_the_programs);
	tcase_add_loop_test(tests, a_program_that_closes_all_descriptors, 0, 5);
	tcase_add_test(tests, no_child_keeps_a_connection);
	tcase_add_test(tests, a_handler_forks_and_exits_amid_a_start);
}
