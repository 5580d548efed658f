/*
 * clean_text.h: text of others, such as names of the traced program, on a terminal or in a file
 * that we write: what could steer the terminal or change the order of characters, and what is no
 * UTF-8, becomes '?'.
 */
#ifndef VMTAP_BASE_CLEAN_TEXT_H
#define VMTAP_BASE_CLEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a character of UTF-8 steers a terminal, has no width, or changes the order of others. */
bool clean_text_is_harmful(const char *character, size_t size);

/*
 * Copies text, of which size - 1 bytes fit at most, to clean, with a NUL. is_ascii: other
 * characters than ASCII become '?' too. clean may be text itself.
 */
void clean_text(char *clean, size_t size, const char *text, size_t length, bool is_ascii);

/* Writes text like that. */
void clean_text_print(FILE *output, const char *text);

#endif
