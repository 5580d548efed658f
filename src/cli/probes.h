/*
 * probes.h: what list, check and diff share: the images named on the command line (files and pids),
 * and how their parts are printed for people and as JSON.
 */
#ifndef VMTAP_CLI_PROBES_H
#define VMTAP_CLI_PROBES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "usdt/elf/image.h"
#include "usdt/process/process_images.h"

/* The file or process that one command-line argument names. */
struct probes_target {
	const char *argument;
	struct usdt_process *process; /* NULL if it is a file */
	struct usdt_image *file;      /* NULL if it is a process */
};

/*
 * Opens a file, or a process if argument is a number (a file with such a name is "./123"). On
 * failure returns a negative errno and a message of one line in error.
 */
int probes_open(const char *argument, struct probes_target *target, struct error *error);
void probes_close(struct probes_target *target);

/*
 * The target's images, one by one: the file's, or those of the process's objects. index goes from 0
 * to probes_count - 1. Returns NULL if an object has no image. *object is NULL for a file.
 */
size_t probes_count(const struct probes_target *target);
const struct usdt_image *probes_image(
	const struct probes_target *target, size_t index, const struct usdt_object **object);

/* Prints to standard error which of a process's objects could not be read; returns their number. */
size_t probes_report_problems(const struct probes_target *target);

/* A path's last part. */
const char *probes_module(const char *path);

/* "-4@%edx" as in the note, or "8@$5"; at most size bytes with the NUL. */
const char *probes_argument_text(const struct operand_argument *argument, char *text, size_t size);

/* An argument's type according to the note: "int32_t", "uint64_t", "double", "int128_t"... */
const char *probes_argument_type(const struct operand_argument *argument, char *text, size_t size);

/* "0x4011a0", or "main+0x12" in a relocatable object; at most size bytes with the NUL. */
const char *probes_place_text(const struct usdt_place *place, char *text, size_t size);

/*
 * Writes text to standard output. What could steer a terminal becomes '?' (base/clean_text.h), so
 * that a hostile name stays on its line.
 */
void probes_print(const char *text);

/* A JSON string; invalid UTF-8 becomes U+FFFD. NULL gives null. */
json_t *probes_json_text(const char *text);
/* An address as a string, since many JSON readers have no 64-bit integers. */
json_t *probes_json_address(unsigned long long address);
json_t *probes_json_argument(const struct operand_argument *argument);

/* A verb's exit status: status, or CLI_CANNOT if standard output could not be written. */
int probes_finish(int status);

/* Prints and frees a document, with a newline. */
void probes_json_print(json_t *document);

#endif
