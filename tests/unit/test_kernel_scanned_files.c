/*
 * test_kernel_scanned_files.c: which mappings make a process worth scanning: those of files that no
 * completed scan has seen, or that have changed since; a process is reported once until it has been
 * scanned. The kernel's reports are made up by the test.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/watch/scanned_files.h"
#include "unit_main.h"

enum { REPORTS_MAX = 8, MANY = 70000 /* more than are remembered */ };

static struct kernel_unseen unseen;
static struct kernel_mapped_event reports[REPORTS_MAX];
static size_t report_count, report_next;
static char path[64];

/* These stand for those of code_mappings.c. */
int kernel_mapped_open(struct kernel_mapped *mapped, bool tells_forks, struct error *error)
{
	(void)error;
	ck_assert(!tells_forks); /* nothing here waits for them */
	*mapped = (struct kernel_mapped){0};
	return 0;
}

void kernel_mapped_close(struct kernel_mapped *mapped)
{
	(void)mapped;
}

bool kernel_mapped_next(struct kernel_mapped *mapped, struct kernel_mapped_event *event)
{
	(void)mapped;
	if (report_next == report_count)
		return false;
	*event = reports[report_next++];
	return true;
}

static void setup(void)
{
	ck_assert_int_eq(kernel_unseen_open(&unseen, NULL), 0);
	report_count = report_next = 0;
}

static void teardown(void)
{
	kernel_unseen_close(&unseen);
}

static void report(uint32_t pid, uint64_t inode, const char *file)
{
	if (report_next == report_count)
		report_next = report_count = 0;
	ck_assert_uint_lt(report_count, REPORTS_MAX);
	reports[report_count++] = (struct kernel_mapped_event){
		.kind = KERNEL_MAPPED_CODE, .pid = pid, .time = 7, .inode = inode, .path = file};
}

/* The process of the next event, which is about a file; 0: there is no event. */
static uint32_t next(void)
{
	struct kernel_unseen_event event;

	if (!kernel_unseen_next(&unseen, &event))
		return 0;
	ck_assert_int_eq(event.kind, KERNEL_UNSEEN_FILE);
	ck_assert_uint_eq(event.time, 7);
	return event.pid;
}

START_TEST(a_file_is_new_until_it_was_scanned)
{
	report(10, 1, "/nowhere");
	report(10, 2, "/nowhere");
	report(11, 1, "/nowhere");
	ck_assert_uint_eq(next(), 10);
	ck_assert_uint_eq(next(), 11); /* 10 has been reported already */
	ck_assert_uint_eq(next(), 0);
	kernel_unseen_learn(&unseen, 10, true);
	report(12, 1, "/nowhere");
	report(12, 2, "/nowhere");
	ck_assert_uint_eq(next(), 0);
	report(12, 3, "/nowhere");
	ck_assert_uint_eq(next(), 12);
	report(10, 4, "/nowhere");
	ck_assert_uint_eq(next(), 10);
}
END_TEST

/* The process ended before it was scanned: others that map the file are reported. */
START_TEST(a_scan_that_was_not_completed)
{
	report(10, 1, "/nowhere");
	ck_assert_uint_eq(next(), 10);
	kernel_unseen_learn(&unseen, 10, false);
	report(11, 1, "/nowhere");
	ck_assert_uint_eq(next(), 11);
	kernel_unseen_learn(&unseen, 11, true);
	report(12, 1, "/nowhere");
	ck_assert_uint_eq(next(), 0);
}
END_TEST

/* What another process maps meanwhile is not seen by its scan. */
START_TEST(each_process_has_its_own_scan)
{
	report(10, 1, "/nowhere");
	report(11, 2, "/nowhere");
	ck_assert_uint_eq(next(), 10);
	ck_assert_uint_eq(next(), 11);
	kernel_unseen_learn(&unseen, _i ? 11 : 10, true);
	report(12, _i ? 2 : 1, "/nowhere");
	ck_assert_uint_eq(next(), 0);
	report(12, _i ? 1 : 2, "/nowhere");
	ck_assert_uint_eq(next(), 12);
}
END_TEST

START_TEST(files_that_differ)
{
	const struct kernel_mapped_event first = {
		.kind = KERNEL_MAPPED_CODE, .pid = 10, .time = 7, .inode = 1, .path = "/nowhere"};

	for (unsigned i = 0; i < 4; i++) {
		struct kernel_mapped_event is = first;

		is.pid += i;
		is.device_major = i == 1;
		is.device_minor = i == 2;
		is.generation = i == 3;
		reports[0] = is;
		report_next = 0;
		report_count = 1;
		ck_assert_uint_eq(next(), is.pid);
		kernel_unseen_learn(&unseen, is.pid, true);
		report_next = 0; /* and again */
		ck_assert_uint_eq(next(), 0);
	}
}
END_TEST

static struct timespec changed(void)
{
	struct stat status;

	ck_assert_int_eq(stat(path, &status), 0);
	return status.st_ctim;
}

/* A file that has been written since is another one. */
START_TEST(a_file_that_changes)
{
	const uint32_t pid = (uint32_t)getpid();
	struct timespec before, now;
	int file;

	snprintf(path, sizeof(path), "/tmp/vmtap_scanned_XXXXXX");
	file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	report(pid, 1, path);
	ck_assert_uint_eq(next(), pid);
	kernel_unseen_learn(&unseen, pid, true);
	report(pid, 1, path);
	ck_assert_uint_eq(next(), 0);
	before = changed();
	do { /* the file system's clock has ticks */
		ck_assert_int_eq(fchmod(file, 0700), 0);
		now = changed();
	} while (before.tv_sec == now.tv_sec && before.tv_nsec == now.tv_nsec);
	report(pid, 1, path);
	ck_assert_uint_eq(next(), pid);
	close(file);
	unlink(path);
}
END_TEST

/* When there are too many to remember, they are scanned again; none is ever taken for seen that is
 * not. */
START_TEST(many_files)
{
	for (uint64_t i = 1; i <= MANY; i++) {
		report(10, i, "/nowhere");
		ck_assert_uint_eq(next(), 10);
		kernel_unseen_learn(&unseen, 10, true);
	}
	report(11, MANY, "/nowhere");
	ck_assert_uint_eq(next(), 0);
	report(11, 1, "/nowhere");
	ck_assert_uint_eq(next(), 11);
}
END_TEST

START_TEST(other_events)
{
	struct kernel_unseen_event event;

	reports[0] = (struct kernel_mapped_event){.kind = KERNEL_MAPPED_PROGRAM, .pid = 3};
	reports[1] = (struct kernel_mapped_event){.kind = KERNEL_MAPPED_LOST, .time = 9};
	report_count = 2;
	ck_assert(kernel_unseen_next(&unseen, &event));
	ck_assert_int_eq(event.kind, KERNEL_UNSEEN_PROGRAM);
	ck_assert_uint_eq(event.pid, 3);
	ck_assert(kernel_unseen_next(&unseen, &event));
	ck_assert_int_eq(event.kind, KERNEL_UNSEEN_LOST);
	ck_assert_uint_eq(event.time, 9);
	ck_assert(!kernel_unseen_next(&unseen, &event));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_file_is_new_until_it_was_scanned);
	tcase_add_test(tests, a_scan_that_was_not_completed);
	tcase_add_loop_test(tests, each_process_has_its_own_scan, 0, 2);
	tcase_add_test(tests, files_that_differ);
	tcase_add_test(tests, a_file_that_changes);
	tcase_add_test(tests, many_files);
	tcase_add_test(tests, other_events);
}
