/* peer.c: see peer.h. */
#include "peer.h"

#include <inttypes.h>
#include <string.h>

#include "scheduler.h"
#include "wire/wire.h"

enum { TYPE_BYTES = 12, EVENT_BYTES = WIRE_EVENT_BYTES };

uint64_t peer_number(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

void peer_begin(struct peer *peer)
{
	size_t from = offsetof(struct peer, length);

	peer->header_done = peer->ended = false;
	memset((unsigned char *)peer + from, 0, sizeof(*peer) - from);
}

unsigned char *peer_room(struct peer *peer, size_t *room)
{
	*room = sizeof(peer->bytes) - peer->length;
	return peer->bytes + peer->length;
}

/* ---- the header ---- */

static void declare(struct peer *peer, uint16_t number, const char *text, size_t length)
{
	peer->types[number].event = (uint8_t)peer_methods.event(text, length);
}

/* Takes one piece of the header. Returns its length; 0: it has not arrived completely. */
static size_t take_header(struct peer *peer, const unsigned char *at, size_t left)
{
	if (left < 12)
		return 0;
	switch (peer_number(at, 4)) {
	case WIRE_HEADER_BEGIN:
		schedule_expect(peer_number(at + 4, 4) == WIRE_TYPES_BEGIN && !peer->taken,
			"client %u: a bad header", peer->index);
		return 8;
	case WIRE_TYPES_END:
		schedule_expect(peer_number(at + 4, 4) == WIRE_HEADER_END &&
				peer_number(at + 8, 4) == WIRE_DATA_BEGIN,
			"client %u: a bad end of the header", peer->index);
		peer->header_done = true;
		return 12;
	case WIRE_TYPE_BEGIN:
		break;
	default:
		schedule_fail(
			"client %u: the header is broken at %" PRIu64, peer->index, peer->taken);
	}
	uint16_t number = (uint16_t)peer_number(at + 4, 2);
	size_t length = peer_number(at + 8, 4), more;
	schedule_expect(number < PEER_TYPES && length < 1000 && !peer->types[number].declared,
		"client %u: type %u is declared twice or badly", peer->index, number);
	if (left < TYPE_BYTES + length + 4)
		return 0;
	more = peer_number(at + TYPE_BYTES + length, 4);
	if (left < TYPE_BYTES + length + 4 + more + 4)
		return 0;
	schedule_expect(peer_number(at + TYPE_BYTES + length + 4 + more, 4) == WIRE_TYPE_END,
		"client %u: type %u has no end", peer->index, number);
	peer->types[number] = (struct peer_type){.declared = true,
		.is_spare = length == strlen(WIRE_SPARE) &&
			!memcmp(at + TYPE_BYTES, WIRE_SPARE, length),
		.size = (uint16_t)peer_number(at + 6, 2)};
	declare(peer, number, (const char *)at + TYPE_BYTES, length);
	return TYPE_BYTES + length + 4 + more + 4;
}

/* ---- events ---- */

static void take_loss(struct peer *peer, const unsigned char *payload, uint64_t time)
{
	uint16_t of = (uint16_t)peer_number(payload, 2);
	uint64_t count = peer_number(payload + 2, 8);

	schedule_expect(peer_number(payload + 10, 8) <= time,
		"client %u: a loss begins later than its report", peer->index);
	if (of < PEER_TYPES && peer->types[of].event)
		peer->lost[peer->types[of].event - 1] += count;
	else
		peer->unknown_lost += count;
}

static void take_declaration(struct peer *peer, const unsigned char *payload, size_t length)
{
	uint16_t of = (uint16_t)peer_number(payload, 2),
		 text = (uint16_t)peer_number(payload + 2, 2);

	schedule_expect(of < PEER_TYPES && peer->types[of].is_spare && !peer->types[of].event &&
			text + 4u <= length,
		"client %u: type %u is described and was not spare", peer->index, of);
	declare(peer, of, (const char *)payload + 4, text);
}

static void take_plain(struct peer *peer, uint16_t type, uint64_t time,
	const unsigned char *payload, size_t length)
{
	static const char hurried[] = WIRE_MESSAGE "delivery is no longer lossless";
	uint64_t number;

	switch (type) {
	case WIRE_CONTEXT:
		peer->thread = peer_number(payload, 8);
		break;
	case WIRE_NAME:
		number = peer_number(payload, 4);
		schedule_expect(number && number < PEER_NAMES, "client %u: name %" PRIu64,
			peer->index, number);
		peer->names[number] = peer_methods.name((const char *)payload + 4, length - 4);
		break;
	case WIRE_LOSS:
		take_loss(peer, payload, time);
		break;
	case WIRE_DECLARE:
		take_declaration(peer, payload, length);
		break;
	case WIRE_WATERMARK:
		number = peer_number(payload, 8);
		schedule_expect(number >= peer->watermark, "client %u: the watermark goes back",
			peer->index);
		peer->watermark = number;
		break;
	case WIRE_CLOCK:
		peer->zero = peer_number(payload, 8);
		break;
	case WIRE_SUBSCRIBED:
		peer->tag = (uint32_t)peer_number(payload, 4);
		peer->flags = payload[4];
		peer->answers++;
		peer_methods.answer(peer);
		break;
	case WIRE_LOG_MSG:
		peer->messages++;
		peer->told_hurried |=
			length > strlen(hurried) && !memcmp(payload, hurried, strlen(hurried));
		break;
	default:
		break;
	}
}

static void begin_block(struct peer *peer, const unsigned char *at)
{
	schedule_expect(!peer->block_end, "client %u: a block within a block", peer->index);
	peer->block_end = peer->taken + peer_number(at + EVENT_BYTES, 4);
	peer->block_time = peer_number(at + EVENT_BYTES + 4, 8);
	peer->run_time = peer->thread = 0;
}

static void take_in_block(struct peer *peer, uint16_t type, uint64_t time,
	const unsigned char *payload, size_t length, size_t whole)
{
	unsigned event = peer->types[type].event;

	schedule_expect(peer->block_end, "client %u: type %u is in no block", peer->index, type);
	schedule_expect(peer->taken + whole <= peer->block_end,
		"client %u: type %u runs over its block", peer->index, type);
	schedule_expect(time <= peer->block_time,
		"client %u: type %u at %" PRIu64 " is later than its block's end, %" PRIu64,
		peer->index, type, time, peer->block_time);
	if (type == WIRE_CONTEXT)
		peer->run_time = 0;
	schedule_expect(time >= peer->run_time,
		"client %u: type %u is earlier than the event before it", peer->index, type);
	peer->run_time = time;
	if (!event) {
		take_plain(peer, type, time, payload, length);
		return;
	}
	schedule_expect(time >= peer->watermark,
		"client %u: an event at %" PRIu64 " comes after the watermark %" PRIu64,
		peer->index, time, peer->watermark);
	peer_methods.take(peer, event - 1, time, payload, length);
}

/* Takes one event. Returns its length; 0: it has not arrived completely. */
static size_t take_event(struct peer *peer, const unsigned char *at, size_t left)
{
	size_t head = EVENT_BYTES, length;
	uint16_t type;

	if (left < 2)
		return 0;
	type = (uint16_t)peer_number(at, 2);
	if (type == WIRE_DATA_END) {
		schedule_expect(!peer->block_end && left == 2,
			"client %u: the end marker is not at the end", peer->index);
		peer->ended = true;
		return 2;
	}
	schedule_expect(type < PEER_TYPES && peer->types[type].declared,
		"client %u: type %u at %" PRIu64 " is not declared", peer->index, type,
		peer->taken);
	if (left < EVENT_BYTES + 2)
		return 0;
	length = peer->types[type].size;
	if (length == WIRE_VARIABLE) {
		length = peer_number(at + EVENT_BYTES, 2);
		head += 2;
	}
	if (left < head + length)
		return 0;
	if (type == WIRE_BLOCK_MARKER)
		begin_block(peer, at);
	else
		take_in_block(peer, type, peer_number(at + 2, 8), at + head, length, head + length);
	if (peer->taken + head + length == peer->block_end)
		peer->block_end = 0;
	return head + length;
}

void peer_take(struct peer *peer, size_t length)
{
	size_t at = 0, taken;

	peer->length += length;
	schedule_expect(
		!peer->ended || !length, "client %u: bytes follow the end marker", peer->index);
	while (!peer->ended &&
		(taken = peer->header_done
				? take_event(peer, peer->bytes + at, peer->length - at)
				: take_header(peer, peer->bytes + at, peer->length - at))) {
		at += taken;
		peer->taken += taken;
	}
	peer->length -= at;
	memmove(peer->bytes, peer->bytes + at, peer->length);
}
