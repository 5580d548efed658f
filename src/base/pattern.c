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

/* Digits and dots, beginning with the character. */
static const char *skip_version(const char *text, char first)
{
	if (*text != first || text[1] < '0' || text[1] > '9')
		return text;
	return text + 1 + strspn(text + 1, "0123456789.");
}

bool pattern_match_module(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);
	const char *rest = name + length;

	if (!*pattern)
		return true;
	if (pattern_is_glob(pattern))
		return pattern_match(pattern, name);
	if (strncmp(pattern, name, length) != 0)
		return false;
	if (!*rest)
		return true;
	/* what follows is all version: of libc.so.6, or of libc-2.31.so */
	if (strstr(pattern, ".so"))
		return !*skip_version(rest, '.');
	if (*rest == '-')
		rest = skip_version(rest, '-');
	else if (rest[0] != '.')
		return false;
	if (!strncmp(rest, ".so", 3))
		rest += 3;
	else if (rest > name + length && !strncmp(rest - 1, ".so", 3))
		rest += 2;
	else
		return false;
	return !*skip_version(rest, '.');
}
