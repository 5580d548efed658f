/*
 * test_shim_walker.c: the guest stacks that a VM's walker adds to events: for the probes that they
 * are asked for, whole or not at all, and whatever the walker does.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "shim/fixture.h"
#include "unit_main.h"

enum { STACKED = 0x7fff }; /* all strings, and the stack */

static struct vmtap_name class_name = VMTAP_NAME("Class");
static struct vmtap_name method_name = VMTAP_NAME("method");
static struct vmtap_name file_name = VMTAP_NAME("file.vm");
static _Atomic unsigned walks;
static unsigned depth = 3;
static int last_room;

static void walk(struct vmtap_stack *stack, void *context)
{
	atomic_fetch_add(&walks, 1);
	for (unsigned i = 0; i < depth; i++)
		last_room = vmtap_stack_add(
			stack, &class_name, &method_name, &file_name, *(uint32_t *)context + i);
}

static uint32_t first_line = 10;

/* What came with the last event of each of these probes. */
static struct reader_stack idle_stack, work_stack;
static unsigned idle_stacks, work_stacks;

static void take(struct reader *reader, const struct reader_event *event)
{
	const char *name = reader->probes[event->probe].name;

	if (!event->stack)
		return;
	if (strcmp(name, "gc-idle") == 0) {
		idle_stack = *event->stack;
		idle_stacks++;
	} else if (strcmp(name, "gc-work") == 0) {
		work_stack = *event->stack;
		work_stacks++;
	}
}

static void subscribe(struct reader *reader, uint8_t flags, const char *names, uint16_t strings)
{
	ck_reader(reader, reader_open(reader, fixture_path) && reader_until_header(reader));
	reader->on_event = take;
	reader_subscribe_names(reader, flags, 1, names, strings);
	ck_reader(reader, reader_until_acknowledged(reader, 1));
}

START_TEST(frames_come_before_their_event)
{
	struct reader reader;

	ck_assert_int_eq(vmtap_stack_register(walk, &first_line), 0);
	fixture_start();
	subscribe(&reader, WIRE_STACKS | WIRE_CPU_CLOCK, "vm:::gc-idle", STACKED);
	VMTAP_GC_IDLE(0);
	VMTAP_GC_WORK(0);
	first_line = 20;
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(idle_stacks, 2);
	ck_assert_uint_eq(reader.stacks, 2);
	ck_assert_uint_eq(walks, 2);
	ck_assert_uint_eq(idle_stack.count, 3);
	ck_assert_uint_eq(idle_stack.cut, 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_str_eq(idle_stack.frames[i].class, "Class");
		ck_assert_str_eq(idle_stack.frames[i].method, "method");
		ck_assert_str_eq(idle_stack.frames[i].file, "file.vm");
		ck_assert_uint_eq(idle_stack.frames[i].line, 20 + i);
	}
	ck_assert_int_eq(last_room, 1);
	reader_close(&reader);
}
END_TEST

/* Nobody pays for what others ask for, and the numbers of other events carry no wish. */
START_TEST(only_the_probes_that_are_asked_for)
{
	struct reader wishful, other;

	vmtap_stack_register(walk, &first_line);
	fixture_start();
	subscribe(&wishful, WIRE_STACKS, "vm:::gc-idle", STACKED);
	subscribe(&other, 0, "vm:::gc-idle vm:::gc-work", STACKED);
	for (unsigned i = 0; i < 100; i++)
		VMTAP_GC_WORK(0);
	ck_assert_uint_eq(walks, 0);
	VMTAP_GC_IDLE(0);
	ck_assert_uint_eq(walks, 1);
	ck_reader(&wishful, reader_finish(&wishful));
	ck_reader(&other, reader_finish(&other));
	ck_assert_uint_eq(wishful.stacks, 1);
	ck_assert_uint_eq(reader_received(&wishful), 1);
	/* it has not asked for any */
	ck_assert_uint_eq(other.stacks, 0);
	ck_assert_uint_eq(reader_received(&other), 101);
	reader_close(&wishful);
	reader_close(&other);
}
END_TEST

START_TEST(deep_stacks_are_cut_and_counted)
{
	struct reader reader;

	vmtap_stack_register(walk, &first_line);
	fixture_start();
	subscribe(&reader, WIRE_STACKS, "vm:::gc-idle", STACKED);
	depth = VMTAP_STACK_FRAMES_MAX;
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(idle_stack.count, VMTAP_STACK_FRAMES_MAX);
	ck_assert_uint_eq(idle_stack.cut, 0);
	ck_assert_int_eq(last_room, 0);
	depth += 7;
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(idle_stack.count, VMTAP_STACK_FRAMES_MAX);
	ck_assert_uint_eq(idle_stack.cut, 7);
	depth = 100000;
	VMTAP_GC_IDLE(0);
	depth = 0;
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(idle_stacks, 4);
	ck_assert_uint_eq(idle_stack.count, 0);
	reader_close(&reader);
}
END_TEST

/* NULL, names for one event, and names for which the table has no room. */
static void walk_odd(struct vmtap_stack *stack, void *context)
{
	static struct vmtap_name many[100000];
	static char texts[100000][16];
	static unsigned next;

	(void)context;
	vmtap_stack_frame(stack, NULL, VMTAP_NAME_ONCE("once", 4), NULL, 0);
	for (unsigned i = 0; i < 100; i++, next++) {
		vmtap_name_init(&many[next], texts[next],
			(size_t)snprintf(texts[next], sizeof(texts[next]), "name%u", next));
		vmtap_stack_frame(stack, &many[next], &method_name, &file_name, 1);
	}
}

START_TEST(names_without_room)
{
	const struct vmtap_options options = {.size = sizeof(options), .name_bytes = 1};
	struct reader reader;

	vmtap_stack_register(walk_odd, NULL);
	ck_assert_int_eq(vmtap_start(&options), 0);
	subscribe(&reader, WIRE_STACKS | WIRE_LOSSLESS, "vm:::gc-idle", STACKED);
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(idle_stack.count, 101);
	ck_assert_str_eq(idle_stack.frames[0].class, "");
	ck_assert_str_eq(idle_stack.frames[0].method, "once");
	ck_assert_str_eq(idle_stack.frames[0].file, "");
	ck_assert_str_eq(idle_stack.frames[1].class, "name0");
	for (unsigned i = 1; i < 900; i++)
		VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(idle_stacks, 900);
	ck_assert_str_eq(idle_stack.frames[0].method, "once");
	ck_assert_str_eq(idle_stack.frames[100].class, "(no room for names)");
	ck_assert_str_eq(idle_stack.frames[100].method, "method");
	reader_close(&reader);
}
END_TEST

static void walk_and_fire(struct vmtap_stack *stack, void *context)
{
	walk(stack, context);
	VMTAP_GC_WORK(0);
	VMTAP_GC_IDLE(0);
	ck_assert_int_eq(vmtap_stack_register(NULL, NULL), -EDEADLK);
	walk(stack, context);
}

/* What the walker fires is recorded, with an empty stack, and disturbs nothing. */
START_TEST(a_walker_that_fires)
{
	struct reader reader;

	vmtap_stack_register(walk_and_fire, &first_line);
	fixture_start();
	subscribe(&reader, WIRE_STACKS, "vm:::gc-idle vm:::gc-work", STACKED);
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 3);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_eq(work_stacks, 1);
	ck_assert_uint_eq(work_stack.count, 0);
	ck_assert_uint_eq(idle_stacks, 2);
	ck_assert_uint_eq(idle_stack.count, 6);
	reader_close(&reader);
}
END_TEST

static void walk_interrupted(struct vmtap_stack *stack, void *context)
{
	walk(stack, context);
	raise(SIGUSR1);
	walk(stack, context);
}

static void fire_in_handler(int number)
{
	(void)number;
	VMTAP_GC_WORK(0);
}

START_TEST(a_handler_that_fires)
{
	struct reader reader;

	signal(SIGUSR1, fire_in_handler);
	vmtap_stack_register(walk_interrupted, &first_line);
	fixture_start();
	subscribe(&reader, WIRE_STACKS, "vm:::gc-idle vm:::gc-work", STACKED);
	VMTAP_GC_IDLE(0);
	vmtap_stack_register(walk, &first_line);
	raise(SIGUSR1);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(idle_stack.count, 6);
	ck_assert_uint_eq(work_stacks, 2);
	ck_assert_uint_eq(work_stack.count, 3); /* the second one interrupted nothing */
	reader_close(&reader);
}
END_TEST

/* A ring that is full has room for both or for neither, and a loss is one event. */
START_TEST(a_full_ring_takes_both_or_neither)
{
	enum { EVENTS = 200000 };
	const struct vmtap_options options = {
		.size = sizeof(options), .ring_bytes = 1, .queue_bytes = 1};
	struct reader reader;

	vmtap_stack_register(walk, &first_line);
	ck_assert_int_eq(vmtap_start(&options), 0);
	subscribe(&reader, WIRE_STACKS | WIRE_CPU_CLOCK, "vm:::gc-idle", STACKED);
	for (unsigned i = 0; i < EVENTS; i++) {
		depth = i % (VMTAP_STACK_FRAMES_MAX + 1);
		VMTAP_GC_IDLE(0);
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), EVENTS);
	ck_assert_uint_eq(reader.stacks, reader_received(&reader));
	ck_assert_uint_eq(reader.cpu_times, reader_received(&reader));
	reader_close(&reader);
}
END_TEST

static void *fire_all(void *argument)
{
	for (unsigned i = 0; i < 20000; i++)
		VMTAP_GC_IDLE(0);
	return argument;
}

/* A client that must get all gets all, however small its queue. */
START_TEST(lossless_with_stacks)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .ring_bytes = 1, .queue_bytes = 1, .lossless_ms = 600000};
	struct reader reader;
	pthread_t thread;

	vmtap_stack_register(walk, &first_line);
	ck_assert_int_eq(vmtap_start(&options), 0);
	subscribe(&reader, WIRE_STACKS | WIRE_LOSSLESS, "vm:::gc-idle", STACKED);
	depth = 100;
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_all, NULL), 0);
	while (reader_received(&reader) < 20000)
		ck_reader(&reader, reader_step(&reader, 1000));
	pthread_join(thread, NULL);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.stacks, 20000);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* A VM without a walker says so in its header, and goes on without stacks. */
START_TEST(no_walker)
{
	struct reader reader;

	ck_assert_int_eq(vmtap_stack_register(NULL, NULL), 0);
	fixture_start();
	subscribe(&reader, WIRE_STACKS, "vm:::gc-idle", STACKED);
	ck_assert(!reader.types[WIRE_STACK].declared);
	VMTAP_GC_IDLE(0);
	vmtap_stack_register(walk, &first_line); /* too late for this client */
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 2);
	ck_assert_uint_eq(reader.stacks, 0);
	reader_close(&reader);
}
END_TEST

static atomic_bool is_in_walker, may_leave;

static void walk_slowly(struct vmtap_stack *stack, void *context)
{
	walk(stack, context);
	atomic_store(&is_in_walker, true);
	while (!atomic_load(&may_leave))
		sched_yield();
	*(uint32_t *)context = 99; /* still there */
}

static void *fire_one(void *argument)
{
	VMTAP_GC_IDLE(0);
	return argument;
}

static atomic_bool is_removed;

static void *remove_walker(void *argument)
{
	ck_assert_int_eq(vmtap_stack_register(NULL, NULL), 0);
	atomic_store(&is_removed, true);
	return argument;
}

START_TEST(removing_waits_for_threads_inside)
{
	const struct timespec moment = {.tv_nsec = 50000000};
	pthread_t firing, removing;
	struct reader reader;

	vmtap_stack_register(walk_slowly, &first_line);
	fixture_start();
	subscribe(&reader, WIRE_STACKS, "vm:::gc-idle", STACKED);
	ck_assert_int_eq(pthread_create(&firing, NULL, fire_one, NULL), 0);
	while (!atomic_load(&is_in_walker))
		sched_yield();
	ck_assert_int_eq(pthread_create(&removing, NULL, remove_walker, NULL), 0);
	/* an event meanwhile is recorded without a stack */
	nanosleep(&moment, NULL);
	ck_assert(!atomic_load(&is_removed));
	ck_assert_int_eq(vmtap_stack_register(walk, NULL), -EBUSY);
	VMTAP_GC_IDLE(0);
	atomic_store(&may_leave, true);
	pthread_join(removing, NULL);
	pthread_join(firing, NULL);
	ck_assert_uint_eq(first_line, 99);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 2);
	ck_assert_uint_eq(idle_stacks, 1);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, frames_come_before_their_event);
	tcase_add_test(tests, only_the_probes_that_are_asked_for);
	tcase_add_test(tests, deep_stacks_are_cut_and_counted);
	tcase_add_test(tests, names_without_room);
	tcase_add_test(tests, a_walker_that_fires);
	tcase_add_test(tests, a_handler_that_fires);
	tcase_add_test(tests, a_full_ring_takes_both_or_neither);
	tcase_add_test(tests, lossless_with_stacks);
	tcase_add_test(tests, no_walker);
	tcase_add_test(tests, removing_waits_for_threads_inside);
}
