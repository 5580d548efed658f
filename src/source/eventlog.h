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
 *
 * Use: eventlog_open(); bytes and eventlog_scan() until the log says which probes it has;
 * eventlog_add_probes(); eventlog_enable(); then bytes and eventlog_next() until the end. A call
 * that comes too early is refused (-EINVAL, EVENTLOG_BROKEN) and changes nothing.
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

/* What must be known about a log before its first byte. */
struct eventlog_settings {
	const char *what; /* its name in messages: "log.eventlog", "process 12 (toy)"; copied */
	/*
	 * The file from whose beginning the bytes come, if it can be read a second time; -1: there
	 * is none. A log without watermarks can be put in order only when all of it is known. With
	 * a file, its events need not stay in memory until then: about 50 bytes do for each piece
	 * of a block whose times do not go back, up to 256 MiB, and WINDOWS_MAX pieces of the file.
	 * The descriptor stays the caller's, and open as long as the log.
	 */
	int file;
	/*
	 * Whoever has kept a VM's stream may have got GHC's forms of events alone, as a plain
	 * reader does, though the VM's own are declared. If set, the events tell: when there is
	 * none of vmtap's types before the first, they are read as GHC's logs are, as provider
	 * HaskellEvent, and those that carry all of an event of provider vm as that one too.
	 */
	bool either_form;
};

/* -ENOMEM. */
int eventlog_open(const struct eventlog_settings *settings, struct eventlog **log);
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

/* The declarations of event types have been read, so that the log can be named by its process. */
bool eventlog_declared(const struct eventlog *log);

/*
 * The log has no watermarks and gets its order only at its end. What it says of its process may
 * then come after the events: a caller with a second way to the bytes looks for it
 * (eventlog_learn()) before it adds the probes. Known once the probes can be added.
 */
bool eventlog_is_unordered(const struct eventlog *log);

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

/* The tag of the last answer to a subscription; 0: none yet. */
uint32_t eventlog_tag(const struct eventlog *log);

/*
 * Adds every declared probe to the set, once, when the log has been declared; of a log whose form
 * is open (eventlog_settings), when eventlog_scan() has returned true or the bytes have ended.
 * -EINVAL before that and a second time; -ENOMEM. Added are those of provider vm and those of
 * compatible providers that the events fire as well, all of the process's pid ("vm12", "ruby12"). A
 * probe's source_tag is its event type: several have the same. An event's own probe comes
 * before the others, which keep the order of their declaration. After all of them come those of
 * providers that the process may opt in for later, marked as absent.
 */
int eventlog_add_probes(
	struct eventlog *log, uint32_t pid, const char *module, struct d_probe_set *set);

/*
 * From here on the events of these probes are delivered, and no others; indices into the set.
 * With an answer other than 0, events and losses before the answer to the subscription of that
 * tag are passed over. -EINVAL before the probes are added.
 */
int eventlog_enable(struct eventlog *log, const uint32_t *probes, size_t count, uint32_t answer);

/*
 * The event that fires a probe of the set, by the name of its own probe: "gc-start" also for
 * "ccl12:::gc-finish"; the same text for all probes of one event. NULL: there is none. The names
 * are those of provider DESCRIBE_PROVIDER.
 */
const char *eventlog_event_of(const struct eventlog *log, uint32_t probe);

/* Which arguments of that event a probe's arguments are, bit N for argument N in both. */
uint16_t eventlog_event_arguments(const struct eventlog *log, uint32_t probe, uint64_t arguments);

/* Takes an event that says something of the process, ahead of its turn; true: it was one. */
struct record;
bool eventlog_learn(struct eventlog *log, const struct record *record);

/*
 * The next batch of what has been received, without its process, which is the caller's to
 * add: all events are of process 0. Its contents are valid until the next call. error is filled
 * with EVENTLOG_BROKEN, which is also the answer when there are events and no probes have been
 * added.
 */
enum eventlog_state eventlog_next(
	struct eventlog *log, struct event_batch *batch, struct error *error);

#endif
