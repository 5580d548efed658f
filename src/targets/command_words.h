/*
 * command_words.h: the words of a command that `-c` or `--` gives. -c takes one text, which is
 * split into words as a shell does it, but nothing is expanded: $, *, | and > are ordinary
 * characters. To use those, run `sh -c`.
 */
#ifndef VMTAP_TARGETS_COMMAND_WORDS_H
#define VMTAP_TARGETS_COMMAND_WORDS_H

#include <stddef.h>

struct error;

struct command_words {
	char **words; /* NULL-terminated; NULL: there is no command */
	char *text;   /* private: the words' bytes if they were split; NULL: words belongs to the
			 caller */
};

/*
 * Splits text at blanks, which quotes and backslashes protect. Within '...' every character stands
 * for itself; within "..." a backslash protects only ", \, $, ` and the end of a line. Returns 0,
 * or a negative errno with a line in error if a quote is not closed, there is no word, or memory
 * runs out.
 */
int command_words_split(struct command_words *command, const char *text, struct error *error);

/* Returns a command of these words, which must end with NULL and outlive it. */
struct command_words command_words_of(char **words);
void command_words_free(struct command_words *command);

#endif
