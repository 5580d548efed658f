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

#endif
