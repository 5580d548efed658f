/*
 * event.h: what an event source hands to the D engine.
 *
 * A source delivers batches. Within a batch, and from batch to batch, events are in time order.
 * Everything a batch points to belongs to the source and is valid until the next batch is requested
 * from the source, except the texts of names, which live as long as the source. An event names its
 * process by an index into the batch's processes; in another batch the same index may be another
 * process.
 *
 * copyinstr() and copyin() can read two kinds of address, and fault at any other. A source that has
 * the text of a string argument passes a handle for it: a number that looks like an address
 * (event_text()). A source whose arguments are addresses in the process passes those, along with
 * the pieces of memory that it read when the probe fired (event_captured()).
 */
#ifndef VMTAP_PROGRAM_EVENT_H
#define VMTAP_PROGRAM_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "program/fault_code.h"

/* A traced process, as the built-in variables show it. */
struct event_process {
	uint32_t pid;
	uint32_t ppid;
	uint32_t uid;
	uint32_t gid;
	const char *execname;
	const char *arguments; /* command line, words separated by blanks; NULL: unknown */
	const char *runtime;   /* what its VM says that it is, "toy 1.0"; NULL, "": unknown */
};

struct event {
	uint64_t time;             /* ns on CLOCK_MONOTONIC: D's timestamp */
	uint64_t cpu_time;         /* the thread's CPU clock, ns, if it was requested: vtimestamp */
	const uint64_t *arguments; /* sign- or zero-extended to 64 bits by their type */
	uint32_t probe;            /* index into the probe set the source was opened with */
	uint32_t tid;              /* OS thread */
	uint16_t cpu;
	uint8_t argument_count; /* further arguments read as 0 */
	uint32_t process;       /* index into the batch's processes */
};

/*
 * The probe of an event that is none of a probe: the OS thread has ended, or another has begun with
 * its number. Only a source whose request tells_thread_ends delivers such events. If it has an
 * argument, that is the process's id, and `process` means nothing.
 */
#define EVENT_THREAD_END UINT32_MAX

/* Return addresses, innermost first. */
struct event_stack {
	const uint64_t *frames;
	uint32_t count;
};

/* A frame of a guest stack: handles of the names of class, method and file, and a line, 0: none. */
struct event_frame {
	uint64_t names[3];
	uint32_t line;
};

/* A stack of the guest program, innermost frame first. */
struct event_guest_stack {
	const struct event_frame *frames;
	uint32_t count;
	uint32_t cut; /* outer frames that the VM had no room for */
};

/*
 * Memory of the process as it was when the probe fired. A piece that was read as a string ends with
 * its NUL, or at the requested length.
 */
struct event_piece {
	uint64_t address;
	const char *bytes;
	uint32_t length;
	uint32_t path; /* enum d_piece_path; not 0: bytes are the path of the struct path there */
};

/* A fault of a clause that the source carries out itself (program/partial.h). */
struct event_fault {
	uint32_t clause; /* index into the program's clauses */
	enum d_fault code;
	uint64_t value; /* the address that is wrong, if the code is about one */
	int64_t offset; /* in the clause's code: the predicate's first, then the body's */
};

/* One update of an aggregation by a clause that the source carries out itself. */
struct event_update {
	uint32_t aggregation; /* index into the program's aggregations */
	const uint64_t *keys; /* as struct partial has them */
	int64_t value, increment;
};

/* What only some sources deliver with an event. */
struct event_capture {
	/* if one of these is not NULL, the event is that, and nothing else */
	const struct event_fault *fault;
	const struct event_update *update;
	struct event_stack kernel, user;
	struct event_guest_stack guest;
	const uint64_t *registers; /* as regs.d numbers them */
	uint32_t register_count;   /* further ones read as 0 */
	uint64_t thread;           /* address of the thread in the kernel: curthread */
	/* cwd and root; NULL: not captured, or it could not be read */
	const char *directory, *root_directory;
	const char *program_arguments; /* NULL: those of the process (struct event_process) */
	const struct event_piece *pieces;
	uint32_t piece_count;
	int32_t error; /* of the system call that returns: D's errno */
};

enum event_loss_kind {
	EVENT_LOSS_EVENTS,   /* between their probe and the engine */
	EVENT_LOSS_UPDATES,  /* of aggregations, by clauses that the source carries out itself */
	EVENT_LOSS_VARIABLES /* stores into the variables of such clauses */
};

/* What was lost before it reached the engine. */
struct event_loss {
	uint64_t count;
	uint32_t probe; /* index into the probe set, or UINT32_MAX when not known */
	uint16_t cpu;
	enum event_loss_kind kind;
	unsigned reasons; /* of a stream: enum loss_reason in wire/loss.h; 0: not known */
	/* The time in which it happened, of CLOCK_MONOTONIC; 0: not known. A loss is reported
	 * before events that are later than since. */
	uint64_t since, until;
};

struct event_batch {
	const struct event_process *processes;
	size_t process_count;
	const struct event *events;
	size_t event_count;
	const struct event_capture *captures; /* by event; NULL: none */
	const struct event_loss *losses;
	size_t loss_count;
	const char *message;      /* shown to the user once: something is missing; NULL: none */
	uint32_t message_process; /* index of the process that the message is about; UINT32_MAX:
				     of none */
	uint64_t until;           /* every event up to this time has been delivered, 0: unknown */
	int64_t wall_offset;      /* CLOCK_REALTIME minus CLOCK_MONOTONIC, ns */
	/* handles: EVENT_HANDLE | transient << 61 | index << 16 | offset */
	const struct text *const *names; /* by index; NULL entries are unknown */
	size_t name_count;
	const struct text *const *transients; /* texts of this batch only */
	size_t transient_count;
};

#define EVENT_HANDLE (UINT64_C(1) << 62)
#define EVENT_HANDLE_TRANSIENT (UINT64_C(1) << 61)
#define EVENT_HANDLE_OFFSET_BITS 16

static inline uint64_t event_handle(uint64_t index, int transient)
{
	return EVENT_HANDLE | (transient ? EVENT_HANDLE_TRANSIENT : 0) |
		index << EVENT_HANDLE_OFFSET_BITS;
}

/*
 * The text that address points into, or NULL if address is not a handle of this batch. *offset is
 * the position in the text, up to and including the terminating NUL.
 */
static inline const struct text *event_text(
	const struct event_batch *batch, uint64_t address, uint32_t *offset)
{
	const uint64_t tag = EVENT_HANDLE | EVENT_HANDLE_TRANSIENT | UINT64_C(1) << 63;
	const struct text *text = NULL;
	uint64_t index = (address & ~tag) >> EVENT_HANDLE_OFFSET_BITS;

	*offset = address & ((1u << EVENT_HANDLE_OFFSET_BITS) - 1);
	if ((address & tag) == EVENT_HANDLE)
		text = index < batch->name_count ? batch->names[index] : NULL;
	else if ((address & tag) == (EVENT_HANDLE | EVENT_HANDLE_TRANSIENT))
		text = index < batch->transient_count ? batch->transients[index] : NULL;
	return text && *offset <= text->length ? text : NULL;
}

/*
 * The captured bytes at a real address, from the piece that has the most of them; *length is their
 * number. NULL: nothing was captured there.
 */
static inline const char *event_captured(
	const struct event_capture *capture, uint64_t address, uint32_t *length)
{
	const char *bytes = NULL;

	*length = 0;
	for (uint32_t i = 0; i < capture->piece_count; i++) {
		const struct event_piece *piece = &capture->pieces[i];
		uint64_t offset = address - piece->address; /* wraps for a piece after it */

		if (!piece->path && offset < piece->length && piece->length - offset > *length) {
			bytes = piece->bytes + offset;
			*length = piece->length - (uint32_t)offset;
		}
	}
	return bytes;
}

/* The path (enum d_piece_path) that was captured for an address; NULL: none was. */
static inline const char *event_captured_path(
	const struct event_capture *capture, uint64_t address, uint32_t path)
{
	for (uint32_t i = 0; i < capture->piece_count; i++)
		if (capture->pieces[i].path == path && capture->pieces[i].address == address)
			return capture->pieces[i].bytes;
	return NULL;
}

#endif
