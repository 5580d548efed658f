/*
 * wire.h: what travels between a VM and its readers, shared by the library (which
 * writes it) and the event sources (which read it).
 *
 * From the VM: a GHC eventlog, big-endian, as GHC's rts/EventLogFormat.h has it:
 * header, declarations of the event types, data. An event is
 *     u16 type; u64 time (ns since the stream's zero); [u16 length, if the type was
 *     declared with size 0xffff]; payload
 * and stands in a block that begins with a BLOCK_MARKER: u32 size of the block (its own
 * 24 bytes included), u64 time of its end, u16 capability.
 *
 * An event type that carries a probe describes itself: its declaration's text is
 *     vm:::gc-start(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_used)
 * with "char *class" for a name (u32 id, defined before by WIRE_NAME in the same
 * stream; a definition may be replaced by a later one) and "char text[]" for text that
 * travels inline. The payload is every argument in order, big-endian at its type's size,
 * except: a first argument "uint16_t cap" is the block's capability and is not repeated;
 * an inline text (at most one) comes last and fills the payload. This holds for GHC's
 * own types too where they carry a probe.
 *
 * Such a declaration's extension, which other readers pass over, has a line for each probe of
 * a compatible provider (probes/compat) that the VM has opted in for and this event fires:
 *     ccl:::egc-start(unsigned long bytes_used, unsigned generation) when not full
 * Names are those of the event's arguments, types those of the compatible probe; the event
 * fires the probe only if the argument after "when" is not 0 ("when not": is 0). A line of a
 * provider that the VM has not opted in for begins with WIRE_ABSENT: an object that is loaded
 * later may do so. Then, and when such an object goes, WIRE_PROVIDERS names those that are there.
 *
 * Beside its own event a probe may have others: GHC's, of types that carry some of its
 * arguments (GC_START has none of gc-start's). In the header they are named as GHC names
 * them. A subscription says whether it wants the probe's own event, GHC's or both; where both
 * come, GHC's stand right behind the probe's own, at its time.
 *
 * A reader may release events up to a WIRE_WATERMARK's time, sorted by time; events of
 * equal time keep the stream's order.
 *
 * To the VM: frames, in any split. WIRE_SUBSCRIBE replaces the connection's subscription:
 *     "VMTP"; u8 version 0; u8 flags; u32 tag; u16 count; count times u16 event type
 * and is answered by WIRE_SUBSCRIBED with its tag once every guard is open: what follows is
 * by its terms. An event type of GHC's among those listed asks for that event of GHC's; a
 * probe's own type asks for what the flags say.
 *
 * With version 1 the subscription names probes, those that the process will have later included:
 *     "VMTP"; u8 version 1; u8 flags; u32 tag; u16 bytes of the entries that follow
 * An entry is u8 length, the name ("vm:::gc-start"), u16 strings; or u8 0, u16 event type, which
 * means what it means in version 0. In strings each bit asks for the string of one argument, bit 0
 * for the first; the client gets empty strings for the others. The name "*" asks for every probe
 * that no other entry names.
 *
 * A probe may have several event types, since objects of the process may have been made from
 * different versions of its contract: each has the first arguments of the longest one. A type that
 * comes after a client's header takes one of the numbers that the header declares as WIRE_SPARE,
 * and WIRE_DECLARE describes it before its first event.
 *
 * Who sends no subscription soon after connecting is taken for a plain reader of eventlogs
 * and gets every event of GHC's, as with WIRE_GHC_ONLY. So a client that will subscribe later
 * says so at once, by a subscription to nothing with that flag, which has no answer.
 *
 * Samples of the heap are asked for by any of
 *     "VMTH"; u8 version 0; u64 period in ns: from now on, so far apart; 0: no more
 *     "GCTL"; u8 command
 *     F0 9E 97 8C; u8 version 0; u8 15; "eventlog-socket"; u8 command
 * the second as GHC's programs took it at first, the third as eventlog-socket takes it since.
 * Bytes that begin no known frame are ignored.
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

/* What a LOG_MSG of the library begins with; GHC's run-time system has messages of its own. */
#define WIRE_MESSAGE "vmtap: "

#define WIRE_ABSENT "absent "

/* The description of an event type that WIRE_DECLARE may describe. */
#define WIRE_SPARE "vmtap: spare"

enum {
	WIRE_VARIABLE = 0xffff, /* declared size of a type with a length of its own */
	WIRE_NO_CAP = 0xffff,
	WIRE_ARGUMENTS_MAX = 12, /* of a probe */

	WIRE_OWN = 400,    /* vmtap's own event types: from here to before WIRE_PROBES */
	WIRE_PROBES = 416, /* and on: probes, as their objects are loaded, where GHC has no
			      type that carries all arguments */

	WIRE_EVENT_BYTES = 10 /* type and time */
};

/* The event types' numbers: WIRE_GC_START and so on. */
enum {
#define WIRE_TYPE(number, name, ...) WIRE_##name = number,
#include "wire/event_types.h"
};

/* The sizes of their payloads as they are declared: WIRE_SIZE_GC_START and so on. */
enum {
#define WIRE_TYPE(number, name, size, ...) WIRE_SIZE_##name = size,
#include "wire/event_types.h"
	WIRE_MARKER_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_BLOCK_MARKER
};

/* Whether readers that know nothing but GHC's event types can take it. */
static inline bool wire_is_ghc(uint16_t type)
{
	return type < WIRE_OWN;
}

/* Whether it is an event of vmtap's that is no probe's. */
static inline bool wire_is_own(uint16_t type)
{
	return type >= WIRE_OWN && type < WIRE_PROBES;
}

#define WIRE_SUBSCRIBE "VMTP"
#define WIRE_HEAP_PERIOD "VMTH"
#define WIRE_COMMAND "GCTL"
#define WIRE_NAMED_COMMAND "\xf0\x9e\x97\x8c"

enum {
	WIRE_SUBSCRIBE_BYTES = 12,  /* before the event types or entries */
	WIRE_SUBSCRIBE_BY_NAME = 1, /* version */
	WIRE_ENTRIES_MAX = 16384,   /* bytes of entries */
	WIRE_SPARES = 96,           /* event types that a header declares as spare */
	WIRE_HEAP_PERIOD_BYTES = 13,

	WIRE_COMMAND_HEAP_START = 1,
	WIRE_COMMAND_HEAP_STOP = 2,
	WIRE_COMMAND_HEAP_REQUEST = 3,
	WIRE_NAMED_TIME_START = 1,
	WIRE_NAMED_TIME_STOP = 2,
	WIRE_NAMED_HEAP_START = 3,
	WIRE_NAMED_HEAP_STOP = 4,
	WIRE_NAMED_HEAP_REQUEST = 5,

	WIRE_LOSSLESS = 1,  /* flag: the VM waits for this client rather than lose events */
	WIRE_CPU_CLOCK = 2, /* flag: WIRE_CPU_TIME before each event of the probes' own; the VM
			       makes a system call for each of them, for whatever client */
	WIRE_FINISH = 4,    /* flag: send what is there, then the end marker, and close */
	WIRE_GHC = 8,       /* flag: GHC's events beside the probes' own */
	WIRE_GHC_ONLY = 16  /* flag: nothing that GHC does not know: GHC's events instead of the
			       probes' own, no type of vmtap's (hence no answer), and losses told
			       by LOG_MSG */
};

#endif
