/* log_bytes.c: see log_bytes.h. */
#include "wire/log_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __has_include(<zstd.h>)
#define HAS_ZSTD 1
#include <zstd.h>
#include <zstd_errors.h>
#endif

enum {
	MAGIC_BYTES = 4,
	INPUT_BYTES = 128 << 10,
	REST_MS = 100,           /* how long to wait for more from a pipe after the log's end */
	CHECKED_BYTES = 4 << 20, /* a longer frame is returned before its checksum is read */
	WINDOW_LOG_MAX = 27      /* at most 128 MiB, as for the zstd command */
};

struct log_bytes {
	char *name;
	int fd;
	bool is_file, is_compressed, is_cut;
	bool in_frame;   /* of compressed data */
	bool is_foreign; /* the damage is that the bytes after a frame are not compressed data */
	unsigned char magic[MAGIC_BYTES]; /* read before it was known what the file is */
	size_t magic_bytes, magic_taken;
	char damage[128];
#ifdef HAS_ZSTD
	ZSTD_DCtx *context;
	unsigned char *input, *output;
	size_t input_bytes, input_taken;
	size_t output_bytes, output_taken;
	size_t checked; /* bytes of the output that may be returned */
	bool at_end;
	uint64_t position; /* of the input in the file */
#endif
};

static ssize_t read_file(struct log_bytes *bytes, void *at, size_t room, struct error *error)
{
	size_t left = bytes->magic_bytes - bytes->magic_taken;
	ssize_t got;

	if (left) {
		left = left < room ? left : room;
		memcpy(at, bytes->magic + bytes->magic_taken, left);
		bytes->magic_taken += left;
		return (ssize_t)left;
	}
	do
		got = read(bytes->fd, at, room);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_set(error, errno, "%s: %s", bytes->name, strerror(errno));
	return got;
}

/* ---- compressed files ---- */

/* Also recognizes the skippable frames of zstd: one for other programs may come first. */
static bool begins_compressed(const struct log_bytes *bytes)
{
	static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd};
	static const unsigned char skipped[] = {0x2a, 0x4d, 0x18};

	return bytes->magic_bytes == MAGIC_BYTES &&
		(!memcmp(bytes->magic, frame, sizeof(frame)) ||
			((bytes->magic[0] & 0xf0) == 0x50 &&
				!memcmp(bytes->magic + 1, skipped, sizeof(skipped))));
}

#ifdef HAS_ZSTD

static int open_compressed(struct log_bytes *bytes, struct error *error)
{
	bytes->context = ZSTD_createDCtx();
	bytes->input = malloc(INPUT_BYTES);
	bytes->output = malloc(CHECKED_BYTES);
	if (!bytes->context || !bytes->input || !bytes->output)
		return error_set(error, ENOMEM, "%s: out of memory", bytes->name);
	ZSTD_DCtx_setParameter(bytes->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return 0;
}

/* No more bytes of the damaged frame are returned. */
static void note_damage(struct log_bytes *bytes, const char *why)
{
	snprintf(bytes->damage, sizeof(bytes->damage),
		"the compressed data is damaged before byte %" PRIu64 " of the file (%s)",
		bytes->position + bytes->input_taken, why);
	bytes->output_bytes = bytes->checked;
	bytes->at_end = true;
}

/* Of a frame that is cut off, all bytes that could be read are returned. */
static void note_end(struct log_bytes *bytes)
{
	bytes->at_end = true;
	bytes->checked = bytes->output_bytes;
	bytes->is_cut = bytes->in_frame;
	if (bytes->is_cut)
		snprintf(bytes->damage, sizeof(bytes->damage),
			"the compressed data is cut off at byte %" PRIu64
			" of the file: it is truncated",
			bytes->position + bytes->input_bytes);
}

static int fill_input(struct log_bytes *bytes, struct error *error)
{
	ssize_t got = read_file(bytes, bytes->input, INPUT_BYTES, error);

	if (got < 0)
		return (int)got;
	bytes->position += bytes->input_bytes;
	bytes->input_bytes = (size_t)got;
	bytes->input_taken = 0;
	return 0;
}

/* Decompresses until there is something to return, or the data ends. */
static int decompress(struct log_bytes *bytes, struct error *error)
{
	bytes->output_bytes = bytes->output_taken = bytes->checked = 0;
	while (!bytes->at_end && !bytes->checked) {
		ZSTD_inBuffer input = {bytes->input, bytes->input_bytes, bytes->input_taken};
		ZSTD_outBuffer output = {bytes->output, CHECKED_BYTES, bytes->output_bytes};
		size_t state = ZSTD_decompressStream(bytes->context, &output, &input);
		bool stalls = input.pos == bytes->input_taken && output.pos == bytes->output_bytes;
		int result = 0;

		bytes->in_frame |= input.pos != bytes->input_taken;
		bytes->input_taken = input.pos;
		bytes->output_bytes = output.pos;
		if (ZSTD_isError(state)) {
			bytes->is_foreign = ZSTD_getErrorCode(state) == ZSTD_error_prefix_unknown;
			note_damage(bytes, ZSTD_getErrorName(state));
		} else if (!state && !stalls) { /* the end of a frame */
			bytes->in_frame = false;
			bytes->checked = bytes->output_bytes;
		} else if (bytes->output_bytes == CHECKED_BYTES) {
			bytes->checked = bytes->output_bytes;
		} else if (input.pos == input.size) {
			result = fill_input(bytes, error);
			if (!bytes->input_bytes)
				note_end(bytes);
		}
		if (result)
			return result;
	}
	return 0;
}

static ssize_t read_compressed(struct log_bytes *bytes, void *at, size_t room, struct error *error)
{
	size_t left;
	int result = 0;

	if (bytes->output_taken == bytes->checked)
		result = decompress(bytes, error);
	if (result)
		return result;
	left = bytes->checked - bytes->output_taken;
	left = left < room ? left : room;
	memcpy(at, bytes->output + bytes->output_taken, left);
	bytes->output_taken += left;
	return (ssize_t)left;
}

/* Whether a read has something to return or to look at without reading from the file. */
static bool has_input(const struct log_bytes *bytes)
{
	return bytes->output_taken < bytes->checked ||
		(!bytes->in_frame && bytes->input_taken < bytes->input_bytes);
}

static void close_compressed(struct log_bytes *bytes)
{
	ZSTD_freeDCtx(bytes->context);
	free(bytes->input);
	free(bytes->output);
}

#else

static int open_compressed(struct log_bytes *bytes, struct error *error)
{
	return error_set(error, ENOSYS,
		"%s: it is compressed, and this vmtap was built without libzstd: decompress it "
		"with 'zstd -d'",
		bytes->name);
}

static ssize_t read_compressed(struct log_bytes *bytes, void *at, size_t room, struct error *error)
{
	(void)at;
	(void)room;
	return open_compressed(bytes, error);
}

static bool has_input(const struct log_bytes *bytes)
{
	(void)bytes;
	return false;
}

static void close_compressed(struct log_bytes *bytes)
{
	(void)bytes;
}

#endif

/* ---- any file ---- */

static int look(struct log_bytes *bytes, struct error *error)
{
	ssize_t got = 1;

	while (bytes->magic_bytes < MAGIC_BYTES && got > 0) {
		do
			got = read(bytes->fd, bytes->magic + bytes->magic_bytes,
				MAGIC_BYTES - bytes->magic_bytes);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			return error_set(error, errno, "%s: %s", bytes->name, strerror(errno));
		bytes->magic_bytes += (size_t)got;
	}
	bytes->is_compressed = begins_compressed(bytes);
	return bytes->is_compressed ? open_compressed(bytes, error) : 0;
}

int log_bytes_open(const char *name, struct log_bytes **result, struct error *error)
{
	struct log_bytes *bytes = calloc(1, sizeof(*bytes));
	struct stat status;
	int failed;

	*result = NULL;
	if (!bytes)
		return error_set(error, ENOMEM, "%s: out of memory", name);
	bytes->fd = open(name, O_RDONLY | O_CLOEXEC);
	bytes->name = strdup(name);
	if (bytes->fd < 0 || fstat(bytes->fd, &status))
		failed = error_set(error, errno, "%s: %s", name, strerror(errno));
	else if (S_ISDIR(status.st_mode))
		failed = error_set(error, EISDIR, "%s: %s", name, strerror(EISDIR));
	else if (!bytes->name)
		failed = error_set(error, ENOMEM, "%s: out of memory", name);
	else
		failed = look(bytes, error);
	if (failed) {
		log_bytes_close(bytes);
		return failed;
	}
	bytes->is_file = S_ISREG(status.st_mode);
	*result = bytes;
	return 0;
}

void log_bytes_close(struct log_bytes *bytes)
{
	if (!bytes)
		return;
	if (bytes->fd >= 0)
		close(bytes->fd);
	close_compressed(bytes);
	free(bytes->name);
	free(bytes);
}

ssize_t log_bytes_read(struct log_bytes *bytes, void *at, size_t room, struct error *error)
{
	return bytes->is_compressed ? read_compressed(bytes, at, room, error)
				    : read_file(bytes, at, room, error);
}

const char *log_bytes_damage(const struct log_bytes *bytes, bool *is_cut)
{
	*is_cut = bytes->is_cut;
	return *bytes->damage ? bytes->damage : NULL;
}

/* Whether the next read finds bytes, or the end, without a long wait. */
static bool may_read(const struct log_bytes *bytes)
{
	struct pollfd wait = {.fd = bytes->fd, .events = POLLIN};

	if (bytes->is_file || bytes->magic_taken < bytes->magic_bytes || has_input(bytes))
		return true;
	return !bytes->in_frame && poll(&wait, 1, REST_MS) > 0;
}

const char *log_bytes_rest(struct log_bytes *bytes, bool has_more, bool *is_cut)
{
	struct error ignored;
	char byte;

	if (!has_more && may_read(bytes))
		has_more = log_bytes_read(bytes, &byte, 1, &ignored) > 0;
	*is_cut = true;
	if (has_more || bytes->is_foreign)
		return "bytes follow the log's end marker, and are not read: logs that were "
		       "joined must be read one by one";
	return log_bytes_damage(bytes, is_cut);
}

bool log_bytes_is_file(const struct log_bytes *bytes)
{
	return bytes->is_file;
}

bool log_bytes_is_compressed(const struct log_bytes *bytes)
{
	return bytes->is_compressed;
}

int log_bytes_descriptor(const struct log_bytes *bytes)
{
	return bytes->fd;
}
