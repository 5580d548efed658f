/*
 * clean_text.h: text of others, such as names of the traced program, on a terminal or in a file
 * that we write: what could steer the terminal or change the order of characters, and what is no
 * UTF-8, becomes '?'.
 */
#ifndef VMTAP_BASE_CLEAN_TEXT_H
#define VMTAP_BASE_CLEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies text, of which size - 1 bytes fit at most, to clean, with a NUL. is_ascii: other
 * characters than ASCII become '?' too.
 */
void clean_text(char *clean, size_t size, const char *text, size_t length, bool is_ascii);

#endif
