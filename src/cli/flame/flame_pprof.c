/*
 * flame_pprof.c: a call tree as a profile of pprof's: gzip'd profile.proto, whose field numbers
 * are below. Each name is a function and a location; each stack with a value is a sample, its
 * innermost frame first. Texts are of the program: what could steer a terminal, and bytes that are
 * not UTF-8, become '?'.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/clean_text.h"
#include "cli/flame/flame_writers.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,

	STRINGS_FIRST = 2, /* after "" and before the names: the names of type and unit */
	GZIP = 16,         /* for zlib: with gzip's header */
	CHUNK = 65536
};

/* Bytes that grow. */
struct profile_bytes {
	unsigned char *at;
	size_t size, capacity;
	bool is_short; /* memory is out */
};

static void add(struct profile_bytes *bytes, const void *more, size_t size)
{
	size_t capacity = (bytes->size + size) * 2;
	unsigned char *grown;

	if (bytes->size + size > bytes->capacity) {
		grown = realloc(bytes->at, capacity);
		if (!grown) {
			bytes->is_short = true;
			return;
		}
		bytes->at = grown;
		bytes->capacity = capacity;
	}
	memcpy(bytes->at + bytes->size, more, size);
	bytes->size += size;
}

static void add_varint(struct profile_bytes *bytes, uint64_t number)
{
	unsigned char encoded[10];
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		encoded[size++] = (unsigned char)(number | 0x80);
	encoded[size++] = (unsigned char)number;
	add(bytes, encoded, size);
}

static void add_number(struct profile_bytes *bytes, unsigned int field, uint64_t number)
{
	add_varint(bytes, field << 3);
	add_varint(bytes, number);
}

static void add_text(struct profile_bytes *bytes, unsigned int field, const void *text, size_t size)
{
	add_varint(bytes, field << 3 | 2);
	add_varint(bytes, size);
	add(bytes, text, size);
}

/* Adds a message or a packed list and empties it. */
static void add_message(
	struct profile_bytes *bytes, unsigned int field, struct profile_bytes *message)
{
	bytes->is_short |= message->is_short;
	add_text(bytes, field, message->at, message->size);
	message->size = 0;
}

/* The readers of the form print its texts on terminals as they are, so these are cleaned here. */
static void add_clean(struct profile_bytes *bytes, const char *text, size_t size)
{
	char *clean = malloc(size + 1);

	if (!clean) {
		bytes->is_short = true;
		return;
	}
	clean_text(clean, size + 1, text, size, false);
	add_text(bytes, PROFILE_STRING, clean, strlen(clean));
	free(clean);
}

/* Type, unit and names, as the strings, functions and locations that samples refer to. */
static void add_names(struct profile_bytes *profile, const struct flame_view *view)
{
	const char *type = strcmp(view->unit, "ns") == 0 ? view->measure : view->unit;
	const char *unit = strcmp(view->unit, "ns") == 0 ? "nanoseconds"
		: strcmp(view->unit, "calls") == 0       ? "count"
							 : view->unit;
	struct profile_bytes message = {.at = NULL}, line = {.at = NULL};

	add_number(&message, TYPE_TYPE, 1);
	add_number(&message, TYPE_UNIT, 2);
	add_message(profile, PROFILE_SAMPLE_TYPE, &message);
	add_text(profile, PROFILE_STRING, "", 0);
	add_text(profile, PROFILE_STRING, type, strlen(type));
	add_text(profile, PROFILE_STRING, unit, strlen(unit));
	for (uint32_t i = 1; i < view->tree->name_count; i++) {
		add_clean(profile, view->tree->names[i].text, view->tree->names[i].length);
		add_number(&message, FUNCTION_ID, i);
		add_number(&message, FUNCTION_NAME, STRINGS_FIRST + (uint64_t)i);
		add_message(profile, PROFILE_FUNCTION, &message);
		add_number(&line, LINE_FUNCTION, i);
		add_number(&message, LOCATION_ID, i);
		add_message(&message, LOCATION_LINE, &line);
		add_message(profile, PROFILE_LOCATION, &message);
	}
	free(message.at);
	free(line.at);
}

/* Compresses and writes the bytes, and empties them; false: they cannot be written. */
static bool put(z_stream *stream, struct profile_bytes *bytes, int flush, FILE *output)
{
	unsigned char compressed[CHUNK];
	size_t size;

	stream->next_in = bytes->at;
	stream->avail_in = (uInt)bytes->size;
	bytes->size = 0;
	do {
		stream->next_out = compressed;
		stream->avail_out = sizeof(compressed);
		deflate(stream, flush);
		size = sizeof(compressed) - stream->avail_out;
		if (fwrite(compressed, 1, size, output) != size)
			return false;
	} while (!stream->avail_out);
	return true;
}

static void add_samples(struct profile_bytes *profile, const struct flame_view *view,
	z_stream *stream, FILE *output)
{
	struct profile_bytes sample = {.at = NULL}, list = {.at = NULL};

	for (size_t i = 1; i < view->count; i++) {
		if (!view->shown[i].self)
			continue;
		for (size_t at = i; at; at = view->shown[at].parent)
			add_varint(&list, view->shown[at].name);
		add_message(&sample, SAMPLE_LOCATIONS, &list);
		add_varint(&list, view->shown[i].self);
		add_message(&sample, SAMPLE_VALUES, &list);
		add_message(profile, PROFILE_SAMPLE, &sample);
		if (profile->size > CHUNK && !put(stream, profile, Z_NO_FLUSH, output))
			break;
	}
	profile->is_short |= sample.is_short || list.is_short;
	free(sample.at);
	free(list.at);
}

int flame_pprof_write(const struct flame_view *view, FILE *output)
{
	struct profile_bytes profile = {.at = NULL};
	z_stream stream = {.zalloc = NULL};
	int result = 0;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	add_names(&profile, view);
	/* the names come before the samples, so a reader knows them */
	if (!put(&stream, &profile, Z_NO_FLUSH, output))
		result = -(errno ? errno : EIO);
	if (!result)
		add_samples(&profile, view, &stream, output);
	if (!result && (!put(&stream, &profile, Z_FINISH, output) || ferror(output)))
		result = -(errno ? errno : EIO);
	if (profile.is_short)
		result = -ENOMEM;
	deflateEnd(&stream);
	free(profile.at);
	return result;
}
