/*
 * test_kernel_clause_set.c: probes share a set of clauses if these are the same ones, carried out
 * in the same way, and all comparisons with the probes' names have the same results; nothing is
 * planned for clauses of which nothing is done here; and what the clauses of a set need is in the
 * plan.
 */
#include "d_fixture.h"

#include "kernel/capture/plan.h"
#include "kernel/translate/clause_set.h"
#include "kernel/translate/reduction.h"
#include "source/request.h"
#include "unit_main.h"

enum { PLAIN, OTHER, NAMED, CLAUSES };

#define GC_START "vm1234:::gc-start "

static struct d_fixture fixture;
static struct kernel_reduction reduction;
static struct kernel_plan plan;
static bool sleeps[CLAUSES], names[CLAUSES], filters[CLAUSES], copies[CLAUSES];

static const struct d_probe reading = {.provider = (char[]){"vm1"},
	.module = (char[]){"a"},
	.function = (char[]){"read"},
	.name = (char[]){"entry"}};
static const struct d_probe opening = {.provider = (char[]){"vm2"},
	.module = (char[]){"b"},
	.function = (char[]){"open"},
	.name = (char[]){"return"}};

static void setup(void)
{
	d_fixture_open(&fixture);
	d_fixture_listing(&fixture,
		GC_START "{ @a = count(); }" GC_START "{ @b = count(); }" GC_START
			 "/probefunc == \"read\"/ { @c = count(); }");
	ck_assert_uint_eq(fixture.program->clause_count, CLAUSES);
	for (unsigned i = 0; i < CLAUSES; i++)
		sleeps[i] = names[i] = filters[i] = copies[i] = false;
	reduction = (struct kernel_reduction){.program = fixture.program,
		.sleeps = sleeps,
		.names = names,
		.filters = filters,
		.copies = copies};
}

static void teardown(void)
{
	for (size_t i = 0; i < reduction.set_count; i++)
		kernel_clauses_free(&reduction.sets[i]);
	free(reduction.sets);
	d_fixture_close(&fixture);
}

/* The number of the probe's set. */
static uint32_t plan_for(const struct source_want *wants, size_t count, const struct d_probe *probe)
{
	plan = (struct kernel_plan){0};
	ck_assert_int_eq(kernel_clauses_plan(&reduction, wants, count, probe, &plan), 0);
	ck_assert_uint_le(plan.clauses, reduction.set_count);
	return plan.clauses;
}

static uint32_t plan_one(struct source_want want, const struct d_probe *probe)
{
	return plan_for(&want, 1, probe);
}

static uint32_t plan_two(struct source_want first, struct source_want second)
{
	return plan_for((struct source_want[]){first, second}, 2, &reading);
}

static struct source_want reduced(uint32_t clause)
{
	return (struct source_want){.clause = clause, .reduced = true};
}

static struct source_want recorded(uint32_t clause)
{
	return (struct source_want){.clause = clause};
}

/* ---- which set ---- */

START_TEST(nothing_is_done)
{
	const struct source_want want = reduced(PLAIN);

	ck_assert_uint_eq(plan_one(recorded(PLAIN), &reading), 0);
	ck_assert_uint_eq(plan_two(recorded(PLAIN), recorded(OTHER)), 0);
	filters[PLAIN] = true; /* but not the other one, which needs each record */
	ck_assert_uint_eq(plan_two(recorded(PLAIN), recorded(OTHER)), 0);
	ck_assert_uint_eq(reduction.set_count, 0);
	reduction.program = NULL; /* no script, or none that is reduced */
	ck_assert_uint_eq(plan_one(want, &reading), 0);
	plan.clauses = 7;
	ck_assert_int_eq(kernel_clauses_plan(NULL, &want, 1, &reading, &plan), 0);
	ck_assert_uint_eq(plan.clauses, 0);
}
END_TEST

/* Each of these is reason enough for a set. */
START_TEST(something_is_done)
{
	struct source_want followed = recorded(NAMED);

	followed.followed = true;
	ck_assert_uint_eq(plan_one(reduced(PLAIN), &reading), 1);
	ck_assert_uint_eq(plan_one(followed, &reading), 2);
	filters[OTHER] = true;
	ck_assert_uint_eq(plan_one(recorded(OTHER), &reading), 3);
	ck_assert(!reduction.sets[1].filters);
	ck_assert(reduction.sets[2].filters);
}
END_TEST

START_TEST(equal_clauses_share)
{
	ck_assert_uint_eq(plan_one(reduced(PLAIN), &reading), 1);
	ck_assert_uint_eq(plan_one(reduced(OTHER), &reading), 2);
	ck_assert_uint_eq(plan_two(reduced(PLAIN), reduced(OTHER)), 3);
	ck_assert_uint_eq(plan_two(reduced(PLAIN), recorded(OTHER)), 4);
	ck_assert_uint_eq(plan_two(recorded(PLAIN), reduced(OTHER)), 5);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(plan_one(reduced(PLAIN), i ? &opening : &reading), 1);
		ck_assert_uint_eq(plan_one(reduced(OTHER), i ? &opening : &reading), 2);
		ck_assert_uint_eq(plan_two(reduced(PLAIN), reduced(OTHER)), 3);
		ck_assert_uint_eq(plan_two(reduced(PLAIN), recorded(OTHER)), 4);
		ck_assert_uint_eq(plan_two(recorded(PLAIN), reduced(OTHER)), 5);
	}
	ck_assert_uint_eq(reduction.set_count, 5);
	ck_assert_uint_eq(reduction.sets[3].count, 2);
	ck_assert_uint_eq(reduction.sets[3].clauses[0], PLAIN);
	ck_assert_uint_eq(reduction.sets[3].clauses[1], OTHER);
	ck_assert(reduction.sets[3].reduced[0]);
	ck_assert(!reduction.sets[3].reduced[1]);
}
END_TEST

/* Neither the first clauses of a set nor more than its clauses are the set. */
START_TEST(other_counts)
{
	ck_assert_uint_eq(plan_two(reduced(PLAIN), reduced(OTHER)), 1);
	ck_assert_uint_eq(plan_one(reduced(PLAIN), &reading), 2);
	ck_assert_uint_eq(plan_two(reduced(PLAIN), reduced(OTHER)), 1);
}
END_TEST

/* The result of a comparison with a name is a constant of the program. */
START_TEST(other_names)
{
	struct d_probe other = opening;

	ck_assert_uint_eq(plan_one(reduced(NAMED), &reading), 1);
	ck_assert_uint_eq(plan_one(reduced(NAMED), &opening), 2);
	other.function = reading.function;
	ck_assert_uint_eq(plan_one(reduced(NAMED), &other), 1);
	other.function = (char[]){"close"};
	ck_assert_uint_eq(plan_one(reduced(NAMED), &other), 2);
	ck_assert_str_eq(reduction.sets[0].names.names[2], "read");
	ck_assert_str_eq(reduction.sets[1].names.names[2], "open");
}
END_TEST

/* ---- what is in the plan ---- */

/* Of clauses that are carried out, and of those whose predicates are evaluated. */
START_TEST(names_and_sleep)
{
	names[PLAIN] = sleeps[OTHER] = true;
	plan_one(reduced(PLAIN), &reading);
	ck_assert(plan.names_site);
	ck_assert(!plan.clauses_sleep);
	plan_one(reduced(OTHER), &reading);
	ck_assert(!plan.names_site);
	ck_assert(plan.clauses_sleep);
	plan_two(recorded(PLAIN), reduced(OTHER));
	ck_assert(!plan.names_site);
	ck_assert(plan.clauses_sleep);
	plan_two(reduced(PLAIN), recorded(OTHER)); /* it is not looked at */
	ck_assert(plan.names_site);
	ck_assert(!plan.clauses_sleep);
	plan_two(reduced(PLAIN), reduced(NAMED));
	ck_assert(plan.names_site);
	ck_assert(!plan.clauses_sleep);
	filters[OTHER] = true;
	plan_two(reduced(NAMED), recorded(OTHER));
	ck_assert(!plan.names_site);
	ck_assert(plan.clauses_sleep);
}
END_TEST

/* What writes to the process comes after the record of a clause that comes before it. */
START_TEST(order_of_writing)
{
	copies[OTHER] = true;
	plan_two(recorded(PLAIN), reduced(OTHER));
	ck_assert(plan.ships_first);
	plan_two(recorded(PLAIN), reduced(OTHER)); /* the set is there already */
	ck_assert(plan.ships_first);
	plan_two(reduced(OTHER), recorded(PLAIN));
	ck_assert(!plan.ships_first);
	plan_two(reduced(PLAIN), reduced(OTHER));
	ck_assert(!plan.ships_first);
	plan_two(recorded(PLAIN), reduced(NAMED)); /* it does not write */
	ck_assert(!plan.ships_first);
	plan_one(reduced(OTHER), &reading);
	ck_assert(!plan.ships_first);
	filters[PLAIN] = filters[OTHER] = true;
	ck_assert_uint_gt(plan_two(recorded(PLAIN), recorded(OTHER)), 0);
	ck_assert(!plan.ships_first);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, nothing_is_done);
	tcase_add_test(tests, something_is_done);
	tcase_add_test(tests, equal_clauses_share);
	tcase_add_test(tests, other_counts);
	tcase_add_test(tests, other_names);
	tcase_add_test(tests, names_and_sleep);
	tcase_add_test(tests, order_of_writing);
}
