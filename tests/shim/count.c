/*
 * count.c: counts the events of a VM's stream, for scripts:
 *     count SOCKET [lossless]
 * Waits until the socket exists, subscribes to every probe, reads to the end of the stream and
 * prints a line "PROBE RECEIVED LOST" for each probe that had events, and "cap CAP COUNT"
 * for each capability that sent gc-idle. Exits with 0 if the stream was well-formed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reader.h"
#include "wire/wire.h"

static unsigned long caps[65536];
static int idle;

static void on_event(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	if ((int)event->probe == idle)
		caps[event->cap]++;
}

int main(int argc, char **argv)
{
	uint64_t deadline = reader_now() + UINT64_C(60000000000);
	static struct reader reader;

	if (argc < 2) {
		fprintf(stderr, "usage: count SOCKET [lossless]\n");
		return 2;
	}
	while (!reader_open(&reader, argv[1])) {
		if (reader_now() > deadline) {
			perror(argv[1]);
			return 1;
		}
		usleep(1000);
	}
	if (reader_until_header(&reader)) {
		idle = reader_probe(&reader, "gc-idle");
		reader.on_event = on_event;
		reader_subscribe_all(&reader, argc > 2 ? WIRE_LOSSLESS : 0, 1);
		while (!reader.ended && reader_step(&reader, 1000))
			;
	}
	for (unsigned i = 0; i < reader.probe_count; i++)
		if (reader.probes[i].received || reader.probes[i].lost)
			printf("%s %llu %llu\n", reader.probes[i].name,
				(unsigned long long)reader.probes[i].received,
				(unsigned long long)reader.probes[i].lost);
	for (unsigned i = 0; i < 65536; i++)
		if (caps[i])
			printf("cap %u %lu\n", i, caps[i]);
	if (*reader.error)
		fprintf(stderr, "%s\n", reader.error);
	if (!reader.ended)
		fprintf(stderr, "the stream has no end\n");
	return reader.ended && !*reader.error ? 0 : 1;
}
