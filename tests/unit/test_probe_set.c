/* test_probe_set.c: the set of probes: adding, finding, cutting back. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "program/probe.h"

static long add(struct d_probe_set *set, const char *provider, const char *name)
{
	struct d_probe probe = {.provider = (char *)provider,
		.module = (char *)"",
		.function = (char *)"",
		.name = (char *)name,
		.kind = D_PROBE_SOURCE};

	return d_probe_set_add(set, &probe);
}

static long count_named(const struct d_probe_set *set, const char *name)
{
	long count = 0;

	for (long i = d_probe_set_find(set, name, -1); i >= 0; i = d_probe_set_find(set, name, i))
		count++;
	return count;
}

/* A set that has been cut finds what is left, in order, and takes new probes at the cut. */
START_TEST(test_cut)
{
	struct d_probe_set set;
	char name[16];

	ck_assert_int_eq(d_probe_set_init(&set), 0);
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "probe-%d", i % 50);
		ck_assert_int_eq(add(&set, "first1", name), i + 3);
	}
	d_probe_set_cut(&set, 103);
	ck_assert_uint_eq(set.count, 103);
	ck_assert_int_eq(count_named(&set, "probe-7"), 2);
	ck_assert_int_eq(d_probe_set_find(&set, "probe-7", -1), 10);
	ck_assert_int_eq(add(&set, "second1", "probe-7"), 103);
	ck_assert_int_eq(d_probe_set_find(&set, "probe-7", 60), 103);
	ck_assert_int_eq(count_named(&set, "probe-7"), 3);
	d_probe_set_cut(&set, 200);
	ck_assert_uint_eq(set.count, 104);
	d_probe_set_cut(&set, 0);
	ck_assert_int_eq(d_probe_set_find(&set, "BEGIN", -1), -1);
	ck_assert_int_eq(add(&set, "third1", "BEGIN"), 0);
	d_probe_set_free(&set);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe set");
	TCase *tests = tcase_create("set");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tests, test_cut);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
