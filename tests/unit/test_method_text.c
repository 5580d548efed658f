/* How methods are written: with and without a class, of a class itself, and cut. */
#include "unit_main.h"

#include <string.h>

#include "base/method_text.h"

static void is_text(const char *class, const char *method, size_t size, const char *wanted)
{
	char text[64];
	size_t length = method_text(text, size, (struct method_part){class, strlen(class)},
		(struct method_part){method, strlen(method)});

	ck_assert_str_eq(text, wanted);
	ck_assert_uint_eq(length, strlen(wanted));
}

START_TEST(methods)
{
	is_text("Task", "run", 64, "Task#run");
	is_text("Task.class", "new", 64, "Task.new");
	is_text("#<Class:Task>", "new", 64, "Task.new");
	is_text("program.py", "main", 64, "program.main");
	is_text("<frozen os>", "walk", 64, "os.walk");
	is_text("(none)", "main", 64, "main");
	is_text("", "main", 64, "main");
	is_text("A", "", 64, "A#");
	is_text("", "", 64, "");
}
END_TEST

/* What only looks like the class of a class. */
START_TEST(other_names)
{
	is_text(".class", "a", 64, ".class#a");
	is_text("#<Class:>", "a", 64, "#<Class:>#a");
	is_text("<frozen >", "a", 64, "<frozen >#a");
	is_text("<frozen os", "a", 64, "<frozen os#a");
	is_text("#<Class:", "a", 64, "#<Class:#a");
	is_text("(none)x", "a", 64, "(none)x#a");
	is_text(".py", "a", 64, ".py#a");
}
END_TEST

START_TEST(cut)
{
	is_text("Task", "run", 1, "");
	is_text("Task", "run", 3, "Ta");
	is_text("Task", "run", 6, "Task#");
	is_text("Task", "run", 8, "Task#ru");
	is_text("Task", "run", 9, "Task#run");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, methods);
	tcase_add_test(tests, other_names);
	tcase_add_test(tests, cut);
}
