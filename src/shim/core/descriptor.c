/*
 * descriptor.c: see descriptor.h. A file is identified by fstat()'s device and inode. Nothing here
 * may close, read or write a descriptor that fails that comparison: it is the program's.
 */
#include "shim/core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int descriptor_own(int descriptor)
{
	int moved = descriptor;

	if (descriptor >= 0 && descriptor <= STDERR_FILENO)
		moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		moved = -errno;
	if (moved != descriptor && descriptor >= 0)
		close(descriptor);
	return moved;
}

struct descriptor_file descriptor_file(int descriptor)
{
	struct stat status;

	if (fstat(descriptor, &status))
		return (struct descriptor_file){0};
	return (struct descriptor_file){.device = status.st_dev, .inode = status.st_ino};
}

bool descriptor_is(int descriptor, struct descriptor_file file)
{
	struct stat status;

	if (fstat(descriptor, &status)) /* a sandbox may refuse the call */
		return descriptor >= 0 && errno != EBADF;
	if (!file.inode && !file.device)
		return true;
	return status.st_dev == file.device && status.st_ino == file.inode;
}

bool descriptor_tell(int descriptor, struct descriptor_file file, uint64_t value)
{
	int saved = errno;
	bool told = descriptor_is(descriptor, file);

	if (told) {
		long written;
		do /* write() is a cancellation point */
			written = syscall(SYS_write, descriptor, &value, sizeof(value));
		while (written < 0 && errno == EINTR);
		/* EAGAIN: the counter is at its limit, so it is readable */
		told = written > 0 || errno == EAGAIN;
	}
	errno = saved;
	return told;
}
