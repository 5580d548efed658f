/* test_source_names.c: the table of a stream's names: what an id means, and that each text is
 * stored once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/eventlog/names.h"
#include "unit_main.h"

static const char *text_of(const struct names *names, uint32_t id)
{
	const struct text *text = names->texts[names_index(names, id)];

	return text ? text->bytes : NULL;
}

static void define(struct names *names, uint32_t id, const char *text)
{
	ck_assert_int_eq(names_define(names, id, text, strlen(text)), 0);
}

START_TEST(ids_and_texts)
{
	struct names names;

	ck_assert_int_eq(names_init(&names), 0);
	ck_assert_ptr_null(text_of(&names, 7));
	define(&names, 7, "seven");
	define(&names, 9, "");
	define(&names, 1000, "seven");
	ck_assert_str_eq(text_of(&names, 7), "seven");
	ck_assert_str_eq(text_of(&names, 9), "");
	ck_assert_uint_eq(names_index(&names, 7), names_index(&names, 1000));
	ck_assert_ptr_null(text_of(&names, 8));
	ck_assert_ptr_null(text_of(&names, 100000));
	ck_assert_int_eq(names_define(&names, 7, "a\0b", 3), 0); /* up to the first NUL */
	ck_assert_str_eq(text_of(&names, 7), "a");
	ck_assert_str_eq(text_of(&names, 1000), "seven");
	ck_assert_int_eq(names_define(&names, NAMES_ID_MAX, "last", 4), 0);
	ck_assert_int_eq(names_define(&names, NAMES_ID_MAX + 1u, "beyond", 6), -ERANGE);
	names_free(&names);
}
END_TEST

/* A VM whose table is full defines a few ids again with each event, with texts in any order. */
START_TEST(texts_that_recur_take_no_room)
{
	enum { TEXTS = 1000, ROUNDS = 300 };
	const struct text *first[TEXTS];
	struct names names;
	size_t bytes = 0;
	char text[32];

	ck_assert_int_eq(names_init(&names), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < TEXTS; i++) {
			uint32_t id = 1 + (i + round) % 3;
			unsigned number = (i * 7 + round * 13) % TEXTS;
			snprintf(text, sizeof(text), "method_%u", number);
			define(&names, id, text);
			ck_assert_str_eq(text_of(&names, id), text);
			if (round == 0)
				first[number] = names.texts[names_index(&names, id)];
			ck_assert_ptr_eq(names.texts[names_index(&names, id)], first[number]);
		}
		if (round == 0)
			bytes = names.bytes;
	}
	ck_assert_uint_eq(names.count, TEXTS + 2); /* unknown and empty */
	ck_assert_uint_eq(names.bytes, bytes);
	names_free(&names);
}
END_TEST

START_TEST(texts_have_a_bound)
{
	enum { LENGTH = 60000 };
	char *text = malloc(LENGTH);
	struct names names;
	uint32_t count = 0;
	int result = 0;

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', LENGTH);
	ck_assert_int_eq(names_init(&names), 0);
	while (!result) {
		snprintf(text, 16, "%u", count);
		text[strlen(text)] = 'x';
		result = names_define(&names, ++count, text, LENGTH);
	}
	ck_assert_int_eq(result, -E2BIG);
	ck_assert_uint_gt(count, NAMES_BYTES_MAX / (LENGTH + 65536));
	ck_assert_ptr_null(text_of(&names, count)); /* the name that did not fit */
	ck_assert_int_eq(strlen(text_of(&names, count - 1)), LENGTH);
	ck_assert_uint_le(names.bytes, NAMES_BYTES_MAX);
	names_free(&names);
	free(text);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, ids_and_texts);
	tcase_add_test(tests, texts_that_recur_take_no_room);
	tcase_add_test(tests, texts_have_a_bound);
}
