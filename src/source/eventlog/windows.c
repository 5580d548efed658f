/*
 * windows.c: see windows.h. A window begins at a multiple of the stride and reaches into the next
 * two, so that an event that begins in its stride is whole in it: callers never join pieces of two
 * windows.
 */
#include "source/eventlog/windows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

void windows_free(struct windows *windows)
{
	for (size_t i = 0; windows && i < WINDOWS_MAX; i++)
		free(windows->windows[i].bytes);
	free(windows);
}

static bool fill(const struct windows *windows, struct window *window, uint64_t number)
{
	ssize_t got;

	if (!window->bytes)
		window->bytes = malloc(WINDOW_BYTES);
	if (!window->bytes)
		return false;
	window->length = 0;
	window->number = number;
	while (window->length < WINDOW_BYTES) {
		got = pread(windows->fd, window->bytes + window->length,
			WINDOW_BYTES - window->length,
			(off_t)(number * WINDOW_STRIDE + window->length));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		if (!got)
			break;
		window->length += (size_t)got;
	}
	return true;
}

const unsigned char *windows_at(struct windows *windows, uint64_t position, size_t *size)
{
	uint64_t number = position / WINDOW_STRIDE;
	size_t offset = position % WINDOW_STRIDE;
	struct window *window = windows->latest;

	if (!window || !window->used || window->number != number) {
		struct window *oldest = windows->windows;
		window = NULL;
		for (size_t i = 0; i < WINDOWS_MAX && !window; i++) {
			struct window *one = &windows->windows[i];
			if (one->used && one->number == number)
				window = one;
			else if (one->used < oldest->used)
				oldest = one;
		}
		if (!window) {
			window = oldest;
			window->used = 0;
			if (!fill(windows, window, number))
				return NULL;
		}
		windows->latest = window;
		window->used = ++windows->clock;
	}
	if (offset > window->length)
		return NULL;
	*size = window->length - offset;
	return window->bytes + offset;
}
