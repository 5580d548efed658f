/* test_perf_map.c: the lines of a perf-PID.map, and a file that grows while it is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit_main.h"
#include "usdt/process/perf_map.h"

static struct perf_map map;
static char path[64];

static void set_up(void)
{
	perf_map_open(&map, getpid());
	snprintf(path, sizeof(path), "/tmp/%s", map.module);
	unlink(path);
}

static void tear_down(void)
{
	perf_map_close(&map);
	unlink(path);
}

static void add(const char *text)
{
	perf_map_add(&map, strdup(text), strlen(text));
}

static const char *name_at(uint64_t address)
{
	const struct perf_map_function *function = perf_map_find(&map, address);

	return function ? function->name : "";
}

START_TEST(lines)
{
	add("1000 20 first\n"
	    "0x2000 0x10 LazyCompile:~f /home/x.js:1:2\n"
	    "3000 8 Lorg/Class;::method\r\n"
	    "ffffffffffffff00 10 highest\n");
	ck_assert_str_eq(name_at(0x1000), "first");
	ck_assert_str_eq(name_at(0x101f), "first");
	ck_assert_str_eq(name_at(0x1020), "");
	ck_assert_str_eq(name_at(0xfff), "");
	ck_assert_str_eq(name_at(0x200f), "LazyCompile:~f /home/x.js:1:2");
	ck_assert_str_eq(name_at(0x3007), "org.Class#method");
	ck_assert_str_eq(name_at(0xffffffffffffff0f), "highest");
}
END_TEST

/* The JVM's methods are written as those of other languages; nothing else is changed. */
START_TEST(java)
{
	static const char *const names[][2] = {
		{"int java.lang.String.hashCode()", "java.lang.String#hashCode"},
		{"java.lang.Object[] org.A$B.<init>(int, org.C[])", "org.A$B#<init>"},
		{"void Main.main(java.lang.String[])", "Main#main"},
		{"int Main$$Lambda$1/0x00007f8900001000.f(int)",
			"Main$$Lambda$1/0x00007f8900001000#f"},
		{"Ljava/util/HashMap;::getNode", "java.util.HashMap#getNode"},
		{"LMain;::<init>", "Main#<init>"},
		{"StubRoutines (1)", NULL},
		{"Lambda;::", NULL},
		{"L;::x", NULL},
		{"LazyCompile:*f /a/b.js:1", NULL},
		{"instance void [System.Private.CoreLib] System.A::B(object)[Tier1]", NULL},
		{"void [Lib] A.B(object)", NULL},
		{"operator()", NULL},
		{"f(int)", NULL},
		{"a b(c)", NULL},
		{"a .b(c)", NULL},
		{"a b.(c)", NULL},
	};
	char line[200];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(line, sizeof(line), "%zx 10 %s\n", 0x1000 * (i + 1), names[i][0]);
		add(line);
		ck_assert_str_eq(name_at(0x1000 * (i + 1)), names[i][names[i][1] != NULL]);
	}
}
END_TEST

START_TEST(other_lines)
{
	add("\n \nname\n1000\n1000 \n1000 20\n1000 20 \n1000 0 empty\n-1000 20 negative\n"
	    "10000000000000000 20 too_long\n1000\t20 tab\n 1000 20 space\n0x 20 no_digits\n"
	    "1000 20 incomplete");
	ck_assert_uint_eq(map.count, 0);
	ck_assert_str_eq(name_at(0x1000), "");
}
END_TEST

/* Code is compiled again, and its memory is used again. */
START_TEST(overlaps)
{
	add("1000 100 old\n1000 80 new\n2000 100 whole\n2040 10 inner\n");
	ck_assert_str_eq(name_at(0x1000), "new");
	ck_assert_str_eq(name_at(0x1090), "old");
	ck_assert_str_eq(name_at(0x2045), "inner");
	ck_assert_str_eq(name_at(0x2060), "whole");
	add("2000 100 later\n");
	ck_assert_str_eq(name_at(0x2045), "later");
}
END_TEST

static void append(const char *text)
{
	FILE *file = fopen(path, "a");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

/* The next failure is one after which the file is read. */
static void expect_reading(void)
{
	map.retry.failures = 0;
}

START_TEST(growing_file)
{
	const char *first;

	ck_assert_str_eq(name_at(0x1000), "");
	append("1000 10 first\n2000 10 sec");
	expect_reading();
	first = name_at(0x1000);
	ck_assert_str_eq(first, "first");
	expect_reading();
	ck_assert_str_eq(name_at(0x2000), "");
	append("ond\n");
	expect_reading();
	ck_assert_str_eq(name_at(0x2000), "second");
	/* names live as long as the map */
	ck_assert_ptr_eq(name_at(0x1000), first);
	/* another file */
	unlink(path);
	append("3000 10 third\n");
	expect_reading();
	ck_assert_str_eq(name_at(0x3000), "third");
	ck_assert_str_eq(name_at(0x1000), "first");
}
END_TEST

/* Without lines for its addresses, the file is read less and less often. */
START_TEST(failures)
{
	size_t readings = 0;

	map.retry.next = UINT64_MAX;
	for (int i = 0; i < 1000; i++)
		readings += mapped_retry_due(&map.retry);
	ck_assert_uint_eq(readings, 10);
	map.retry.next = 0;
	ck_assert(mapped_retry_due(&map.retry));
}
END_TEST

/* What is no regular file of the process's user is not read. */
START_TEST(wrong_files)
{
	ck_assert_int_eq(symlink("/proc/self/maps", path), 0);
	ck_assert_str_eq(name_at(0x1000), "");
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	expect_reading();
	ck_assert_str_eq(name_at(0x1000), "");
	unlink(path);
	append("1000 10 other_user\n");
	if (chown(path, 12345, 12345) == 0) {
		expect_reading();
		ck_assert_str_eq(name_at(0x1000), "");
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	unit_in_one_process();
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, lines);
	tcase_add_test(tests, java);
	tcase_add_test(tests, other_lines);
	tcase_add_test(tests, overlaps);
	tcase_add_test(tests, growing_file);
	tcase_add_test(tests, failures);
	tcase_add_test(tests, wrong_files);
}
