/*
 * program.h: a compiled D script: what the front end (src/d) makes and the engine
 * (src/engine) runs. Plain data; it owns everything it points to (d_program_free) and
 * does not change while it runs.
 *
 * One program holds all scripts of a command line, in order, so that globals,
 * aggregations and self-> variables are shared as D has it. this-> variables are
 * numbered apart for each script.
 *
 * The machine
 * -----------
 * Registers are 64 bits: an integer, an address, or a string (a const struct d_text *,
 * NULL for D's NULL). Types were settled at compile time; no instruction looks at one.
 * Arithmetic is 64 bits wide and wraps; D_OP_CUT narrows where D says that a value is
 * cut. A clause starts with registers undefined. Strings that an instruction makes live
 * in the clause's scratch; the engine copies what a variable or an aggregation keeps.
 * A fault (enum d_fault) ends the clause and throws its records away.
 *
 * An action is recorded when it is executed and carried out when its clause ends
 * without a fault, in order (as DTrace's consumer does).
 */
#ifndef VMTAP_D_PROGRAM_H
#define VMTAP_D_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/probe.h"
#include "d/text.h"

enum {
	D_REGISTERS_MAX = 128,
	D_KEYS_MAX = 8 /* parts of a tuple: DTrace's portable limit */
};

/* The fault table of DTrace; values are arg4 of the ERROR probe. */
enum d_fault {
	D_FAULT_UNKNOWN = 0,
	D_FAULT_BADADDR = 1,
	D_FAULT_BADALIGN = 2,
	D_FAULT_ILLOP = 3,
	D_FAULT_DIVZERO = 4,
	D_FAULT_NOSCRATCH = 5,
	D_FAULT_KPRIV = 6,
	D_FAULT_UPRIV = 7,
	D_FAULT_TUPOFLOW = 8,
	D_FAULT_BADSTACK = 9,
	D_FAULT_BADSIZE = 10,
	D_FAULT_BADINDEX = 11,
	D_FAULT_LIBRARY = 1000
};

/* A value's form where the engine must know it: variables, keys, records. */
enum d_value_kind {
	D_VALUE_INTEGER,
	D_VALUE_STRING,
	D_VALUE_BYTES /* raw memory of a size, for structs (not made yet) */
};

struct d_value_type {
	enum d_value_kind kind;
	bool is_signed;
	bool is_pointer;
	uint32_t size; /* bytes: 1, 2, 4, 8 for integers */
};

enum d_opcode {
	D_OP_RETURN,     /* the clause, or the predicate with a in register a */
	D_OP_INTEGER,    /* a = immediate, sign-extended */
	D_OP_CONSTANT,   /* a = integers[immediate] */
	D_OP_STRING,     /* a = &strings[immediate] */
	D_OP_NULL,       /* a = NULL string */
	D_OP_MOVE,       /* a = b */
	D_OP_ADD,        /* a = b + c, and so on */
	D_OP_SUBTRACT,
	D_OP_MULTIPLY,
	D_OP_DIVIDE,     /* signed; INT64_MIN / -1 = INT64_MIN; 0: DIVZERO */
	D_OP_DIVIDE_UNSIGNED,
	D_OP_MODULO,
	D_OP_MODULO_UNSIGNED,
	D_OP_AND,
	D_OP_OR,
	D_OP_XOR,
	D_OP_SHIFT_LEFT, /* count & 63 */
	D_OP_SHIFT_RIGHT,
	D_OP_SHIFT_RIGHT_SIGNED,
	D_OP_NEGATE,     /* a = -b */
	D_OP_COMPLEMENT, /* a = ~b */
	D_OP_NOT,        /* a = !b */
	D_OP_CUT,        /* a = b cut to immediate bits 8, 16, 32; negative: sign-extended */
	D_OP_EQUAL,      /* a = b == c, 0 or 1 */
	D_OP_NOT_EQUAL,
	D_OP_LESS,
	D_OP_LESS_EQUAL, /* > and >= by swapped operands */
	D_OP_LESS_UNSIGNED,
	D_OP_LESS_EQUAL_UNSIGNED,
	D_OP_COMPARE,    /* strings: a = -1, 0, 1; one side NULL: pointers compared */
	D_OP_BOOLEAN,    /* a = b != 0 */
	D_OP_JUMP,       /* to immediate, an index into the clause's code */
	D_OP_JUMP_ZERO,  /* if b is 0 */
	D_OP_JUMP_NOT_ZERO,
	D_OP_ARGUMENT,   /* a = argN with N the immediate, 0 when absent */
	D_OP_BUILTIN,    /* a = built-in variable, enum d_builtin in immediate */
	D_OP_LOAD,       /* a = variable immediate (global scalar, self, this) */
	D_OP_STORE,      /* variable immediate = a */
	D_OP_LOAD_ELEMENT,  /* a = variable immediate [keys in b, b + 1, ...] */
	D_OP_STORE_ELEMENT, /* variable immediate [keys in b, ...] = a */
	D_OP_FREE,          /* self variable immediate: storing literal 0 */
	D_OP_FREE_ELEMENT,  /* variable immediate [keys in b, ...] */
	D_OP_READ,       /* a = integer of c & 15 bytes (c & 16: signed) at address b */
	D_OP_CALL,       /* a = subroutine immediate (enum d_subroutine), arguments in b, b + 1,
			    ..., c of them */
	D_OP_AGGREGATE,  /* aggregation immediate: keys in a, a + 1, ...; b: value register;
			    c: increment register (both ignored where the function has none) */
	D_OP_ACTION,     /* actions[immediate], arguments in a, a + 1, ... */
	D_OPCODES
};

struct d_instruction {
	uint8_t opcode, a, b, c;
	int32_t immediate;
};

enum d_builtin {
	D_BUILTIN_PID,
	D_BUILTIN_PPID,
	D_BUILTIN_UID,
	D_BUILTIN_GID,
	D_BUILTIN_TID,
	D_BUILTIN_CPU,
	D_BUILTIN_ID,
	D_BUILTIN_EPID,
	D_BUILTIN_TIMESTAMP,     /* read once per clause */
	D_BUILTIN_VTIMESTAMP,
	D_BUILTIN_WALLTIMESTAMP,
	D_BUILTIN_EXECNAME,      /* strings from here on */
	D_BUILTIN_PROBEPROV,
	D_BUILTIN_PROBEMOD,
	D_BUILTIN_PROBEFUNC,
	D_BUILTIN_PROBENAME,
	D_BUILTINS
};

enum d_subroutine {
	D_SUBROUTINE_COPYINSTR, /* (address [, max]) string */
	D_SUBROUTINE_STRINGOF,  /* (address) string: stringof of an integer or pointer */
	D_SUBROUTINE_STRJOIN,   /* (string, string) string, cut at strsize */
	D_SUBROUTINE_STRLEN,    /* (string) integer */
	D_SUBROUTINE_STRCHR,    /* (string, character) string: from the character on, or NULL */
	D_SUBROUTINE_STRRCHR,
	D_SUBROUTINE_STRSTR,    /* (string, string) string: from the match on, or NULL */
	D_SUBROUTINE_INDEX,     /* (string, string [, position]) integer, -1: not found */
	D_SUBROUTINE_RINDEX,
	D_SUBROUTINE_SUBSTR,    /* (string, start [, count]) string */
	D_SUBROUTINE_STRTOK,    /* (string, delimiters) string or NULL */
	D_SUBROUTINE_STRTOK_NEXT, /* (delimiters): strtok with the literal NULL */
	D_SUBROUTINE_TOUPPER,   /* (string) string */
	D_SUBROUTINE_TOLOWER,
	D_SUBROUTINE_BASENAME,
	D_SUBROUTINE_DIRNAME,
	D_SUBROUTINE_CLEANPATH,
	D_SUBROUTINE_LLTOSTR,   /* (integer [, base]) string */
	D_SUBROUTINE_STRTOLL,   /* (string [, base]) integer */
	D_SUBROUTINE_CHARACTER, /* (string, number) integer: s[n]; 0 from its end to strsize */
	D_SUBROUTINE_SWAP16,    /* (integer) integer: between this machine's byte order and the
				   network's */
	D_SUBROUTINE_SWAP32,
	D_SUBROUTINE_SWAP64,
	D_SUBROUTINES
};

/* The form of a subroutine's call: what a program must keep to. */
struct d_subroutine_form {
	const char *name;
	uint8_t least, most;  /* arguments */
	uint8_t strings;      /* bit per argument: it is a string */
	bool gives_string;
};

extern const struct d_subroutine_form d_subroutines[D_SUBROUTINES];

enum d_scope {
	D_SCOPE_GLOBAL,
	D_SCOPE_SELF,
	D_SCOPE_THIS
};

struct d_variable {
	char *name;
	enum d_scope scope;
	struct d_value_type type;
	uint8_t key_count; /* 0: a scalar */
	struct d_value_type keys[D_KEYS_MAX];
};

enum d_aggregating {
	D_AGGREGATE_COUNT,
	D_AGGREGATE_SUM,
	D_AGGREGATE_MIN,
	D_AGGREGATE_MAX,
	D_AGGREGATE_AVG,
	D_AGGREGATE_STDDEV,
	D_AGGREGATE_QUANTIZE,
	D_AGGREGATE_LQUANTIZE,
	D_AGGREGATE_LLQUANTIZE
};

struct d_aggregation {
	char *name; /* "_" for a bare @ */
	enum d_aggregating function;
	int64_t parameters[5]; /* of lquantize and llquantize, in the call's order */
	uint8_t key_count;
	struct d_value_type keys[D_KEYS_MAX];
};

/* A printf format, parsed and checked against its arguments. */
enum d_conversion_kind {
	D_CONVERT_SIGNED,    /* d i */
	D_CONVERT_UNSIGNED,  /* u o x X: letter says which; also %d of an unsigned type, as u */
	D_CONVERT_CHARACTER, /* c C */
	D_CONVERT_STRING,    /* s S */
	D_CONVERT_POINTER,   /* p */
	D_CONVERT_TIME       /* Y T: ns since 1970, in local time */
};

struct d_conversion {
	struct d_text before; /* literal text before it, %% already single */
	bool present;         /* false: only text (the last piece of a format) */
	enum d_conversion_kind kind;
	char letter;
	bool minus, plus, space, zero, alternate, group; /* flags - + ' ' 0 # ' */
	bool aggregation;      /* %@: takes the next aggregation's value, not a key */
	bool width_argument;   /* *: taken from the arguments, before precision and value */
	bool precision_argument;
	int width;             /* -1: none */
	int precision;         /* -1: none */
	struct d_value_type type; /* of the argument */
};

struct d_format {
	size_t count;
	struct d_conversion *conversions;
};

enum d_action_kind {
	D_ACTION_DEFAULT, /* an empty body: a record with no data */
	D_ACTION_TRACE,   /* argument: the value, of types[0] */
	D_ACTION_PRINTF,  /* format, arguments of types[] */
	D_ACTION_PRINTA,  /* format or -1, aggregations[] */
	D_ACTION_EXIT,    /* argument: status */
	D_ACTION_CLEAR,   /* aggregations[0] */
	D_ACTION_TRUNC,   /* aggregations[0]; argument if argument_count is 1 */
	D_ACTION_NORMALIZE, /* aggregations[0], argument */
	D_ACTION_DENORMALIZE
};

enum {
	D_ACTION_ARGUMENTS_MAX = 64
};

struct d_action {
	enum d_action_kind kind;
	int format; /* index into formats, -1 for none */
	uint8_t argument_count;
	struct d_value_type *types; /* argument_count of them */
	uint8_t aggregation_count;
	uint32_t *aggregations; /* indices */
};

/* A clause of the script, once for each of its probe descriptions. */
struct d_clause {
	struct d_instruction *predicate; /* NULL: none */
	size_t predicate_count;
	struct d_instruction *code;
	size_t code_count;
	uint32_t action_count;  /* D_OP_ACTION instructions it can execute: 0 prints nothing */
	uint32_t line;          /* of the description */
	uint32_t script;        /* index of the script it is from */
	uint32_t *probes;       /* indices into the probe set that it is enabled on, ascending */
	size_t probe_count;
};

/* Run-time options (times in ns, sizes in bytes); defaults by d_options_init(). */
struct d_options {
	bool quiet;
	bool flowindent;
	bool rawbytes;
	bool zdefs;
	bool droptags;
	bool aggsortkey, aggsortrev;
	int aggsortpos, aggsortkeypos;
	uint64_t aggrate, switchrate, statusrate;
	uint64_t strsize, bufsize, aggsize, dynvarsize;
};

/* What a source must provide for this program. */
struct d_needs {
	bool vtimestamp;
	bool cpu;
};

struct d_program {
	struct d_options options;
	struct d_needs needs;
	int64_t *integers;
	size_t integer_count;
	struct d_text *strings; /* hashes computed */
	size_t string_count;
	struct d_variable *variables;
	size_t variable_count;
	struct d_aggregation *aggregations; /* in order of first mention */
	size_t aggregation_count;
	struct d_format *formats;
	size_t format_count;
	struct d_action *actions;
	size_t action_count;
	struct d_clause *clauses; /* in the order of the command line and the text */
	size_t clause_count;
	uint32_t script_count;
};

void d_options_init(struct d_options *options);
void d_format_free(struct d_format *format);
void d_program_free(struct d_program *program);

#endif
