/*
 * bench_fire.c: measures what one probe, method-entry with three strings and two numbers, costs
 * the program that fires it. Prints nanoseconds per event, the median of many bursts.
 *
 *     bench_fire clock          only reading the time stamp, which every event includes
 *     bench_fire closed         nobody listens
 *     bench_fire stream [COUNT] COUNT readers on another CPU read the event stream
 *     bench_fire kernel         waits for a kernel tracer, then fires
 *     bench_fire plain|guarded COUNT
 *                               a loop without and with a closed probe, for counting
 *                               instructions; prints nothing
 *     bench_fire record FILE COUNT
 *                               writes a log of COUNT events, in the form of the stream
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vmtap.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "burst.h"
#include "served.h"

enum {
	STREAM_EVENTS = 8192, /* well within a ring of 1 MiB */
	STREAM_BURSTS = 300,
	KERNEL_EVENTS = 2000,
	KERNEL_BURSTS = 50,
	WAIT_MS = 30000 /* for a listener, or for a reader to catch up */
};

static struct vmtap_name class_name = VMTAP_NAME("Interpreter");
static struct vmtap_name file_name = VMTAP_NAME("lib/interpreter.toy");
static struct vmtap_name methods[BURST_NAMES];
static char method_texts[BURST_NAMES][24];

static void make_names(void)
{
	for (int i = 0; i < BURST_NAMES; i++) {
		int length = snprintf(method_texts[i], sizeof(method_texts[i]), "method_%d", i);

		vmtap_name_init(&methods[i], method_texts[i], (size_t)length);
	}
}

/* Fires one burst; returns nanoseconds per event. */
static double fire(int events)
{
	uint64_t start = burst_now();

	for (int i = 0; i < events; i++)
		VMTAP_METHOD_ENTRY(&class_name, &methods[i % BURST_NAMES], &file_name, i, 1);
	return (double)(burst_now() - start) / events;
}

static double read_clock(int events)
{
	uint64_t start = burst_now();

	for (int i = 0; i < events; i++) {
#if defined(__x86_64__)
		uint64_t stamp = __rdtsc();

		__asm__ volatile("" : : "r"(stamp));
#else
		burst_now();
#endif
	}
	return (double)(burst_now() - start) / events;
}

static int measure(double (*burst)(int events), int events, int bursts)
{
	double *values = calloc((size_t)bursts, sizeof(*values));

	if (!values)
		return 1;
	for (int i = 0; i < bursts; i++)
		values[i] = burst(events);
	printf("%.2f\n", burst_median(values, (size_t)bursts));
	free(values);
	return 0;
}

/* Waits for a tracer to open the guard; false when the time is up. */
static bool wait_open(void)
{
	for (int waited = 0; waited < WAIT_MS; waited++) {
		if (VMTAP_METHOD_ENTRY_ENABLED())
			return true;
		burst_pause(1000);
	}
	fprintf(stderr, "bench_fire: nobody listens\n");
	return false;
}

/* ---- the stream ---- */

/* count 0: measure; else record that many events to output. */
static int stream(unsigned readers, int output, uint64_t count)
{
	double values[STREAM_BURSTS];
	struct served served;
	bool failed = false;
	int64_t lost;

	if (!served_start(&served, readers, output, count ? WIRE_LOSSLESS : 0))
		return 1;
	for (uint64_t i = 0; i < count; i += STREAM_EVENTS)
		fire(STREAM_EVENTS);
	for (int i = 0; !count && i < STREAM_BURSTS && !failed; i++) {
		values[i] = fire(STREAM_EVENTS);
		failed = !served_wait_count(&served, (uint64_t)(i + 1) * STREAM_EVENTS);
	}
	lost = served_stop(&served, failed);
	if (lost > 0)
		fprintf(stderr, "bench_fire: events were lost\n");
	if (!lost && !count)
		printf("%.2f\n", burst_median(values, STREAM_BURSTS));
	return lost != 0;
}

static int record(const char *file, uint64_t count)
{
	int output = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int failed;

	if (output < 0) {
		fprintf(stderr, "bench_fire: %s: %s\n", file, strerror(errno));
		return 1;
	}
	failed = stream(1, output, count);
	close(output);
	return failed;
}

/* ---- counting instructions ---- */

/* The loops differ only in the probe; the counter is kept in memory. */
static volatile uint64_t work;

static void plain(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		work = i;
}

static void guarded(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		work = i;
		VMTAP_METHOD_ENTRY(&class_name, &methods[i % BURST_NAMES], &file_name, (int)i, 1);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	make_names();
	if (!strcmp(mode, "clock"))
		return measure(read_clock, STREAM_EVENTS, STREAM_BURSTS);
	if (!strcmp(mode, "closed"))
		return measure(fire, STREAM_EVENTS, STREAM_BURSTS);
	if (!strcmp(mode, "stream"))
		return stream(argc > 2 ? (unsigned)atoi(argv[2]) : 1, -1, 0);
	if (!strcmp(mode, "kernel"))
		return wait_open() ? measure(fire, KERNEL_EVENTS, KERNEL_BURSTS) : 1;
	if (!strcmp(mode, "record") && argc == 4)
		return record(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 3 && !strcmp(mode, "plain")) {
		plain(strtoull(argv[2], NULL, 10));
		return 0;
	}
	if (argc == 3 && !strcmp(mode, "guarded")) {
		guarded(strtoull(argv[2], NULL, 10));
		return 0;
	}
	fprintf(stderr,
		"usage: bench_fire clock|closed|stream [COUNT]|kernel|plain COUNT|guarded COUNT|"
		"record FILE COUNT\n");
	return 2;
}
