/*
 * test_shim_turn.c: a VM without a thread of the library's: its own loop polls vmtap_descriptor()
 * and calls vmtap_turn(). The VM is this process; its clients are children, made by fork().
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum {
	HANGS_S = 100,
	LONG_MS = 600000,
	MANY = 1000000 /* events: far more than ring, queue and socket hold */
};

/* Shared with the clients. */
static struct shared {
	_Atomic uint64_t fired; /* so far */
	uint64_t received, lost;
	bool ended;
	char error[256], message[256];
} * shared;

static int from_client = -1; /* what clients say, one byte each */
static int to_vm = -1;
static uint64_t turns; /* how often the descriptor was readable */

static void setup(void)
{
	int ends[2];

	alarm(HANGS_S);
	fixture_setup();
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	from_client = ends[0];
	to_vm = ends[1];
}

static void start(uint32_t queue_bytes, int32_t lossless_ms, uint32_t flush_ms)
{
	const struct vmtap_options options = {.size = sizeof(options),
		.queue_bytes = queue_bytes,
		.lossless_ms = lossless_ms,
		.flush_ms = flush_ms,
		.without_thread = 1};

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_int_gt(vmtap_descriptor(), STDERR_FILENO);
}

static unsigned count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	unsigned count = 0;

	ck_assert_ptr_nonnull(folder);
	for (struct dirent *entry; (entry = readdir(folder));)
		count += *entry->d_name != '.';
	closedir(folder);
	return count;
}

/* ---- clients ---- */

static void say(char word)
{
	if (write(to_vm, &word, 1) != 1)
		_exit(1);
}

static pid_t run_client(void (*function)(struct reader *reader))
{
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		struct reader reader;
		close(from_client);
		if (reader_open(&reader, fixture_path))
			function(&reader);
		shared->received = reader_received(&reader);
		shared->lost = reader_lost(&reader);
		shared->ended = reader.ended;
		memcpy(shared->error, reader.error, sizeof(shared->error));
		memcpy(shared->message, reader.message, sizeof(shared->message));
		say('e');
		_exit(0);
	}
	return child;
}

static void subscribe(struct reader *reader, uint8_t flags)
{
	if (reader_until_header(reader)) {
		reader_subscribe_all(reader, flags, 1);
		reader_until_acknowledged(reader, 1);
	}
	say('a');
}

static void read_all(struct reader *reader)
{
	subscribe(reader, 0);
	reader_until_end(reader);
}

static void read_lossless(struct reader *reader)
{
	subscribe(reader, WIRE_LOSSLESS);
	reader_until_end(reader);
}

static void read_thousand(struct reader *reader)
{
	subscribe(reader, 0);
	while (reader_received(reader) < 1000 && reader_step(reader, 1000))
		;
	say('d');
	reader_finish(reader);
}

/* Takes little at a time, long after it was sent. */
static void read_slowly(struct reader *reader)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	subscribe(reader, WIRE_LOSSLESS);
	reader->piece = 32 << 10;
	for (unsigned i = 0; i < 100; i++) {
		nanosleep(&pause, NULL);
		reader_step(reader, 1000);
	}
	reader->piece = 0;
	reader_until_end(reader);
}

/* Until the VM has fired nothing for a fifth of a second: it waits for this client. */
static void await_standstill(void)
{
	const struct timespec window = {.tv_nsec = 200000000};
	uint64_t before;

	do {
		before = atomic_load(&shared->fired);
		nanosleep(&window, NULL);
	} while (!before || atomic_load(&shared->fired) != before);
}

static void stall_and_leave(struct reader *reader)
{
	subscribe(reader, WIRE_LOSSLESS);
	await_standstill();
}

static void stall(struct reader *reader)
{
	subscribe(reader, WIRE_LOSSLESS);
	while (atomic_load(&shared->fired) != UINT64_MAX)
		sched_yield();
	reader_until_end(reader);
}

static void stay_quiet(struct reader *reader)
{
	subscribe(reader, 0);
	reader_finish(reader);
}

/* ---- the VM's loop ---- */

/* Takes turns until a client says something, and returns it. */
static char loop(void)
{
	struct pollfd polled[] = {{.fd = vmtap_descriptor(), .events = POLLIN},
		{.fd = from_client, .events = POLLIN}};
	char word;

	for (;;) {
		ck_assert(poll(polled, 2, -1) > 0 || errno == EINTR);
		if (polled[0].revents) {
			turns++;
			ck_assert_int_eq(vmtap_turn(), 0);
		}
		if (polled[1].revents) {
			ck_assert_int_eq(read(from_client, &word, 1), 1);
			return word;
		}
	}
}

/* Takes turns until so many guards are open. */
static void loop_until_guards(unsigned count)
{
	struct pollfd polled = {.fd = vmtap_descriptor(), .events = POLLIN};

	while (fixture_open_guards() != count) {
		ck_assert(poll(&polled, 1, -1) > 0 || errno == EINTR);
		ck_assert_int_eq(vmtap_turn(), 0);
	}
}

static void fire(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		VMTAP_GC_IDLE(1);
		atomic_fetch_add(&shared->fired, 1);
	}
}

static void end_client(pid_t client)
{
	int status;

	ck_assert_int_eq(waitpid(client, &status, 0), client);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(!*shared->error, "%s", shared->error);
}

START_TEST(events_arrive_without_a_thread)
{
	ck_assert_int_eq(vmtap_descriptor(), -EBADF);
	ck_assert_int_eq(vmtap_turn(), -EBADF);
	start(0, 0, 0);
	pid_t client = run_client(read_thousand);
	ck_assert_int_eq(loop(), 'a');
	ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
	for (unsigned i = 0; i < 1000; i++) {
		VMTAP_GC_IDLE(1);
		if (i % 100 == 0) {
			errno = 77;
			ck_assert_int_eq(vmtap_turn(), 0);
			ck_assert_int_eq(errno, 77);
		}
	}
	ck_assert_int_eq(loop(), 'd');
	ck_assert_int_eq(loop(), 'e');
	end_client(client);
	ck_assert_uint_eq(shared->received, 1000);
	ck_assert(shared->ended);
	loop_until_guards(0);
	ck_assert_uint_eq(count_threads(), 1);
	ck_assert_int_eq(vmtap_stop(), 0);
	ck_assert_int_eq(vmtap_descriptor(), -EBADF);
	ck_assert_int_eq(vmtap_turn(), -EBADF);
	ck_assert_int_ne(access(fixture_path, F_OK), 0);
}
END_TEST

/* The same function says that there is a thread. */
START_TEST(with_a_thread_there_is_no_descriptor)
{
	fixture_start();
	ck_assert_int_eq(vmtap_descriptor(), -EBADF);
	ck_assert_int_eq(vmtap_turn(), -EBADF);
	ck_assert_uint_eq(count_threads(), 2);
}
END_TEST

/* A producer that waits drains the rings: its thread is the one that has the loop. */
START_TEST(lossless_delivery_to_a_slow_client)
{
	enum { EVENTS = MANY };

	start(1, LONG_MS, 0);
	pid_t client = run_client(read_slowly);
	ck_assert_int_eq(loop(), 'a');
	fire(EVENTS);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, EVENTS);
	ck_assert_uint_eq(shared->lost, 0);
	ck_assert(shared->ended);
}
END_TEST

static void *fire_some(void *count)
{
	fire((unsigned)(uintptr_t)count);
	return NULL;
}

/* Several producers wait while nobody has a loop. */
START_TEST(lossless_delivery_from_several_threads)
{
	enum { EVENTS = 100000, THREADS = 4 };
	pthread_t threads[THREADS];

	start(1, LONG_MS, 0);
	pid_t client = run_client(read_slowly);
	ck_assert_int_eq(loop(), 'a');
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, fire_some, (void *)(uintptr_t)EVENTS);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, (uint64_t)THREADS * EVENTS);
	ck_assert_uint_eq(shared->lost, 0);
}
END_TEST

/* The same with a loop on another thread. */
START_TEST(lossless_delivery_beside_the_loop)
{
	enum { EVENTS = 100000, THREADS = 4 };
	pthread_t threads[THREADS];

	start(1, LONG_MS, 0);
	pid_t client = run_client(read_slowly);
	ck_assert_int_eq(loop(), 'a');
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, fire_some, (void *)(uintptr_t)EVENTS);
	struct pollfd polled = {.fd = vmtap_descriptor(), .events = POLLIN};
	while (atomic_load(&shared->fired) < (uint64_t)THREADS * EVENTS) {
		int result = poll(&polled, 1, 10) > 0 ? vmtap_turn() : 0;
		ck_assert(result == 0 || result == -EBUSY);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, (uint64_t)THREADS * EVENTS);
	ck_assert_uint_eq(shared->lost, 0);
}
END_TEST

/* Its cancellation is pending all the time, but neither an event nor a turn acts on it. */
static void *fire_cancelled(void *argument)
{
	pthread_cancel(pthread_self());
	fire(MANY);
	if (vmtap_turn())
		return argument;
	atomic_fetch_add(&shared->fired, 1);
	pthread_testcancel();
	return argument;
}

START_TEST(draining_is_no_cancellation_point)
{
	pthread_t thread;
	void *result;

	start(1, LONG_MS, 0);
	pid_t client = run_client(read_slowly);
	ck_assert_int_eq(loop(), 'a');
	pthread_create(&thread, NULL, fire_cancelled, NULL);
	pthread_join(thread, &result);
	ck_assert_ptr_eq(result, PTHREAD_CANCELED);
	ck_assert_uint_eq(atomic_load(&shared->fired), MANY + 1);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, MANY);
	ck_assert_uint_eq(shared->lost, 0);
}
END_TEST

/* The end of a client lets the VM go on, without a signal. */
START_TEST(a_client_leaves_while_the_vm_waits)
{
	start(1, LONG_MS, 0);
	pid_t client = run_client(stall_and_leave);
	ck_assert_int_eq(loop(), 'a');
	fire(MANY);
	ck_assert_int_eq(loop(), 'e');
	end_client(client);
	loop_until_guards(0);
	client = run_client(read_all);
	ck_assert_int_eq(loop(), 'a');
	fire(10);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, 10);
}
END_TEST

/* A client that takes nothing for lossless_ms loses events, and is told. */
START_TEST(the_vm_goes_on_after_a_while)
{
	enum { EVENTS = MANY };

	start(1, 200, 0);
	pid_t client = run_client(stall);
	ck_assert_int_eq(loop(), 'a');
	fire(EVENTS);
	atomic_store(&shared->fired, UINT64_MAX);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_gt(shared->lost, 0);
	ck_assert_uint_eq(shared->received + shared->lost, EVENTS);
	ck_assert_msg(strstr(shared->message, "no longer lossless") != NULL, "%s", shared->message);
}
END_TEST

/* The end waits for a lossless client as long as it takes bytes, also if no thread of the VM waits:
 * all events are in the ring. */
START_TEST(the_end_waits_for_no_client_that_takes_nothing)
{
	enum { EVENTS = 40000 }; /* less than the ring holds, more than queue and socket hold */
	const struct vmtap_options options = {.size = sizeof(options),
		.ring_bytes = 32 << 20,
		.queue_bytes = 1,
		.lossless_ms = LONG_MS,
		.flush_ms = 100,
		.without_thread = 1,
		.memory_bytes = UINT64_C(16) << 30}; /* a ring takes a small part of it */
	char text[200];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(vmtap_start(&options), 0);
	pid_t client = run_client(stall);
	ck_assert_int_eq(loop(), 'a');
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_USER_MSG(0, text);
	vmtap_stop();
	atomic_store(&shared->fired, UINT64_MAX);
	int status;
	ck_assert_int_eq(waitpid(client, &status, 0), client);
	ck_assert_uint_lt(shared->received, EVENTS);
}
END_TEST

static atomic_bool interrupted;

/* Its own event must not wait for the thread that it interrupts. */
static void note_signal(int number)
{
	(void)number;
	VMTAP_GC_WORK(1);
	atomic_store(&interrupted, true);
}

/* A signal runs its handler at once and ends the wait after flush_ms. */
START_TEST(a_signal_ends_the_wait)
{
	const struct sigaction action = {.sa_handler = note_signal};
	uint64_t count = 0;

	start(1, LONG_MS, 100);
	pid_t client = run_client(stall);
	ck_assert_int_eq(loop(), 'a');
	sigaction(SIGUSR1, &action, NULL);
	pid_t vm = getpid(), killer = fork();
	if (killer == 0) {
		await_standstill();
		kill(vm, SIGUSR1);
		_exit(0);
	}
	for (; !atomic_load(&interrupted); count++)
		fire(1);
	ck_assert_int_eq(waitpid(killer, NULL, 0), killer);
	fire(MANY);
	atomic_store(&shared->fired, UINT64_MAX);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received + shared->lost, count + MANY + 1);
}
END_TEST

static sigjmp_buf escape;

static void leave(int number)
{
	(void)number;
	siglongjmp(escape, 1);
}

/* A handler leaves an event that waits for the client. Its thread can be cancelled as before. */
START_TEST(a_handler_leaves_the_wait)
{
	const struct sigaction action = {.sa_handler = leave};
	volatile int left = 0, disabled = 0;
	int cancel;

	start(1, LONG_MS, 100);
	pid_t client = run_client(stall);
	ck_assert_int_eq(loop(), 'a');
	sigaction(SIGUSR1, &action, NULL);
	pid_t vm = getpid(), killer = fork();
	if (killer == 0) {
		await_standstill();
		for (unsigned i = 0; i < 200; i++) { /* in different moments of a wait */
			const struct timespec pause = {.tv_nsec = 1000000 + i * 10000};
			kill(vm, SIGUSR1);
			nanosleep(&pause, NULL);
		}
		kill(client, SIGKILL); /* ends the last wait */
		_exit(0);
	}
	if (sigsetjmp(escape, 1)) /* from here on, the handler may leave anything */
		left++;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	disabled += cancel != PTHREAD_CANCEL_ENABLE;
	vmtap_thread_reset();
	while (waitpid(killer, NULL, WNOHANG) == 0)
		fire(1);
	ck_assert_int_gt(left, 0);
	ck_assert_int_eq(disabled, 0);
	signal(SIGUSR1, SIG_IGN);
	ck_assert_int_eq(waitpid(client, NULL, 0), client);
	ck_assert_int_eq(vmtap_stop(), 0);
}
END_TEST

/* Signals that interrupt turns, with events of their own, whose lossless delivery would wait. */
START_TEST(signals_amid_turns)
{
	enum { EVENTS = 200000 };
	const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	const struct itimerval often = {{.tv_usec = 200}, {.tv_usec = 200}}, never = {0};

	start(1, LONG_MS, LONG_MS);
	pid_t client = run_client(read_slowly);
	ck_assert_int_eq(loop(), 'a');
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned i = 0; i < EVENTS; i++) {
		VMTAP_GC_IDLE(1);
		if (i % 64 == 0)
			ck_assert_int_eq(vmtap_turn(), 0);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	alarm(HANGS_S);
	signal(SIGALRM, SIG_DFL);
	vmtap_stop();
	int status;
	ck_assert_int_eq(waitpid(client, &status, 0), client);
	ck_assert_msg(!*shared->error, "%s", shared->error);
	ck_assert_uint_ge(shared->received, EVENTS);
}
END_TEST

/* The VM never takes a turn again: rings fill, and drops are counted. */
START_TEST(a_vm_that_forgets_its_turns)
{
	enum { EVENTS = MANY };

	start(1, 0, LONG_MS);
	pid_t client = run_client(read_all);
	ck_assert_int_eq(loop(), 'a');
	fire(EVENTS);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_gt(shared->lost, 0);
	ck_assert_uint_eq(shared->received + shared->lost, EVENTS);
	ck_assert(shared->ended);
}
END_TEST

START_TEST(stop_delivers_what_is_pending)
{
	enum { EVENTS = 20000 };

	start(0, 0, LONG_MS);
	pid_t client = run_client(read_all);
	ck_assert_int_eq(loop(), 'a');
	fire(EVENTS);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, EVENTS);
	ck_assert(shared->ended);
	/* And again, with a thread and without. */
	fixture_start();
	vmtap_stop();
	start(0, 0, 0);
}
END_TEST

START_TEST(exit_ends_the_stream_in_order)
{
	pid_t vm = fork();
	int status;

	if (vm == 0) { /* a VM of its own; its client is this process's child */
		fixture_set_path();
		start(0, 0, LONG_MS);
		pid_t client = run_client(read_all);
		if (loop() != 'a')
			_exit(2);
		fire(1000);
		(void)client;
		exit(7);
	}
	ck_assert_int_eq(waitpid(vm, &status, 0), vm);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	char word = 0;
	while (word != 'e')
		ck_assert_int_eq(read(from_client, &word, 1), 1);
	ck_assert_uint_eq(shared->received, 1000);
	ck_assert(shared->ended);
}
END_TEST

static int child_of_fork(int inherited)
{
	if (vmtap_descriptor() != -EBADF || vmtap_turn() != -EBADF || fixture_open_guards())
		return 1;
	if (fcntl(inherited, F_GETFD) != -1)
		return 2;
	VMTAP_GC_IDLE(1);
	fixture_set_path();
	start(0, 0, LONG_MS);
	pid_t client = run_client(read_all);
	if (loop() != 'a')
		return 3;
	fire(10);
	vmtap_stop();
	waitpid(client, NULL, 0);
	return shared->received == 10 && shared->ended && count_threads() == 1 ? 0 : 4;
}

START_TEST(a_child_of_fork_has_no_turns)
{
	int status;

	start(0, 0, LONG_MS);
	pid_t client = run_client(read_all);
	ck_assert_int_eq(loop(), 'a');
	int descriptor = vmtap_descriptor();
	pid_t child = fork();
	if (child == 0)
		_exit(child_of_fork(descriptor));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	/* The parent's goes on. */
	char word;
	ck_assert_int_eq(read(from_client, &word, 1), 1);
	ck_assert_int_eq(word, 'e'); /* of the child's client */
	ck_assert_int_eq(vmtap_descriptor(), descriptor);
	fire(10);
	ck_assert_int_eq(vmtap_turn(), 0);
	fire(10);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, 20);
}
END_TEST

START_TEST(children_can_be_served_too)
{
	struct vmtap_options options = {
		.size = sizeof(options), .without_thread = 1, .serve_children = 1};
	int status;

	ck_assert_int_eq(vmtap_start(&options), 0);
	pid_t child = fork();
	if (child == 0) {
		fixture_set_path();
		_exit(vmtap_descriptor() < 0 || vmtap_turn() != 0 || access(fixture_path, F_OK) ||
			count_threads() != 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(vmtap_turn(), 0);
}
END_TEST

/* How often the descriptor becomes readable in a time that a timer measures. */
static unsigned count_wakes(unsigned ms)
{
	struct itimerspec time = {
		.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct pollfd polled[] = {
		{.fd = vmtap_descriptor(), .events = POLLIN}, {.fd = timer, .events = POLLIN}};
	unsigned count = 0;

	ck_assert_int_eq(timerfd_settime(timer, 0, &time, NULL), 0);
	for (;;) {
		ck_assert_int_gt(poll(polled, 2, -1), 0);
		if (polled[1].revents)
			break;
		count++;
		ck_assert_int_eq(vmtap_turn(), 0);
	}
	close(timer);
	return count;
}

/*
 * Half a second without any. Another process may look for all VMs at the same time and disturb this
 * one, so there are some tries.
 */
static void expect_no_wakes(void)
{
	unsigned tries = 0, woken;

	do
		woken = count_wakes(500);
	while (woken && ++tries < 20);
	ck_assert_uint_eq(woken, 0);
}

START_TEST(an_idle_vm_is_not_woken)
{
	start(0, 0, 0);
	expect_no_wakes();
	pid_t client = run_client(stay_quiet);
	ck_assert_int_eq(loop(), 'a');
	ck_assert_int_eq(loop(), 'e');
	end_client(client);
	loop_until_guards(0);
	expect_no_wakes(); /* once the client's end is seen */
	client = run_client(read_all);
	ck_assert_int_eq(loop(), 'a');
	count_wakes(100);
	ck_assert_uint_le(count_wakes(1000), 60); /* it listens, but nothing is fired */
	vmtap_stop();
	end_client(client);
}
END_TEST

/* A client that takes nothing costs no turns, and does not end the others'. */
START_TEST(a_stalled_client_costs_no_turns)
{
	start(1, LONG_MS, 100);
	pid_t client = run_client(stall);
	ck_assert_int_eq(loop(), 'a');
	/* Into the queue, until the socket is full. */
	for (unsigned i = 0; i < 200; i++) {
		for (unsigned j = 0; j < 30; j++)
			VMTAP_GC_IDLE(1);
		vmtap_turn();
	}
	count_wakes(100);
	ck_assert_uint_le(count_wakes(1000), 60);
	atomic_store(&shared->fired, UINT64_MAX);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, 6000);
}
END_TEST

static atomic_bool stop;
static _Atomic uint64_t done, busy;

static void *turn_often(void *argument)
{
	while (!atomic_load(&stop)) {
		int result = vmtap_turn();
		if (result == 0)
			atomic_fetch_add(&done, 1);
		else if (result == -EBUSY)
			atomic_fetch_add(&busy, 1);
		else
			return (void *)1;
	}
	return argument;
}

START_TEST(two_threads_take_turns)
{
	enum { EVENTS = 100000 };
	pthread_t threads[2];
	void *failed;

	start(0, LONG_MS, LONG_MS);
	pid_t client = run_client(read_lossless);
	for (unsigned i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, turn_often, NULL);
	char word;
	ck_assert_int_eq(read(from_client, &word, 1), 1);
	fire(EVENTS);
	while (!atomic_load(&done) || !atomic_load(&busy))
		sched_yield();
	atomic_store(&stop, true);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(threads[i], &failed);
		ck_assert_ptr_null(failed);
	}
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, EVENTS);
	ck_assert_uint_eq(shared->lost, 0);
}
END_TEST

static unsigned calls;

/* A census must not use the library; what it must not do does no harm. */
static void take_census(struct vmtap_census *census, void *context)
{
	calls++;
	ck_assert_int_eq(vmtap_turn(), -EBUSY);
	ck_assert_int_eq(vmtap_stop(), -EDEADLK);
	vmtap_census_add(census, context, 5, 8);
}

static void read_samples(struct reader *reader)
{
	static const char samples_only[] = "VMTP\0\0\0\0\0\7\0\1\0\242";

	if (!reader_until_header(reader) ||
		!reader_send(reader, samples_only, sizeof(samples_only) - 1) ||
		!reader_until_acknowledged(reader, 7) || !reader_send(reader, "GCTL\1", 5))
		return;
	reader_until_samples(reader, 3);
	reader_finish(reader);
}

START_TEST(a_census_is_taken_in_turns)
{
	struct vmtap_census_options census = {.size = sizeof(census),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = take_census,
		.context = "Class",
		.period_ms = 1};

	vmtap_census_register(&census);
	start(0, 0, 0);
	pid_t client = run_client(read_samples);
	ck_assert_int_eq(loop(), 'e');
	end_client(client);
	ck_assert(shared->ended);
	ck_assert_uint_ge(calls, 3);
}
END_TEST

/* A program that closes all descriptors ends the stream; its loop is told. */
START_TEST(the_program_closes_the_descriptors)
{
	enum { OWN = 8 };

	start(0, 0, 0);
	pid_t client = run_client(read_all);
	ck_assert_int_eq(loop(), 'a');
	int descriptor = vmtap_descriptor();
	for (int i = 3; i < 1024; i++)
		if (i != from_client && i != to_vm)
			close(i);
	/* Some of its own have the numbers now: an eventfd as the library's, and what no epoll
	 * instance takes. */
	int own[OWN];
	for (unsigned i = 0; i < OWN; i++) {
		own[i] = i ? open("/dev/null", O_RDONLY) : eventfd(0, 0);
		ck_assert_int_ge(own[i], 0);
	}
	fire(10);
	ck_assert_int_eq(vmtap_turn(), -EBADF);
	ck_assert_int_eq(vmtap_descriptor(), -EBADF);
	ck_assert_int_eq(vmtap_turn(), -EBADF);
	ck_assert_uint_eq(fixture_open_guards(), 0);
	ck_assert_int_eq(vmtap_stop(), 0);
	for (unsigned i = 0; i < OWN; i++)
		ck_assert_int_eq(fcntl(own[i], F_GETFD), 0);
	ck_assert_int_ge(descriptor, 0);
	int status;
	ck_assert_int_eq(waitpid(client, &status, 0), client);
}
END_TEST

/* ---- a program that closes the library's descriptors, and uses their numbers itself ---- */

enum { DESCRIPTORS = 256 };

static bool opened[DESCRIPTORS]; /* before the library was started */

static void note_opened(void)
{
	for (int i = 0; i < DESCRIPTORS; i++)
		opened[i] = fcntl(i, F_GETFD) >= 0;
}

/* Whether the number belongs to the library and its file has a name that begins like this. */
static bool is_library_file(int descriptor, const char *name)
{
	char link[64], target[256] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	return !opened[descriptor] && readlink(link, target, sizeof(target) - 1) > 0 &&
		!strncmp(target, name, strlen(name));
}

/* Puts one of the program's own files in the place of each of the library's. */
static void replace(const char *name, int own)
{
	unsigned count = 0;

	for (int i = 0; i < DESCRIPTORS; i++)
		if (i != own && is_library_file(i, name)) {
			ck_assert_int_eq(dup2(own, i), i);
			count++;
		}
	ck_assert_uint_gt(count, 0);
}

/* Starts and accepts a client. Nothing that the library writes later can come from ends[1]. */
static pid_t start_replaced(void (*function)(struct reader *reader), int ends[2])
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	note_opened();
	start(1, LONG_MS, 100);
	pid_t client = run_client(function);
	ck_assert_int_eq(loop(), 'a');
	return client;
}

static void expect_nothing_written(int end)
{
	char byte;

	ck_assert_int_eq(recv(end, &byte, 1, MSG_DONTWAIT), -1);
	ck_assert_int_eq(errno, EAGAIN);
}

/* An event that drains the rings. */
START_TEST(draining_leaves_the_programs_files_alone)
{
	int ends[2];
	pid_t client = start_replaced(read_lossless, ends);

	replace("socket:", ends[0]);
	fire(MANY);
	expect_nothing_written(ends[1]);
	ck_assert_int_eq(vmtap_turn(), -EBADF);
	ck_assert_uint_eq(fixture_open_guards(), 0);
	vmtap_stop();
	expect_nothing_written(ends[1]);
	ck_assert_int_eq(waitpid(client, NULL, 0), client);
}
END_TEST

START_TEST(stop_leaves_the_programs_files_alone)
{
	const struct itimerspec long_time = {.it_value = {.tv_sec = 1000}};
	struct itimerspec left;
	int ends[2], timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	pid_t client = start_replaced(read_all, ends);

	ck_assert_int_eq(timerfd_settime(timer, 0, &long_time, NULL), 0);
	fire(10);
	replace("socket:", ends[0]);
	replace("anon_inode:[timerfd]", timer);
	ck_assert_int_eq(vmtap_stop(), 0);
	expect_nothing_written(ends[1]);
	ck_assert_int_eq(timerfd_gettime(timer, &left), 0);
	ck_assert_int_gt(left.it_value.tv_sec, 0);
	ck_assert_int_eq(waitpid(client, NULL, 0), client);
}
END_TEST

START_TEST(a_turn_leaves_the_programs_files_alone)
{
	struct epoll_event once = {.events = EPOLLIN | EPOLLET};
	int ends[2], own = epoll_create1(EPOLL_CLOEXEC);
	pid_t client = start_replaced(read_all, ends);

	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	ck_assert_int_eq(epoll_ctl(own, EPOLL_CTL_ADD, ends[0], &once), 0);
	replace("anon_inode:[eventpoll]", own);
	ck_assert_int_eq(vmtap_turn(), -EBADF);
	ck_assert_int_eq(epoll_wait(own, &once, 1, 0), 1);
	vmtap_stop();
	ck_assert_int_eq(waitpid(client, NULL, 0), client);
}
END_TEST

START_TEST(start_waits_for_the_client)
{
	setenv("VMTAP_WAIT", "1", 1);
	pid_t client = fork();
	if (client == 0) {
		while (access(fixture_path, F_OK))
			sched_yield();
		struct reader reader;
		if (!reader_open(&reader, fixture_path))
			_exit(1);
		read_all(&reader);
		shared->received = reader_received(&reader);
		_exit(0);
	}
	start(0, 0, LONG_MS);
	ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
	fire(100);
	vmtap_stop();
	end_client(client);
	ck_assert_uint_eq(shared->received, 100);
	ck_assert_uint_eq(count_threads(), 1);
}
END_TEST

/* Writing to a pipe that nobody reads any more raises a signal, which is not the program's. */
START_TEST(a_log_raises_no_signal)
{
	char path[200];
	sigset_t pending;

	snprintf(path, sizeof(path), "%s/log", fixture_folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(reader, 0);
	setenv("VMTAP_LOG", path, 1);
	start(0, 0, 100);
	ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
	fire(100);
	count_wakes(50);
	close(reader);
	for (unsigned i = 0; i < 10; i++) {
		fire(100);
		count_wakes(10);
	}
	fire(MANY); /* waits for the log, as long as it is written */
	vmtap_stop();
	sigpending(&pending);
	ck_assert_int_eq(sigismember(&pending, SIGPIPE), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_set_timeout(tests, 0);
	tcase_add_checked_fixture(tests, setup, fixture_teardown);
	tcase_add_test(tests, events_arrive_without_a_thread);
	tcase_add_test(tests, with_a_thread_there_is_no_descriptor);
	tcase_add_test(tests, lossless_delivery_to_a_slow_client);
	tcase_add_test(tests, lossless_delivery_from_several_threads);
	tcase_add_test(tests, lossless_delivery_beside_the_loop);
	tcase_add_test(tests, draining_is_no_cancellation_point);
	tcase_add_test(tests, a_client_leaves_while_the_vm_waits);
	tcase_add_test(tests, the_vm_goes_on_after_a_while);
	tcase_add_test(tests, the_end_waits_for_no_client_that_takes_nothing);
	tcase_add_test(tests, a_signal_ends_the_wait);
	tcase_add_test(tests, a_handler_leaves_the_wait);
	tcase_add_test(tests, signals_amid_turns);
	tcase_add_test(tests, a_vm_that_forgets_its_turns);
	tcase_add_test(tests, stop_delivers_what_is_pending);
	tcase_add_test(tests, exit_ends_the_stream_in_order);
	tcase_add_test(tests, a_child_of_fork_has_no_turns);
	tcase_add_test(tests, children_can_be_served_too);
	tcase_add_test(tests, an_idle_vm_is_not_woken);
	tcase_add_test(tests, a_stalled_client_costs_no_turns);
	tcase_add_test(tests, two_threads_take_turns);
	tcase_add_test(tests, a_census_is_taken_in_turns);
	tcase_add_test(tests, the_program_closes_the_descriptors);
	tcase_add_test(tests, draining_leaves_the_programs_files_alone);
	tcase_add_test(tests, stop_leaves_the_programs_files_alone);
	tcase_add_test(tests, a_turn_leaves_the_programs_files_alone);
	tcase_add_test(tests, start_waits_for_the_client);
	tcase_add_test(tests, a_log_raises_no_signal);
}
