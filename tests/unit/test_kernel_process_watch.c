/*
 * test_kernel_process_watch.c: what the watch knows of processes: who is watched, its notices in
 * their order, and what becomes of a process that was stopped for one: it goes on if it is still
 * stopped for that notice, and stays if a later one has stopped it. The maps and the ring are in
 * memory; the processes are real ones.
 */
#include "bpf_in_memory.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "kernel/watch/hold.h"
#include "kernel/watch/process_watch_private.h"
#include "unit_main.h"

enum { PID = 4000000, RING_BYTES = 4096, HEADER_BYTES = 8, TIME = 1000 };

static struct kernel_watch watch;
static unsigned char *pages;
static size_t page;
static uint64_t produced;
static pid_t child;

static void setup(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = aligned_alloc(page, 2 * page + RING_BYTES);
	ck_assert_ptr_nonnull(pages);
	memset(pages, 0, 2 * page + RING_BYTES);
	produced = 0;
	child = 0;
	watch = (struct kernel_watch){
		.watched = bpf_map(BPF_MAP_TYPE_HASH, 4, sizeof(struct watched_process), 16, 0),
		.held = kernel_hold_map(16),
		.control = bpf_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct watch_control), 1, 0),
		.ring = {.map = -1, .bytes = RING_BYTES, .consumer = pages, .data = pages + page}};
}

static void teardown(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	free(watch.ring.crossing);
	free(pages);
	bpf_memory_free();
}

/* What a program does. */
static void put_notice(const void *notice, uint32_t bytes)
{
	memcpy(pages + 2 * page + produced, &bytes, sizeof(bytes));
	memcpy(pages + 2 * page + produced + HEADER_BYTES, notice, bytes);
	produced += HEADER_BYTES + ((bytes + 7) & ~7u);
	memcpy(pages + page, &produced, sizeof(produced));
}

static struct kernel_notice notice_of(pid_t pid, enum kernel_notice_stop stop)
{
	return (struct kernel_notice){
		.time = TIME, .kind = KERNEL_NOTICE_OBJECTS, .pid = (uint32_t)pid, .stop = stop};
}

/* Starts a process that does nothing but wait, and stops it. */
static void start_stopped(void)
{
	int status;

	child = fork();
	ck_assert_int_ge(child, 0);
	while (!child)
		pause();
	kill(child, SIGSTOP);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	ck_assert(WIFSTOPPED(status));
}

/* Notes that a program has stopped it. The time is later than its start. */
static uint64_t hold(void)
{
	struct timespec now;
	struct kernel_held held;
	uint32_t pid = (uint32_t)child;

	clock_gettime(CLOCK_MONOTONIC, &now);
	held = (struct kernel_held){
		.time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, .thread = pid};
	ck_assert_int_eq(bpf_map_set(watch.held, &pid, &held), 0);
	return held.time;
}

static bool is_held(void)
{
	struct kernel_held held;
	uint32_t pid = (uint32_t)child;

	return !bpf_map_get(watch.held, &pid, &held);
}

static bool is_stopped(void)
{
	return kernel_hold_state((uint32_t)child, (uint32_t)child) == KERNEL_HOLD_STOPPED;
}

START_TEST(who_is_watched)
{
	ck_assert(kernel_watch_is_empty(&watch));
	ck_assert(!kernel_watch_has(&watch, PID));
	ck_assert_int_eq(kernel_watch_add_family(&watch, PID, NULL, true), 0);
	ck_assert_int_eq(kernel_watch_add_family(&watch, PID + 1, NULL, false), 0);
	ck_assert(kernel_watch_has(&watch, PID));
	ck_assert(kernel_watch_has(&watch, PID + 1));
	ck_assert(!kernel_watch_has(&watch, PID + 2));
	kernel_watch_remove(&watch, PID);
	ck_assert(!kernel_watch_has(&watch, PID));
	ck_assert(!kernel_watch_is_empty(&watch));
	kernel_watch_remove(&watch, PID + 1);
	ck_assert(kernel_watch_is_empty(&watch));
	kernel_watch_remove(&watch, PID + 1);
	ck_assert_int_eq(kernel_watch_members(&watch), watch.watched);
}
END_TEST

/* A process that is added again, after it has started another program, stays as stoppable as it
 * was. */
START_TEST(a_process_that_is_added_again)
{
	const uint32_t pid = PID;
	struct watched_process watched;

	ck_assert_int_eq(kernel_watch_add_family(&watch, pid, NULL, true), 0);
	ck_assert_int_eq(kernel_watch_add_family(&watch, pid, NULL, false), 0);
	ck_assert_int_eq(bpf_map_get(watch.watched, &pid, &watched), 0);
	ck_assert(watched.may_stop);
}
END_TEST

START_TEST(notices)
{
	struct kernel_notice first = notice_of(1, KERNEL_NOTICE_RUNS), next;
	const uint64_t damaged = 0;

	ck_assert(!kernel_watch_next(&watch, &next));
	put_notice(&first, sizeof(first));
	first.pid = 2;
	put_notice(&first, sizeof(first));
	put_notice(&damaged, sizeof(damaged)); /* too short */
	ck_assert(kernel_watch_next(&watch, &next));
	ck_assert_uint_eq(next.pid, 1);
	ck_assert(kernel_watch_next(&watch, &next));
	ck_assert_uint_eq(next.pid, 2);
	ck_assert_uint_eq(next.time, TIME);
	ck_assert(!kernel_watch_next(&watch, &next));
	ck_assert_mem_eq(pages, &produced, sizeof(produced)); /* all are released */
}
END_TEST

START_TEST(missed_notices)
{
	const struct watch_control control = {.may_stop = 1, .missed = 2};
	const uint32_t first = 0;

	ck_assert(!kernel_watch_has_missed(&watch));
	bpf_map_set(watch.control, &first, &control);
	ck_assert(kernel_watch_has_missed(&watch));
}
END_TEST

/* Nobody is let go who was not stopped. */
START_TEST(processes_that_were_not_stopped)
{
	struct kernel_notice notice = notice_of(PID, KERNEL_NOTICE_RUNS);

	ck_assert_int_eq(kernel_watch_continue(&watch, &notice), KERNEL_WATCH_WAITED);
	notice.stop = KERNEL_NOTICE_NOT_STOPPED;
	ck_assert_int_eq(kernel_watch_continue(&watch, &notice), KERNEL_WATCH_RAN);
	notice.stop = KERNEL_NOTICE_STOPPED; /* but somebody else has let it go */
	ck_assert_int_eq(kernel_watch_continue(&watch, &notice), KERNEL_WATCH_RAN);
}
END_TEST

START_TEST(a_process_that_waits_goes_on)
{
	struct kernel_notice notice;
	int status;

	start_stopped();
	notice = notice_of(child, KERNEL_NOTICE_STOPPED);
	notice.time = hold();
	ck_assert_int_eq(kernel_watch_continue(&watch, &notice), KERNEL_WATCH_WAITED);
	ck_assert_int_eq(waitpid(child, &status, WCONTINUED), child);
	ck_assert(WIFCONTINUED(status));
	ck_assert(!is_held());
	ck_assert_uint_eq(bpf_memory_count(watch.held), 0); /* nor under another key */
}
END_TEST

/* It is stopped for a later notice, which will let it go. */
START_TEST(a_process_that_was_stopped_again)
{
	struct kernel_notice notice;

	start_stopped();
	notice = notice_of(child, KERNEL_NOTICE_STOPPED);
	notice.time = hold() - 1;
	ck_assert_int_eq(kernel_watch_continue(&watch, &notice), KERNEL_WATCH_RAN);
	ck_assert(is_held());
	ck_assert(is_stopped());
}
END_TEST

START_TEST(a_process_that_is_killed)
{
	struct kernel_notice notice;
	int status;

	start_stopped();
	notice = notice_of(child, KERNEL_NOTICE_STOPPED);
	notice.time = hold();
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(kernel_watch_continue(&watch, &notice), KERNEL_WATCH_HAS_ENDED);
	ck_assert(!is_held());
	child = 0;
}
END_TEST

/* The caller takes it over: it stays stopped, and no map has it. */
START_TEST(a_process_that_is_kept)
{
	struct kernel_notice notice;

	start_stopped();
	notice = notice_of(child, KERNEL_NOTICE_STOPPED);
	notice.time = hold();
	kernel_watch_keep(&watch, &notice);
	ck_assert(!is_held());
	ck_assert(is_stopped());
	ck_assert_int_eq(kernel_watch_continue(&watch, &notice), KERNEL_WATCH_RAN);
	ck_assert(is_stopped());
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, who_is_watched);
	tcase_add_test(tests, a_process_that_is_added_again);
	tcase_add_test(tests, notices);
	tcase_add_test(tests, missed_notices);
	tcase_add_test(tests, processes_that_were_not_stopped);
	tcase_add_test(tests, a_process_that_waits_goes_on);
	tcase_add_test(tests, a_process_that_was_stopped_again);
	tcase_add_test(tests, a_process_that_is_killed);
	tcase_add_test(tests, a_process_that_is_kept);
}
