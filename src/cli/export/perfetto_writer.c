/*
 * perfetto_writer.c: a timeline as a Trace of Perfetto's protobuf schema. The field numbers below
 * are those that Perfetto publishes (perfetto_trace.proto); tests/witness/perfetto.proto has the
 * same, for protoc.
 *
 * A packet is encoded into memory and then written. All packets are of one sequence. Names that
 * recur are interned: the packet that uses one first also defines it.
 */
#include "cli/export/writers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/protobuf.h"
#include "base/utf8.h"

enum {
	TRACE_PACKET = 1,

	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DESCRIPTOR = 60,

	INTERNED_EVENT_NAMES = 2,
	EVENT_NAME_IID = 1,
	EVENT_NAME_NAME = 2,

	EVENT_DETAIL = 4, /* debug_annotations */
	EVENT_TYPE = 9,
	EVENT_NAME_REFERENCE = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,

	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,

	DETAIL_UNSIGNED = 3,
	DETAIL_TEXT = 6,
	DETAIL_NAME = 10,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDER = 11,
	TRACK_RANK = 12,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	COUNTER_UNIT = 3,
	UNIT_BYTES = 3,
	ORDER_EXPLICIT = 3,

	CLEARED = 1, /* SEQ_INCREMENTAL_STATE_CLEARED */
	NEEDED = 2,  /* SEQ_NEEDS_INCREMENTAL_STATE */
	SEQUENCE = 1,

	PROCESS_TRACK = 1, /* uuid of the process; tracks' are this and their id */
	TEXT_ROOM = 3 * TIMELINE_TEXT_MAX + 1 /* each byte may be replaced by three */
};

struct perfetto_writer {
	struct timeline_writer writer;
	FILE *output;
	unsigned char *known; /* by name: whether it has been defined */
	size_t known_count;
	bool has_packets;
	int error;
	struct byte_buffer packet, inner, detail; /* one in the other; empty between packets */
	char clean[TEXT_ROOM];
};

static struct perfetto_writer *perfetto_of(struct timeline_writer *writer)
{
	return (struct perfetto_writer *)writer;
}

static void put_text(struct perfetto_writer *perfetto, struct byte_buffer *buffer, uint32_t field,
	const char *text, size_t length)
{
	if (length > TIMELINE_TEXT_MAX)
		length = TIMELINE_TEXT_MAX;
	protobuf_add_bytes(
		buffer, field, perfetto->clean, utf8_clean(perfetto->clean, text, length));
}

/* Writes the packet and empties it. */
static void write_packet(struct perfetto_writer *perfetto)
{
	struct byte_buffer *packet = &perfetto->packet;
	unsigned char head[2 * PROTOBUF_NUMBER_MAX];
	unsigned char *end = protobuf_encode_tag(head, TRACE_PACKET, PROTOBUF_BYTES);

	protobuf_add_number(packet, PACKET_SEQUENCE, SEQUENCE);
	protobuf_add_number(
		packet, PACKET_SEQUENCE_FLAGS, perfetto->has_packets ? NEEDED : CLEARED);
	perfetto->has_packets = true;
	end = protobuf_encode(end, packet->length);
	if (packet->has_failed && !perfetto->error)
		perfetto->error = ENOMEM;
	errno = 0;
	fwrite_unlocked(head, 1, (size_t)(end - head), perfetto->output);
	fwrite_unlocked(packet->bytes, 1, packet->length, perfetto->output);
	if (ferror_unlocked(perfetto->output) && !perfetto->error)
		perfetto->error = errno ? errno : EIO;
	packet->length = 0;
}

static void start(struct timeline_writer *writer, const struct timeline_process *process)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);
	struct byte_buffer *packet = &perfetto->packet;
	struct byte_buffer *track = &perfetto->inner;
	struct byte_buffer *detail = &perfetto->detail;

	protobuf_add_number(detail, PROCESS_PID, process->pid);
	put_text(perfetto, detail, PROCESS_NAME, process->name, strlen(process->name));
	protobuf_add_number(track, TRACK_UUID, PROCESS_TRACK);
	protobuf_add_message(track, TRACK_PROCESS, detail);
	protobuf_add_number(track, TRACK_CHILD_ORDER, ORDER_EXPLICIT);
	protobuf_add_message(packet, PACKET_DESCRIPTOR, track);
	write_packet(perfetto);
}

static void put_track(struct timeline_writer *writer, const struct timeline_track *track)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);
	struct byte_buffer *packet = &perfetto->packet;
	struct byte_buffer *inner = &perfetto->inner;
	struct byte_buffer *counter = &perfetto->detail;
	/* a thread's tracks follow each other; ranks are 32 bits wide and signed */
	uint32_t rank = track->kind >= TIMELINE_THREAD
		? (8 << 17) + (track->number % (1u << 28)) * 4 + (track->kind - TIMELINE_THREAD)
		: ((uint32_t)track->kind << 17) + track->number % (1 << 17);

	protobuf_add_number(inner, TRACK_UUID, PROCESS_TRACK + (uint64_t)track->id);
	put_text(perfetto, inner, TRACK_NAME, track->name, strlen(track->name));
	protobuf_add_number(inner, TRACK_PARENT, PROCESS_TRACK);
	if (track->kind == TIMELINE_COUNTER) {
		protobuf_add_number(counter, COUNTER_UNIT, UNIT_BYTES);
		protobuf_add_message(inner, TRACK_COUNTER, counter);
	}
	protobuf_add_number(inner, TRACK_RANK, rank);
	protobuf_add_message(packet, PACKET_DESCRIPTOR, inner);
	write_packet(perfetto);
}

/* Whether a name has been defined before; from now on it counts as defined. */
static bool is_known(struct perfetto_writer *perfetto, uint32_t id)
{
	size_t count = perfetto->known_count;

	if (array_room(&perfetto->known, &perfetto->known_count, id, 1))
		return false; /* it is defined again */
	memset(perfetto->known + count, 0, perfetto->known_count - count);
	if (perfetto->known[id])
		return true;
	perfetto->known[id] = 1;
	return false;
}

static void define_name(struct perfetto_writer *perfetto, struct byte_buffer *packet,
	const struct timeline_name *name)
{
	struct byte_buffer *entry = &perfetto->detail;
	struct byte_buffer *interned = &perfetto->inner;

	protobuf_add_number(entry, EVENT_NAME_IID, name->id);
	put_text(perfetto, entry, EVENT_NAME_NAME, name->text, name->length);
	protobuf_add_message(interned, INTERNED_EVENT_NAMES, entry);
	protobuf_add_message(packet, PACKET_INTERNED, interned);
}

static void put_detail(struct perfetto_writer *perfetto, struct byte_buffer *event,
	const struct timeline_detail *detail)
{
	struct byte_buffer *stream = &perfetto->detail;

	protobuf_add_bytes(stream, DETAIL_NAME, detail->name, strlen(detail->name));
	if (detail->text)
		put_text(perfetto, stream, DETAIL_TEXT, detail->text, detail->length);
	else
		protobuf_add_number(stream, DETAIL_UNSIGNED, detail->number);
	protobuf_add_message(event, EVENT_DETAIL, stream);
}

static void put_flow(struct byte_buffer *event, uint32_t field, uint64_t flow)
{
	if (flow)
		protobuf_add_fixed64(event, field, flow);
}

static void put_event(
	struct perfetto_writer *perfetto, const struct timeline_mark *mark, unsigned int type)
{
	struct byte_buffer *packet = &perfetto->packet, *event = &perfetto->inner;

	protobuf_add_number(packet, PACKET_TIMESTAMP, mark->time);
	if (mark->name && mark->name->id && !is_known(perfetto, mark->name->id))
		define_name(perfetto, packet, mark->name);
	protobuf_add_number(event, EVENT_TYPE, type);
	protobuf_add_number(event, EVENT_TRACK, PROCESS_TRACK + (uint64_t)mark->track);
	if (mark->name && mark->name->id)
		protobuf_add_number(event, EVENT_NAME_REFERENCE, mark->name->id);
	else if (mark->name)
		put_text(perfetto, event, EVENT_NAME, mark->name->text, mark->name->length);
	for (size_t i = 0; i < mark->detail_count; i++)
		put_detail(perfetto, event, &mark->details[i]);
	put_flow(event, EVENT_FLOW, mark->flow_from);
	put_flow(event, EVENT_FLOW_END, mark->flow_to);
	protobuf_add_message(packet, PACKET_TRACK_EVENT, event);
	write_packet(perfetto);
}

/* ---- calls: most of a timeline, so these packets are written without the buffers ---- */

static inline unsigned char *put_fast(unsigned char *at, uint32_t field, uint64_t number)
{
	return protobuf_encode(protobuf_encode_tag(at, field, PROTOBUF_NUMBER), number);
}

/* A begin or an end without details, whose name is defined: every length fits into one byte. */
static void put_plain(
	struct perfetto_writer *perfetto, const struct timeline_mark *mark, unsigned int type)
{
	unsigned char packet[96], *event, *at = packet + 2;

	at = put_fast(at, PACKET_TIMESTAMP, mark->time);
	at = put_fast(at, PACKET_SEQUENCE, SEQUENCE);
	at = put_fast(at, PACKET_SEQUENCE_FLAGS, NEEDED);
	*at++ = PACKET_TRACK_EVENT << 3 | PROTOBUF_BYTES;
	event = ++at;
	at = put_fast(at, EVENT_TYPE, type);
	at = put_fast(at, EVENT_TRACK, PROCESS_TRACK + (uint64_t)mark->track);
	if (mark->name)
		at = put_fast(at, EVENT_NAME_REFERENCE, mark->name->id);
	event[-1] = (unsigned char)(at - event);
	packet[0] = TRACE_PACKET << 3 | PROTOBUF_BYTES;
	packet[1] = (unsigned char)(at - packet - 2);
	errno = 0;
	if (fwrite_unlocked(packet, 1, (size_t)(at - packet), perfetto->output) !=
			(size_t)(at - packet) &&
		!perfetto->error)
		perfetto->error = errno ? errno : EIO;
}

static bool is_plain(const struct perfetto_writer *perfetto, const struct timeline_mark *mark)
{
	const struct timeline_name *name = mark->name;

	return !mark->detail_count && !mark->flow_from && !mark->flow_to &&
		(!name ||
			(name->id && name->id < perfetto->known_count &&
				perfetto->known[name->id]));
}

static void put_begin(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);

	if (is_plain(perfetto, mark))
		put_plain(perfetto, mark, TYPE_BEGIN);
	else
		put_event(perfetto, mark, TYPE_BEGIN);
}

static void put_end(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);

	if (is_plain(perfetto, mark))
		put_plain(perfetto, mark, TYPE_END);
	else
		put_event(perfetto, mark, TYPE_END);
}

static void put_instant(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	put_event(perfetto_of(writer), mark, TYPE_INSTANT);
}

static void put_counter(
	struct timeline_writer *writer, uint32_t track, uint64_t time, uint64_t value)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);
	struct byte_buffer *packet = &perfetto->packet;
	struct byte_buffer *event = &perfetto->inner;

	protobuf_add_number(packet, PACKET_TIMESTAMP, time);
	protobuf_add_number(event, EVENT_TYPE, TYPE_COUNTER);
	protobuf_add_number(event, EVENT_TRACK, PROCESS_TRACK + (uint64_t)track);
	protobuf_add_number(event, EVENT_COUNTER, value);
	protobuf_add_message(packet, PACKET_TRACK_EVENT, event);
	write_packet(perfetto);
}

static int finish(struct timeline_writer *writer, uint64_t time)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);
	int result = timeline_flush(perfetto->output, perfetto->error);

	(void)time;
	byte_buffer_free(&perfetto->packet);
	byte_buffer_free(&perfetto->inner);
	byte_buffer_free(&perfetto->detail);
	free(perfetto->known);
	free(perfetto);
	return -result;
}

static const struct timeline_operations operations = {
	.start = start,
	.track = put_track,
	.begin = put_begin,
	.end = put_end,
	.instant = put_instant,
	.counter = put_counter,
	.finish = finish,
};

struct timeline_writer *perfetto_writer_new(FILE *output)
{
	struct perfetto_writer *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->writer.operations = &operations;
	perfetto->output = output;
	return &perfetto->writer;
}
