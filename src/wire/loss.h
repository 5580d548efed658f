/*
 * loss.h: the text of the LOG_MSG that reports lost events to a client which knows only
 * GHC's event types. Other clients are sent a LOSS. Compiled into both the library and the
 * command.
 */
#ifndef VMTAP_WIRE_LOSS_H
#define VMTAP_WIRE_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOSS_TEXT_MAX = 160 };

/* Why events are lost: bits of a LOSS. */
enum loss_reason {
	LOSS_ROOM = 1, /* a ring or a client had no room, and the VM did not wait, or not longer */
	LOSS_INTERRUPTED = 2, /* of a signal handler that interrupted an event of its thread */
	LOSS_NO_RING = 4,     /* of a thread that has no ring: memory_bytes is used up, or it is
				 that of a child of vfork() */
	LOSS_REASONS = LOSS_ROOM | LOSS_INTERRUPTED | LOSS_NO_RING
};

/* Returns true if the VM would have waited instead of losing some of the events. reasons: 0 if
 * none is known. */
bool loss_can_wait(unsigned reasons);

/* Says why events can be lost although the VM waits. reasons: 0 if none is known. */
const char *loss_reason_text(unsigned reasons);

/*
 * Writes the text, cut to the buffer and terminated. of is the description of what was lost;
 * the text contains the part before a '('. since is in ns from the stream's time 0.
 */
void loss_text(char text[LOSS_TEXT_MAX], uint64_t count, const char *of, uint64_t since);

/* The number of lost events that such a text (not terminated) reports; 0 for any other text. */
uint64_t loss_text_count(const char *text, size_t length);

/* The time of the first of them, in ns from the stream's time 0; 0 for any other text. */
uint64_t loss_text_since(const char *text, size_t length);

#endif
