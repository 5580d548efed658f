/*
 * test_wire.c: the table of event types is consistent, every field of a type can be found in
 * its payload, the text of losses is read back as it was written, and the names of sockets and
 * their directories are recognised.
 */
#include <stdio.h>
#include <string.h>

#include "unit_main.h"
#include "wire/layout.h"
#include "wire/loss.h"
#include "wire/place.h"
#include "wire/wire_type.h"

/* The bytes of the fields before the first one of variable size. */
static size_t fixed_bytes(const struct layout *layout)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < layout->field_count; i++) {
		if (layout->fields[i].kind != LAYOUT_NUMBER)
			break;
		bytes += layout->fields[i].size;
	}
	return bytes;
}

START_TEST(test_rows)
{
	for (unsigned i = 0; i < WIRE_TYPE_COUNT; i++) {
		const struct wire_type *type = &wire_types[i];
		struct layout layout;

		ck_assert_msg(!i || type->number > wire_types[i - 1].number,
			"%s is not in the order of the numbers", type->name);
		ck_assert_uint_lt(type->number, WIRE_PROBES);
		ck_assert_ptr_eq(wire_type_find(type->number), type);
		layout_make(&layout, type->number, type->text);
		ck_assert_str_eq(layout.name, type->name);
		if (type->size == WIRE_VARIABLE)
			ck_assert_msg(fixed_bytes(&layout) == type->least,
				"%s has %zu bytes before its first text", type->name,
				fixed_bytes(&layout));
		else
			ck_assert_msg(
				fixed_bytes(&layout) == type->size && type->least <= type->size,
				"the fields of %s have %zu bytes", type->name,
				fixed_bytes(&layout));
		/* readers of probes' events recognise what the library writes */
		ck_assert_msg(
			wire_is_ghc(type->number) || (*type->text && type->traits & WIRE_READ),
			"%s is vmtap's own, but not declared or not read", type->name);
	}
	ck_assert_uint_eq(wire_type_find(WIRE_LOSS)->least, 10);
}
END_TEST

START_TEST(test_unknown)
{
	struct layout layout;

	ck_assert_ptr_null(wire_type_find(13));
	ck_assert_ptr_null(wire_type_find(WIRE_PROBES));
	ck_assert_ptr_null(wire_type_find(WIRE_DATA_END));
	ck_assert(!wire_type_has(WIRE_PROBES, WIRE_STATE));
	ck_assert(!wire_type_has(WIRE_GC_START, WIRE_STATE));
	ck_assert(wire_type_has(WIRE_CAP_DELETE, WIRE_STATE));
	layout_make(&layout, 13, "");
	ck_assert_str_eq(layout.name, "type-13");
}
END_TEST

START_TEST(test_losses)
{
	char text[LOSS_TEXT_MAX];

	loss_text(text, 12345678901, "vm:::gc-start(uint16_t cap)", 77);
	ck_assert_str_eq(text, "vmtap: 12345678901 events lost of vm:::gc-start since 77 ns");
	ck_assert_uint_eq(loss_text_count(text, strlen(text)), 12345678901);
	loss_text(text, UINT64_MAX, "the heap's samples", UINT64_MAX);
	ck_assert_uint_eq(loss_text_count(text, strlen(text)), UINT64_MAX);
	/* other messages, and one that is cut before it says what it counts */
	ck_assert_uint_eq(loss_text_count("vmtap: 5 objects were built", 27), 0);
	ck_assert_uint_eq(loss_text_count("vmtap: 5 events lost", 20), 0);
	ck_assert_uint_eq(loss_text_count("5 events lost of x", 18), 0);
	ck_assert_uint_eq(loss_text_count("", 0), 0);
	loss_text(text, 7, "vm:::heap(uint16_t cap)", 4711);
	ck_assert_uint_eq(loss_text_since(text, strlen(text)), 4711);
	ck_assert_uint_eq(loss_text_since("vmtap: 5 objects since 3 ns", 27), 0);
	ck_assert_uint_eq(loss_text_since("vmtap: 5 events lost of x since", 31), 0);
}
END_TEST

/* The names that a VM gives its sockets and directories are recognised, and no others. */
START_TEST(test_place_names)
{
	static const char *const strange[] = {"", "x", "12x", "012", "12.", "12.0", "12.01",
		"12.100", "12.1.2", "12.x", ".1", "-1", "4294967296", "+1", " 1"};
	static const char *const foreign[] = {
		"", "vmtap-", "vmtap-x", "vmtap-01", "vmtap-1x", "vmtap-1.2", "xvmtap-1", "vmtap"};
	char name[PLACE_NAME_MAX], path[64];
	bool is_random;
	uint32_t number;

	for (unsigned i = 0; i < PLACE_ALTERNATIVES; i++) {
		place_socket(UINT32_MAX, i, name);
		ck_assert_msg(place_is_socket(name, &number), "%s", name);
		ck_assert_uint_eq(number, UINT32_MAX);
	}
	for (unsigned i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		ck_assert_msg(!place_is_socket(strange[i], &number), "'%s'", strange[i]);
	place_random(0, name);
	ck_assert(place_is_directory(name, &number, &is_random) && is_random && number == 0);
	for (unsigned i = 0; i < PLACE_DIRECTORIES; i++) {
		ck_assert(place_directory(i, "/run/user/5", UINT32_MAX, path, sizeof(path)));
		if (!i) {
			ck_assert_str_eq(path, "/run/user/5/vmtap");
			continue;
		}
		ck_assert(!strncmp(path, place_base(i), strlen(place_base(i))));
		ck_assert(place_is_directory(strrchr(path, '/') + 1, &number, &is_random));
		ck_assert(!is_random && number == UINT32_MAX);
		ck_assert(!place_directory(i, NULL, UINT32_MAX, path, 10));
	}
	for (unsigned i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		ck_assert_msg(
			!place_is_directory(foreign[i], &number, &is_random), "'%s'", foreign[i]);
	ck_assert(!place_directory(PLACE_DIRECTORIES, "/run", 0, path, sizeof(path)));
	ck_assert(!place_directory(0, NULL, 0, path, sizeof(path)));
	ck_assert(!place_directory(0, "run", 0, path, sizeof(path)));
	ck_assert_ptr_null(place_base(0));
	ck_assert_ptr_null(place_base(PLACE_DIRECTORIES));
}
END_TEST

START_TEST(test_place_expand)
{
	static const struct {
		const char *chosen, *path;
		bool has_pid;
	} cases[] = {{"", "", false}, {"/a/b", "/a/b", false}, {"/a/%p", "/a/123", true},
		{"%p-%p", "123-123", true}, {"%%p", "%p", false}, {"%%%p", "%123", true},
		{"%x%", "%x%", false}, {"%", "%", false}, {"%%", "%", false}};
	char path[64];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t length = strlen(cases[i].path);
		ck_assert(place_expand(cases[i].chosen, 123, path, sizeof(path)));
		ck_assert_str_eq(path, cases[i].path);
		ck_assert_int_eq(place_has_pid(cases[i].chosen), cases[i].has_pid);
		ck_assert(place_expand(cases[i].chosen, 123, path, length + 1));
		ck_assert(!length || !place_expand(cases[i].chosen, 123, path, length));
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_rows);
	tcase_add_test(tests, test_unknown);
	tcase_add_test(tests, test_losses);
	tcase_add_test(tests, test_place_names);
	tcase_add_test(tests, test_place_expand);
}
