/*
 * show.c: prints the events of a VM's stream, for scripts:
 *     show SOCKET
 * Waits until the socket exists, subscribes to every probe without loss, reads to the end of the
 * stream and prints a line "PROBE ARGUMENT..." for each event, with texts in quotes. Exits with 0
 * if the stream was well-formed and complete.
 */
#include <stdio.h>
#include <unistd.h>

#include "reader.h"
#include "wire/wire.h"

static void on_event(struct reader *reader, const struct reader_event *event)
{
	fputs(reader->probes[event->probe].name, stdout);
	for (unsigned i = 0; i < event->count; i++)
		if (event->arguments[i].text)
			printf(" \"%s\"", event->arguments[i].text);
		else
			printf(" %llu", (unsigned long long)event->arguments[i].value);
	putchar('\n');
}

int main(int argc, char **argv)
{
	uint64_t deadline = reader_now() + UINT64_C(60000000000);
	static struct reader reader;

	if (argc != 2) {
		fprintf(stderr, "usage: show SOCKET\n");
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
		reader.on_event = on_event;
		reader_subscribe_all(&reader, WIRE_LOSSLESS, 1);
		while (!reader.ended && reader_step(&reader, 1000))
			;
	}
	if (*reader.error)
		fprintf(stderr, "%s\n", reader.error);
	if (!reader.ended)
		fprintf(stderr, "the stream has no end\n");
	if (reader_lost(&reader))
		fprintf(stderr, "the stream has lost events\n");
	return reader.ended && !*reader.error && !reader_lost(&reader) ? 0 : 1;
}
