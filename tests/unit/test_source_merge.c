/*
 * test_source_merge.c: several sources as one: the order of events, watermarks, losses, ends.
 * The sources are fake: each yields the batches that a test gives it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "source/merge.h"
#include "unit_main.h"

enum { PARTS = 3, STEPS = 8, EVENTS = 16 };

struct made_step {
	enum source_state state;
	size_t count;
	uint64_t times[EVENTS];
	uint64_t until, losses;
};

struct made {
	struct source source;
	struct event_process processes[2];
	unsigned turns;                /* bit per event of a step: it is the second process's */
	struct made_step steps[STEPS]; /* followed by an implicit SOURCE_ENDED */
	size_t at, probes;
	int descriptor;
	bool stopped, *closed;
	bool fires;
	unsigned others; /* bit per part that was firing when this one was enabled */
	struct event events[EVENTS];
	struct event_loss loss;
};

static struct made *made[PARTS];
static bool closed[PARTS];
static struct source *merge;

static int made_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct made *self = (struct made *)source;

	(void)error;
	for (size_t i = 0; i < request->want_count; i++)
		self->probes = self->probes * 100 + request->wants[i].probe;
	for (unsigned i = 0; i < PARTS; i++)
		self->others |= (unsigned)(made[i] && made[i]->fires) << i;
	return 0;
}

static void made_fire(struct source *source, bool fires)
{
	((struct made *)source)->fires = fires;
}

static enum source_state made_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct made *self = (struct made *)source;
	const struct made_step *step = &self->steps[self->at];

	ck_assert_int_eq(timeout_ms, 0);
	if (self->at == STEPS || (step->state == SOURCE_MORE && !step->count && !step->until))
		return SOURCE_ENDED;
	self->at++;
	if (step->state != SOURCE_MORE) {
		if (step->state == SOURCE_BROKEN)
			error_set(error, 5, "part %u broke", (unsigned)source->process.pid);
		return step->state;
	}
	for (size_t i = 0; i < step->count; i++)
		self->events[i] =
			(struct event){.time = step->times[i], .process = self->turns >> i & 1};
	self->loss = (struct event_loss){.count = step->losses};
	*batch = (struct event_batch){.processes = self->processes,
		.process_count = 2,
		.events = self->events,
		.event_count = step->count,
		.losses = &self->loss,
		.loss_count = step->losses > 0,
		.until = step->until};
	return SOURCE_MORE;
}

static void made_stop(struct source *source)
{
	/* all have ceased to fire before the first one is stopped */
	for (unsigned i = 0; i < PARTS; i++)
		ck_assert(!made[i] || !made[i]->fires);
	((struct made *)source)->stopped = true;
}

static int made_descriptor(const struct source *source)
{
	return ((const struct made *)source)->descriptor;
}

static void made_close(struct source *source)
{
	struct made *self = (struct made *)source;

	*self->closed = true;
	close(self->descriptor);
	free(self);
}

static const struct source_methods methods = {.enable = made_enable,
	.fire = made_fire,
	.next = made_next,
	.stop = made_stop,
	.descriptor = made_descriptor,
	.close = made_close};

static struct merge_part make_part(unsigned i)
{
	made[i] = calloc(1, sizeof(*made[i]));
	ck_assert_ptr_nonnull(made[i]);
	made[i]->source = (struct source){
		.methods = &methods, .process = {.pid = i + 1}, .provides = 7u << i};
	made[i]->processes[0].pid = i + 1;
	made[i]->processes[1].pid = 10 * (i + 1);
	made[i]->descriptor = eventfd(0, EFD_CLOEXEC);
	ck_assert_int_ge(made[i]->descriptor, 0);
	closed[i] = false;
	made[i]->closed = &closed[i];
	return (struct merge_part){&made[i]->source, 3 + 10 * i, 13 + 10 * i};
}

static void setup(void)
{
	struct merge_part parts[PARTS];
	struct error error;

	for (unsigned i = 0; i < PARTS; i++)
		parts[i] = make_part(i);
	ck_assert_int_eq(source_merge_new(parts, PARTS, false, &merge, &error), 0);
}

static void teardown(void)
{
	source_close(merge);
	for (unsigned i = 0; i < PARTS; i++)
		ck_assert(closed[i]);
}

/* Takes all batches; "pid:time pid:time | pid:..." with "<until" after each that has one. */
static const char *take(enum source_state expected_end)
{
	static char text[1024];
	struct event_batch batch;
	enum source_state state;
	struct error error;
	size_t length = 0;

	*text = '\0';
	while ((state = source_next(merge, 0, &batch, &error)) == SOURCE_MORE) {
		for (size_t i = 0; i < batch.event_count; i++)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%u:%u ",
				(unsigned)batch.processes[batch.events[i].process].pid,
				(unsigned)batch.events[i].time);
		for (size_t i = 0; i < batch.loss_count; i++)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "lost %u ",
				(unsigned)batch.losses[i].count);
		if (batch.until)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "<%u ",
				(unsigned)batch.until);
	}
	ck_assert_int_eq(state, expected_end);
	return text;
}

START_TEST(test_order)
{
	made[0]->steps[0] = (struct made_step){SOURCE_MORE, 3, {10, 20, 30}, 30, 0};
	made[1]->steps[0] = (struct made_step){SOURCE_MORE, 3, {5, 20, 25}, 40, 0};
	made[2]->steps[0] = (struct made_step){SOURCE_MORE, 1, {21}, 100, 0};
	/* Equal times are in the order of the sources; a source that has ended delays no other. */
	ck_assert_str_eq(
		take(SOURCE_ENDED), "2:5 <9 1:10 1:20 <19 2:20 <20 3:21 <24 2:25 <29 1:30 <30 ");
}
END_TEST

/* Parts that follow several processes: an event keeps its own through the merge. */
START_TEST(test_processes)
{
	made[0]->steps[0] = (struct made_step){SOURCE_MORE, 3, {10, 20, 30}, 30, 0};
	made[0]->turns = 5;
	made[1]->steps[0] = (struct made_step){SOURCE_MORE, 2, {15, 16}, 40, 0};
	made[1]->turns = 2;
	made[2]->steps[0] = (struct made_step){SOURCE_MORE, 0, {0}, 50, 0};
	ck_assert_str_eq(take(SOURCE_ENDED), "10:10 <14 2:15 20:16 <19 1:20 10:30 <30 ");
}
END_TEST

START_TEST(test_waits_for_watermark)
{
	made[0]->steps[0] = (struct made_step){SOURCE_MORE, 2, {10, 20}, 20, 0};
	made[1]->steps[0] = (struct made_step){SOURCE_MORE, 0, {0}, 15, 0};
	made[1]->steps[1] = (struct made_step){SOURCE_IDLE, 0, {0}, 0, 0};
	made[2]->steps[0] = (struct made_step){SOURCE_MORE, 0, {0}, 50, 0};
	for (unsigned i = 1; i < STEPS; i++)
		made[2]->steps[i].state = SOURCE_IDLE;
	ck_assert_str_eq(take(SOURCE_IDLE), "1:10 <15 ");
	ck_assert_uint_ne(source_due(merge), UINT64_MAX);
	/* The second source has ended: only the third one's watermark counts. */
	ck_assert_str_eq(take(SOURCE_IDLE), "1:20 <20 <50 ");
	ck_assert_uint_eq(source_due(merge), UINT64_MAX);
}
END_TEST

START_TEST(test_silence)
{
	struct event_batch batch;
	struct error error;
	enum source_state state;

	made[0]->steps[0] = (struct made_step){SOURCE_MORE, 1, {10}, 10, 0};
	for (unsigned i = 1; i < PARTS; i++)
		for (unsigned k = 0; k < STEPS; k++)
			made[i]->steps[k].state = SOURCE_IDLE;
	state = source_next(merge, 0, &batch, &error);
	ck_assert_int_eq(state, SOURCE_IDLE);
	/* The sources are silent: the merge must not wait forever for their events. */
	while ((state = source_next(merge, 20, &batch, &error)) == SOURCE_IDLE)
		for (unsigned i = 1; i < PARTS; i++)
			made[i]->at = 0;
	ck_assert_int_eq(state, SOURCE_MORE);
	ck_assert_uint_eq(batch.event_count, 1);
}
END_TEST

/* Whoever waits for batches waits, although the bound of silent sources moves with the clock. */
START_TEST(test_silence_is_no_news)
{
	struct event_batch batch;
	struct error error;
	uint64_t first = 0, until = 0;
	unsigned reports = 0;

	for (unsigned calls = 0; calls < 10000; reports ? calls++ : 0) {
		for (unsigned i = 0; i < PARTS; i++) {
			made[i]->at = 0;
			made[i]->steps[0].state = SOURCE_IDLE;
		}
		if (source_next(merge, 0, &batch, &error) != SOURCE_MORE)
			continue;
		reports++;
		ck_assert_uint_gt(batch.until, until);
		until = batch.until;
		first = first ? first : until;
	}
	/* one in at least 10 ms */
	ck_assert_uint_le(reports, 1 + (until - first) / 10000000);
}
END_TEST

START_TEST(test_losses)
{
	made[0]->steps[0] = (struct made_step){SOURCE_MORE, 2, {10, 20}, 20, 3};
	made[1]->steps[0] = (struct made_step){SOURCE_MORE, 0, {0}, 1, 4};
	/* Each loss is reported once, whether or not the source's events may be delivered yet. */
	ck_assert_str_eq(take(SOURCE_ENDED), "lost 4 <1 1:10 1:20 lost 3 <20 ");
}
END_TEST

/* A part whose events never cease does not keep the news of a silent one back, nor the reverse. */
START_TEST(test_news_beside_a_flood)
{
	for (unsigned i = 0; i < STEPS; i++) {
		made[0]->steps[i] = (struct made_step){SOURCE_MORE, 1, {10 + i}, 10 + i, 0};
		made[1]->steps[i] = (struct made_step){SOURCE_MORE, 0, {0}, 100, i % 4 < 3};
	}
	made[2]->steps[0] = (struct made_step){SOURCE_MORE, 0, {0}, 100, 0};
	for (unsigned i = 1; i < STEPS; i++)
		made[2]->steps[i].state = SOURCE_IDLE;
	ck_assert_str_eq(take(SOURCE_ENDED),
		"lost 1 <9 1:10 <10 lost 1 <10 1:11 <11 lost 1 <11 1:12 <12 lost 1 <12 1:13 <13 "
		"lost 1 <13 1:14 <14 lost 1 <14 1:15 <15 1:16 <16 1:17 <17 ");
}
END_TEST

START_TEST(test_enable_and_ends)
{
	struct source_want wants[] = {{.probe = 0}, {.probe = 4}, {.probe = 13}, {.probe = 14},
		{.probe = 14}, {.probe = 40}};
	const struct source_request request = {.wants = wants, .want_count = 6};
	const struct error *reason;
	enum source_state state;
	struct error error;

	ck_assert_int_eq(source_enable(merge, &request, &error), 0);
	ck_assert_uint_eq(made[0]->probes, 4);
	ck_assert_uint_eq(made[1]->probes, 131414);
	ck_assert_uint_eq(made[2]->probes, 0);
	/* a probe has what its own source gives */
	ck_assert_uint_eq(source_capability(merge, 4).provides, 7);
	ck_assert_uint_eq(source_capability(merge, 14).provides, 14);
	ck_assert_uint_eq(source_capability(merge, 32).provides, 28);
	ck_assert_uint_eq(source_capability(merge, 0).provides, 0);
	made[1]->steps[0].state = SOURCE_BROKEN;
	made[2]->steps[0].state = SOURCE_IDLE;
	ck_assert_str_eq(take(SOURCE_IDLE), "");
	ck_assert(source_merge_ended(merge, 0, &state, &reason));
	ck_assert_int_eq(state, SOURCE_ENDED);
	ck_assert(source_merge_ended(merge, 1, &state, &reason));
	ck_assert_int_eq(state, SOURCE_BROKEN);
	ck_assert_str_eq(reason->text, "part 2 broke");
	ck_assert(!source_merge_ended(merge, 2, &state, &reason));
	source_stop(merge);
	ck_assert(made[2]->stopped && !made[0]->stopped);
}
END_TEST

/*
 * The kernel's parts are all enabled before the first one fires, and fire before a stream is
 * enabled, since its process may wait for that.
 */
START_TEST(test_fire)
{
	const struct source_request request = {0};
	struct error error;

	made[0]->source.kind = SOURCE_KIND_STREAM;
	made[1]->source.kind = SOURCE_KIND_KERNEL;
	made[2]->source.kind = SOURCE_KIND_KERNEL;
	ck_assert_int_eq(source_enable(merge, &request, &error), 0);
	ck_assert_uint_eq(made[1]->others, 0);
	ck_assert_uint_eq(made[2]->others, 0);
	ck_assert_uint_eq(made[0]->others, 6);
	ck_assert(made[0]->fires && made[1]->fires && made[2]->fires);
	source_stop(merge);
	ck_assert(made[0]->stopped && made[1]->stopped && made[2]->stopped);
	ck_assert(!made[0]->fires && !made[1]->fires && !made[2]->fires);
}
END_TEST

/* The kernel's parts alone fire together as well. */
START_TEST(test_fire_kernel)
{
	const struct source_request request = {0};
	struct error error;

	for (unsigned i = 0; i < PARTS; i++)
		made[i]->source.kind = SOURCE_KIND_KERNEL;
	ck_assert_int_eq(source_enable(merge, &request, &error), 0);
	for (unsigned i = 0; i < PARTS; i++)
		ck_assert(!made[i]->others && made[i]->fires);
}
END_TEST

/* A part that only accompanies others is stopped when these have ended, and no earlier. */
START_TEST(test_companion)
{
	made[1]->source.accompanies = true;
	made[0]->steps[0] = (struct made_step){SOURCE_MORE, 1, {10}, 10, 0};
	made[0]->steps[1].state = SOURCE_IDLE;
	made[1]->steps[0] = (struct made_step){SOURCE_MORE, 1, {5}, 20, 0};
	for (size_t i = 1; i < STEPS; i++)
		made[1]->steps[i].state = SOURCE_IDLE;
	ck_assert_str_eq(take(SOURCE_IDLE), "2:5 <9 1:10 <10 ");
	ck_assert(!made[1]->stopped);
	ck_assert_str_eq(take(SOURCE_IDLE), "<20 ");
	ck_assert(made[1]->stopped);
}
END_TEST

static void setup_open(void)
{
	struct error error;

	ck_assert_int_eq(source_merge_new(NULL, 0, true, &merge, &error), 0);
	for (unsigned i = 0; i < PARTS; i++)
		closed[i] = true;
}

static size_t add(unsigned i, uint64_t since)
{
	const struct merge_part part = make_part(i);
	struct error error;
	size_t number;

	ck_assert_int_eq(source_merge_add(merge, &part, since, &number, &error), 0);
	return number;
}

/* Sources that join while others run, and leave: order and watermark hold over all of them. */
START_TEST(test_join_and_leave)
{
	const struct error *reason;
	enum source_state state;

	ck_assert_str_eq(take(SOURCE_IDLE), "");
	ck_assert_uint_eq(add(0, 0), 0);
	made[0]->steps[0] = (struct made_step){SOURCE_MORE, 2, {10, 20}, 20, 0};
	made[0]->steps[1] = (struct made_step){SOURCE_IDLE, 0, {0}, 0, 0};
	made[0]->steps[2] = (struct made_step){SOURCE_MORE, 2, {30, 50}, 50, 0};
	made[0]->steps[3] = (struct made_step){SOURCE_IDLE, 0, {0}, 0, 0};
	made[0]->steps[4] = (struct made_step){SOURCE_BROKEN, 0, {0}, 0, 0};
	ck_assert_str_eq(take(SOURCE_IDLE), "1:10 1:20 <20 ");
	/* It is known to have no event before 25, and holds back those after it. */
	ck_assert_uint_eq(add(1, 25), 1);
	made[1]->steps[0] = (struct made_step){SOURCE_IDLE, 0, {0}, 0, 0};
	made[1]->steps[1] = (struct made_step){SOURCE_IDLE, 0, {0}, 0, 0};
	made[1]->steps[2] = (struct made_step){SOURCE_MORE, 1, {40}, 60, 0};
	ck_assert_uint_eq(source_merge_live(merge), 2);
	ck_assert_str_eq(take(SOURCE_IDLE), "<25 ");
	ck_assert_str_eq(take(SOURCE_IDLE), "1:30 <39 2:40 <49 1:50 <50 ");
	ck_assert_str_eq(take(SOURCE_IDLE), "");
	/* Both have ended; the merge goes on for those that join later. */
	ck_assert_uint_eq(source_merge_live(merge), 0);
	ck_assert(source_merge_ended(merge, 0, &state, &reason));
	ck_assert_int_eq(state, SOURCE_BROKEN);
	source_merge_remove(merge, 0);
	ck_assert(closed[0]);
	ck_assert(!source_merge_ended(merge, 0, &state, &reason));
	source_merge_remove(merge, 0);
	ck_assert(source_merge_ended(merge, 1, &state, &reason));
	ck_assert_int_eq(state, SOURCE_ENDED);
	ck_assert_uint_eq(add(2, 60), 2);
	made[2]->steps[0] = (struct made_step){SOURCE_MORE, 1, {70}, 70, 0};
	ck_assert_str_eq(take(SOURCE_IDLE), "3:70 <70 ");
	/* probes of any part that may join are those of a stream */
	ck_assert_uint_eq(source_capability(merge, 24).provides, 28);
	ck_assert_int_eq(source_capability(merge, 4).kind, SOURCE_KIND_STREAM);
	source_merge_settle(merge);
	ck_assert_str_eq(take(SOURCE_ENDED), "");
	/* one that has not ended stays */
	add(0, 80);
	made[0]->steps[0].state = made[0]->steps[1].state = SOURCE_IDLE;
	ck_assert_str_eq(take(SOURCE_IDLE), "<80 ");
	source_merge_remove(merge, 3);
	ck_assert(!closed[0]);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_processes);
	tcase_add_test(tests, test_waits_for_watermark);
	tcase_add_test(tests, test_silence);
	tcase_add_test(tests, test_silence_is_no_news);
	tcase_add_test(tests, test_losses);
	tcase_add_test(tests, test_news_beside_a_flood);
	tcase_add_test(tests, test_enable_and_ends);
	tcase_add_test(tests, test_fire);
	tcase_add_test(tests, test_fire_kernel);
	tcase_add_test(tests, test_companion);
	tests = unit_case("open");
	tcase_add_checked_fixture(tests, setup_open, teardown);
	tcase_add_test(tests, test_join_and_leave);
}
