/*
 * feed.h: the events of provider vm, for verbs that look at events themselves and run no script:
 * from a log, or from the stream of a running process.
 *
 * A verb lists the probes that it follows, each with a number of its own, its role. Probes that
 * the target does not have are left out. A log of GHC's has those of provider vm that its events
 * tell (source/eventlog/eventlog_ghc.c), and so has a log of the kernel's probes of another
 * runtime's calls (source/eventlog/eventlog_calls.c).
 */
#ifndef VMTAP_CLI_FEED_H
#define VMTAP_CLI_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "program/event.h"
#include "program/probe.h"
#include "source/source.h"
#include "targets/targets.h"

struct feed_probe {
	const char *name; /* "gc-start" */
	int role;         /* not negative */
};

/* What is wished besides the probes. */
struct feed_wish {
	bool stacks;            /* guest stacks with the events */
	uint64_t sample_period; /* ns: a process is to fire vm:::sample; 0: no */
	bool is_elapsed;        /* that period is one of elapsed time */
};

struct feed {
	struct target_spec spec;
	struct targets targets;
	struct d_probe_set set;
	struct source *source; /* that of the targets */
	int *roles;            /* by probe of the set, -1: not followed */
	const char *what;      /* the log's name, for messages */
	bool has_other_calls;  /* those of method-entry and the like are of another runtime, whose
				  threads are those of the system, and do not tell their ends */
	size_t followed;       /* probes */
	uint64_t lost;         /* events; feed_count_losses() */
	unsigned loss_reasons; /* of enum loss_reason */
};

/* Opens a log for a verb. Errors name it. Call feed_close() even after an error. wish NULL: nothing
 * more. */
int feed_open_log(struct feed *feed, const char *verb, const char *file,
	const struct feed_probe *probes, size_t count, const struct feed_wish *wish,
	struct error *error);

/* Connects to a running process; only the listed probes are enabled. */
int feed_open_process(struct feed *feed, const char *verb, uint32_t pid,
	const struct feed_probe *probes, size_t count, const struct feed_wish *wish,
	struct error *error);

/* Adds up the batch's losses. */
void feed_count_losses(struct feed *feed, const struct event_batch *batch);

/* If events were lost, says how many, what that has done, and how to lose none next time. */
void feed_tell_lost(const struct feed *feed, const char *effect);

void feed_close(struct feed *feed);

static inline int feed_role(const struct feed *feed, const struct event *event)
{
	return feed->roles[event->probe];
}

/* An argument; 0 if the event has fewer. */
static inline uint64_t feed_number(const struct event *event, unsigned int argument)
{
	return argument < event->argument_count ? event->arguments[argument] : 0;
}

/* A text argument: its bytes, which a NUL follows; "" if the source does not know it. */
const char *feed_text(const struct event_batch *batch, const struct event *event,
	unsigned int argument, uint32_t *length);

/*
 * Shows on standard error, if it is a terminal, how far long work has come: at most once a second.
 * The end erases the line.
 */
struct feed_progress {
	uint64_t shown; /* when, CLOCK_MONOTONIC, ns */
	int is_terminal;
};

void feed_progress_init(struct feed_progress *progress);
void feed_progress_show(struct feed_progress *progress, uint64_t events, const char *what);
void feed_progress_end(struct feed_progress *progress);

/* For work that takes events one by one: looks at the clock only now and then. */
static inline void feed_progress_count(
	struct feed_progress *progress, uint64_t events, const char *what)
{
	if (events % 4096 == 0)
		feed_progress_show(progress, events, what);
}

#endif
