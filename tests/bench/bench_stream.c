/*
 * bench_stream.c: measures what the library's own thread can do, with method-entry (three names,
 * two numbers).
 *
 *     bench_stream server COUNT    with COUNT readers: millions of events per second of the
 *                                  thread's CPU time, everything included: drain, encode, send
 *     bench_stream drops RATE      fires RATE million events per second for one second, with the
 *                                  default ring and one reader; prints how many were lost
 *     bench_stream reconnect       milliseconds from connect() to the answer to a subscription,
 *                                  the median of many
 */
#include <dirent.h>
#include <inttypes.h>

#include "served.h"

enum {
	BURST_EVENTS = 16384, /* half a ring of 1 MiB */
	SERVER_BURSTS = 200,
	RECONNECTS = 101
};

static struct vmtap_name class_name = VMTAP_NAME("Interpreter");
static struct vmtap_name method_name = VMTAP_NAME("method");
static struct vmtap_name file_name = VMTAP_NAME("lib/interpreter.toy");

static void fire(uint64_t events)
{
	for (uint64_t i = 0; i < events; i++)
		VMTAP_METHOD_ENTRY(&class_name, &method_name, &file_name, (int)i, 1);
}

/* The CPU time that the library's thread has used, in ns; 0 if the thread is not found. */
static uint64_t server_cpu(void)
{
	DIR *threads = opendir("/proc/self/task");
	uint64_t spent = 0;

	for (struct dirent *entry; threads && (entry = readdir(threads));) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
		if (strcmp(name, "vmtap\n") != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", entry->d_name);
		file = fopen(path, "r");
		if (file && fscanf(file, "%" SCNu64, &spent) != 1)
			spent = 0;
		if (file)
			fclose(file);
	}
	if (threads)
		closedir(threads);
	return spent;
}

static int server(unsigned readers)
{
	double values[SERVER_BURSTS];
	struct served served;
	bool failed = false;

	if (!served_start(&served, readers, -1, 0))
		return 1;
	for (int i = 0; i < SERVER_BURSTS && !failed; i++) {
		uint64_t before = server_cpu();

		fire(BURST_EVENTS);
		failed = !served_wait_count(&served, (uint64_t)(i + 1) * BURST_EVENTS);
		values[i] = (double)(server_cpu() - before) / BURST_EVENTS;
		failed |= !before;
	}
	if (served_stop(&served, failed) < 0)
		return 1;
	printf("%.1f\n", 1000 / burst_median(values, SERVER_BURSTS));
	return 0;
}

static int drops(uint64_t rate)
{
	struct served served;
	bool failed;
	int64_t lost;

	if (!served_start(&served, 1, -1, 0))
		return 1;
	failed = !served_wait_count(&served, burst_pace(rate, fire));
	lost = served_stop(&served, failed);
	if (lost >= 0)
		printf("%lld\n", (long long)lost);
	return lost < 0;
}

/* Times one connection, from connect() until it is served; milliseconds, or -1. */
static double connect_once(const char *path)
{
	static struct reader reader;
	_Atomic uint64_t count = 0;
	_Atomic unsigned subscribed = 0;
	uint64_t counted = 0, start = burst_now();
	double taken = -1;

	if (!reader_open(&reader, path, "vm:::method-entry(", 0, -1))
		return -1;
	reader.subscribed = &subscribed;
	while (!atomic_load(&subscribed) && reader_event(&reader, &counted, &count))
		;
	if (atomic_load(&subscribed))
		taken = (double)(burst_now() - start) / 1e6;
	close(reader.socket);
	return taken;
}

static int reconnect(void)
{
	double values[RECONNECTS];
	struct served served;
	bool failed = false;

	if (!served_start(&served, 0, -1, 0))
		return 1;
	for (int i = 0; i < RECONNECTS && !failed; i++) {
		values[i] = connect_once(served.path);
		failed = values[i] < 0;
	}
	if (served_stop(&served, failed) < 0)
		return 1;
	printf("%.3f\n", burst_median(values, RECONNECTS));
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "server") && argc == 3)
		return server((unsigned)atoi(argv[2]));
	if (!strcmp(mode, "drops") && argc == 3)
		return drops(strtoull(argv[2], NULL, 10));
	if (!strcmp(mode, "reconnect") && argc == 2)
		return reconnect();
	fprintf(stderr, "usage: bench_stream server COUNT|drops RATE|reconnect\n");
	return 2;
}
