/*
 * resolve_symbol.h: what names mean: variables, built-ins, functions, aggregations. Private to
 * src/d. A name's meanings are stored in its struct d_name, one for each name space.
 */
#ifndef VMTAP_D_RESOLVE_SYMBOL_H
#define VMTAP_D_RESOLVE_SYMBOL_H

#include "base/stability.h"
#include "d/compiler.h"

enum { D_SCRIPT_BUILTIN = UINT32_MAX, D_SCRIPT_LIBRARY = UINT32_MAX - 1 };

enum d_identifier_kind {
	D_IDENTIFIER_SCALAR,
	D_IDENTIFIER_ARRAY,     /* associative */
	D_IDENTIFIER_BUILTIN,   /* index: enum d_builtin */
	D_IDENTIFIER_ARGUMENT,  /* arg0 ... : index */
	D_IDENTIFIER_ARGUMENTS, /* args */
	D_IDENTIFIER_REGISTERS, /* uregs */
	D_IDENTIFIER_FUNCTION,
	D_IDENTIFIER_AGGREGATION,
	D_IDENTIFIER_INLINE,    /* tree, keys (its parameters); or a literal: text, value */
	D_IDENTIFIER_ENUMERATOR /* value, type */
};

struct d_node;

struct d_identifier {
	enum d_identifier_kind kind;
	struct d_identifier *other; /* with the same name and space, in another script */
	struct d_name *name;
	const struct d_type *type;
	uint32_t index;  /* in the program's variables or aggregations */
	uint32_t script; /* where it was defined; or D_SCRIPT_BUILTIN */
	uint32_t number; /* its place in the order in which all identifiers came to be, from 1 */
	struct stability stability;
	uint32_t version;                  /* the first version of D that has it; 0: all have */
	const struct d_function *function; /* aggregations: NULL until assigned */
	uint32_t line;                     /* of an aggregation's first assignment */
	uint8_t key_count;
	const struct d_type *const *keys; /* the types of the keys or parameters */
	uint64_t value;
	struct d_name *text;
	const struct d_node *tree;
	uint8_t points; /* of a variable: pointers assigned so far, D_POINTS_... */
};

enum d_function_kind { D_FUNCTION_ACTION, D_FUNCTION_SUBROUTINE, D_FUNCTION_AGGREGATING };

/*
 * Actions whose values may be keys of an aggregation: their numbers do not overlap those of
 * d_action_kind.
 */
enum d_stack_function {
	D_STACK_KERNEL = 128,
	D_STACK_USER,
	D_STACK_JAVA,
	D_STACK_SYM,
	D_STACK_FUNC,
	D_STACK_MOD,
	D_STACK_USYM,
	D_STACK_UFUNC,
	D_STACK_UMOD,
	D_STACK_UADDR
};

enum { D_FUNCTION_PARAMETERS_MAX = 6, D_FUNCTION_ANY_COUNT = 255 };

struct d_function {
	const char *name;
	enum d_function_kind kind;
	int id; /* enum d_action_kind, d_stack_function, d_subroutine, d_aggregating */
	uint8_t minimum, maximum; /* arguments */
	const char *result;       /* type, NULL: void */
	/*
	 * Types of the parameters; "@": an aggregation, NULL: whatever the function's own checks
	 * allow.
	 */
	const char *parameters[D_FUNCTION_PARAMETERS_MAX];
};

/* Whether the function is one of enum d_stack_function. */
bool d_function_is_stack(const struct d_function *function);

/* The kind of its value, if it is one. */
enum d_value_kind d_function_stack_kind(const struct d_function *function);

/* Puts built-in variables and functions into the name table. -ENOMEM. */
int d_symbols_init(struct d_compiler *compiler);

/* Whether a definition in script `script` is known in the compiler's current script. */
bool d_symbol_is_known(const struct d_compiler *compiler, uint32_t script);

/*
 * The meaning of a name in the compiler's current script; NULL if it has none (yet). Definitions in
 * later scripts do not count, even if these have been read already.
 */
struct d_identifier *d_symbol_find(
	struct d_compiler *compiler, const struct d_name *name, enum d_name_space space);

/* The same, but also finds what does not exist in the version of D that option version selects. */
struct d_identifier *d_symbol_meaning(
	const struct d_compiler *compiler, const struct d_name *name, enum d_name_space space);

/* The meaning that earlier scripts have given a name; NULL: none. */
const struct d_identifier *d_symbol_find_earlier(
	const struct d_name *name, enum d_name_space space, uint32_t script);

/* Removes a meaning from its name. */
void d_symbol_remove(struct d_identifier *identifier, enum d_name_space space);

/*
 * Creates a variable of the program, named at the place. It is an array if key_count is not 0.
 * NULL, with an error, if memory or numbers run out.
 */
struct d_identifier *d_symbol_variable(struct d_compiler *compiler, struct d_name *name,
	const struct d_place *place, enum d_name_space space, const struct d_type *type,
	const struct d_type *const *keys, unsigned key_count);
struct d_identifier *d_symbol_aggregation(struct d_compiler *compiler, struct d_name *name);

/* Makes a global name an inline, to be filled in. NULL: no memory. */
struct d_identifier *d_symbol_inline(struct d_compiler *compiler, struct d_name *name);

/* Makes a global name a constant of an enum. NULL: no memory. */
struct d_identifier *d_symbol_enumerator(
	struct d_compiler *compiler, struct d_name *name, const struct d_type *type, int64_t value);

/* Sets the types of an identifier's keys or parameters. 0 or -1, like the next. */
int d_symbol_keys(struct d_compiler *compiler, struct d_identifier *identifier,
	const struct d_type *const *keys, unsigned key_count);

/* Sets an aggregation's keys when it is first used with keys. */
int d_symbol_aggregation_keys(struct d_compiler *compiler, struct d_identifier *aggregation,
	const struct d_type *const *keys, unsigned key_count);

/* "self->x", "x", "@x" for messages, into buffer. */
const char *d_symbol_text(const struct d_name *name, enum d_name_space space, char buffer[64]);

#endif
