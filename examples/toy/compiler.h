/*
 * compiler.h: a syntax tree to byte code.
 */
#ifndef TOY_COMPILER_H
#define TOY_COMPILER_H

#include "ast.h"
#include "parser.h"

/*
 * Compiles a file's scope. The caller owns the code and all the codes inside it.
 * Returns NULL on failure, with error filled in.
 */
struct code *compiler_compile(struct capability *cap, struct source_file *file, struct scope *scope,
	struct parse_error *error);

#endif
