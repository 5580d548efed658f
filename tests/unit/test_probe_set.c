/* test_probe_set.c: the set of probes: adding, finding, cutting back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/probe.h"
#include "unit_main.h"

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

/* What a probe points to is the set's own, each text once. */
START_TEST(test_keeps)
{
	char provider[] = "first1", name[] = "one", type[] = "int", note[] = "slow";
	char aliases[] = "other\0_other\0";
	struct d_probe_argument arguments[D_PROBE_ARGUMENTS_MAX + 1];
	struct d_probe probe = {.provider = provider,
		.name = name,
		.note = note,
		.aliases = aliases,
		.argument_count = D_PROBE_ARGUMENTS_MAX + 1,
		.arguments = arguments};
	struct d_probe_set set;

	for (int i = 0; i <= D_PROBE_ARGUMENTS_MAX; i++)
		arguments[i] = (struct d_probe_argument){type, i ? NULL : name};
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_int_eq(d_probe_set_add(&set, &probe), -EINVAL);
	probe.argument_count--;
	ck_assert_int_eq(d_probe_set_add(&set, &probe), 3);
	type[0] = name[0] = 'x';
	ck_assert_int_eq(d_probe_set_add(&set, &probe), 4);
	ck_assert_int_eq(d_probe_set_note(&set, 4, "quick"), 0);
	memset(provider, 'x', sizeof(provider) - 1);
	memset(note, 'x', sizeof(note) - 1);
	memset(aliases, 'x', sizeof(aliases) - 2);
	ck_assert_str_eq(set.probes[3].provider, "first1");
	ck_assert_str_eq(set.probes[3].module, "");
	ck_assert_str_eq(set.probes[3].name, "one");
	ck_assert_str_eq(set.probes[3].note, "slow");
	ck_assert_str_eq(set.probes[3].arguments[0].type, "int");
	ck_assert_str_eq(set.probes[3].arguments[0].name, "one");
	ck_assert_str_eq(set.probes[3].arguments[D_PROBE_ARGUMENTS_MAX - 1].type, "int");
	ck_assert_str_eq(set.probes[3].arguments[1].name, "");
	ck_assert_str_eq(set.probes[4].name, "xne");
	ck_assert_str_eq(set.probes[4].note, "quick");
	ck_assert_str_eq(set.probes[4].arguments[0].type, "xnt");
	ck_assert_ptr_eq(set.probes[4].provider, set.probes[3].provider);
	ck_assert(d_probe_matches_function(&set.probes[3], "_oth*"));
	ck_assert(d_probe_matches_function(&set.probes[3], "other"));
	ck_assert(!d_probe_matches_function(&set.probes[3], "another"));
	d_probe_set_free(&set);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_cut);
	tcase_add_test(tests, test_keeps);
}
