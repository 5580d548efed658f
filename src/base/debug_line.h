/*
 * debug_line.h: writes a line of VMTAP_DEBUG to standard error, for the command and for the
 * library. It is all in this header, because the library links no object of this folder.
 *
 * A line may contain what a traced program chose, such as its name, so control characters appear
 * as \xNN. A line that nobody reads any more must not end the program that writes it: the write
 * raises no SIGPIPE.
 */
#ifndef VMTAP_BASE_DEBUG_LINE_H
#define VMTAP_BASE_DEBUG_LINE_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DEBUG_LINE_MAX = 1024 }; /* longer lines are cut */

/* As write(), but a reader that has gone is only an error. */
static inline void debug_write(const char *bytes, size_t length)
{
	const struct timespec at_once = {0};
	sigset_t pipe, before, pending;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	if (write(STDERR_FILENO, bytes, length) < 0 && errno == EPIPE &&
		!sigismember(&pending, SIGPIPE))
		sigtimedwait(&pipe, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Writes the text and a newline in one write. Keeps errno. */
static inline void debug_line(const char *text)
{
	char line[DEBUG_LINE_MAX];
	int saved = errno;
	size_t length = 0;

	for (; *text && length < sizeof(line) - sizeof("\\xNN"); text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte < 0x20 || byte == 0x7f)
			length += (size_t)snprintf(
				line + length, sizeof(line) - length, "\\x%02x", byte);
		else
			line[length++] = *text;
	}
	line[length++] = '\n';
	debug_write(line, length);
	errno = saved;
}

#endif
