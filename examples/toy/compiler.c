/*
 * compiler.c: one pass over the tree of each function.
 *
 * Statements start and end with no operands on the stack, so a handler only has to
 * drop all operands. What must outlive a statement (the exception in a handler, the
 * value to return past an ensure) is kept in hidden locals. An ensure body is compiled
 * once per way out: after the body, for each return, break and next that leaves it,
 * and as a handler. While it runs, the handlers of its own begin are not in force:
 * their ranges have gaps there.
 */
#include "compiler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A begin that is open: its handler covers the code from start on. */
struct protection {
	struct protection *outer;
	struct node *ensure; /* to run on the way out, or NULL */
	uint32_t start;
	uint32_t ranges; /* index of its first handler, to be given the target */
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

static void compile_expression(struct compiler *compiler, struct node *node);
static void compile_statement(struct compiler *compiler, struct node *node);
static struct code *compile_scope(struct compiler *outer, struct capability *cap,
	struct source_file *file, struct scope *scope, struct parse_error *error);

static void fail(struct compiler *compiler, const char *message)
{
	if (!compiler->failed) {
		compiler->failed = true;
		compiler->error->line = compiler->line;
		snprintf(compiler->error->message, sizeof(compiler->error->message), "%s", message);
	}
}

/* Room for one more in an array whose capacity is the next power of two. */
static bool grow(struct compiler *compiler, void *array, uint32_t count, size_t bytes)
{
	void *memory;

	if (count >= INSTRUCTION_MAX_OPERAND) {
		fail(compiler, "too much code in one function");
		return false;
	}
	if (count & (count - 1))
		return !compiler->failed;
	memcpy(&memory, array, sizeof(memory));
	memory = realloc(memory, (count ? (size_t)count * 2 : 1) * bytes);
	if (!memory) {
		fail(compiler, "out of memory");
		return false;
	}
	memcpy(array, &memory, sizeof(memory));
	return !compiler->failed;
}

static void emit_word(struct compiler *compiler, instruction word)
{
	struct code *code = compiler->code;

	if (!grow(compiler, &code->instructions, code->count, sizeof(*code->instructions)) ||
		!grow(compiler, &code->lines, code->count, sizeof(*code->lines)))
		return;
	code->instructions[code->count] = word;
	code->lines[code->count] = compiler->line;
	code->count++;
}

/* effect: how the instruction changes the number of operands. */
static void emit(struct compiler *compiler, enum operation operation, uint32_t operand, int effect)
{
	if (operand > INSTRUCTION_MAX_OPERAND)
		fail(compiler, "too much code in one function");
	emit_word(compiler, (instruction)operation | operand << 8);
	compiler->depth += effect;
	if (compiler->depth > (int)compiler->code->operands)
		compiler->code->operands = (uint32_t)compiler->depth;
}

static uint32_t emit_jump(struct compiler *compiler, enum operation operation, int effect)
{
	emit(compiler, operation, 0, effect);
	return compiler->code->count - 1;
}

/* Makes a jump go to the next instruction. */
static void land(struct compiler *compiler, uint32_t jump)
{
	struct code *code = compiler->code;

	if (!compiler->failed)
		code->instructions[jump] = (code->instructions[jump] & 0xff) | code->count << 8;
}

static void emit_constant(struct compiler *compiler, value content)
{
	struct code *code = compiler->code;

	if (!grow(compiler, &code->constants, code->constant_count, sizeof(value)))
		return;
	code->constants[code->constant_count] = content;
	emit(compiler, OPERATION_CONSTANT, code->constant_count++, 1);
}

static uint32_t add_site(struct compiler *compiler, struct symbol *selector, int count)
{
	struct code *code = compiler->code;

	if (!grow(compiler, &code->sites, code->site_count, sizeof(*code->sites)))
		return 0;
	code->sites[code->site_count].selector = selector;
	code->sites[code->site_count].count = count;
	atomic_init(&code->sites[code->site_count].cache, NULL);
	return code->site_count++;
}

static struct symbol *intern(struct compiler *compiler, const char *text)
{
	struct place place = {&compiler->file->name, compiler->line};
	struct symbol *symbol =
		symbol_intern(compiler->cap->vm, compiler->cap, place, text, strlen(text));

	if (!symbol)
		fail(compiler, "out of memory");
	return symbol;
}

static void emit_call(struct compiler *compiler, struct symbol *selector, int count)
{
	emit(compiler, OPERATION_CALL, add_site(compiler, selector, count), -count);
}

static uint32_t add_code(struct compiler *compiler, struct scope *scope)
{
	struct code *code = compiler->code;
	struct code *inner;

	if (!grow(compiler, &code->codes, code->code_count, sizeof(*code->codes)))
		return 0;
	inner = compile_scope(compiler, compiler->cap, compiler->file, scope, compiler->error);
	if (!inner) {
		compiler->failed = true;
		return 0;
	}
	code->codes[code->code_count] = inner;
	return code->code_count++;
}

static uint32_t add_field(struct compiler *compiler, struct symbol *name)
{
	struct code *code = compiler->code;

	for (uint32_t i = 0; i < code->field_count; i++) {
		if (code->fields[i] == name)
			return i;
	}
	if (!grow(compiler, &code->fields, code->field_count, sizeof(*code->fields)) ||
		!grow(compiler, &code->field_slots, code->field_count, sizeof(*code->field_slots)))
		return 0;
	code->fields[code->field_count] = name;
	code->field_slots[code->field_count] = 0;
	return code->field_count++;
}

static uint32_t add_global(struct compiler *compiler, struct symbol *name)
{
	struct code *code = compiler->code;
	struct global *global = vm_global(compiler->cap->vm, name);

	if (!global)
		fail(compiler, "out of memory");
	for (uint32_t i = 0; i < code->global_count; i++) {
		if (code->globals[i] == global)
			return i;
	}
	if (!grow(compiler, &code->globals, code->global_count, sizeof(*code->globals)))
		return 0;
	code->globals[code->global_count] = global;
	return code->global_count++;
}

static uint32_t capture_index(struct scope *scope, const struct variable *variable)
{
	struct scope_capture *entry = scope->captures;

	while (entry->variable != variable)
		entry = entry->next;
	return entry->index;
}

static void load_variable(struct compiler *compiler, struct variable *variable)
{
	if (variable->scope != compiler->scope)
		emit(compiler, OPERATION_GET_CAPTURED, capture_index(compiler->scope, variable), 1);
	else
		emit(compiler, variable->captured ? OPERATION_GET_CELL : OPERATION_GET_LOCAL,
			variable->slot, 1);
}

static void store_variable(struct compiler *compiler, struct variable *variable)
{
	if (variable->scope != compiler->scope)
		emit(compiler, OPERATION_SET_CAPTURED, capture_index(compiler->scope, variable), 0);
	else
		emit(compiler, variable->captured ? OPERATION_SET_CELL : OPERATION_SET_LOCAL,
			variable->slot, 0);
}

static void compile_assignment(struct compiler *compiler, struct node *node)
{
	struct node *target = node->left;
	struct symbol *operator_name = node->name;
	bool compound = node->flag;

	switch (target->kind) {
	case NODE_INDEX:
		compile_expression(compiler, target->left);
		compile_expression(compiler, target->right);
		if (compound) {
			emit(compiler, OPERATION_DUP2, 0, 2);
			emit(compiler, OPERATION_INDEX,
				add_site(compiler, intern(compiler, "[]"), 1), -1);
		}
		break;
	case NODE_CALL:
		compile_expression(compiler, target->left);
		if (compound) {
			emit(compiler, OPERATION_DUP, 0, 1);
			emit_call(compiler, target->name, 0);
		}
		break;
	default:
		if (compound)
			compile_expression(compiler, target);
		break;
	}
	compile_expression(compiler, node->right);
	compiler->line = node->line;
	if (compound)
		emit(compiler, node->operation, add_site(compiler, operator_name, 1), -1);
	switch (target->kind) {
	case NODE_VARIABLE:
		store_variable(compiler, target->variable);
		break;
	case NODE_FIELD:
		emit(compiler, OPERATION_SET_FIELD, add_field(compiler, target->name), 0);
		break;
	case NODE_GLOBAL:
		emit(compiler, OPERATION_SET_GLOBAL, add_global(compiler, target->name), 0);
		break;
	case NODE_INDEX:
		emit(compiler, OPERATION_SET_INDEX, add_site(compiler, intern(compiler, "[]="), 2),
			-2);
		break;
	default:
		emit_call(compiler, value_to_symbol(node->content), 1);
		break;
	}
}

static void compile_list(struct compiler *compiler, struct node *node)
{
	for (struct node *item = node->first; item; item = item->next)
		compile_expression(compiler, item);
}

static void compile_interpolation(struct compiler *compiler, struct node *node)
{
	for (struct node *item = node->first; item; item = item->next) {
		compile_expression(compiler, item);
		if (item->kind != NODE_CONSTANT_VALUE)
			emit_call(compiler, intern(compiler, "to_s"), 0);
	}
	emit(compiler, OPERATION_CONCATENATE, node->count, 1 - (int)node->count);
}

static void compile_expression(struct compiler *compiler, struct node *node)
{
	uint32_t jump;

	compiler->line = node->line;
	switch (node->kind) {
	case NODE_NIL:
		emit(compiler, OPERATION_NIL, 0, 1);
		break;
	case NODE_TRUE:
		emit(compiler, OPERATION_TRUE, 0, 1);
		break;
	case NODE_FALSE:
		emit(compiler, OPERATION_FALSE, 0, 1);
		break;
	case NODE_SELF:
		emit(compiler, OPERATION_SELF, 0, 1);
		break;
	case NODE_CONSTANT_VALUE:
		emit_constant(compiler, node->content);
		break;
	case NODE_INTERPOLATION:
		compile_interpolation(compiler, node);
		break;
	case NODE_ARRAY:
		compile_list(compiler, node);
		compiler->line = node->line;
		emit(compiler, OPERATION_ARRAY, node->count, 1 - (int)node->count);
		break;
	case NODE_HASH:
		compile_list(compiler, node);
		compiler->line = node->line;
		emit(compiler, OPERATION_HASH, node->count / 2, 1 - (int)node->count);
		break;
	case NODE_VARIABLE:
		load_variable(compiler, node->variable);
		break;
	case NODE_FIELD:
		emit(compiler, OPERATION_GET_FIELD, add_field(compiler, node->name), 1);
		break;
	case NODE_GLOBAL:
		emit(compiler, OPERATION_GET_GLOBAL, add_global(compiler, node->name), 1);
		break;
	case NODE_CALL:
		if (node->left)
			compile_expression(compiler, node->left);
		else
			emit(compiler, OPERATION_SELF, 0, 1);
		compile_list(compiler, node);
		compiler->line = node->line;
		emit_call(compiler, node->name, (int)node->count);
		break;
	case NODE_SUPER: {
		struct scope *scope = compiler->scope;

		while (!scope->name)
			scope = scope->outer;
		emit(compiler, OPERATION_SELF, 0, 1);
		compile_list(compiler, node);
		compiler->line = node->line;
		emit(compiler, OPERATION_SUPER, add_site(compiler, scope->name, (int)node->count),
			-(int)node->count);
		break;
	}
	case NODE_INDEX:
		compile_expression(compiler, node->left);
		compile_expression(compiler, node->right);
		compiler->line = node->line;
		emit(compiler, OPERATION_INDEX, add_site(compiler, intern(compiler, "[]"), 1), -1);
		break;
	case NODE_BINARY:
		compile_expression(compiler, node->left);
		compile_expression(compiler, node->right);
		compiler->line = node->line;
		emit(compiler, node->operation, add_site(compiler, node->name, 1), -1);
		break;
	case NODE_NOT:
		compile_expression(compiler, node->left);
		emit(compiler, OPERATION_NOT, 0, 0);
		break;
	case NODE_AND:
	case NODE_OR:
		compile_expression(compiler, node->left);
		jump = emit_jump(compiler, node->operation, -1);
		compile_expression(compiler, node->right);
		land(compiler, jump);
		break;
	case NODE_ASSIGN:
		compile_assignment(compiler, node);
		break;
	case NODE_FUNCTION:
		emit(compiler, OPERATION_FUNCTION, add_code(compiler, node->scope), 1);
		break;
	default:
		/* Statements that stand where an expression is wanted: their value is nil. */
		compile_statement(compiler, node);
		emit(compiler, OPERATION_NIL, 0, 1);
		break;
	}
}

static bool is_expression(const struct node *node)
{
	return node->kind < NODE_BLOCK;
}

static void compile_block(struct compiler *compiler, struct node *node)
{
	for (struct node *item = node->first; item; item = item->next)
		compile_statement(compiler, item);
}

/* Ends the range that a protection covers; it may go on later. */
static void close_range(struct compiler *compiler, struct protection *protection)
{
	uint32_t n = compiler->pending_count;

	if (protection->start == compiler->code->count)
		return;
	if (!grow(compiler, &compiler->pending, n, sizeof(*compiler->pending)) ||
		!grow(compiler, &compiler->pending_of, n, sizeof(struct protection *)))
		return;
	compiler->pending[n].start = protection->start;
	compiler->pending[n].end = compiler->code->count;
	compiler->pending_of[n] = protection;
	compiler->pending_count++;
}

static void open_protection(
	struct compiler *compiler, struct protection *protection, struct node *ensure)
{
	protection->outer = compiler->protection;
	protection->ensure = ensure;
	protection->start = compiler->code->count;
	compiler->protection = protection;
}

/* Its handler is the next instruction, where the exception is the only operand. */
static void close_protection(struct compiler *compiler, struct protection *protection)
{
	struct code *code = compiler->code;

	for (uint32_t i = 0; i < compiler->pending_count; i++) {
		if (compiler->pending_of[i] != protection)
			continue;
		if (!grow(compiler, &code->handlers, code->handler_count, sizeof(*code->handlers)))
			return;
		code->handlers[code->handler_count] = compiler->pending[i];
		code->handlers[code->handler_count++].target = code->count;
		compiler->pending_of[i] = NULL;
	}
}

/* Runs the ensure bodies on the way out to a protection (NULL: all). */
static void leave_protections(struct compiler *compiler, struct protection *until)
{
	struct protection *inner = compiler->protection;

	for (struct protection *entry = inner; entry != until; entry = entry->outer) {
		close_range(compiler, entry);
		compiler->protection = entry->outer;
		if (entry->ensure)
			compile_block(compiler, entry->ensure);
	}
	compiler->protection = inner;
}

/* After the jump that left. */
static void reenter_protections(struct compiler *compiler, struct protection *until)
{
	for (struct protection *entry = compiler->protection; entry != until; entry = entry->outer)
		entry->start = compiler->code->count;
}

static void compile_return(struct compiler *compiler, struct node *node)
{
	if (node->left)
		compile_expression(compiler, node->left);
	else
		emit(compiler, OPERATION_NIL, 0, 1);
	if (compiler->protection) {
		uint32_t hidden = compiler->scope->slots++;

		emit(compiler, OPERATION_SET_LOCAL, hidden, 0);
		emit(compiler, OPERATION_POP, 0, -1);
		leave_protections(compiler, NULL);
		emit(compiler, OPERATION_GET_LOCAL, hidden, 1);
	}
	compiler->line = node->line;
	emit(compiler, OPERATION_RETURN, 0, -1);
	reenter_protections(compiler, NULL);
}

static void compile_rescues(struct compiler *compiler, struct node *node, uint32_t *ends)
{
	uint32_t hidden = compiler->scope->slots++;

	emit(compiler, OPERATION_SET_LOCAL, hidden, 0);
	emit(compiler, OPERATION_POP, 0, -1);
	for (struct node *rescue = node->first; rescue; rescue = rescue->next) {
		uint32_t skip = 0;

		compiler->line = rescue->line;
		if (rescue->left) {
			emit(compiler, OPERATION_GET_LOCAL, hidden, 1);
			compile_expression(compiler, rescue->left);
			emit(compiler, OPERATION_MATCH, 0, -1);
			skip = emit_jump(compiler, OPERATION_JUMP_FALSE, -1);
		}
		emit(compiler, OPERATION_CAUGHT, hidden, 0);
		if (rescue->variable) {
			emit(compiler, OPERATION_GET_LOCAL, hidden, 1);
			store_variable(compiler, rescue->variable);
			emit(compiler, OPERATION_POP, 0, -1);
		}
		compile_block(compiler, rescue->right);
		*ends++ = emit_jump(compiler, OPERATION_JUMP, 0);
		if (skip)
			land(compiler, skip);
	}
	emit(compiler, OPERATION_GET_LOCAL, hidden, 1);
	emit(compiler, OPERATION_RERAISE, 0, -1);
}

static void compile_begin(struct compiler *compiler, struct node *node)
{
	struct protection ensure;
	struct protection rescue;
	uint32_t *ends = calloc(node->count + 1, sizeof(*ends));
	uint32_t skip;

	if (!ends) {
		fail(compiler, "out of memory");
		return;
	}
	if (node->right)
		open_protection(compiler, &ensure, node->right);
	if (node->first)
		open_protection(compiler, &rescue, NULL);
	compile_block(compiler, node->left);
	if (node->first) {
		close_range(compiler, &rescue);
		compiler->protection = rescue.outer;
		skip = emit_jump(compiler, OPERATION_JUMP, 0);
		close_protection(compiler, &rescue);
		compiler->depth++;
		compile_rescues(compiler, node, ends);
		land(compiler, skip);
		for (uint32_t i = 0; i < node->count; i++)
			land(compiler, ends[i]);
	}
	if (node->right) {
		uint32_t hidden = compiler->scope->slots++;

		close_range(compiler, &ensure);
		compiler->protection = ensure.outer;
		compile_block(compiler, node->right);
		skip = emit_jump(compiler, OPERATION_JUMP, 0);
		close_protection(compiler, &ensure);
		compiler->depth++;
		emit(compiler, OPERATION_SET_LOCAL, hidden, 0);
		emit(compiler, OPERATION_POP, 0, -1);
		compile_block(compiler, node->right);
		emit(compiler, OPERATION_GET_LOCAL, hidden, 1);
		emit(compiler, OPERATION_RERAISE, 0, -1);
		land(compiler, skip);
	}
	free(ends);
}

static void open_loop(struct compiler *compiler, struct loop *loop)
{
	loop->outer = compiler->loop;
	loop->protection = compiler->protection;
	loop->start = compiler->code->count;
	loop->breaks = 0;
	compiler->loop = loop;
}

static void close_loop(struct compiler *compiler, struct loop *loop)
{
	emit(compiler, OPERATION_LOOP, loop->start, 0);
	while (loop->breaks && !compiler->failed) {
		uint32_t jump = loop->breaks;

		loop->breaks = compiler->code->instructions[jump] >> 8;
		land(compiler, jump);
	}
	compiler->loop = loop->outer;
}

static void compile_jump(struct compiler *compiler, struct node *node)
{
	struct loop *loop = compiler->loop;

	if (!loop) {
		/* In an ensure body whose loop lies outside. */
		fail(compiler, "break or next cannot leave an ensure body");
		return;
	}
	leave_protections(compiler, loop->protection);
	if (node->kind == NODE_NEXT) {
		emit(compiler, OPERATION_LOOP, loop->start, 0);
	} else {
		emit(compiler, OPERATION_JUMP, loop->breaks, 0);
		loop->breaks = compiler->code->count - 1;
	}
	reenter_protections(compiler, loop->protection);
}

static void compile_while(struct compiler *compiler, struct node *node)
{
	struct loop loop;
	uint32_t out;

	open_loop(compiler, &loop);
	compile_expression(compiler, node->left);
	out = emit_jump(compiler, OPERATION_JUMP_FALSE, -1);
	compile_block(compiler, node->right);
	compiler->line = node->line;
	close_loop(compiler, &loop);
	land(compiler, out);
}

static void compile_for(struct compiler *compiler, struct node *node)
{
	struct variable *variable = node->variable;
	struct place place = {&compiler->file->name, node->line};
	struct loop loop;
	uint32_t out;

	compile_expression(compiler, node->left);
	if (node->other) {
		compile_expression(compiler, node->other);
		if (node->flag) {
			struct symbol *minus =
				symbol_intern(compiler->cap->vm, compiler->cap, place, "-", 1);

			emit_constant(compiler, value_int(1));
			emit(compiler, OPERATION_SUBTRACT, add_site(compiler, minus, 1), -1);
		}
		emit(compiler, OPERATION_RANGE, node->hidden, -2);
	} else {
		emit(compiler, OPERATION_EACH, node->hidden, -1);
	}
	open_loop(compiler, &loop);
	emit(compiler, node->other ? OPERATION_RANGE_NEXT : OPERATION_EACH_NEXT, node->hidden, 1);
	emit_word(compiler, 0);
	out = compiler->code->count - 1;
	if (variable->captured && variable->scope == compiler->scope) {
		/* Each turn has a variable of its own, for functions that capture it. */
		emit(compiler, OPERATION_SET_LOCAL, variable->slot, 0);
		emit(compiler, OPERATION_NEW_CELL, variable->slot, 0);
	} else {
		store_variable(compiler, variable);
	}
	emit(compiler, OPERATION_POP, 0, -1);
	compile_block(compiler, node->right);
	compiler->line = node->line;
	close_loop(compiler, &loop);
	if (!compiler->failed)
		compiler->code->instructions[out] = compiler->code->count;
}

static void compile_if(struct compiler *compiler, struct node *node)
{
	uint32_t skip;
	uint32_t end;

	compile_expression(compiler, node->left);
	skip = emit_jump(compiler, OPERATION_JUMP_FALSE, -1);
	compile_statement(compiler, node->right);
	if (!node->other) {
		land(compiler, skip);
		return;
	}
	end = emit_jump(compiler, OPERATION_JUMP, 0);
	land(compiler, skip);
	compile_statement(compiler, node->other);
	land(compiler, end);
}

static void compile_method(struct compiler *compiler, struct node *node)
{
	uint32_t index = add_code(compiler, node->scope);

	compiler->line = node->line;
	emit(compiler, node->flag ? OPERATION_STATIC_METHOD : OPERATION_METHOD, index, 0);
}

static void compile_class(struct compiler *compiler, struct node *node)
{
	struct code *code = compiler->code;
	struct class_description *description;
	uint32_t index = code->class_count;

	if (node->left)
		compile_expression(compiler, node->left);
	else
		emit(compiler, OPERATION_NIL, 0, 1);
	if (!grow(compiler, &code->classes, index, sizeof(*code->classes)))
		return;
	description = &code->classes[index];
	description->name = node->name;
	description->field_count = node->field_count;
	description->fields = malloc((node->field_count + 1) * sizeof(*description->fields));
	if (!description->fields) {
		fail(compiler, "out of memory");
		return;
	}
	if (node->field_count)
		memcpy(description->fields, node->fields,
			node->field_count * sizeof(*description->fields));
	code->class_count++;
	compiler->line = node->line;
	emit(compiler, OPERATION_CLASS, index, 0);
	for (struct node *item = node->first; item; item = item->next)
		compile_method(compiler, item);
	emit(compiler, OPERATION_POP, 0, -1);
}

static void compile_statement(struct compiler *compiler, struct node *node)
{
	compiler->line = node->line;
	switch (node->kind) {
	case NODE_BLOCK:
		compile_block(compiler, node);
		break;
	case NODE_IF:
		compile_if(compiler, node);
		break;
	case NODE_WHILE:
		compile_while(compiler, node);
		break;
	case NODE_FOR:
		compile_for(compiler, node);
		break;
	case NODE_BREAK:
	case NODE_NEXT:
		compile_jump(compiler, node);
		break;
	case NODE_RETURN:
		compile_return(compiler, node);
		break;
	case NODE_RAISE:
		compile_expression(compiler, node->left);
		compiler->line = node->line;
		emit(compiler, OPERATION_RAISE, 0, -1);
		break;
	case NODE_BEGIN:
		compile_begin(compiler, node);
		break;
	case NODE_METHOD:
		emit(compiler, OPERATION_ROOT_CLASS, 0, 1);
		compile_method(compiler, node);
		emit(compiler, OPERATION_POP, 0, -1);
		break;
	case NODE_CLASS:
		compile_class(compiler, node);
		break;
	default:
		compile_expression(compiler, node);
		emit(compiler, OPERATION_POP, 0, -1);
		break;
	}
}

/* A statement in whose place the function ends: its value is what is returned. */
static void compile_tail(struct compiler *compiler, struct node *node)
{
	if (node && node->kind == NODE_BLOCK && node->last) {
		for (struct node *item = node->first; item != node->last; item = item->next)
			compile_statement(compiler, item);
		compile_tail(compiler, node->last);
	} else if (node && node->kind == NODE_IF) {
		uint32_t skip;

		compile_expression(compiler, node->left);
		skip = emit_jump(compiler, OPERATION_JUMP_FALSE, -1);
		compile_tail(compiler, node->right);
		land(compiler, skip);
		compile_tail(compiler, node->other);
	} else {
		if (node && is_expression(node)) {
			compile_expression(compiler, node);
		} else {
			if (node && node->kind != NODE_BLOCK)
				compile_statement(compiler, node);
			emit(compiler, OPERATION_NIL, 0, 1);
		}
		emit(compiler, OPERATION_RETURN, 0, -1);
	}
}

static void compile_captures(struct compiler *compiler)
{
	struct scope *scope = compiler->scope;
	struct code *code = compiler->code;

	code->captures = calloc(scope->capture_count + 1, sizeof(*code->captures));
	if (!code->captures) {
		fail(compiler, "out of memory");
		return;
	}
	code->capture_count = scope->capture_count;
	for (struct scope_capture *entry = scope->captures; entry; entry = entry->next) {
		struct capture *capture = &code->captures[entry->index];

		capture->local = entry->variable->scope == scope->outer;
		capture->index = capture->local ? entry->variable->slot
						: capture_index(scope->outer, entry->variable);
	}
}

static struct code *compile_scope(struct compiler *outer, struct capability *cap,
	struct source_file *file, struct scope *scope, struct parse_error *error)
{
	struct compiler compiler = {
		.outer = outer, .cap = cap, .file = file, .scope = scope, .error = error};
	struct code *code = calloc(1, sizeof(*code));

	compiler.line = scope->line;
	compiler.code = code;
	if (!code) {
		fail(&compiler, "out of memory");
		return NULL;
	}
	code->file = file;
	code->name = scope->name;
	code->line = scope->line;
	code->parameters = scope->parameters;
	compile_captures(&compiler);
	for (struct variable *entry = scope->variables; entry; entry = entry->next) {
		if (entry->captured)
			emit(&compiler, OPERATION_NEW_CELL, entry->slot, 0);
	}
	if (scope->name || scope->outer) {
		compile_tail(&compiler, scope->body);
	} else {
		compile_statement(&compiler, scope->body);
		emit(&compiler, OPERATION_NIL, 0, 1);
		emit(&compiler, OPERATION_RETURN, 0, -1);
	}
	code->locals = scope->slots;
	code->operands += 4;
	free(compiler.pending);
	free(compiler.pending_of);
	if (compiler.failed) {
		code_free(code);
		return NULL;
	}
	return code;
}

struct code *compiler_compile(struct capability *cap, struct source_file *file, struct scope *scope,
	struct parse_error *error)
{
	return compile_scope(NULL, cap, file, scope, error);
}
