/*
 * shell_word.h: follows the text of a command for the shell up to a place where text of the traced
 * program is inserted, to find out whether it can only become a part of one argument there.
 */
#ifndef VMTAP_ENGINE_SUBROUTINE_SHELL_WORD_H
#define VMTAP_ENGINE_SUBROUTINE_SHELL_WORD_H

#include <stdbool.h>
#include <stddef.h>

struct shell_word {
	char quote;         /* ' " or ` that is open, # in a comment; 0: none */
	char last;          /* the character before this place; 0: the beginning of the command */
	bool is_escaped;    /* by a backslash, or a $ that gives quotes another meaning */
	bool in_word;       /* the place is within a word */
	bool is_command;    /* the word is the name of a command */
	bool ends_options;  /* the word -- came before it */
	bool has_here_text; /* << : quotes mean nothing in the lines that follow */
	unsigned dashes;    /* the word so far is this many dashes; UINT_MAX: something else */
};

/* At the beginning of a command. */
void shell_word_init(struct shell_word *word);

/* Goes on over text of the script's. */
void shell_word_text(struct shell_word *word, const char *bytes, size_t length);

/* Goes on over text that has been inserted. */
void shell_word_inserted(struct shell_word *word);

/*
 * Returns why the text must not be inserted here, as the end of a sentence, or NULL. is_quoted: it
 * is inserted in quotes of its own.
 */
const char *shell_word_refusal(
	const struct shell_word *word, const char *bytes, size_t length, bool is_quoted);

#endif
