/*
 * lex_control.h: the words of a control line, for the files that read control lines. Private to
 * src/d.
 */
#ifndef VMTAP_D_LEX_CONTROL_H
#define VMTAP_D_LEX_CONTROL_H

#include "d/compiler.h"

/* The words of one line. Blanks end a word; a quoted string is one word. */
struct d_words {
	struct d_compiler *compiler;
	const char *at, *end;
	struct d_place place; /* of the last word read */
};

/* The next word, NUL-terminated, in the script's arena; "" at the end of the line. */
const char *d_words_next(struct d_words *words);

/* lex_pragma.c: "#pragma D attributes", "binding" and "depends_on", from after that word. */
int d_pragma_attributes(struct d_words *words);
int d_pragma_binding(struct d_words *words);
int d_pragma_depends_on(struct d_words *words);

#endif
