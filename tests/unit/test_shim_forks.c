/*
 * test_shim_forks.c: children of fork() beside handlers of the VM's own that run before the
 * library's, and the descriptors that a child closes: those of its parent's stream, whatever other
 * threads were doing, and no other. What hangs if the library holds a lock is in vm_lock.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shim/core/ledger.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- a handler of the VM's in the child, before the library's ---- */

static enum { HANDLER_NOTHING, HANDLER_FIRES, HANDLER_STARTS, HANDLER_CALLS } handler;

static void in_child(void)
{
	switch (handler) {
	case HANDLER_NOTHING:
		break;
	case HANDLER_FIRES:
		VMTAP_GC_WORK(1);
		break;
	case HANDLER_STARTS:
		if (vmtap_start(NULL))
			_exit(20);
		break;
	case HANDLER_CALLS:
		vmtap_census_now();
		break;
	}
}

/* The library registers its handler when it is loaded. This file is linked before it. */
__attribute__((constructor(101))) static void register_handler(void)
{
	pthread_atfork(NULL, NULL, in_child);
}

/* fork() at any moment, but not while the library's thread is in AddressSanitizer's allocator: a
 * child's own thread then waits for ever in that allocator, where it begins, before it has called
 * any function of the library. */
static pid_t fork_anytime(bool has_thread)
{
#ifdef __SANITIZE_ADDRESS__
	if (has_thread)
		fixture_await_sleep();
#else
	(void)has_thread;
#endif
	return fork();
}

/* Each child of a VM with serve_children is served, whatever that handler does. */
START_TEST(children_are_served_whatever_a_handler_does)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .serve_children = 1, .without_thread = _i & 1};
	struct reader reader, parents;
	int ready[2], go[2];
	char byte;

	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(go), 0);
	handler = _i / 2;
	ck_assert_int_eq(vmtap_start(&options), 0);
	if (handler == HANDLER_FIRES && !options.without_thread) /* so that its guard is open */
		ck_reader(&parents, reader_start(&parents, fixture_path, 0));
	pid_t child = fork_anytime(!options.without_thread);
	if (child == 0) {
		alarm(60); /* it hangs */
		if (vmtap_start(NULL) != -EALREADY)
			_exit(2);
		/* and so are its children */
		pid_t grandchild =
			fork_anytime(!options.without_thread || handler == HANDLER_STARTS);
		if (grandchild == 0)
			_exit(vmtap_start(NULL) == -EALREADY ? 0 : 3);
		int status = -1;
		if (waitpid(grandchild, &status, 0) != grandchild || status)
			_exit(handler == HANDLER_STARTS ? 0 : 4);
		if (write(ready[1], "y", 1) != 1)
			_exit(5);
		while (read(go[0], &byte, 1) < 0)
			;
		VMTAP_GC_IDLE(1);
		vmtap_stop();
		_exit(0);
	}
	if (_i & 1) { /* the child takes no turns */
		ck_assert_int_eq(write(go[1], "g", 1), 1);
		ck_assert_int_eq(exit_status(child), 0);
		return;
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)child);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	ck_assert_int_eq(write(go[1], "g", 1), 1);
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader.pid, (uint32_t)child);
	ck_assert_uint_eq(reader_received(&reader), 1);
	reader_close(&reader);
	ck_assert_int_eq(exit_status(child), 0);
	if (handler == HANDLER_FIRES)
		reader_close(&parents);
}
END_TEST

/* Without serve_children, the child is silent. */
START_TEST(no_child_is_served_unasked)
{
	struct reader reader;

	handler = _i;
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	pid_t child = fork();
	if (child == 0) {
		VMTAP_GC_WORK(1);
		handler = HANDLER_NOTHING;
		_exit(fixture_open_guards() ? 2 : fixture_serve());
	}
	ck_assert_int_eq(exit_status(child), 0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* ---- a fork in the middle of vmtap_start() ---- */

static _Atomic int binding; /* 1: wait for bind(); 2: it is about to be called; 3: forked */

/* Replaces the C library's function: the library is about to name its socket. */
int bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
	int one = 1;

	if (atomic_compare_exchange_strong(&binding, &one, 2))
		while (atomic_load(&binding) != 3)
			sched_yield();
	return (int)syscall(SYS_bind, descriptor, address, length);
}

static void *fork_while_binding(void *log)
{
	while (atomic_load(&binding) != 2)
		sched_yield();
	pid_t child = fork();
	if (child == 0) {
		alarm(60); /* it hangs */
		VMTAP_GC_WORK(1);
		_exit(access(log, F_OK) && access(fixture_path, F_OK) ? 0 : 2);
	}
	int status = exit_status(child); /* before its parent has made what it looks for */
	atomic_store(&binding, 3);
	return (void *)(intptr_t)status;
}

/* Such a child leaves the socket and the log to its parent, whose options name them. */
START_TEST(a_child_made_while_its_parent_starts)
{
	struct vmtap_options options = {
		.size = sizeof(options), .serve_children = 1, .socket = fixture_path};
	struct reader reader;
	pthread_t thread;
	char log[200];
	void *status;

	snprintf(fixture_path, sizeof(fixture_path), "%s/socket", fixture_folder);
	snprintf(log, sizeof(log), "%s/log", fixture_folder);
	setenv("VMTAP_LOG", log, 1);
	atomic_store(&binding, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, fork_while_binding, log), 0);
	ck_assert_int_eq(vmtap_start(&options), 0);
	pthread_join(thread, &status);
	ck_assert_int_eq((int)(intptr_t)status, 0);
	VMTAP_GC_IDLE(1);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_uint_eq(reader.pid, (uint32_t)getpid());
	reader_close(&reader);
	vmtap_stop();
	ck_assert(reader_open_file(&reader, log));
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader.pid, (uint32_t)getpid());
	ck_assert_uint_eq(reader_received(&reader), 1);
	reader_close(&reader);
}
END_TEST

/* ---- a registry that another thread uses, in a process that has not started a stream ---- */

static atomic_bool stop;

static void *register_for_ever(void *argument)
{
	while (!atomic_load(&stop))
		vmtap_census_register(NULL);
	return argument;
}

START_TEST(locks_are_free_in_a_child_before_the_first_start)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, register_for_ever, NULL), 0);
	for (unsigned i = 0; i < 300; i++) {
		pid_t child = fork();
		if (child == 0) {
			alarm(60); /* it hangs */
			vmtap_census_register(NULL);
			_exit(0);
		}
		ck_assert_int_eq(exit_status(child), 0);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
}
END_TEST

/* ---- unusual children ---- */

/* exit() in a child of vfork() runs the library's destructor, in the parent's memory. */
START_TEST(a_child_of_vfork_does_not_end_its_parents_stream)
{
	const struct vmtap_options options = {.size = sizeof(options), .without_thread = _i};
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	pid_t child = vfork();
	if (child == 0) {
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(exit_status(child), 0);
	ck_assert_int_eq(vmtap_start(&options), -EALREADY);
	if (_i)
		return;
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	VMTAP_GC_WORK(1);
	vmtap_stop();
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader_received(&reader), 1);
	reader_close(&reader);
}
END_TEST

/* The first process of a pid namespace, as the first of a container is, makes another such
 * namespace. */
static int be_first_process(void)
{
	struct reader reader;

	fixture_set_path();
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, WIRE_LOSSLESS))
		return 2;
	if (unshare(CLONE_NEWPID))
		return 3;
	pid_t child = fork();
	if (child == 0) {
		alarm(60);
		if (getpid() != 1 || fixture_open_guards())
			_exit(4);
		VMTAP_GC_WORK(1);
		if (vmtap_start(NULL))
			_exit(5);
		vmtap_stop();
		_exit(0);
	}
	int status = exit_status(child);
	if (status)
		return status;
	VMTAP_GC_WORK(1);
	vmtap_stop();
	if (!reader_until_end(&reader) || reader_received(&reader) != 1)
		return 6;
	reader_close(&reader);
	return 0;
}

/* In a process of its own: one that has made a namespace can make no threads, as a sanitizer does
 * when a test ends. */
START_TEST(a_child_may_have_its_parents_number)
{
	enum { REFUSED = 99 };
	pid_t maker = fork();

	if (maker == 0) {
		if (unshare(CLONE_NEWPID)) {
			printf("a_child_may_have_its_parents_number: skipped: no new pid "
			       "namespace: %s\n",
				strerror(errno));
			fflush(stdout);
			_exit(REFUSED);
		}
		pid_t first = fork();
		if (first == 0)
			_exit(be_first_process());
		_exit(exit_status(first));
	}
	int status = exit_status(maker);
	ck_assert(status == 0 || status == REFUSED);
}
END_TEST

static pid_t child_of_census = -1;

static void fork_once(struct vmtap_census *census, void *context)
{
	(void)context;
	vmtap_census_add(census, "label", 5, 1);
	if (child_of_census < 0)
		child_of_census = fork();
}

static void do_nothing(void *context)
{
	(void)context;
}

/* A snapshot of the heap that goes on as a process: it removes what the VM has registered. */
START_TEST(a_child_of_a_census_removes_what_is_registered)
{
	const struct vmtap_census_options census = {
		.size = sizeof(census), .take = fork_once, .polls = 1, .by = VMTAP_CENSUS_BY_CLASS};
	const struct vmtap_change_options change = {.size = sizeof(change), .changed = do_nothing};

	fixture_start();
	ck_assert_int_eq(vmtap_census_register(&census), 0);
	ck_assert_int_eq(vmtap_on_change(&change), 0);
	ck_assert_int_eq(vmtap_census_now(), 1);
	if (child_of_census == 0) {
		alarm(10); /* it hangs */
		_exit(vmtap_on_change(NULL)                   ? 2
				: vmtap_sample_register(NULL) ? 3
				: vmtap_census_unregister()   ? 4
							      : 0);
	}
	ck_assert_int_eq(exit_status(child_of_census), 0);
}
END_TEST

/* ---- descriptors ---- */

static int make_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static bool is_open(int descriptor)
{
	return fcntl(descriptor, F_GETFD) != -1;
}

/* A child made by the system call has the descriptors and the memory of the same moment, and is
 * adopted when the test says so. */
static pid_t make_child(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

START_TEST(a_child_closes_what_is_open)
{
	int one = ledger_enter(make_socket()), other = make_socket();

	ck_assert_int_ge(one, 0);
	pid_t child = make_child();
	if (child == 0) {
		ledger_fork_child();
		_exit(is_open(one) ? 1 : is_open(other) ? 0 : 2);
	}
	ck_assert_int_eq(exit_status(child), 0);
	ck_assert(is_open(one));
	ledger_close(one, descriptor_file(one));
	ck_assert(!is_open(one));
}
END_TEST

/* As if its parent had closed the socket after the descriptors were copied, and before the memory:
 * the child has the file under the number that its memory knows as closed. */
START_TEST(a_child_closes_what_was_closed_meanwhile)
{
	int one = ledger_enter(make_socket()), kept = fcntl(one, F_DUPFD_CLOEXEC, 100);
	bool reused = _i == 1;

	ledger_close(one, descriptor_file(one));
	if (reused) /* by a later connection, which the child does not have */
		ck_assert_int_eq(ledger_enter(make_socket()), one);
	pid_t child = make_child();
	if (child == 0) {
		dup2(kept, one);
		ledger_fork_child();
		_exit(is_open(one));
	}
	ck_assert_int_eq(exit_status(child), 0);
}
END_TEST

/* The number of a descriptor that the library has, or had, may be a file of the program's. */
START_TEST(a_child_keeps_what_is_the_programs)
{
	int one = ledger_enter(make_socket()), number;

	if (_i & 1)
		ledger_close(one, descriptor_file(one));
	pid_t child = make_child();
	if (child == 0) {
		number = _i & 2 ? make_socket() : open("/dev/null", O_RDONLY);
		dup2(number, one);
		ledger_fork_child();
		_exit(!is_open(one));
	}
	ck_assert_int_eq(exit_status(child), 0);
}
END_TEST

/* As many connections as the ledger remembers, and more, and a number that was never closed. */
START_TEST(the_ledger_forgets_in_order)
{
	int first = ledger_enter(make_socket()), kept = fcntl(first, F_DUPFD_CLOEXEC, 100);
	int other = make_socket();

	ledger_close(first, descriptor_file(first));
	for (unsigned i = 0; i < 200; i++) {
		int next = ledger_enter(make_socket());
		ck_assert_int_eq(next, first);
		ledger_close(next, descriptor_file(next));
	}
	pid_t child = make_child();
	if (child == 0) {
		dup2(kept, first);
		ledger_fork_child();
		_exit(is_open(first) ? 1 : is_open(other) ? 0 : 2);
	}
	ck_assert_int_eq(exit_status(child), 0);
	for (unsigned i = 0; i < 5000; i++) {
		int next = ledger_enter(make_socket());
		ledger_close(next, descriptor_file(next));
	}
	child = make_child();
	if (child == 0) {
		dup2(kept, first);
		ledger_fork_child();
		_exit(is_open(first) && is_open(other) ? 0 : 1);
	}
	ck_assert_int_eq(exit_status(child), 0);
}
END_TEST

/* ---- a connection that is being accepted ---- */

static _Atomic int accepting; /* 1: wait for accept4(); 2: it has returned; 3: forked */

/* Replaces the C library's function: the server's thread has a descriptor here that only the kernel
 * knows. */
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags)
{
	int descriptor = (int)syscall(SYS_accept4, listener, address, length, flags);
	int one = 1;

	if (descriptor >= 0 && atomic_compare_exchange_strong(&accepting, &one, 2))
		while (atomic_load(&accepting) != 3)
			sched_yield();
	return descriptor;
}

static int count_sockets(void)
{
	struct stat status;
	int count = 0;

	for (int i = 3; i < 256; i++)
		count += !fstat(i, &status) && S_ISSOCK(status.st_mode);
	return count;
}

START_TEST(a_child_closes_what_is_being_accepted)
{
	struct reader reader;
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	fixture_start();
	atomic_store(&accepting, 1);
	ck_assert(reader_open(&reader, fixture_path));
	while (atomic_load(&accepting) != 2)
		sched_yield();
	pid_t child = _i ? make_child() : fork();
	if (child == 0) {
		VMTAP_GC_WORK(1);
		vmtap_census_now();     /* it is adopted here at the latest */
		_exit(count_sockets()); /* the test's own: the pair and the client's side */
	}
	atomic_store(&accepting, 3);
	ck_assert_int_eq(exit_status(child), 3);
	ck_reader(&reader, reader_until_header(&reader));
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, children_are_served_whatever_a_handler_does, 0, 8);
	tcase_add_loop_test(tests, no_child_is_served_unasked, 0, 2);
	tcase_add_test(tests, a_child_made_while_its_parent_starts);
	tcase_add_test(tests, locks_are_free_in_a_child_before_the_first_start);
	tcase_add_loop_test(tests, a_child_of_vfork_does_not_end_its_parents_stream, 0, 2);
	tcase_add_test(tests, a_child_may_have_its_parents_number);
	tcase_add_test(tests, a_child_of_a_census_removes_what_is_registered);
	tcase_add_test(tests, a_child_closes_what_is_open);
	tcase_add_loop_test(tests, a_child_closes_what_was_closed_meanwhile, 0, 2);
	tcase_add_loop_test(tests, a_child_keeps_what_is_the_programs, 0, 4);
	tcase_add_test(tests, the_ledger_forgets_in_order);
	tcase_add_loop_test(tests, a_child_closes_what_is_being_accepted, 0, 2);
}
