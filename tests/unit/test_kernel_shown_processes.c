/*
 * test_kernel_shown_processes.c: processes as batches show them: what a program has captured of a
 * process counts, and the rest is what /proc shows; with another user, parent or name a process has
 * a new index, and keeps its arguments as far as they can still be its own; of one that has ended
 * only what was captured is known; all are forgotten between two batches, and never within one;
 * what unwinds stacks goes with its process.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command_line.h"
#include "kernel/capture/shown_processes.h"
#include "unit_main.h"
#include "usdt/process/process_info.h"
#include "usdt/unwind/unwind.h"

enum { NOBODY = 5000000 /* no process has such an id */, KNOWN_MAX = 1024, CHILDREN_MAX = 4096 };

static struct kernel_shown shown;
static pid_t child;
static int to_child = -1, from_child = -1;

static void setup(void)
{
	shown = (struct kernel_shown){0};
	kernel_shown_begin(&shown);
}

static void end_child(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(to_child);
		close(from_child);
	}
	child = 0;
}

static void teardown(void)
{
	end_child();
	kernel_shown_free(&shown);
}

/* Starts a process that has a name, and becomes "cat -" when it is told to. */
static void begin_child(const char *name)
{
	int down[2], up[2];
	char byte = 0;

	ck_assert_int_eq(pipe2(down, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(up, O_CLOEXEC), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (write(up[1], "", 1) != 1 || read(down[0], &byte, 1) != 1 ||
			dup2(down[0], 0) < 0 || dup2(up[1], 1) < 0)
			_exit(1);
		execlp("cat", "cat", "-", (char *)NULL);
		_exit(1);
	}
	close(down[0]);
	close(up[1]);
	to_child = down[1];
	from_child = up[0];
	ck_assert_int_eq(read(from_child, &byte, 1), 1);
}

/* Has it execute the other program; afterwards it runs that. */
static void become_cat(void)
{
	char byte = 0;

	ck_assert_int_eq(write(to_child, "12", 2), 2);
	ck_assert_int_eq(read(from_child, &byte, 1), 1);
	ck_assert_int_eq(byte, '2');
}

static struct kernel_identity named(const char *name, uint32_t uid)
{
	struct kernel_identity identity = {.uid = uid, .gid = uid + 1, .ppid = uid + 2};

	memcpy(identity.name, name, strnlen(name, sizeof(identity.name)));
	return identity;
}

/* The index; the process must be there. */
static size_t find(uint32_t pid, const struct kernel_identity *identity)
{
	long index = kernel_shown_find(&shown, pid, identity);

	ck_assert_int_ge(index, 0);
	ck_assert_uint_lt((size_t)index, shown.count);
	ck_assert_uint_eq(shown.list[index].pid, pid);
	return (size_t)index;
}

static size_t find_named(uint32_t pid, const char *name, uint32_t uid)
{
	const struct kernel_identity identity = named(name, uid);

	return find(pid, &identity);
}

/* Valid until the next one is looked for. */
static const struct event_process *show(uint32_t pid, const struct kernel_identity *identity)
{
	size_t index = find(pid, identity);

	return &shown.list[index];
}

/* ---- what is shown ---- */

START_TEST(this_process)
{
	uint32_t pid = (uint32_t)getpid();
	char arguments[4096], name[16];
	const struct event_process *process = show(pid, NULL);

	prctl(PR_GET_NAME, name);
	command_line_read(arguments, sizeof(arguments), 0);
	ck_assert_uint_eq(process->ppid, (uint32_t)getppid());
	ck_assert_uint_eq(process->uid, getuid());
	ck_assert_uint_eq(process->gid, getgid());
	ck_assert_str_eq(process->execname, name);
	ck_assert_str_eq(process->arguments, arguments);
}
END_TEST

/* What was captured may be older than what /proc shows, and counts. */
START_TEST(captured_identity)
{
	uint32_t pid = (uint32_t)getpid();
	struct kernel_identity identity = named("a_captured_name_", 70);
	size_t index = find(pid, &identity);

	ck_assert_str_eq(shown.list[index].execname, "a_captured_name_"); /* without a NUL */
	ck_assert_uint_eq(shown.list[index].uid, 70);
	ck_assert_uint_eq(shown.list[index].gid, 71);
	ck_assert_uint_eq(shown.list[index].ppid, 72);
	ck_assert_ptr_nonnull(shown.list[index].arguments);
	identity.ppid = 0; /* it is not known */
	index = find(pid, &identity);
	ck_assert_uint_eq(index, 1);
	ck_assert_uint_eq(shown.list[index].ppid, 72); /* what it was before */
}
END_TEST

START_TEST(unknown_parent)
{
	struct kernel_identity identity = named("x", 70);

	identity.ppid = 0;
	ck_assert_uint_eq(show((uint32_t)getpid(), &identity)->ppid, (uint32_t)getppid());
}
END_TEST

/* Each identity has its index; without one, it is the latest. */
START_TEST(indices)
{
	uint32_t pid = (uint32_t)getpid();

	ck_assert_uint_eq(find_named(pid, "x", 70), 0);
	ck_assert_uint_eq(find_named(NOBODY, "x", 70), 1);
	ck_assert_uint_eq(find_named(pid, "x", 71), 2);
	ck_assert_uint_eq(find_named(pid, "y", 71), 3);
	ck_assert_uint_eq(find_named(NOBODY, "x", 70), 1);
	ck_assert_uint_eq(find(pid, NULL), 3);
	ck_assert_uint_eq(find_named(pid, "x", 70), 0);
	ck_assert_uint_eq(find_named(pid, "y", 71), 3);
	ck_assert_uint_eq(find(NOBODY, NULL), 1);
	kernel_shown_begin(&shown); /* processes are kept */
	ck_assert_uint_eq(find_named(pid, "x", 71), 2);
	ck_assert_uint_eq(shown.count, 4);
}
END_TEST

/* ---- changes ---- */

/* A process with the name that it had runs the program that it ran, whatever /proc shows now. */
START_TEST(another_user)
{
	char arguments[4096];
	size_t index;

	begin_child("one");
	command_line_read(arguments, sizeof(arguments), (uint32_t)child);
	find_named((uint32_t)child, "one", 70);
	become_cat();
	index = find_named((uint32_t)child, "one", 80);
	ck_assert_uint_eq(index, 1);
	ck_assert_str_eq(shown.list[index].execname, "one");
	ck_assert_str_eq(shown.list[index].arguments, arguments);
	ck_assert_uint_eq(shown.list[index].uid, 80);
	ck_assert_uint_eq(shown.list[index].gid, 81);
	ck_assert_uint_eq(shown.list[index].ppid, 82);
	/* what it was is still shown where its index is used */
	ck_assert_uint_eq(shown.list[0].uid, 70);
	ck_assert_str_eq(shown.list[0].execname, "one");
	ck_assert_str_eq(shown.list[0].arguments, arguments);
}
END_TEST

START_TEST(another_program)
{
	begin_child("one");
	find_named((uint32_t)child, "one", 70);
	become_cat();
	ck_assert_uint_eq(find_named((uint32_t)child, "cat", 70), 1);
	ck_assert_str_eq(shown.list[1].arguments, "cat -");
	ck_assert_str_ne(shown.list[0].arguments, "cat -");
}
END_TEST

/* What /proc shows is compared, too. */
START_TEST(the_name_that_proc_shows)
{
	char arguments[4096];

	begin_child("one");
	command_line_read(arguments, sizeof(arguments), (uint32_t)child);
	ck_assert_str_eq(show((uint32_t)child, NULL)->execname, "one");
	become_cat();
	ck_assert_uint_eq(find_named((uint32_t)child, "one", 70), 1);
	ck_assert_str_eq(shown.list[1].arguments, arguments);
}
END_TEST

/* ---- processes that have ended ---- */

START_TEST(an_ended_process)
{
	const struct kernel_identity identity = named("gone", 70);
	const struct event_process *process = show(NOBODY, NULL);

	ck_assert_str_eq(process->execname, "");
	ck_assert_ptr_null(process->arguments);
	ck_assert_uint_eq(process->ppid, 0);
	process = show(NOBODY, &identity);
	ck_assert_str_eq(process->execname, "gone");
	ck_assert_ptr_null(process->arguments);
	ck_assert_uint_eq(process->uid, 70);
	ck_assert_uint_eq(process->gid, 71);
	ck_assert_uint_eq(process->ppid, 72);
}
END_TEST

/* Even with another name, since nothing else can be found out. */
START_TEST(known_before_it_ended)
{
	char arguments[4096];
	uint32_t pid;
	size_t index;

	begin_child("one");
	pid = (uint32_t)child;
	command_line_read(arguments, sizeof(arguments), pid);
	find(pid, NULL);
	end_child();
	index = find_named(pid, "two", 70);
	ck_assert_str_eq(shown.list[index].execname, "two");
	ck_assert_str_eq(shown.list[index].arguments, arguments);
	ck_assert_uint_eq(shown.list[index].uid, 70);
}
END_TEST

/* The name of a process that nobody has waited for is there. */
START_TEST(zombie)
{
	siginfo_t ended;
	size_t index;

	begin_child("one");
	kill(child, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
	index = find((uint32_t)child, NULL);
	ck_assert_str_eq(shown.list[index].execname, "one");
	ck_assert_ptr_null(shown.list[index].arguments);
	index = find_named((uint32_t)child, "two", 70);
	ck_assert_str_eq(shown.list[index].execname, "two");
	ck_assert_ptr_null(shown.list[index].arguments);
	ck_assert_uint_eq(shown.list[index].uid, 70);
}
END_TEST

START_TEST(known_before_it_was_a_zombie)
{
	char arguments[4096];
	siginfo_t ended;
	size_t index;

	begin_child("one");
	command_line_read(arguments, sizeof(arguments), (uint32_t)child);
	find((uint32_t)child, NULL);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
	index = find_named((uint32_t)child, "two", 70);
	ck_assert_str_eq(shown.list[index].execname, "two");
	ck_assert_str_eq(shown.list[index].arguments, arguments);
}
END_TEST

START_TEST(no_process)
{
	size_t index = find(0, NULL);

	ck_assert_str_eq(shown.list[index].execname, "");
	ck_assert_ptr_null(shown.list[index].arguments);
	ck_assert_ptr_null(kernel_shown_unwind(&shown, index));
}
END_TEST

/* ---- forgetting ---- */

START_TEST(forgotten_between_batches)
{
	for (uint32_t i = 0; i < KNOWN_MAX; i++)
		ck_assert_uint_eq(find(NOBODY + i, NULL), i);
	kernel_shown_begin(&shown);
	ck_assert_uint_eq(shown.count, KNOWN_MAX);
	ck_assert_uint_eq(find(NOBODY + KNOWN_MAX, NULL), KNOWN_MAX);
	ck_assert_uint_eq(find(NOBODY, NULL), 0);
	kernel_shown_begin(&shown);
	ck_assert_uint_eq(shown.count, 0);
	for (uint32_t i = 0; i < 3 * KNOWN_MAX; i++)
		ck_assert_uint_eq(find(NOBODY + i, NULL), i);
	ck_assert_uint_eq(find(NOBODY, NULL), 0);
	kernel_shown_begin(&shown);
	ck_assert_uint_eq(find(NOBODY + 5, NULL), 0);
	ck_assert_uint_eq(find(NOBODY, NULL), 1);
}
END_TEST

/* ---- unwinding ---- */

/* That of another object, or of one whose mappings are read again, is another number. */
static uint64_t generation(size_t index)
{
	const struct usdt_unwind *unwind = kernel_shown_unwind(&shown, index);

	ck_assert_ptr_nonnull(unwind);
	return usdt_unwind_generation(unwind);
}

START_TEST(unwinding)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t first = generation(find(pid, NULL)), second;

	ck_assert_uint_eq(generation(find(pid, NULL)), first);
	kernel_shown_begin(&shown);
	ck_assert_uint_eq(generation(find(pid, NULL)), first);
	first = generation(find_named(pid, "x", 70));
	second = generation(find_named(pid, "x", 71)); /* the same program: it goes along */
	ck_assert_uint_eq(first, second);
	ck_assert_uint_ne(generation(find_named(pid, "y", 71)), second);
}
END_TEST

START_TEST(unwinding_another_program)
{
	uint32_t pid = (uint32_t)getpid();
	size_t one = find(pid, NULL), other = find((uint32_t)getppid(), NULL);
	uint64_t first = generation(one), second = generation(other);

	kernel_shown_replace(&shown, pid);
	ck_assert_uint_ne(generation(one), first);
	ck_assert_uint_eq(generation(other), second);
}
END_TEST

/* A process that has ended may have stacks in records that are yet to be read. */
START_TEST(unwinding_an_ended_process)
{
	uint64_t first;
	size_t index;

	begin_child("one");
	index = find((uint32_t)child, NULL);
	first = generation(index);
	end_child();
	kernel_shown_begin(&shown);
	ck_assert_uint_eq(generation(index), first);
}
END_TEST

/* As if this process had ended and another one had got its id: it is noticed by when that began. */
START_TEST(unwinding_another_process)
{
	uint32_t pid = (uint32_t)getpid();
	size_t index = find(pid, NULL);
	uint64_t first = generation(index);

	for (unsigned i = 0; i < CHILDREN_MAX; i++) {
		begin_child("one");
		if (process_info_started((uint32_t)child) != process_info_started(pid))
			break;
		end_child(); /* it began in the same 10 ms */
	}
	ck_assert_int_gt(child, 0);
	shown.list[index].pid = (uint32_t)child;
	ck_assert_uint_eq(generation(index), first); /* once for each batch */
	kernel_shown_begin(&shown);
	ck_assert_uint_ne(generation(index), first);
	first = generation(index);
	kernel_shown_begin(&shown);
	ck_assert_uint_eq(generation(index), first);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, this_process);
	tcase_add_test(tests, captured_identity);
	tcase_add_test(tests, unknown_parent);
	tcase_add_test(tests, indices);
	tcase_add_test(tests, another_user);
	tcase_add_test(tests, another_program);
	tcase_add_test(tests, the_name_that_proc_shows);
	tcase_add_test(tests, an_ended_process);
	tcase_add_test(tests, known_before_it_ended);
	tcase_add_test(tests, zombie);
	tcase_add_test(tests, known_before_it_was_a_zombie);
	tcase_add_test(tests, no_process);
	tcase_add_test(tests, forgotten_between_batches);
	tcase_add_test(tests, unwinding);
	tcase_add_test(tests, unwinding_another_program);
	tcase_add_test(tests, unwinding_an_ended_process);
	tcase_add_test(tests, unwinding_another_process);
}
