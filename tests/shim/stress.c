/*
 * stress.c: everything at once, for a race detector: threads that fire and exit, clients
 * that connect and disconnect, the stream stopped and started, names taken by several threads and
 * more texts than the table holds, heap samples that several threads try to take, samples and dumps
 * of what runs, for clients that come and go, taken at safepoints, a log, cancelled threads, signal
 * handlers that fire, stacks whose walker comes and goes, and children.
 *
 *     stress ROUNDS [turns]
 *
 * With "turns", the library has no thread, and two threads of this program take its turns. Exits
 * with 0 if each stream was well-formed.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "reader.h"
#include "vmtap.h"
#include "wire/wire.h"

enum { THREADS = 4, NAMES = 64 };

static atomic_bool stop;
static atomic_uint sample_calls, samples_read;
static struct vmtap_name shared_names[NAMES];
static char path[256];

static void fire_once(unsigned i)
{
	struct vmtap_name *name = &shared_names[i % NAMES];

	VMTAP_METHOD_ENTRY(name, name, name, 1, i);
	VMTAP_USER_MSG(0, "text");
	VMTAP_METHOD_RETURN(name, name, name, 1, i);
	VMTAP_GC_PHASE_BEGIN(0, vmtap_name_intern("0123456789" + i % 10, 10 - i % 10), 0);
	VMTAP_GC_PHASE_END(0, VMTAP_NAME_ONCE("once", 4), 0);
}

static void on_signal(int number)
{
	char text[] = "a text of one event";
	struct vmtap_name own;

	(void)number;
	vmtap_name_init(&own, text, sizeof(text) - 1);
	VMTAP_PAUSE_BEGIN(0, &own);
}

/* Cancelled from the start, but acts on it only at the end; a signal handler fires among its first
 * events. */
static void *short_thread(void *argument)
{
	pthread_cancel(pthread_self());
	pthread_kill(pthread_self(), SIGUSR1);
	for (unsigned i = 0; i < 20; i++)
		fire_once(i);
	pthread_testcancel();
	return argument;
}

/* The child has none of the threads, which may be in any phase. */
static bool fork_works(void)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0) {
		fire_once(0);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void take_census(struct vmtap_census *census, void *context)
{
	vmtap_census_add(census, context, strlen(context), 8);
}

static void walk(struct vmtap_stack *stack, void *context)
{
	for (unsigned i = 0; i < 5; i++)
		vmtap_stack_frame(stack, &shared_names[i * 7 % NAMES], context,
			VMTAP_NAME_ONCE("once", 4), i);
}

static void note_wanted(void *context)
{
	atomic_fetch_add((atomic_uint *)context, 1);
}

static void take_samples(uint32_t thread)
{
	uint64_t weight = vmtap_sample_allocated(40);

	if (vmtap_sample_unit() == VMTAP_SAMPLE_BYTES && weight)
		VMTAP_SAMPLE(0, thread, weight);
	if (vmtap_sample_wanted()) {
		weight = vmtap_sample_take();
		VMTAP_SAMPLE(0, thread, weight);
	}
	if (vmtap_dump_wanted() && vmtap_dump_take())
		for (uint32_t i = 0; i < 2; i++)
			VMTAP_THREAD_DUMP(0, i, 0, &shared_names[i], 0, i, 2);
}

static void *fire(void *argument)
{
	struct vmtap_guards state = {{0}};
	pthread_t thread;

	for (unsigned i = 0; !stop; i++) {
		fire_once(i);
		vmtap_poll(&state, NULL);
		vmtap_census_take();
		take_samples(i);
		if (i % 100 == 0) {
			if (pthread_create(&thread, NULL, short_thread, NULL) == 0)
				pthread_join(thread, NULL);
			usleep(100); /* lets the detector's slow threads take turns */
		}
	}
	return argument;
}

static void *read_samples(void *argument)
{
	struct reader reader;

	while (!stop) {
		if (!reader_open(&reader, path)) {
			usleep(100);
			continue;
		}
		reader_send(&reader, "GCTL\1GCTL\3", 10);
		while (reader.heap.samples < 20 && reader_step(&reader, 1000))
			;
		if (*reader.error && !reader.closed && !reader.ended) {
			fprintf(stderr, "%s\n", reader.error);
			_exit(1);
		}
		reader_close(&reader);
	}
	return argument;
}

static void *read_streams(void *argument)
{
	unsigned long flags = (unsigned long)argument;
	struct reader reader;

	while (!stop) {
		if (!reader_open(&reader, path)) {
			usleep(100);
			continue;
		}
		if (reader_until_header(&reader)) {
			if (flags & WIRE_STACKS)
				reader_subscribe_names(&reader, (uint8_t)flags, 1, "*", 0x7fff);
			else
				reader_subscribe_all(&reader, (uint8_t)flags, 1);
			while (reader_received(&reader) < 3000 && reader_step(&reader, 1000))
				;
			if (!*reader.error && !reader.closed)
				reader_finish(&reader);
		}
		/* A stream may end because the VM stops. */
		if (*reader.error && !reader.closed && !reader.ended) {
			fprintf(stderr, "%s\n", reader.error);
			_exit(1);
		}
		reader_close(&reader);
	}
	return NULL;
}

static void ask(struct reader *reader, uint8_t unit, uint64_t period)
{
	unsigned char frame[WIRE_SAMPLING_BYTES] = WIRE_SAMPLING;

	frame[5] = unit;
	bytes_put(frame + 6, period, 8);
	reader_send(reader, frame, sizeof(frame));
}

/* By time and by bytes in turn, and dumps; every other client is gone without a word. */
static void *read_marks(void *argument)
{
	struct reader reader;

	for (unsigned i = 0; !stop; i++) {
		if (!reader_open(&reader, path)) {
			usleep(100);
			continue;
		}
		if (reader_until_header(&reader)) {
			reader_subscribe_names(&reader, i & 2 ? WIRE_STACKS : 0, 1,
				i & 1 ? "vm:::thread-dump vm:::sample" : "vm:::sample", 0x7fff);
			ask(&reader, WIRE_SAMPLING_THREADS, i & 1);
			ask(&reader, i % 3 ? WIRE_SAMPLING_TIME : WIRE_SAMPLING_ALLOCATED,
				i % 3 ? 1000000 : 400);
			while (reader_received(&reader) < 20 && reader_step(&reader, 1000))
				;
			atomic_fetch_add(&samples_read, (unsigned)reader_received(&reader));
			if (i & 4 && !*reader.error && !reader.closed)
				reader_finish(&reader);
		}
		if (*reader.error && !reader.closed && !reader.ended) {
			fprintf(stderr, "%s\n", reader.error);
			_exit(1);
		}
		reader_close(&reader);
	}
	return argument;
}

/* The descriptor is another one, or none, after each start and stop. */
static void *take_turns(void *argument)
{
	while (!stop) {
		struct pollfd polled = {.fd = vmtap_descriptor(), .events = POLLIN};
		if (poll(&polled, 1, 1) < 0 && errno != EINTR)
			return argument;
		vmtap_turn();
	}
	return argument;
}

static void look_at_guards(void *context)
{
	static struct vmtap_guards state; /* never on two threads at once */

	(void)context;
	vmtap_poll(&state, NULL);
}

int main(int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options),
		.ring_bytes = 1,
		.queue_bytes = 1,
		.name_bytes = 1,
		.socket = path};
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5;
	const char *folder = getenv("TMPDIR");
	static const unsigned long flags[] = {0, WIRE_STACKS, WIRE_LOSSLESS | WIRE_STACKS};
	pthread_t threads[THREADS], readers[5], loops[2];
	char log[300];
	struct vmtap_census_options census = {.size = sizeof(census),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = take_census,
		.context = "shared",
		.polls = 1,
		.period_ms = 1};

	struct vmtap_sample_options samples = {
		.size = sizeof(samples), .wanted = note_wanted, .context = &sample_calls};
	struct vmtap_change_options change = {
		.size = sizeof(change), .changed = look_at_guards, .look_ms = 1};

	snprintf(path, sizeof(path), "%s/stress-%d", folder ? folder : "/tmp", (int)getpid());
	snprintf(log, sizeof(log), "%s.log", path);
	signal(SIGUSR1, on_signal);
	options.without_thread = argc > 2;
	for (unsigned i = 0; i < 2 && options.without_thread; i++)
		pthread_create(&loops[i], NULL, take_turns, NULL);
	for (unsigned i = 0; i < NAMES; i++)
		vmtap_name_init(&shared_names[i], "shared", 6);
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, fire, NULL);
	for (unsigned long i = 0; i < 3; i++)
		pthread_create(&readers[i], NULL, read_streams, (void *)flags[i]);
	pthread_create(&readers[3], NULL, read_samples, NULL);
	pthread_create(&readers[4], NULL, read_marks, NULL);
	for (unsigned i = 0; i < rounds || (!samples_read && i < 50 * rounds); i++) {
		census.polls = i % 2;
		if (i % 2)
			setenv("VMTAP_LOG", log, 1);
		vmtap_census_register(&census);
		vmtap_on_change(i % 3 ? &change : NULL);
		vmtap_sample_register(&samples);
		vmtap_stack_register(walk, &shared_names[1]);
		if (vmtap_start(&options)) {
			fprintf(stderr, "cannot start\n");
			return 1;
		}
		for (unsigned j = 0; j < 10; j++) {
			usleep(20000); /* the length of a round does not matter */
			vmtap_stack_register(j % 3 ? walk : NULL, &shared_names[j]);
			vmtap_sample_register(j % 4 ? &samples : NULL);
			if (!fork_works()) {
				fprintf(stderr, "a child died\n");
				return 1;
			}
		}
		vmtap_stop();
	}
	stop = true;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < 5; i++)
		pthread_join(readers[i], NULL);
	for (unsigned i = 0; i < 2 && options.without_thread; i++)
		pthread_join(loops[i], NULL);
	unlink(log);
	printf("%u rounds, %u samples\n", rounds, samples_read);
	return samples_read ? 0 : 1;
}
