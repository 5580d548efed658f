/* log_file.c: see log_file.h. */
#include "shim/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/test_point.h"
#include "shim/descriptor.h"
#include "shim/queue.h"
#include "shim/stamp.h"

enum {
	AGAIN_MS = 100,
	END_BYTES = 64 << 10, /* reserved for the end; more than the end can need */
	STEP_BYTES = 1 << 20  /* allocated at once */
};

int log_file_open(const char *path)
{
	return descriptor_own(open(path,
		O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK /* so that a pipe without a reader is an error */,
		0600));
}

/* Allocates space for that many more bytes and for the end. Files that are not regular, or on a
 * file system that cannot allocate, are written without it. After a crash, the file may occupy
 * too many blocks on the disk, but it contains no extra byte. */
static bool keep_room(struct log_file *log, int file, size_t bytes)
{
	uint64_t need = log->length + bytes + END_BYTES;
	struct rlimit limit;

	if (need > log->kept) {
		if (fallocate(file, FALLOC_FL_KEEP_SIZE, (off_t)log->length,
			    (off_t)(bytes + END_BYTES + STEP_BYTES)))
			return errno != ENOSPC && errno != EDQUOT;
		log->kept = need + STEP_BYTES;
	}
	return getrlimit(RLIMIT_FSIZE, &limit) || need <= limit.rlim_cur;
}

bool log_file_has_reserve(const struct log_file *log)
{
	return log->length && log->kept;
}

void log_file_write(struct log_file *log, int file, struct queue *queue, bool at_once)
{
	size_t length = queue_length(queue), done = 0;
	ssize_t written = 0;

	if (!length || (log->full && !at_once && clock_monotonic() < log->again))
		return;
	if (log->is_last || keep_room(log, file, length))
		while (done < length) {
			written = write(file, queue->bytes + queue->start + done, length - done);
			TEST_POINT("log-written");
			if (written <= 0 && !(written < 0 && errno == EINTR))
				break;
			done += written > 0 ? (size_t)written : 0;
		}
	log->full = done < length;
	if (log->full) {
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
