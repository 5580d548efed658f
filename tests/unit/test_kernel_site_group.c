/*
 * test_kernel_site_group.c: a group of sites takes over its target and frees it; its sites have
 * numbers of their own among those of all groups; what its programs have lost is told by site, each
 * time what is new, and once that events were lost for an argument that could not be read. Nothing
 * is attached: the counters are the test's.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/process/site_group.h"
#include "unit_main.h"

enum { SITES = 3, FIRST = 20, COUNTER_BYTES = 4096 };

static struct kernel_group *group;
static struct kernel_losses losses;
static struct kernel_site sites[SITES] = {{.probe = 70}, {.probe = 71}, {.probe = 72}};

/* A group as if it had been attached. */
static void setup(void)
{
	struct kernel_target target = {0};
	struct kernel_attachment *attachment;
	struct error error;

	ck_assert_int_eq(kernel_target_open(&target, (uint32_t)getpid(), &error), 0);
	ck_assert_int_eq(kernel_group_new(&target, 5, &group), 0);
	ck_assert_uint_eq(target.pid, 0); /* it is the group's now */
	ck_assert_ptr_null(target.process);
	attachment = &group->attachment;
	attachment->sites = calloc(SITES, sizeof(*attachment->sites));
	ck_assert_ptr_nonnull(attachment->sites);
	for (unsigned i = 0; i < SITES; i++)
		attachment->sites[i].site = &sites[i];
	attachment->site_count = SITES;
	attachment->maps.first_site = FIRST;
	group->counter_bytes = COUNTER_BYTES;
	group->counters = mmap(
		NULL, COUNTER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(group->counters, MAP_FAILED);
	group->counted = calloc(SITES, sizeof(*group->counted));
	ck_assert_ptr_nonnull(group->counted);
	group->is_attached = true;
	losses = (struct kernel_losses){0};
}

static void teardown(void)
{
	kernel_group_free(group);
	free(losses.items);
}

START_TEST(a_new_group)
{
	ck_assert_uint_eq(group->process, 5);
	ck_assert_uint_eq(group->target.pid, (uint32_t)getpid());
	ck_assert_ptr_nonnull(group->target.process);
}
END_TEST

START_TEST(sites_by_number)
{
	for (uint32_t i = 0; i < SITES; i++)
		ck_assert_ptr_eq(kernel_group_site(group, FIRST + i)->site, &sites[i]);
	ck_assert_ptr_null(kernel_group_site(group, FIRST - 1));
	ck_assert_ptr_null(kernel_group_site(group, FIRST + SITES));
	ck_assert_ptr_null(kernel_group_site(group, 0));
	group->is_attached = false;
	ck_assert_ptr_null(kernel_group_site(group, FIRST));
}
END_TEST

START_TEST(begin_and_end)
{
	kernel_group_open(group, true);
	ck_assert_uint_eq(group->counters[KERNEL_COUNTER_OPEN], 1);
	ck_assert_uint_eq(group->counters[KERNEL_COUNTER_OPEN_GUARDED], 1);
	ck_assert_uint_eq(group->counters[KERNEL_COUNTER_UNREADABLE], 0);
	ck_assert_uint_eq(group->counters[KERNEL_COUNTER_HITS], 0);
	kernel_group_open(group, false);
	ck_assert_uint_eq(group->counters[KERNEL_COUNTER_OPEN], 0);
	ck_assert_uint_eq(group->counters[KERNEL_COUNTER_OPEN_GUARDED], 0);
}
END_TEST

static void lose(unsigned site, uint64_t count)
{
	group->counters[KERNEL_COUNTER_LOST] += count;
	group->counters[KERNEL_COUNTER_SITES + site] += count;
}

static void expect(size_t number, uint32_t probe, uint64_t count)
{
	ck_assert_uint_lt(number, losses.count);
	ck_assert_uint_eq(losses.items[number].probe, probe);
	ck_assert_uint_eq(losses.items[number].count, count);
}

START_TEST(what_is_lost)
{
	ck_assert(!kernel_group_losses(group, &losses));
	ck_assert_uint_eq(losses.count, 0);
	lose(0, 3);
	lose(2, 4);
	ck_assert(!kernel_group_losses(group, &losses));
	ck_assert_uint_eq(losses.count, 2);
	expect(0, 70, 3);
	expect(1, 72, 4);
	ck_assert(!kernel_group_losses(group, &losses)); /* nothing is new */
	ck_assert_uint_eq(losses.count, 2);
	lose(1, 1);
	lose(2, 5);
	ck_assert(!kernel_group_losses(group, &losses)); /* what another group has told stays */
	ck_assert_uint_eq(losses.count, 4);
	expect(2, 71, 1);
	expect(3, 72, 5);
}
END_TEST

START_TEST(unreadable_arguments)
{
	lose(0, 1);
	ck_assert(!kernel_group_losses(group, &losses));
	group->counters[KERNEL_COUNTER_UNREADABLE] = 1;
	lose(0, 1);
	ck_assert(kernel_group_losses(group, &losses));
	group->counters[KERNEL_COUNTER_UNREADABLE] = 2;
	lose(0, 1);
	ck_assert(!kernel_group_losses(group, &losses)); /* it has been said */
	ck_assert_uint_eq(losses.count, 3);
}
END_TEST

/* A group that is not attached has lost nothing, has no sites, and can be opened. */
START_TEST(as_if_not_attached)
{
	lose(1, 2);
	kernel_group_losses(group, &losses);
	losses.count = 0;
	kernel_group_reset(group);
	ck_assert(!kernel_group_losses(group, &losses));
	ck_assert_uint_eq(losses.count, 0);
	ck_assert_ptr_null(kernel_group_site(group, FIRST));
	kernel_group_open(group, true);
	ck_assert_ptr_null(group->counters);
	ck_assert_uint_eq(group->target.pid, (uint32_t)getpid()); /* this stays */
	kernel_group_free(NULL);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_new_group);
	tcase_add_test(tests, sites_by_number);
	tcase_add_test(tests, begin_and_end);
	tcase_add_test(tests, what_is_lost);
	tcase_add_test(tests, unreadable_arguments);
	tcase_add_test(tests, as_if_not_attached);
}
