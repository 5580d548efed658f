/*
 * random_events.c: see random_events.h. One thread serves one client after the other. The events
 * are changed only between clients, while that thread waits for the next one.
 */
#include "random_events.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../unit/log_writer.h"
#include "random.h"

enum { EVENTS = 24, NAMES = 6, STRINGS_ALL = 0xffff };

static const char *const names[NAMES] = {"Worker", "run", "a/b.rb", "", "x=1;y", "Object"};

static struct {
	uint64_t seed;
	int log, listener;
	pthread_t thread;
	char log_path[32], folder[32], socket_path[64];
} shared = {.log = -1, .listener = -1};

/* The strings that a client asked for, by type. */
struct asked {
	unsigned entry, symbol;
};

/* A name's id, 0 if nobody asked for the argument; defines the name on its first use. */
static uint32_t use_name(struct writer *writer, bool *defined, unsigned index, bool asked)
{
	if (!asked)
		return 0;
	if (!defined[index])
		put_name(writer, index + 1, names[index]);
	defined[index] = true;
	return index + 1;
}

static void put_random_entry(
	struct writer *writer, struct random *random, bool *defined, uint64_t time, unsigned asked)
{
	uint32_t ids[3];

	for (unsigned i = 0; i < 3; i++)
		ids[i] = use_name(writer, defined, random_below(random, NAMES), asked & 1u << i);
	put_event(writer, TYPE_ENTRY, time);
	for (unsigned i = 0; i < 3; i++)
		put(writer, ids[i], 4);
	put(writer, random_next(random), 4);
	put(writer, random_below(random, 3), 4);
}

static void put_random_event(struct writer *writer, struct random *random, bool *defined,
	uint64_t time, struct asked asked)
{
	static const char *const texts[] = {
		"", "message", "k=v, w", "/usr//lib/../x", "{\"a\": [1, 2]}"};
	const char *text = texts[random_below(random, 5)];
	uint32_t id;

	switch (random_below(random, 6)) {
	case 0:
	case 1:
		put_random_entry(writer, random, defined, time, asked.entry);
		break;
	case 2:
		put_message(writer, time, text);
		break;
	case 3:
		put_event(writer, TYPE_NUMBERS, time);
		for (unsigned i = 0; i < 3; i++)
			put(writer, random_next(random) >> (random_below(random, 2) ? 60 : 0), 8);
		put(writer, random_next(random), 6);
		break;
	case 4:
		put_event(writer, TYPE_COLLECTION, time);
		put(writer, random_below(random, 2), 2);
		put(writer, random_next(random) >> 20, 8);
		put(writer, 77, 8);
		break;
	default:
		id = use_name(writer, defined, random_below(random, NAMES), asked.symbol & 2);
		put_event(writer, TYPE_SYMBOL, time);
		put(writer, strlen(text) + 8, 2);
		put(writer, id, 4);
		put(writer, random_below(random, 100), 4);
		put_bytes(writer, text, strlen(text));
		break;
	}
}

static void put_events(struct writer *writer, uint64_t seed, struct asked asked)
{
	struct random random = {seed};
	bool defined[NAMES] = {false};
	uint64_t time = 0;

	for (unsigned i = 0; i < EVENTS; i++) {
		if (i % 6 == 0) {
			begin_block(writer, (uint16_t)random_below(&random, 3));
			put_context(
				writer, 100 + random_below(&random, 3), random_below(&random, 2));
		}
		time += random_below(&random, RANDOM_EVENTS_LENGTH / EVENTS);
		put_random_event(writer, &random, defined, time, asked);
		if (i % 6 == 5) {
			end_block(writer);
			put_watermark(writer, time);
		}
	}
	put(writer, WIRE_DATA_END, 2);
}

/* The process is this one, since that is what a client of the stream finds. */
static void put_beginning(struct writer *writer)
{
	const char *program = program_invocation_short_name;

	put_header_begin(writer);
	put_collection_type(writer);
	put_header_end(writer);
	put_clock(writer, RANDOM_EVENTS_START, RANDOM_EVENTS_START + UINT64_C(86400000000000));
	put_event(writer, WIRE_OSPROCESS_PID, 0);
	put(writer, 0, 4);
	put(writer, (uint64_t)getpid(), 4);
	put_event(writer, WIRE_PROGRAM_ARGS, 0);
	put(writer, 4 + strlen(program) + 1, 2);
	put(writer, 0, 4);
	put_bytes(writer, program, strlen(program) + 1);
	put_watermark(writer, 0);
}

static int send_all(int fd, struct writer *writer)
{
	size_t at = 0;

	while (at < writer->length) {
		ssize_t sent = send(fd, writer->bytes + at, writer->length - at, MSG_NOSIGNAL);
		if (sent <= 0)
			return -1;
		at += (size_t)sent;
	}
	writer->length = 0;
	return 0;
}

static int receive(int fd, unsigned char *bytes, size_t size)
{
	return !size || recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size ? 0 : -1;
}

/* An entry of a subscription is the name's length, the name, and the bits of its strings. */
static void take_entries(const unsigned char *at, size_t size, struct asked *asked)
{
	while (size > 3 && at[0] + 3u <= size) {
		unsigned length = at[0], strings = bytes_u16(at + 1 + length);
		if (length == 17 && !memcmp(at + 1, "vm:::method-entry", 17))
			asked->entry |= strings;
		if (length == 18 && !memcmp(at + 1, "vm:::symbol-create", 18))
			asked->symbol |= strings;
		at += length + 3;
		size -= length + 3;
	}
}

static void serve(int fd, struct writer *writer)
{
	unsigned char frame[WIRE_SUBSCRIBE_BYTES + 65536];
	struct asked asked = {0, 0};
	size_t size;

	writer->length = 0;
	put_beginning(writer);
	if (send_all(fd, writer))
		return;
	while (!receive(fd, frame, WIRE_SUBSCRIBE_BYTES)) {
		size = bytes_u16(frame + 10);
		if (receive(fd, frame + WIRE_SUBSCRIBE_BYTES, size))
			return;
		if (frame[5] == WIRE_GHC_ONLY || !size)
			continue;
		take_entries(frame + WIRE_SUBSCRIBE_BYTES, size, &asked);
		put_subscribed(writer, bytes_u32(frame + 6));
		put_events(writer, shared.seed, asked);
		if (send_all(fd, writer))
			return;
	}
}

static void *serve_clients(void *unused)
{
	struct writer writer = {0};
	int fd;

	while ((fd = accept(shared.listener, NULL, NULL)) >= 0) {
		serve(fd, &writer);
		close(fd);
	}
	free(writer.bytes);
	return unused;
}

int random_events_start(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(shared.folder, sizeof(shared.folder), "/tmp/differential-XXXXXX");
	shared.log = memfd_create("log", MFD_CLOEXEC);
	if (shared.log < 0 || !mkdtemp(shared.folder))
		return -errno;
	snprintf(shared.log_path, sizeof(shared.log_path), "/proc/self/fd/%d", shared.log);
	snprintf(shared.socket_path, sizeof(shared.socket_path), "%s/stream", shared.folder);
	strcpy(address.sun_path, shared.socket_path);
	shared.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (shared.listener < 0 ||
		bind(shared.listener, (struct sockaddr *)&address, sizeof(address)) ||
		listen(shared.listener, 4))
		return -errno;
	return -pthread_create(&shared.thread, NULL, serve_clients, NULL);
}

int random_events_make(uint64_t seed)
{
	static struct writer writer;
	struct asked all = {STRINGS_ALL, STRINGS_ALL};
	ssize_t written;

	shared.seed = seed;
	writer.length = 0;
	put_beginning(&writer);
	put_events(&writer, seed, all);
	if (ftruncate(shared.log, 0))
		return -errno;
	written = pwrite(shared.log, writer.bytes, writer.length, 0);
	return written == (ssize_t)writer.length ? 0 : -EIO;
}

const char *random_events_log(void)
{
	return shared.log_path;
}

const char *random_events_socket(void)
{
	return shared.socket_path;
}

void random_events_stop(void)
{
	shutdown(shared.listener, SHUT_RDWR);
	pthread_join(shared.thread, NULL);
	close(shared.listener);
	close(shared.log);
	unlink(shared.socket_path);
	rmdir(shared.folder);
}
