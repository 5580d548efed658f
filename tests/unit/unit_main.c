#include "unit_main.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static Suite *suite;
static enum fork_status fork_status = CK_FORK_GETENV;

TCase *unit_case(const char *name)
{
	TCase *tests = tcase_create(name);

	suite_add_tcase(suite, tests);
	return tests;
}

void unit_in_one_process(void)
{
	fork_status = CK_NOFORK;
}

void unit_skip(const char *reason)
{
	puts(reason);
	exit(77);
}

int main(void)
{
	SRunner *runner;
	int failed;

	suite = suite_create(program_invocation_short_name);
	unit_tests(unit_case(program_invocation_short_name));
	runner = srunner_create(suite);
	srunner_set_fork_status(runner, fork_status);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
