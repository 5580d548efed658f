/*
 * test_engine_address.c: the memory behind addresses (engine/machine/memory.h): bounds, stale and
 * invented addresses, sizes beyond 32 bits, overlapping copies, region numbers that wrap around.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"
#include "unit_main.h"

enum { FIXED = 2, BLOCKS = 4, SIZE = 16, BEFORE = 0xaa };

static struct engine *engine;
static struct event_batch batch;
static const struct text name = {"alpha", 5, 0};
static const struct text *const names[] = {&name, NULL};
static uint64_t fixed;

static void setup(void)
{
	engine = calloc(1, sizeof(*engine));
	ck_assert_ptr_nonnull(engine);
	scratch_init(&engine->scratch);
	ck_assert_int_eq(memory_init(&engine->memory, FIXED, BLOCKS), 0);
	ck_assert_int_eq(memory_fix(&engine->memory, 1, SIZE), 0);
	batch = (struct event_batch){.names = names, .name_count = 2};
	engine->firing.batch = &batch;
	fixed = memory_address(1);
}

static void teardown(void)
{
	memory_free(&engine->memory);
	scratch_free(&engine->scratch);
	free(engine);
}

static void expect_fault(enum d_fault result, enum d_fault code, uint64_t value)
{
	ck_assert_int_eq(result, code);
	ck_assert_int_eq(engine->fault.code, code);
	ck_assert_uint_eq(engine->fault.value, value);
}

/* Must be refused for reading, writing, as text, and for copying to or from. */
static void expect_nowhere(uint64_t address)
{
	char bytes[SIZE] = "";
	const struct text *text = NULL;

	expect_fault(memory_read(engine, address, 1, bytes), D_FAULT_BADADDR, address);
	expect_fault(memory_write(engine, address, 1, bytes), D_FAULT_BADADDR, address);
	expect_fault(memory_text(engine, address, 10, &text), D_FAULT_BADADDR, address);
	expect_fault(memory_bytes(engine, address, 1, &text), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, fixed, address, 1), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, address, fixed, 1), D_FAULT_BADADDR, address);
	ck_assert_ptr_null(text);
}

/* Just after a region: there is no content and no room. */
static void expect_end(uint64_t address)
{
	char bytes[SIZE] = "";

	expect_fault(memory_read(engine, address, 1, bytes), D_FAULT_BADADDR, address);
	expect_fault(memory_write(engine, address, 1, bytes), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, fixed, address, 1), D_FAULT_BADADDR, address);
	expect_fault(memory_copy_block(engine, fixed, address, 1), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, address, fixed, 1), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, address - 1, fixed, 2), D_FAULT_BADSIZE, 2);
	expect_fault(memory_copy(engine, fixed, address - 1, 2), D_FAULT_BADADDR, address - 1);
	expect_fault(memory_copy_block(engine, fixed, address - 1, 2), D_FAULT_BADSIZE, 2);
	ck_assert_int_eq(memory_copy(engine, address, fixed, 0), D_FAULT_NONE);
}

START_TEST(test_bounds)
{
	char bytes[SIZE + 1], zeroes[SIZE] = "";

	memset(bytes, BEFORE, sizeof(bytes));
	ck_assert_int_eq(memory_read(engine, fixed, SIZE, bytes), D_FAULT_NONE);
	ck_assert_mem_eq(bytes, zeroes, SIZE);
	ck_assert_int_eq((unsigned char)bytes[SIZE], BEFORE);
	ck_assert_int_eq(memory_write(engine, fixed + SIZE - 1, 1, "x"), D_FAULT_NONE);
	ck_assert_int_eq(memory_read(engine, fixed + SIZE, 0, bytes), D_FAULT_NONE);
	expect_fault(memory_read(engine, fixed + 1, SIZE, bytes), D_FAULT_BADADDR, fixed + 1);
	expect_fault(memory_write(engine, fixed + 1, SIZE, bytes), D_FAULT_BADADDR, fixed + 1);
	expect_fault(memory_read(engine, fixed, UINT32_MAX, bytes), D_FAULT_BADADDR, fixed);
	expect_end(fixed + SIZE);
	expect_nowhere(fixed - 1);
	/* The last byte of the region's 4 GiB, and the first byte after them. */
	expect_nowhere(fixed + UINT32_MAX);
	expect_nowhere(fixed + (UINT64_C(1) << 32));
}
END_TEST

START_TEST(test_made_up_addresses)
{
	static const uint64_t addresses[] = {0, 1, 0xdead, UINT32_MAX, UINT64_C(1) << 32,
		MEMORY_TAG, MEMORY_TAG | 1, MEMORY_TAG - 1, UINT64_MAX, INT64_MAX,
		UINT64_C(1) << 63, MEMORY_TAG | MEMORY_TAG << 1};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		expect_nowhere(addresses[i]);
	/* Regions that never existed: one without memory, and the highest number. */
	expect_nowhere(memory_address(2));
	expect_nowhere(memory_address(FIXED + 1));
	expect_nowhere(memory_address(MEMORY_REGION_MAX));
}
END_TEST

START_TEST(test_texts_of_events)
{
	uint64_t handle = event_handle(0, 0);
	const struct text *text;
	char bytes[SIZE];

	ck_assert_int_eq(memory_text(engine, handle, 100, &text), D_FAULT_NONE);
	ck_assert_ptr_eq(text, &name);
	ck_assert_int_eq(memory_text(engine, handle + 2, 2, &text), D_FAULT_NONE);
	ck_assert_str_eq(text->bytes, "ph");
	/* The NUL belongs to it, nothing after it does; and it cannot be written to. */
	ck_assert_int_eq(memory_read(engine, handle, name.length + 1, bytes), D_FAULT_NONE);
	expect_fault(memory_read(engine, handle, name.length + 2, bytes), D_FAULT_BADADDR, handle);
	expect_fault(memory_write(engine, handle, 1, "x"), D_FAULT_BADADDR, handle);
	expect_fault(memory_copy(engine, handle, fixed, 1), D_FAULT_BADADDR, handle);
	expect_nowhere(handle + name.length + 1);
	expect_nowhere(event_handle(1, 0));
	expect_nowhere(event_handle(2, 0));
	expect_nowhere(event_handle(0, 1));
}
END_TEST

START_TEST(test_copies)
{
	char bytes[SIZE];

	ck_assert_int_eq(memory_write(engine, fixed, SIZE, "0123456789abcdef"), D_FAULT_NONE);
	ck_assert_int_eq(memory_copy(engine, fixed + 2, fixed, 10), D_FAULT_NONE);
	ck_assert_int_eq(memory_read(engine, fixed, SIZE, bytes), D_FAULT_NONE);
	ck_assert_mem_eq(bytes, "010123456789cdef", SIZE);
	ck_assert_int_eq(memory_copy(engine, fixed, fixed + 2, 14), D_FAULT_NONE);
	ck_assert_int_eq(memory_read(engine, fixed, SIZE, bytes), D_FAULT_NONE);
	ck_assert_mem_eq(bytes, "0123456789cdefef", SIZE);
	ck_assert_int_eq(memory_copy(engine, fixed, fixed, 0), D_FAULT_NONE);
	/* Sizes that only look small when truncated to 32 bits, or when added to an offset. */
	expect_fault(memory_copy(engine, fixed, fixed, SIZE + 1), D_FAULT_BADSIZE, SIZE + 1);
	expect_fault(memory_copy(engine, fixed, fixed, (UINT64_C(1) << 32) + 1), D_FAULT_BADSIZE,
		(UINT64_C(1) << 32) + 1);
	expect_fault(memory_copy(engine, fixed, fixed + 8, UINT64_MAX - 7), D_FAULT_BADSIZE,
		UINT64_MAX - 7);
	expect_fault(memory_copy(engine, fixed, fixed + 8, 9), D_FAULT_BADADDR, fixed + 8);
	ck_assert_int_eq(memory_read(engine, fixed, SIZE, bytes), D_FAULT_NONE);
	ck_assert_mem_eq(bytes, "0123456789cdefef", SIZE);
}
END_TEST

START_TEST(test_texts_of_memory)
{
	const struct text *text;

	/* No NUL in the region: the text ends with the region. */
	ck_assert_int_eq(memory_write(engine, fixed, SIZE, "0123456789abcdef"), D_FAULT_NONE);
	ck_assert_int_eq(memory_text(engine, fixed + 10, UINT64_MAX, &text), D_FAULT_NONE);
	ck_assert_str_eq(text->bytes, "abcdef");
	ck_assert_int_eq(memory_text(engine, fixed, (UINT64_C(1) << 32) + 3, &text), D_FAULT_NONE);
	ck_assert_uint_eq(text->length, SIZE);
	ck_assert_int_eq(memory_text(engine, fixed, 3, &text), D_FAULT_NONE);
	ck_assert_str_eq(text->bytes, "012");
	ck_assert_int_eq(memory_bytes(engine, fixed, SIZE, &text), D_FAULT_NONE);
	/* It is a copy: later writes do not change it. */
	ck_assert_int_eq(memory_write(engine, fixed, 1, "x"), D_FAULT_NONE);
	ck_assert_mem_eq(text->bytes, "0123456789abcdef", SIZE);
}
END_TEST

START_TEST(test_blocks_end_with_their_clause)
{
	uint64_t blocks[BLOCKS], other;
	char bytes[SIZE];

	for (unsigned i = 0; i < BLOCKS; i++)
		ck_assert_int_eq(memory_block(engine, SIZE, &blocks[i]), D_FAULT_NONE);
	expect_fault(memory_block(engine, SIZE, &other), D_FAULT_NOSCRATCH, 0);
	ck_assert_int_eq(memory_write(engine, blocks[3], SIZE, "0123456789abcdef"), D_FAULT_NONE);
	ck_assert_int_eq(memory_read(engine, blocks[2], SIZE, bytes), D_FAULT_NONE);
	ck_assert_int_eq(bytes[0], 0);
	memory_reset(&engine->memory);
	scratch_reset(&engine->scratch);
	for (unsigned i = 0; i < BLOCKS; i++)
		expect_nowhere(blocks[i]);
	ck_assert_int_eq(memory_block(engine, SIZE, &other), D_FAULT_NONE);
	for (unsigned i = 0; i < BLOCKS; i++)
		expect_nowhere(blocks[i]);
	/* New blocks are zeroed even if the scratch memory was used before. */
	ck_assert_int_eq(memory_read(engine, other, SIZE, bytes), D_FAULT_NONE);
	for (unsigned i = 0; i < SIZE; i++)
		ck_assert_int_eq(bytes[i], 0);
}
END_TEST

START_TEST(test_sizes_of_blocks)
{
	static const uint64_t sizes[] = {(uint64_t)SCRATCH_LIMIT + 1, UINT64_C(1) << 32,
		(UINT64_C(1) << 32) + 1, INT64_MAX, UINT64_MAX};
	static const char zeroes[SIZE];
	char bytes[SIZE] = "";
	const struct text *text = NULL;
	uint64_t address;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		expect_fault(memory_block(engine, sizes[i], &address), D_FAULT_NOSCRATCH, 0);
	ck_assert_int_eq(memory_block(engine, SIZE, &address), D_FAULT_NONE);
	expect_end(address + SIZE);
	/* A block without bytes: only copies of raw bytes find the zeroes that follow it. */
	ck_assert_int_eq(memory_block(engine, 0, &address), D_FAULT_NONE);
	expect_fault(memory_read(engine, address, 1, bytes), D_FAULT_BADADDR, address);
	expect_fault(memory_write(engine, address, 1, bytes), D_FAULT_BADADDR, address);
	expect_fault(memory_text(engine, address, 10, &text), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, fixed, address, 1), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, address, fixed, 1), D_FAULT_BADADDR, address);
	ck_assert_int_eq(memory_bytes(engine, address, SIZE, &text), D_FAULT_NONE);
	ck_assert_uint_eq(text->length, SIZE);
	ck_assert_mem_eq(text->bytes, zeroes, SIZE);
	expect_fault(memory_bytes(engine, address + 1, 1, &text), D_FAULT_BADADDR, address + 1);
}
END_TEST

START_TEST(test_numbers_start_over)
{
	uint64_t address = 0, before;
	uint32_t last = MEMORY_KEPT - BLOCKS;
	char bytes[SIZE];

	engine->memory.first_block = last - 1;
	ck_assert_int_eq(memory_block(engine, SIZE, &before), D_FAULT_NONE);
	ck_assert_uint_eq(before, memory_address(last - 1));
	memory_reset(&engine->memory);
	for (unsigned i = 0; i < BLOCKS; i++)
		ck_assert_int_eq(memory_block(engine, SIZE, &address), D_FAULT_NONE);
	/* The highest numbers still refer to their own blocks. */
	ck_assert_uint_eq(address, memory_address(MEMORY_KEPT - 1));
	ck_assert_int_eq(memory_write(engine, address, 1, "x"), D_FAULT_NONE);
	ck_assert_int_eq(memory_read(engine, address, 1, bytes), D_FAULT_NONE);
	ck_assert_int_eq(bytes[0], 'x');
	memory_reset(&engine->memory);
	ck_assert_int_eq(memory_block(engine, SIZE, &before), D_FAULT_NONE);
	ck_assert_uint_eq(before, memory_address(FIXED + 1));
	expect_nowhere(address);
	/* Permanent regions are not among those that are reused. */
	ck_assert_int_eq(memory_write(engine, before, 1, "y"), D_FAULT_NONE);
	ck_assert_int_eq(memory_read(engine, fixed, 1, bytes), D_FAULT_NONE);
	ck_assert_int_eq(bytes[0], 0);
}
END_TEST

START_TEST(test_lent_memory)
{
	char lent[SIZE] = "0123456789abcde", bytes[SIZE];
	uint64_t address;

	ck_assert_int_eq(memory_lend(engine, lent, SIZE, false, &address), D_FAULT_NONE);
	ck_assert_int_eq(memory_read(engine, address, SIZE, bytes), D_FAULT_NONE);
	ck_assert_mem_eq(bytes, lent, SIZE);
	expect_fault(memory_write(engine, address, 1, "x"), D_FAULT_BADADDR, address);
	expect_fault(memory_copy(engine, address, fixed, 1), D_FAULT_BADADDR, address);
	ck_assert_int_eq(lent[0], '0');
	ck_assert_int_eq(memory_lend(engine, lent, SIZE, true, &address), D_FAULT_NONE);
	ck_assert_int_eq(memory_write(engine, address, 1, "x"), D_FAULT_NONE);
	ck_assert_int_eq(lent[0], 'x');
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_bounds);
	tcase_add_test(tests, test_made_up_addresses);
	tcase_add_test(tests, test_texts_of_events);
	tcase_add_test(tests, test_copies);
	tcase_add_test(tests, test_texts_of_memory);
	tcase_add_test(tests, test_blocks_end_with_their_clause);
	tcase_add_test(tests, test_sizes_of_blocks);
	tcase_add_test(tests, test_numbers_start_over);
	tcase_add_test(tests, test_lent_memory);
}
