/*
 * test_kernel_aggregation_update.c: the generated updates of all aggregating functions, run by
 * bpf_machine.h on values from everywhere in the range of 64 bits: sums, squares, least and
 * greatest values are those of C's arithmetic, and distributions have the buckets that the engine
 * gives.
 */
#include "bpf_machine.h"

#include <stdlib.h>

#include "engine/store/distribution.h"
#include "kernel/capture/capture_generator.h"
#include "kernel/translate/aggregation_update.h"
#include "unit_main.h"

enum { VALUE = -56, INCREMENT = -64, WITHOUT = 9, DONE = 1, RANDOM = 500 };

static struct bpf_machine machine;
static struct bpf_code code;
static uint64_t words[KERNEL_BUCKETS_MAX + 2];
static uint64_t frame[8]; /* the end of the frame of a program */

static void setup(void)
{
	memset(&machine, 0, sizeof(machine));
	memset(words, 0, sizeof(words));
	bpf_machine_add_area(&machine, words, sizeof(words));
	bpf_machine_add_area(&machine, frame, sizeof(frame));
}

static void teardown(void)
{
	bpf_code_free(&code);
}

static void generate(const struct d_aggregation *aggregation, bool counts_updates)
{
	uint32_t without;

	bpf_code_begin(&code);
	without = bpf_label(&code);
	bpf_set(&code, KERNEL_FRAME, (uintptr_t)(frame + 8));
	bpf_set(&code, BPF_REG_0, (uintptr_t)words);
	kernel_update_generate(&code, aggregation, counts_updates, VALUE, INCREMENT, without);
	bpf_set(&code, BPF_REG_0, DONE);
	bpf_exit(&code);
	bpf_place(&code, without);
	bpf_set(&code, BPF_REG_0, WITHOUT);
	bpf_exit(&code);
	ck_assert_int_eq(bpf_code_end(&code), 0);
}

static void update(int64_t value, int64_t increment)
{
	memcpy(&frame[8 + VALUE / 8], &value, sizeof(value));
	memcpy(&frame[8 + INCREMENT / 8], &increment, sizeof(increment));
	ck_assert_uint_eq(bpf_machine_run(&machine, &code, NULL), DONE);
}

/* Values at the ends of the range and around powers of two, then random ones of all sizes. */
static int64_t value_of(unsigned number)
{
	static const int64_t ends[] = {
		0, 1, -1, 2, -2, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT32_MAX, UINT32_MAX};
	static uint64_t state = 88172645463325252u;

	if (number < sizeof(ends) / sizeof(*ends))
		return ends[number];
	if (number < 200)
		return (int64_t)((UINT64_C(1) << number % 63) - number % 3) * (number % 2 ? 1 : -1);
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int64_t)state >> number % 64;
}

START_TEST(counts)
{
	const struct d_aggregation aggregation = {.function = D_AGGREGATE_COUNT};

	generate(&aggregation, true);
	for (unsigned i = 0; i < 5; i++)
		update(i, 1);
	ck_assert_uint_eq(words[0], 5);
	ck_assert_uint_eq(words[1], 0);
}
END_TEST

START_TEST(sums)
{
	const struct d_aggregation aggregation = {
		.function = _i ? D_AGGREGATE_AVG : D_AGGREGATE_SUM};
	uint64_t sum = 0;

	generate(&aggregation, true);
	for (unsigned i = 0; i < RANDOM; i++) {
		int64_t value = value_of(i);

		update(value, 1);
		sum += (uint64_t)value;
		ck_assert_uint_eq(words[0], i + 1);
		ck_assert_uint_eq(words[1], sum);
	}
}
END_TEST

START_TEST(least_and_greatest)
{
	const struct d_aggregation aggregation = {
		.function = _i ? D_AGGREGATE_MAX : D_AGGREGATE_MIN};
	int64_t kept = 0;

	generate(&aggregation, true);
	for (unsigned i = 0; i < RANDOM; i++) {
		int64_t value = value_of((i + 11) % 450);

		update(value, 1);
		kept = !i || (_i ? value > kept : value < kept) ? value : kept;
		ck_assert_uint_eq(words[0], i + 1);
		ck_assert_int_eq(
			(int64_t)kernel_update_decode(aggregation.function, words[1]), kept);
	}
}
END_TEST

/* The parts of the squares add up to the square. */
START_TEST(squares)
{
	const struct d_aggregation aggregation = {.function = D_AGGREGATE_STDDEV};
	unsigned __int128 expected = 0;
	uint64_t sum = 0;

	generate(&aggregation, true);
	for (unsigned i = 0; i < RANDOM; i++) {
		int64_t value = value_of(i);
		unsigned __int128 positive =
			value < 0 ? 0 - (unsigned __int128)value : (unsigned __int128)value;
		unsigned __int128 square = 0;

		update(value, 1);
		expected += positive * positive;
		sum += (uint64_t)value;
		for (unsigned j = 0; j < KERNEL_SQUARE_PARTS; j++)
			square += (unsigned __int128)words[2 + j] << 32 * j;
		ck_assert(square == expected);
		ck_assert_uint_eq(words[1], sum);
		ck_assert_uint_eq(words[0], i + 1);
	}
}
END_TEST

static const struct d_aggregation distributions[] = {
	{.function = D_AGGREGATE_QUANTIZE},
	{.function = D_AGGREGATE_LQUANTIZE, .parameters = {0, 100, 1}},
	{.function = D_AGGREGATE_LQUANTIZE, .parameters = {-1000, 1000, 7}},
	{.function = D_AGGREGATE_LQUANTIZE, .parameters = {5, 6, 1}},
	{.function = D_AGGREGATE_LLQUANTIZE, .parameters = {10, 0, 6, 20}},
	{.function = D_AGGREGATE_LLQUANTIZE, .parameters = {2, 3, 40, 2}},
	{.function = D_AGGREGATE_LLQUANTIZE, .parameters = {10, 0, 17, 10}},
};

/* Each value goes to the bucket of the engine, by its increment, whether updates are counted apart
 * or not. */
START_TEST(buckets)
{
	const struct d_aggregation *aggregation = &distributions[_i / 2];
	const bool counts_updates = _i % 2;
	struct distribution distribution;
	uint32_t word_count, bucket_count;
	uint64_t sum = 0;

	ck_assert_int_eq(distribution_init(&distribution, aggregation), 0);
	ck_assert(kernel_update_words(aggregation, counts_updates, &word_count, &bucket_count));
	ck_assert_uint_ge(bucket_count, distribution.buckets);
	generate(aggregation, counts_updates);
	for (unsigned i = 0; i < 2 * RANDOM; i++) {
		int64_t value = i < RANDOM ? value_of(i) : (int64_t)i - 3 * RANDOM / 2;
		int64_t increment = counts_updates ? (int64_t)((uint64_t)value_of(i % 7) + 3) : 1;
		uint32_t bucket = distribution_bucket(&distribution, value) + counts_updates;
		uint64_t before = words[bucket];

		update(value, increment);
		sum += (uint64_t)value * (uint64_t)increment;
		ck_assert_msg(words[bucket] == before + (uint64_t)increment,
			"%lld is not in bucket %u", (long long)value, bucket);
		ck_assert_uint_eq(words[word_count - 1], sum);
		ck_assert(!counts_updates || words[0] == i + 1);
	}
	ck_assert_uint_eq(words[word_count], 0);
	distribution_free(&distribution);
}
END_TEST

START_TEST(too_many_buckets)
{
	const struct d_aggregation linear = {
		.function = D_AGGREGATE_LQUANTIZE, .parameters = {0, 2000, 1}};
	uint32_t word_count, bucket_count;

	ck_assert(!kernel_update_words(&linear, false, &word_count, &bucket_count));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, counts);
	tcase_add_loop_test(tests, sums, 0, 2);
	tcase_add_loop_test(tests, least_and_greatest, 0, 2);
	tcase_add_test(tests, squares);
	tcase_add_loop_test(
		tests, buckets, 0, 2 * (int)(sizeof(distributions) / sizeof(*distributions)));
	tcase_add_test(tests, too_many_buckets);
}
