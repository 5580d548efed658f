/* descriptor.c: see descriptor.h. */
#include "shim/descriptor.h"

#include <errno.h>
#include <fcntl.h>
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

void descriptor_tell(int descriptor, uint64_t value)
{
	int saved = errno;

	syscall(SYS_write, descriptor, &value, sizeof(value)); /* write() is a cancellation point */
	errno = saved;
}
