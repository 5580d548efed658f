/*
 * test_shim_held.c: a thread of the program is stopped, by a debugger for example, while it holds a
 * lock of the library's. Threads that fire do not wait for it without a limit.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "shim/core/registry.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum {
	HANGS_S = 60, /* no alarm(): signals may be blocked */
	LOSSLESS_MS = 200,
	FLUSH_MS = 100,
	MANY = 300000 /* events: far more than ring, queue and socket hold */
};

/* Shared with the client. */
static struct shared {
	_Atomic bool subscribed, reads;
	uint64_t received, lost;
	bool ended;
	char error[256];
} * shared;

static void setup(void)
{
	fixture_setup();
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
}

static void read_lossless(void)
{
	struct reader reader;

	if (reader_open(&reader, fixture_path) && reader_until_header(&reader)) {
		reader_subscribe_all(&reader, WIRE_LOSSLESS, 1);
		atomic_store(&shared->subscribed, reader_until_acknowledged(&reader, 1));
		while (!atomic_load(&shared->reads))
			sched_yield();
		reader_until_end(&reader);
	}
	shared->received = reader_received(&reader);
	shared->lost = reader_lost(&reader);
	shared->ended = reader.ended;
	memcpy(shared->error, reader.error, sizeof(shared->error));
}

static pid_t start(bool has_thread, bool reads)
{
	const struct vmtap_options options = {.size = sizeof(options),
		.queue_bytes = 1,
		.ring_bytes = 1,
		.lossless_ms = LOSSLESS_MS,
		.flush_ms = FLUSH_MS,
		.without_thread = !has_thread};
	pid_t client;

	ck_assert_int_eq(vmtap_start(&options), 0);
	atomic_store(&shared->reads, reads);
	client = fork();
	ck_assert_int_ge(client, 0);
	if (client == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		read_lossless();
		_exit(0);
	}
	while (!atomic_load(&shared->subscribed)) {
		if (!has_thread)
			ck_assert_int_eq(vmtap_turn(), 0);
		sched_yield();
	}
	return client;
}

static void end(pid_t client, uint64_t fired)
{
	int status;

	atomic_store(&shared->reads, true);
	ck_assert_int_eq(vmtap_stop(), 0);
	ck_assert_int_eq(waitpid(client, &status, 0), client);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(!*shared->error, "%s", shared->error);
	ck_assert(shared->ended);
	ck_assert_uint_eq(shared->received + shared->lost, fired);
}

static atomic_bool holds, goes_on;

static void *hold(void *argument)
{
	registry_lock();
	atomic_store(&holds, true);
	while (!atomic_load(&goes_on))
		usleep(1000);
	registry_unlock();
	return argument;
}

/*
 * The holder goes on only after all events have been fired. The client reads all that comes, or
 * nothing until then; the library has a thread, or has none.
 */
START_TEST(producers_do_not_wait_for_the_holder)
{
	bool reads = _i & 1, has_thread = _i & 2;
	pthread_t holder;
	pid_t client = start(has_thread, reads);

	ck_assert_int_eq(pthread_create(&holder, NULL, hold, NULL), 0);
	while (!atomic_load(&holds))
		sched_yield();
	for (unsigned i = 0; i < MANY; i++)
		VMTAP_GC_IDLE(1);
	atomic_store(&goes_on, true);
	pthread_join(holder, NULL);
	for (unsigned i = 0; i < 10; i++)
		VMTAP_GC_WORK(1);
	end(client, MANY + 10);
	if (reads && !has_thread) /* threads that fire need the lock for nothing else */
		ck_assert_uint_eq(shared->lost, 0);
	if (!reads)
		ck_assert_uint_gt(shared->lost, 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_set_timeout(tests, HANGS_S);
	tcase_add_checked_fixture(tests, setup, fixture_teardown);
	tcase_add_loop_test(tests, producers_do_not_wait_for_the_holder, 0, 4);
}
