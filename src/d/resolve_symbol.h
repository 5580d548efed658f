/*
 * resolve_symbol.h: what names mean: variables, built-ins, functions, aggregations. Private to
 * src/d. A name's meanings hang on its struct d_name, one for each name space.
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
	D_IDENTIFIER_INLINE,    /* tree, keys: its parameters; or a literal: text, value */
	D_IDENTIFIER_ENUMERATOR /* value, type */
};

struct d_node;

struct d_identifier {
	enum d_identifier_kind kind;
	struct d_identifier *other; /* of the same name and space: another script's */
	struct d_name *name;
	const struct d_type *type;
	uint32_t index;  /* in the program's variables or aggregations */
	uint32_t script; /* that it is from; D_SCRIPT_BUILTIN */
	struct stability stability;
	uint32_t version;                  /* from which of D on it is there; 0: always */
	const struct d_function *function; /* aggregations: NULL until assigned */
	uint32_t line;                     /* of an aggregation's first assignment */
	uint8_t key_count;
	const struct d_type *keys[D_KEYS_MAX];
	uint64_t value;
	struct d_name *text;
	const struct d_node *tree;
	uint8_t points; /* of a variable: what was assigned to it so far, D_POINTS_... */
};

enum d_function_kind { D_FUNCTION_ACTION, D_FUNCTION_SUBROUTINE, D_FUNCTION_AGGREGATING };

/* Actions whose values may be keys of an aggregation: numbers beside those of d_action_kind. */
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
	const char *result;       /* types, NULL: void */
	/*
	 * Types of the parameters; "@" an aggregation, NULL: whatever the function's own
	 * checks allow.
	 */
	const char *parameters[D_FUNCTION_PARAMETERS_MAX];
};

/* Whether the function is one of enum d_stack_function. */
bool d_function_is_stack(const struct d_function *function);

/* The kind of the value of one that is. */
enum d_value_kind d_function_stack_kind(const struct d_function *function);

/* Puts built-in variables and functions into the table. -ENOMEM. */
int d_symbols_init(struct d_compiler *compiler);

/* Whether what a script defines is known in the script that the compiler is at. */
bool d_symbol_is_known(const struct d_compiler *compiler, uint32_t script);

/*
 * The meaning of a name in the script that the compiler is at; NULL when it has none (yet).
 * What a later script says of it does not count, even if that has been read already.
 */
struct d_identifier *d_symbol_find(
	struct d_compiler *compiler, const struct d_name *name, enum d_name_space space);

/* The same, also of what the version of D that option version asks for does not have. */
struct d_identifier *d_symbol_meaning(
	const struct d_compiler *compiler, const struct d_name *name, enum d_name_space space);

/* What scripts before this one have made of a name; NULL: nothing. */
const struct d_identifier *d_symbol_find_earlier(
	const struct d_name *name, enum d_name_space space, uint32_t script);

/* Takes a meaning away from its name. */
void d_symbol_remove(struct d_identifier *identifier, enum d_name_space space);

/*
 * Makes a variable of the program, named at the place. The kind is an array if key_count is
 * not 0. NULL with an error when memory or numbers run out.
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

/* Gives an aggregation its keys, once it is first used with some. */
void d_symbol_aggregation_keys(struct d_compiler *compiler, struct d_identifier *aggregation,
	const struct d_type *const *keys, unsigned key_count);

/* "self->x", "x", "@x" for messages, into buffer. */
const char *d_symbol_text(const struct d_name *name, enum d_name_space space, char buffer[64]);

#endif
