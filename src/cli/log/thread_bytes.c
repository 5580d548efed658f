/* thread_bytes.c: see thread_bytes.h. */
#include "cli/log/thread_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGES = 65536,
	PAGE_BYTES = 65536,
	PAGES_MAX = 1024 /* in use */
};

int thread_bytes_init(struct thread_bytes *threads)
{
	*threads = (struct thread_bytes){.pages = calloc(PAGES, sizeof(*threads->pages))};
	return threads->pages ? 0 : -ENOMEM;
}

void thread_bytes_free(struct thread_bytes *threads)
{
	for (size_t i = 0; threads->pages && i < PAGES; i++)
		free(threads->pages[i]);
	free(threads->pages);
	threads->pages = NULL;
}

uint8_t *thread_bytes_at(struct thread_bytes *threads, uint32_t thread)
{
	uint8_t **page = &threads->pages[thread / PAGE_BYTES];

	if (!*page) {
		if (threads->page_count == PAGES_MAX)
			return NULL;
		*page = calloc(PAGE_BYTES, 1);
		if (!*page)
			return NULL;
		threads->page_count++;
	}
	return &(*page)[thread % PAGE_BYTES];
}

void thread_bytes_reset(struct thread_bytes *threads)
{
	for (size_t i = 0; i < PAGES; i++)
		if (threads->pages[i])
			memset(threads->pages[i], 0, PAGE_BYTES);
}
