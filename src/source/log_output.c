/*
 * log_output.c: see log_output.h. Bytes to be compressed wait in memory until a frame of them is
 * due. What has been compressed cannot be patched any more, so a frame ends only where the caller
 * has allowed it, unless too much waits.
 */
#include "source/log_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/byte_buffer.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/test_point.h"

#if __has_include(<zstd.h>)
#define HAS_ZSTD 1
#include <zstd.h>
#endif

enum {
	FRAME_BYTES = 1 << 20,  /* uncompressed; larger frames do not compress better */
	WAITING_MAX = 16 << 20, /* if more waits, a frame ends within a block */
	FRAME_MS = 1000,
	FRAMES_MARGIN = 256 /* for splitting the waiting bytes into several frames */
};

struct log_output {
	int fd;
	bool is_compressed, failed;
	uint64_t written; /* size of the file */
#ifdef HAS_ZSTD
	ZSTD_CCtx *context;
	struct byte_buffer waiting; /* bytes from position on */
	unsigned char *frame;
	size_t frame_room;
	size_t end;   /* how many of the waiting bytes may be written */
	size_t tried; /* how many of the waiting bytes, from the first, were compressed on trial, */
	size_t tried_length; /* and to how many */
	uint64_t position;
	uint64_t since; /* CLOCK_MONOTONIC: when something began to wait */
#endif
};

static int write_file(
	struct log_output *output, const unsigned char *bytes, size_t size, size_t *done)
{
	*done = 0;
	while (*done < size) {
		ssize_t wrote = write(output->fd, bytes + *done, size - *done);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		*done += (size_t)wrote;
		TEST_POINT("recording-written");
	}
	return 0;
}

/* ---- frames ---- */

#ifdef HAS_ZSTD

static int open_frames(struct log_output *output, unsigned int level)
{
	output->context = ZSTD_createCCtx();
	if (!output->context)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(output->context, ZSTD_c_compressionLevel, (int)level);
	ZSTD_CCtx_setParameter(output->context, ZSTD_c_checksumFlag, 1);
	return 0;
}

static void close_frames(struct log_output *output)
{
	ZSTD_freeCCtx(output->context);
	byte_buffer_free(&output->waiting);
	free(output->frame);
}

static int wait_with(struct log_output *output, const unsigned char *bytes, size_t size)
{
	if (!output->waiting.length)
		output->since = clock_monotonic();
	return byte_buffer_add(&output->waiting, bytes, size);
}

/* Compresses the first `size` waiting bytes. */
static int make_frame(struct log_output *output, size_t size, size_t *length)
{
	size_t room = ZSTD_compressBound(size);

	if (room > output->frame_room) {
		unsigned char *grown = realloc(output->frame, room);
		if (!grown)
			return -ENOMEM;
		output->frame = grown;
		output->frame_room = room;
	}
	*length = ZSTD_compress2(
		output->context, output->frame, output->frame_room, output->waiting.bytes, size);
	return ZSTD_isError(*length) ? -ENOMEM : 0; /* nothing else can be wrong */
}

/* Writes the first `size` waiting bytes as a frame. */
static int put_frame(struct log_output *output, size_t size)
{
	size_t length, done;
	int result;

	if (!size || output->failed)
		return 0;
	result = make_frame(output, size, &length);
	if (result)
		return result;
	result = write_file(output, output->frame, length, &done);
	output->failed |= result != 0;
	if (result)
		return result;
	output->written += length;
	output->position += size;
	output->end -= output->end < size ? output->end : size;
	output->tried = output->tried_length = 0;
	byte_buffer_remove(&output->waiting, size);
	output->since = clock_monotonic();
	return 0;
}

static bool is_due(const struct log_output *output)
{
	return output->waiting.length >= FRAME_BYTES ||
		clock_monotonic() - output->since >= FRAME_MS * UINT64_C(1000000);
}

int log_output_can_compress(void)
{
	return 0;
}

int log_output_may_end(struct log_output *output, uint64_t position)
{
	if (!output->is_compressed)
		return 0;
	if (position >= output->position && position - output->position <= output->waiting.length)
		output->end = (size_t)(position - output->position);
	if (output->waiting.length > WAITING_MAX)
		return put_frame(output, output->waiting.length);
	return output->end && is_due(output) ? put_frame(output, output->end) : 0;
}

int log_output_flush(struct log_output *output)
{
	int result = output->is_compressed ? put_frame(output, output->end) : 0;

	if (!result && output->is_compressed)
		result = make_frame(output, output->waiting.length, &output->tried_length);
	if (!result && output->is_compressed)
		output->tried = output->waiting.length;
	return result;
}

int log_output_due(const struct log_output *output)
{
	uint64_t passed = clock_monotonic() - output->since, limit = FRAME_MS * UINT64_C(1000000);

	if (!output->is_compressed || !output->end)
		return -1;
	return passed < limit ? (int)((limit - passed) / 1000000) + 1 : 0;
}

uint64_t log_output_size(const struct log_output *output, uint64_t position, uint64_t size)
{
	if (!output->is_compressed)
		return position + size;
	return output->written + FRAMES_MARGIN + output->tried_length +
		ZSTD_compressBound((size_t)(position - output->position + size - output->tried));
}

/* Writes two frames, so that the file stays within the size that log_output_size() returned. */
static int write_rest(struct log_output *output)
{
	int result = put_frame(output, output->tried);

	return result ? result : put_frame(output, output->waiting.length);
}

static void patch_waiting(
	struct log_output *output, uint64_t position, const unsigned char *bytes, size_t size)
{
	if (position >= output->position &&
		position - output->position + size <= output->waiting.length)
		memcpy(output->waiting.bytes + (position - output->position), bytes, size);
}

#else

int log_output_can_compress(void)
{
	return -ENOSYS;
}

static int open_frames(struct log_output *output, unsigned int level)
{
	(void)output;
	(void)level;
	return -ENOSYS;
}

static void close_frames(struct log_output *output)
{
	(void)output;
}

static int wait_with(struct log_output *output, const unsigned char *bytes, size_t size)
{
	(void)output;
	(void)bytes;
	(void)size;
	return -ENOSYS;
}

int log_output_may_end(struct log_output *output, uint64_t position)
{
	(void)output;
	(void)position;
	return 0;
}

int log_output_flush(struct log_output *output)
{
	(void)output;
	return 0;
}

int log_output_due(const struct log_output *output)
{
	(void)output;
	return -1;
}

uint64_t log_output_size(const struct log_output *output, uint64_t position, uint64_t size)
{
	(void)output;
	return position + size;
}

static int write_rest(struct log_output *output)
{
	(void)output;
	return 0;
}

static void patch_waiting(
	struct log_output *output, uint64_t position, const unsigned char *bytes, size_t size)
{
	(void)output;
	(void)position;
	(void)bytes;
	(void)size;
}

#endif

/* ---- the file ---- */

int log_output_open(
	const char *name, unsigned int level, struct log_output **result, struct error *error)
{
	struct log_output *output = calloc(1, sizeof(*output));
	int failed = 0;

	*result = NULL;
	if (!output)
		return error_set(error, ENOMEM, "%s: out of memory", name);
	output->fd = -1;
	output->is_compressed = level != 0;
	if (level && open_frames(output, level))
		failed = error_set(error, ENOMEM, "%s: out of memory", name);
	/* only the program's user may see what it does, as with the stream */
	if (!failed)
		output->fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (!failed && output->fd < 0)
		failed = error_set(error, errno, "%s: %s", name, strerror(errno));
	if (failed) {
		close_frames(output);
		free(output);
		return failed;
	}
	debug_say(DEBUG_RECORD, "%s: opened", name);
	*result = output;
	return 0;
}

int log_output_write(
	struct log_output *output, const unsigned char *bytes, size_t size, size_t *done)
{
	int result;

	if (!output->is_compressed) {
		result = write_file(output, bytes, size, done);
		output->written += *done;
		return result;
	}
	*done = 0;
	result = wait_with(output, bytes, size);
	if (!result)
		*done = size;
	return result;
}

void log_output_patch(
	struct log_output *output, uint64_t position, const unsigned char *bytes, size_t size)
{
	if (output->is_compressed)
		patch_waiting(output, position, bytes, size);
	else if (pwrite(output->fd, bytes, size, (off_t)position) < 0)
		return; /* a pipe cannot be patched; its reader gets what a stream's client gets */
}

int64_t log_output_cut(struct log_output *output, uint64_t position)
{
	uint64_t size = output->is_compressed ? output->written : position;

	output->failed = true;
	return ftruncate(output->fd, (off_t)size) ? -1 : (int64_t)size;
}

bool log_output_is_compressed(const struct log_output *output)
{
	return output->is_compressed;
}

uint64_t log_output_written(const struct log_output *output)
{
	return output->written;
}

int log_output_close(struct log_output *output)
{
	int result = output->failed ? 0 : write_rest(output);

	if (result)
		log_output_cut(output, 0);
	if (close(output->fd) && !result)
		result = -errno;
	close_frames(output);
	free(output);
	return result;
}
