/*
 * wire.h: the data sent between a VM and its readers, shared by the library (which writes
 * it) and the event sources (which read it).
 *
 * From the VM: a GHC eventlog, big-endian, as defined in GHC's rts/EventLogFormat.h: header,
 * declarations of the event types, data. An event is
 *     u16 type; u64 time (ns since the stream's zero); [u16 length, if the type was
 *     declared with size 0xffff]; payload
 * and lies in a block that begins with a BLOCK_MARKER: u32 size of the block (including its
 * own 24 bytes), u64 time of its end, u16 capability.
 *
 * An event type that carries a probe describes itself: its declaration's text is
 *     vm:::gc-start(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_used)
 * with "char *class" for a name (u32 id, previously defined by WIRE_NAME in the same stream;
 * a later definition may replace an earlier one) and "char text[]" for text that travels
 * inline. The payload is every argument in order, big-endian at its type's size, except: a
 * first argument "uint16_t cap" is the block's capability and is not repeated; an inline
 * text (at most one) comes last and fills the payload. This also holds for GHC's own types
 * where they carry a probe.
 *
 * The extension of such a declaration, which other readers skip, has a line for each probe
 * of a compatible provider (probes/compat) that the VM has opted in for and that this event
 * fires:
 *     ccl:::egc-start(unsigned long bytes_used, unsigned generation) when not full
 * The names are those of the event's arguments, the types those of the compatible probe. The
 * event fires the probe only if the argument after "when" is not 0 ("when not": is 0). The
 * line of a provider that the VM has not opted in for begins with WIRE_ABSENT, because an
 * object that is loaded later may opt in. When such an object is loaded or unloaded,
 * WIRE_PROVIDERS lists the providers that are now present.
 *
 * Probes of a VM author's provider are described in the same way, under the provider's name. The
 * extension of one of its types has the provider's definition in D without comments: its types,
 * constants and translators, for scripts. Each of these lines begins with WIRE_LIBRARY.
 *
 * Besides its own event a probe may have others: events of GHC's types that carry some of
 * its arguments (GC_START has none of gc-start's). The header names them as GHC does. A
 * subscription says whether it requests the probe's own event, GHC's or both. If both are
 * sent, GHC's events directly follow the probe's own and have the same time.
 *
 * A reader may release events up to a WIRE_WATERMARK's time, sorted by time; events of equal
 * time keep the stream's order.
 *
 * To the VM: frames, in pieces of any size. WIRE_SUBSCRIBE replaces the connection's
 * subscription:
 *     "VMTP"; u8 version 0; u8 flags; u32 tag; u16 count; count times u16 event type
 * The answer is WIRE_SUBSCRIBED with the same tag, once every guard is open: from then on
 * the new subscription applies. A listed event type of GHC's requests that event of GHC's; a
 * probe's own type requests what the flags say.
 *
 * With version 1 the subscription names probes, including those that the process will have
 * later:
 *     "VMTP"; u8 version 1; u8 flags; u32 tag; u16 bytes of the entries that follow
 * An entry is u8 length, the name ("vm:::gc-start"), u16 strings; or u8 0, u16 event type,
 * which means the same as in version 0. Each bit in strings requests the string of one
 * argument, bit 0 that of the first; the client gets empty strings for the others. Two further
 * bits request the CPU clock and the guest stack, see WIRE_ENTRY_CPU_CLOCK. The name
 * "*" requests every probe that no other entry names.
 *
 * A probe may have several event types, because the objects of the process may have been
 * made from different versions of its contract: each type has the first arguments of the
 * longest one. A type that is added after a client received its header takes one of the
 * numbers that the header declares as WIRE_SPARE, and WIRE_DECLARE describes it before its
 * first event.
 *
 * A client that sends no subscription soon after connecting is treated as a plain reader of
 * eventlogs and gets all of GHC's events, as with WIRE_GHC_ONLY. A client that will
 * subscribe later must therefore say so at once, with an empty subscription with that flag,
 * which is not answered.
 *
 * Each of these frames requests samples of the heap:
 *     "VMTH"; u8 version 0; u64 period in ns: periodically from now on; 0: no more
 *     "GCTL"; u8 command
 *     F0 9E 97 8C; u8 version 0; u8 15; "eventlog-socket"; u8 command
 * The second is the original form of GHC's programs, the third is the one that
 * eventlog-socket has taken since.
 *
 * This frame states how long after it was recorded an event may be sent, so that a VM that fires
 * seldom need not wake for each:
 *     "VMTL"; u8 version 0; u64 ns; 0: the VM chooses, as it does for a client that states nothing
 *
 * This frame asks the VM to fire vm:::sample for each thread that runs guest code: once in a period
 * of the thread's CPU time (WIRE_SAMPLING_TIME) or of elapsed time (WIRE_SAMPLING_ELAPSED), or
 * whenever a thread has allocated this many bytes (WIRE_SAMPLING_ALLOCATED). Each unit has its own
 * frame. The subscription asks for the events: "VMTS"; u8 version 0; u8 unit; u64 ns or bytes; 0:
 * no more. With WIRE_SAMPLING_THREADS it asks the VM to fire vm:::thread-dump for all its threads
 * once, and the number is not 0. The VM takes samples by one unit at a time: by CPU time if any
 * client asks for that, else by elapsed time, else by bytes. Clients that asked for another unit
 * get none; the others' samples count as their losses. Bytes that begin no known frame are ignored.
 */
#ifndef VMTAP_WIRE_WIRE_H
#define VMTAP_WIRE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_HEADER_BEGIN 0x68647262u /* "hdrb" */
#define WIRE_TYPES_BEGIN 0x68657462u  /* "hetb" */
#define WIRE_TYPE_BEGIN 0x65746200u   /* "etb\0" */
#define WIRE_TYPE_END 0x65746500u     /* "ete\0" */
#define WIRE_TYPES_END 0x68657465u    /* "hete" */
#define WIRE_HEADER_END 0x68647265u   /* "hdre" */
#define WIRE_DATA_BEGIN 0x64617462u   /* "datb" */
#define WIRE_DATA_END 0xffffu         /* an event type without time or payload */

/* The prefix of the library's LOG_MSGs; GHC's run-time system has messages of its own. */
#define WIRE_MESSAGE "vmtap: "

#define WIRE_ABSENT "absent "

/* Begins each line of a provider's definition in an extension. */
#define WIRE_LIBRARY "| "

/*
 * Begins a line of an extension, in logs of processes without a stream: the probe fires in this
 * function of this object, "in libphp.so:zend_call". The same probe in another function is another
 * type.
 */
#define WIRE_PLACE "in "

/* The description of an event type that is reserved for WIRE_DECLARE. */
#define WIRE_SPARE "vmtap: spare"

enum {
	WIRE_VARIABLE = 0xffff, /* declared size of a type whose events have their own length */
	WIRE_NO_CAP = 0xffff,
	WIRE_ARGUMENTS_MAX = 12,     /* maximum per probe */
	WIRE_LIBRARY_MAX = 32 << 10, /* maximum bytes of a provider's definition */

	WIRE_OWN = 400,    /* vmtap's own event types: from here up to WIRE_PROBES */
	WIRE_PROBES = 416, /* from here on: probes, in the order in which their objects are loaded,
			      for which GHC has no type that carries all arguments */

	WIRE_EVENT_BYTES = 10, /* type and time */

	/*
	 * Only in logs of processes without a stream: after the arguments of an event of a spare
	 * type comes memory of the process, as it was then, in pieces: "address:8 name:4", the
	 * name's text with its NUL; if the name is 0, "length:2" and that many bytes follow.
	 */
	WIRE_MEMORY_BYTES = 12
};

/* The event types' numbers: WIRE_GC_START and so on. */
enum {
#define WIRE_TYPE(number, name, ...) WIRE_##name = number,
#include "wire/event_types.h"
};

/* The declared sizes of their payloads: WIRE_SIZE_GC_START and so on. */
enum {
#define WIRE_TYPE(number, name, size, ...) WIRE_SIZE_##name = size,
#include "wire/event_types.h"
	WIRE_MARKER_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_BLOCK_MARKER
};

/* Whether readers that know only GHC's event types can read it. */
static inline bool wire_is_ghc(uint16_t type)
{
	return type < WIRE_OWN;
}

/* Whether it is an event of vmtap's that does not belong to a probe. */
static inline bool wire_is_own(uint16_t type)
{
	return type >= WIRE_OWN && type < WIRE_PROBES;
}

#define WIRE_SUBSCRIBE "VMTP"
#define WIRE_HEAP_PERIOD "VMTH"
#define WIRE_LATENCY "VMTL"
#define WIRE_SAMPLING "VMTS"
#define WIRE_COMMAND "GCTL"
#define WIRE_NAMED_COMMAND "\xf0\x9e\x97\x8c"

enum {
	WIRE_SUBSCRIBE_BYTES = 12,  /* bytes before the event types or entries */
	WIRE_SUBSCRIBE_BY_NAME = 1, /* version */
	WIRE_ENTRIES_MAX = 16384,   /* maximum bytes of entries */
	WIRE_SPARES = 96,           /* number of event types that a header declares as spare */
	WIRE_HEAP_PERIOD_BYTES = 13,
	WIRE_LATENCY_BYTES = 13,
	WIRE_SAMPLING_BYTES = 14,
	WIRE_SAMPLING_TIME = 1,
	WIRE_SAMPLING_ALLOCATED = 2,
	WIRE_SAMPLING_THREADS = 3,
	WIRE_SAMPLING_ELAPSED = 4,

	/* what WIRE_SAMPLED says of timers */
	WIRE_SAMPLED_TICKS = 0,
	WIRE_SAMPLED_TIMERS = 1,
	WIRE_SAMPLED_KERNEL = 2, /* the kernel's timer of each processor took them, of processes
				    without a stream, with the stacks that it finds */

	WIRE_COMMAND_HEAP_START = 1,
	WIRE_COMMAND_HEAP_STOP = 2,
	WIRE_COMMAND_HEAP_REQUEST = 3,
	WIRE_NAMED_TIME_START = 1,
	WIRE_NAMED_TIME_STOP = 2,
	WIRE_NAMED_HEAP_START = 3,
	WIRE_NAMED_HEAP_STOP = 4,
	WIRE_NAMED_HEAP_REQUEST = 5,

	WIRE_LOSSLESS = 1,  /* flag: the VM waits for this client instead of losing events */
	WIRE_CPU_CLOCK = 2, /* flag: send WIRE_CPU_TIME before each probe's own event; the VM then
			       makes a system call for each event of these probes, whatever client
			       gets it */
	WIRE_FINISH = 4,    /* flag: send what is left, then the end marker, and close */
	WIRE_GHC = 8,       /* flag: GHC's events in addition to the probes' own */
	WIRE_GHC_ONLY =
		16, /* flag: only what GHC knows: GHC's events instead of the probes' own, no
		       type of vmtap's (hence no answer), and losses reported by LOG_MSG */
	WIRE_CPU_CLOCK_LISTED = 32, /* flag, with WIRE_CPU_CLOCK: only for the events of the entries
				       that have the following bit among their strings */
	WIRE_ENTRY_CPU_CLOCK = 0x8000,
	WIRE_STACKS = 64, /* flag: send WIRE_STACK before each probe's own event, for the events of
			     the entries that have the following bit among their strings. A header
			     that does not declare WIRE_STACK says that there will be none */
	WIRE_ENTRY_STACK = 0x4000,
	WIRE_FOLLOW = 128 /* flag: this client also reads the streams of children made by fork(): a
			     child that starts its stream waits a moment for a subscription of the
			     client's process, and counts what that misses otherwise */
};

#endif
