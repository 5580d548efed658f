/*
 * pattern.h: the globs of probe descriptions.
 */
#ifndef VMTAP_BASE_PATTERN_H
#define VMTAP_BASE_PATTERN_H

#include <stdbool.h>

/*
 * Whether text matches: '*', '?', [abc], [a-z], [!x], \c; an empty pattern matches
 * everything. Time is at most the product of the lengths.
 */
bool pattern_match(const char *pattern, const char *text);
bool pattern_is_glob(const char *pattern);

/*
 * Whether the pattern is a library's file name, or the name without its version: libc.so.6, libc.so
 * and libc all match "libc.so.6".
 */
bool pattern_match_module(const char *pattern, const char *name);

#endif
