/*
 * lex_control.h: what the readers of control lines share: the words of a line. Private to src/d.
 */
#ifndef VMTAP_D_LEX_CONTROL_H
#define VMTAP_D_LEX_CONTROL_H

#include "d/compiler.h"

/* The words of one line. Blanks end a word; a quoted string is one word. */
struct d_words {
	struct d_compiler *compiler;
	const char *at, *end;
	struct d_place place; /* of the word read last */
};

/* The next word, NUL-terminated, in the script's arena; "" at the end of the line. */
const char *d_words_next(struct d_words *words);

/* lex_pragma.c: "#pragma D attributes", "binding" and "depends_on", from behind that word. */
int d_pragma_attributes(struct d_words *words);
int d_pragma_binding(struct d_words *words);
int d_pragma_depends_on(struct d_words *words);

#endif
