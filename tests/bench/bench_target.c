/*
 * bench_target.c: programs on which other things are measured.
 *
 *     bench_target beat         serves the event stream, prints a line when it does, and
 *                               fires method-entry every 100 microseconds until its
 *                               standard input ends
 *     bench_target keys COUNT   serves the stream, waits for a listener, fires method-entry
 *                               with COUNT different lines, five times each, and ends
 *     bench_target pace RATE    serves the stream, waits for a listener, fires RATE million
 *                               events per second for one second, and ends
 *     bench_target flood COUNT  the same with COUNT events as fast as it can
 *     bench_target memory       prints the KiB that vmtap_start() makes resident (in total, and
 *                               the private part) while no client listens
 *     bench_target threads COUNT
 *                               prints the bytes that the first event of each of COUNT threads
 *                               makes resident, per thread; the client is a log
 */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vmtap.h>

#include "burst.h"

enum {
	WAIT_MS = 30000,
	SETTLE_MS = 200, /* by then the server's thread is asleep */
	KEYS_BURST = 1000,
	THREAD_STACK = 256 << 10,
	THREAD_TOUCHED = 64 << 10, /* of its stack; more than an event needs */
	WARM_EVENTS = 200000
};

static struct vmtap_name class_name = VMTAP_NAME("Target");
static struct vmtap_name method_name = VMTAP_NAME("beat");
static struct vmtap_name file_name = VMTAP_NAME("target.toy");

static int beat(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	struct timespec pause = {0, 100000};

	puts("ready");
	fflush(stdout);
	for (int i = 1;; i++) {
		VMTAP_METHOD_ENTRY(&class_name, &method_name, &file_name, i, 1);
		if (ppoll(&input, 1, &pause, NULL) > 0)
			return 0;
	}
}

static bool wait_open(void)
{
	for (int waited = 0; !VMTAP_METHOD_ENTRY_ENABLED(); waited++) {
		if (waited == WAIT_MS) {
			fprintf(stderr, "bench_target: nobody listens\n");
			return false;
		}
		burst_pause(1000);
	}
	return true;
}

static int keys(int count)
{
	if (!wait_open())
		return 1;
	for (int i = 0; i < count * 5; i++) {
		VMTAP_METHOD_ENTRY(&class_name, &method_name, &file_name, i % count + 1, 1);
		if (i % KEYS_BURST == KEYS_BURST - 1)
			burst_pause(1000);
	}
	return 0;
}

static void fire(uint64_t events)
{
	for (uint64_t i = 0; i < events; i++)
		VMTAP_METHOD_ENTRY(&class_name, &method_name, &file_name, (int)i, 1);
}

static int pace(uint64_t rate)
{
	if (!wait_open())
		return 1;
	burst_pace(rate, fire);
	return 0;
}

static int flood(uint64_t count)
{
	if (!wait_open())
		return 1;
	fire(count);
	return 0;
}

/* ---- memory ---- */

struct memory {
	long resident, own;
};

static struct memory read_memory(void)
{
	struct memory memory = {-1, 0};
	char line[256];
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	long value;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Rss: %ld", &value) == 1)
			memory.resident = value;
		else if (sscanf(line, "Private_Dirty: %ld", &value) == 1)
			memory.own += value;
	}
	if (file)
		fclose(file);
	return memory;
}

static void *nothing(void *argument)
{
	return argument;
}

/* Creates a thread and a file first: what libc makes resident for those must not count. */
static void warm_up(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
	burst_pause(1000);
	read_memory();
}

static int memory(void)
{
	struct memory before, after;
	int error;

	warm_up();
	before = read_memory();
	error = vmtap_start(NULL);
	if (error) {
		fprintf(stderr, "bench_target: vmtap_start: %s\n", strerror(-error));
		return 1;
	}
	burst_pause(SETTLE_MS * 1000);
	after = read_memory();
	if (before.resident < 0 || after.resident < 0) {
		fprintf(stderr, "bench_target: /proc/self/smaps_rollup cannot be read\n");
		return 1;
	}
	printf("%ld %ld\n", after.resident - before.resident, after.own - before.own);
	return 0;
}

/* ---- memory of many threads ---- */

static pthread_barrier_t threads_ready, threads_go, threads_done;

static void *fire_one(void *argument)
{
	volatile char touched[THREAD_TOUCHED];

	for (size_t i = 0; i < sizeof(touched); i += 4096)
		touched[i] = 0;
	pthread_barrier_wait(&threads_ready);
	pthread_barrier_wait(&threads_go);
	VMTAP_METHOD_ENTRY(&class_name, &method_name, &file_name, 1, 1);
	pthread_barrier_wait(&threads_done);
	for (;;)
		pause();
	return argument;
}

/* The threads end with the process. */
static int threads(int count)
{
	struct memory before, after;
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	setenv("VMTAP_LOG", "/dev/null", 1);
	error = vmtap_start(NULL);
	if (error || !wait_open()) {
		fprintf(stderr, "bench_target: vmtap_start: %s\n", strerror(-error));
		return 1;
	}
	fire(WARM_EVENTS); /* what the client and the names need must not count */
	pthread_barrier_init(&threads_ready, NULL, (unsigned)count + 1);
	pthread_barrier_init(&threads_go, NULL, (unsigned)count + 1);
	pthread_barrier_init(&threads_done, NULL, (unsigned)count + 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	for (int i = 0; i < count; i++) {
		error = pthread_create(&thread, &attributes, fire_one, NULL);
		if (error) {
			fprintf(stderr, "bench_target: pthread_create: %s\n", strerror(error));
			return 1;
		}
	}
	pthread_barrier_wait(&threads_ready);
	burst_pause(SETTLE_MS * 1000);
	read_memory();
	before = read_memory();
	pthread_barrier_wait(&threads_go);
	pthread_barrier_wait(&threads_done);
	burst_pause(SETTLE_MS * 1000);
	after = read_memory();
	if (before.resident < 0 || after.resident < 0) {
		fprintf(stderr, "bench_target: /proc/self/smaps_rollup cannot be read\n");
		return 1;
	}
	printf("%ld\n", (after.resident - before.resident) * 1024 / count);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int error;

	if (!strcmp(mode, "memory"))
		return memory();
	if (!strcmp(mode, "threads") && argc == 3 && atoi(argv[2]) > 0)
		return threads(atoi(argv[2]));
	if (strcmp(mode, "beat") &&
		(argc != 3 ||
			(strcmp(mode, "keys") && strcmp(mode, "pace") && strcmp(mode, "flood")))) {
		fprintf(stderr,
			"usage: bench_target beat|keys COUNT|pace RATE|flood COUNT|memory|"
			"threads COUNT\n");
		return 2;
	}
	error = vmtap_start(NULL);
	if (error) {
		fprintf(stderr, "bench_target: vmtap_start: %s\n", strerror(-error));
		return 1;
	}
	if (!strcmp(mode, "beat"))
		return beat();
	if (!strcmp(mode, "keys"))
		return keys(atoi(argv[2]));
	/* the library's thread and the listener use the other CPU */
	burst_pin(1);
	return !strcmp(mode, "pace") ? pace(strtoull(argv[2], NULL, 10))
				     : flood(strtoull(argv[2], NULL, 10));
}
