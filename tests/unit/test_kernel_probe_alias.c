/*
 * test_kernel_probe_alias.c: the probes of processes that share sites are found by site and process
 * however many there are, the last one that was set counts, and the name of a process's own probe
 * has its number.
 */
#include <stdlib.h>

#include "kernel/process/probe_alias.h"
#include "unit_main.h"

enum { MANY = 20000 };

static struct kernel_aliases aliases;

static void setup(void)
{
	aliases = (struct kernel_aliases){0};
}

static void teardown(void)
{
	kernel_alias_free(&aliases);
}

static void expect(uint32_t site, uint32_t pid, uint32_t probe)
{
	uint32_t found = 0;

	ck_assert_msg(kernel_alias_get(&aliases, site, pid, &found), "%u of %u", site, pid);
	ck_assert_uint_eq(found, probe);
}

START_TEST(an_empty_one_has_none)
{
	uint32_t probe;

	ck_assert(!kernel_alias_get(&aliases, 0, 1, &probe));
	ck_assert_int_eq(kernel_alias_set(&aliases, 0, 1, 5), 0);
	ck_assert(!kernel_alias_get(&aliases, 1, 1, &probe));
	ck_assert(!kernel_alias_get(&aliases, 0, 2, &probe));
	expect(0, 1, 5);
	kernel_alias_free(&aliases);
	ck_assert(!kernel_alias_get(&aliases, 0, 1, &probe));
}
END_TEST

START_TEST(the_last_one_counts)
{
	ck_assert_int_eq(kernel_alias_set(&aliases, 3, 4, 5), 0);
	ck_assert_int_eq(kernel_alias_set(&aliases, 4, 3, 6), 0);
	ck_assert_int_eq(kernel_alias_set(&aliases, 3, 4, UINT32_MAX), 0);
	expect(3, 4, UINT32_MAX);
	expect(4, 3, 6);
}
END_TEST

/* Numbers that are close together, as sites and processes are, and far apart. */
START_TEST(many)
{
	uint32_t probe;

	for (uint32_t i = 0; i < MANY; i++)
		ck_assert_int_eq(kernel_alias_set(&aliases, i % 100, 1 + (i / 100 << _i), i), 0);
	for (uint32_t i = 0; i < MANY; i++)
		expect(i % 100, 1 + (i / 100 << _i), i);
	ck_assert(!kernel_alias_get(&aliases, 100, 1, &probe));
	ck_assert(!kernel_alias_get(&aliases, 0, 1 + (MANY / 100 << _i), &probe));
}
END_TEST

/* The number at the end of the provider is the process's; other digits belong to its name. */
START_TEST(names)
{
	static const struct {
		const char *provider;
		uint32_t of, pid;
		const char *expected;
	} names[] = {{"vm12", 12, 345, "vm345"}, {"vm12", 2, 7, "vm17"}, {"vm", 12, 3, "vm3"},
		{"", 1, 2, "2"}, {"h212", 12, 99, "h299"}};
	struct d_probe_set set;

	ck_assert_int_eq(d_probe_set_init(&set), 0);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct d_probe probe = {.provider = (char *)(uintptr_t)names[i].provider,
			.module = (char[]){"m"},
			.function = (char[]){"f"},
			.name = (char[]){"n"},
			.kind = D_PROBE_SOURCE,
			.source_tag = 77};
		long added = kernel_alias_add(&set, &probe, names[i].of, names[i].pid);

		ck_assert_int_ge(added, 0);
		ck_assert_str_eq(set.probes[added].provider, names[i].expected);
		ck_assert_str_eq(set.probes[added].module, "m");
		ck_assert_str_eq(set.probes[added].function, "f");
		ck_assert_str_eq(set.probes[added].name, "n");
		ck_assert_uint_eq(set.probes[added].source_tag, 77);
	}
	d_probe_set_free(&set);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, an_empty_one_has_none);
	tcase_add_test(tests, the_last_one_counts);
	tcase_add_loop_test(tests, many, 0, 12);
	tcase_add_test(tests, names);
}
