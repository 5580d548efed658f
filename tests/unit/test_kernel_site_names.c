/*
 * test_kernel_site_names.c: comparisons of a probe's names with literals have the order that the
 * engine gives them, cut at the string size; probes for which all comparisons of their clauses have
 * the same results agree, and others do not.
 */
#include "d_fixture.h"

#include "kernel/capture/site_names.h"
#include "source/request.h"
#include "unit_main.h"

static struct d_fixture fixture;

static void setup(void)
{
	d_fixture_open(&fixture);
}

static void teardown(void)
{
	d_fixture_close(&fixture);
}

static const struct {
	const char *name, *literal;
	uint64_t limit;
	int order;
} orders[] = {{"openat", "openat", 256, 0}, {"openat", "open", 256, 1}, {"open", "openat", 256, -1},
	{"a", "b", 256, -1}, {"b", "a", 256, 1}, {"", "", 256, 0}, {"", "a", 256, -1},
	{"openat", "openXX", 4, 0}, {"openat", "openXX", 5, 1}, {"a", "\xff", 256, -1},
	{"openat", "open", 4, 0}};

START_TEST(order)
{
	struct kernel_names names = {
		.names = {[2] = (char *)(uintptr_t)orders[_i].name}}; /* the function */
	const struct text literal = {
		.bytes = orders[_i].literal, .length = (uint32_t)strlen(orders[_i].literal)};

	ck_assert_int_eq(
		kernel_names_compare(&names, D_BUILTIN_PROBEFUNC, &literal, orders[_i].limit),
		orders[_i].order);
}
END_TEST

START_TEST(variables)
{
	ck_assert(kernel_names_has(D_BUILTIN_PROBEPROV));
	ck_assert(kernel_names_has(D_BUILTIN_PROBEMOD));
	ck_assert(kernel_names_has(D_BUILTIN_PROBEFUNC));
	ck_assert(kernel_names_has(D_BUILTIN_PROBENAME));
	ck_assert(!kernel_names_has(D_BUILTIN_EXECNAME));
	ck_assert(!kernel_names_has(D_BUILTIN_PID));
}
END_TEST

static const struct d_probe probes[] = {
	{.provider = (char[]){"vm1"},
		.module = (char[]){"a"},
		.function = (char[]){"read"},
		.name = (char[]){"entry"}},
	{.provider = (char[]){"vm1"},
		.module = (char[]){"b"},
		.function = (char[]){"write"},
		.name = (char[]){"entry"}},
	{.provider = (char[]){"vm1"},
		.module = (char[]){"b"},
		.function = (char[]){"open"},
		.name = (char[]){"return"}},
};

/* Which of the pairs of probes (0 and 1, 0 and 2, 1 and 2) agree. */
static const struct {
	const char *clause;
	bool agrees[3];
} scripts[] = {
	{"gc-start { @[probefunc] = count(); }", {true, true, true}},
	{"gc-start /probefunc == \"write\"/ { }", {false, true, false}},
	{"gc-start /probefunc == \"mmap\"/ { }", {true, true, true}},
	{"gc-start /probefunc == \"s\"/ { }", {false, true, false}}, /* by the order */
	{"gc-start /probefunc == \"close\"/ { }", {true, true, true}},
	{"gc-start /probename == \"entry\"/ { }", {true, false, false}},
	{"gc-start /probemod != \"a\"/ { }", {false, false, true}},
	{"gc-start /probeprov == \"vm1\"/ { }", {true, true, true}},
	{"gc-start { this->x = probefunc < \"p\" ? 1 : 2; }", {true, false, false}},
	{"gc-start /execname == \"write\"/ { }", {true, true, true}},
};

START_TEST(agreement)
{
	struct kernel_names names[3];
	struct source_request request;
	unsigned pair = 0;

	d_fixture_listing(&fixture, scripts[_i].clause);
	ck_assert_int_eq(source_request_of_program(&request, fixture.program, &fixture.probes), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(kernel_names_make(&names[i], fixture.program, request.wants,
					 source_request_next(&request, 0), &probes[i]),
			0);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned j = i + 1; j < 3; j++, pair++)
			ck_assert_msg(kernel_names_agree(&names[i], &names[j]) ==
					scripts[_i].agrees[pair],
				"%s: probes %u and %u", scripts[_i].clause, i, j);
	for (unsigned i = 0; i < 3; i++)
		kernel_names_free(&names[i]);
	source_request_free(&request);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, order, 0, sizeof(orders) / sizeof(*orders));
	tcase_add_test(tests, variables);
	tcase_add_loop_test(tests, agreement, 0, sizeof(scripts) / sizeof(*scripts));
}
