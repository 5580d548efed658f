/*
 * perfetto_writer.c: a timeline as a Trace of Perfetto's protobuf schema, through nanopb's
 * encoder. The field numbers below are those that Perfetto publishes (perfetto_trace.proto);
 * tests/witness/perfetto.proto has the same, for protoc.
 *
 * A packet is encoded into memory and then written. All packets are of one sequence. Names that
 * recur are interned: the packet that uses one first also defines it.
 */
#include "cli/export/writers.h"

#if __has_include(<pb_encode.h>)

#include <errno.h>
#include <inttypes.h>
#include <pb_encode.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

const bool perfetto_is_built = true;

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
	/* a cut text, each of its bytes replaced by three, and what surrounds it */
	TEXT_ROOM = 3 * TIMELINE_TEXT_MAX + 64,
	EVENT_ROOM = TEXT_ROOM * (TIMELINE_DETAILS_MAX + 1),
	PACKET_ROOM = EVENT_ROOM + TEXT_ROOM + 64
};

struct perfetto_writer {
	struct timeline_writer writer;
	FILE *output;
	unsigned char *known; /* by name: whether it has been defined */
	size_t known_count;
	bool has_packets;
	int error;
	pb_byte_t inner[EVENT_ROOM], detail[TEXT_ROOM], packet[PACKET_ROOM];
	char clean[TEXT_ROOM];
};

static struct perfetto_writer *perfetto_of(struct timeline_writer *writer)
{
	return (struct perfetto_writer *)writer;
}

static void put_number(pb_ostream_t *stream, uint32_t field, uint64_t number)
{
	pb_encode_tag(stream, PB_WT_VARINT, field);
	pb_encode_varint(stream, number);
}

static void put_bytes(pb_ostream_t *stream, uint32_t field, const void *bytes, size_t size)
{
	pb_encode_tag(stream, PB_WT_STRING, field);
	pb_encode_string(stream, bytes, size);
}

static void put_text(struct perfetto_writer *perfetto, pb_ostream_t *stream, uint32_t field,
	const char *text, size_t length)
{
	if (length > TIMELINE_TEXT_MAX)
		length = TIMELINE_TEXT_MAX;
	put_bytes(stream, field, perfetto->clean, utf8_clean(perfetto->clean, text, length));
}

static pb_ostream_t packet_stream(struct perfetto_writer *perfetto)
{
	return pb_ostream_from_buffer(perfetto->packet, sizeof(perfetto->packet));
}

/* The rooms above are enough for all that is put there, so an error is a fault of this file. */
static void write_packet(struct perfetto_writer *perfetto, pb_ostream_t *packet)
{
	pb_byte_t head[16];
	pb_ostream_t stream = pb_ostream_from_buffer(head, sizeof(head));

	put_number(packet, PACKET_SEQUENCE, SEQUENCE);
	put_number(packet, PACKET_SEQUENCE_FLAGS, perfetto->has_packets ? NEEDED : CLEARED);
	perfetto->has_packets = true;
	pb_encode_tag(&stream, PB_WT_STRING, TRACE_PACKET);
	pb_encode_varint(&stream, packet->bytes_written);
	if ((stream.errmsg || packet->errmsg) && !perfetto->error)
		perfetto->error = EOVERFLOW;
	errno = 0;
	fwrite_unlocked(head, 1, stream.bytes_written, perfetto->output);
	fwrite_unlocked(perfetto->packet, 1, packet->bytes_written, perfetto->output);
	if (ferror_unlocked(perfetto->output) && !perfetto->error)
		perfetto->error = errno ? errno : EIO;
}

static void start(struct timeline_writer *writer, const struct timeline_process *process)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);
	pb_ostream_t packet = packet_stream(perfetto);
	pb_ostream_t track = pb_ostream_from_buffer(perfetto->inner, sizeof(perfetto->inner));
	pb_ostream_t detail = pb_ostream_from_buffer(perfetto->detail, sizeof(perfetto->detail));

	put_number(&detail, PROCESS_PID, process->pid);
	put_text(perfetto, &detail, PROCESS_NAME, process->name, strlen(process->name));
	put_number(&track, TRACK_UUID, PROCESS_TRACK);
	put_bytes(&track, TRACK_PROCESS, perfetto->detail, detail.bytes_written);
	put_number(&track, TRACK_CHILD_ORDER, ORDER_EXPLICIT);
	put_bytes(&packet, PACKET_DESCRIPTOR, perfetto->inner, track.bytes_written);
	write_packet(perfetto, &packet);
}

static void put_track(struct timeline_writer *writer, const struct timeline_track *track)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);
	pb_ostream_t packet = packet_stream(perfetto);
	pb_ostream_t inner = pb_ostream_from_buffer(perfetto->inner, sizeof(perfetto->inner));
	pb_ostream_t counter = pb_ostream_from_buffer(perfetto->detail, sizeof(perfetto->detail));
	/* a thread's tracks follow each other; ranks are 32 bits wide and signed */
	uint32_t rank = track->kind >= TIMELINE_THREAD
		? (8 << 17) + (track->number % (1u << 28)) * 4 + (track->kind - TIMELINE_THREAD)
		: ((uint32_t)track->kind << 17) + track->number % (1 << 17);

	put_number(&inner, TRACK_UUID, PROCESS_TRACK + (uint64_t)track->id);
	put_text(perfetto, &inner, TRACK_NAME, track->name, strlen(track->name));
	put_number(&inner, TRACK_PARENT, PROCESS_TRACK);
	if (track->kind == TIMELINE_COUNTER) {
		put_number(&counter, COUNTER_UNIT, UNIT_BYTES);
		put_bytes(&inner, TRACK_COUNTER, perfetto->detail, counter.bytes_written);
	}
	put_number(&inner, TRACK_RANK, rank);
	put_bytes(&packet, PACKET_DESCRIPTOR, perfetto->inner, inner.bytes_written);
	write_packet(perfetto, &packet);
}

/* Whether a name has been defined before; from now on it counts as defined. */
static bool is_known(struct perfetto_writer *perfetto, uint32_t id)
{
	unsigned char *grown;
	size_t count;

	if (id >= perfetto->known_count) {
		count = (size_t)id * 2 + 64;
		grown = realloc(perfetto->known, count);
		if (!grown)
			return false; /* it is defined again */
		memset(grown + perfetto->known_count, 0, count - perfetto->known_count);
		perfetto->known = grown;
		perfetto->known_count = count;
	}
	if (perfetto->known[id])
		return true;
	perfetto->known[id] = 1;
	return false;
}

static void define_name(
	struct perfetto_writer *perfetto, pb_ostream_t *packet, const struct timeline_name *name)
{
	pb_ostream_t entry = pb_ostream_from_buffer(perfetto->detail, sizeof(perfetto->detail));
	pb_ostream_t interned = pb_ostream_from_buffer(perfetto->inner, sizeof(perfetto->inner));

	put_number(&entry, EVENT_NAME_IID, name->id);
	put_text(perfetto, &entry, EVENT_NAME_NAME, name->text, name->length);
	put_bytes(&interned, INTERNED_EVENT_NAMES, perfetto->detail, entry.bytes_written);
	put_bytes(packet, PACKET_INTERNED, perfetto->inner, interned.bytes_written);
}

static void put_detail(
	struct perfetto_writer *perfetto, pb_ostream_t *event, const struct timeline_detail *detail)
{
	pb_ostream_t stream = pb_ostream_from_buffer(perfetto->detail, sizeof(perfetto->detail));

	put_bytes(&stream, DETAIL_NAME, detail->name, strlen(detail->name));
	if (detail->text)
		put_text(perfetto, &stream, DETAIL_TEXT, detail->text, detail->length);
	else
		put_number(&stream, DETAIL_UNSIGNED, detail->number);
	put_bytes(event, EVENT_DETAIL, perfetto->detail, stream.bytes_written);
}

static void put_flow(pb_ostream_t *event, uint32_t field, uint64_t flow)
{
	if (!flow)
		return;
	pb_encode_tag(event, PB_WT_64BIT, field);
	pb_encode_fixed64(event, &flow);
}

static void put_event(
	struct perfetto_writer *perfetto, const struct timeline_mark *mark, unsigned int type)
{
	pb_ostream_t packet = packet_stream(perfetto), event;

	put_number(&packet, PACKET_TIMESTAMP, mark->time);
	if (mark->name && mark->name->id && !is_known(perfetto, mark->name->id))
		define_name(perfetto, &packet, mark->name);
	event = pb_ostream_from_buffer(perfetto->inner, sizeof(perfetto->inner));
	put_number(&event, EVENT_TYPE, type);
	put_number(&event, EVENT_TRACK, PROCESS_TRACK + (uint64_t)mark->track);
	if (mark->name && mark->name->id)
		put_number(&event, EVENT_NAME_REFERENCE, mark->name->id);
	else if (mark->name)
		put_text(perfetto, &event, EVENT_NAME, mark->name->text, mark->name->length);
	for (size_t i = 0; i < mark->detail_count; i++)
		put_detail(perfetto, &event, &mark->details[i]);
	put_flow(&event, EVENT_FLOW, mark->flow_from);
	put_flow(&event, EVENT_FLOW_END, mark->flow_to);
	if (event.errmsg && !perfetto->error)
		perfetto->error = EOVERFLOW;
	put_bytes(&packet, PACKET_TRACK_EVENT, perfetto->inner, event.bytes_written);
	write_packet(perfetto, &packet);
}

/* ---- calls: most of a timeline, so these packets are written without nanopb's streams ---- */

static inline pb_byte_t *put_fast(pb_byte_t *at, uint32_t field, uint64_t number)
{
	uint64_t tag = (uint64_t)field << 3 | PB_WT_VARINT;

	for (; tag >= 0x80; tag >>= 7)
		*at++ = (pb_byte_t)(tag | 0x80);
	*at++ = (pb_byte_t)tag;
	for (; number >= 0x80; number >>= 7)
		*at++ = (pb_byte_t)(number | 0x80);
	*at++ = (pb_byte_t)number;
	return at;
}

/* A begin or an end without details, whose name is defined: every length fits into one byte. */
static void put_plain(
	struct perfetto_writer *perfetto, const struct timeline_mark *mark, unsigned int type)
{
	pb_byte_t packet[96], *event, *at = packet + 2;

	at = put_fast(at, PACKET_TIMESTAMP, mark->time);
	at = put_fast(at, PACKET_SEQUENCE, SEQUENCE);
	at = put_fast(at, PACKET_SEQUENCE_FLAGS, NEEDED);
	*at++ = PACKET_TRACK_EVENT << 3 | PB_WT_STRING;
	event = ++at;
	at = put_fast(at, EVENT_TYPE, type);
	at = put_fast(at, EVENT_TRACK, PROCESS_TRACK + (uint64_t)mark->track);
	if (mark->name)
		at = put_fast(at, EVENT_NAME_REFERENCE, mark->name->id);
	event[-1] = (pb_byte_t)(at - event);
	packet[0] = TRACE_PACKET << 3 | PB_WT_STRING;
	packet[1] = (pb_byte_t)(at - packet - 2);
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
	pb_ostream_t packet = packet_stream(perfetto);
	pb_ostream_t event = pb_ostream_from_buffer(perfetto->inner, sizeof(perfetto->inner));

	put_number(&packet, PACKET_TIMESTAMP, time);
	put_number(&event, EVENT_TYPE, TYPE_COUNTER);
	put_number(&event, EVENT_TRACK, PROCESS_TRACK + (uint64_t)track);
	put_number(&event, EVENT_COUNTER, value);
	put_bytes(&packet, PACKET_TRACK_EVENT, perfetto->inner, event.bytes_written);
	write_packet(perfetto, &packet);
}

static int finish(struct timeline_writer *writer, uint64_t time)
{
	struct perfetto_writer *perfetto = perfetto_of(writer);
	int result = timeline_flush(perfetto->output, perfetto->error);

	(void)time;
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

#else

const bool perfetto_is_built = false;

struct timeline_writer *perfetto_writer_new(FILE *output)
{
	(void)output;
	return NULL;
}

#endif
