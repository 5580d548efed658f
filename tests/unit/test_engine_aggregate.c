/*
 * test_engine_aggregate.c: aggregations: what they store, how they sort, and how they
 * print, compared with DTrace's layout.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/printa.h"
#include "engine/store/aggregate.h"
#include "unit_main.h"

enum { AGGREGATES_MAX = 3 };

static struct slab slab;
static struct quota quota;
static struct d_aggregation definitions[AGGREGATES_MAX];
static struct aggregate aggregates[AGGREGATES_MAX];
static unsigned aggregate_count;
static struct aggregate_order order;
static char *text;
static size_t text_size;
static FILE *stream;

static const struct d_value_type string_key = {.kind = D_VALUE_STRING, .size = 256};
static const struct d_value_type int_key = {.kind = D_VALUE_INTEGER, .is_signed = true, .size = 4};
static const struct d_value_type long_key = {.kind = D_VALUE_INTEGER, .is_signed = true, .size = 8};

static void setup(void)
{
	slab_init(&slab);
	quota = (struct quota){&slab, 4 << 20, 0};
	aggregate_count = 0;
	memset(&order, 0, sizeof(order));
	stream = open_memstream(&text, &text_size);
	ck_assert_ptr_nonnull(stream);
}

static void teardown(void)
{
	for (unsigned i = 0; i < aggregate_count; i++)
		aggregate_free(&aggregates[i]);
	slab_free_all(&slab);
	fclose(stream);
	free(text);
}

static struct aggregate *make(enum d_aggregating function, unsigned keys,
	const struct d_value_type *type, const int64_t *parameters)
{
	struct d_aggregation *definition = &definitions[aggregate_count];
	struct aggregate *aggregate = &aggregates[aggregate_count];

	memset(definition, 0, sizeof(*definition));
	definition->function = function;
	definition->key_count = (uint8_t)keys;
	for (unsigned i = 0; i < keys; i++)
		definition->keys[i] = type[i];
	if (parameters)
		memcpy(definition->parameters, parameters, sizeof(definition->parameters));
	ck_assert_int_eq(aggregate_init(aggregate, &quota, definition, 256), 0);
	aggregate_count++;
	return aggregate;
}

static bool update_weighted(
	struct aggregate *aggregate, const uint64_t *keys, int64_t value, int64_t weight)
{
	struct aggregate_element *element;
	struct tuple tuple;

	ck_assert(tuple_gather(&tuple, &aggregate->shape, keys, 0));
	element = aggregate_find(aggregate, &tuple);
	if (!element)
		element = aggregate_add(aggregate, &tuple);
	return element && aggregate_update(aggregate, element, value, weight);
}

static struct d_options options;
static struct places places;

static bool update(struct aggregate *aggregate, uint64_t key, int64_t value)
{
	return update_weighted(aggregate, &key, value, 1);
}

static bool update_named(struct aggregate *aggregate, const char *name, int64_t value)
{
	struct text key = {name, (uint32_t)strlen(name), 0};

	return update(aggregate, (uintptr_t)&key, value);
}

static void print(const struct d_format *format)
{
	const struct format_context context = {
		.options = &options, .places = &places, .output = stream};
	struct aggregate *list[AGGREGATES_MAX];
	struct aggregate_rows rows;

	for (unsigned i = 0; i < aggregate_count; i++)
		list[i] = &aggregates[i];
	ck_assert_int_eq(aggregate_rows_init(&rows, list, aggregate_count, &order), 0);
	printa_print(&rows, format, &context);
	aggregate_rows_free(&rows);
}

#define ck_assert_prints(expected)                                                                 \
	do {                                                                                       \
		rewind(stream);                                                                    \
		print(NULL);                                                                       \
		fflush(stream);                                                                    \
		ck_assert_str_eq(text, expected);                                                  \
		fclose(stream);                                                                    \
		free(text);                                                                        \
		stream = open_memstream(&text, &text_size);                                        \
	} while (0)

START_TEST(test_scalars)
{
	static const struct {
		enum d_aggregating function;
		const char *expected;
	} cases[] = {
		{D_AGGREGATE_COUNT, "                4\n"},
		{D_AGGREGATE_SUM, "               -9\n"},
		{D_AGGREGATE_MIN, "              -20\n"},
		{D_AGGREGATE_MAX, "                7\n"},
		/* -9 / 4, toward zero */
		{D_AGGREGATE_AVG, "               -2\n"},
		/* squares 400 + 49 + 9 + 1 = 459; 459 / 4 = 114; 114 - 4 = 110; its root */
		{D_AGGREGATE_STDDEV, "               10\n"},
	};
	static const int64_t values[] = {-20, 7, 3, 1};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct aggregate *aggregate = make(cases[i].function, 0, NULL, NULL);
		for (unsigned j = 0; j < 4; j++)
			update(aggregate, 0, values[j]);
		ck_assert_prints(cases[i].expected);
		aggregate_free(aggregate);
		aggregate_count = 0;
	}
}
END_TEST

START_TEST(test_extremes_wrap)
{
	struct aggregate *sum = make(D_AGGREGATE_SUM, 0, NULL, NULL);
	struct aggregate *deviation = make(D_AGGREGATE_STDDEV, 0, NULL, NULL);
	struct aggregate *average = make(D_AGGREGATE_AVG, 0, NULL, NULL);

	update(sum, 0, INT64_MAX);
	update(sum, 0, 1);
	update(deviation, 0, INT64_MIN);
	update(average, 0, INT64_MIN);
	sum->normal = average->normal = deviation->normal = -1;
	ck_assert_prints(" -9223372036854775808                0 -9223372036854775808\n");
}
END_TEST

/* Values first, then keys; integer keys as unsigned. */
START_TEST(test_order)
{
	struct aggregate *aggregate = make(D_AGGREGATE_COUNT, 1, &int_key, NULL);
	static const int32_t keys[] = {-1, 2, 0, -2, 1};

	for (unsigned i = 0; i < 5; i++)
		update(aggregate, (uint64_t)(int64_t)keys[i], 0);
	update(aggregate, 0, 0);
	ck_assert_prints("        1                1\n"
			 "        2                1\n"
			 "       -2                1\n"
			 "       -1                1\n"
			 "        0                2\n");
	order.by_key = true;
	ck_assert_prints("        0                2\n"
			 "        1                1\n"
			 "        2                1\n"
			 "       -2                1\n"
			 "       -1                1\n");
	order.reversed = true;
	ck_assert_prints("       -1                1\n"
			 "       -2                1\n"
			 "        2                1\n"
			 "        1                1\n"
			 "        0                2\n");
	order.by_key = false;
	ck_assert_prints("        0                2\n"
			 "       -1                1\n"
			 "       -2                1\n"
			 "        2                1\n"
			 "        1                1\n");
}
END_TEST

START_TEST(test_key_position)
{
	struct d_value_type types[] = {long_key, long_key};
	struct aggregate *aggregate = make(D_AGGREGATE_COUNT, 2, types, NULL);
	static const uint64_t keys[][2] = {{1, 9}, {2, 8}, {3, 8}};

	for (unsigned i = 0; i < 3; i++)
		update_weighted(aggregate, keys[i], 0, 0);
	order.by_key = true;
	order.key_position = 1;
	ck_assert_prints("                2                8                1\n"
			 "                3                8                1\n"
			 "                1                9                1\n");
}
END_TEST

START_TEST(test_strings_as_keys)
{
	struct aggregate *aggregate = make(D_AGGREGATE_COUNT, 1, &string_key, NULL);
	char longer[301];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[300] = '\0';
	update_named(aggregate, "b", 0);
	update_named(aggregate, "a", 0);
	update_named(aggregate, "", 0);
	update_named(aggregate, "ab", 0);
	update_named(aggregate, "b", 0);
	ck_assert_prints("                                                                    1\n"
			 "  a                                                                 1\n"
			 "  ab                                                                1\n"
			 "  b                                                                 2\n");
	aggregate_trunc(aggregate, 0);
	/* Truncated to strsize, these two keys are equal. */
	update_named(aggregate, longer, 0);
	longer[280] = 'y';
	update_named(aggregate, longer, 0);
	ck_assert_uint_eq(aggregate->count, 1);
}
END_TEST

/* Keys are truncated to the type of the first use: 300 in a char is 44. */
START_TEST(test_keys_are_cut)
{
	struct d_value_type character = {.kind = D_VALUE_INTEGER, .is_signed = true, .size = 1};
	struct aggregate *aggregate = make(D_AGGREGATE_COUNT, 1, &character, NULL);

	update(aggregate, 300, 0);
	update(aggregate, 44, 0);
	update(aggregate, UINT64_MAX - 1, 0);
	ck_assert_prints(" 254                1\n"
			 "  44                2\n");
}
END_TEST

START_TEST(test_quantize)
{
	struct aggregate *aggregate = make(D_AGGREGATE_QUANTIZE, 0, NULL, NULL);

	update(aggregate, 0, 1);
	update(aggregate, 0, 3);
	update(aggregate, 0, 2);
	update(aggregate, 0, -5);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "              -8 |                                         0        \n"
			 "              -4 |@@@@@@@@@@                               1        \n"
			 "              -2 |                                         0        \n"
			 "              -1 |                                         0        \n"
			 "               0 |                                         0        \n"
			 "               1 |@@@@@@@@@@                               1        \n"
			 "               2 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
			 "               4 |                                         0        \n"
			 "\n");
}
END_TEST

START_TEST(test_quantize_empty_and_ends)
{
	struct aggregate *aggregate = make(D_AGGREGATE_QUANTIZE, 0, NULL, NULL);

	update(aggregate, 0, INT64_MAX);
	update(aggregate, 0, INT64_MIN);
	aggregate_clear(aggregate);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "              -1 |                                         0        \n"
			 "               0 |                                         0        \n"
			 "               1 |                                         0        \n"
			 "\n");
	update(aggregate, 0, INT64_MAX);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "2305843009213693952 |                                         0        \n"
			 "4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
			 "\n");
	aggregate_clear(aggregate);
	update(aggregate, 0, INT64_MIN);
	ck_assert_prints(
		"\n"
		"           value  ------------- Distribution ------------- count    \n"
		"-4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
		"-2305843009213693952 |                                         0        \n"
		"\n");
}
END_TEST

START_TEST(test_quantize_weights)
{
	struct aggregate *aggregate = make(D_AGGREGATE_QUANTIZE, 0, NULL, NULL);
	uint64_t none = 0;

	update_weighted(aggregate, &none, 1, -30);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "               0                                         | 0        \n"
			 "               1 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -30      \n"
			 "               2                                         | 0        \n"
			 "\n");
	update_weighted(aggregate, &none, 2, 10);
	aggregate->normal = 10;
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "               0                     |                     0        \n"
			 "               1      @@@@@@@@@@@@@@@|                     -3       \n"
			 "               2                     |@@@@@                1        \n"
			 "               4                     |                     0        \n"
			 "\n");
}
END_TEST

START_TEST(test_lquantize)
{
	static const int64_t parameters[5] = {0, 30, 10};
	struct aggregate *aggregate = make(D_AGGREGATE_LQUANTIZE, 0, NULL, parameters);

	update(aggregate, 0, 0);
	aggregate_clear(aggregate);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "             < 0 |                                         0        \n"
			 "               0 |                                         0        \n"
			 "              10 |                                         0        \n"
			 "\n");
	update(aggregate, 0, -1);
	update(aggregate, 0, 9);
	update(aggregate, 0, 29);
	update(aggregate, 0, INT64_MAX);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "             < 0 |@@@@@@@@@@                               1        \n"
			 "               0 |@@@@@@@@@@                               1        \n"
			 "              10 |                                         0        \n"
			 "              20 |@@@@@@@@@@                               1        \n"
			 "           >= 30 |@@@@@@@@@@                               1        \n"
			 "\n");
}
END_TEST

START_TEST(test_llquantize)
{
	static const int64_t parameters[5] = {10, 0, 1, 10};
	struct aggregate *aggregate = make(D_AGGREGATE_LLQUANTIZE, 0, NULL, parameters);

	update(aggregate, 0, 0);
	update(aggregate, 0, 9);
	update(aggregate, 0, 10);
	update(aggregate, 0, 19);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "              -1 |                                         0        \n"
			 "               0 |@@@@@@@@@@                               1        \n"
			 "               1 |                                         0        \n"
			 "               2 |                                         0        \n"
			 "               3 |                                         0        \n"
			 "               4 |                                         0        \n"
			 "               5 |                                         0        \n"
			 "               6 |                                         0        \n"
			 "               7 |                                         0        \n"
			 "               8 |                                         0        \n"
			 "               9 |@@@@@@@@@@                               1        \n"
			 "              10 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
			 "              20 |                                         0        \n"
			 "\n");
	aggregate_clear(aggregate);
	update(aggregate, 0, 100);
	update(aggregate, 0, 100);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "              90 |                                         0        \n"
			 "          >= 100 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 2        \n"
			 "\n");
	aggregate_clear(aggregate);
	update(aggregate, 0, -1000);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "         <= -100 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
			 "             -90 |                                         0        \n"
			 "\n");
}
END_TEST

/* With a lowest magnitude, all values nearer to zero share one bucket. */
START_TEST(test_llquantize_low)
{
	static const int64_t parameters[5] = {2, 3, 4, 2};
	struct aggregate *aggregate = make(D_AGGREGATE_LLQUANTIZE, 0, NULL, parameters);

	update(aggregate, 0, 7);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "              -8 |                                         0        \n"
			 "       abs() < 8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
			 "               8 |                                         0        \n"
			 "\n");
	aggregate_clear(aggregate);
	update(aggregate, 0, 8);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "             < 8 |                                         0        \n"
			 "               8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
			 "              16 |                                         0        \n"
			 "\n");
	aggregate_clear(aggregate);
	update(aggregate, 0, 7);
	update(aggregate, 0, -8);
	ck_assert_prints("\n"
			 "           value  ------------- Distribution ------------- count    \n"
			 "             -16 |                                         0        \n"
			 "              -8 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
			 "       abs() < 8 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
			 "               8 |                                         0        \n"
			 "\n");
}
END_TEST

START_TEST(test_parameters_refused)
{
	static const struct {
		enum d_aggregating function;
		int64_t parameters[5];
	} cases[] = {
		{D_AGGREGATE_LQUANTIZE, {10, 10, 1}},
		{D_AGGREGATE_LQUANTIZE, {0, 10, -1}},
		{D_AGGREGATE_LQUANTIZE, {0, 10, 11}},
		{D_AGGREGATE_LQUANTIZE, {0, 100000, 1}},
		{D_AGGREGATE_LQUANTIZE, {INT64_MIN, INT64_MAX, 1}},
		{D_AGGREGATE_LLQUANTIZE, {1, 0, 1, 10}},
		{D_AGGREGATE_LLQUANTIZE, {10, 2, 1, 10}},
		{D_AGGREGATE_LLQUANTIZE, {10, 0, 19, 10}},
		{D_AGGREGATE_LLQUANTIZE, {65535, 0, 65535, 65535}},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct d_aggregation definition = {.function = cases[i].function};
		memcpy(definition.parameters, cases[i].parameters, sizeof(definition.parameters));
		ck_assert_int_eq(aggregate_init(&aggregates[0], &quota, &definition, 256), -EINVAL);
	}
}
END_TEST

/* The ranges of the buckets are what falls into them, and together all values. */
START_TEST(test_ranges)
{
	static const struct {
		enum d_aggregating function;
		int64_t parameters[5];
	} cases[] = {
		{D_AGGREGATE_QUANTIZE, {0}}, {D_AGGREGATE_LQUANTIZE, {-20, 45, 10}},
		{D_AGGREGATE_LQUANTIZE, {0, 3, 1}}, {D_AGGREGATE_LLQUANTIZE, {10, 0, 3, 10}},
		{D_AGGREGATE_LLQUANTIZE, {10, 2, 5, 20}}, {D_AGGREGATE_LLQUANTIZE, {2, 0, 62, 1}},
		{D_AGGREGATE_LLQUANTIZE, {4, 0, 31, 4}}, /* bounds beyond 64 bits with a sign */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct d_aggregation definition = {.function = cases[i].function};
		struct distribution distribution;
		int64_t next = INT64_MIN;
		uint32_t bucket;

		memcpy(definition.parameters, cases[i].parameters, sizeof(definition.parameters));
		ck_assert_int_eq(distribution_init(&distribution, &definition), 0);
		for (bucket = distribution_bucket(&distribution, INT64_MIN);; bucket++) {
			struct distribution_range range = distribution_range(&distribution, bucket);
			ck_assert_int_eq(range.low, next);
			ck_assert_int_le(range.low, range.high);
			ck_assert_uint_eq(distribution_bucket(&distribution, range.low), bucket);
			ck_assert_uint_eq(distribution_bucket(&distribution, range.high), bucket);
			if (range.high == INT64_MAX)
				break;
			next = range.high + 1;
		}
		ck_assert_uint_eq(bucket, distribution_bucket(&distribution, INT64_MAX));
		distribution_free(&distribution);
	}
}
END_TEST

/* Distributions sort by their weighted sums, then by the count at zero. */
START_TEST(test_distribution_order)
{
	struct aggregate *aggregate = make(D_AGGREGATE_QUANTIZE, 1, &long_key, NULL);

	update(aggregate, 1, 8);
	update(aggregate, 2, 4);
	update(aggregate, 3, 8);
	update(aggregate, 3, 0);
	ck_assert_int_lt(aggregate_compare(aggregate, aggregate->zero, aggregate->zero), 1);
	order.reversed = true;
	print(NULL);
	fflush(stream);
	ck_assert_ptr_eq(strstr(text, "                3\n"), text);
	ck_assert(strstr(text, "\n                1\n") < strstr(text, "\n                2\n"));
}
END_TEST

START_TEST(test_clear)
{
	struct aggregate *count = make(D_AGGREGATE_COUNT, 1, &long_key, NULL);
	struct aggregate *least = make(D_AGGREGATE_MIN, 1, &long_key, NULL);
	struct aggregate *average = make(D_AGGREGATE_AVG, 1, &long_key, NULL);

	for (unsigned i = 0; i < 3; i++)
		update(&aggregates[i], 7, 5);
	aggregate_clear(count);
	aggregate_clear(least);
	aggregate_clear(average);
	ck_assert_prints("                7                0                0                0\n");
	update(least, 7, 9);
	ck_assert_prints("                7                0                9                0\n");
}
END_TEST

START_TEST(test_trunc)
{
	struct aggregate *aggregate = make(D_AGGREGATE_SUM, 1, &long_key, NULL);

	for (unsigned i = 1; i <= 100; i++)
		update(aggregate, i, i);
	aggregate_trunc(aggregate, 3);
	ck_assert_prints("               98               98\n"
			 "               99               99\n"
			 "              100              100\n");
	update(aggregate, 99, 1000);
	aggregate_trunc(aggregate, -2);
	ck_assert_prints("               98               98\n"
			 "              100              100\n");
	aggregate_trunc(aggregate, INT64_MIN);
	ck_assert_uint_eq(aggregate->count, 2);
	aggregate_trunc(aggregate, 0);
	ck_assert_prints("");
	ck_assert_uint_eq(quota.used, 0);
	update(aggregate, 5, 6);
	ck_assert_prints("                5                6\n");
}
END_TEST

START_TEST(test_normalize)
{
	struct aggregate *sum = make(D_AGGREGATE_SUM, 0, NULL, NULL);
	struct aggregate *average = make(D_AGGREGATE_AVG, 0, NULL, NULL);
	struct aggregate *deviation = make(D_AGGREGATE_STDDEV, 0, NULL, NULL);

	for (unsigned i = 0; i < 3; i++) {
		update(&aggregates[i], 0, 1000);
		update(&aggregates[i], 0, -3050);
	}
	sum->normal = average->normal = deviation->normal = 100;
	/* squares 10302500 / 100 / 2 = 51512; average -2050 / 100 / 2 = -10 */
	ck_assert_prints("              -20              -10              226\n");
}
END_TEST

/* One line for each key that any of them has; missing values are zero. */
START_TEST(test_joined)
{
	struct aggregate *count = make(D_AGGREGATE_COUNT, 1, &string_key, NULL);
	struct aggregate *sum = make(D_AGGREGATE_SUM, 1, &string_key, NULL);

	update_named(count, "one", 0);
	update_named(count, "both", 0);
	update_named(count, "both", 0);
	update_named(sum, "both", -4);
	update_named(sum, "two", 9);
	ck_assert_prints("  two                                                               0    "
			 "            9\n"
			 "  one                                                               1    "
			 "            0\n"
			 "  both                                                              2    "
			 "           -4\n");
	order.position = 1;
	ck_assert_prints("  both                                                              2    "
			 "           -4\n"
			 "  one                                                               1    "
			 "            0\n"
			 "  two                                                               0    "
			 "            9\n");
}
END_TEST

START_TEST(test_formatted)
{
	struct aggregate *count = make(D_AGGREGATE_COUNT, 1, &string_key, NULL);
	struct aggregate *sum = make(D_AGGREGATE_SUM, 1, &string_key, NULL);
	struct d_conversion conversions[] = {
		{.before = {"<", 1, 0},
			.present = true,
			.kind = D_CONVERT_STRING,
			.letter = 's',
			.minus = true,
			.width = 5,
			.type = string_key},
		{.before = {"> ", 2, 0},
			.present = true,
			.aggregation = true,
			.kind = D_CONVERT_SIGNED,
			.letter = 'd',
			.width = 4,
			.type = long_key},
		{.before = {" ", 1, 0},
			.present = true,
			.aggregation = true,
			.kind = D_CONVERT_UNSIGNED,
			.letter = 'x',
			.type = long_key},
		{.before = {" ", 1, 0},
			.present = true,
			.aggregation = true,
			.kind = D_CONVERT_SIGNED,
			.letter = 'd',
			.type = long_key},
		{.before = {"\n", 1, 0}},
	};
	struct d_format format = {5, conversions};

	update_named(count, "a", 0);
	update_named(sum, "a", 255);
	update_named(sum, "b", 16);
	print(&format);
	fflush(stream);
	ck_assert_str_eq(text, "<b    >    0 10 16\n<a    >    1 ff 255\n");
}
END_TEST

/* %@d of a distribution prints its picture; the text after it follows the last row. */
START_TEST(test_formatted_quantize)
{
	struct aggregate *aggregate = make(D_AGGREGATE_QUANTIZE, 1, &int_key, NULL);
	struct d_conversion conversions[] = {
		{.before = {"k=", 2, 0},
			.present = true,
			.kind = D_CONVERT_SIGNED,
			.letter = 'd',
			.type = int_key},
		{.present = true,
			.aggregation = true,
			.kind = D_CONVERT_SIGNED,
			.letter = 'd',
			.type = long_key},
		{.before = {"end\n", 4, 0}},
	};
	struct d_format format = {3, conversions};

	update(aggregate, (uint64_t)-3, 0);
	print(&format);
	fflush(stream);
	ck_assert_str_eq(text,
		"k=-3\n"
		"           value  ------------- Distribution ------------- count    \n"
		"              -1 |                                         0        \n"
		"               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
		"               1 |                                         0        \n"
		"end\n");
}
END_TEST

/* Elements beyond aggsize are refused; existing ones continue to count. */
START_TEST(test_bounded)
{
	struct aggregate *aggregate = make(D_AGGREGATE_COUNT, 1, &long_key, NULL);
	uint64_t added = 0;

	quota.limit = 4096;
	while (update(aggregate, added, 0) && added < 1000)
		added++;
	ck_assert_uint_gt(added, 50);
	ck_assert_uint_lt(added, 300);
	ck_assert(update(aggregate, 0, 0));
	aggregate_trunc(aggregate, 0);
	ck_assert(update(aggregate, 999, 0));
}
END_TEST

START_TEST(test_many_keys)
{
	struct aggregate *aggregate = make(D_AGGREGATE_COUNT, 1, &string_key, NULL);
	char name[32];

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 10000; i++) {
			snprintf(name, sizeof(name), "Some::Class#method_%u", i);
			ck_assert(update_named(aggregate, name, 0));
		}
	}
	ck_assert_uint_eq(aggregate->count, 10000);
	ck_assert_uint_lt(quota.used, 2 << 20);
	for (size_t i = 0; i <= aggregate->mask; i++)
		if (aggregate->slots[i].element)
			ck_assert_uint_eq(aggregate->slots[i].element->words[0], 2);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_scalars);
	tcase_add_test(tests, test_extremes_wrap);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_key_position);
	tcase_add_test(tests, test_strings_as_keys);
	tcase_add_test(tests, test_keys_are_cut);
	tcase_add_test(tests, test_quantize);
	tcase_add_test(tests, test_quantize_empty_and_ends);
	tcase_add_test(tests, test_quantize_weights);
	tcase_add_test(tests, test_lquantize);
	tcase_add_test(tests, test_llquantize);
	tcase_add_test(tests, test_llquantize_low);
	tcase_add_test(tests, test_parameters_refused);
	tcase_add_test(tests, test_ranges);
	tcase_add_test(tests, test_distribution_order);
	tcase_add_test(tests, test_clear);
	tcase_add_test(tests, test_trunc);
	tcase_add_test(tests, test_normalize);
	tcase_add_test(tests, test_joined);
	tcase_add_test(tests, test_formatted);
	tcase_add_test(tests, test_formatted_quantize);
	tcase_add_test(tests, test_bounded);
	tcase_add_test(tests, test_many_keys);
}
