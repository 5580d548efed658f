/*
 * compiler.h: a syntax tree to byte code.
 */
#ifndef TOY_COMPILER_H
#define TOY_COMPILER_H

#include "ast.h"
#include "parser.h"

/*
 * The code of a file's scope, with all the codes inside it, which the caller owns.
 * NULL with error filled in.
 */
struct code *compiler_compile(struct capability *cap, struct source_file *file, struct scope *scope,
	struct parse_error *error);

#endif
