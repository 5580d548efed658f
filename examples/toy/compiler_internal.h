/*
 * compiler_internal.h: what the compiler's parts share. emit.c appends instructions, and
 * the tables that they refer to, to a function's code; compile_expression.c compiles
 * expressions, compiler.c statements and whole functions. The first failure is recorded
 * with its line; after it, all these functions do nothing.
 */
#ifndef TOY_COMPILER_INTERNAL_H
#define TOY_COMPILER_INTERNAL_H

#include "compiler.h"

/* A begin statement that is being compiled: its handler covers the code from start on. */
struct protection {
	struct protection *outer;
	struct node *ensure; /* to run on the way out, or NULL */
	uint32_t start;
};

struct loop {
	struct loop *outer;
	struct protection *protection;
	uint32_t start;
	uint32_t breaks; /* chain of jumps to patch, through their operands; 0: none */
};

struct compiler {
	struct compiler *outer;
	struct capability *cap;
	struct source_file *file;
	struct scope *scope;
	struct symbol *class; /* whose methods are compiled, or NULL */
	struct code *code;
	struct parse_error *error;
	struct protection *protection;
	struct loop *loop;
	int depth; /* operands on the stack */
	int line;
	bool failed;
	struct handler *pending; /* ranges without a target yet, by protection */
	struct protection **pending_of;
	uint32_t pending_count;
};

/* ---- emit.c ---- */

void emit_fail(struct compiler *compiler, const char *message);
/* Makes room for one more element in an array whose capacity is the next power of two. */
bool emit_grow(struct compiler *compiler, void *array, uint32_t count, size_t bytes);
void emit_word(struct compiler *compiler, instruction word);
/* effect: how the instruction changes the number of operands. */
void emit(struct compiler *compiler, enum operation operation, uint32_t operand, int effect);
uint32_t emit_jump(struct compiler *compiler, enum operation operation, int effect);
/* Makes a jump go to the next instruction. */
void emit_land(struct compiler *compiler, uint32_t jump);
void emit_constant(struct compiler *compiler, value content);
void emit_call(struct compiler *compiler, struct symbol *selector, int count);
/* Indexes into the code's tables of calls, fields and globals; missing entries are added. */
uint32_t emit_site(struct compiler *compiler, struct symbol *selector, int count);
uint32_t emit_field(struct compiler *compiler, struct symbol *name);
uint32_t emit_global(struct compiler *compiler, struct symbol *name);
/* NULL after a failure. */
struct symbol *emit_symbol(struct compiler *compiler, const char *text);

/* ---- compile_expression.c ---- */

/* Leaves the value as one more operand. */
void compile_expression(struct compiler *compiler, struct node *node);
/* Sets a variable to the topmost operand, which stays. */
void compile_store(struct compiler *compiler, struct variable *variable);
/* The index of a variable among those that a scope captures. */
uint32_t compile_capture_index(struct scope *scope, const struct variable *variable);

/* ---- compiler.c ---- */

/* Leaves as many operands as there were. */
void compile_statement(struct compiler *compiler, struct node *node);
/* Compiles a function inside this one. Returns its index in the code's table. */
uint32_t compile_code(struct compiler *compiler, struct scope *scope);

#endif
