/*
 * test_shim_sampler.c: samples that clients ask for: by time, at the VM's safepoints or by a call
 * of the VM, and by bytes allocated, under the guards of the allocation probes; dumps of all
 * threads; and counts of the heap that come as events.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

static uint64_t samples, weights;

static void take(struct reader *reader, const struct reader_event *event)
{
	if (strcmp(reader->probes[event->probe].name, "sample") == 0) {
		samples++;
		weights += event->arguments[2].value;
	}
}

static void ask(struct reader *reader, uint8_t unit, uint64_t period)
{
	unsigned char frame[WIRE_SAMPLING_BYTES] = WIRE_SAMPLING;

	frame[5] = unit;
	for (unsigned i = 0; i < 8; i++)
		frame[6 + i] = (unsigned char)(period >> (56 - 8 * i));
	ck_assert(reader_send(reader, frame, sizeof(frame)));
}

static void subscribe(struct reader *reader, uint8_t unit, uint64_t period, const char *names)
{
	ck_reader(reader, reader_open(reader, fixture_path) && reader_until_header(reader));
	reader->on_event = take;
	ask(reader, unit, period);
	reader_subscribe_names(reader, 0, 1, names, 0);
	ck_reader(reader, reader_until_acknowledged(reader, 1));
}

static bool poll_once(void)
{
	uint64_t weight;

	if (!vmtap_sample_wanted())
		return false;
	weight = vmtap_sample_take();
	VMTAP_SAMPLE(0, 7, weight);
	return true;
}

static uint64_t cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The weights add up to the thread's CPU time, whatever its samples' rate. */
START_TEST(by_time)
{
	uint64_t begun, ended, fired = 0;
	struct reader reader;

	fixture_start();
	ck_assert_int_eq(vmtap_sample_wanted(), 0);
	ck_assert_int_eq(vmtap_sample_unit(), VMTAP_SAMPLE_OWN);
	subscribe(&reader, WIRE_SAMPLING_TIME, 2000000, "vm:::sample");
	while (vmtap_sample_unit() != VMTAP_SAMPLE_TIME)
		sched_yield();
	begun = cpu_time(); /* the timer is made now */
	while (fired < 21)
		fired += poll_once();
	ended = cpu_time();
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(samples, 21);
	ck_assert_uint_ge(weights, ended - begun - 2 * 2000000);
	ck_assert_uint_le(weights, ended - begun + 3 * 2000000);
	/* no more samples are wanted once the client is gone */
	ck_reader(&reader, reader_finish(&reader));
	while (vmtap_sample_unit() != VMTAP_SAMPLE_OWN)
		sched_yield();
	ck_assert_int_eq(vmtap_sample_wanted(), 0);
	reader_close(&reader);
}
END_TEST

static _Atomic unsigned calls;

static void want(void *context)
{
	atomic_fetch_add((_Atomic unsigned *)context, 1);
}

/* A VM that does not poll is called; a client that wants no more stops it. */
START_TEST(by_a_call)
{
	const struct vmtap_sample_options options = {
		.size = sizeof(options), .wanted = want, .context = &calls};
	struct reader reader;

	ck_assert_int_eq(vmtap_sample_register(&options), 0);
	fixture_start();
	subscribe(&reader, WIRE_SAMPLING_TIME, 1, "vm:::sample"); /* at most one in a millisecond */
	/* the first call brings the thread to a safepoint, where it gets its timer */
	for (unsigned seen = 0; atomic_load(&calls) < 5;)
		if (seen != atomic_load(&calls)) {
			seen = atomic_load(&calls);
			poll_once();
		}
	while (!vmtap_sample_wanted())
		;
	ask(&reader, WIRE_SAMPLING_TIME, 0);
	while (vmtap_sample_unit() != VMTAP_SAMPLE_OWN)
		sched_yield();
	ck_assert_int_eq(vmtap_sample_wanted(), 0);
	ck_assert_int_eq(vmtap_sample_register(NULL), 0);
	ck_reader(&reader, reader_finish(&reader));
	reader_close(&reader);
}
END_TEST

static void *sample_often(void *argument)
{
	for (unsigned taken = 0; taken < 10;)
		taken += poll_once();
	return argument;
}

/* Each thread samples itself, and one that sleeps does not. */
START_TEST(each_thread)
{
	struct reader reader;
	pthread_t threads[3];

	fixture_start();
	subscribe(&reader, WIRE_SAMPLING_TIME, 2000000, "vm:::sample");
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, sample_often, NULL), 0);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(samples, 30);
	reader_close(&reader);
}
END_TEST

static void allocate(uint64_t bytes)
{
	uint64_t weight;

	if (!VMTAP_STRING_CREATE_ENABLED())
		return;
	weight = vmtap_sample_allocated(bytes);
	if (weight)
		VMTAP_SAMPLE(0, 7, weight);
	VMTAP_STRING_CREATE(1, NULL, 1, bytes, NULL, 7, 0);
}

/* The guards of allocations are open for the count, though nobody gets their events. */
START_TEST(by_bytes)
{
	enum { ALLOCATIONS = 100000, BYTES = 48, PERIOD = 10000 };
	struct reader reader, other;

	fixture_start();
	allocate(1000000);
	subscribe(&reader, WIRE_SAMPLING_ALLOCATED, PERIOD, "vm:::sample");
	ck_assert(fixture_await_guards(5)); /* sample, and four kinds of allocations */
	ck_assert_int_eq(vmtap_sample_unit(), VMTAP_SAMPLE_BYTES);
	ck_assert_int_eq(vmtap_sample_wanted(), 0);
	for (unsigned i = 0; i < ALLOCATIONS; i++)
		allocate(BYTES);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader), samples);
	/* between half of the period and one and a half of it apart */
	ck_assert_uint_ge(samples, (uint64_t)ALLOCATIONS * BYTES / (PERIOD * 3 / 2 + BYTES) - 1);
	ck_assert_uint_le(samples, (uint64_t)ALLOCATIONS * BYTES / (PERIOD / 2) + 1);
	ck_assert_uint_ge(weights, (uint64_t)ALLOCATIONS * BYTES - PERIOD * 3 / 2 - BYTES);
	ck_assert_uint_le(weights, (uint64_t)ALLOCATIONS * BYTES);
	/* somebody who wants the events gets all of them, meanwhile and afterwards */
	ck_reader(&other, reader_open(&other, fixture_path) && reader_until_header(&other));
	reader_subscribe_names(&other, 0, 1, "vm:::string-create", 0);
	ck_reader(&other, reader_until_acknowledged(&other, 1));
	for (unsigned i = 0; i < 100; i++)
		allocate(BYTES);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert(fixture_await_guards(1));
	for (unsigned i = 0; i < 100; i++)
		allocate(BYTES);
	ck_reader(&other, reader_finish(&other));
	ck_assert_uint_eq(reader_received(&other), 200);
	reader_close(&reader);
	reader_close(&other);
}
END_TEST

/* A client of samples by bytes does not get the samples by time that another client asks for; they
 * are reported to it as lost. Samples by bytes never go to a client of samples by time. */
START_TEST(by_bytes_while_others_sample_by_time)
{
	enum { BYTES = 1000, TIMES = 20 };
	struct reader bytes, times;
	uint64_t before;
	unsigned taken = 0;

	fixture_start();
	subscribe(&bytes, WIRE_SAMPLING_ALLOCATED, BYTES, "vm:::sample");
	ck_assert(fixture_await_guards(5));
	for (unsigned i = 0; i < 50; i++)
		allocate(BYTES * 2);
	subscribe(&times, WIRE_SAMPLING_TIME, 1000000, "vm:::sample");
	times.on_event = NULL;
	while (vmtap_sample_unit() != VMTAP_SAMPLE_TIME)
		sched_yield();
	before = samples;
	while (taken < TIMES)
		taken += poll_once();
	ck_reader(&times, reader_finish(&times));
	ck_assert_uint_eq(reader_received(&times), TIMES);
	ck_assert_uint_eq(reader_lost(&times), 0);
	while (vmtap_sample_unit() != VMTAP_SAMPLE_BYTES)
		sched_yield();
	ck_reader(&bytes, reader_until_time(&bytes, reader_now()));
	ck_assert_uint_eq(reader_lost(&bytes), TIMES);
	ck_assert_uint_ge(samples, before);
	before = samples;
	for (unsigned i = 0; i < 50; i++)
		allocate(BYTES * 2);
	ck_reader(&bytes, reader_finish(&bytes));
	ck_assert_uint_eq(samples, before + 50);
	ck_assert_uint_eq(weights % (BYTES * 2), 0);
	ck_assert_uint_eq(weights, samples * BYTES * 2);
	ck_assert_uint_eq(reader_lost(&bytes), TIMES);
	reader_close(&bytes);
	reader_close(&times);
}
END_TEST

static uint64_t dumped, counted, counted_bytes;

static void take_counts(struct reader *reader, const struct reader_event *event)
{
	const char *name = reader->probes[event->probe].name;

	if (!strcmp(name, "thread-dump")) {
		ck_assert_uint_eq(event->arguments[5].value, dumped);
		ck_assert_uint_eq(event->arguments[6].value, 3);
		dumped++;
	} else if (!strcmp(name, "heap-sample")) {
		ck_assert_uint_eq(event->arguments[4].value, counted % 2);
		ck_assert_uint_eq(event->arguments[5].value, 2);
		counted++;
		counted_bytes += event->arguments[2].value;
	}
}

/* A dump is wanted once for each request, after the guards are open; one thread takes it. */
START_TEST(a_dump)
{
	const struct vmtap_sample_options options = {
		.size = sizeof(options), .wanted = want, .context = &calls};
	struct reader reader;

	ck_assert_int_eq(vmtap_sample_register(&options), 0);
	fixture_start();
	ck_assert_int_eq(vmtap_dump_wanted(), 0);
	ck_assert_int_eq(vmtap_dump_take(), 0);
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader.on_event = take_counts;
	ask(&reader, WIRE_SAMPLING_THREADS, 1); /* kept until the client has subscribed */
	reader_subscribe_names(&reader, 0, 1, "vm:::thread-dump", 0);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	while (!vmtap_dump_wanted())
		sched_yield();
	ck_assert(VMTAP_THREAD_DUMP_ENABLED());
	ck_assert_int_eq(vmtap_dump_take(), 1);
	ck_assert_int_eq(vmtap_dump_take(), 0);
	for (uint32_t i = 0; i < 3; i++)
		VMTAP_THREAD_DUMP(0, i + 1, 7, vmtap_name_intern("queue", 5), 0, i, 3);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(dumped, 3);
	while (!atomic_load(&calls))
		sched_yield();
	ask(&reader, WIRE_SAMPLING_THREADS, 0); /* asks for nothing */
	ask(&reader, WIRE_SAMPLING_THREADS, 1);
	while (!vmtap_dump_take())
		sched_yield();
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_int_eq(vmtap_dump_wanted(), 0);
	reader_close(&reader);
}
END_TEST

static uint32_t last_sample;

static void count_heap(struct vmtap_census *census, void *context)
{
	(void)context;
	vmtap_census_add_objects(census, "Point", 5, 32, 2);
	vmtap_census_add_objects(census, "String", 6, 10, 1);
	vmtap_census_add_objects(census, "Point", 5, 16, 1);
}

static void tell_count(const struct vmtap_census_label *label, void *context)
{
	(void)context;
	ck_assert_uint_eq(label->sample, last_sample + (label->index == 0));
	last_sample = label->sample;
	ck_assert_uint_eq(label->bytes, label->index ? 10 : 48);
	ck_assert_uint_eq(label->objects, label->index ? 1 : 3);
	VMTAP_HEAP_SAMPLE(label->sample, vmtap_name_intern(label->text, label->length),
		label->bytes, label->objects, label->index, label->count);
}

/* A client of the probe has the heap counted, at its period; the program may count it, too. */
START_TEST(a_count_of_the_heap)
{
	static const unsigned char period[] = "VMTH\0\0\0\0\0\0\36\204\200"; /* 2 ms */
	struct vmtap_census_options options = {.size = sizeof(options),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = count_heap,
		.polls = 1,
		.counted = tell_count};
	struct reader reader;

	ck_assert_int_eq(vmtap_census_now(), 0);
	ck_assert_int_eq(vmtap_census_register(&options), 0);
	fixture_start();
	ck_assert_int_eq(vmtap_census_now(), 1);
	ck_assert_uint_eq(last_sample, 1);
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader.on_event = take_counts;
	reader_subscribe_names(&reader, 0, 1, "vm:::heap-sample", 0);
	ck_assert(reader_send(&reader, period, sizeof(period) - 1));
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	for (unsigned taken = 0; taken < 3;)
		taken += (unsigned)vmtap_census_take();
	ck_assert_int_eq(vmtap_census_now(), 1);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(counted, 8);
	ck_assert_uint_eq(counted_bytes, (uint64_t)4 * 58);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_int_eq(vmtap_census_unregister(), 0);
	reader_close(&reader);
}
END_TEST

#if defined(__x86_64__)
/* A program that has forbidden itself to read the counter: the C library's clock reads it, too. */
START_TEST(without_the_counter)
{
	static const uint8_t units[] = {WIRE_SAMPLING_TIME, WIRE_SAMPLING_ELAPSED};
	struct reader reader;
	int ready[2], status;
	char byte;

#ifdef __SANITIZE_ADDRESS__
	fprintf(stderr, "without_the_counter: skipped: AddressSanitizer reads it\n");
	return;
#endif
	ck_assert_int_eq(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) || vmtap_start(NULL))
			_exit(1);
		if (write(ready[1], "y", 1) != 1)
			_exit(2);
		for (unsigned taken = 0; taken < 5;)
			taken += poll_once();
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)child);
	subscribe(&reader, units[_i], 2000000, "vm:::sample");
	reader_until_end(&reader);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_reader(&reader, reader.ended);
	ck_assert_uint_ge(samples, 4); /* the first may have come before the subscription */
	reader_close(&reader);
}
END_TEST
#endif

START_TEST(wrong_calls)
{
	const struct vmtap_sample_options none = {.size = 0};

	ck_assert_int_eq(vmtap_sample_register(&none), -EINVAL);
	ck_assert_int_eq(vmtap_sample_register(NULL), 0);
	ck_assert_uint_eq(vmtap_sample_allocated(1000), 0);
	fixture_start();
}
END_TEST

/* ---- the stream's form ---- */

static void *fire_once(void *argument)
{
	VMTAP_GC_IDLE(0);
	return argument;
}

/* The server says what it samples by in the same turns in which it tells of threads that have
 * ended: these are different blocks, whose ends are at different times. */
START_TEST(told_beside_ends_of_threads)
{
	enum { CHANGES = 50, PERIOD = 10000000 };
	struct reader reader;
	pthread_t thread;

	fixture_start();
	subscribe(&reader, WIRE_SAMPLING_ELAPSED, PERIOD, "vm:::sample vm:::gc-idle");
	for (unsigned i = 0; i < CHANGES; i++) {
		uint8_t unit = i % 2 ? WIRE_SAMPLING_ELAPSED : WIRE_SAMPLING_TIME;

		ck_assert_int_eq(pthread_create(&thread, NULL, fire_once, NULL), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		ask(&reader, WIRE_SAMPLING_TIME, i % 2 ? 0 : PERIOD);
		while (reader.sampled_unit != unit && reader_step(&reader, READER_WAIT_MS))
			;
		ck_assert_msg(reader.sampled_unit == unit, "%u: %s", i, reader.error);
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), CHANGES);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, by_time);
	tcase_add_test(tests, by_a_call);
	tcase_add_test(tests, each_thread);
	tcase_add_test(tests, by_bytes);
	tcase_add_test(tests, by_bytes_while_others_sample_by_time);
	tcase_add_test(tests, a_dump);
	tcase_add_test(tests, a_count_of_the_heap);
#if defined(__x86_64__)
	tcase_add_loop_test(tests, without_the_counter, 0, 2);
#endif
	tcase_add_test(tests, told_beside_ends_of_threads);
	tcase_add_test(tests, wrong_calls);
}
