/*
 * test_kernel_tally.c: what programs have aggregated on several processors is given as one sum, and
 * each reading gives what is new since the last one: counts, sums, least and greatest values,
 * squares, buckets; keys of all kinds; keys of a round that is over are forgotten; losses. The maps
 * are in memory.
 */
#include "bpf_in_memory.h"

#include "base/text.h"
#include "kernel/reduce/tally.h"
#include "kernel/translate/aggregation_update.h"
#include "unit_main.h"

enum { CPUS = 3, ROOM = 4096, EXECNAME = KERNEL_EXECNAME_BYTES, WORDS_MAX = 8, GIVEN_MAX = 2048 };

#define SIGN (UINT64_C(1) << 63)

static struct d_aggregation aggregation;
static struct text strings[2];
static struct d_program program = {.aggregations = &aggregation,
	.aggregation_count = 1,
	.strings = strings,
	.string_count = 2};
static struct kernel_tally tally;
static struct kernel_reduction reduction;
static struct kernel_reader reader;

/* What was given at the last reading. */
static struct given {
	uint64_t keys[3], updates, value, squares[2];
	char texts[3][32];
	struct partial_bucket buckets[4];
	size_t bucket_count;
} given[GIVEN_MAX];
static size_t given_count;

static const struct d_probe probe = {.provider = (char[]){"p"},
	.module = (char[]){"m"},
	.function = (char[]){"f"},
	.name = (char[]){"n"}};

static const struct d_probe *probe_of(void *context, uint64_t site)
{
	(void)context;
	return site == 5 ? &probe : NULL;
}

static void take_text(struct given *to, unsigned key, uint64_t value)
{
	const struct text *text = (const struct text *)(uintptr_t)value;

	ck_assert_uint_lt(text->length, sizeof(to->texts[key]));
	memcpy(to->texts[key], text->bytes, text->length);
	to->texts[key][text->length] = '\0';
}

static void add(void *context, const struct partial *partial)
{
	struct given *to = &given[given_count++];

	(void)context;
	ck_assert_uint_le(given_count, GIVEN_MAX);
	ck_assert_uint_eq(partial->aggregation, 0);
	*to = (struct given){.updates = partial->updates,
		.value = partial->value,
		.squares = {partial->squares[0], partial->squares[1]},
		.bucket_count = partial->bucket_count};
	ck_assert_uint_le(partial->bucket_count, 4);
	for (size_t i = 0; i < partial->bucket_count; i++)
		to->buckets[i] = partial->buckets[i];
	for (unsigned i = 0; i < tally.key_count; i++) {
		to->keys[i] = partial->keys[i];
		if (tally.keys[i].kind != KERNEL_KEY_INTEGER)
			take_text(to, i, partial->keys[i]);
	}
}

/* An aggregation of the function with so many words in a value, and keys of so many bytes. */
static void begin(enum d_aggregating function, uint32_t words, uint32_t key_bytes)
{
	bpf_memory.processors = CPUS;
	aggregation = (struct d_aggregation){.function = function};
	tally.words = words;
	tally.key_bytes = key_bytes;
	tally.map = bpf_map(key_bytes ? BPF_MAP_TYPE_PERCPU_HASH : BPF_MAP_TYPE_PERCPU_ARRAY,
		key_bytes ? key_bytes : 4, 8 * words, key_bytes ? ROOM : 1, 0);
	tally.further = key_bytes ? bpf_map(BPF_MAP_TYPE_HASH, key_bytes, 8 * words, ROOM, 0) : -1;
	reduction.program = &program;
	reduction.tallies = &tally;
	reduction.tally_count = 1;
	reduction.cpu_count = CPUS;
	reduction.losses = bpf_map(BPF_MAP_TYPE_ARRAY, 4, 8 * (1 + CPUS), 1, 0);
	reduction.guard = bpf_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct kernel_guard), 1, 0);
	reduction.numbers = -1;
	if (reduction.rotates)
		reduction.inside = bpf_map(BPF_MAP_TYPE_ARRAY, 4, CPUS * 64, 1, 0);
	ck_assert_int_eq(kernel_tally_begin(&reader, &reduction), 0);
}

static void setup(void)
{
	tally = (struct kernel_tally){0};
	reduction = (struct kernel_reduction){0};
	reader = (struct kernel_reader){0};
}

static void teardown(void)
{
	kernel_tally_end(&reader, &reduction);
	bpf_memory_free();
}

static void set_key(unsigned number, enum kernel_key_kind kind, uint32_t place, uint32_t which)
{
	tally.keys[number] = (struct kernel_key){kind, place, which};
	tally.key_count = (uint8_t)(number + 1);
}

/* Sets a value of one processor; the others' stay. */
static void put(const void *key, uint32_t cpu, const uint64_t *words)
{
	uint64_t all[CPUS * WORDS_MAX] = {0};

	bpf_map_get(tally.map, key, all);
	memcpy(all + (size_t)cpu * tally.words, words, 8 * (size_t)tally.words);
	ck_assert_int_eq(bpf_map_set(tally.map, key, all), 0);
}

static void read_all(void)
{
	const struct kernel_site_names names = {NULL, probe_of};
	const struct partial_sink sink = {NULL, add};

	given_count = 0;
	ck_assert_int_eq(kernel_tally_read(&reader, &reduction, &names, &sink), 0);
}

static const uint32_t no_key;

/* Counts of all processors are one number, and only what is new is given. */
START_TEST(counts)
{
	begin(D_AGGREGATE_COUNT, 1, 0);
	read_all();
	ck_assert_uint_eq(given_count, 0); /* without an update there is nothing */
	put(&no_key, 0, &(uint64_t){5});
	put(&no_key, 2, &(uint64_t){7});
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_uint_eq(given[0].updates, 12);
	read_all();
	ck_assert_uint_eq(given_count, 0);
	put(&no_key, 1, &(uint64_t){1});
	put(&no_key, 2, &(uint64_t){10});
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_uint_eq(given[0].updates, 4);
}
END_TEST

/* Sums may be negative, and go round as the engine's do. */
START_TEST(sums)
{
	tally.counts_updates = true;
	begin(D_AGGREGATE_SUM, 2, 0);
	put(&no_key, 0, (uint64_t[]){2, UINT64_MAX - 9}); /* -10 */
	put(&no_key, 1, (uint64_t[]){1, 3});
	read_all();
	ck_assert_uint_eq(given[0].updates, 3);
	ck_assert_int_eq((int64_t)given[0].value, -7);
	put(&no_key, 1, (uint64_t[]){2, INT64_MAX});
	put(&no_key, 2, (uint64_t[]){1, INT64_MAX});
	read_all();
	ck_assert_uint_eq(given[0].updates, 2);
	ck_assert_uint_eq(given[0].value, (uint64_t)INT64_MAX + INT64_MAX - 3);
}
END_TEST

/* The greatest code of all processors, whatever their order, is the least or greatest number. */
START_TEST(least_and_greatest)
{
	static const int64_t numbers[CPUS] = {4, -3, 9};
	bool is_min = _i;

	tally.counts_updates = true;
	begin(is_min ? D_AGGREGATE_MIN : D_AGGREGATE_MAX, 2, 0);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		uint64_t code = (uint64_t)numbers[cpu] ^ (is_min ? SIGN - 1 : SIGN);

		put(&no_key, (cpu + 1) % CPUS, (uint64_t[]){1, code});
		read_all();
		ck_assert_uint_eq(given_count, 1);
		ck_assert_uint_eq(given[0].updates, 1);
	}
	ck_assert_int_eq((int64_t)given[0].value, is_min ? -3 : 9);
}
END_TEST

/* The square of the sum of parts is whole, though each part is 64 bits. */
START_TEST(squares)
{
	tally.counts_updates = true;
	begin(D_AGGREGATE_STDDEV, 2 + KERNEL_SQUARE_PARTS, 0);
	put(&no_key, 0, (uint64_t[]){1, 5, UINT64_MAX, 1, 2, 3});
	put(&no_key, 1, (uint64_t[]){1, 6, 1, 1, 0, 0});
	read_all();
	ck_assert_uint_eq(given[0].updates, 2);
	ck_assert_uint_eq(given[0].value, 11);
	/* parts add up modulo 2^64: 0, 2, 2 and 3 */
	ck_assert_uint_eq(given[0].squares[0], UINT64_C(2) << 32);
	ck_assert_uint_eq(given[0].squares[1], 2 + (UINT64_C(3) << 32));
	put(&no_key, 2, (uint64_t[]){1, 1, UINT64_C(1) << 32, 1, 0, 0});
	read_all();
	ck_assert_uint_eq(given[0].squares[0], UINT64_C(2) << 32);
	ck_assert_uint_eq(given[0].squares[1], 0);
}
END_TEST

/* Only buckets with something new, and their updates where these are not counted apart. */
START_TEST(distributions)
{
	tally.counts_updates = _i;
	tally.buckets = 4;
	begin(D_AGGREGATE_QUANTIZE, (uint32_t)(_i + 5), 0);
	put(&no_key, 0, _i ? (uint64_t[]){2, 0, 10, 0, 5, 77} : (uint64_t[]){0, 1, 0, 2, 77});
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_uint_eq(given[0].bucket_count, 2);
	ck_assert_uint_eq(given[0].buckets[0].bucket, 1);
	ck_assert_int_eq(given[0].buckets[0].count, _i ? 10 : 1);
	ck_assert_uint_eq(given[0].buckets[1].bucket, 3);
	ck_assert_uint_eq(given[0].updates, _i ? 2 : 3);
	ck_assert_uint_eq(given[0].value, 77);
	put(&no_key, 1, _i ? (uint64_t[]){1, 0, 0, 4, 0, 3} : (uint64_t[]){0, 0, 4, 0, 3});
	read_all();
	ck_assert_uint_eq(given[0].bucket_count, 1);
	ck_assert_uint_eq(given[0].buckets[0].bucket, 2);
	ck_assert_int_eq(given[0].buckets[0].count, 4);
	ck_assert_uint_eq(given[0].updates, _i ? 1 : 4);
	ck_assert_uint_eq(given[0].value, 3);
}
END_TEST

/* Each key has what is its own, from the map by processor and from the further one. */
START_TEST(many_keys)
{
	set_key(0, KERNEL_KEY_INTEGER, 0, 0);
	begin(D_AGGREGATE_COUNT, 1, 8);
	for (uint64_t key = 0; key < 1000; key++)
		put(&key, key % CPUS, &(uint64_t){key + 1});
	for (uint64_t key = 500; key < 1500; key++)
		bpf_map_set(tally.further, &key, &(uint64_t){1});
	read_all();
	ck_assert_uint_eq(given_count, 2000);
	for (size_t i = 0; i < given_count; i++)
		ck_assert_uint_eq(given[i].updates, i < 1000 ? given[i].keys[0] + 1 : 1);
	read_all();
	ck_assert_uint_eq(given_count, 0);
	put(&(uint64_t){77}, 2, &(uint64_t){1000}); /* of processor 2, where 77 was counted */
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_uint_eq(given[0].keys[0], 77);
	ck_assert_uint_eq(given[0].updates, 1000 - 78);
}
END_TEST

START_TEST(kinds_of_keys)
{
	unsigned char key[EXECNAME + 16] = "sixteen bytes!!!";

	set_key(0, KERNEL_KEY_EXECNAME, 0, 0);
	set_key(1, KERNEL_KEY_NAME, EXECNAME, D_BUILTIN_PROBEFUNC);
	set_key(2, KERNEL_KEY_LITERAL, 0, 1);
	strings[1] = (struct text){.bytes = "literal", .length = 7};
	begin(D_AGGREGATE_COUNT, 1, sizeof(key));
	key[EXECNAME] = 5;
	put(key, 0, &(uint64_t){1});
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_str_eq(given[0].texts[0], "sixteen bytes!!!");
	ck_assert_str_eq(given[0].texts[1], "f");
	ck_assert_str_eq(given[0].texts[2], "literal");
	strcpy((char *)key, "short");
	key[EXECNAME] = 6; /* a site that is gone */
	put(key, 0, &(uint64_t){1});
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_str_eq(given[0].texts[0], "short");
	ck_assert_str_eq(given[0].texts[1], "");
}
END_TEST

/* A key whose string is not known yet is given when it is. */
START_TEST(strings_that_come_later)
{
	const uint64_t number = 3;
	char text[16] = "later";

	set_key(0, KERNEL_KEY_LISTED, 0, 0);
	begin(D_AGGREGATE_COUNT, 1, 8);
	reduction.string_bytes = sizeof(text);
	reduction.strings_max = 100;
	reduction.texts = bpf_map(BPF_MAP_TYPE_HASH, 8, sizeof(text), 100, 0);
	put(&number, 0, &(uint64_t){2});
	read_all();
	ck_assert_uint_eq(given_count, 0);
	bpf_map_set(reduction.texts, &number, text);
	put(&number, 1, &(uint64_t){1});
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_uint_eq(given[0].updates, 3);
	ck_assert_str_eq(given[0].texts[0], "later");
}
END_TEST

/* An aggregation whose keys have a round: each reading begins one, and keys of earlier rounds leave
 * the map when no program can use them any more, after they have been read. */
START_TEST(rounds)
{
	const uint32_t index = 0;
	struct kernel_guard guard;
	uint64_t key[2] = {42, 0}, inside[CPUS * 8] = {0};

	tally.rotates = reduction.rotates = true;
	set_key(0, KERNEL_KEY_INTEGER, 0, 0);
	begin(D_AGGREGATE_COUNT, 1, sizeof(key));
	put(key, 0, &(uint64_t){2});
	inside[0] = 1; /* a program has entered in phase 0 and is still there */
	bpf_map_set(reduction.inside, &index, inside);
	read_all();
	ck_assert_uint_eq(given_count, 1);
	ck_assert_uint_eq(given[0].keys[0], 42);
	ck_assert_int_eq(bpf_map_get(reduction.guard, &index, &guard), 0);
	ck_assert_uint_eq(guard.round, 1);
	ck_assert_uint_eq(guard.phase, 1);
	put(key, 1, &(uint64_t){1}); /* it adds to its round */
	key[1] = 1;
	put(key, 0, &(uint64_t){9});
	read_all();
	ck_assert_uint_eq(given_count, 2);
	ck_assert_uint_eq(given[0].updates, 1);
	ck_assert_uint_eq(given[1].updates, 9);
	ck_assert_uint_eq(bpf_memory_count(tally.map), 2);
	inside[1] = 1; /* it leaves */
	bpf_map_set(reduction.inside, &index, inside);
	read_all();
	ck_assert_uint_eq(given_count, 0);
	ck_assert_uint_eq(bpf_memory_count(tally.map), 1); /* round 0 is over */
	ck_assert_int_eq(bpf_map_get(reduction.guard, &index, &guard), 0);
	ck_assert_uint_eq(guard.round, 3);
	read_all();
	read_all();
	ck_assert_uint_eq(given_count, 0);
	ck_assert_uint_eq(bpf_memory_count(tally.map), 0);
	ck_assert_uint_eq(reader.baselines[0].count, 0);
}
END_TEST

START_TEST(losses)
{
	const uint32_t index = 0;
	uint64_t stores, updates[CPUS];

	begin(D_AGGREGATE_COUNT, 1, 0);
	ck_assert(!kernel_tally_losses(&reader, &reduction, &stores, updates));
	bpf_map_set(reduction.losses, &index, (uint64_t[]){3, 0, 5, 0});
	ck_assert(kernel_tally_losses(&reader, &reduction, &stores, updates));
	ck_assert_uint_eq(stores, 3);
	ck_assert_uint_eq(updates[0], 0);
	ck_assert_uint_eq(updates[1], 5);
	ck_assert(!kernel_tally_losses(&reader, &reduction, &stores, updates));
	bpf_map_set(reduction.losses, &index, (uint64_t[]){3, 1, 6, 0});
	ck_assert(kernel_tally_losses(&reader, &reduction, &stores, updates));
	ck_assert_uint_eq(stores, 0);
	ck_assert_uint_eq(updates[0], 1);
	ck_assert_uint_eq(updates[1], 1);
	ck_assert_uint_eq(updates[2], 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, counts);
	tcase_add_test(tests, sums);
	tcase_add_loop_test(tests, least_and_greatest, 0, 2);
	tcase_add_test(tests, squares);
	tcase_add_loop_test(tests, distributions, 0, 2);
	tcase_add_test(tests, many_keys);
	tcase_add_test(tests, kinds_of_keys);
	tcase_add_test(tests, strings_that_come_later);
	tcase_add_test(tests, rounds);
	tcase_add_test(tests, losses);
}
