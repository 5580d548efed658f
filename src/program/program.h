/*
 * program.h: a compiled D script: what the front end (src/d) makes and the engine
 * (src/engine) runs. Plain data; it owns everything it points to (d_program_free) and
 * does not change while it runs.
 *
 * One program holds all scripts of a command line, in order, so that they share globals,
 * aggregations and self-> variables, as D requires. Each script has its own this-> variables.
 *
 * The machine
 * -----------
 * Registers are 64 bits: an integer, an address, or a string (a const struct text *, NULL for D's
 * NULL). Types are resolved at compile time; no instruction looks at one. Arithmetic is 64 bits
 * wide and wraps; D_OP_CUT narrows a value where D requires it. A clause starts with its registers
 * undefined. Strings that an instruction creates live in the clause's scratch memory; the engine
 * copies what a variable or an aggregation keeps. A fault (such as a division by zero or an invalid
 * address) ends the clause and discards its records.
 *
 * An action is recorded when it is executed and carried out when its clause ends
 * without a fault, in order (as DTrace's consumer does).
 */
#ifndef VMTAP_PROGRAM_PROGRAM_H
#define VMTAP_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stability.h"
#include "base/text.h"
#include "program/builtin.h"
#include "program/need.h"
#include "program/opcode.h"
#include "program/option.h"
#include "program/print_layout.h"
#include "program/probe.h"
#include "program/subroutine.h"

enum {
	D_REGISTERS_MAX = 128,
	D_KEYS_MAX = 32,        /* in a tuple; DTrace's portable limit is 8 */
	D_OBJECT_MAX = 64 << 20 /* bytes, of one object and of all object variables together */
};

/* The kind of a value, where the engine must know it: in variables, keys and records. */
enum d_value_kind {
	D_VALUE_INTEGER,
	D_VALUE_STRING,
	/*
	 * Memory of a fixed size: structs, arrays, floating point. As a value in a register it is a
	 * text of that length; otherwise the machine works on its address.
	 */
	D_VALUE_BYTES,
	D_VALUE_GUEST_STACK, /* a text whose bytes are a 64-bit word: the engine's number of a stack
				of the guest program. The first of the places */
	/*
	 * Places in code: a text whose bytes are 64-bit words. The first is the process (0: the
	 * kernel), the others are addresses; for a stack, its frames, innermost first. Instead of a
	 * stack of either kind, a register may hold 0: a variable that is not set has no frames.
	 */
	D_VALUE_STACK,
	D_VALUE_SYMBOL,       /* sym() and func() */
	D_VALUE_MODULE,       /* mod() */
	D_VALUE_USER_SYMBOL,  /* usym() and ufunc(): the symbol without the offset */
	D_VALUE_USER_MODULE,  /* umod() */
	D_VALUE_USER_ADDRESS, /* uaddr(): the symbol and the offset */
	D_VALUE_KINDS
};

/* Whether a register holds a value of this kind as a const struct text *. */
static inline bool d_value_is_text(enum d_value_kind kind)
{
	return kind != D_VALUE_INTEGER;
}

static inline bool d_value_is_stack(enum d_value_kind kind)
{
	return kind == D_VALUE_STACK || kind == D_VALUE_GUEST_STACK;
}

struct d_value_type {
	enum d_value_kind kind;
	bool is_signed;
	bool is_pointer;
	uint32_t size; /* bytes: 1, 2, 4, 8 for integers; at most D_OBJECT_MAX */
};

enum d_scope { D_SCOPE_GLOBAL, D_SCOPE_SELF, D_SCOPE_THIS };

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
	/*
	 * What each key is called where it is a variable, a member or one of these converted
	 * (copyinstr(this->reason): "reason"), in the first statement; NULL: it has no name.
	 */
	char *key_names[D_KEYS_MAX];
};

/* A printf format, parsed and checked against its arguments. */
enum d_conversion_kind {
	D_CONVERT_SIGNED,    /* d i */
	D_CONVERT_UNSIGNED,  /* u o x X, as letter says; %d of an unsigned type is u */
	D_CONVERT_CHARACTER, /* c C */
	D_CONVERT_STRING,    /* s S */
	D_CONVERT_POINTER,   /* p */
	D_CONVERT_TIME,      /* Y T: ns since 1970, in local time */
	D_CONVERT_FLOAT,     /* e E f g G */
	D_CONVERT_PLACE,     /* a A: a place, or an integer that is its address */
	D_CONVERT_STACK,     /* k */
	D_CONVERT_WIDE       /* lc wc ls ws: a 4-byte character, or an array of them */
};

struct d_conversion {
	struct text before; /* literal text before it, with %% reduced to % */
	bool present;       /* false: text only (the last piece of a format) */
	enum d_conversion_kind kind;
	char letter;
	bool minus, plus, space, zero, alternate, group; /* flags - + ' ' 0 # ' */
	bool aggregation;    /* %@: takes the next aggregation's value, not a key */
	bool width_argument; /* *: an argument, which comes before precision and value */
	bool precision_argument;
	int width;                /* 0: none */
	int precision;            /* 0: none, as in DTrace */
	struct d_value_type type; /* of the argument */
};

struct d_format {
	size_t count;
	struct d_conversion *conversions;
};

enum d_action_kind {
	D_ACTION_DEFAULT,  /* an empty body: a record with no data */
	D_ACTION_TRACE,    /* argument: the value, of types[0] */
	D_ACTION_TRACEMEM, /* arguments: bytes; optionally, how many of them to show at most */
	D_ACTION_PRINT,    /* layouts[format]; arguments: the address, bytes of the layout's size */
	D_ACTION_PRINTF,   /* format, arguments of types[] */
	D_ACTION_PRINTA,   /* format or -1, aggregations[] */
	D_ACTION_EXIT,     /* argument: status */
	D_ACTION_CLEAR,    /* aggregations[0] */
	D_ACTION_TRUNC,    /* aggregations[0]; argument if argument_count is 1 */
	D_ACTION_NORMALIZE, /* aggregations[0], argument */
	D_ACTION_DENORMALIZE,
	D_ACTION_SYSTEM,    /* format, arguments of types[]: a command for sh */
	D_ACTION_FREOPEN,   /* the same: a file for all further output; "": the original one */
	D_ACTION_FTRUNCATE, /* empties the output file */
	D_ACTION_RAISE,     /* argument: a signal, sent at once to the thread that fired */
	D_ACTION_STOP,      /* stops the process that fired, also at once */
	D_ACTION_SETOPT,    /* arguments: name and optionally value, both strings */
	/* Statements that have their own instructions and never appear in a program's actions. */
	D_ACTION_SPECULATE,
	D_ACTION_COMMIT,
	D_ACTION_DISCARD,
	D_ACTION_PCAP, /* of kernel memory: compiled to code that faults, and a need */
	/* Actions that only a kernel could carry out: checked, then refused. */
	D_ACTION_CHILL,
	D_ACTION_PANIC,
	D_ACTION_BREAKPOINT
};

enum { D_ACTION_ARGUMENTS_MAX = 64 };

struct d_action {
	enum d_action_kind kind;
	int format; /* index into formats, or layouts for print(); -1: none */
	uint8_t argument_count;
	struct d_value_type *types; /* argument_count of them */
	uint8_t aggregation_count;
	uint32_t *aggregations; /* indices */
	uint64_t literals;      /* a bit for each argument that the script itself spells out */
};

/* A clause of the script. There is one for each of its probe descriptions. */
struct d_clause {
	struct d_instruction *predicate; /* NULL: none */
	size_t predicate_count;
	struct d_instruction *code;
	size_t code_count;
	uint32_t action_count; /* D_OP_ACTION instructions it can execute: 0 prints nothing */
	uint32_t line;         /* of the description */
	uint32_t script;       /* index of the script it is from */
	char *description;     /* "provider:module:function:name" as written */
	struct stability description_stability, statement_stability;
	struct d_needs needs; /* what the sources of its probes must provide */
	uint32_t *probes;     /* indices into the probe set that it is enabled on, ascending */
	size_t probe_count;
	size_t later_count; /* entries after those: probes that may appear later (is_absent) */
	bool goes_on;       /* continues the clause before it: a part that follows an if or else */
	/* args[] occurs: a probe that is added while it runs must have arguments of the same types
	 * as those above */
	bool uses_arguments;
};

/* The number of probes it is enabled on, now or later. */
static inline size_t d_clause_probes(const struct d_clause *clause)
{
	return clause->probe_count + clause->later_count;
}

/* A probe that was not known when the program was compiled, and a clause that it enables. */
struct d_enabling {
	uint32_t probe;  /* index into the probe set */
	uint32_t clause; /* index into the clauses */
};

/* All zero: none. The caller frees the items. */
struct d_enablings {
	struct d_enabling *items;
	size_t count, room;
};

/* A script of the command line. */
struct d_script {
	char *name; /* file name; for a string program its description, cut as in DTrace */
	bool is_file;
	size_t probe_count; /* probes that its descriptions match */
};

struct d_program {
	struct d_options options;
	int64_t *integers;
	size_t integer_count;
	struct text *strings; /* hashes computed */
	size_t string_count;
	struct d_variable *variables;
	size_t variable_count;
	struct d_aggregation *aggregations; /* in order of first mention */
	size_t aggregation_count;
	struct d_format *formats;
	size_t format_count;
	struct d_layout *layouts;
	size_t layout_count;
	struct d_action *actions;
	size_t action_count;
	struct d_clause *clauses; /* in the order of the command line and of the text */
	size_t clause_count;
	struct d_script *scripts;
	size_t script_count;
	bool destructive; /* some action needs option destructive */
};

/*
 * Whether addresses of a process may be shown by their names: the program has its stacks, values of
 * usym() and its like, or conversions %A.
 */
bool d_program_names_places(const struct d_program *program);

/* "count", "llquantize", ...; "?" for what is none. */
const char *d_aggregating_name(enum d_aggregating function);

void d_program_free(struct d_program *program);

#endif
