/*
 * eventlog.h: turns the bytes of an event stream (wire/wire.h) into batches of events in
 * time order. Used for sockets and files alike: the caller supplies bytes, in pieces of any
 * size, and takes batches.
 *
 * Order: an event is released when a watermark at or after its time has been read, or when the
 * bytes have ended. Events of equal time keep the stream's order. An event that is older than a
 * preceding watermark breaks the sender's promise; it is delivered at once, with its own time.
 *
 * Damage (bytes that cannot be an eventlog) ends the stream: everything before it is
 * delivered, then EVENTLOG_BROKEN with the byte's offset and the reason. Memory is bounded:
 * 256 MiB of events that no watermark releases count as damage.
 *
 * Use: eventlog_open(); supply bytes and call eventlog_scan() until the log has declared its
 * probes; eventlog_add_probes(); eventlog_enable(); then supply bytes and call eventlog_next()
 * until the end. A call that comes too early is rejected (-EINVAL, EVENTLOG_BROKEN) and changes
 * nothing.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_EVENTLOG_H
#define VMTAP_SOURCE_EVENTLOG_EVENTLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "program/event.h"
#include "program/probe.h"
#include "source/source.h"

struct eventlog;

enum eventlog_state {
	EVENTLOG_MORE,  /* more bytes are needed */
	EVENTLOG_BATCH, /* *batch is filled */
	EVENTLOG_ENDED, /* the end marker has been read and everything has been delivered */
	EVENTLOG_BROKEN /* damaged, or ended without a marker; everything has been delivered */
};

/* The process that a stream comes from, as the stream describes it. */
struct eventlog_process {
	uint32_t pid, ppid;   /* 0: not known */
	char arguments[4096]; /* all arguments, separated by blanks; cut; "" if not known */
	char program[64];     /* base name of the first argument, "" if not known */
	char runtime[128];    /* the VM's name and version; cut; "" if not known */
	uint64_t start;       /* the stream's time zero, ns on its CLOCK_MONOTONIC */
	int64_t wall_offset;
};

/* Options of a log, set before its first byte is read. */
struct eventlog_settings {
	const char *what; /* name for messages: "log.eventlog", "process 12 (toy)"; copied */
	/*
	 * The file that the bytes come from, starting at its offset 0, if it can be read a second
	 * time; -1 if there is none. A log without watermarks can be sorted only after all of it
	 * has been read. With a file, its events need not stay in memory until then: memory holds
	 * about 50 bytes for each piece of a block in which time does not go back, up to 256 MiB,
	 * and WINDOWS_MAX pieces of the file. The caller owns the descriptor and keeps it open as
	 * long as the log.
	 */
	int file;
	/*
	 * A program that records a VM's stream without subscribing gets only GHC's forms of events,
	 * although the header declares the VM's own. If set, the first events decide: if none of
	 * vmtap's types precedes the first event, the log is read like GHC's, as provider
	 * HaskellEvent. An event whose GHC form has all arguments of an event of provider vm is
	 * also read as that one.
	 */
	bool either_form;
};

/* Returns 0 or -ENOMEM. */
int eventlog_open(const struct eventlog_settings *settings, struct eventlog **log);
void eventlog_free(struct eventlog *log);

/*
 * Returns where to put the next bytes, and sets *size to how many fit. Then call
 * eventlog_received() with the number received. Returns NULL if no more bytes are accepted (the
 * stream has ended, is damaged, or memory ran out).
 */
void *eventlog_room(struct eventlog *log, size_t *size);
void eventlog_received(struct eventlog *log, size_t size);

/* Call when no more bytes will come. */
void eventlog_finish(struct eventlog *log);

/* Like eventlog_finish() if the bytes end too early; why, the reason, is copied. truncated: nothing
 * else is wrong. */
void eventlog_finish_early(struct eventlog *log, const char *why, bool truncated);

/*
 * Reads what has been received (declarations, names, tags) without delivering events.
 * Returns true when it reaches the first event that requires the probes, which must then be
 * added with eventlog_add_probes().
 */
bool eventlog_scan(struct eventlog *log);

/* Returns true once the declarations of event types have been read, so that the log can be named
 * after its process. */
bool eventlog_declared(const struct eventlog *log);

/*
 * Returns true if the log has no watermarks, so that it can be sorted only at its end. The
 * description of its process may then come after the events, so a caller that can read the bytes a
 * second time searches for it (eventlog_learn()) before it adds the probes. Valid once the probes
 * can be added.
 */
bool eventlog_is_unordered(const struct eventlog *log);

/* Returns true if the log gives the thread and the processor of its events; GHC's logs do not. */
bool eventlog_has_context(const struct eventlog *log);

/* Returns the last message of the library in the VM that no batch has carried; "" if there is none.
 */
const char *eventlog_last_message(const struct eventlog *log);

/* Returns true after the end marker, damage, or eventlog_finish(): nothing more will be read. */
bool eventlog_over(const struct eventlog *log);

/* Returns true once the end marker has been scanned. */
bool eventlog_marked(const struct eventlog *log);

/* Returns why it is damaged; "" if it is not. */
const char *eventlog_damage(const struct eventlog *log);

/* Returns true if the only damage is that the bytes end before the end marker. */
bool eventlog_truncated(const struct eventlog *log);

/* Returns the position after the end marker, which must have been read. *has_more: bytes after it
 * were received, too. */
uint64_t eventlog_end(const struct eventlog *log, bool *has_more);

const struct eventlog_process *eventlog_process(const struct eventlog *log);

/* A process of a log that has several, but the first; name and arguments may be NULL. */
struct further_process {
	uint32_t capset, pid, ppid;
	char *name, *arguments;
};

/* Returns those that are known up to now: process i + 1 of the events is the one at i. They have
 * changed if *changes has; they are valid until the next batch. */
const struct further_process *eventlog_further(
	const struct eventlog *log, size_t *count, uint64_t *changes);

/* Returns true if the kernel has taken the log's samples, with the stacks of process and kernel. */
bool eventlog_is_sampled_by_kernel(const struct eventlog *log);

/* Returns what names the addresses of such stacks. It lives as long as the log. */
struct symbol_lookup;
const struct symbol_lookup *eventlog_symbols(const struct eventlog *log);

/* Returns true if the last subscription that was answered delivers the thread's CPU clock with each
 * event. */
bool eventlog_has_cpu_time(const struct eventlog *log);

/* Returns true if the last subscription that the stream has answered is lossless. */
bool eventlog_is_lossless(const struct eventlog *log);

/* Returns how time-based samples became due, as of the scan's position. */
enum source_samples eventlog_samples(const struct eventlog *log);

/* Returns the tag of the last answer to a subscription; 0 if there was none yet. */
uint32_t eventlog_tag(const struct eventlog *log);

/*
 * Adds every declared probe to the set. Call it once, after the declarations have been read
 * or, if the log's form is open (eventlog_settings), after eventlog_scan() has returned true
 * or the bytes have ended. Returns 0, -ENOMEM, or -EINVAL before that or on a second call. It adds
 * the events' own probes and those of compatible providers that the events fire as well, all with
 * the process's pid ("vm12", "ruby12"). A probe's source_tag is its event type; several probes may
 * share one. An event's own probe comes before the others, which are in the order of their
 * declaration. Probes of providers that the process may opt in for later come last and are marked
 * as absent.
 */
int eventlog_add_probes(
	struct eventlog *log, uint32_t pid, const char *module, struct d_probe_set *set);

/*
 * Adds probes of provider vm that the calls of other runtimes fire, if the log is one of the
 * kernel's probes and has such calls. Call it after eventlog_add_probes(). Returns 0 or -ENOMEM.
 */
int eventlog_add_calls(struct eventlog *log, struct d_probe_set *set, bool *has_calls);

/*
 * Adds the profile-n probes that asked describes. The event vm:::sample fires them, with arg0 0,
 * arg1 the guest thread and arg2 the weight. Call it after eventlog_add_probes(). Adds none if the
 * VM has no such event. Returns 0 or -ENOMEM.
 */
int eventlog_add_samples(struct eventlog *log, struct d_probe_set *set, const struct d_asked *asked,
	size_t asked_count);

/* Returns the period of the fastest enabled profile-n, ns; 0 if none is enabled. */
uint64_t eventlog_sample_period(const struct eventlog *log);

/* Returns the definitions of providers that the header carries, for scripts, and sets *count. Valid
 * as long as the log, and until eventlog_scan() is called. */
const struct d_carried *eventlog_carried(const struct eventlog *log, size_t *count);

/*
 * Renumbers the probes, for a set that has only some of them: probe i of the set that they were
 * added to becomes numbers[i]. A probe that becomes UINT32_MAX cannot be enabled.
 */
void eventlog_renumber(struct eventlog *log, const uint32_t *numbers);

/*
 * From here on delivers the events of these probes (indices into the set) and no others. If
 * answer is not 0, events and losses before the answer to the subscription with that tag are
 * skipped. Returns 0, or -EINVAL before the probes are added.
 */
int eventlog_enable(struct eventlog *log, const uint32_t *probes, size_t count, uint32_t answer);

/* From here on the ends of threads are delivered, too (EVENT_THREAD_END). */
void eventlog_want_thread_ends(struct eventlog *log);

/*
 * From here on events come with guest stacks, if they have any. Call it before eventlog_enable().
 * keeps: an event without a stack of its own gets the one kept from method-entry and method-return,
 * whose events must be requested too. Returns 0 or -ENOMEM.
 */
int eventlog_want_stacks(struct eventlog *log, bool keeps);

/* Of a log that has the kernel's samples, after that: has it say so if no event has a stack for
 * ustack(). */
void eventlog_want_user_stacks(struct eventlog *log);

/* Returns true if the VM walks its stacks. */
bool eventlog_walks(const struct eventlog *log);

/* Returns which strings of an event are needed for kept stacks: one bit for each argument. */
uint16_t eventlog_stack_strings(const struct eventlog *log, const char *event);

/* Lists the events that kept stacks are made from, as eventlog_event_of() names them. Returns their
 * number. */
enum { EVENTLOG_STACK_EVENTS_MAX = 8 };
size_t eventlog_stack_events(
	const struct eventlog *log, const char *events[EVENTLOG_STACK_EVENTS_MAX]);

/*
 * Returns the event that fires a probe of the set, as the name of the event's own probe:
 * "vm:::gc-start" also for "ccl12:::gc-finish". All probes of one event return the same text.
 * Returns NULL if there is no such event.
 */
const char *eventlog_event_of(const struct eventlog *log, uint32_t probe);

/* Returns which arguments of that event a probe's arguments are, bit N for argument N in both. */
uint16_t eventlog_event_arguments(const struct eventlog *log, uint32_t probe, uint64_t arguments);

/* Reads an event that describes the process before the scan reaches it. Returns false if the event
 * does not describe the process. */
struct record;
bool eventlog_learn(struct eventlog *log, const struct record *record);

/*
 * Reads the description of an event type before the scan reaches it, so that its probe can be added
 * with the others; ignores other events. Call it before the probes are added. Returns false if the
 * description is damaged, and the log with it.
 */
bool eventlog_has_spares(const struct eventlog *log); /* true if there may be any */
bool eventlog_learn_declaration(struct eventlog *log, const struct record *record);

/*
 * Fills the next batch from the received bytes. The process of an event is 0, or one of
 * eventlog_further(); the caller adds the processes. The contents are valid until the next call.
 * Sets error if it returns EVENTLOG_BROKEN, which it also does if there are events but no probes
 * have been added.
 */
enum eventlog_state eventlog_next(
	struct eventlog *log, struct event_batch *batch, struct error *error);

#endif
