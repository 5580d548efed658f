/*
 * check.h: what DTrace calls cooking: it finds types and identifiers and checks that operands are
 * compatible. Private to src/d. A tree may be checked again for the next description of its clause.
 */
#ifndef VMTAP_D_CHECK_H
#define VMTAP_D_CHECK_H

#include "d/ast.h"

/* Check a statement of a body, a predicate, and any expression. Variables are created here. */
int d_check_statement(struct d_compiler *compiler, struct d_node *node);
int d_check_predicate(struct d_compiler *compiler, struct d_node *node);
int d_check(struct d_compiler *compiler, struct d_node *node);
int d_check_list(struct d_compiler *compiler, struct d_node *list);

/* check_member.c: names and members. */
/* The name space of the variable that a node names; false: it does not name a variable. */
bool d_check_variable_space(const struct d_node *node, enum d_name_space *space);
int d_check_variable(struct d_compiler *compiler, struct d_node *node, enum d_name_space space);
int d_check_member(struct d_compiler *compiler, struct d_node *node);
int d_check_index(struct d_compiler *compiler, struct d_node *node);
int d_check_dereference(
	struct d_compiler *compiler, struct d_node *node, const struct d_node *operand);
int d_check_address(struct d_compiler *compiler, struct d_node *node);
/* Checks that a literal that is added to an array, or indexes it, stays within bounds. */
int d_check_bounds(
	struct d_compiler *compiler, const struct d_node *array, const struct d_node *index);

/*
 * check_pointer.c: what a pointer may point to, as far as the script's text shows. This decides
 * whether it can be written through. 0: unknown, so the engine checks at run time.
 */
enum {
	D_POINTS_BLOCK = 1,     /* to memory that D programs write: alloca, copyin, variables */
	D_POINTS_ALLOCA = 2,    /* to a block of alloca() */
	D_POINTS_ELSEWHERE = 4, /* to memory of the traced process or the kernel */
	D_POINTS_MIXED = 8      /* to a block of alloca() or to something else, because of a ?: */
};
unsigned d_check_points(const struct d_node *pointer);
/* The same for the place that a node names. */
unsigned d_check_place_points(const struct d_node *place);
/*
 * For an array that is used as a value, the type of a pointer to its elements; else the type
 * itself. NULL: no memory.
 */
const struct d_type *d_check_decay(struct d_compiler *compiler, const struct d_type *type);
/*
 * Checks an assignment of pointers: a variable may hold only pointers to blocks of alloca(), or
 * none of them.
 */
int d_check_alloca(struct d_compiler *compiler, const struct d_node *node);

/* check_assign.c: what changes variables. */
int d_check_aggregation(struct d_compiler *compiler, struct d_node *node);
int d_check_assignment(struct d_compiler *compiler, struct d_node *node);
int d_check_increment(struct d_compiler *compiler, struct d_node *node);
/*
 * Checks the operand of a unary operator. A self-> or this-> variable or an element that has not
 * been named before is created as int64_t, so that a predicate can test it with !.
 */
int d_check_operand(struct d_compiler *compiler, struct d_node *operand);

/* check_operator.c */
int d_check_unary(struct d_compiler *compiler, struct d_node *node);
int d_check_binary(struct d_compiler *compiler, struct d_node *node);
int d_check_ternary(struct d_compiler *compiler, struct d_node *node);
/* "operator + requires operands of arithmetic type" */
int d_check_fail_operator(
	struct d_compiler *compiler, const struct d_node *node, const char *tag, const char *what);
/* "operands have incompatible types" */
int d_check_fail_types(struct d_compiler *compiler, const struct d_node *node,
	const struct d_node *left, const struct d_node *right);
/* Whether arithmetic on the pointer is possible: it points to objects of known size. */
bool d_check_points_to_sized(struct d_compiler *compiler, const struct d_type *type);

/* check_call.c: a call's arguments against the function's parameters. */
int d_check_call(struct d_compiler *compiler, struct d_node *node);
/*
 * Checks the keys of an array or aggregation: checked expressions against the types of the first
 * use.
 */
int d_check_keys(struct d_compiler *compiler, const struct d_identifier *identifier,
	const struct d_node *node);
/* The types of the keys at a name's first use. */
int d_check_new_keys(struct d_compiler *compiler, const struct d_node *node,
	const struct d_type *types[D_KEYS_MAX], unsigned *count);

/* Whether values of a type can be keys. */
bool d_check_is_key(const struct d_type *type);

/* Whether the type is a stack's, and the value a literal 0, which is a stack without frames. */
bool d_check_is_no_stack(const struct d_type *type, const struct d_node *value);

/*
 * Whether a checked value can be passed, or stored, as a type. Strings, char pointers and char
 * arrays pass as each other.
 */
bool d_check_passes(const struct d_type *type, const struct d_node *value);
bool d_check_pointers(const struct d_type *one, const struct d_node *one_node,
	const struct d_type *other, const struct d_node *other_node);

#endif
