/*
 * fuzz_control.c: whatever a client sends must do no harm: bytes come over a real socket, in
 * pieces whose sizes the input chooses, as the server takes them: after each frame it acts,
 * then goes on. Also checks what a frame may do: only known event types become wanted, and
 * no input is kept beyond a frame's length.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim/client.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* What the server does with a client that has something to say. */
static void serve(struct client *client)
{
	do {
		client_read(client);
		check(client->input_length <= CLIENT_INPUT_MAX);
		if (!client->changed)
			break;
		client->changed = false;
		client->subscribed = !client->finish_asked;
		check(client->lossless == client->encoder.grows);
		memcpy(client->before, client->wanted, sizeof(client->before));
		client_parse(client);
	} while (!client->gone);
	/* What is left is the beginning of a frame, or nothing. */
	check(client->gone || !client->input_length || client->input[0] == WIRE_SUBSCRIBE[0]);
	check(client->input_length < CLIENT_INPUT_MAX || client->gone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client *client;
	int ends[2];
	size_t at = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		return 0;
	if (client_open(ends[0], 1 << 16, &client)) {
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
			piece = size - at; /* a long one, in one go */
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
