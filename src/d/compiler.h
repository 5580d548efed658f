/*
 * compiler.h: the state that the parts of the front end share. Private to src/d.
 *
 * A file's name says its phase, then its subject:
 *
 *   lex_       text to tokens; control lines and pragmas take effect at once
 *   parse_     tokens to clauses of syntax trees (ast.h), which fold constants while they are
 *              built; declarations and definitions take effect at once
 *   resolve_   what a name, a probe description or a use of an inline means
 *   check_     types and identifiers into the trees: what DTrace calls cooking
 *   generate_  checked trees to the program's code (program/opcode.h)
 *
 * So a construct has one file per phase. The operator ?: is parsed in parse_expression.c
 * (parse_ternary()), becomes a node in ast.c (d_node_ternary()), is checked in check_operator.c
 * (d_check_ternary()) and compiled in generate_operator.c (d_generate_ternary()). Calls of
 * subroutines are in check_call.c and generate_call.c, which use the rows of program/subroutine.h;
 * actions are in generate_action.c. compile.c, compile_unit.c (scripts) and compile_clause.c run
 * the phases; compile_library.c does so for D's own definitions before the first script.
 *
 * A script is first parsed completely; then each clause is resolved, checked and generated once for
 * each of its probe descriptions, in the order of the text. The first error ends compilation: a
 * function that fails has called d_fail(), and its callers only return.
 */
#ifndef VMTAP_D_COMPILER_H
#define VMTAP_D_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/stability.h"
#include "d/compile.h"
#include "d/lex_token.h"
#include "d/name_table.h"
#include "d/type.h"
#include "program/program.h"

enum {
	D_SCRIPT_MAX = 64 << 20, /* bytes of one script */
	D_NESTING_MAX = 512,     /* of expressions and declarators in the parser */
	D_PARAMETERS_MAX = 4096, /* of a function that is declared */
	D_HEIGHT_MAX = 1000,     /* of a syntax tree */
	/* of providers, their probes and translators: lookup is a linear search */
	D_DEFINITIONS_MAX = 4096
};

enum d_lexer_mode {
	D_MODE_OUTER, /* probe descriptions, the start of declarations */
	D_MODE_INNER  /* bodies, predicates, the rest of declarations */
};

struct d_holes;
struct d_provider;
struct d_translator;
struct d_pragma;
struct d_remembered;
struct d_node;
struct d_description;
struct d_library;
struct d_unit;

struct d_lexer {
	const char *text, *at, *end;
	const char *file; /* named by #line */
	uint32_t line;
	unsigned included; /* nesting depth of included files */
	bool line_begins;  /* only blanks so far on this line */
	enum d_lexer_mode mode;
	bool in_predicate;
	bool in_declaration;    /* the text being read is not part of a clause */
	unsigned open;          /* parentheses and brackets not yet closed */
	bool member_next;       /* after . and ->: no reserved words, no types */
	bool tag_next;          /* after struct, union, enum */
	struct d_token pending; /* the number after a sign that came from a macro */
	bool has_pending;
};

struct d_compiler {
	struct d_compile_settings settings;
	struct d_compile_options options; /* the caller owns its texts */
	struct d_asks asks;
	struct d_asked *asked; /* the descriptions of asks */
	size_t asked_capacity;
	bool has_asked; /* a description needed a source, so asks has its process */
	/* The known probes: the engine's own; after d_units_settle() the caller's. */
	struct d_probe_set *probe_set;
	struct d_probe_set own_probes;
	bool is_settled;
	struct arena arena; /* names, types, identifiers, trees */
	struct d_names names;
	struct d_types types;
	struct d_program *program;
	size_t integer_capacity, string_capacity, variable_capacity, aggregation_capacity,
		format_capacity, action_capacity, clause_capacity, layout_capacity, script_capacity;
	struct d_unit *units, *last_unit; /* in order */
	struct d_unit *current;           /* the first not compiled completely; NULL: none */
	struct d_translator *translators; /* newest first */
	struct d_provider *providers;     /* the defined ones, newest first */
	const struct d_provider *kernel_providers; /* of the built-in library, at the list's end */
	struct d_library *libraries;               /* those that have been read; NULL: none yet */
	bool library_loaded;
	uint32_t identifier_count;
	uint32_t identifiers_known; /* only the script's first ones are resolved; 0: all */
	uint64_t object_bytes;      /* of variables that are memory */
	enum d_last_part last_part; /* for the string programs read next */
	/* the script being read or compiled */
	const char *file; /* NULL: a string program */
	uint32_t script;  /* its number */
	struct d_lexer lexer;
	struct d_token token; /* the parser's current one */
	unsigned nesting;
	const struct d_holes *holes;     /* parameters of the definition being read; NULL: none */
	bool keep;                       /* a definition is being checked, not a use of it */
	struct d_remembered *remembered; /* nodes of the clause that were changed */
	struct d_node **chain;           /* operators of chains that are being walked (ast.h) */
	size_t chain_count, chain_capacity;
	struct d_pragma *pragmas; /* of names of the script */
	bool library;             /* it is a library, not a program */
	bool library_is_own;      /* it is built in */
	bool library_unwanted;    /* what the library depends on does not exist */
	bool defines;             /* it has inlines and the like, so it is not empty */
	unsigned branched;        /* clauses with an if so far */
	size_t expanded;          /* nodes that came from definitions */
	bool last_argument_used;
	const char *region; /* "action list", "predicate", for messages */
	/* the clause that is being checked and generated */
	const uint32_t *probes;
	size_t probe_count;
	struct d_needs *needs; /* the clause's; NULL outside of clauses */
	const struct d_description *clause_description;
	const char *description;       /* its text */
	struct stability attributes;   /* the lowest of what it uses */
	const struct d_name *creating; /* the global whose first value is being checked */
	bool uses_arguments;           /* args[] occurs in the clause */
	const char *requirer;          /* the name to report needs for, as in the script; NULL */
	unsigned unevaluated;          /* number of enclosing sizeof operands */
	bool attributes_hidden;        /* attributes are those of the inline, not of what it uses */
	/* the first error */
	struct d_error *error;
	bool is_extern; /* the declarator is of a variable that is only noted */
	bool failed;
	bool repairable; /* the error is a name that is not known yet, see compile_clause.c */
};

/*
 * Records the first error, with DTrace's prefix and the position; returns -EINVAL. Later calls
 * change nothing. place may be NULL.
 */
int d_fail(struct d_compiler *compiler, const struct d_place *place, const char *tag,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for a name that is unknown, perhaps only for now: the error is repairable. */
int d_fail_unknown(struct d_compiler *compiler, const struct d_place *place, const char *tag,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "syntax error near ...", with what was expected (or NULL). */
int d_fail_syntax(struct d_compiler *compiler, const struct d_place *place, const char *expected);

/* Out of memory. Returns -ENOMEM. */
int d_fail_memory(struct d_compiler *compiler);

/* Forgets the error, so that compilation can continue: only for the retry in compile_clause.c. */
void d_fail_forget(struct d_compiler *compiler);

/* Records that the construct with this name, at a place, has a need that not every source meets. */
int d_require(struct d_compiler *compiler, enum d_need need, const char *name,
	const struct d_place *place);

/* Memory for trees and the like, valid as long as the compiler; fails with d_fail_memory(). */
void *d_get(struct d_compiler *compiler, size_t size);

#endif
