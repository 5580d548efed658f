/*
 * unit_main.h: the main function that the unit programs share.
 *
 * A program defines unit_tests() instead of main(), and adds its tests to the test case that it
 * gets:
 *
 *	void unit_tests(TCase *tests)
 *	{
 *		tcase_add_test(tests, a_first_one);
 *		tcase_add_test(tests, a_second_one);
 *	}
 *
 * What a program needs before its first test and must remove after its last one belongs into an
 * unchecked fixture. The suite and the test case have the program's name. A test runs in a process
 * of its own unless the program, or CK_FORK=no in the environment, says otherwise.
 *
 * A test that leaves a part out prints a line "left out: what: why", which tests/run shows.
 */
#ifndef UNIT_MAIN_H
#define UNIT_MAIN_H

#include <check.h>

/* Defined by each program: adds its tests to tests. */
void unit_tests(TCase *tests);

/* Returns a further test case, for tests that have other fixtures or another time limit. */
TCase *unit_case(const char *name);

/* Makes all tests run in the program's own process: they share state, or trace their children. */
void unit_in_one_process(void);

/* Ends the program as skipped: its tests cannot run here. Prints the reason. */
_Noreturn void unit_skip(const char *reason);

#endif
