/*
 * log_writer.h: makes an eventlog (wire/wire.h) of events that no VM's stream has carried: those
 * that the kernel delivers of any process. The bytes go to a recording, which writes the file, and
 * has the limits, the further files and the compression of all recordings.
 *
 * A process is a capability with a capability set of its own, as GHC's format has them, so that a
 * log may have several. Blocks are of one process; a CONTEXT before each event says on which thread
 * and processor it happened.
 *
 * A sample is an event vm:::sample of one more argument: how many of its stack's frames, the
 * innermost ones, are the kernel's. In a frame of such a log the name of the class is empty, the
 * method is the function's name as a picture shows it, and the file is the place as D shows it:
 * "libc.so.6`read+0x11" (source/eventlog/recorded_places.h reads it).
 */
#ifndef VMTAP_SOURCE_LOG_WRITER_H
#define VMTAP_SOURCE_LOG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct log_writer;
struct recording;

enum {
	LOG_WRITER_FRAMES_MAX = 256, /* of a stack */
	LOG_WRITER_PROCESSES_MAX = 65000,
	LOG_WRITER_NAMES_MAX = 1 << 20,
	LOG_WRITER_MEMORY_MAX = 10,        /* pieces of an event */
	LOG_WRITER_MEMORY_BYTES_MAX = 4096 /* of a piece; what is longer is cut */
};

/* Where and when an event has happened. */
struct log_writer_event {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint16_t cap;  /* of the process: log_writer_process() */
	uint32_t tid, cpu;
};

/*
 * Has the recording, which must be new, create its file with the header and what describes the
 * clocks. has_probes: probes will be declared. Returns 0, or a negative errno and a line in error.
 */
int log_writer_open(struct recording *recording, bool has_probes, struct log_writer **writer,
	struct error *error);

/*
 * Describes a process, once for each name that it has: a process that executes another program is
 * described again. arguments are its words, each with a NUL. Returns its capability, -E2BIG if
 * there are too many, or -ENOMEM.
 */
int log_writer_process(struct log_writer *writer, uint32_t pid, uint32_t ppid, const char *name,
	const char *arguments, size_t length);

/* Adds the next outer frame to the stack of the next event. Further frames than
 * LOG_WRITER_FRAMES_MAX are counted as cut. */
void log_writer_frame(struct log_writer *writer, const char *function, const char *place);

/* Writes a sample with the frames that were added. The first
 * kernel_frames of them are the kernel's; weight is the CPU time in ns that it stands for. */
void log_writer_sample(struct log_writer *writer, const struct log_writer_event *event,
	uint32_t kernel_frames, uint64_t weight);

/* Writes the name of a thread. */
void log_writer_thread(
	struct log_writer *writer, const struct log_writer_event *event, const char *name);

/* An argument of a probe: a text, or a number if text is NULL. */
struct log_writer_value {
	const char *text;
	uint64_t number;
};

/*
 * Declares a probe, "php:::request-startup(char *file, int64_t arg1)": each argument is a char * or
 * an int64_t; and the object and the function in which it fires. Returns its event type, -E2BIG if
 * there are too many, or -ENOMEM.
 */
int log_writer_declare(struct log_writer *writer, const char *description, const char *module,
	const char *function);

/*
 * Adds memory of the process, as it was at the next event of a probe, to that event: a script over
 * the log reads it at its address. The bytes are copied. Further pieces than LOG_WRITER_MEMORY_MAX
 * are left out.
 */
void log_writer_memory(
	struct log_writer *writer, uint64_t address, const char *bytes, size_t length);

/* Writes an event of a declared probe with as many values, and the frames and the memory that were
 * added. */
void log_writer_probe(struct log_writer *writer, const struct log_writer_event *event,
	uint16_t type, const struct log_writer_value *values, size_t count);

/* Writes that samples were lost between these times. */
void log_writer_lost(struct log_writer *writer, uint64_t count, uint64_t since, uint64_t until);

/*
 * Hands over what has been written, as the log up to now: no earlier event will come. Returns what
 * recording_received() and recording_flush() return: RECORDING_FULL if the recording has ended at
 * its largest size.
 */
int log_writer_flush(struct log_writer *writer, struct error *error);

/* Returns true if there is so much to hand over that log_writer_flush() should be called. */
int log_writer_is_full(const struct log_writer *writer);

/* Frees the writer; what was not handed over is lost. The recording is the caller's. */
void log_writer_free(struct log_writer *writer);

#endif
