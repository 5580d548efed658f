/*
 * loss.h: the text of a LOG_MSG that tells a client which knows GHC's event types only that
 * events were lost. Others are sent a LOSS. Compiled into the library and the command alike.
 */
#ifndef VMTAP_WIRE_LOSS_H
#define VMTAP_WIRE_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOSS_TEXT_MAX = 160 };

/*
 * Writes the text, cut to the buffer and terminated. of is the description of what was lost, of
 * which the part before a '(' is said; since is in ns from the stream's time 0.
 */
void loss_text(char text[LOSS_TEXT_MAX], uint64_t count, const char *of, uint64_t since);

/* How many events such a text, not terminated, says were lost; 0: it is another text. */
uint64_t loss_text_count(const char *text, size_t length);

#endif
