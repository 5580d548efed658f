/*
 * utf8.h: finds where a UTF-8 character ends. Text from people and programs is plain bytes;
 * only code that shows part of it, or writes it in a format that accepts only UTF-8, needs
 * this.
 */
#ifndef VMTAP_BASE_UTF8_H
#define VMTAP_BASE_UTF8_H

#include <stddef.h>

/*
 * How many of the size bytes at text form the first character. 0 if they do not begin with
 * one: surrogates, overlong encodings and truncated sequences are not characters.
 */
size_t utf8_bytes(const char *text, size_t size);

/*
 * Copies text; each byte that is not UTF-8 becomes U+FFFD. The copy needs 3 * size bytes of room.
 * Returns its size.
 */
size_t utf8_clean(char *copy, const char *text, size_t size);

#endif
