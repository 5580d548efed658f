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

/* Adds the definitions that an image carries; those that cannot be read are left out. Returns 0 or
 * -ENOMEM. */
int carried_add_image(struct carried_list *list, const struct usdt_image *image);

/*
 * For a command that has not been started: adds the definitions carried by the programs that it
 * names and by the libraries that these are linked with. A program is a word of the command, looked
 * up as execvp() does, or a path that occurs in a word ("./vm a; ./vm b") or near the beginning of
 * a script.
 */
int carried_add_command(struct carried_list *list, char *const *words);

/* Adds the definitions carried by the files that a process has mapped. */
int carried_add_process(struct carried_list *list, uint32_t pid);

void carried_free(struct carried_list *list);

#endif
