/*
 * test_readable_names.c: names of C++ and Rust as people write them; others stay as they are; those
 * that stand for far more than they have themselves are cut.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit_main.h"
#include "usdt/elf/readable_names.h"

/* A build without libiberty leaves all names as they are. */
static bool reads(struct readable_names *names)
{
	return strcmp(readable_name(names, "_Z1fv", false), "_Z1fv") != 0;
}

START_TEST(test_names)
{
	static const struct {
		const char *name, *bare, *with_parameters;
	} rows[] = {
		{"main", "main", "main"},
		{"_start", "_start", "_start"},
		{"_ZN3foo3barEv", "foo::bar", "foo::bar()"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi",
			"std::vector<int, std::allocator<int> >::push_back",
			"std::vector<int, std::allocator<int> >::push_back(int&&)"},
		{"_ZN3foo3barEv.cold", "foo::bar", "foo::bar() [clone .cold]"},
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt",
			"core::fmt::Write::write_fmt"},
		{"_RNvC6_123foo3bar", "123foo::bar", "123foo::bar"},
		{"_Z", "_Z", "_Z"},
		{"_Rx", "_Rx", "_Rx"},
		{"", "", ""},
	};
	struct readable_names names = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && reads(&names); i++) {
		const char *bare = readable_name(&names, rows[i].name, false);

		ck_assert_str_eq(bare, rows[i].bare);
		ck_assert_str_eq(
			readable_name(&names, rows[i].name, true), rows[i].with_parameters);
		/* worked out once */
		ck_assert_ptr_eq(readable_name(&names, rows[i].name, false), bare);
	}
	readable_names_free(&names);
}
END_TEST

/* f(pair<int, int>, pair<pair<int, int>, pair<int, int>>, ...): each parameter is twice as long as
 * the one before it. */
static void write_bomb(char *name, size_t size, unsigned levels)
{
	size_t used = (size_t)snprintf(name, size, "_Z1fSt4pairIiiE");

	for (unsigned i = 0; i < levels && used < size; i++) {
		static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

		used += (size_t)snprintf(
			name + used, size - used, "S_IS%c_S%c_E", digits[i % 36], digits[i % 36]);
	}
}

START_TEST(test_bombs)
{
	struct readable_names names = {0};
	char name[1024], *deep = malloc(20000);
	const char *text;

	write_bomb(name, sizeof(name), 34);
	text = readable_name(&names, name, true);
	if (reads(&names)) {
		ck_assert_uint_eq(strlen(text), READABLE_NAME_MAX - 1);
		ck_assert(!strncmp(text, "f(std::pair<int, int>, std::pair<std::pair<", 43));
		ck_assert_str_eq(readable_name(&names, name, false), "f");
	}
	/* more levels than libiberty's limit, and more bytes than are passed to it */
	memset(deep, 'P', 20000);
	memcpy(deep, "_Z1f", 4);
	deep[15000] = '\0';
	ck_assert_str_eq(readable_name(&names, deep, true), deep);
	deep[15000] = 'P';
	deep[19999] = '\0';
	ck_assert_ptr_eq(readable_name(&names, deep, true), deep);
	free(deep);
	readable_names_free(&names);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_names);
	tcase_add_test(tests, test_bombs);
}
