/*
 * test_kernel_hold_state.c: the states of a thread as its file in /proc tells them, and several
 * tracers that hold one process: it goes on when the last one lets go, and the key of a process
 * that is being let go is not a process. The maps are in memory.
 */
#include "bpf_in_memory.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "kernel/watch/hold.h"
#include "unit_main.h"

static pid_t child;
static int maps[2];

static void setup(void)
{
	for (unsigned i = 0; i < 2; i++)
		maps[i] = kernel_hold_map(16);
	child = fork();
	ck_assert_int_ge(child, 0);
	while (!child)
		pause();
}

static void teardown(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	bpf_memory_free();
}

static enum kernel_hold_state state(void)
{
	return kernel_hold_state((uint32_t)child, (uint32_t)child);
}

static void stop(void)
{
	int status;

	kill(child, SIGSTOP);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	ck_assert(WIFSTOPPED(status));
}

static void hold(unsigned tracer)
{
	uint32_t pid = (uint32_t)child;
	struct timespec now;
	struct kernel_held held;

	clock_gettime(CLOCK_MONOTONIC, &now);
	held = (struct kernel_held){
		.time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, .thread = pid};
	ck_assert_int_eq(bpf_map_set(maps[tracer], &pid, &held), 0);
}

static void expect_continued(void)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, WCONTINUED), child);
	ck_assert(WIFCONTINUED(status));
}

START_TEST(states)
{
	ck_assert_int_eq(state(), KERNEL_HOLD_RUNS);
	stop();
	ck_assert_int_eq(state(), KERNEL_HOLD_STOPPED);
	ck_assert_int_eq(kernel_hold_wait((uint32_t)child, (uint32_t)child), KERNEL_HOLD_STOPPED);
	kill(child, SIGCONT);
	expect_continued();
	ck_assert_int_eq(state(), KERNEL_HOLD_RUNS);
	kill(child, SIGKILL);
	/* it has ended, though its parent has not waited for it */
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(state(), KERNEL_HOLD_ENDED);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(state(), KERNEL_HOLD_ENDED);
	child = 0;
}
END_TEST

START_TEST(another_thread_of_another_process)
{
	ck_assert_int_eq(kernel_hold_state((uint32_t)child, (uint32_t)getpid()), KERNEL_HOLD_ENDED);
}
END_TEST

START_TEST(the_last_tracer_lets_go)
{
	stop();
	hold(0);
	hold(1);
	kernel_hold_end(maps[_i], (uint32_t)child);
	ck_assert_int_eq(state(), KERNEL_HOLD_STOPPED);
	ck_assert_uint_eq(bpf_memory_count(maps[_i]), 0);
	ck_assert_uint_eq(bpf_memory_count(maps[!_i]), 1);
	kernel_hold_end(maps[!_i], (uint32_t)child);
	expect_continued();
	ck_assert_uint_eq(bpf_memory_count(maps[!_i]), 0);
}
END_TEST

START_TEST(a_process_that_nobody_holds)
{
	stop();
	ck_assert_int_eq(kernel_hold_continue((uint32_t)child), 0);
	expect_continued();
	stop();
	hold(1);
	ck_assert_int_eq(kernel_hold_continue((uint32_t)child), 0); /* it is left to the tracer */
	ck_assert_int_eq(state(), KERNEL_HOLD_STOPPED);
}
END_TEST

START_TEST(keys)
{
	const uint32_t pid = (uint32_t)child;

	ck_assert_uint_ne(kernel_hold_leaving(pid), pid);
	ck_assert_uint_eq(kernel_hold_pid(kernel_hold_leaving(pid)), pid);
	ck_assert_uint_eq(kernel_hold_pid(pid), pid);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, states);
	tcase_add_test(tests, another_thread_of_another_process);
	tcase_add_loop_test(tests, the_last_tracer_lets_go, 0, 2);
	tcase_add_test(tests, a_process_that_nobody_holds);
	tcase_add_test(tests, keys);
}
