/* test_suggestion.c: which misspelt names are recognised, and which are left alone. */
#include <stdlib.h>

#include "base/suggestion.h"
#include "unit_main.h"

static const char *meant(const char *wanted, const char *one, const char *other)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, wanted);
	suggestion_offer(&suggestion, one);
	suggestion_offer(&suggestion, other);
	return suggestion.best ? suggestion.best : "";
}

START_TEST(test_close)
{
	ck_assert_str_eq(meant("gc_start", "gc-stop", "gc-start"), "gc-start");
	ck_assert_str_eq(meant("prinft", "print", "printf"), "printf");
	ck_assert_str_eq(meant("TIMESTAMP", "timestamp", "x"), "timestamp");
	ck_assert_str_eq(meant("lst", "list", "log"), "list");
	ck_assert_str_eq(meant("PS", "ps", "log"), "ps");
	/* case and '-' cost less than a letter */
	ck_assert_str_eq(meant("Count_x", "countix", "count-x"), "count-x");
	/* so does a letter that is doubled, or should be */
	ck_assert_str_eq(meant("malocc", "valloc", "malloc"), "malloc");
	/* the first of two that are equally good */
	ck_assert_str_eq(meant("counter", "countera", "counterb"), "countera");
}
END_TEST

START_TEST(test_far)
{
	ck_assert_str_eq(meant("x", "y", "xy"), "");
	ck_assert_str_eq(meant("abc", "xyc", "a"), "");
	ck_assert_str_eq(meant("frobnicate", "printf", "trace"), "");
	ck_assert_str_eq(meant("same", "same", "unlike"), "");
	ck_assert_str_eq(meant("", "a", ""), "");
}
END_TEST

START_TEST(test_text)
{
	struct suggestion suggestion;
	char text[24], longest[SUGGESTION_MAX + 2];

	suggestion_init(&suggestion, "prinft");
	ck_assert_str_eq(suggestion_text(&suggestion, text, sizeof(text)), "");
	suggestion_offer(&suggestion, "printf");
	ck_assert_str_eq(
		suggestion_text(&suggestion, text, sizeof(text)), " (did you mean printf?)");
	for (unsigned i = 0; i <= SUGGESTION_MAX; i++)
		longest[i] = 'a';
	longest[SUGGESTION_MAX + 1] = '\0';
	suggestion_init(&suggestion, longest);
	suggestion_offer(&suggestion, longest + 1);
	ck_assert_ptr_null(suggestion.best);
}
END_TEST

START_TEST(phrases)
{
	char text[32];

	ck_assert_str_eq(suggestion_phrase(text, sizeof(text), "--", "quiet", ""),
		" (did you mean --quiet?)");
	ck_assert_str_eq(
		suggestion_phrase(text, sizeof(text), "", "io", "*"), " (did you mean io*?)");
	ck_assert_str_eq(suggestion_phrase(text, sizeof(text), "@", NULL, ""), "");
	/* a name is cut, never what is around it */
	ck_assert_str_eq(
		suggestion_phrase(text, sizeof(text), "", "abcdefghijklmnopqrstuvwxyz", ""),
		" (did you mean abcdefghijklmn?)");
	ck_assert_str_eq(suggestion_phrase(text, 16, "struct ", "a", ""), "");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_close);
	tcase_add_test(tests, test_far);
	tcase_add_test(tests, test_text);
	tcase_add_test(tests, phrases);
}
