/*
 * test_kernel_function_places.c: a probe of a function is known again by its file, names and place,
 * however many there are; one that differs in any of these is another one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/site/function_places.h"
#include "program/probe.h"
#include "unit_main.h"

enum { MANY = 5000 };

static struct kernel_places places;
static struct d_probe_set set;

static void setup(void)
{
	places = (struct kernel_places){0};
	ck_assert_int_eq(d_probe_set_init(&set), 0);
}

static void teardown(void)
{
	kernel_places_free(&places);
	d_probe_set_free(&set);
}

static struct d_probe probe_of(
	const char *provider, const char *function, const char *name, uint32_t tag)
{
	static char module[] = "";

	return (struct d_probe){.provider = (char *)(uintptr_t)provider,
		.module = module,
		.function = (char *)(uintptr_t)function,
		.name = (char *)(uintptr_t)name,
		.kind = D_PROBE_SOURCE,
		.source_tag = tag};
}

static void add(
	const char *provider, const char *function, const char *name, uint32_t tag, uint32_t file)
{
	const struct d_probe probe = probe_of(provider, function, name, tag);
	long index = d_probe_set_add(&set, &probe);

	ck_assert_int_ge(index, 0);
	ck_assert_int_eq(kernel_places_add(&places, &set, (uint32_t)index, file), 0);
}

static bool has(
	const char *provider, const char *function, const char *name, uint32_t tag, uint32_t file)
{
	const struct d_probe probe = probe_of(provider, function, name, tag);

	return kernel_places_has(&places, &set, &probe, file);
}

START_TEST(what_tells_probes_apart)
{
	ck_assert(!has("pid1", "f", "entry", 3, 0));
	add("pid1", "f", "entry", 3, 0);
	ck_assert(has("pid1", "f", "entry", 3, 0));
	ck_assert(!has("pid2", "f", "entry", 3, 0));
	ck_assert(!has("pid1", "g", "entry", 3, 0));
	ck_assert(!has("pid1", "f", "return", 3, 0));
	ck_assert(!has("pid1", "f", "entry", 4, 0));
	ck_assert(!has("pid1", "f", "entry", 3, 1));
	add("pid1", "f", "entry", 3, 1); /* another file with the same function */
	ck_assert(has("pid1", "f", "entry", 3, 0));
	ck_assert(has("pid1", "f", "entry", 3, 1));
	ck_assert(!has("pid1", "f", "entry", 3, 2));
}
END_TEST

START_TEST(many)
{
	char function[32];

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(function, sizeof(function), "function_%u", i / 4);
		add("pid1", function, i & 1 ? "entry" : "return", i % 7, i & 2);
	}
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(function, sizeof(function), "function_%u", i / 4);
		ck_assert(has("pid1", function, i & 1 ? "entry" : "return", i % 7, i & 2));
		ck_assert(!has("pid1", function, i & 1 ? "entry" : "return", i % 7, 1));
		ck_assert(!has("pid1", function, "4", i % 7, i & 2));
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, what_tells_probes_apart);
	tcase_add_test(tests, many);
}
