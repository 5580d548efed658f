/*
 * fuzz_control.c: nothing that a client sends may do harm. The bytes come over a real socket, in
 * pieces whose sizes the input chooses, and are handled as in the server, which acts after each
 * frame and then goes on. Also checks that a frame can only request known event types, that no
 * more input is kept than the length of a frame, and that the frames found in the bytes do not
 * depend on how the bytes are split.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim/stream/client.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* What the server does when a client has sent something. */
static void serve(struct client *client)
{
	do {
		client_read(client);
		check(client->input_at <= client->input_length);
		check(client->changed || client->input_at == client->input_length);
		if (!client->changed)
			break;
		client_take_terms(client, 0);
		client->subscribed = !client->finish_asked;
		check(client->terms.lossless == (client->encoder.grow_max > client->queue_bytes) &&
			!client->fresh);
		client_parse(client);
	} while (!client->gone);
	check(client->control.length < CONTROL_FRAME_MAX);
}

/* A hash of all commands found in these bytes, in order, if fed in pieces of this size. */
static uint64_t find_all(const uint8_t *data, size_t size, size_t piece)
{
	static struct control control;
	uint64_t found = 0;

	memset(&control, 0, sizeof(control));
	for (size_t at = 0; at < size; at += piece) {
		size_t left = size - at < piece ? size - at : piece, taken;
		const uint8_t *bytes = data + at;
		enum control_command command;
		do {
			command = control_feed(&control, bytes, left, &taken);
			check(taken <= left && control.length < CONTROL_FRAME_MAX);
			bytes += taken;
			left -= taken;
			if (command == CONTROL_NONE)
				continue;
			found = found * 31 + command;
			if (command == CONTROL_SUBSCRIBE)
				for (unsigned i = 0; i < control.type_count; i++)
					found = found * 31 + control_type(&control, i);
			else
				found = found * 31 + control.period;
		} while (command != CONTROL_NONE);
		check(left == 0);
	}
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(find_all(data, size, size ? size : 1) == find_all(data, size, 1) &&
		find_all(data, size, 7) == find_all(data, size, 64));
	struct client *client;
	int ends[2];
	size_t at = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		return 0;
	if (client_open(ends[0], 1 << 16, BUDGET_CLIENT, &client)) {
		close(ends[0]);
		close(ends[1]);
		return 0;
	}
	/* The first byte of each piece is its length. */
	while (at < size && !client->gone) {
		size_t piece = data[at++];
		if (piece > size - at)
			piece = size - at;
		if (piece == 255)
			piece = size - at; /* the rest in one piece */
		if (piece && send(ends[1], data + at, piece, MSG_NOSIGNAL) != (ssize_t)piece)
			break;
		at += piece;
		serve(client);
	}
	shutdown(ends[1], SHUT_WR);
	while (!client->gone && !client->input_ended)
		serve(client);
	client_close(client);
	close(ends[1]);
	return 0;
}
