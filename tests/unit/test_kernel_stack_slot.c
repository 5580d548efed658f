/*
 * test_kernel_stack_slot.c: slots of a generated program's stack: purposes that share bytes cannot
 * be in use at the same time, all slots lie in what a program may use, and a generator that makes a
 * mistake gets no program.
 */
#include <errno.h>
#include <stdlib.h>

#include "kernel/bpf/bpf_code.h"
#include "kernel/capture/capture_generator.h"
#include "kernel/capture/stack_slot.h"
#include "unit_main.h"

enum { LIMIT = 64 };

static enum stack_slot slot_of(int number)
{
	return (enum stack_slot)number;
}

START_TEST(each_slot_is_taken_and_given_back)
{
	struct stack_slots slots = {0};
	int place = stack_slot_take(&slots, slot_of(_i));

	ck_assert_int_lt(place, 0);
	ck_assert_int_gt(place, -LIMIT);
	ck_assert_int_eq(place % 8, 0);
	ck_assert_int_eq(stack_slot_place(&slots, slot_of(_i)), place);
	ck_assert(!stack_slots_end(&slots)); /* it is still taken */
	stack_slot_give_back(&slots, slot_of(_i));
	ck_assert(stack_slots_end(&slots));
}
END_TEST

START_TEST(a_slot_is_not_taken_twice)
{
	struct stack_slots slots = {0};

	stack_slot_take(&slots, slot_of(_i));
	stack_slot_take(&slots, slot_of(_i));
	stack_slot_give_back(&slots, slot_of(_i));
	ck_assert(!stack_slots_end(&slots));
}
END_TEST

START_TEST(only_what_is_taken_is_used)
{
	struct stack_slots slots = {0};

	stack_slot_place(&slots, slot_of(_i));
	ck_assert(!stack_slots_end(&slots));
	slots = (struct stack_slots){0};
	stack_slot_give_back(&slots, slot_of(_i));
	ck_assert(!stack_slots_end(&slots));
}
END_TEST

/* Two purposes whose bytes overlap, whichever comes first. */
static const enum stack_slot sharing[][2] = {{STACK_SLOT_STEP, STACK_SLOT_TIME},
	{STACK_SLOT_TIME, STACK_SLOT_SELF}, {STACK_SLOT_SELF, STACK_SLOT_STEP},
	{STACK_SLOT_FAULT, STACK_SLOT_FRAME}, {STACK_SLOT_DYNPTR, STACK_SLOT_FAULT},
	{STACK_SLOT_DYNPTR, STACK_SLOT_NEXT}, {STACK_SLOT_FRAME, STACK_SLOT_DYNPTR}};

START_TEST(slots_that_share_bytes_exclude_each_other)
{
	for (int first = 0; first < 2; first++) {
		struct stack_slots slots = {0};
		enum stack_slot one = sharing[_i][first], other = sharing[_i][!first];

		stack_slot_take(&slots, one);
		stack_slot_take(&slots, other);
		stack_slot_give_back(&slots, other);
		stack_slot_give_back(&slots, one);
		ck_assert(!stack_slots_end(&slots));
		slots = (struct stack_slots){0};
		stack_slot_take(&slots, one);
		stack_slot_give_back(&slots, one);
		stack_slot_take(&slots, other);
		stack_slot_give_back(&slots, other);
		ck_assert(stack_slots_end(&slots));
	}
}
END_TEST

/* What is in use together does not overlap. */
static const enum stack_slot together[][6] = {
	{STACK_SLOT_IDS, STACK_SLOT_SITE, STACK_SLOT_TIME, STACK_SLOT_VALUE, STACK_SLOT_FAULT,
		STACK_SLOT_CONTEXT},
	{STACK_SLOT_IDS, STACK_SLOT_SITE, STACK_SLOT_TIME, STACK_SLOT_VALUE, STACK_SLOT_DYNPTR,
		STACK_SLOT_CONTEXT},
	{STACK_SLOT_IDS, STACK_SLOT_SITE, STACK_SLOT_NEXT, STACK_SLOT_FRAME, STACK_SLOT_SELF,
		STACK_SLOT_VALUE},
	{STACK_SLOT_IDS, STACK_SLOT_SITE, STACK_SLOT_STEP, STACK_SLOT_VALUE, STACK_SLOT_DYNPTR,
		STACK_SLOT_CONTEXT}};

START_TEST(slots_that_are_needed_together_have_room)
{
	struct stack_slots slots = {0};

	for (unsigned i = 0; i < 6; i++)
		stack_slot_take(&slots, together[_i][i]);
	for (unsigned i = 0; i < 6; i++)
		stack_slot_give_back(&slots, together[_i][i]);
	ck_assert(stack_slots_end(&slots));
}
END_TEST

static void leave_value(struct kernel_generator *g, unsigned what)
{
	(void)what;
	stack_slot_take(&g->slots, STACK_SLOT_VALUE);
}

static void take_site(struct kernel_generator *g, unsigned what)
{
	(void)what;
	stack_slot_take(&g->slots, STACK_SLOT_SITE);
	stack_slot_give_back(&g->slots, STACK_SLOT_SITE);
}

static void do_right(struct kernel_generator *g, unsigned what)
{
	(void)what;
	stack_slot_take(&g->slots, STACK_SLOT_VALUE);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
}

static void follow_nothing(struct kernel_generator *g)
{
	(void)g;
}

static const struct {
	void (*carry_out)(struct kernel_generator *g, unsigned what);
	int result;
} generators[] = {{do_right, 0}, {leave_value, -EPROTO}, {take_site, -EPROTO}};

START_TEST(a_mistake_of_a_generator_gives_no_program)
{
	const struct kernel_clause_code clauses = {generators[_i].carry_out, follow_nothing};
	const struct kernel_maps maps = {.clause_code = &clauses};
	const struct kernel_plan plan = {.ships = true, .begin = 32, .limit = 32};
	const struct bpf_features features = {0};
	struct bpf_code code;

	bpf_code_begin(&code);
	kernel_capture_generate(&code, &plan, &maps, &features);
	ck_assert_int_eq(bpf_code_end(&code), generators[_i].result);
	bpf_code_free(&code);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_loop_test(tests, each_slot_is_taken_and_given_back, 0, STACK_SLOTS);
	tcase_add_loop_test(tests, a_slot_is_not_taken_twice, 0, STACK_SLOTS);
	tcase_add_loop_test(tests, only_what_is_taken_is_used, 0, STACK_SLOTS);
	tcase_add_loop_test(tests, slots_that_share_bytes_exclude_each_other, 0,
		sizeof(sharing) / sizeof(*sharing));
	tcase_add_loop_test(tests, slots_that_are_needed_together_have_room, 0,
		sizeof(together) / sizeof(*together));
	tcase_add_loop_test(tests, a_mistake_of_a_generator_gives_no_program, 0,
		sizeof(generators) / sizeof(*generators));
}
