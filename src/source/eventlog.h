/*
 * eventlog.h: the bytes of an event stream (wire/wire.h) to batches of events in time
 * order. Used for sockets and files alike: the caller brings bytes, in any split, and
 * takes batches.
 *
 * Order: an event is released when a watermark at or after its time has been read, or
 * when the bytes have ended. Events of equal time keep the stream's order. An event that
 * comes after a watermark later than itself (which the sender promised not to do) is
 * delivered at once, with its own time.
 *
 * Damage (bytes that cannot be an eventlog) ends the stream: everything before is
 * delivered, then EVENTLOG_BROKEN with the byte's offset and the reason. Memory is
 * bounded: 256 MiB of events that no watermark releases count as damage.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_H
#define VMTAP_SOURCE_EVENTLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "program/event.h"
#include "program/probe.h"

struct eventlog;

enum eventlog_state {
	EVENTLOG_MORE,  /* bytes are wanted */
	EVENTLOG_BATCH, /* *batch is filled */
	EVENTLOG_ENDED, /* the end marker has been read and everything delivered */
	EVENTLOG_BROKEN /* damaged, or ended without a marker; everything delivered */
};

/* What a stream says of the process it comes from. */
struct eventlog_process {
	uint32_t pid, ppid;   /* 0: not said */
	char arguments[4096]; /* all of them, blanks between; cut; "" when not said */
	char program[64];     /* base name of the first argument, "" when not said */
	uint64_t start;       /* the stream's zero, ns on its CLOCK_MONOTONIC */
	int64_t wall_offset;
};

/* what names the stream in messages: "log.eventlog", "process 12 (toy)"; it is copied. */
int eventlog_new(const char *what, struct eventlog **log);
void eventlog_free(struct eventlog *log);

/*
 * Where the next bytes go and how many fit; then tells how many came. NULL when no more
 * bytes are taken (the stream has ended, is damaged, or memory is out).
 */
void *eventlog_room(struct eventlog *log, size_t *size);
void eventlog_received(struct eventlog *log, size_t size);

/* No more bytes will come. */
void eventlog_finish(struct eventlog *log);

/*
 * Reads what has been received, without delivering: declarations, names, tags. True when
 * it stands before the first event that needs the probes, which eventlog_add_probes()
 * must settle first.
 */
bool eventlog_scan(struct eventlog *log);

/*
 * Of a VM's stream, whoever has kept it may have got GHC's forms of events alone, as a plain
 * reader does, though the VM's own are declared. From here on the events tell: if there is none
 * of vmtap's types before the first, they are read as GHC's logs are, as provider HaskellEvent,
 * and those that carry all of an event of provider vm as that one too. To be called before the
 * first scan; eventlog_add_probes() comes after a scan that returned true, or the end.
 */
void eventlog_expect_either_form(struct eventlog *log);

/* The declarations of event types have been read: probes can be added. */
bool eventlog_declared(const struct eventlog *log);

/* The log tells the thread and the processor of its events; GHC's does not. */
bool eventlog_has_context(const struct eventlog *log);

/* True after the end marker, damage, or eventlog_finish(): nothing more will be read. */
bool eventlog_over(const struct eventlog *log);

/* Why it is damaged; "" when it is not. */
const char *eventlog_damage(const struct eventlog *log);

/* The damage is only that the bytes ended before the end marker. */
bool eventlog_truncated(const struct eventlog *log);

const struct eventlog_process *eventlog_process(const struct eventlog *log);

/* The subscription that was answered last has the CPU clock of its thread with each event. */
bool eventlog_has_cpu_time(const struct eventlog *log);

/* Events and losses before the answer with this tag are passed over. */
void eventlog_await(struct eventlog *log, uint32_t tag);

/* The tag of the last answer to a subscription; 0: none yet. */
uint32_t eventlog_tag(const struct eventlog *log);

/*
 * Adds every declared probe to the set, once: those of provider vm and those of compatible
 * providers that the events fire as well, all of the process's pid ("vm12", "ruby12"). A
 * probe's source_tag is its event type: several have the same. No event is delivered for a
 * probe that is not enabled: eventlog_enable() takes indices into the set, before the events
 * are scanned. An event's own probe comes before the others, which keep the order of their
 * declaration. Behind all of them come those of providers that the process may opt in for
 * later, marked as absent.
 */
int eventlog_add_probes(
	struct eventlog *log, uint32_t pid, const char *module, struct d_probe_set *set);
void eventlog_enable(struct eventlog *log, const uint32_t *probes, size_t count);

/*
 * The bytes come from the beginning of this file, which can be read a second time: if the
 * log has no watermarks, so that it can be put in order only when all of it is known, what
 * is not yet released need not stay in memory. What does is about 50 bytes for each piece of
 * a block whose times do not go back, up to 256 MiB, and WINDOWS_MAX pieces of the file. The
 * descriptor stays the caller's, and open as long as the log. To be called before the probes
 * are added. 1: it will be read again; 0: there are watermarks; -ENOMEM.
 */
int eventlog_reread(struct eventlog *log, int fd);

/*
 * An event that says something of the process, ahead of its turn; true: it was one. In a log
 * without watermarks it may stand after those that the caller needs it for.
 */
struct record;
bool eventlog_learn(struct eventlog *log, const struct record *record);

/*
 * The next batch of what has been received; batch->process is left alone. Its contents
 * are valid until the next call. error is filled with EVENTLOG_BROKEN.
 */
enum eventlog_state eventlog_next(
	struct eventlog *log, struct event_batch *batch, struct error *error);

#endif
