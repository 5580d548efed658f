/*
 * test_engine_counts.c: the counts of a distribution's buckets, compared with a plain array.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/store/counts.h"
#include "unit_main.h"

enum { BUCKETS_MAX = 70000 };

static struct slab slab;
static struct quota quota;
static struct counts counts;

static void setup(void)
{
	slab_init(&slab);
	quota = (struct quota){&slab, 4 << 20, 0};
	memset(&counts, 0, sizeof(counts));
}

static void teardown(void)
{
	counts_free(&counts, &quota);
	ck_assert_uint_eq(quota.used, 0);
	slab_free_all(&slab);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *state >> 33;
}

/* Any order of buckets and increments gives the same result as an array. */
START_TEST(test_as_an_array)
{
	static const uint32_t sizes[] = {1, 2, 3, 5, 127, 1000, 65537};
	static const int64_t increments[] = {1, 1, 1, -1, 3000000000, INT64_MIN, INT64_MAX, 0};
	static int64_t expected[BUCKETS_MAX];
	uint64_t state = (uint64_t)_i;

	for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint32_t buckets = sizes[s];
		memset(expected, 0, sizeof(expected));
		for (unsigned n = 0; n < 300; n++) {
			uint32_t bucket = (uint32_t)(next_random(&state) % buckets);
			/* The first hundred increments are small. */
			int64_t increment = increments[next_random(&state) % (n < 100 ? 4 : 8)];
			expected[bucket] =
				(int64_t)((uint64_t)expected[bucket] + (uint64_t)increment);
			ck_assert(counts_add(&counts, bucket, buckets, increment, &quota));
			ck_assert_uint_le((uint64_t)counts.first + counts.size, buckets);
		}
		for (uint32_t i = 0; i < buckets; i++)
			ck_assert_int_eq(counts_get(&counts, i), expected[i]);
		counts_clear(&counts);
		for (uint32_t i = 0; i < buckets; i++)
			ck_assert_int_eq(counts_get(&counts, i), 0);
		counts_free(&counts, &quota);
		ck_assert_uint_eq(quota.used, 0);
	}
}
END_TEST

/* Neighbouring buckets take little room; all buckets take no more than an array of small counts. */
START_TEST(test_small)
{
	for (unsigned i = 0; i < 100000; i++)
		ck_assert(counts_add(&counts, 80 + i % 4, 127, 1, &quota));
	ck_assert_uint_le(quota.used, 32);
	for (uint32_t i = 0; i < 127; i++)
		ck_assert(counts_add(&counts, i, 127, 1, &quota));
	ck_assert_uint_le(quota.used, 128 * sizeof(int32_t));
}
END_TEST

/* If there is no room, nothing changes, and counts that fit are still added. */
START_TEST(test_no_room)
{
	ck_assert(counts_add(&counts, 10, 127, 5, &quota));
	quota.limit = quota.used;
	ck_assert(!counts_add(&counts, 100, 127, 1, &quota));
	ck_assert(!counts_add(&counts, 10, 127, INT32_MAX, &quota));
	ck_assert_int_eq(counts_get(&counts, 100), 0);
	ck_assert(counts_add(&counts, 10, 127, 1, &quota));
	ck_assert_int_eq(counts_get(&counts, 10), 6);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, test_as_an_array, 1, 6);
	tcase_add_test(tests, test_small);
	tcase_add_test(tests, test_no_room);
}
