/*
 * clean_text.h: names of the traced program on a terminal. They are data of that program: what
 * could steer the terminal or change the order of characters, and what is no UTF-8, becomes '?'.
 */
#ifndef VMTAP_CLI_CLEAN_TEXT_H
#define VMTAP_CLI_CLEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies text, of which size - 1 bytes fit at most, to clean, with a NUL. is_ascii: other
 * characters than ASCII become '?' too.
 */
void clean_text(char *clean, size_t size, const char *text, size_t length, bool is_ascii);

#endif
