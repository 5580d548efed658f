/*
 * pattern.c: matching without recursion: on a mismatch only the last star is retried with
 * one more character, which is enough because earlier stars matched as little as possible.
 */
#include "base/pattern.h"

#include <string.h>

/* Returns what follows the class that starts at '[', or NULL if it is not closed; sets *matches. */
static const char *match_class(const char *pattern, char c, bool *matches)
{
	bool negated = *++pattern == '!', found = false;
	unsigned char low, high, character = (unsigned char)c;

	pattern += negated;
	do {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		if (!*pattern)
			return NULL;
		low = high = (unsigned char)*pattern++;
		if (*pattern == '-' && pattern[1] && pattern[1] != ']') {
			pattern++;
			if (*pattern == '\\' && pattern[1])
				pattern++;
			high = (unsigned char)*pattern++;
		}
		found = found || (character >= low && character <= high);
	} while (*pattern != ']');
	*matches = found != negated;
	return pattern + 1;
}

/* Returns what follows the part of the pattern that matches the character c, or NULL. */
static const char *match_one(const char *pattern, char c)
{
	bool matches = false;

	switch (*pattern) {
	case '?':
		return pattern + 1;
	case '[':
		pattern = match_class(pattern, c, &matches);
		return matches ? pattern : NULL;
	case '\\':
		pattern += pattern[1] != '\0';
		break;
	default:
		break;
	}
	return *pattern && *pattern == c ? pattern + 1 : NULL;
}

bool pattern_match(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL, *next;

	if (!*pattern)
		return true;
	for (;;) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
			if (!*pattern)
				return true;
			continue;
		}
		if (!*text) {
			if (!*pattern)
				return true;
			return false;
		}
		next = match_one(pattern, *text);
		if (next) {
			pattern = next;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
}

bool pattern_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[\\") != NULL;
}
