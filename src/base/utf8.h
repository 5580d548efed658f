/*
 * utf8.h: where a character of UTF-8 ends. Text that people and programs give is bytes; only
 * what shows it in part, or in a format that takes nothing else, must know.
 */
#ifndef VMTAP_BASE_UTF8_H
#define VMTAP_BASE_UTF8_H

#include <stddef.h>

/*
 * How many of the size bytes at text are its first character, 0 when they begin with none:
 * surrogates, forms that are longer than they need be and what is cut off are no characters.
 */
size_t utf8_bytes(const char *text, size_t size);

#endif
