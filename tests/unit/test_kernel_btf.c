/*
 * test_kernel_btf.c: what is found in the kernel's description of its types, also if the data is
 * cut off or damaged; and the size of rings.
 */
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/bpf/btf_lookup.h"
#include "kernel/bpf/ring_buffer.h"
#include "unit_main.h"

/* int; struct thing { int first; int bits : 3 (at bit 64); }; void work(int); */
static const char names[] = "\0int\0thing\0first\0second\0work\0x";
enum {
	NAME_INT = 1,
	NAME_THING = 5,
	NAME_FIRST = 11,
	NAME_SECOND = 17,
	NAME_WORK = 24,
	NAME_X = 29
};

static const uint32_t types[] = {NAME_INT, BTF_KIND_INT << 24, 4, 32, /* 1 */
	NAME_THING, 1u << 31 | BTF_KIND_STRUCT << 24 | 2, 12,         /* 2 */
	NAME_FIRST, 1, 0,                                             /* its members */
	NAME_SECOND, 1, 3u << 24 | 64,                                /* 3 bits, from bit 64 */
	0, BTF_KIND_FUNC_PROTO << 24 | 1, 0, NAME_X, 1,               /* 3 */
	NAME_WORK, BTF_KIND_FUNC << 24, 3};                           /* 4 */

static uint8_t data[1024];
static size_t size;

static void setup(void)
{
	const struct btf_header header = {.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(header),
		.type_len = sizeof(types),
		.str_off = sizeof(types),
		.str_len = sizeof(names)};

	memcpy(data, &header, sizeof(header));
	memcpy(data + sizeof(header), types, sizeof(types));
	memcpy(data + sizeof(header) + sizeof(types), names, sizeof(names));
	size = sizeof(header) + sizeof(types) + sizeof(names);
}

static struct kernel_btf_query query(
	enum kernel_btf_kind kind, const char *name, const char *member)
{
	return (struct kernel_btf_query){kind, name, member, false, 0, 0};
}

START_TEST(test_found)
{
	struct kernel_btf_query queries[] = {query(KERNEL_BTF_MEMBER, "thing", "second"),
		query(KERNEL_BTF_FUNCTION, "work", NULL),
		query(KERNEL_BTF_MEMBER, "thing", "first"),
		query(KERNEL_BTF_FUNCTION, "thing", NULL), query(KERNEL_BTF_MEMBER, "work", "x"),
		query(KERNEL_BTF_MEMBER, "thing", "third"),
		query(KERNEL_BTF_FUNCTION, "nosuch", NULL)};

	kernel_btf_search(data, size, queries, sizeof(queries) / sizeof(queries[0]));
	ck_assert(queries[0].is_found && queries[0].result == 8);
	ck_assert(queries[1].is_found && queries[1].result == 4);
	ck_assert(queries[2].is_found && queries[2].result == 0);
	for (size_t i = 3; i < sizeof(queries) / sizeof(queries[0]); i++)
		ck_assert(!queries[i].is_found);
}
END_TEST

/* Memory of exactly that size, so that a sanitizer sees what is read after it. */
START_TEST(test_damaged)
{
	for (size_t length = 0; length < size; length++) {
		struct kernel_btf_query wanted = query(KERNEL_BTF_FUNCTION, "work", NULL);
		uint8_t *cut = malloc(length ? length : 1);

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, data, length);
		kernel_btf_search(cut, length, &wanted, 1);
		ck_assert(!wanted.is_found);
		free(cut);
	}
	for (size_t i = 0; i < size; i++) {
		struct kernel_btf_query wanted[] = {query(KERNEL_BTF_FUNCTION, "work", NULL),
			query(KERNEL_BTF_MEMBER, "thing", "second")};
		uint8_t *changed = malloc(size);

		ck_assert_ptr_nonnull(changed);
		memcpy(changed, data, size);
		changed[i] ^= 0xff;
		kernel_btf_search(changed, size, wanted, 2);
		free(changed);
	}
}
END_TEST

START_TEST(test_ring_bytes)
{
	ck_assert_uint_eq(kernel_ring_bytes(0), 256 << 10);
	ck_assert_uint_eq(kernel_ring_bytes(256 << 10), 256 << 10);
	ck_assert_uint_eq(kernel_ring_bytes((256 << 10) + 1), 512 << 10);
	ck_assert_uint_eq(kernel_ring_bytes(4 << 20), 4 << 20);
	ck_assert_uint_eq(kernel_ring_bytes(UINT64_MAX), 1 << 30);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, test_found);
	tcase_add_test(tests, test_damaged);
	tcase_add_test(tests, test_ring_bytes);
}
