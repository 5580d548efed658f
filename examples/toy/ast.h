/*
 * ast.h: the syntax tree between parser and compiler, in one arena.
 *
 * The parser resolves variables: a name that was assigned in the function, or in one
 * around it, is that variable; any other name is a call on self. So once a function has
 * been parsed, it is known which of its variables inner functions capture.
 */
#ifndef TOY_AST_H
#define TOY_AST_H

#include "code.h"

/* Deeper trees are refused, which bounds the recursion over them. */
#define AST_MAX_DEPTH 400

enum node_kind {
	NODE_NIL,
	NODE_TRUE,
	NODE_FALSE,
	NODE_SELF,
	NODE_CONSTANT_VALUE, /* content: a number, symbol or string */
	NODE_INTERPOLATION,  /* list */
	NODE_ARRAY,          /* list */
	NODE_HASH,           /* list: key, value, key, ... */
	NODE_VARIABLE,
	NODE_FIELD,  /* name */
	NODE_GLOBAL, /* name: $x, or a constant */
	NODE_CALL,   /* left: receiver or NULL; name; list */
	NODE_SUPER,  /* list */
	NODE_INDEX,  /* left [right] */
	NODE_BINARY, /* operation: the instruction; name: the method */
	NODE_NOT,
	NODE_AND,
	NODE_OR,
	NODE_ASSIGN, /* left = right; operation != 0: left op= right */
	NODE_FUNCTION,
	NODE_BLOCK, /* list */
	NODE_IF,    /* left: condition, right: then, other: else or NULL */
	NODE_WHILE, /* left: condition, right: body */
	NODE_FOR,   /* variable, left: sequence or from, other: to or NULL, right: body */
	NODE_BREAK,
	NODE_NEXT,
	NODE_RETURN, /* left or NULL */
	NODE_RAISE,  /* left */
	NODE_BEGIN,  /* left: body; list: NODE_RESCUE; right: ensure or NULL */
	NODE_RESCUE, /* left: class or NULL; variable or NULL; right: body */
	NODE_METHOD, /* function; flag: static */
	NODE_CLASS,  /* name, left: superclass or NULL, list: methods, fields */
};

struct variable {
	struct symbol *name;
	struct scope *scope;
	struct variable *next;
	uint32_t slot;
	bool captured;
};

/* A variable of an enclosing function that this function captures. */
struct scope_capture {
	struct scope_capture *next;
	struct variable *variable;
	uint32_t index;
};

/* A method, function or file. */
struct scope {
	struct scope *outer; /* functions only */
	struct symbol *name;
	int line;
	uint32_t parameters;
	uint32_t slots; /* self, parameters, variables, hidden ones */
	struct variable *variables;
	struct scope_capture *captures;
	uint32_t capture_count;
	struct node *body;
	int loops;
	bool in_class;
};

struct node {
	enum node_kind kind;
	enum operation operation;
	int line;
	int depth;
	bool flag; /* NODE_FOR: the end of the range is not in it */
	struct node *left;
	struct node *right;
	struct node *other;
	struct node *next; /* in a list */
	struct node *first;
	struct node *last;
	uint32_t count; /* of the list */
	struct symbol *name;
	value content;
	struct variable *variable;
	struct scope *scope;
	uint32_t hidden; /* first of the slots that NODE_FOR needs */
	struct symbol **fields;
	uint32_t field_count;
};

struct arena_block {
	struct arena_block *next;
	_Alignas(16) char bytes[];
};

struct arena {
	struct arena_block *blocks;
	char *free;
	size_t left;
};

/* Zeroed memory, or NULL. */
void *arena_allocate(struct arena *arena, size_t bytes);
void arena_free(struct arena *arena);

#endif
