/*
 * code.h: byte code.
 *
 * An instruction is a 32-bit word: the operation in the low byte, one operand in the
 * upper 24 bits. A code is what one method, function or file compiles to. Codes live
 * as long as the VM, since frames of any thread may point into them.
 */
#ifndef TOY_CODE_H
#define TOY_CODE_H

#include "object.h"

typedef uint32_t instruction;

#define INSTRUCTION_MAX_OPERAND 0xffffffU

/*
 * Each comment says what the operation does with its operand a; the stack grows to the right.
 */
/* clang-format off */
#define OPERATIONS(X) \
	X(NIL)          /* -> nil */ \
	X(TRUE)         \
	X(FALSE)        \
	X(CONSTANT)     /* -> constants[a] */ \
	X(SELF)         \
	X(POP)          \
	X(DUP)          \
	X(DUP2)         /* x y -> x y x y */ \
	X(GET_LOCAL)    \
	X(SET_LOCAL)    /* x -> x, like all setters */ \
	X(NEW_CELL)     /* wraps local a into a cell */ \
	X(GET_CELL)     \
	X(SET_CELL)     \
	X(GET_CAPTURED) \
	X(SET_CAPTURED) \
	X(GET_FIELD)    \
	X(SET_FIELD)    \
	X(GET_GLOBAL)   \
	X(SET_GLOBAL)   \
	X(CALL)         /* receiver arguments -> result, by sites[a] */ \
	X(SUPER)        \
	X(ADD)          /* this and the next ones are fast for numbers, else call by sites[a] */ \
	X(SUBTRACT)     \
	X(MULTIPLY)     \
	X(DIVIDE)       \
	X(MODULO)       \
	X(LESS)         \
	X(LESS_EQUAL)   \
	X(GREATER)      \
	X(GREATER_EQUAL) \
	X(EQUAL)        \
	X(INDEX)        \
	X(SET_INDEX)    \
	X(NOT)          \
	X(JUMP)         \
	X(LOOP)         /* a jump backwards, and a safepoint */ \
	X(JUMP_FALSE)   /* condition -> */ \
	X(AND)          /* jumps and keeps x if it is false, else drops it */ \
	X(OR)           \
	X(ARRAY)        /* a elements -> array */ \
	X(HASH)         /* a pairs -> hash */ \
	X(CONCATENATE)  /* a strings -> string */ \
	X(FUNCTION)     /* -> function of codes[a] */ \
	X(RANGE)        /* from to -> locals a, a + 1; checks that they are integers */ \
	X(RANGE_NEXT)   /* -> element, or jumps to the next word */ \
	X(EACH)         /* array or hash -> locals a, a + 1 */ \
	X(EACH_NEXT)    /* -> element, or jumps to the next word */ \
	X(RETURN)       \
	X(RAISE)        \
	X(RERAISE)      /* exception -> ; goes on unwinding */ \
	X(MATCH)        /* exception class -> exception truth */ \
	X(CAUGHT)       /* a handler begins to run; exception stays */ \
	X(CLASS)        /* superclass or nil -> class, by classes[a] */ \
	X(ROOT_CLASS)   /* -> the class Object */ \
	X(METHOD)       /* class -> class, with codes[a] as its method */ \
	X(STATIC_METHOD) \
	X(ADD_INT)      /* the next ones are only in quick code, see code_cache.h */ \
	X(SUBTRACT_INT) \
	X(LESS_INT)
/* clang-format on */

enum operation {
#define X(name) OPERATION_##name,
	OPERATIONS(X)
#undef X
};

struct source_file {
	struct vmtap_name name;
	char *path;
	char *directory;
	struct source_file *next;
};

struct call_site {
	struct symbol *selector;
	int count; /* arguments without the receiver */
	_Atomic(struct lookup *) cache;
};

/* An exception in the code from start up to end makes it go on at target. */
struct handler {
	uint32_t start;
	uint32_t end;
	uint32_t target;
};

struct capture {
	bool local; /* a cell of the enclosing frame, else one that its function captured */
	uint32_t index;
};

struct class_description {
	struct symbol *name;
	struct symbol **fields;
	uint32_t field_count;
};

struct global {
	struct symbol *name;
	slot content;
	struct global *next;
};

struct quick_code;

struct code {
	struct source_file *file;
	struct symbol *name; /* NULL: a file or a function */
	int line;
	uint32_t parameters;
	uint32_t locals;   /* self, parameters, variables */
	uint32_t operands; /* stack slots above the locals */

	instruction *instructions;
	int *lines;
	uint32_t count;
	value *constants;
	uint32_t constant_count;
	struct call_site *sites;
	uint32_t site_count;
	struct handler *handlers; /* inner before outer */
	uint32_t handler_count;
	struct capture *captures;
	uint32_t capture_count;
	struct code **codes; /* methods and functions inside */
	uint32_t code_count;
	struct class_description *classes;
	uint32_t class_count;
	struct global **globals;
	uint32_t global_count;
	struct symbol **fields; /* that the code names */
	uint32_t *field_slots;  /* where they are, set when the method gets its class */
	uint32_t field_count;

	struct class *owner;
	struct code *next; /* of the VM, for clearing caches and freeing */

	/* What code_cache.h makes of it. */
	_Atomic uint32_t calls;
	_Atomic bool settled; /* not to be quickened any more */
	_Atomic(struct quick_code *) quick;
};

void code_free(struct code *code);
/*
 * Binds a method's code, and the functions in it, to their class. Returns NULL, or a
 * field that the code names and the class does not have.
 */
struct symbol *code_bind(struct code *code, struct class *owner);

/* The line of the instruction before the one at a position. */
static inline int code_line(const struct code *code, size_t position)
{
	return code->lines[position ? position - 1 : 0];
}

static inline size_t code_bytes(const struct code *code)
{
	return code->count * sizeof(*code->instructions);
}

#endif
