/*
 * ast.h: syntax trees. Private to src/d.
 *
 * The parser builds them once; checking writes types and identifiers into them, again for each
 * probe description of a clause. Constants are folded while a tree is built, so a division by a
 * literal zero is found even in code that can never run. The height of a tree is limited when it is
 * built, so code that walks trees may recurse.
 *
 * A chain of binary operators of one precedence, a + b - c + ..., leans to the left: each operator
 * is the left operand of the next one. It may have any length and counts as one level, so code that
 * walks trees takes a chain's operators one after the other (d_chain_start()).
 */
#ifndef VMTAP_D_AST_H
#define VMTAP_D_AST_H

#include "d/compiler.h"
#include "d/resolve_symbol.h"

enum d_node_kind {
	D_NODE_INTEGER, /* value, type */
	D_NODE_STRING,  /* name */
	D_NODE_NAME,    /* name */
	D_NODE_SELF,
	D_NODE_THIS,
	D_NODE_MEMBER,      /* left . name, left -> name */
	D_NODE_INDEX,       /* left [ right, ... ] */
	D_NODE_AGGREGATION, /* @name [ right, ... ] */
	D_NODE_CALL,        /* function ( right, ... ) */
	D_NODE_UNARY,       /* operator left */
	D_NODE_BINARY,      /* left operator right */
	D_NODE_ASSIGN,      /* left operator= right; D_OPERATOR_NONE: plain */
	D_NODE_TERNARY,     /* condition ? left : right */
	D_NODE_CAST,        /* (written) left */
	D_NODE_STRINGOF,    /* stringof left */
	D_NODE_SIZEOF,      /* sizeof left */
	D_NODE_HOLE,        /* a parameter in a definition (parse_inline.h): argument, type */
	D_NODE_XLATE,       /* xlate < written > ( left ) */
	D_NODE_EXPANSION    /* left, a copy of a definition, as a value of type written */
};

enum d_operator {
	D_OPERATOR_NONE,
	D_OPERATOR_ADD,
	D_OPERATOR_SUBTRACT,
	D_OPERATOR_MULTIPLY,
	D_OPERATOR_DIVIDE,
	D_OPERATOR_MODULO,
	D_OPERATOR_SHIFT_LEFT,
	D_OPERATOR_SHIFT_RIGHT,
	D_OPERATOR_AND,
	D_OPERATOR_XOR,
	D_OPERATOR_OR,
	D_OPERATOR_LESS,
	D_OPERATOR_LESS_EQUAL,
	D_OPERATOR_GREATER,
	D_OPERATOR_GREATER_EQUAL,
	D_OPERATOR_EQUAL,
	D_OPERATOR_NOT_EQUAL,
	D_OPERATOR_LOGICAL_AND,
	D_OPERATOR_LOGICAL_XOR,
	D_OPERATOR_LOGICAL_OR,
	D_OPERATOR_COMMA,
	/* with one operand */
	D_OPERATOR_PLUS,
	D_OPERATOR_NEGATE,
	D_OPERATOR_NOT,
	D_OPERATOR_COMPLEMENT,
	D_OPERATOR_DEREFERENCE,
	D_OPERATOR_ADDRESS,
	D_OPERATOR_PRE_INCREMENT,
	D_OPERATOR_PRE_DECREMENT,
	D_OPERATOR_POST_INCREMENT,
	D_OPERATOR_POST_DECREMENT,
	D_OPERATORS
};

struct d_translator;
struct d_provider;

/*
 * Most of the memory of large scripts is nodes, so fields that only some kinds have share memory.
 * Code that changes the kind of a node during checking must set all fields of the new kind.
 */
struct d_node {
	enum d_node_kind kind : 8;
	enum d_operator operation : 8;
	uint16_t height;
	uint8_t argument; /* args[n]: number of the probe's argument; hole: of the parameter */
	bool arrow : 1;   /* of a member: -> */
	bool indexed : 1; /* of an aggregation: brackets were written */
	bool unused : 1;  /* its value is not used: a statement, left of a comma */
	bool lvalue : 1, writable : 1; /* set by checking, as is the next */
	bool is_argument : 1;
	bool native : 1; /* args[n]: the probe's own argument, not translated */
	struct d_place place;
	struct d_node *left, *right;
	struct d_node *next; /* in a list of arguments, keys, statements */
	struct d_name *name;
	union {
		struct d_node *condition;          /* of ?: */
		const struct d_function *function; /* of a call; name is the function's */
		const struct d_type *written;      /* of a cast, an xlate, an expansion */
		const struct d_member *member;     /* of a member: that of a struct or union */
		/* Of a folded integer: the operation, if the settings say unoptimized; NULL. */
		struct d_node *computation;
	};
	union {
		uint64_t value;                        /* of an integer, a sizeof */
		const struct d_translator *translator; /* of an xlate */
		const char *requirer; /* of an expansion: name to report its needs for; NULL */
	};
	/* set by checking */
	const struct d_type *type;
	struct d_identifier *identifier;
};

/* A probe description as written, or a probe's number. */
struct d_description {
	struct d_description *next;
	struct d_place place;
	bool is_number;
	bool is_own; /* it names the engine's own probes: no source is needed */
	uint64_t number;
	const char *parts[4]; /* provider, module, function, name; macros expanded */
};

/* A node as it was parsed, for the next description of its clause. */
struct d_remembered {
	struct d_remembered *next; /* the one remembered before it */
	struct d_node *node;
	struct d_node was;
};

/* A clause as written, or a provider's definition, which is checked at its position in the text. */
struct d_clause_tree {
	struct d_clause_tree *next;
	struct d_provider *provider; /* NULL: a clause */
	struct d_place place;
	struct d_description *descriptions;
	struct d_node *predicate;
	struct d_node *statements;
	struct d_clause_tree *rest; /* what follows an if (parse_branch.h), same descriptions */
};

/* Constructors; NULL if they fail (d_fail() has been called). */
struct d_node *d_node_new(
	struct d_compiler *compiler, enum d_node_kind kind, const struct d_place *place);
struct d_node *d_node_integer(struct d_compiler *compiler, const struct d_place *place,
	uint64_t value, const struct d_type *type);
struct d_node *d_node_unary(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *operand);
struct d_node *d_node_binary(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *left, struct d_node *right);
struct d_node *d_node_assign(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *left, struct d_node *right);
struct d_node *d_node_ternary(struct d_compiler *compiler, const struct d_place *place,
	struct d_node *condition, struct d_node *left, struct d_node *right);
struct d_node *d_node_cast(struct d_compiler *compiler, const struct d_place *place,
	const struct d_type *type, struct d_node *operand);

/*
 * To be called before checking changes a node in a way that is valid for only one description of a
 * clause. Saves the node for d_nodes_restore() after that description. -1: failed. Outside clauses
 * nothing is saved.
 */
int d_node_remember(struct d_compiler *compiler, struct d_node *node);
void d_nodes_restore(struct d_compiler *compiler);

/* Sets a node's height from its children and checks the limit; NULL if it is too high. */
struct d_node *d_node_finish(struct d_compiler *compiler, struct d_node *node);

/*
 * Whether a checked node is a place in memory (*p, a[i], s.m): not a variable or an element named
 * directly, and not args[n].
 */
bool d_node_is_place(const struct d_node *node);
/* Whether it is a character of a string: s[n] or *s. */
bool d_node_is_character(const struct d_node *node);

/* Whether the left operand of an operator belongs to the same chain. */
bool d_node_continues(const struct d_node *node);

/*
 * Starts a walk through the operators of the chain that ends with node, a binary operator; any
 * other node is a chain of its own. The innermost operator is next, the node itself the last one.
 * Several walks may be under way, each within the one started before it. -1: no memory.
 */
int d_chain_start(struct d_compiler *compiler, const struct d_node *node, size_t *start);
/* NULL: the walk is over. */
struct d_node *d_chain_next(struct d_compiler *compiler, size_t start);
/* Ends a walk early. */
void d_chain_stop(struct d_compiler *compiler, size_t start);

/* "+", "?:" and so on; with_assign: "+=". */
const char *d_operator_text(enum d_operator operation, bool with_assign);

unsigned d_node_count(const struct d_node *list);
bool d_node_is_zero(const struct d_node *node);    /* the literal 0, NULL */
bool d_node_is_boolean(const struct d_node *node); /* an operator that gives 0 or 1 */
bool d_node_is_action(const struct d_node *node);

#endif
