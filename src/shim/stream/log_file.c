/*
 * log_file.c: see log_file.h. Space is allocated ahead of what is written (fallocate()), and a
 * write that fails halfway is undone by ftruncate(), so a file (but no pipe) always ends with a
 * whole block.
 */
#include "shim/stream/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test_point.h"
#include "shim/core/ledger.h"
#include "shim/stream/queue.h"

enum {
	AGAIN_MS = 100,
	LOG_END_BYTES = 64 << 10, /* reserved for the end; more than the end can need */
	LOG_END_BYTES_MIN = 512,  /* if there is no room for that; enough if few types are lost */
	STEP_BYTES = 1 << 20,     /* allocated at once */
	STEP_BYTES_MIN = 4 << 10,
	PIECE_BYTES = 64 << 10,   /* written at once, as far as blocks allow */
	PIECE_BYTES_MIN = 4 << 10 /* the same when the disk is nearly full */
};

int log_file_open(const char *path)
{
	return ledger_enter(descriptor_own(open(path,
		O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK /* so that a pipe without a reader is an error */,
		0600)));
}

/* Returns how long the file may become; a write beyond that would raise a signal. */
static uint64_t size_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) ? UINT64_MAX : limit.rlim_cur;
}

/* Allocates space for this many more bytes and for the end, and as much beyond that as there is, up
 * to STEP_BYTES. Files that are not regular, or on a file system that cannot allocate, are written
 * without it. After a crash, the file may occupy too many blocks on the disk, but it contains no
 * extra byte. The limit is checked first, because some file systems apply it to what is allocated.
 */
static bool allocate_ahead(struct log_file *log, int file, size_t bytes)
{
	uint64_t need = log->length + bytes + log->end_bytes, limit = size_limit();
	uint64_t step = log->tight ? log->step : STEP_BYTES;

	if (need > limit) {
		errno = EFBIG;
		return false;
	}
	if (need <= log->kept)
		return true;
	if (step > limit - need)
		step = limit - need;
	while (fallocate(file, FALLOC_FL_KEEP_SIZE, (off_t)log->length,
		(off_t)(bytes + log->end_bytes + step))) {
		if (errno == EOPNOTSUPP)
			log->limited = limit != UINT64_MAX;
		if (errno != ENOSPC && errno != EDQUOT)
			return true;
		log->tight = true;
		log->step = STEP_BYTES_MIN;
		if (!step)
			return false;
		step = step < STEP_BYTES_MIN ? 0 : step / 2;
	}
	log->kept = need + step;
	log->tight = step < STEP_BYTES;
	log->step = step < STEP_BYTES_MIN ? STEP_BYTES_MIN : (uint32_t)step * 2;
	return true;
}

/* The same for the next write. Before anything is written, less may be kept for the end, because a
 * log with only its beginning and its end reports what is missing, and an empty one does not. */
static bool keep_room(struct log_file *log, int file, size_t bytes)
{
	if (log->length)
		return allocate_ahead(log, file, bytes);
	for (log->end_bytes = LOG_END_BYTES; !allocate_ahead(log, file, bytes);
		log->end_bytes = log->end_bytes > LOG_END_BYTES_MIN ? log->end_bytes / 2 : 0)
		if (!log->end_bytes)
			return false;
	return true;
}

bool log_file_has_reserve(const struct log_file *log)
{
	return log->length && (log->kept || log->limited);
}

size_t log_file_piece(const struct log_file *log)
{
	return log->full ? SIZE_MAX : log->tight ? PIECE_BYTES_MIN : PIECE_BYTES;
}

void log_file_write(struct log_file *log, int file, struct queue *queue, bool at_once)
{
	size_t length = queue_length(queue), done = 0;
	ssize_t written = 0;

	if (!length || (log->full && !at_once && clock_monotonic() < log->again))
		return;
	errno = EFBIG;
	if (log->is_last ? log->length + length <= size_limit() : keep_room(log, file, length))
		while (done < length) {
			written = write(file, queue->bytes + queue->start + done, length - done);
			TEST_POINT("log-written");
			if (written <= 0 && !(written < 0 && errno == EINTR))
				break;
			done += written > 0 ? (size_t)written : 0;
		}
	log->full = done < length;
	if (log->full) {
		log->error = errno;
		log->again = clock_monotonic() + AGAIN_MS * UINT64_C(1000000);
		if (!done || ftruncate(file, (off_t)log->length) == 0)
			return;
	}
	queue->start += done;
	log->length += done;
	if (queue->start == queue->end)
		queue->start = queue->end = 0;
	/* The rest of the allocation is free again. If that fails, the file occupies blocks that it
	 * does not need, but all of its bytes are written. */
	if (at_once && log->kept && ftruncate(file, (off_t)log->length) != 0)
		return;
}
