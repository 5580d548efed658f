/* client.c: see client.h. */
#include "shim/client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	QUIET_NS = 5000000 /* between watermarks without events */
};

int client_open(int socket, size_t queue_bytes, struct client **result)
{
	struct client *client = calloc(1, sizeof(*client));

	if (!client)
		return -ENOMEM;
	int status = encoder_open(&client->encoder, queue_bytes);
	if (status) {
		free(client);
		return status;
	}
	client->socket = socket;
	*result = client;
	return 0;
}

void client_close(struct client *client)
{
	close(client->socket);
	encoder_close(&client->encoder);
	free(client);
}

/* ---- control ---- */

static void take_subscription(struct client *client, const unsigned char *frame, unsigned count)
{
	uint8_t flags = frame[5];

	memcpy(&client->tag, frame + 6, sizeof(client->tag));
	client->tag = QUEUE_BIG(32, client->tag);
	memset(client->wanted, 0, sizeof(client->wanted));
	for (unsigned i = 0; i < count; i++) {
		const unsigned char *at = frame + WIRE_SUBSCRIBE_BYTES + 2 * i;
		uint16_t type = (uint16_t)(at[0] << 8 | at[1]);
		for (unsigned j = 0; j < EVENT_TYPES; j++)
			if (event_types[j].wire == type)
				client->wanted[j] = true;
	}
	client->finish_asked = flags & WIRE_FINISH;
	if (!client->finish_asked) { /* else what is still to come is sent by the terms of before */
		client->lossless = flags & WIRE_LOSSLESS;
		client->encoder.grows = client->lossless;
	}
	client->changed = true;
}

/* How many bytes at the start of the input are done with: a frame that was taken, or bytes
 * that begin none. 0: more must come. */
static size_t parse_one(struct client *client)
{
	static const char magic[] = WIRE_SUBSCRIBE;
	const unsigned char *input = client->input;
	size_t length = client->input_length, same = 0, bytes;
	unsigned count;

	while (same < sizeof(magic) - 1 && same < length &&
		input[same] == (unsigned char)magic[same])
		same++;
	if (same < sizeof(magic) - 1)
		return same == length ? 0 : 1;
	if (length > 4 && input[4] != 0)
		return 1; /* a version from later */
	if (length < WIRE_SUBSCRIBE_BYTES)
		return 0;
	count = (unsigned)input[10] << 8 | input[11];
	if (count > CLIENT_FRAME_TYPES_MAX)
		return 1;
	bytes = WIRE_SUBSCRIBE_BYTES + 2 * (size_t)count;
	if (length < bytes)
		return 0;
	take_subscription(client, input, count);
	return bytes;
}

void client_parse(struct client *client)
{
	size_t done = 0, step;

	while (!client->changed && client->input_length) {
		step = parse_one(client);
		if (!step)
			break;
		/* Junk may be long: move the rest once for each run of it. */
		done = step;
		while (step == 1 && done < client->input_length &&
			client->input[done] != WIRE_SUBSCRIBE[0])
			done++;
		client->input_length -= done;
		memmove(client->input, client->input + done, client->input_length);
	}
}

void client_read(struct client *client)
{
	ssize_t got;

	if (client->changed || client->input_ended)
		return;
	do
		got = recv(client->socket, client->input + client->input_length,
			sizeof(client->input) - client->input_length, MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		client->gone = errno != EAGAIN && errno != EWOULDBLOCK;
	} else if (got == 0) {
		client->input_ended = true;
	} else {
		client->input_length += (size_t)got;
		client_parse(client);
	}
}

void client_send(struct client *client)
{
	struct queue *queue = &client->encoder.queue;

	while (queue_length(queue)) {
		ssize_t sent = send(client->socket, queue->bytes + queue->start,
			queue_length(queue), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0) {
			client->gone = errno != EAGAIN && errno != EWOULDBLOCK;
			return;
		}
		queue->start += (size_t)sent;
	}
	queue->start = queue->end = 0;
}

/* ---- events ---- */

void client_take(struct client *client, uint32_t probe, const unsigned char *record, uint64_t raw,
	uint64_t time, uint64_t thread, const struct encode_transient *transients)
{
	if (!client->wanted[probe] || (int64_t)(raw - client->since) < 0 || client->end_queued)
		return;
	if (!encode_record(&client->encoder, &event_types[probe], record, time, thread, transients))
		client_lose(client, probe, 1, time);
	else if (time > client->newest)
		client->newest = time;
}

void client_lose(struct client *client, uint32_t probe, uint64_t count, uint64_t time)
{
	if (!client->wanted[probe] || !count || client->end_queued)
		return;
	if (!client->has_lost)
		client->loss_since = time;
	client->has_lost = true;
	client->lost[probe] += count;
}

void client_mark(struct client *client, uint64_t watermark, uint64_t now)
{
	struct encoder *encoder = &client->encoder;

	if (client->end_queued)
		return;
	encode_block_end(encoder);
	if (client->has_lost) {
		bool all = true;
		if (client->loss_since > now) /* an event that came while the drain went on */
			client->loss_since = now;
		for (unsigned i = 0; i < EVENT_TYPES; i++) {
			if (!client->lost[i])
				continue;
			if (encode_loss(encoder, &event_types[i], client->lost[i],
				    client->loss_since, now, 0))
				client->lost[i] = 0;
			else
				all = false;
		}
		client->has_lost = !all;
		encode_block_end(encoder);
	}
	/* While it has nothing to wait for, it need not wake so often to hear that. */
	if ((client->subscribed &&
		    (client->newest > client->marked || watermark - client->marked > QUIET_NS)) ||
		client->finishing)
		if (encode_watermark(encoder, watermark))
			client->marked = watermark;
}

void client_finish(struct client *client)
{
	client->finishing = true;
	if (!client->end_queued && !client->has_lost)
		client->end_queued = encode_end(&client->encoder);
}
