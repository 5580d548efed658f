/*
 * test_kernel_string_numbers.c: the reader's side of strings that stand in keys as numbers: a text
 * is read from the map once, numbers are given back when an eighth of the room is taken and only if
 * no key that stays has them, and a text lives until two waits have ended for programs and one more
 * for the reader. The maps are in memory.
 */
#include "bpf_in_memory.h"

#include <stdio.h>

#include "kernel/reduce/reduce.h"
#include "kernel/translate/string_numbers.h"
#include "unit_main.h"

enum { STRING_BYTES = 16, ROOM = 800, MANY = 700, FULL = ROOM / 8 };

static struct kernel_reduction reduction;
static struct kernel_listed listed;

static void setup(void)
{
	reduction = (struct kernel_reduction){.string_bytes = STRING_BYTES,
		.strings_max = ROOM,
		.texts = bpf_map(BPF_MAP_TYPE_HASH, 8, STRING_BYTES, ROOM, 0),
		.strings = bpf_map(BPF_MAP_TYPE_HASH, STRING_BYTES, 8, ROOM, 0),
		.numbers = bpf_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0)};
	listed = (struct kernel_listed){0};
}

static void teardown(void)
{
	kernel_listed_free(&listed);
	bpf_memory_free();
}

static void name_string(uint64_t number, char text[STRING_BYTES])
{
	memset(text, 0, STRING_BYTES);
	snprintf(text, STRING_BYTES, "text %llu", (unsigned long long)number);
}

/* What a program does that meets a string for the first time: numbers are 0, 1, ... */
static void meet(uint64_t number)
{
	const uint32_t index = 0;
	const uint64_t next = number + 1;
	char text[STRING_BYTES];

	name_string(number, text);
	ck_assert_int_eq(bpf_map_set(reduction.texts, &number, text), 0);
	ck_assert_int_eq(bpf_map_set(reduction.strings, text, &number), 0);
	ck_assert_int_eq(bpf_map_set(reduction.numbers, &index, &next), 0);
}

static const char *find(uint64_t number, bool stays)
{
	return kernel_listed_find(&listed, &reduction, number, stays);
}

static void expect(uint64_t number, bool stays)
{
	char text[STRING_BYTES];
	const char *found = find(number, stays);

	name_string(number, text);
	ck_assert_msg(found != NULL, "%llu", (unsigned long long)number);
	ck_assert_str_eq(found, text);
}

/* Whether programs still find the string. */
static bool is_listed(uint64_t number)
{
	char text[STRING_BYTES];
	uint64_t found;

	name_string(number, text);
	return !bpf_map_get(reduction.strings, text, &found);
}

static bool has_text(uint64_t number)
{
	char text[STRING_BYTES];

	return !bpf_map_get(reduction.texts, &number, text);
}

static void wait_once(void)
{
	kernel_listed_begin_wait(&listed, &reduction);
	kernel_listed_end_wait(&listed, &reduction);
}

START_TEST(texts_by_number)
{
	ck_assert_ptr_null(find(0, false));
	for (uint64_t i = 0; i < MANY; i++)
		meet(i);
	for (uint64_t i = 0; i < MANY; i++)
		expect(i, false);
	ck_assert_ptr_null(find(MANY, false));
}
END_TEST

/* Once read, a text is there even if the map has it no longer. */
START_TEST(a_text_is_read_once)
{
	const uint64_t number = 3;

	meet(number);
	expect(number, false);
	ck_assert_int_eq(bpf_map_delete(reduction.texts, &number), 0);
	expect(number, false);
}
END_TEST

/* A string of the greatest length has no NUL in the map. */
START_TEST(a_long_text)
{
	const uint64_t number = 0;

	ck_assert_int_eq(bpf_map_set(reduction.texts, &number, "0123456789abcdef"), 0);
	ck_assert_str_eq(find(number, false), "0123456789abcdef");
}
END_TEST

START_TEST(few_numbers_are_not_given_back)
{
	for (uint64_t i = 0; i < FULL; i++)
		meet(i);
	wait_once();
	kernel_listed_give_back(&listed, &reduction);
	for (uint64_t i = 0; i < FULL; i++)
		ck_assert(is_listed(i));
}
END_TEST

/* Only numbers from before a wait that has ended: a program may be between the two maps. */
START_TEST(numbers_of_programs_that_are_at_work)
{
	for (uint64_t i = 0; i < MANY; i++)
		meet(i);
	kernel_listed_give_back(&listed, &reduction); /* no wait has begun */
	ck_assert(is_listed(0));
	kernel_listed_begin_wait(&listed, &reduction);
	meet(MANY);
	kernel_listed_give_back(&listed, &reduction); /* it has not ended */
	ck_assert(is_listed(0));
	kernel_listed_end_wait(&listed, &reduction);
	kernel_listed_give_back(&listed, &reduction);
	for (uint64_t i = 0; i < MANY; i++)
		ck_assert(!is_listed(i));
	ck_assert(is_listed(MANY)); /* it was taken after the wait began */
}
END_TEST

/* The text goes when two waits have ended, and the reader keeps it for one more. */
START_TEST(texts_outlive_their_numbers)
{
	for (uint64_t i = 0; i < MANY; i++)
		meet(i);
	wait_once();
	kernel_listed_give_back(&listed, &reduction);
	ck_assert(!is_listed(5));
	ck_assert(has_text(5));
	wait_once();
	ck_assert(has_text(5));
	expect(5, false);
	wait_once();
	ck_assert(!has_text(5));
	expect(5, false);
	wait_once();
	ck_assert_ptr_null(find(5, false));
	ck_assert_uint_eq(bpf_memory_count(reduction.texts), 0);
	ck_assert_uint_eq(listed.count, 0);
}
END_TEST

/* A key that stays in its map keeps its number. */
START_TEST(numbers_that_are_kept)
{
	for (uint64_t i = 0; i < MANY; i++)
		meet(i);
	expect(7, true);
	expect(8, false);
	wait_once();
	kernel_listed_give_back(&listed, &reduction);
	ck_assert(is_listed(7));
	ck_assert(!is_listed(8));
	for (unsigned i = 0; i < 5; i++)
		wait_once();
	ck_assert(has_text(7));
	expect(7, false);
	ck_assert_ptr_null(find(8, false));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, texts_by_number);
	tcase_add_test(tests, a_text_is_read_once);
	tcase_add_test(tests, a_long_text);
	tcase_add_test(tests, few_numbers_are_not_given_back);
	tcase_add_test(tests, numbers_of_programs_that_are_at_work);
	tcase_add_test(tests, texts_outlive_their_numbers);
	tcase_add_test(tests, numbers_that_are_kept);
}
