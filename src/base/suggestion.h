/*
 * suggestion.h: what somebody who has misspelt a name may have meant: of the names that exist, the
 * one with the fewest typing errors between them. A name that differs in more than its length
 * allows is not suggested.
 */
#ifndef VMTAP_BASE_SUGGESTION_H
#define VMTAP_BASE_SUGGESTION_H

enum { SUGGESTION_MAX = 64 /* longer names are neither looked for nor suggested */ };

struct suggestion {
	const char *wanted;
	const char *best; /* NULL: none so far */
	unsigned distance;
};

/* Begins a search for what is meant by a name, which must last as long as the search. */
void suggestion_init(struct suggestion *suggestion, const char *wanted);

/*
 * Compares with a name that exists, which must last too. Of equally good ones the first stays. A
 * name equal to the wanted one is never suggested.
 */
void suggestion_offer(struct suggestion *suggestion, const char *name);

/*
 * Writes " (did you mean NAME?)" with the words before and after the name, or "" if name is NULL. A
 * name is cut to what fits into size bytes with the NUL. Returns text. All messages that suggest
 * something have it from here.
 */
const char *suggestion_phrase(
	char *text, unsigned size, const char *before, const char *name, const char *after);

/* " (did you mean NAME?)", or "" if no name is close enough; at most size bytes with the NUL. */
const char *suggestion_text(const struct suggestion *suggestion, char *text, unsigned size);

#endif
