/*
 * suggestion.c: see suggestion.h. The distance is the number of characters that were inserted, left
 * out, replaced or swapped with a neighbour (the restricted Damerau-Levenshtein distance), counted
 * in quarters: a letter of the other case, or '_' for '-', is a quarter of an error, and swapped
 * letters, which are the most common one, are three quarters, and so is a letter that is doubled by
 * mistake, or that should be doubled.
 */
#include "base/suggestion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ERROR = 4, SWAP = 3, VARIANT = 1 };

void suggestion_init(struct suggestion *suggestion, const char *wanted)
{
	*suggestion = (struct suggestion){.wanted = wanted};
}

static int folded(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static unsigned replaced(char one, char other)
{
	if (one == other)
		return 0;
	return folded(one) == folded(other) ? VARIANT : ERROR;
}

static unsigned least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

/* What it costs to insert or leave out the character before this place. */
static unsigned extra(const char *text, size_t end)
{
	return end > 1 && text[end - 1] == text[end - 2] ? SWAP : ERROR;
}

static unsigned distance(const char *one, size_t length, const char *other, size_t other_length)
{
	unsigned rows[3][SUGGESTION_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= other_length; j++)
		last[j] = before[j] = (unsigned)j * ERROR;
	for (size_t i = 1; i <= length; i++) {
		unsigned *next = before;

		row[0] = (unsigned)i * ERROR;
		for (size_t j = 1; j <= other_length; j++) {
			row[j] = least(last[j] + extra(one, i), row[j - 1] + extra(other, j));
			row[j] = least(row[j], last[j - 1] + replaced(one[i - 1], other[j - 1]));
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] &&
				one[i - 2] == other[j - 1])
				row[j] = least(row[j], before[j - 2] + SWAP);
		}
		before = last;
		last = row;
		row = next;
	}
	return last[other_length];
}

/* The greatest distance at which a name of this length is still the same name, misspelt. */
static unsigned limit_of(size_t length)
{
	if (length < 3)
		return SWAP; /* case, '-', or two letters swapped */
	return length < 6 ? ERROR : length < 10 ? 2 * SWAP : length < 16 ? 2 * ERROR : 3 * ERROR;
}

/* Whether they differ only in case and '-'. */
static bool is_variant(const char *one, const char *other)
{
	while (*one && folded(*one) == folded(*other))
		one++, other++;
	return !*one && !*other;
}

/* Whether they differ only in the number at their ends: arg10 is no misspelt arg0. */
static bool is_numbered_otherwise(const char *one, const char *other)
{
	size_t length = strlen(one), other_length = strlen(other);

	while (length && isdigit((unsigned char)one[length - 1]))
		length--;
	while (other_length && isdigit((unsigned char)other[other_length - 1]))
		other_length--;
	return one[length] && other[other_length] && length == other_length &&
		!memcmp(one, other, length);
}

void suggestion_offer(struct suggestion *suggestion, const char *name)
{
	size_t wanted = strlen(suggestion->wanted), length = strlen(name);
	unsigned limit = limit_of(wanted < length ? wanted : length), found;

	if (wanted > SUGGESTION_MAX || length > SUGGESTION_MAX || !wanted || !length ||
		!strcmp(suggestion->wanted, name) ||
		is_numbered_otherwise(suggestion->wanted, name) ||
		(wanted > length ? wanted - length : length - wanted) * ERROR > limit)
		return;
	found = distance(suggestion->wanted, wanted, name, length);
	if ((found > limit && !is_variant(suggestion->wanted, name)) ||
		(suggestion->best && found >= suggestion->distance))
		return;
	suggestion->best = name;
	suggestion->distance = found;
}

const char *suggestion_phrase(
	char *text, unsigned size, const char *before, const char *name, const char *after)
{
	static const char begin[] = " (did you mean ", end[] = "?)";
	size_t around = sizeof(begin) + strlen(before) + strlen(after) + sizeof(end) - 1;

	text[0] = '\0';
	if (name && around < size)
		snprintf(text, size, "%s%s%.*s%s%s", begin, before, (int)(size - around), name,
			after, end);
	return text;
}

const char *suggestion_text(const struct suggestion *suggestion, char *text, unsigned size)
{
	return suggestion_phrase(text, size, "", suggestion->best, "");
}
