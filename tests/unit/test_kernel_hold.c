/*
 * test_kernel_hold.c: a process that is stopped goes on when nobody else is at work on it: the lock
 * of a tracer that runs is waited for, that of one that is stopped is not. A process that has got
 * the number of one that was stopped is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/bpf/bpf.h"
#include "kernel/watch/hold.h"
#include "unit_main.h"

enum {
	LONG_MS = 1500,     /* longer than the lock is tried for before its owner is examined */
	LATER_NS = 50000000 /* some of the ticks in which the kernel tells when a process began */
};

static _Atomic int *shared; /* 1: the lock is taken; 2: it is about to be given back */
static pid_t child, other;

static pid_t start(void (*work)(void))
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		work();
		_exit(0);
	}
	return pid;
}

static void sleep_on(void)
{
	for (;;)
		pause();
}

static void stop_and_sleep(void)
{
	raise(SIGSTOP);
	sleep_on();
}

static void take_lock(void)
{
	char path[32];
	int folder;

	snprintf(path, sizeof(path), "/proc/%d", child);
	folder = open(path, O_RDONLY | O_DIRECTORY);
	if (folder < 0 || flock(folder, LOCK_EX))
		_exit(1);
	atomic_store(shared, 1);
}

static void lock_long(void)
{
	take_lock();
	nanosleep(&(struct timespec){LONG_MS / 1000, LONG_MS % 1000 * 1000000L}, NULL);
	atomic_store(shared, 2);
}

static void lock_and_stop(void)
{
	take_lock();
	raise(SIGSTOP);
}

static void setup(void)
{
	int status;

	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	child = start(sleep_on);
	kill(child, SIGSTOP);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	ck_assert(WIFSTOPPED(status));
}

static void teardown(void)
{
	kill(child, SIGKILL);
	kill(other, SIGKILL);
	waitpid(child, NULL, 0);
	waitpid(other, NULL, 0);
	munmap(shared, sizeof(*shared));
}

static void await_lock(void)
{
	while (!atomic_load(shared))
		usleep(1000);
}

static void check_goes_on(void)
{
	int status;

	ck_assert_int_eq(kernel_hold_continue((uint32_t)child), 0);
	ck_assert_int_eq(waitpid(child, &status, WCONTINUED), child);
	ck_assert(WIFCONTINUED(status));
}

START_TEST(the_lock_of_a_tracer_that_runs)
{
	other = start(lock_long);
	await_lock();
	check_goes_on();
	ck_assert_int_eq(atomic_load(shared), 2);
}
END_TEST

START_TEST(the_lock_of_a_tracer_that_is_stopped)
{
	int status;

	other = start(lock_and_stop);
	await_lock();
	ck_assert_int_eq(waitpid(other, &status, WUNTRACED), other);
	check_goes_on();
}
END_TEST

START_TEST(a_process_that_is_gone)
{
	other = start(sleep_on);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	ck_assert_int_lt(kernel_hold_continue((uint32_t)other), 0);
	other = start(sleep_on);
}
END_TEST

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Has the next process get a number, if nobody else starts one meanwhile. */
static bool choose_next(pid_t pid)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");
	bool is_written = file && fprintf(file, "%d", pid - 1) > 0;

	if (file)
		is_written &= !fclose(file);
	return is_written;
}

/* Starts a process that stops itself, with the number of one that is gone. -1: refused. */
static pid_t start_again(pid_t pid)
{
	pid_t again = -1;
	int status;

	for (unsigned i = 0; i < 1000 && again != pid; i++) {
		if (!choose_next(pid))
			return -1;
		again = start(stop_and_sleep);
		if (again != pid) {
			kill(again, SIGKILL);
			waitpid(again, NULL, 0);
		}
	}
	if (again == pid) {
		ck_assert_int_eq(waitpid(again, &status, WUNTRACED), again);
		ck_assert(WIFSTOPPED(status));
	}
	return again == pid ? again : -1;
}

START_TEST(a_number_that_another_process_has_got)
{
	int map = kernel_hold_map(16), status;
	struct kernel_held held = {.time = now(), .thread = (uint32_t)child};
	const uint32_t pid = (uint32_t)child, leaving = kernel_hold_leaving(pid);

	other = start(sleep_on);
	ck_assert_int_eq(bpf_map_set(map, &pid, &held), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	while (now() < held.time + LATER_NS)
		usleep(1000);
	ck_assert_int_eq(start_again(child), child);
	/* the stop is the old process's: the new one, which somebody else has stopped, stays so */
	kernel_hold_end(map, pid);
	ck_assert_int_eq(waitpid(child, &status, WCONTINUED | WNOHANG), 0);
	ck_assert_int_eq(kernel_hold_state(pid, pid), KERNEL_HOLD_STOPPED);
	ck_assert_int_eq(bpf_map_get(map, &pid, &held), -ENOENT);
	/* a stop of its own ends */
	held = (struct kernel_held){.time = now(), .thread = pid};
	ck_assert_int_eq(bpf_map_set(map, &pid, &held), 0);
	kernel_hold_end(map, pid);
	ck_assert_int_eq(waitpid(child, &status, WCONTINUED), child);
	ck_assert(WIFCONTINUED(status));
	ck_assert_int_eq(bpf_map_get(map, &pid, &held), -ENOENT);
	ck_assert_int_eq(bpf_map_get(map, &leaving, &held), -ENOENT);
	close(map);
}
END_TEST

void unit_tests(TCase *tests)
{
	int map = kernel_hold_map(1);
	bool may_choose = map >= 0 && !access("/proc/sys/kernel/ns_last_pid", W_OK);

	if (map >= 0)
		close(map);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, the_lock_of_a_tracer_that_runs);
	tcase_add_test(tests, the_lock_of_a_tracer_that_is_stopped);
	tcase_add_test(tests, a_process_that_is_gone);
	if (may_choose)
		tcase_add_test(tests, a_number_that_another_process_has_got);
	else
		puts("left out: a number that another process has got: no BPF map, or no process "
		     "gets a number that is chosen (ns_last_pid)");
}
