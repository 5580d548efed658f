/*
 * test_kernel_source_process.c: a process that the kernel source traces is shown as /proc has it;
 * what is no process is refused; its end can be waited for and is seen; what it had mapped is freed
 * if it is the process's own; its files are opened for unwinding once.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/process/source_process.h"
#include "kernel/site/target_files.h"
#include "unit_main.h"
#include "usdt/unwind/unwind.h"

enum { NOBODY = 5000000 /* no process has such an id */, USER = 71, GROUP = 72 };

static struct kernel_process process;
static struct error error;
static pid_t child;
static struct ids {
	uint32_t user, group;
} ids; /* the child's */

static void setup(void)
{
	process = (struct kernel_process){.descriptor = -1, .link = -1};
	error = (struct error){0};
	child = 0;
}

static void teardown(void)
{
	kernel_process_close(&process);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
}

/* Starts a process that waits; of another user and group, if it may. */
static void begin_child(void)
{
	int ready[2];

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		ids = (struct ids){getuid(), getgid()};
		if (!setgid(GROUP))
			ids.group = GROUP;
		if (!setuid(USER))
			ids.user = USER;
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive a change of the user */
		prctl(PR_SET_NAME, "a name");
		if (write(ready[1], &ids, sizeof(ids)) != sizeof(ids))
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &ids, sizeof(ids)), sizeof(ids));
	close(ready[0]);
}

START_TEST(this_process)
{
	char name[16];

	prctl(PR_GET_NAME, name);
	ck_assert_int_eq(kernel_process_open(&process, (uint32_t)getpid(), &error), 0);
	ck_assert_uint_eq(process.pid, (uint32_t)getpid());
	ck_assert_uint_eq(process.event.pid, (uint32_t)getpid());
	ck_assert_uint_eq(process.event.ppid, (uint32_t)getppid());
	ck_assert_uint_eq(process.event.uid, getuid());
	ck_assert_uint_eq(process.event.gid, getgid());
	ck_assert_str_eq(process.event.execname, name);
	ck_assert_ptr_eq(process.event.execname, process.name);
	ck_assert_int_eq(process.link, -1);
	ck_assert(!kernel_process_has_ended(&process));
}
END_TEST

START_TEST(another_process)
{
	begin_child();
	ck_assert_int_eq(kernel_process_open(&process, (uint32_t)child, &error), 0);
	ck_assert_uint_eq(process.event.pid, (uint32_t)child);
	ck_assert_uint_eq(process.event.ppid, (uint32_t)getpid());
	ck_assert_uint_eq(process.event.uid, ids.user);
	ck_assert_uint_eq(process.event.gid, ids.group);
	ck_assert_str_eq(process.event.execname, "a name");
}
END_TEST

/* A process that could not be opened can be closed. */
START_TEST(no_process)
{
	ck_assert_int_eq(kernel_process_open(&process, NOBODY, &error), -ESRCH);
	ck_assert_str_eq(error.text, "process 5000000 does not exist");
	ck_assert_int_eq(process.descriptor, -1);
	ck_assert_uint_eq(process.pid, NOBODY);
	ck_assert(kernel_process_has_ended(&process));
}
END_TEST

static int open_thread(void *unused)
{
	int result = kernel_process_open(&process, (uint32_t)syscall(SYS_gettid), &error);

	(void)unused;
	return result;
}

START_TEST(a_thread)
{
	thrd_t thread;
	int result;

	ck_assert_int_eq(thrd_create(&thread, open_thread, NULL), thrd_success);
	ck_assert_int_eq(thrd_join(thread, &result), thrd_success);
	ck_assert_int_eq(result, -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.text, "is a thread of process"));
	ck_assert_int_eq(process.descriptor, -1);
}
END_TEST

START_TEST(its_end)
{
	struct pollfd end = {.events = POLLIN};

	begin_child();
	ck_assert_int_eq(kernel_process_open(&process, (uint32_t)child, &error), 0);
	end.fd = process.descriptor;
	if (end.fd >= 0)
		ck_assert_int_eq(poll(&end, 1, 0), 0);
	ck_assert(!kernel_process_has_ended(&process));
	kill(child, SIGKILL);
	if (end.fd >= 0)
		ck_assert_int_eq(poll(&end, 1, -1), 1);
	else
		printf("left out: the end of a process is an event: the kernel has no pidfd\n");
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	child = 0;
	ck_assert(kernel_process_has_ended(&process));
}
END_TEST

/* The descriptor and the link are the process's. */
START_TEST(closing)
{
	int pipes[2], descriptor;

	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(kernel_process_open(&process, (uint32_t)getpid(), &error), 0);
	descriptor = process.descriptor;
	process.link = pipes[1];
	kernel_process_close(&process);
	ck_assert_int_eq(process.descriptor, -1);
	ck_assert_int_eq(process.link, -1);
	ck_assert_int_eq(close(pipes[1]), -1);
	ck_assert(descriptor < 0 || close(descriptor) < 0);
	close(pipes[0]);
}
END_TEST

/* AddressSanitizer sees what is freed twice or not at all. */
START_TEST(what_is_mapped)
{
	struct kernel_target *own[2], groups = {0};

	for (unsigned i = 0; i < 2; i++) {
		own[i] = calloc(1, sizeof(**own));
		ck_assert_ptr_nonnull(own[i]);
		ck_assert_int_eq(kernel_target_open(own[i], (uint32_t)getpid(), &error), 0);
	}
	ck_assert_int_eq(kernel_process_open(&process, (uint32_t)getpid(), &error), 0);
	kernel_process_map(&process, own[0], true);
	ck_assert_ptr_eq(process.latest, own[0]);
	kernel_process_map(&process, &groups, false);
	ck_assert_ptr_eq(process.latest, &groups);
	kernel_process_map(&process, own[1], true);
	ck_assert_ptr_eq(process.latest, own[1]);
	kernel_process_close(&process);
	ck_assert_ptr_null(process.latest);
	ck_assert(!process.owns_latest);
}
END_TEST

START_TEST(unwinding)
{
	struct usdt_unwind_files *files = usdt_unwind_files_new(NULL);
	const struct usdt_unwind *first;

	ck_assert_ptr_nonnull(files);
	ck_assert_int_eq(kernel_process_open(&process, (uint32_t)getpid(), &error), 0);
	ck_assert_ptr_null(process.unwind);
	ck_assert_int_eq(kernel_process_unwinds(&process, files), 0);
	first = process.unwind;
	ck_assert_ptr_nonnull(first);
	ck_assert_int_eq(kernel_process_unwinds(&process, files), 0);
	ck_assert_ptr_eq(process.unwind, first);
	kernel_process_close(&process);
	ck_assert_ptr_null(process.unwind);
	usdt_unwind_files_free(files);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, this_process);
	tcase_add_test(tests, another_process);
	tcase_add_test(tests, no_process);
	tcase_add_test(tests, a_thread);
	tcase_add_test(tests, its_end);
	tcase_add_test(tests, closing);
	tcase_add_test(tests, what_is_mapped);
	tcase_add_test(tests, unwinding);
}
