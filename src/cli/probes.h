/*
 * probes.h: what list, check and diff share: the images that a command line names (files
 * and pids), and how their parts are written for people and as JSON.
 */
#ifndef VMTAP_CLI_PROBES_H
#define VMTAP_CLI_PROBES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "usdt/image.h"
#include "usdt/process_images.h"

/* What one argument of the command line stands for. */
struct probes_target {
	const char *argument;
	struct usdt_process *process; /* NULL when it is a file */
	struct usdt_image *file;      /* NULL when it is a process */
};

/*
 * Opens a file, or the process when argument is a number (a file of such a name is
 * "./123"). On failure returns a negative errno, with one line in error.
 */
int probes_open(const char *argument, struct probes_target *target, struct error *error);
void probes_close(struct probes_target *target);

/*
 * The target's images in turn: the file's, or those of the process's objects. index goes
 * from 0 to probes_count - 1; NULL where an object has no image. *object is NULL for a
 * file.
 */
size_t probes_count(const struct probes_target *target);
const struct usdt_image *probes_image(
	const struct probes_target *target, size_t index, const struct usdt_object **object);

/*
 * Says on standard error which of a process's objects could not be read; returns how
 * many.
 */
size_t probes_report_problems(const struct probes_target *target);

/* A path's last part. */
const char *probes_module(const char *path);

/* "-4@%edx" as the note has it, or "8@$5"; at most size bytes with the NUL. */
const char *probes_argument_text(const struct operand_argument *argument, char *text, size_t size);

/* "int32_t", "uint64_t", "double", "int128_t"...: what a note says of an argument. */
const char *probes_argument_type(const struct operand_argument *argument, char *text, size_t size);

/* "0x4011a0", or "main+0x12" in a relocatable object; at most size bytes with the NUL. */
const char *probes_place_text(const struct usdt_place *place, char *text, size_t size);

/*
 * Writes text to standard output with control characters as '?', so that a hostile name
 * stays in its line.
 */
void probes_print(const char *text);

/* Strings for JSON: bytes that are no UTF-8 become U+FFFD. NULL gives null. */
json_t *probes_json_text(const char *text);
/* An address as text, since many readers of JSON have no integers of 64 bits. */
json_t *probes_json_address(unsigned long long address);
json_t *probes_json_argument(const struct operand_argument *argument);

/* What a verb exits with: status, or CLI_CANNOT when standard output could not be written. */
int probes_finish(int status);

/* Prints and frees a document, with a newline. */
void probes_json_print(json_t *document);

#endif
