/*
 * fuzz_records.c: any bytes, in pieces of any size, for the reader of records and for a
 * recording: every field of every event is read, and the recording's log must contain as many
 * events as the bytes. The first byte sets the size of the pieces and whether the recording is
 * compressed, the second its largest file. The bytes are also read as a file, which may be
 * compressed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/log_output.h"
#include "source/recording.h"
#include "wire/layout.h"
#include "wire/records.h"
#include "wire/wire.h"

static uint64_t look_at(const struct records *records, const struct record *record)
{
	struct layout layout;
	const unsigned char *at;
	uint64_t sum = 0;
	size_t size;

	layout_make(&layout, record->type, records_type_text(records, record->type));
	for (unsigned int i = 0; i < layout.field_count; i++) {
		if (!layout_field(&layout, i, record->payload, record->size, &at, &size))
			break;
		if (at < record->payload || at + size > record->payload + record->size)
			abort();
		for (size_t j = 0; j < size; j++)
			sum += at[j];
		if (layout.fields[i].kind == LAYOUT_NUMBER)
			sum += layout_number(&layout.fields[i], at);
	}
	return sum;
}

/* How many events the bytes contain, not counting those that describe the stream itself. */
static uint64_t count(const uint8_t *data, size_t size)
{
	struct records records;
	struct record record;
	enum records_state state;
	uint64_t events = 0, sum = 0;
	size_t used;

	if (records_init(&records))
		return 0;
	while ((state = records_next(&records, data, size, &used, &record)) == RECORDS_EVENT ||
		state == RECORDS_HEADER) {
		if (state == RECORDS_EVENT) {
			events += record.type != WIRE_BLOCK_MARKER && !wire_is_own(record.type);
			sum += look_at(&records, &record);
		}
		data += used;
		size -= used;
	}
	records_free(&records);
	return sum == UINT64_MAX ? 0 : events;
}

/* The same of a file, which may be compressed. */
static uint64_t count_file(const char *name, bool *is_compressed)
{
	struct record_file file;
	struct record record;
	struct error error;
	uint64_t events = 0;

	*is_compressed = false;
	if (!record_file_open(&file, name, &error)) {
		*is_compressed = log_bytes_is_compressed(file.bytes);
		while (record_file_next(&file, &record, &error) == RECORDS_EVENT)
			events += record.type != WIRE_BLOCK_MARKER && !wire_is_own(record.type);
	}
	record_file_close(&file);
	return events;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int file = -1;
	static char name[64];
	struct recording_settings settings = {.file = name};
	struct recording *recording;
	struct recording_counts counts;
	struct error error;
	uint64_t events;
	size_t piece, room, header, done = 0;
	bool opened = false, is_compressed;
	int state = RECORDING_MORE;

	if (size < 2)
		return 0;
	piece = 1 + (size_t)data[0] * 16;
	settings.size_max = data[1] ? (uint64_t)data[1] * 64 : 0;
	settings.compression = data[0] & 1 && !log_output_can_compress();
	data += 2;
	size -= 2;
	if (file < 0) {
		file = memfd_create("fuzz", 0);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	}
	events = count(data, size);
	if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
		abort();
	if (count_file(name, &is_compressed) != events && !is_compressed)
		abort();
	if (ftruncate(file, 0))
		abort();
	if (recording_new(&settings, &recording, &error))
		return 0;
	while (state == RECORDING_MORE && done < size) {
		void *place = recording_room(recording, &room);
		room = room < piece ? room : piece;
		room = room < size - done ? room : size - done;
		memcpy(place, data + done, room);
		done += room;
		state = recording_received(recording, room, &error);
		if (state == RECORDING_MORE && !opened && recording_header(recording, &header)) {
			opened = true;
			state = recording_open(recording, &error);
			if (!state)
				state = recording_received(recording, 0, &error);
		}
	}
	counts = *recording_counts(recording);
	recording_close(recording, true, &error);
	if (counts.events > events || (!settings.size_max && counts.events != events))
		abort();
	if (settings.size_max && lseek(file, 0, SEEK_END) > (off_t)settings.size_max)
		abort();
	if (opened && count_file(name, &is_compressed) != counts.events)
		abort();
	return 0;
}
