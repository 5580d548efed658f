/*
 * recording.c: see recording.h. Received bytes stay in a buffer until their event is whole. A
 * failed write must not leave part of an event in the file, so the file is then cut after its last
 * whole event.
 */
#include "source/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/byte_buffer.h"
#include "base/bytes.h"
#include "base/clean_text.h"
#include "base/debug.h"
#include "base/test_point.h"
#include "source/eventlog/names.h"
#include "source/log_output.h"
#include "wire/frame.h"
#include "wire/layout.h"
#include "wire/records.h"
#include "wire/wire_type.h"

enum {
	BUFFER_BYTES = 2 << 20,
	ROOM_BYTES = 512 * 1024,   /* the least that is offered; more than any event needs */
	WRITE_BYTES = 512 * 1024,  /* the size of a write when events come fast */
	STATE_BYTES_MAX = 4 << 20, /* limit for the events that each file repeats */
	END_BYTES = 2,
	CONTEXT_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_CONTEXT,
	STACK_BYTES_MAX = WIRE_EVENT_BYTES + 2 + 2 + 256 * 16,
	CPU_TIME_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_CPU_TIME,
	SAMPLE_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_HEAP_PROF_SAMPLE_BEGIN,
	COMPRESSED_MARGIN = 512,   /* a frame may be larger than its contents */
	NAME_BLOCK_BYTES = 1 << 20 /* a block of names is ended when it exceeds this */
};

/* A position in a file, with the state of its blocks. */
struct place {
	uint64_t size; /* bytes of the file */
	bool in_block;
	uint64_t marker;   /* offset of the block's marker in the file */
	uint64_t left;     /* bytes of the block that have yet to come */
	uint64_t end_time; /* time of the last event */
};

struct recording {
	struct recording_settings settings;
	struct log_output *output; /* NULL: no file is open */
	bool is_open;
	bool failed;     /* nothing more can be written */
	uint64_t stored; /* bytes of the files before this one */
	struct records records;
	uint16_t *lengths; /* by event type, for types that are only counted; 0 for the others */
	struct recording_counts counts;
	unsigned char *buffer;
	size_t written, scanned, filled;      /* offsets in the buffer, in this order */
	struct place place, before;           /* the places at scanned and at written */
	uint64_t block_end;                   /* the block's end time according to its marker */
	unsigned char context[CONTEXT_BYTES]; /* the last CONTEXT of the block */
	bool has_context;
	unsigned char sample[SAMPLE_BYTES]; /* the begin event of the present heap sample */
	bool in_sample;
	unsigned char cpu_time[CPU_TIME_BYTES]; /* belongs to the next event */
	bool has_cpu_time;
	unsigned char stack[STACK_BYTES_MAX]; /* the same */
	size_t stack_bytes;                   /* 0: it has none */

	/* repeated at the beginning of further files */
	struct byte_buffer header; /* as received */
	struct byte_buffer ghc;    /* only GHC's types */
	struct byte_buffer state;
	struct names names;
};

static int put_number(struct byte_buffer *buffer, uint64_t value, unsigned int size)
{
	unsigned char number[8];

	bytes_put(number, value, size);
	return byte_buffer_add(buffer, number, size);
}

/* Returns the header that each file begins with. */
static const struct byte_buffer *file_header(const struct recording *recording)
{
	return recording->settings.ghc_only ? &recording->ghc : &recording->header;
}

/* ---- the file ---- */

/* Returns the largest possible size of a file that has only these bytes and its end. */
static uint64_t size_of_beginning(const struct recording *recording, size_t bytes)
{
	return bytes + END_BYTES +
		(recording->settings.compression ? COMPRESSED_MARGIN + bytes / 64 : 0);
}

static int open_file(struct recording *recording, struct error *error)
{
	int result = log_output_open(recording->settings.file, recording->settings.compression,
		&recording->output, error);

	recording->counts.files += !result;
	return result;
}

/* Advances the place by that many bytes of events (block markers not counted); time is that of the
 * last one. */
static void pass_bytes(struct place *place, size_t bytes, uint64_t time)
{
	place->size += bytes;
	place->left -= place->left < bytes ? place->left : bytes;
	if (!place->left)
		place->in_block = false;
	place->end_time = time;
}

/* Advances the place by one event of the file. */
static void pass(struct place *place, const struct record *record)
{
	if (record->type != WIRE_BLOCK_MARKER) {
		pass_bytes(place, record->bytes, record->time);
		return;
	}
	place->in_block = true;
	place->marker = place->size;
	place->left = bytes_u32(record->payload);
	pass_bytes(place, record->bytes, place->end_time);
}

/*
 * If the file's last block is shorter than its marker says, corrects the marker. A file that
 * is not seekable (a pipe) stays as it is, as in a stream.
 */
static void end_block(const struct recording *recording, const struct place *place)
{
	unsigned char patch[12];

	if (!place->in_block)
		return;
	bytes_put(patch, place->size - place->marker, 4);
	bytes_put(patch + 4, place->end_time, 8);
	TEST_POINT("recording-block-open");
	log_output_patch(recording->output, place->marker + WIRE_EVENT_BYTES, patch, sizeof(patch));
}

/* Handles a failed write after done of the buffer's bytes: ends the file before them. */
static int fail_write(struct recording *recording, int result, size_t done, struct error *error)
{
	struct place place = recording->before;
	const unsigned char *at = recording->buffer + recording->written;
	struct records events = recording->records;
	int64_t size;

	recording->failed = true;
	if (log_output_is_compressed(recording->output))
		done = 0;
	/* scan the same bytes again, as far as they are in the file */
	events.position = 0;
	events.block = events.block_end = 0;
	events.has_ended = false;
	for (;;) {
		struct record record;
		size_t used;
		if (records_next(&events, at, done, &used, &record) != RECORDS_EVENT)
			break;
		pass(&place, &record);
		at += used;
		done -= used;
	}
	/* if this fails, part of an event stays in the file, which readers report */
	size = log_output_cut(recording->output, place.size);
	if (size < 0)
		return error_set(
			error, -result, "%s: %s", recording->settings.file, strerror(-result));
	end_block(recording, &place);
	return error_set(error, -result,
		"%s: %s: the file ends after the last whole event, at byte %" PRIi64,
		recording->settings.file, strerror(-result), size);
}

/* Writes bytes that wait to be compressed: those that are due, or all that may be written. */
static int write_waiting(struct recording *recording, bool all, struct error *error)
{
	const struct place *place = &recording->before;
	int result;

	if (!recording->output)
		return 0;
	result = log_output_may_end(
		recording->output, place->in_block ? place->marker : place->size);
	if (!result && all)
		result = log_output_flush(recording->output);
	recording->counts.stored = recording->stored + log_output_written(recording->output);
	return result ? fail_write(recording, result, 0, error) : 0;
}

int recording_flush(struct recording *recording, struct error *error)
{
	size_t done;
	int result;

	if (recording->failed)
		return 0;
	if (recording->written == recording->scanned)
		return write_waiting(recording, false, error);
	result = log_output_write(recording->output, recording->buffer + recording->written,
		recording->scanned - recording->written, &done);
	if (result)
		return fail_write(recording, result, done, error);
	recording->written = recording->scanned;
	recording->before = recording->place;
	return write_waiting(recording, false, error);
}

/* Writes bytes that do not come from the buffer: the header, and the beginning of a further
 * file. */
static int write_own(
	struct recording *recording, const unsigned char *bytes, size_t size, struct error *error)
{
	size_t done;
	int result = log_output_write(recording->output, bytes, size, &done);

	if (result) {
		recording->failed = true;
		log_output_cut(recording->output, 0);
		return error_set(error, -result, "%s: %s: not even the header can be written",
			recording->settings.file, strerror(-result));
	}
	recording->place.size += size;
	recording->counts.bytes += size;
	return 0;
}

/* Ends the file after the scanned events. */
static int end_file(struct recording *recording, bool marker, struct error *error)
{
	static const unsigned char end[END_BYTES] = {WIRE_DATA_END >> 8, WIRE_DATA_END & 255};
	size_t done;
	int result = recording_flush(recording, error), closed;

	if (!recording->failed) {
		end_block(recording, &recording->place);
		if (marker && recording->records.has_header) {
			result = log_output_write(recording->output, end, sizeof(end), &done);
			if (result)
				result = fail_write(recording, result, 0, error);
		}
	}
	recording->stored += log_output_written(recording->output);
	closed = log_output_close(recording->output);
	recording->output = NULL;
	if (closed && !result)
		result = error_set(
			error, -closed, "%s: %s", recording->settings.file, strerror(-closed));
	return result;
}

/* ---- further files ---- */

/*
 * Keeps an event that describes the process. If an identical one was kept before, it is kept
 * only at its new place, because capabilities may come and go without end.
 */
static int keep_state(struct recording *recording, const struct record *record)
{
	struct byte_buffer *state = &recording->state;
	const unsigned char *from = recording->buffer + recording->scanned;
	size_t size;

	for (size_t at = 0; at < state->length; at += size) {
		unsigned char *kept = state->bytes + at;
		size = frame_bytes((uint16_t)recording->records.sizes[bytes_u16(kept)], kept);
		if (size != record->bytes || bytes_u16(kept) != record->type ||
			memcmp(kept + size - record->size, record->payload, record->size) != 0)
			continue;
		memmove(kept, kept + size, state->length - at - size);
		state->length -= size;
		break;
	}
	if (state->length + record->bytes > STATE_BYTES_MAX)
		return -E2BIG;
	return byte_buffer_add(state, from, record->bytes);
}

static int remember(struct recording *recording, const struct record *record, struct error *error)
{
	int result = 0;

	if (record->type == WIRE_NAME && record_is_whole(record)) {
		result = names_define(&recording->names, bytes_u32(record->payload),
			(const char *)record->payload + 4, record->size - 4);
	} else if (wire_type_has(record->type, WIRE_STATE)) {
		result = keep_state(recording, record);
	}
	if (result)
		return error_set(error, -result, "%s: what every file repeats: %s",
			recording->settings.file, strerror(-result));
	return 0;
}

/* Fills in the size that begin_block() could not know. */
static void end_own_block(struct byte_buffer *buffer, size_t block)
{
	bytes_put(buffer->bytes + block + WIRE_EVENT_BYTES, buffer->length - block, 4);
}

static int begin_own_block(struct byte_buffer *buffer, uint64_t time, uint64_t end, uint16_t cap)
{
	return put_number(buffer, WIRE_BLOCK_MARKER, 2) || put_number(buffer, time, 8) ||
			put_number(buffer, 0, 4) || put_number(buffer, end, 8) ||
			put_number(buffer, cap, 2)
		? -ENOMEM
		: 0;
}

static int put_names(const struct recording *recording, struct byte_buffer *out, uint64_t time)
{
	size_t block = 0;
	bool in_block = false;
	int result = 0;

	for (uint32_t id = 0; id < recording->names.id_count && !result; id++) {
		const struct text *text =
			recording->names.texts[names_index(&recording->names, id)];
		if (!text)
			continue;
		if (in_block && out->length - block > NAME_BLOCK_BYTES) {
			end_own_block(out, block);
			in_block = false;
		}
		if (!in_block) {
			block = out->length;
			result = begin_own_block(out, time, time, WIRE_NO_CAP);
			in_block = true;
		}
		/* text and id fit, because they came in one event */
		if (result || put_number(out, WIRE_NAME, 2) || put_number(out, time, 8) ||
			put_number(out, 4 + text->length, 2) || put_number(out, id, 4) ||
			byte_buffer_add(out, text->bytes, text->length))
			result = -ENOMEM;
	}
	if (in_block && !result)
		end_own_block(out, block);
	return result;
}

/*
 * Makes the beginning of a file that continues the previous one, before this event. If the
 * previous block has bytes left, its continuation begins at *rest.
 */
static int put_preamble(const struct recording *recording, const struct record *record,
	uint64_t left, struct byte_buffer *out, size_t *rest)
{
	size_t block;
	const struct byte_buffer *header = file_header(recording);
	int result = byte_buffer_add(out, header->bytes, header->length);

	block = out->length;
	if (!result)
		result = begin_own_block(out, record->time, record->time, WIRE_NO_CAP);
	if (!result)
		result = byte_buffer_add(out, recording->state.bytes, recording->state.length);
	if (result)
		return result;
	end_own_block(out, block);
	result = put_names(recording, out, record->time);
	if (result || record->type == WIRE_BLOCK_MARKER || !left)
		return result;
	*rest = block = out->length;
	result = begin_own_block(out, record->time, recording->block_end, record->cap);
	if (!result && recording->in_sample)
		result = byte_buffer_add(out, recording->sample, sizeof(recording->sample));
	if (!result && recording->has_context)
		result = byte_buffer_add(out, recording->context, sizeof(recording->context));
	if (!result && recording->has_cpu_time)
		result = byte_buffer_add(out, recording->cpu_time, sizeof(recording->cpu_time));
	if (!result)
		result = byte_buffer_add(out, recording->stack, recording->stack_bytes);
	if (!result)
		bytes_put(out->bytes + block + WIRE_EVENT_BYTES, out->length - block + left, 4);
	return result;
}

/* Renames FILE to FILE.1, FILE.1 to FILE.2 and so on, as long as the numbers are consecutive. */
static void shift_files(const struct recording *recording)
{
	const char *file = recording->settings.file;
	size_t size = strlen(file) + 16;
	char *from = malloc(size), *to = malloc(size);
	unsigned int last = 0;
	bool exists = true;

	while (to && exists && last + 1 < recording->settings.files) {
		snprintf(to, size, "%s.%u", file, ++last);
		exists = access(to, F_OK) == 0;
	}
	for (unsigned int i = last; from && to && i; i--) {
		snprintf(to, size, "%s.%u", file, i);
		if (i > 1)
			snprintf(from, size, "%s.%u", file, i - 1);
		else
			snprintf(from, size, "%s", file);
		/* somebody may have removed one meanwhile, which is no error */
		rename(from, to);
		TEST_POINT("recording-rotated");
	}
	free(from);
	free(to);
}

/* Begins the next file with this event, of which nothing has been written yet. */
static int rotate(struct recording *recording, const struct record *record, struct error *error)
{
	struct byte_buffer preamble = {0};
	bool marker = record->type == WIRE_BLOCK_MARKER;
	uint64_t left = marker || !recording->place.in_block ? 0 : recording->place.left;
	size_t rest = 0;
	int result = put_preamble(recording, record, left, &preamble, &rest);

	if (result) {
		error_set(error, -result, "%s: %s", recording->settings.file, strerror(-result));
		goto out;
	}
	if (size_of_beginning(recording, preamble.length + record->bytes) >
		recording->settings.size_max) {
		result = error_set(error, EFBIG,
			"%s: --max-size is too small: what each file repeats takes %zu bytes",
			recording->settings.file, preamble.length);
		goto out;
	}
	result = end_file(recording, true, error);
	if (result)
		goto out;
	shift_files(recording);
	result = open_file(recording, error);
	if (result)
		goto out;
	recording->place = (struct place){0};
	result = write_own(recording, preamble.bytes, preamble.length, error);
	if (result)
		goto out;
	if (left) {
		recording->place.in_block = true;
		recording->place.marker = rest;
		recording->place.left = left;
		recording->place.end_time = record->time;
	}
	recording->before = recording->place;
out:
	if (result)
		recording->failed = true;
	byte_buffer_free(&preamble);
	return result;
}

/* ---- received bytes ---- */

int recording_new(
	const struct recording_settings *settings, struct recording **result, struct error *error)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	*result = NULL;
	if (!recording)
		return error_set(error, ENOMEM, "%s: out of memory", settings->file);
	recording->settings = *settings;
	recording->buffer = malloc(BUFFER_BYTES);
	recording->lengths = calloc(WIRE_DATA_END + 1, sizeof(*recording->lengths));
	if (records_init(&recording->records) || names_init(&recording->names) ||
		!recording->buffer || !recording->lengths) {
		recording_close(recording, false, NULL);
		return error_set(error, ENOMEM, "%s: out of memory", settings->file);
	}
	*result = recording;
	return 0;
}

static bool is_counted(uint16_t type)
{
	return type != WIRE_BLOCK_MARKER && !wire_is_own(type);
}

/* Finds the types whose events are only counted: nearly all events of a fast stream. */
static void find_lengths(struct recording *recording)
{
	for (unsigned int type = 0; type < WIRE_DATA_END; type++) {
		int32_t size = recording->records.sizes[type];
		bool is_looked_at = size < 0 || size > UINT16_MAX - WIRE_EVENT_BYTES ||
			size == WIRE_VARIABLE || !is_counted((uint16_t)type) ||
			wire_type_has((uint16_t)type, WIRE_STATE) ||
			type == WIRE_HEAP_PROF_SAMPLE_BEGIN || type == WIRE_HEAP_PROF_SAMPLE_END ||
			(recording->settings.ghc_only && !wire_is_ghc((uint16_t)type));
		if (!is_looked_at)
			recording->lengths[type] = (uint16_t)(WIRE_EVENT_BYTES + size);
	}
}

int recording_open(struct recording *recording, struct error *error)
{
	const struct byte_buffer *header = file_header(recording);
	uint64_t max = recording->settings.size_max;
	struct stat status;
	int result;

	if (max && size_of_beginning(recording, header->length) > max)
		return error_set(error, EFBIG,
			"%s: --max-size is too small: the header takes %zu bytes",
			recording->settings.file, header->length);
	/* a pipe or device must be neither renamed nor replaced by a file */
	if (recording->settings.files && !stat(recording->settings.file, &status) &&
		!S_ISREG(status.st_mode))
		return error_set(error, EINVAL, "%s: only regular files can be rotated",
			recording->settings.file);
	result = open_file(recording, error);
	if (result)
		return result;
	recording->is_open = true;
	find_lengths(recording);
	result = write_own(recording, header->bytes, header->length, error);
	recording->before = recording->place;
	return result ? result : write_waiting(recording, true, error);
}

void *recording_room(struct recording *recording, size_t *room)
{
	if (BUFFER_BYTES - recording->filled < ROOM_BYTES) {
		/* the scanned bytes have been written: see recording_received() */
		memmove(recording->buffer, recording->buffer + recording->scanned,
			recording->filled - recording->scanned);
		recording->filled -= recording->scanned;
		recording->written = recording->scanned = 0;
	}
	*room = BUFFER_BYTES - recording->filled;
	return recording->buffer + recording->filled;
}

/* Skips as many consecutive events as fit into the file, if they are only counted. */
static void skip_events(struct recording *recording)
{
	uint64_t max = recording->settings.size_max, used, left;
	size_t size = recording->filled - recording->scanned;
	uint64_t events, time;

	if (max) {
		used = log_output_size(recording->output, recording->place.size, END_BYTES);
		left = max > used ? max - used : 0;
		if (log_output_is_compressed(recording->output))
			left -= left / 64; /* the most that frames add */
		size = left < size ? (size_t)left : size;
	}
	size = records_skip(&recording->records, recording->lengths,
		recording->buffer + recording->scanned, size, &events, &time);
	if (!size)
		return;
	recording->has_cpu_time = false;
	recording->stack_bytes = 0;
	pass_bytes(&recording->place, size, time);
	recording->counts.bytes += size;
	recording->counts.events += events;
	recording->scanned += size;
}

/* Remembers those events of the block that a file would have to repeat if it began with the next
 * event. */
static void remember_block(struct recording *recording, const struct record *record)
{
	const unsigned char *from = recording->buffer + recording->scanned;

	if (record->type == WIRE_BLOCK_MARKER) {
		recording->block_end = bytes_u64(record->payload + 4);
		recording->has_context = recording->in_sample = false;
	} else if (record->type == WIRE_CONTEXT && record->bytes == CONTEXT_BYTES) {
		memcpy(recording->context, from, CONTEXT_BYTES);
		recording->has_context = true;
	} else if (record->type == WIRE_HEAP_PROF_SAMPLE_BEGIN && record->bytes == SAMPLE_BYTES) {
		memcpy(recording->sample, from, SAMPLE_BYTES);
		recording->in_sample = true;
	} else if (record->type == WIRE_HEAP_PROF_SAMPLE_END) {
		recording->in_sample = false;
	}
	recording->stack_bytes = 0;
	if (record->type == WIRE_STACK && record->bytes <= sizeof(recording->stack)) {
		recording->stack_bytes = record->bytes;
		memcpy(recording->stack, from, record->bytes);
		return; /* the CPU clock before it belongs to the same event */
	}
	recording->has_cpu_time =
		record->type == WIRE_CPU_TIME && record->bytes == sizeof(recording->cpu_time);
	if (recording->has_cpu_time)
		memcpy(recording->cpu_time, from, sizeof(recording->cpu_time));
}

static bool fits(const struct recording *recording, uint64_t needed)
{
	uint64_t max = recording->settings.size_max;

	return !max ||
		log_output_size(recording->output, recording->place.size, needed + END_BYTES) <=
		max;
}

/* Sets *has_room if `needed` more bytes fit into the file. If they do not, compresses the waiting
 * bytes first, since these may turn out smaller than assumed. Returns 0 or a negative errno. */
static int look_for_room(
	struct recording *recording, uint64_t needed, bool *has_room, struct error *error)
{
	uint64_t before;
	int result;

	*has_room = fits(recording, needed);
	if (*has_room || !log_output_is_compressed(recording->output))
		return 0;
	before = log_output_size(recording->output, recording->place.size, 0);
	result = recording_flush(recording, error);
	if (!result)
		result = write_waiting(recording, true, error);
	/* If little was gained, the file counts as full; otherwise ever smaller frames would fill
	 * the rest. */
	*has_room = !result && fits(recording, needed) &&
		before - log_output_size(recording->output, recording->place.size, 0) >=
			recording->settings.size_max / 64;
	return result;
}

static void remember_message(struct recording *recording, const struct record *record)
{
	size_t length;
	const char *text = record_message(record->payload, record->size, &length);

	if (text)
		clean_text(recording->counts.message, sizeof(recording->counts.message), text,
			length, true);
}

/* Takes the event at scanned. Returns 0, 1 if it does not fit any more, or a negative errno. */
static int take_event(struct recording *recording, const struct record *record, struct error *error)
{
	uint64_t needed = record->bytes;
	bool has_room;
	int result;

	if (recording->settings.ghc_only && !wire_is_ghc(record->type)) {
		recording->failed = true;
		return error_set(error, EPROTO,
			"byte %" PRIu64 ": an event of type %u, which is none of GHC's",
			record->position, record->type);
	}
	/* a heap sample is the rest of its block; it stays in one file if that has room */
	if (record->type == WIRE_HEAP_PROF_SAMPLE_BEGIN && recording->place.left > needed)
		needed = recording->place.left;
	result = look_for_room(recording, needed, &has_room, error);
	if (result)
		return result;
	if (!has_room) {
		if (!recording->settings.files)
			return 1;
		result = rotate(recording, record, error);
		if (result)
			return result;
	}
	if (recording->settings.files) {
		result = remember(recording, record, error);
		if (result) {
			recording->failed = true;
			return result;
		}
	}
	remember_block(recording, record);
	recording->counts.lost += record_lost(record);
	recording->counts.loss_reasons |= record_loss_reasons(record);
	recording->counts.is_answered |= record->type == WIRE_SUBSCRIBED;
	if (record->type == WIRE_SUBSCRIBED && record->size > 4)
		recording->counts.is_lossy = !(record->payload[4] & WIRE_LOSSLESS);
	if (record->type == WIRE_LOG_MSG && !record_lost(record))
		remember_message(recording, record);
	pass(&recording->place, record);
	recording->counts.bytes += record->bytes;
	recording->counts.events += is_counted(record->type);
	recording->counts.samples += record->type == WIRE_HEAP_PROF_SAMPLE_BEGIN;
	recording->scanned += record->bytes;
	return 0;
}

/* Keeps a part of the header for readers that know only GHC's types, with GHC's names. */
static int put_ghc_part(struct recording *recording, const unsigned char *at, size_t used)
{
	const struct header *header = &recording->records.header;
	struct byte_buffer *out = &recording->ghc;
	struct layout layout;
	uint16_t number;
	bool is_type = used >= 4 && bytes_u32(at) == WIRE_TYPE_BEGIN;

	if (!is_type)
		return byte_buffer_add(out, at, used);
	number = header->type.number;
	if (!wire_is_ghc(number))
		return 0;
	layout_make(&layout, number, "");
	return put_number(out, WIRE_TYPE_BEGIN, 4) || put_number(out, number, 2) ||
			put_number(out, header->type.size, 2) ||
			put_number(out, strlen(layout.name), 4) ||
			byte_buffer_add(out, layout.name, strlen(layout.name)) ||
			put_number(out, 0, 4) || put_number(out, WIRE_TYPE_END, 4)
		? -ENOMEM
		: 0;
}

static int take_header(struct recording *recording, size_t used, struct error *error)
{
	const unsigned char *at = recording->buffer + recording->scanned;
	int result = byte_buffer_add(&recording->header, at, used);

	if (!result && recording->settings.ghc_only)
		result = put_ghc_part(recording, at, used);
	recording->scanned += used;
	recording->written = recording->scanned;
	if (result)
		return error_set(error, -result, "%s: out of memory", recording->settings.file);
	return 0;
}

int recording_received(struct recording *recording, size_t size, struct error *error)
{
	int result = 0;

	recording->filled += size;
	while (!result && (recording->is_open || !recording->records.has_header)) {
		struct record record;
		size_t used;
		if (recording->is_open && !recording->records.has_ended)
			skip_events(recording);
		switch (records_next(&recording->records, recording->buffer + recording->scanned,
			recording->filled - recording->scanned, &used, &record)) {
		case RECORDS_HEADER:
			result = take_header(recording, used, error);
			continue;
		case RECORDS_EVENT:
			result = take_event(recording, &record, error);
			if (result > 0)
				return RECORDING_FULL;
			continue;
		case RECORDS_ENDED:
			return RECORDING_ENDED;
		case RECORDS_BROKEN:
			return error_set(error, EPROTO, "%s", recording->records.damage);
		case RECORDS_MORE:
			break;
		}
		break;
	}
	if (!result &&
		(recording->scanned - recording->written >= WRITE_BYTES ||
			BUFFER_BYTES - recording->filled < ROOM_BYTES))
		result = recording_flush(recording, error);
	return result ? result : RECORDING_MORE;
}

const unsigned char *recording_header(const struct recording *recording, size_t *size)
{
	*size = recording->header.length;
	return recording->records.has_header ? recording->header.bytes : NULL;
}

bool recording_declares(const struct recording *recording, uint16_t type)
{
	return recording->records.sizes[type] >= 0;
}

const char *recording_type_text(const struct recording *recording, uint16_t type)
{
	const char *text = recording->records.texts[type];

	return text ? text : "";
}

int recording_due(const struct recording *recording)
{
	return recording->output ? log_output_due(recording->output) : -1;
}

const struct recording_counts *recording_counts(const struct recording *recording)
{
	return &recording->counts;
}

int recording_close(struct recording *recording, bool in_order, struct error *error)
{
	int result = 0;

	if (recording->output)
		result = end_file(recording, in_order, error);
	records_free(&recording->records);
	names_free(&recording->names);
	byte_buffer_free(&recording->header);
	byte_buffer_free(&recording->ghc);
	byte_buffer_free(&recording->state);
	free(recording->lengths);
	free(recording->buffer);
	free(recording);
	return result;
}
