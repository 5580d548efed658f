/*
 * writers.h: the forms of a timeline's file. Each function makes a writer that puts the timeline
 * into an output, which the caller owns; the writer's finish frees it. NULL: out of memory, or, of
 * perfetto_writer_new(), this build has no library for the form.
 */
#ifndef VMTAP_CLI_EXPORT_WRITERS_H
#define VMTAP_CLI_EXPORT_WRITERS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/export/timeline.h"

/* Chrome's trace event format, in JSON. */
struct timeline_writer *chrome_writer_new(FILE *output);

/* An HTML page that needs nothing else; memory is bounded, see page_writer.c. */
struct timeline_writer *page_writer_new(FILE *output);

/* Perfetto's: a Trace of its protobuf schema. */
struct timeline_writer *perfetto_writer_new(FILE *output);

#endif
