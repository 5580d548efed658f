/*
 * eventlog_private.h: what the two passes over a log's bytes share.
 *
 * Two passes over each byte. The scan goes in stream order: it checks that events are
 * whole and declared, keeps track of block, capability, thread and cpu, defines names,
 * and replaces the ids of names in wanted events by indices (in place), since what an
 * id means depends on the place in the stream. It leaves behind runs: pieces of one
 * block whose wanted events do not go back in time. The merge takes events from the
 * runs, earliest first, and decodes them into the batch; since a run is long (a ring's
 * drain) it mostly walks along one run without touching the heap of the others.
 *
 * Raw events stay in the buffer until they are merged, so a drain of the VM's rings
 * costs its own size in memory and a batch stays in the processor's cache.
 *
 * A log without watermarks (GHC's) cannot be released before it has ended. If it is a file,
 * nothing of it stays in the buffer then: the merge reads a second time what the runs name.
 *
 * Positions are offsets in the stream, so that they survive the buffer's moves and can
 * be named in messages.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_PRIVATE_H
#define VMTAP_SOURCE_EVENTLOG_PRIVATE_H

#include "source/eventlog.h"
#include "source/names.h"
#include "source/windows.h"
#include "wire/describe.h"
#include "wire/header.h"

enum {
	EVENTLOG_PENDING_MAX = 256 * 1024 * 1024, /* of raw events and runs not yet released */
	EVENTLOG_BATCH_EVENTS = 4096,
	EVENTLOG_BATCH_TEXT_BYTES = 256 * 1024, /* inline texts of a batch */
	EVENTLOG_COMPATS_MAX = 15,              /* compatible providers' probes of one event */
	EVENTLOG_PROVIDERS_MAX = 64,
	EVENTLOG_CHANGES_MAX = 1 << 16, /* of a provider that comes and goes, not yet released */
	EVENTLOG_MESSAGES_MAX = 8,      /* not yet told; further ones are dropped */
	EVENTLOG_LOSSES_MAX = 256       /* distinct losses between two batches */
};

enum role {
	ROLE_UNDECLARED,
	ROLE_SKIP,
	ROLE_PROBE,    /* not enabled: passed over */
	ROLE_WANTED,   /* an enabled probe */
	ROLE_READ,     /* WIRE_READ: says something of other events or of the process */
	ROLE_MISPLACED /* cannot stand in a log of GHC's forms alone */
};

enum field {
	FIELD_U8,
	FIELD_S8,
	FIELD_U16,
	FIELD_S16,
	FIELD_U32,
	FIELD_S32,
	FIELD_64,
	FIELD_NAME,
	FIELD_RUNNING
};

/* A compatible provider: whether the process has it changes at these times. */
struct compat_provider {
	char name[48];
	bool is_there; /* before the first change that is kept */
	uint64_t *changes;
	size_t count, capacity;
};

/* A compatible provider's probe that an event type fires. */
struct compat {
	uint32_t probe; /* index into the set once it is there */
	bool is_wanted;
	uint8_t provider; /* index into providers */
	struct compat_description description;
};

/* How to read one event type; what a description comes down to. */
struct plan {
	uint8_t role;
	bool is_wanted;     /* its own probe is enabled */
	bool wants_compats; /* compatible providers' are */
	bool is_direct;     /* is_wanted is all there is */
	bool says_running;  /* its first field is the thread that now runs on the capability */
	uint8_t compat_count;
	bool is_variable, has_cap, has_text, takes_names;
	uint8_t argument_count, field_count, text_argument;
	uint16_t type;
	uint16_t payload; /* declared size */
	uint16_t least;   /* bytes of payload that must be there */
	uint32_t probe;   /* index into the set once it is there */
	struct {
		uint8_t kind, argument;
		uint16_t offset; /* in the payload */
	} fields[WIRE_ARGUMENTS_MAX];
	uint8_t probe_arguments;  /* of the probe: more than argument_count if this is an older
				     version  of it, whose events lack the last ones */
	uint16_t missing_strings; /* which of those are strings, a bit each */
	bool is_told;             /* that they are missing */
	const char *provider;
	struct description *description; /* NULL: carries no probe */
	struct compat *compats;
};

struct event_run {
	uint64_t cpu_time;
	uint64_t time;     /* of the event at position: the key, with position */
	uint64_t position; /* of the next wanted event */
	uint64_t end;
	uint32_t tid;
	uint16_t cpu, cap;
};

enum stage {
	STAGE_HEADER,
	STAGE_DATA,
	STAGE_ENDED, /* end marker read */
	STAGE_BROKEN /* see damage */
};

struct eventlog {
	char what[256];
	enum stage stage;
	struct header header;
	int file;      /* as in the settings */
	bool finished; /* no more bytes will come */
	bool declared; /* the header has been read */
	bool stalled;  /* the scan is at an event that needs the probes */
	bool settled;  /* probes have been added */
	bool clocked;
	bool form_open; /* whether GHC's forms stand alone is not known yet */
	bool ghc_alone; /* they do, though the log declares others */
	bool truncated; /* the damage is only that the end is missing */
	struct error damage;

	unsigned char *buffer;
	size_t capacity, filled;
	uint64_t base;    /* position of buffer[0] */
	uint64_t scanned; /* position up to which the scan has come */

	uint16_t *plan_of; /* by event type: index into plans */
	struct compat_provider providers[EVENTLOG_PROVIDERS_MAX];
	size_t provider_count;
	struct plan *plans; /* plans[0] is for types that were not declared */
	size_t plan_count, plan_capacity;
	struct names names;

	struct windows *windows; /* the merge reads from a file; NULL: from the buffer */
	uint32_t *running;       /* by capability, of a log of GHC's forms: the thread; else NULL */

	uint64_t block_end;
	uint32_t tid;
	uint16_t cpu, cap;

	struct event_run *heap; /* closed runs, a binary heap by (time, position) */
	size_t heap_count, heap_capacity;
	struct event_run open; /* the run that the scan extends */
	bool is_open;
	uint64_t open_last; /* time of its last event */

	uint64_t watermark, announced; /* read; told to the caller as batch->until */
	/* Of the VM's library and about its stream, for whoever traces it: the oldest first. */
	char messages[EVENTLOG_MESSAGES_MAX][256];
	unsigned int message_count;
	char message[256];  /* of the batch */
	bool tells_missing; /* there are older versions of wanted probes that were not told of */
	uint64_t cpu_time;  /* read last: the next event's */
	bool has_cpu_time;
	uint32_t tag, awaited;
	bool awaits; /* an answer: events before it were not asked for */
	struct eventlog_process process;

	struct event *events; /* the batch */
	uint64_t *arguments;
	struct text *texts;
	const struct text **transients;
	char *text_bytes;
	size_t event_count, text_count, text_used;
	struct event_loss losses[EVENTLOG_LOSSES_MAX], taken[EVENTLOG_LOSSES_MAX];
	size_t loss_count;
};

/* Ends the stream at a position; returns false, which callers pass on. */
__attribute__((format(printf, 3, 4))) bool eventlog_damaged(
	struct eventlog *log, uint64_t position, const char *format, ...);

/* Makes the plan of the type that the header declares; false: damaged. */
bool eventlog_declare(struct eventlog *log, const struct header *header, uint64_t position);

/*
 * A type that the header declares as spare is what this description says from here on: payload of a
 * WIRE_DECLARE. Before the probes are added it counts among them; after that its events are those
 * of the probe of its name, if there is one. False: damaged.
 */
bool eventlog_declare_spare(struct eventlog *log, const unsigned char *payload, size_t size);

/* Gives a plan the probe of a description, if it is one of a probe; false: damaged. */
bool eventlog_describe(struct eventlog *log, struct plan *plan, const char *text, size_t length,
	const char *extension, size_t extension_length, uint64_t position);

/* That the plan's description fits those of the other versions of its probe; false: damaged. */
bool eventlog_check_versions(struct eventlog *log, const struct plan *plan, uint64_t position);

/* Of the plans that are versions of one probe, the one with the most arguments, and the first. */
const struct plan *eventlog_longest_version(const struct eventlog *log, const struct plan *plan);
const struct plan *eventlog_first_version(const struct eventlog *log, const struct plan *plan);

/* Gives the plan's events all arguments of the longest version. */
void eventlog_take_version(struct plan *plan, const struct plan *longest);

/* The compatible provider's probe of that name among a plan's; NULL: there is none. */
const struct compat *eventlog_same_compat(const struct plan *plan, const struct compat *compat);

/* Whether the events of a wanted probe lack arguments, and nobody has been told so. */
void eventlog_note_missing(struct eventlog *log);

/* Queues what is missing as a message. */
void eventlog_tell_missing(struct eventlog *log);

/* Queues a message for whoever traces; text is cut. */
void eventlog_add_message(struct eventlog *log, const char *text, size_t length);

/* Fills the rest of a plan for a probe. */
void eventlog_plan_probe(struct plan *plan, const struct description *description);

/* The process's compatible providers from this time on, blanks between the names; false: damaged.
 */
bool eventlog_take_providers(struct eventlog *log, uint64_t time, const char *names, size_t length);

/* Whether the process has the provider at a time. */
static inline bool eventlog_has_provider(const struct compat_provider *provider, uint64_t time)
{
	bool is_there = provider->is_there;

	for (size_t i = provider->count; i-- && provider->changes[i] > time;)
		is_there = !is_there;
	return is_there != (provider->count & 1);
}

/* Plans for the probes of GHC, if the log describes none itself; false: damaged. */
bool eventlog_plan_ghc(struct eventlog *log);

/*
 * The first event that can tell, if this is one, says whether GHC's forms stand alone, and the
 * types are planned anew if they do; false: damaged.
 */
bool eventlog_decide_form(struct eventlog *log, uint16_t type);

/* Puts the open run, if there is one, among those that can be merged; false: damaged. */
bool eventlog_close_run(struct eventlog *log);

#endif
