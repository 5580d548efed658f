/*
 * log_nesting.h: whether what begins in a log also ends, in the right order: the frames of each
 * guest thread, what a VM reports per process without a thread (require, load, parse, compilation,
 * finalizers), and on each capability pauses, collections and their phases.
 *
 * Something that began before the log, or before events were lost, is not known; its end is no
 * error then.
 */
#ifndef VMTAP_CLI_LOG_LOG_NESTING_H
#define VMTAP_CLI_LOG_LOG_NESTING_H

#include <stdbool.h>
#include <stdint.h>

#include "program/event.h"

struct log_nesting;

/* Reports one finding: a line of text without its end. */
typedef void (*log_nesting_report)(void *context, const char *text);

/* NULL: out of memory. start is the time 0 of the log, which reports count from. */
struct log_nesting *log_nesting_new(uint64_t start, log_nesting_report report, void *context);
void log_nesting_free(struct log_nesting *nesting);

/*
 * The number by which log_nesting_event() knows a probe of provider vm, or of HaskellEvent if
 * is_ghc; -1: the probe plays no part.
 */
int log_nesting_role(const char *probe, unsigned int argument_count, bool is_ghc);

/* Takes the next event, in the order of time. */
void log_nesting_event(struct log_nesting *nesting, int role, const struct event_batch *batch,
	const struct event *event);

/* The log has ended. is_whole: so has the VM, in order, and all its events are there, so that
 * whatever is open is reported. Call it once, at the end. */
void log_nesting_end(struct log_nesting *nesting, bool is_whole);

/* Events were lost: forgets everything that is open. */
void log_nesting_lost(struct log_nesting *nesting);

#endif
