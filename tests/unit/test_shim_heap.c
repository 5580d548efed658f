/*
 * test_shim_heap.c: heap samples, requested by every kind of frame, taken by the library's thread
 * or by one of the VM's. Requests are kept until the VM is ready, and samples are whole and
 * counted whatever their size.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "shim/extra/census.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

#define NAMED                                                                                      \
	"\xf0\x9e\x97\x8c\0\x0f"                                                                   \
	"eventlog-socket"

static void send_text(struct reader *reader, const char *bytes, size_t length)
{
	ck_assert(reader_send(reader, bytes, length));
}
#define SEND(reader, text) send_text(reader, text, sizeof(text) - 1)

static void open_reader(struct reader *reader)
{
	ck_reader(reader, reader_open_plain(reader, fixture_path) && reader_until_header(reader));
}

/* A subscription to samples only. */
static void subscribe_samples(struct reader *reader)
{
	SEND(reader, "VMTP\0\0\0\0\0\7\0\1\0\242");
	ck_reader(reader, reader_until_acknowledged(reader, 7));
}

static atomic_uint taken, told;
static pthread_t taken_on;

static void two_classes(struct vmtap_census *census, void *context)
{
	taken_on = pthread_self();
	atomic_fetch_add((atomic_uint *)context, 1);
	vmtap_census_add(census, "Point", 5, 16);
	vmtap_census_add(census, "String", 6, 100);
	vmtap_census_add(census, "Pointer", 5, 24); /* the first five bytes */
}

static void note_wanted(void *context)
{
	(void)context;
	atomic_fetch_add(&told, 1);
}

static void use_census(int polls)
{
	struct vmtap_census_options options = {.size = sizeof(options),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = two_classes,
		.context = &taken,
		.polls = polls,
		.wanted = note_wanted,
		.period_ms = 2};

	ck_assert_int_eq(vmtap_census_register(&options), 0);
}

static uint64_t points, strings, others;

static void add_up(struct reader *reader, const char *label, uint64_t bytes)
{
	(void)reader;
	if (label)
		*(!strcmp(label, "Point")                  ? &points
				: !strcmp(label, "String") ? &strings
							   : &others) += bytes;
}

START_TEST(one_sample_by_either_frame)
{
	struct reader reader;

	use_census(0);
	fixture_start();
	open_reader(&reader);
	reader.on_band = add_up;
	SEND(&reader, "GCTL\3");
	ck_reader(&reader, reader_until_samples(&reader, 1));
	ck_assert_uint_eq(points, 40);
	ck_assert_uint_eq(strings, 100);
	ck_assert_uint_eq(others, 0);
	ck_assert_uint_eq(reader.heap.by, VMTAP_CENSUS_BY_CLASS);
	ck_assert_uint_eq(reader.heap.period, 0);
	ck_assert(!pthread_equal(taken_on, pthread_self()));
	SEND(&reader, NAMED "\5");
	ck_reader(&reader, reader_until_samples(&reader, 2));
	ck_assert_uint_eq(atomic_load(&taken), 2);
	reader_close(&reader);
}
END_TEST

START_TEST(a_period_runs_until_it_is_stopped)
{
	static const char *const starts[] = {"GCTL\1", NAMED "\3", "VMTH\0\0\0\0\0\0\36\204\200"};
	static const size_t lengths[] = {5, 22, 13};
	struct reader reader;

	use_census(0);
	fixture_start();
	for (unsigned i = 0; i < 3; i++) {
		open_reader(&reader);
		send_text(&reader, starts[i], lengths[i]);
		ck_reader(&reader, reader_until_samples(&reader, 5));
		ck_assert_uint_eq(reader.heap.period, 2000000);
		SEND(&reader, "GCTL\2");
		/* Commands are handled in order: this answer means the stop has taken effect. */
		subscribe_samples(&reader);
		uint64_t before = atomic_load(&taken), era = reader.heap.era;
		SEND(&reader, "GCTL\3");
		ck_reader(&reader, reader_until_samples(&reader, reader.heap.samples + 1));
		ck_assert_uint_eq(atomic_load(&taken), before + 1);
		ck_assert_uint_eq(reader.heap.era, era + 1);
		reader_close(&reader);
	}
}
END_TEST

START_TEST(every_client_gets_samples_unless_it_says_otherwise)
{
	struct reader asks, plain, not_heap;

	use_census(0);
	fixture_start();
	open_reader(&asks);
	open_reader(&plain);
	ck_reader(&not_heap, reader_start(&not_heap, fixture_path, 0));
	subscribe_samples(&asks);
	SEND(&plain, "GCTL\3");
	ck_reader(&plain, reader_until_samples(&plain, 1));
	ck_reader(&asks, reader_until_samples(&asks, 1));
	ck_reader(&not_heap, reader_finish(&not_heap));
	ck_assert_uint_eq(not_heap.heap.samples, 0);
	ck_assert(!not_heap.heap.begun);
	reader_close(&asks);
	reader_close(&plain);
	reader_close(&not_heap);
}
END_TEST

START_TEST(a_census_by_polling_runs_on_the_vms_thread)
{
	struct reader reader;

	use_census(1);
	fixture_start();
	open_reader(&reader);
	ck_assert_int_eq(vmtap_census_wanted(), 0);
	ck_assert_int_eq(vmtap_census_take(), 0);
	for (unsigned i = 1; i <= 3; i++) {
		SEND(&reader, "GCTL\3");
		while (!vmtap_census_wanted())
			sched_yield();
		while (atomic_load(&told) != i)
			sched_yield();
		ck_assert_uint_eq(atomic_load(&taken), i - 1);
		ck_assert_int_eq(vmtap_census_take(), 1);
		ck_assert_int_eq(vmtap_census_wanted(), 0);
		ck_assert_int_eq(vmtap_census_take(), 0);
		ck_assert(pthread_equal(taken_on, pthread_self()));
		ck_reader(&reader, reader_until_samples(&reader, i));
	}
	reader_close(&reader);
}
END_TEST

START_TEST(what_nobody_waits_for_is_not_wanted)
{
	struct reader reader;

	use_census(1);
	fixture_start();
	open_reader(&reader);
	SEND(&reader, "GCTL\1GCTL\3");
	while (!vmtap_census_wanted())
		sched_yield();
	reader_close(&reader);
	while (vmtap_census_wanted())
		sched_yield();
	/* The period ended with its last client: a later client gets no samples without asking. */
	open_reader(&reader);
	subscribe_samples(&reader);
	ck_assert_int_eq(vmtap_census_wanted(), 0);
	SEND(&reader, "GCTL\3");
	while (!vmtap_census_wanted())
		sched_yield();
	ck_assert_int_eq(vmtap_census_take(), 1);
	ck_reader(&reader, reader_until_samples(&reader, 1));
	reader_close(&reader);
}
END_TEST

/* Requests that come faster than samples can be taken share samples. */
START_TEST(a_flood_of_requests_is_answered_by_few_samples)
{
	enum { REQUESTS = 20000 };
	static char flood[REQUESTS * 5];
	struct reader reader;

	for (unsigned i = 0; i < REQUESTS; i++)
		memcpy(flood + 5 * i, "GCTL\3", 5);
	use_census(0);
	fixture_start();
	open_reader(&reader);
	send_text(&reader, flood, sizeof(flood));
	subscribe_samples(&reader); /* all of them have been read */
	ck_reader(&reader, reader_until_samples(&reader, 1));
	ck_assert_uint_le(atomic_load(&taken), REQUESTS / 100);
	reader_close(&reader);
}
END_TEST

START_TEST(commands_are_kept_until_the_vm_is_ready)
{
	struct reader reader;

	fixture_start();
	open_reader(&reader);
	SEND(&reader, "GCTL\3");
	subscribe_samples(&reader); /* the request has been taken */
	ck_assert_uint_eq(reader.heap.samples, 0);
	use_census(0);
	ck_reader(&reader, reader_until_samples(&reader, 1));
	ck_assert_uint_eq(atomic_load(&taken), 1);
	reader_close(&reader);
}
END_TEST

START_TEST(a_period_is_kept_until_the_vm_is_ready)
{
	struct reader reader;

	fixture_start();
	open_reader(&reader);
	SEND(&reader, "GCTL\1");
	subscribe_samples(&reader);
	use_census(0);
	ck_reader(&reader, reader_until_samples(&reader, 3));
	ck_assert_int_eq(vmtap_census_register(NULL), 0);
	reader_close(&reader);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
	struct vmtap_census_options options = {.size = sizeof(options), .by = VMTAP_CENSUS_BY_SITE};

	ck_assert_int_eq(vmtap_census_register(&options), -EINVAL);
	options.take = two_classes;
	options.size = 0;
	ck_assert_int_eq(vmtap_census_register(&options), -EINVAL);
	options.size = sizeof(options);
	options.by = 3;
	ck_assert_int_eq(vmtap_census_register(&options), -EINVAL);
	ck_assert_int_eq(vmtap_census_register(NULL), 0);
}
END_TEST

/* ---- sizes ---- */

enum { MANY = 300000 };
static unsigned many = MANY;

static void very_many(struct vmtap_census *census, void *context)
{
	char label[64];

	(void)context;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < many; i++) {
			int length = snprintf(
				label, sizeof(label), "a class of some name, number %u", i);
			vmtap_census_add(census, label, (size_t)length, i);
		}
}

static uint64_t bands, band_bytes;

static void count_bands(struct reader *reader, const char *label, uint64_t bytes)
{
	(void)reader;
	bands += label != NULL;
	band_bytes += bytes;
	if (label) {
		unsigned number = (unsigned)strtoul(strrchr(label, ' '), NULL, 10);
		ck_assert_uint_eq(bytes, 2 * (uint64_t)number);
	}
}

/* More labels than a queue holds, while other events are fired, which must not get in between. */
START_TEST(any_number_of_labels)
{
	struct vmtap_census_options options = {
		.size = sizeof(options), .by = VMTAP_CENSUS_BY_SITE, .take = very_many};
	struct vmtap_options small = {.size = sizeof(small), .queue_bytes = 256 << 10};
	struct reader reader;

	ck_assert_int_eq(vmtap_census_register(&options), 0);
	ck_assert_int_eq(vmtap_start(&small), 0);
	open_reader(&reader);
	reader.on_band = count_bands;
	SEND(&reader, "GCTL\3");
	ck_reader(&reader, reader_until_samples(&reader, 1));
	ck_assert_uint_eq(reader.heap.by, VMTAP_CENSUS_BY_SITE);
	ck_assert_uint_eq(bands, MANY);
	ck_assert_uint_eq(band_bytes, (uint64_t)MANY * (MANY - 1));
	reader_close(&reader);
}
END_TEST

enum { CHOSEN = 500, CHOSEN_MASK = 1023 };

/* Labels that a widely used hash without a key maps to one of as many buckets. */
static void chosen_labels(struct vmtap_census *census, void *context)
{
	unsigned *longest = context;

	for (unsigned number = 0, count = 0; count < CHOSEN; number++) {
		uint32_t hash = 2166136261u;
		char label[20];
		int length = snprintf(label, sizeof(label), "Class%u", number);
		for (int i = 0; i < length; i++)
			hash = (hash ^ (unsigned char)label[i]) * 16777619u;
		if (((hash ^ hash >> 15) & CHOSEN_MASK) != 0)
			continue;
		vmtap_census_add(census, label, (size_t)length, 1);
		count++;
	}
	for (size_t i = 0; i < census->bucket_count; i++) {
		unsigned length = 0;
		for (const struct census_band *band = census->buckets[i]; band; band = band->same)
			length++;
		*longest = length > *longest ? length : *longest;
	}
}

/* Guest programs choose the names of classes, and a census may stop the VM. */
START_TEST(chosen_labels_do_not_collide)
{
	unsigned longest = 0;
	struct vmtap_census_options options = {.size = sizeof(options),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = chosen_labels,
		.context = &longest};

	ck_assert_int_eq(vmtap_census_register(&options), 0);
	ck_assert_int_eq(vmtap_census_now(), 1);
	ck_assert_uint_ge(longest, 1);
	ck_assert_uint_lt(longest, 20);
}
END_TEST

/* A client that does not read loses whole samples and is told how many. */
START_TEST(what_a_slow_client_loses_is_counted)
{
	struct vmtap_census_options options = {
		.size = sizeof(options), .by = VMTAP_CENSUS_BY_SITE, .take = very_many};
	struct vmtap_options small = {.size = sizeof(small), .queue_bytes = 256 << 10};
	struct reader slow, other;
	uint64_t samples = 0;

	many = 10000;
	ck_assert_int_eq(vmtap_census_register(&options), 0);
	ck_assert_int_eq(vmtap_start(&small), 0);
	open_reader(&slow);
	subscribe_samples(&slow);
	open_reader(&other);
	for (; samples < 40; samples++) {
		SEND(&other, "GCTL\3");
		ck_reader(&other, reader_until_samples(&other, samples + 1));
	}
	SEND(&slow, "VMTP\0\4\0\0\0\0\0\0");
	ck_reader(&slow, reader_until_end(&slow));
	ck_assert_uint_gt(slow.heap.lost, 0);
	ck_assert_uint_eq(slow.heap.samples + slow.heap.lost, samples);
	ck_assert_uint_eq(other.heap.lost, 0);
	reader_close(&slow);
	reader_close(&other);
}
END_TEST

static void odd_labels(struct vmtap_census *census, void *context)
{
	static char large[70000];

	(void)context;
	memset(large, 'x', sizeof(large));
	vmtap_census_add(census, "", 0, 1);
	vmtap_census_add(census, "a\0b", 3, 2);
	vmtap_census_add(census, "\xff\xc3\xa9", 3, 3);
	vmtap_census_add(census, large, sizeof(large), 4);
}

static unsigned odd_seen;

static void check_odd(struct reader *reader, const char *label, uint64_t bytes)
{
	(void)reader;
	if (!label)
		return;
	ck_assert(bytes >= 1 && bytes <= 4);
	odd_seen |= 1u << bytes;
	if (bytes == 4)
		ck_assert_uint_eq(strlen(label), 4000);
	else
		ck_assert_str_eq(label, bytes == 1 ? "" : bytes == 2 ? "a?b" : "?\xc3\xa9");
}

START_TEST(labels_are_cut_and_made_valid)
{
	struct vmtap_census_options options = {
		.size = sizeof(options), .by = VMTAP_CENSUS_BY_SITE, .take = odd_labels};
	struct reader reader;

	ck_assert_int_eq(vmtap_census_register(&options), 0);
	fixture_start();
	open_reader(&reader);
	reader.on_band = check_odd;
	SEND(&reader, "GCTL\3");
	ck_reader(&reader, reader_until_samples(&reader, 1));
	ck_assert_uint_eq(odd_seen, 2 + 4 + 8 + 16);
	reader_close(&reader);
}
END_TEST

static void counted_labels(struct vmtap_census *census, void *context)
{
	(void)context;
	vmtap_census_add_objects(census, "Point", 5, 48, 3);
	vmtap_census_add(census, "String", 6, 100);
	vmtap_census_add_objects(census, "Point", 5, 16, 1);
}

/* Objects have an event of their own, which a client of GHC's events alone does not get. */
START_TEST(objects_are_counted)
{
	struct vmtap_census_options options = {
		.size = sizeof(options), .by = VMTAP_CENSUS_BY_CLASS, .take = counted_labels};
	struct reader reader;

	points = strings = others = 0;
	ck_assert_int_eq(vmtap_census_register(&options), 0);
	fixture_start();
	open_reader(&reader);
	reader.on_band = add_up;
	subscribe_samples(&reader);
	SEND(&reader, "GCTL\3");
	ck_reader(&reader, reader_until_samples(&reader, 1));
	ck_assert_uint_eq(points, 64);
	ck_assert_uint_eq(strings, 100);
	ck_assert_uint_eq(others, 0);
	ck_assert_uint_eq(reader.heap.objects, 4);
	reader_close(&reader);
	open_reader(&reader);
	SEND(&reader, "VMTP\0\20\0\0\0\7\0\1\0\242");
	SEND(&reader, "GCTL\3");
	ck_reader(&reader, reader_until_samples(&reader, 1));
	ck_assert_uint_eq(reader.heap.objects, 0);
	reader_close(&reader);
}
END_TEST

/* ---- stopping and fork ---- */

START_TEST(the_registration_outlives_a_stop)
{
	struct reader reader;

	use_census(0);
	for (unsigned i = 0; i < 3; i++) {
		fixture_start();
		open_reader(&reader);
		SEND(&reader, "GCTL\1");
		ck_reader(&reader, reader_until_samples(&reader, 2));
		vmtap_stop();
		ck_reader(&reader, reader_until_end(&reader));
		reader_close(&reader);
	}
}
END_TEST

/* A request to the parent does not apply to its child, which may serve its own stream. */
START_TEST(a_forked_child_is_asked_anew)
{
	struct reader reader;
	int status;
	pid_t child;

	use_census(1);
	fixture_start();
	open_reader(&reader);
	SEND(&reader, "GCTL\3");
	while (!vmtap_census_wanted())
		sched_yield();
	child = fork();
	if (child == 0) {
		if (vmtap_census_wanted() || vmtap_census_take())
			_exit(1);
		fixture_set_path();
		fixture_start();
		reader_close(&reader);
		open_reader(&reader);
		SEND(&reader, "GCTL\3");
		while (!vmtap_census_take())
			sched_yield();
		if (!reader_until_samples(&reader, 1) || reader.heap.era != 1)
			_exit(2);
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(vmtap_census_take(), 1);
	ck_reader(&reader, reader_until_samples(&reader, 1));
	reader_close(&reader);
}
END_TEST

static void *poll_census(void *stop)
{
	while (!atomic_load((atomic_bool *)stop))
		if (!vmtap_census_take())
			sched_yield();
	return NULL;
}

/* Threads race to take samples, while clients ask for them and the stream ends: each requested
 * sample is taken once. */
START_TEST(several_threads_poll)
{
	static atomic_bool stop;
	pthread_t threads[3];
	struct reader reader;

	use_census(1);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, poll_census, &stop), 0);
	for (unsigned i = 0; i < 20; i++) {
		fixture_start();
		open_reader(&reader);
		SEND(&reader, "VMTH\0\0\0\0\0\0\0\0\1");
		ck_reader(&reader, reader_until_samples(&reader, 3));
		vmtap_stop();
		ck_reader(&reader, reader_until_end(&reader));
		reader_close(&reader);
	}
	atomic_store(&stop, true);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

static atomic_int stopped, removed;
static atomic_bool in_census, may_leave;

static void stop_inside(struct vmtap_census *census, void *context)
{
	(void)census;
	(void)context;
	atomic_store(&stopped, vmtap_stop());
	atomic_store(&removed, vmtap_census_unregister());
}

/* Stopping inside a census, on the library's thread or the VM's, is an error and does nothing. */
START_TEST(a_census_cannot_stop_the_stream)
{
	struct vmtap_census_options options = {
		.size = sizeof(options), .by = VMTAP_CENSUS_BY_SITE, .take = stop_inside};
	struct reader reader;

	for (options.polls = 0; options.polls < 2; options.polls++) {
		atomic_store(&stopped, 0);
		atomic_store(&removed, 0);
		ck_assert_int_eq(vmtap_census_register(&options), 0);
		fixture_start();
		open_reader(&reader);
		SEND(&reader, "VMTH\0\0\0\0\0\0\0\0\1");
		while (options.polls && !vmtap_census_take())
			ck_reader(&reader, reader_step(&reader, 1));
		ck_reader(&reader, reader_until_samples(&reader, 1));
		ck_assert_int_eq(atomic_load(&stopped), -EDEADLK);
		ck_assert_int_eq(atomic_load(&removed), -EDEADLK);
		ck_assert_int_eq(vmtap_stop(), 0);
		ck_reader(&reader, reader_until_end(&reader));
		reader_close(&reader);
	}
}
END_TEST

static void take_long(struct vmtap_census *census, void *context)
{
	(void)census;
	atomic_store(&in_census, true);
	while (!atomic_load(&may_leave))
		sched_yield();
	*(bool *)context = true; /* must still be there */
}

static void *unregister(void *ended)
{
	ck_assert_int_eq(vmtap_census_unregister(), 0);
	atomic_store((atomic_bool *)ended, true);
	return NULL;
}

/* vmtap_census_unregister() waits for a census that is running; afterwards none is called. */
START_TEST(a_census_is_removed_when_it_has_ended)
{
	static bool context;
	static atomic_bool ended;
	struct vmtap_census_options options = {.size = sizeof(options),
		.by = VMTAP_CENSUS_BY_SITE,
		.take = take_long,
		.context = &context};
	struct reader reader;
	pthread_t thread;

	ck_assert_int_eq(vmtap_census_register(&options), 0);
	fixture_start();
	open_reader(&reader);
	SEND(&reader, "VMTH\0\0\0\0\0\0\0\0\1");
	while (!atomic_load(&in_census))
		sched_yield();
	ck_assert_int_eq(pthread_create(&thread, NULL, unregister, &ended), 0);
	for (unsigned i = 0; i < 1000; i++)
		sched_yield();
	ck_assert(!atomic_load(&ended));
	atomic_store(&may_leave, true);
	pthread_join(thread, NULL);
	ck_assert(atomic_load(&ended) && context);
	ck_assert_int_eq(vmtap_census_unregister(), 0); /* there is none */
	ck_assert_int_eq(vmtap_stop(), 0);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_add_test(tests, one_sample_by_either_frame);
	tcase_add_test(tests, a_period_runs_until_it_is_stopped);
	tcase_add_test(tests, every_client_gets_samples_unless_it_says_otherwise);
	tcase_add_test(tests, a_census_by_polling_runs_on_the_vms_thread);
	tcase_add_test(tests, what_nobody_waits_for_is_not_wanted);
	tcase_add_test(tests, a_flood_of_requests_is_answered_by_few_samples);
	tcase_add_test(tests, commands_are_kept_until_the_vm_is_ready);
	tcase_add_test(tests, a_period_is_kept_until_the_vm_is_ready);
	tcase_add_test(tests, wrong_options_are_refused);
	tcase_add_test(tests, any_number_of_labels);
	tcase_add_test(tests, chosen_labels_do_not_collide);
	tcase_add_test(tests, what_a_slow_client_loses_is_counted);
	tcase_add_test(tests, labels_are_cut_and_made_valid);
	tcase_add_test(tests, objects_are_counted);
	tcase_add_test(tests, the_registration_outlives_a_stop);
	tcase_add_test(tests, a_forked_child_is_asked_anew);
	tcase_add_test(tests, several_threads_poll);
	tcase_add_test(tests, a_census_cannot_stop_the_stream);
	tcase_add_test(tests, a_census_is_removed_when_it_has_ended);
}
