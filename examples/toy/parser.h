/*
 * parser.h: source text to a syntax tree.
 */
#ifndef TOY_PARSER_H
#define TOY_PARSER_H

#include "ast.h"
#include "vm.h"

struct parse_error {
	int line;
	char message[200];
};

/*
 * Returns the scope of the whole file, allocated in the arena, or NULL with error filled in.
 * Strings become literals of the VM, and symbols are created, each with its event. last_line
 * is the line where the parser ended.
 */
struct scope *parser_parse(struct capability *cap, struct source_file *file, const char *text,
	struct arena *arena, int *last_line, struct parse_error *error);

#endif
