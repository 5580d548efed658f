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
#include "base/protobuf.h"
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

/* The readers of the form print its texts on terminals as they are, so these are cleaned here. */
static void add_clean(struct byte_buffer *bytes, const char *text, size_t size)
{
	char *clean = malloc(size + 1);

	if (!clean) {
		bytes->has_failed = true;
		return;
	}
	clean_text(clean, size + 1, text, size, false);
	protobuf_add_bytes(bytes, PROFILE_STRING, clean, strlen(clean));
	free(clean);
}

/* Type, unit and names, as the strings, functions and locations that samples refer to. */
static void add_names(struct byte_buffer *profile, const struct flame_view *view)
{
	const char *type = strcmp(view->unit, "ns") == 0 ? view->measure : view->unit;
	const char *unit = strcmp(view->unit, "ns") == 0 ? "nanoseconds"
		: strcmp(view->unit, "calls") == 0       ? "count"
							 : view->unit;
	struct byte_buffer message = {0}, line = {0};

	protobuf_add_number(&message, TYPE_TYPE, 1);
	protobuf_add_number(&message, TYPE_UNIT, 2);
	protobuf_add_message(profile, PROFILE_SAMPLE_TYPE, &message);
	protobuf_add_bytes(profile, PROFILE_STRING, "", 0);
	protobuf_add_bytes(profile, PROFILE_STRING, type, strlen(type));
	protobuf_add_bytes(profile, PROFILE_STRING, unit, strlen(unit));
	for (uint32_t i = 1; i < view->tree->name_count; i++) {
		add_clean(profile, view->tree->names[i].text, view->tree->names[i].length);
		protobuf_add_number(&message, FUNCTION_ID, i);
		protobuf_add_number(&message, FUNCTION_NAME, STRINGS_FIRST + (uint64_t)i);
		protobuf_add_message(profile, PROFILE_FUNCTION, &message);
		protobuf_add_number(&line, LINE_FUNCTION, i);
		protobuf_add_number(&message, LOCATION_ID, i);
		protobuf_add_message(&message, LOCATION_LINE, &line);
		protobuf_add_message(profile, PROFILE_LOCATION, &message);
	}
	byte_buffer_free(&message);
	byte_buffer_free(&line);
}

/* Compresses and writes the bytes, and empties them; false: they cannot be written. */
static bool put(z_stream *stream, struct byte_buffer *bytes, int flush, FILE *output)
{
	unsigned char compressed[CHUNK];
	size_t size;

	stream->next_in = bytes->bytes;
	stream->avail_in = (uInt)bytes->length;
	bytes->length = 0;
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

static void add_samples(
	struct byte_buffer *profile, const struct flame_view *view, z_stream *stream, FILE *output)
{
	struct byte_buffer sample = {0}, list = {0};

	for (size_t i = 1; i < view->count; i++) {
		if (!view->shown[i].self)
			continue;
		for (size_t at = i; at; at = view->shown[at].parent)
			protobuf_add_element(&list, view->shown[at].name);
		protobuf_add_message(&sample, SAMPLE_LOCATIONS, &list);
		protobuf_add_element(&list, view->shown[i].self);
		protobuf_add_message(&sample, SAMPLE_VALUES, &list);
		protobuf_add_message(profile, PROFILE_SAMPLE, &sample);
		if (profile->length > CHUNK && !put(stream, profile, Z_NO_FLUSH, output))
			break;
	}
	profile->has_failed |= sample.has_failed || list.has_failed;
	byte_buffer_free(&sample);
	byte_buffer_free(&list);
}

int flame_pprof_write(const struct flame_view *view, FILE *output)
{
	struct byte_buffer profile = {0};
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
	if (profile.has_failed)
		result = -ENOMEM;
	deflateEnd(&stream);
	byte_buffer_free(&profile);
	return result;
}
