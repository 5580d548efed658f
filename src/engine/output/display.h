/*
 * display.h: text as a terminal shows it: control characters spelled out, so that a name cannot
 * disturb the terminal or a table, and the columns that characters take.
 */
#ifndef VMTAP_ENGINE_OUTPUT_DISPLAY_H
#define VMTAP_ENGINE_OUTPUT_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * The text with control characters and bytes that are not UTF-8 as D writes them ("\n", "\033").
 * The caller frees it; NULL: out of memory.
 */
char *display_clean(const char *bytes, size_t length);

/*
 * The same for text of the traced program on a terminal, where the lines and tabs in it may stay.
 */
char *display_lines(const char *bytes, size_t length);

/* The columns that a text from display_clean() takes. */
unsigned display_columns(const char *text);

/* The number of bytes of such a text that fit into this many columns. */
size_t display_fit(const char *text, unsigned columns);

/* Where the end of such a text begins that fits into this many columns. */
size_t display_fit_end(const char *text, unsigned columns);

#endif
