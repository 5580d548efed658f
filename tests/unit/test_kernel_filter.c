/*
 * test_kernel_filter.c: which process the predicates of clauses demand, and the names of timers.
 */
#include "d_fixture.h"

#include "kernel/machine/process_filter.h"
#include "program/timer_probe.h"
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
	const char *clauses; /* each of probe 4 */
	uint32_t pid;
} scripts[] = {{"gc-start /pid == 42/ { }", 42}, {"gc-start /42 == pid/ { }", 42},
	{"gc-start /pid == 42 && arg1/ { }", 42}, {"gc-start /arg1 && pid == 42/ { }", 0},
	{"gc-start /pid == 42 && execname == \"x\" && tid > 3/ { }", 42}, {"gc-start { }", 0},
	{"gc-start /arg1/ { }", 0}, {"gc-start /pid != 42/ { }", 0},
	{"gc-start /pid == 42 || arg1/ { }", 0}, {"gc-start /pid == 42 || pid == 43/ { }", 0},
	{"gc-start /pid == 42 && pid == 42/ { }", 42}, {"gc-start /pid == 0/ { }", 0},
	{"gc-start /pid == -1/ { }", 0}, {"gc-start /pid == 42/ { } gc-start /pid == 42/ { }", 42},
	{"gc-start /pid == 42/ { } gc-start /pid == 43/ { }", 0},
	{"gc-start /pid == 42/ { } gc-start { }", 0}, {"gc-start /tid == 42/ { }", 0},
	{"gc-start /!(pid == 42)/ { }", 0}, {"gc-start /arg0 % arg1 && pid == 42/ { }", 0},
	{"gc-start /pid == ppid/ { }", 0}};

START_TEST(test_pid)
{
	struct source_request request;

	d_fixture_listing(&fixture, scripts[_i].clauses);
	ck_assert_int_eq(source_request_of_program(&request, fixture.program, &fixture.probes), 0);
	ck_assert_uint_ge(request.want_count, 1);
	ck_assert_uint_eq(kernel_filter_pid(request.wants, source_request_next(&request, 0)),
		scripts[_i].pid);
	source_request_free(&request);
}
END_TEST

START_TEST(test_timers)
{
	static const struct {
		const char *name;
		uint64_t period;
	} names[] = {{"profile-97", 1000000000 / 97}, {"profile-5000", 200000}, {"profile-5001", 0},
		{"profile-1", 1000000000}, {"profile-10ms", 10000000}, {"profile-200us", 200000},
		{"profile-199us", 0}, {"profile-200000ns", 200000},
		{"profile-2m", UINT64_C(120000000000)}, {"profile-99HZ", 1000000000 / 99},
		{"profile-0", 0}, {"profile-", 0}, {"profile-x", 0}, {"profile-1y", 0},
		{"profile--1", 0}, {"tick-1", 0}, {"profile-99999999999999999999d", 0}};
	static const struct {
		struct d_asked asked;
		bool profile, tick;
	} asked[] = {{{"", "", "", "profile-97", false}, true, false},
		{{"profile", "", "", "profile-97", false}, true, false},
		{{"profile", "m", "", "profile-97", false}, false, false},
		{{"profile", "", "f", "profile-97", false}, false, false},
		{{"vm1", "", "", "profile-97", false}, false, false},
		{{"", "", "", "tick-1", false}, false, true},
		{{"profile", "", "", "", false}, true, true},
		{{"prof*", "", "", "*-1*", false}, true, true},
		{{"", "", "", "profile*", false}, true, false},
		{{"", "", "", "*", false}, false, false}, {{"", "", "", "", false}, false, false}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_uint_eq(timer_period(names[i].name, TIMER_PROFILE), names[i].period);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		ck_assert_int_eq(timer_is_profile(&asked[i].asked), asked[i].profile);
		ck_assert_int_eq(timer_is_described(&asked[i].asked, TIMER_TICK, timer_ticks),
			asked[i].tick);
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, test_pid, 0, (int)(sizeof(scripts) / sizeof(scripts[0])));
	tcase_add_test(tests, test_timers);
}
