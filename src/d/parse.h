/*
 * parse.h: parses tokens into clauses. Private to src/d.
 */
#ifndef VMTAP_D_PARSE_H
#define VMTAP_D_PARSE_H

#include "d/ast.h"

/*
 * Parses the whole script that the lexer was started on. Declarations and pragmas take effect at
 * once. *clauses is NULL if there are none.
 */
int d_parse(struct d_compiler *compiler, struct d_clause_tree **clauses);

/* parse_expression.c; the current token is the first of what is parsed. NULL: failed. */
struct d_node *d_parse_expression(struct d_compiler *compiler);
struct d_node *d_parse_assignment(struct d_compiler *compiler);

/* parse_declaration.c */
bool d_begins_type(const struct d_token *token);
const struct d_type *d_parse_type_name(struct d_compiler *compiler);
/* From its first word to after its ';'. */
int d_parse_declaration(struct d_compiler *compiler);

/* Consumes a token of this kind, or fails with a syntax error that names what was expected. */
int d_expect(struct d_compiler *compiler, enum d_token_kind kind, const char *expected);

#endif
