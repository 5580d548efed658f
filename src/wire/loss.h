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
