/*
 * test_kernel_capture_directory.c: the program that walks over the kernel's directories, run by
 * bpf_machine.h on a small tree of the test's: paths through mounts, of removed directories, of the
 * root of a file system; and paths that are too deep or damaged, which are left out. Also what
 * makes a path of the names in a record.
 */
#include "bpf_machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/capture/capture.h"
#include "kernel/capture/decode.h"
#include "unit_main.h"

enum { RING_MAP = 900, COUNTERS_MAP, TASK_MAP, MEMORY = 64 << 10, DEEP = 200 };

#define KERNEL UINT64_C(0xffff888000000000)

/* Where the test's kernel keeps things. */
static const struct kernel_directory_layout layout = {.directories = 8,
	.current = 16,
	.root = 32,
	.mount = 0,
	.entry = 8,
	.parent = 0,
	.chained = 24,
	.top = 0,
	.own = 16,
	.mount_begin = 0,
	.mount_bytes = 24,
	.mount_parent = 0,
	.mountpoint = 8};

static struct bpf_machine machine;
static struct kernel_decoder decoder;
static uint64_t registers[KERNEL_REGISTERS_BYTES / 8];
static uint64_t counters[KERNEL_COUNTER_SITES];
static _Alignas(8) unsigned char staging[KERNEL_CAPTURE_MAX];
static unsigned char memory[MEMORY];
static uint64_t next; /* free memory */

static void setup(void)
{
	memset(&machine, 0, sizeof(machine));
	memset(&decoder, 0, sizeof(decoder));
	memset(memory, 0, sizeof(memory));
	counters[KERNEL_COUNTER_OPEN] = 1;
	next = KERNEL + 256;
	machine.task = KERNEL;
	machine.pid_tgid = 1;
	bpf_machine_add_area(&machine, registers, sizeof(registers));
	bpf_machine_add_map(&machine, RING_MAP, NULL, 0);
	bpf_machine_add_map(&machine, COUNTERS_MAP, counters, sizeof(counters));
	bpf_machine_add_map(&machine, TASK_MAP, staging, sizeof(staging));
	bpf_machine_add_piece(&machine, KERNEL, memory, sizeof(memory), true);
}

static void teardown(void)
{
	kernel_decode_free(&decoder);
}

static void put(uint64_t address, uint64_t value)
{
	memcpy(memory + (address - KERNEL), &value, sizeof(value));
}

static uint64_t allot(uint64_t bytes)
{
	uint64_t address = next;

	next += (bytes + 7) & ~UINT64_C(7);
	ck_assert_uint_le(next, KERNEL + MEMORY);
	return address;
}

/* A struct dentry; parent 0: it is the root of a file system. */
static uint64_t make_entry(uint64_t parent, const char *name)
{
	uint64_t entry = allot(32), text = allot(strlen(name) + 1);

	memcpy(memory + (text - KERNEL), name, strlen(name) + 1);
	put(entry, parent ? parent : entry);
	put(entry + 8, strlen(name) << 32 | 77); /* hash_len */
	put(entry + 16, text);
	put(entry + 24, parent ? 1 : 0); /* it is in a chain, as all but roots are */
	return entry;
}

/* A struct mount of the file system with that root; parent 0: it is the topmost one. */
static uint64_t make_mount(uint64_t parent, uint64_t mountpoint, uint64_t root)
{
	uint64_t mount = allot(24);

	put(mount, parent ? parent : mount);
	put(mount + 8, mountpoint);
	put(mount + 16, root);
	return mount;
}

/* Makes an entry of a mount the process's current directory, or its root. */
static void enter(uint32_t which, uint64_t mount, uint64_t entry)
{
	const uint64_t directories = KERNEL + 128;

	put(KERNEL + layout.directories, directories);
	put(directories + which + layout.mount, mount + layout.own);
	put(directories + which + layout.entry, entry);
}

/* The paths that the program captures; NULL: none. */
static void run(const char **current, const char **root)
{
	static struct kernel_plan plan;
	struct d_demand demand = {.directory = true, .root_directory = true};
	const struct source_want want = {.demand = &demand};
	const struct kernel_site site = {0};
	const struct kernel_maps maps = {.ring = RING_MAP,
		.counters = COUNTERS_MAP,
		.task = TASK_MAP,
		.directories = layout};
	const struct bpf_features features = {0};
	struct kernel_record record = {.bytes = machine.record};
	struct event_batch batch = {0};
	struct bpf_code code;
	unsigned argument;

	ck_assert_int_eq(kernel_plan_make(&plan, &site, &want, 1, &argument), 0);
	bpf_code_begin(&code);
	kernel_capture_generate(&code, &plan, &maps, &features);
	ck_assert_int_eq(bpf_code_end(&code), 0);
	bpf_machine_run(&machine, &code, registers);
	bpf_code_free(&code);
	ck_assert_uint_eq(machine.submitted, 1);
	record.size = (uint32_t)machine.record_size;
	kernel_decode_begin(&decoder);
	ck_assert_int_eq(kernel_decode_add(&decoder, &record, &plan, 0, 0, NULL), 0);
	kernel_decode_end(&decoder, &batch);
	*current = batch.captures[0].directory;
	*root = batch.captures[0].root_directory;
}

START_TEST(directories_of_one_file_system)
{
	uint64_t top = make_entry(0, "/"), mount = make_mount(0, top, top);
	uint64_t home = make_entry(top, "home"), user = make_entry(home, "some user");
	const char *current, *root;

	enter(layout.current, mount, user);
	enter(layout.root, mount, top);
	run(&current, &root);
	ck_assert_str_eq(current, "/home/some user");
	ck_assert_str_eq(root, "/");
}
END_TEST

START_TEST(mounts)
{
	uint64_t top = make_entry(0, "/"), mount = make_mount(0, top, top);
	uint64_t data = make_entry(top, "data"), disk = make_entry(0, "/");
	uint64_t inner = make_mount(mount, data, disk), sub = make_entry(disk, "sub");
	const char *current, *root;

	enter(layout.current, inner, sub);
	enter(layout.root, inner, disk);
	run(&current, &root);
	ck_assert_str_eq(current, "/data/sub");
	ck_assert_str_eq(root, "/data");
}
END_TEST

START_TEST(a_removed_directory)
{
	uint64_t top = make_entry(0, "/"), mount = make_mount(0, top, top);
	uint64_t gone = make_entry(top, "gone");
	const char *current, *root;

	put(gone + layout.chained, 0);
	enter(layout.current, mount, gone);
	enter(layout.root, mount, top);
	run(&current, &root);
	ck_assert_str_eq(current, "/gone (deleted)");
	ck_assert_str_eq(root, "/");
}
END_TEST

/* Longer paths than a program walks over are not captured, and the other one is. */
START_TEST(a_deep_directory)
{
	uint64_t top = make_entry(0, "/"), mount = make_mount(0, top, top), entry = top;
	const char *current, *root;

	for (unsigned i = 0; i < DEEP; i++)
		entry = make_entry(entry, "d");
	enter(layout.current, mount, entry);
	enter(layout.root, mount, top);
	run(&current, &root);
	ck_assert_ptr_null(current);
	ck_assert_str_eq(root, "/");
}
END_TEST

/* An entry that leads nowhere, and one without a parent that is no root of the mount. */
START_TEST(damaged_trees)
{
	uint64_t top = make_entry(0, "/"), mount = make_mount(0, top, top);
	uint64_t lost = make_entry(KERNEL + MEMORY + 8, "lost"), other = make_entry(0, "other");
	const char *current, *root;

	enter(layout.current, mount, lost);
	enter(layout.root, mount, other);
	run(&current, &root);
	ck_assert_ptr_null(current);
	ck_assert_ptr_null(root);
}
END_TEST

static const struct {
	const char *bytes;
	uint32_t length;
	const char *path; /* NULL: it is damaged */
} names[] = {
	{"", 1, "/"},
	{"\0c\0b\0a", 7, "/a/b/c"},
	{"/\0gone\0tmp", 11, "/tmp/gone (deleted)"},
	{"/", 2, "/ (deleted)"},
	{"\0abc", 4, NULL}, /* without a NUL at its end */
	{"", 0, NULL},
	{"/", 1, NULL},
};

START_TEST(names_of_a_record)
{
	struct arena arena = {0};
	unsigned char *bytes = malloc(names[_i].length ? names[_i].length : 1);
	const char *path;

	/* the memory has no byte more than the record */
	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, names[_i].bytes, names[_i].length);
	path = kernel_directory_path(&arena, bytes, names[_i].length);
	if (names[_i].path)
		ck_assert_str_eq(path, names[_i].path);
	else
		ck_assert_ptr_null(path);
	free(bytes);
	arena_free(&arena);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, directories_of_one_file_system);
	tcase_add_test(tests, mounts);
	tcase_add_test(tests, a_removed_directory);
	tcase_add_test(tests, a_deep_directory);
	tcase_add_test(tests, damaged_trees);
	tcase_add_loop_test(tests, names_of_a_record, 0, sizeof(names) / sizeof(*names));
}
