/*
 * test_stability.c: stability attributes: their words, their order, and what providers promise.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/promise.h"
#include "unit_main.h"

static const char *round_trip(const char *text)
{
	static char buffer[STABILITY_TEXT_MAX];
	struct stability stability;

	return stability_parse(text, strlen(text), &stability) ? stability_text(stability, buffer)
							       : NULL;
}

START_TEST(test_words)
{
	ck_assert_str_eq(round_trip("Stable/Evolving/Common"), "Stable/Evolving/Common");
	ck_assert_str_eq(round_trip("internal/PRIVATE/isa"), "Internal/Private/ISA");
	ck_assert_ptr_null(round_trip("Stable/Evolving"));
	ck_assert_ptr_null(round_trip("Stable/Evolving/Common/"));
	ck_assert_ptr_null(round_trip("Stable/Common/Evolving"));
	ck_assert_ptr_null(round_trip("/Stable/Common"));
	ck_assert_ptr_null(round_trip(""));
	ck_assert_int_eq(stability_part("args", 4), STABILITY_ARGUMENTS);
	ck_assert_int_eq(stability_part("Args", 4), -1);
}
END_TEST

START_TEST(test_order)
{
	const struct stability a = {STABILITY_STABLE, STABILITY_PRIVATE, STABILITY_COMMON};
	const struct stability b = {STABILITY_EVOLVING, STABILITY_STABLE, STABILITY_ISA};
	char text[STABILITY_TEXT_MAX];

	ck_assert_str_eq(stability_text(stability_least(a, b), text), "Evolving/Private/ISA");
	ck_assert(stability_is_less(a, b));
	ck_assert(stability_is_less(b, a));
	ck_assert(!stability_is_less(a, a));
	ck_assert(!stability_is_less(stability_greatest, stability_stable));
}
END_TEST

START_TEST(test_promises)
{
	const struct promise *vm = promise_find("vm1234"), *dtrace = promise_find("dtrace");
	char text[STABILITY_TEXT_MAX];

	ck_assert_str_eq(stability_text(promise_of_probe(vm, true, true, false), text),
		"Stable/Stable/Common");
	ck_assert_str_eq(stability_text(promise_of_probe(vm, true, true, true), text),
		"Evolving/Evolving/Common");
	ck_assert_str_eq(stability_text(promise_of_probe(dtrace, false, false, true), text),
		"Stable/Stable/Common");
	ck_assert_str_eq(stability_text(promise_of_probe(dtrace, true, false, true), text),
		"Private/Private/Unknown");
	ck_assert_str_eq(stability_text(promise_find("nosuch7")->parts[STABILITY_NAME], text),
		"Unstable/Unstable/Common");
	ck_assert_ptr_eq(promise_find("123"), promise_find(""));
}
END_TEST

/* To the byte, as dtrace -lv prints them. */
START_TEST(test_printed)
{
	char *text = NULL;
	size_t size;
	FILE *output = open_memstream(&text, &size);

	promise_print(output, promise_find("vm1"), "toy", "");
	fclose(output);
	ck_assert_str_eq(text,
		"\n\tProbe Description Attributes\n"
		"\t\tIdentifier Names: Evolving\n"
		"\t\tData Semantics:   Evolving\n"
		"\t\tDependency Class: Common\n"
		"\n\tArgument Attributes\n"
		"\t\tIdentifier Names: Evolving\n"
		"\t\tData Semantics:   Evolving\n"
		"\t\tDependency Class: Common\n");
	free(text);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_words);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_promises);
	tcase_add_test(tests, test_printed);
}
