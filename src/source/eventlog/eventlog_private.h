/*
 * eventlog_private.h: state that the two passes over a log's bytes share.
 *
 * Two passes read each byte. The scan goes in stream order: it checks that events are whole and
 * declared, keeps track of block, capability, thread and cpu, defines names, and replaces the ids
 * of names in wanted events by indices (in place), because an id's meaning depends on the position
 * in the stream. It produces runs: pieces of one block whose wanted events do not go back in time.
 * The merge takes events from the runs, earliest first, and decodes them into the batch. Because a
 * run is long (a drain of a ring), the merge mostly walks along one run without touching the heap
 * of the others.
 *
 * Raw events stay in the buffer until they are merged, so a drain of the VM's rings costs its own
 * size in memory and a batch stays in the processor's cache.
 *
 * A log without watermarks (GHC's) cannot be released before it has ended. If it is a file, none of
 * it stays in the buffer: the merge reads the pieces that the runs refer to a second time.
 *
 * Positions are offsets in the stream, so they remain valid when the buffer moves and can be used
 * in messages.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_EVENTLOG_PRIVATE_H
#define VMTAP_SOURCE_EVENTLOG_EVENTLOG_PRIVATE_H

#include "source/eventlog/eventlog.h"
#include "source/eventlog/loss_gaps.h"
#include "source/eventlog/method_stacks.h"
#include "source/eventlog/names.h"
#include "source/eventlog/recorded_places.h"
#include "source/eventlog/windows.h"
#include "wire/describe.h"
#include "wire/header.h"
#include "wire/wire.h"

enum {
	/* bytes of raw events and runs not yet released */
	EVENTLOG_PENDING_MAX = 256 * 1024 * 1024,
	EVENTLOG_BATCH_EVENTS = 4096,
	EVENTLOG_FRAMES_MAX = 256, /* of a stack */
	EVENTLOG_BATCH_FRAMES = 64 * 1024,
	EVENTLOG_PIECES_MAX = 10, /* of an event's memory */
	EVENTLOG_BATCH_PIECES = 16 * 1024,
	EVENTLOG_BATCH_TEXT_BYTES = 256 * 1024, /* bytes of the inline texts of a batch */
	EVENTLOG_COMPATS_MAX = 15,              /* probes of compatible providers per event */
	EVENTLOG_PROVIDERS_MAX = 64,
	EVENTLOG_CHANGES_MAX = 1 << 16, /* unreleased changes of a provider's presence */
	EVENTLOG_MESSAGES_MAX = 8,      /* unreported messages; further ones are dropped */
	EVENTLOG_WALLS_MAX = 32,        /* times at which the wall clock was set, unreleased */
	EVENTLOG_LOSSES_MAX = 256       /* distinct losses between two batches */
};

enum role {
	ROLE_UNDECLARED,
	ROLE_SKIP,
	ROLE_PROBE,    /* a probe that is not enabled: skipped */
	ROLE_WANTED,   /* an enabled probe */
	ROLE_READ,     /* WIRE_READ: describes other events or the process */
	ROLE_MISPLACED /* cannot occur in a log with only GHC's forms */
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

/* The effect of an event on the frames of guest threads. */
enum stack_role { STACK_NONE, STACK_ENTRY, STACK_RETURN, STACK_RUN, STACK_STOP, STACK_EXIT };

/* A compatible provider. At each time in changes it appears in the process or disappears. */
struct compat_provider {
	char name[48];
	bool is_there; /* the state before the first change that is kept */
	uint64_t *changes;
	size_t count, capacity;
};

/* A compatible provider's probe that an event type fires. */
struct compat {
	uint32_t probe; /* index into the set, after it has been added */
	bool is_wanted;
	bool is_sample;   /* profile-n, fired by vm:::sample */
	uint64_t period;  /* of profile-n, ns */
	bool is_derived;  /* of provider vm, derived from GHC's event: eventlog_ghc.c */
	bool is_call;     /* the same, from another runtime's call: eventlog_calls.c */
	uint8_t rule;     /* enum ghc_rule: when the event fires it; is_call: a row of the table */
	uint8_t provider; /* index into providers */
	struct compat_description description;
};

/* How to read one event type, condensed from its description. */
struct plan {
	uint8_t role;
	bool is_wanted;     /* its own probe is enabled */
	bool wants_compats; /* probes of compatible providers are enabled */
	bool is_direct;     /* only its own probe is enabled, nothing else applies */
	bool says_running;  /* its first field is the thread that now runs on the capability */
	uint8_t compat_count;
	bool is_variable, has_cap, has_text, takes_names;
	uint8_t text_count; /* with has_text: texts, each ended by a NUL or by the payload's end */
	uint8_t argument_count, field_count, text_argument;
	uint16_t type;
	uint16_t payload; /* declared size */
	uint16_t least;   /* minimum bytes of payload */
	uint32_t probe;   /* index into the set, after it has been added */
	struct {
		uint8_t kind, argument;
		uint16_t offset; /* offset in the payload */
	} fields[WIRE_ARGUMENTS_MAX];
	uint8_t probe_arguments;  /* arguments of the probe: more than argument_count if this is an
				     older version, whose events lack the last ones */
	uint16_t missing_strings; /* one bit for each of the missing arguments that is a string */
	uint8_t stack_role;       /* enum stack_role, if stacks are kept */
	/* which arguments say whose stack an event has, where it happened, and how many of the
	 * stack's frames are the kernel's; UINT8_MAX: none */
	uint8_t thread_argument, file_argument, line_argument, kernel_argument;
	bool is_told;                    /* the missing arguments have been reported */
	bool is_learned;                 /* its description was read ahead of the scan */
	bool is_siteless;                /* no event type yet, see eventlog_siteless.c */
	const char *provider;            /* of its own probe; valid if it has a description */
	struct description *description; /* NULL: carries no probe */
	struct compat *compats;
};

struct event_run {
	uint64_t cpu_time;
	uint64_t time;     /* time of the event at position; the key, together with position */
	uint64_t position; /* position of the next wanted event */
	uint64_t stack;    /* position of the stack that belongs to it; 0: it has none */
	uint64_t end;
	uint32_t tid;
	uint32_t process; /* 0: the log's first, else 1 more than the index of a further one */
	uint16_t cpu, cap;
};

/* The processes of a log but the first: eventlog_processes.c. */
struct further_processes {
	struct further_process *list;
	size_t count, capacity;
	uint64_t changes; /* counts what has been said about them */
	uint16_t *of_cap; /* by capability: as the process of a run; NULL: all are the first's */
};

/* A garbage collection: the time of its statistics event, and the oldest generation collected. */
struct ghc_collection {
	uint64_t time;
	uint16_t generation;
};

/* The garbage collections that a GHC log reports. */
struct ghc_state {
	struct ghc_collection *collections; /* found by the scan; in the merge sorted by time */
	size_t count, capacity;
	bool is_sorted;
	uint16_t generations; /* of the heap; 0: unknown */
	/* used by the merge */
	unsigned char is_collecting[(WIRE_NO_CAP + 1) / 8]; /* one bit for each capability */
	uint32_t collecting;                                /* how many of them are set */
	uint32_t generation;                                /* of the collection */
	uint16_t cap;                                       /* the first that collects */
	bool begins, ends; /* the event is the first start, or the last end, of a collection */
};

enum stage {
	STAGE_HEADER,
	STAGE_DATA,
	STAGE_ENDED, /* the end marker has been read */
	STAGE_BROKEN /* see damage */
};

struct eventlog {
	char what[256];
	enum stage stage;
	struct header header;
	int file;      /* as in the settings */
	bool finished; /* no more bytes will come */
	char *early;   /* why the bytes ended too early; NULL: they did not */
	bool early_is_damage;
	bool declared; /* the header has been read */
	bool stalled;  /* the scan is at an event that needs the probes */
	bool settled;  /* the probes have been added */
	bool clocked;
	bool has_wall;  /* the stream has stated the wall clock's time */
	bool form_open; /* not known yet whether there are only GHC's forms */
	bool ghc_alone; /* there are only GHC's forms, though the log declares others */
	bool truncated; /* the damage is only that the end is missing */
	struct error damage;

	unsigned char *buffer;
	size_t capacity, filled;
	uint64_t base;    /* position of buffer[0] */
	uint64_t scanned; /* bytes before this position are scanned */

	uint16_t *plan_of; /* by event type: index into plans */
	struct compat_provider providers[EVENTLOG_PROVIDERS_MAX];
	size_t provider_count;
	struct d_carried carried[EVENTLOG_PROVIDERS_MAX]; /* owns name and text */
	size_t carried_count;
	struct plan *plans; /* plans[0] is for types that are not declared */
	size_t plan_count, plan_capacity;
	struct names names;

	struct windows *windows; /* the merge reads from a file; NULL: from the buffer */
	uint32_t *running;       /* running threads by capability; NULL unless only GHC's forms */
	struct ghc_state ghc;

	uint64_t block_end;
	uint32_t tid, block_process;
	uint16_t cpu, cap;

	struct event_run *heap; /* closed runs, a binary heap by (time, position) */
	size_t heap_count, heap_capacity;
	struct event_run open; /* the run that the scan extends */
	bool is_open;
	uint64_t open_last; /* time of its last event */

	uint64_t watermark, announced; /* the last one read; the last one passed to the caller as
					  batch->until */
	/* Messages from the VM's library and about its stream, for the user: the oldest first. */
	char messages[EVENTLOG_MESSAGES_MAX][256];
	unsigned int message_count;
	/* settings of the wall clock that the events before them must not see yet */
	struct eventlog_wall {
		uint64_t time; /* of the stream */
		int64_t wall_offset;
	} walls[EVENTLOG_WALLS_MAX];
	unsigned int wall_count;
	char message[256];  /* the batch's message */
	bool tells_missing; /* unreported: older versions of wanted probes */
	uint64_t cpu_time;  /* the last one read: belongs to the next event */
	uint64_t stack;     /* position of the last one read, which belongs to the next event; 0: it
			       has none */
	uint64_t sample_period; /* of the fastest profile-n that is enabled */
	bool wants_stacks;
	bool keeps_stacks; /* for events that come without one */
	/* of the events delivered so far, one had a stack, one a kept stack, one could have had
	 * one */
	bool has_stack, has_kept, has_none;
	bool tells_stacks; /* the message about it has not been printed yet */
	struct method_stacks kept;
	struct loss_gaps gaps;           /* in the stream's time */
	struct event_guest_stack guest;  /* of the event that is being delivered */
	struct event_stack kernel, user; /* the same, of a log that has the kernel's samples */
	bool has_cpu_time, is_lossless;
	enum source_samples samples;
	uint32_t tag, awaited;
	bool awaits; /* waits for an answer: earlier events were not requested */
	struct eventlog_process process;
	uint32_t capset; /* of this process */
	struct further_processes further;
	bool is_sampled_by_kernel; /* the frames of stacks are places: recorded_places.h */
	struct recorded_places places;

	struct event_capture *captures; /* by event; NULL: no stacks are wanted */
	struct event_frame *frames;
	uint64_t *addresses; /* of the frames, if they are places */
	size_t frame_count;
	struct event_piece *pieces; /* memory; NULL: the log has none */
	uint32_t *piece_names;
	size_t piece_count;
	struct event_memory {
		const struct event_piece *pieces;
		const uint32_t *names; /* by piece: the index of its text; 0: it is none */
		uint32_t count;
	} memory;             /* of the event that is being delivered */
	struct event *events; /* the batch */
	uint64_t *arguments;
	struct text *texts;
	const struct text **transients;
	char *text_bytes;
	size_t event_count, text_count, text_used;
	struct event_loss losses[EVENTLOG_LOSSES_MAX], taken[EVENTLOG_LOSSES_MAX];
	size_t loss_count;
};

/* Ends the stream at a position because of damage; returns false, which callers pass on. */
__attribute__((format(printf, 3, 4))) bool eventlog_damaged(
	struct eventlog *log, uint64_t position, const char *format, ...);

/* Makes the plan of a type that the header declares. Returns false if it is damaged. */
bool eventlog_declare(struct eventlog *log, const struct header *header, uint64_t position);

/*
 * Handles the payload of a WIRE_DECLARE: from here on a type that the header declares as spare has
 * this description. If the probes have not been added yet, its probe will be added with them;
 * otherwise its events belong to the probe of the same name, if there is one. Returns false if it
 * is damaged.
 */
bool eventlog_declare_spare(struct eventlog *log, const unsigned char *payload, size_t size);

/* If the text describes a probe, gives the plan that probe. Returns false if it is damaged. */
bool eventlog_describe(struct eventlog *log, struct plan *plan, const char *text, size_t length,
	const char *extension, size_t extension_length, uint64_t position);

/*
 * eventlog_plan_siteless() makes plans for the probes of which no object of the process has a site,
 * and returns 0 or -ENOMEM. eventlog_siteless_plan() returns the one for a plan's probe, or NULL.
 */
int eventlog_plan_siteless(struct eventlog *log);
const struct plan *eventlog_siteless_plan(const struct eventlog *log, const struct plan *plan);

/* Takes a provider's definition from an extension. Returns false if memory runs out. */
bool eventlog_take_carried(struct eventlog *log, const struct plan *plan, const char *extension,
	size_t length, uint64_t position);
void eventlog_free_carried(struct eventlog *log);
/* Gives the probes of the set the stability that these definitions state. */
void eventlog_take_stability(const struct eventlog *log, struct d_probe_set *set);

/* Checks that the plan's description matches the other versions of its probe. If not, the log is
 * damaged and it returns false. */
bool eventlog_check_versions(struct eventlog *log, const struct plan *plan, uint64_t position);

/* Return one of the plans for versions of the plan's probe: the one with the most arguments, or the
 * first. */
const struct plan *eventlog_longest_version(const struct eventlog *log, const struct plan *plan);
const struct plan *eventlog_first_version(const struct eventlog *log, const struct plan *plan);

/* Gives the plan's events all arguments of the longest version. */
void eventlog_take_version(struct plan *plan, const struct plan *longest);

/* Returns the same compatible provider's probe in a plan, or NULL. */
const struct compat *eventlog_same_compat(const struct plan *plan, const struct compat *compat);

/* Sets tells_missing if events of a wanted probe lack arguments and this has not been reported. */
void eventlog_note_missing(struct eventlog *log);

/* Queues a message about the missing arguments. */
void eventlog_tell_missing(struct eventlog *log);

/* Queues a message for the user; the text is cut if it is too long. */
void eventlog_add_message(struct eventlog *log, const char *text, size_t length);

/* Fills in the rest of a probe's plan. */
void eventlog_plan_probe(struct plan *plan, const struct description *description);

/* Sets the process's compatible providers from this time on; names are separated by blanks. Returns
 * false if the log is damaged. */
bool eventlog_take_providers(struct eventlog *log, uint64_t time, const char *names, size_t length);

/* Returns true if the process has the provider at this time. */
static inline bool eventlog_has_provider(const struct compat_provider *provider, uint64_t time)
{
	bool is_there = provider->is_there;

	for (size_t i = provider->count; i-- && provider->changes[i] > time;)
		is_there = !is_there;
	return is_there != (provider->count & 1);
}

/* Makes plans for GHC's probes if the log describes no probes itself. Returns false on errors. */
bool eventlog_plan_ghc(struct eventlog *log);

/* Adds a probe to those that the plan's events fire. Returns false if there are too many. */
bool eventlog_add_compat(
	struct eventlog *log, struct plan *plan, const struct compat *compat, uint64_t position);

/* Called by the scan of a GHC log: records what an event of any type says about collections.
 * Returns false if memory runs out. */
bool eventlog_note_ghc(struct eventlog *log, uint16_t type, uint64_t time,
	const unsigned char *payload, size_t size);

/* Called by the merge of a GHC log before an event fires derived probes: updates the state of
 * collections. */
void eventlog_step_ghc(struct eventlog *log, const struct plan *plan, uint16_t cap, uint64_t time);

/*
 * Returns true if an event fires a derived probe. given are the event's arguments; the probe's are
 * stored in arguments.
 */
bool eventlog_fires_ghc(const struct eventlog *log, const struct compat *compat,
	const uint64_t *given, uint64_t *arguments);

/* Enables the events that decide whether enabled derived probes fire. */
void eventlog_enable_ghc(struct eventlog *log);

/*
 * Decides whether the log has only GHC's forms, if this event can tell. If so, makes the plans
 * anew. Returns false on errors.
 */
bool eventlog_decide_form(struct eventlog *log, uint16_t type);

/* Scan: the process of a capability set, what else is said about it, and its capabilities. The
 * second returns false if it is the first process, or none; the others: damaged. */
bool eventlog_take_pid(struct eventlog *log, uint32_t capset, uint32_t pid);
bool eventlog_take_further(struct eventlog *log, uint16_t type, uint32_t capset,
	const unsigned char *rest, size_t size);
bool eventlog_take_cap(struct eventlog *log, uint32_t capset, uint16_t cap);
void eventlog_free_further(struct eventlog *log);

/* Returns true if a vm:::sample fires a profile-n, and fills in that probe's arguments. */
bool eventlog_fires_sample(const struct eventlog *log, const struct compat *compat, uint64_t time,
	const uint64_t *given, uint64_t *arguments);

/* Enables the events that kept stacks are made from. */
void eventlog_enable_stacks(struct eventlog *log);
void eventlog_free_stacks(struct eventlog *log);

static inline bool is_stack(const struct plan *plan)
{
	return plan->type == WIRE_STACK && plan->role == ROLE_READ && plan->is_variable;
}

/* Called by the scan: resolves the names in the payload of a WIRE_STACK and notes its position. */
void eventlog_note_stack(struct eventlog *log, unsigned char *payload, size_t size);

/* Returns true if events of that type may have memory after their arguments: eventlog_memory.c. */
static inline bool has_memory(const struct eventlog *log, const struct plan *plan)
{
	return log->is_sampled_by_kernel && plan->is_variable && !plan->has_text;
}

/* Allocates room for the memory of events, which the merge then delivers. Returns 0 or -ENOMEM. */
int eventlog_want_memory(struct eventlog *log);

/* Called by the scan: resolves the names in the memory of an event, whose payload is given. */
void eventlog_note_memory(
	struct eventlog *log, const struct plan *plan, unsigned char *payload, size_t size);

/* Called by the merge: stores the memory of an event in log->memory. */
void eventlog_take_memory(
	struct eventlog *log, const struct plan *plan, const unsigned char *payload, size_t size);

/* The handle of the text at an address in that memory; otherwise: there is none. */
uint64_t eventlog_memory_text(struct eventlog *log, uint64_t address, uint64_t otherwise);

/* Adds a text to the batch; returns its handle. */
uint64_t eventlog_take_text(struct eventlog *log, const char *text, size_t length);

/* Called by the merge: stores the arguments of a call's derived probe. */
void eventlog_take_call(struct eventlog *log, const struct plan *plan, const struct compat *compat,
	uint32_t tid, const uint64_t *given, uint64_t *arguments);

/* Queues a message about where stacks come from, or, at the log's end, that there were none. */
void eventlog_tell_stacks(struct eventlog *log);

/* Called by the merge: stores the stack of a run's event in log->guest. */
void eventlog_take_stack(struct eventlog *log, const struct plan *plan, const struct event_run *run,
	const uint64_t *arguments);

/* Closes the open run, if there is one, so that it can be merged. Returns false if there are too
 * many runs. */
bool eventlog_close_run(struct eventlog *log);

#endif
