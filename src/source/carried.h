/*
 * carried.h: the definitions of providers that streams and files carry (CONTRACT_SECTION), for
 * scripts that name their types. Objects of one process may have been made from several versions of
 * a definition; contracts grow, so the longest is the newest.
 */
#ifndef VMTAP_SOURCE_CARRIED_H
#define VMTAP_SOURCE_CARRIED_H

#include <stddef.h>
#include <stdint.h>

#include "program/probe.h"

struct usdt_image;

struct carried_list {
	struct d_carried *items; /* owns names and texts */
	size_t count, capacity;
};

/*
 * Puts together the lines of a definition without their marks (wire/wire.h), and drops other lines.
 * text has room for length + 1 bytes. Returns its length.
 */
size_t carried_lines(char *text, const char *marked, size_t length);

/* Adds what an image carries; what cannot be read is left out. -ENOMEM. */
int carried_add_image(struct carried_list *list, const struct usdt_image *image);

/*
 * Adds what a program carries that has not been started, and the libraries that it is linked with.
 * path is looked up as execvp() does.
 */
int carried_add_program(struct carried_list *list, const char *path);

/* Adds what the files carry that a process has mapped. */
int carried_add_process(struct carried_list *list, uint32_t pid);

void carried_free(struct carried_list *list);

#endif
