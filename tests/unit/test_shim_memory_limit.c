/*
 * test_shim_memory_limit.c: the default of memory_bytes follows from the memory that the process
 * can have: limits of control groups of both versions, nested or in a container, and RLIMIT_AS.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "shim/core/budget.h"
#include "shim/fixture.h"
#include "shim/server/memory_limit.h"
#include "unit_main.h"

static char root[256];

/* Writes a file below the root, with the folders that contain it. */
static void put(const char *path, const char *text)
{
	char name[600];
	FILE *file;

	snprintf(root, sizeof(root), "%.200s/root", fixture_folder);
	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *at = name + strlen(fixture_folder) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		ck_assert(!mkdir(name, 0700) || errno == EEXIST);
		*at = '/';
	}
	file = fopen(name, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

START_TEST(groups_of_version_2)
{
	put("/proc/self/cgroup", "0::/user/session/vm\n");
	put("/proc/self/mountinfo",
		"21 20 0:20 / /proc rw - proc proc rw\n"
		"30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
	put("/sys/fs/cgroup/user/session/vm/memory.max", "max\n");
	put("/sys/fs/cgroup/user/memory.max", "67108864\n");
	ck_assert_uint_eq(memory_limit(root), 64 << 20);
	put("/sys/fs/cgroup/user/session/vm/memory.max", "33554432\n");
	ck_assert_uint_eq(memory_limit(root), 32 << 20);
	/* in a namespace of groups, the process's own is the top */
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "16777216");
	ck_assert_uint_eq(memory_limit(root), 16 << 20);
	put("/proc/self/cgroup", "0::/../other\n");
	ck_assert_uint_eq(memory_limit(root), 16 << 20);
}
END_TEST

START_TEST(groups_of_version_1)
{
	put("/proc/self/cgroup",
		"5:cpu,cpuacct:/wrong\n4:hugetlb,memory:/docker/123/vm\n1:name=systemd:/wrong\n0::/"
		"wrong\n");
	put("/proc/self/mountinfo",
		"31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		"32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory,hugetlb\n");
	put("/sys/fs/cgroup/cpu/wrong/memory.limit_in_bytes", "4096\n");
	put("/sys/fs/cgroup/memory/docker/123/vm/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "67108864\n");
	ck_assert_uint_eq(memory_limit(root), 64 << 20);
	/* a container sees its part of the tree only */
	put("/proc/self/mountinfo",
		"32 30 0:28 /docker/123 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	put("/sys/fs/cgroup/memory/vm/memory.limit_in_bytes", "33554432\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "50331648\n");
	ck_assert_uint_eq(memory_limit(root), 32 << 20);
	put("/proc/self/cgroup", "4:memory:/elsewhere\n");
	ck_assert_uint_eq(memory_limit(root), 48 << 20);
}
END_TEST

START_TEST(no_groups)
{
	uint64_t machine = memory_limit("/nonexistent");
	const uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	ck_assert_uint_eq(machine, bytes);
	put("/proc/self/cgroup", "nonsense\n::\n0::");
	put("/proc/self/mountinfo",
		"1 2 - cgroup2\n - cgroup - cgroup\n\n32 30 0:28 / /x - cgroup2");
	ck_assert_uint_eq(memory_limit(root), machine);
}
END_TEST

/* The address space of a sanitizer is larger than any such limit. */
START_TEST(the_default_follows)
{
	struct rlimit space = {.rlim_cur = 1 << 30, .rlim_max = RLIM_INFINITY};
	const uint64_t usual = memory_limit("") / 8 < BUDGET_BYTES_DEFAULT ? memory_limit("") / 8
									   : BUDGET_BYTES_DEFAULT;
	const struct vmtap_options chosen = {
		.size = sizeof(chosen), .memory_bytes = UINT64_C(700) << 20};
	struct vmtap_options large = {.size = sizeof(large), .queue_bytes = 64 << 20};

	ck_assert_int_eq(vmtap_start(NULL), 0);
	ck_assert_uint_eq(budget_size(), usual);
	vmtap_stop();
	if (getenv("VMTAP_SANITIZED"))
		return;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &space), 0);
	ck_assert_int_eq(vmtap_start(NULL), 0);
	ck_assert_uint_eq(budget_size(), memory_limit("") / 8);
	ck_assert_uint_le(budget_size(), 128 << 20);
	vmtap_stop();
	ck_assert_int_eq(vmtap_start(&large), 0);
	ck_assert_uint_le(budget_size(), 128 << 20);
	vmtap_stop();
	ck_assert_int_eq(vmtap_start(&chosen), 0);
	ck_assert_uint_eq(budget_size(), chosen.memory_bytes);
	vmtap_stop();
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_add_test(tests, groups_of_version_2);
	tcase_add_test(tests, groups_of_version_1);
	tcase_add_test(tests, no_groups);
	tcase_add_test(tests, the_default_follows);
}
