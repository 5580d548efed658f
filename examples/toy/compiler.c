/*
 * compiler.c: one pass over the tree of each function; its statements.
 *
 * Statements start and end with no operands on the stack, so a handler only has to
 * drop all operands. Values that must outlive a statement (the exception in a handler, the
 * value to return past an ensure) are kept in hidden locals. An ensure body is compiled
 * once per exit: after the body, for each return, break and next that leaves it,
 * and as a handler. While it runs, the handlers of its own begin are not in force:
 * their ranges have gaps there.
 */
#include <stdlib.h>

#include "compiler_internal.h"
#include "native.h"

static struct code *compile_scope(struct compiler *outer, struct capability *cap,
	struct source_file *file, struct scope *scope, struct parse_error *error);

uint32_t compile_code(struct compiler *compiler, struct scope *scope)
{
	struct code *code = compiler->code;
	struct code *inner;

	if (!emit_grow(compiler, &code->codes, code->code_count, sizeof(*code->codes)))
		return 0;
	inner = compile_scope(compiler, compiler->cap, compiler->file, scope, compiler->error);
	if (!inner) {
		compiler->failed = true;
		return 0;
	}
	code->codes[code->code_count] = inner;
	return code->code_count++;
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

/* Ends the range that a protection covers; the protection may cover another range later. */
static void close_range(struct compiler *compiler, struct protection *protection)
{
	uint32_t n = compiler->pending_count;

	if (protection->start == compiler->code->count)
		return;
	if (!emit_grow(compiler, &compiler->pending, n, sizeof(*compiler->pending)) ||
		!emit_grow(compiler, &compiler->pending_of, n, sizeof(struct protection *)))
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

/* Its handler starts at the next instruction, where the exception is the only operand. */
static void close_protection(struct compiler *compiler, struct protection *protection)
{
	struct code *code = compiler->code;

	for (uint32_t i = 0; i < compiler->pending_count; i++) {
		if (compiler->pending_of[i] != protection)
			continue;
		if (!emit_grow(compiler, &code->handlers, code->handler_count,
			    sizeof(*code->handlers)))
			return;
		code->handlers[code->handler_count] = compiler->pending[i];
		code->handlers[code->handler_count++].target = code->count;
		compiler->pending_of[i] = NULL;
	}
}

/* Emits the ensure bodies between here and a protection (NULL: all of them). */
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

/* Opens their ranges again, after the jump that left them. */
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
			compile_store(compiler, rescue->variable);
			emit(compiler, OPERATION_POP, 0, -1);
		}
		compile_block(compiler, rescue->right);
		*ends++ = emit_jump(compiler, OPERATION_JUMP, 0);
		if (skip)
			emit_land(compiler, skip);
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
		emit_fail(compiler, "out of memory");
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
		emit_land(compiler, skip);
		for (uint32_t i = 0; i < node->count; i++)
			emit_land(compiler, ends[i]);
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
		emit_land(compiler, skip);
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
		emit_land(compiler, jump);
	}
	compiler->loop = loop->outer;
}

static void compile_jump(struct compiler *compiler, struct node *node)
{
	struct loop *loop = compiler->loop;

	if (!loop) {
		/* In an ensure body, while the loop is outside it. */
		emit_fail(compiler, "break or next cannot leave an ensure body");
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
	emit_land(compiler, out);
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
			emit(compiler, OPERATION_SUBTRACT, emit_site(compiler, minus, 1), -1);
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
		/* Each iteration has a variable of its own, for functions that capture it. */
		emit(compiler, OPERATION_SET_LOCAL, variable->slot, 0);
		emit(compiler, OPERATION_NEW_CELL, variable->slot, 0);
	} else {
		compile_store(compiler, variable);
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
		emit_land(compiler, skip);
		return;
	}
	end = emit_jump(compiler, OPERATION_JUMP, 0);
	emit_land(compiler, skip);
	compile_statement(compiler, node->other);
	emit_land(compiler, end);
}

/* The name of the class's class, to which static methods belong. */
static struct symbol *meta_symbol(struct compiler *compiler)
{
	struct vm *vm = compiler->cap->vm;
	struct symbol *class = compiler->class ? compiler->class : vm->class_object->symbol;
	struct place nowhere = {NULL, 0};
	struct text text = {0};
	struct symbol *symbol = NULL;

	text_add(&text, class->text, class->length);
	text_add(&text, ".class", 6);
	if (!text.failed)
		symbol = symbol_intern(vm, NULL, nowhere, text.bytes, text.length);
	text_free(&text);
	return symbol;
}

static void compile_method(struct compiler *compiler, struct node *node)
{
	struct symbol *class = compiler->class;
	uint32_t index;

	if (node->flag)
		compiler->class = meta_symbol(compiler);
	index = compile_code(compiler, node->scope);
	compiler->class = class;
	compiler->line = node->line;
	emit(compiler, node->flag ? OPERATION_STATIC_METHOD : OPERATION_METHOD, index, 0);
}

static void compile_class(struct compiler *compiler, struct node *node)
{
	struct code *code = compiler->code;
	struct class_description *description;
	struct symbol *outer;
	uint32_t index = code->class_count;

	if (node->left)
		compile_expression(compiler, node->left);
	else
		emit(compiler, OPERATION_NIL, 0, 1);
	if (!emit_grow(compiler, &code->classes, index, sizeof(*code->classes)))
		return;
	description = &code->classes[index];
	description->name = node->name;
	description->field_count = node->field_count;
	description->fields = malloc((node->field_count + 1) * sizeof(*description->fields));
	if (!description->fields) {
		emit_fail(compiler, "out of memory");
		return;
	}
	if (node->field_count)
		memcpy(description->fields, node->fields,
			node->field_count * sizeof(*description->fields));
	code->class_count++;
	compiler->line = node->line;
	emit(compiler, OPERATION_CLASS, index, 0);
	outer = compiler->class;
	compiler->class = node->name;
	for (struct node *item = node->first; item; item = item->next)
		compile_method(compiler, item);
	compiler->class = outer;
	emit(compiler, OPERATION_POP, 0, -1);
}

void compile_statement(struct compiler *compiler, struct node *node)
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

/* Compiles the last statement of a function: its value is returned. */
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
		emit_land(compiler, skip);
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
		emit_fail(compiler, "out of memory");
		return;
	}
	code->capture_count = scope->capture_count;
	for (struct scope_capture *entry = scope->captures; entry; entry = entry->next) {
		struct capture *capture = &code->captures[entry->index];

		capture->local = entry->variable->scope == scope->outer;
		capture->index = capture->local
			? entry->variable->slot
			: compile_capture_index(scope->outer, entry->variable);
	}
}

static struct code *compile_scope(struct compiler *outer, struct capability *cap,
	struct source_file *file, struct scope *scope, struct parse_error *error)
{
	struct compiler compiler = {.outer = outer,
		.cap = cap,
		.file = file,
		.scope = scope,
		.class = outer ? outer->class : NULL,
		.error = error};
	struct vm *vm = cap->vm;
	struct code *code = calloc(1, sizeof(*code));
	struct vmtap_name *class, *name;

	if (scope->name && !compiler.class)
		compiler.class = vm->class_object->symbol;
	class = compiler.class ? &compiler.class->name : &vm->name_none;
	name = scope->name     ? &scope->name->name
		: scope->outer ? &vm->name_anonymous
			       : &vm->name_file;
	EVENT(cap, COMPILE_BEGIN, cap->number, class, name, &file->name, scope->line, (uint16_t)0,
		capability_thread(cap));
	compiler.line = scope->line;
	compiler.code = code;
	if (!code) {
		emit_fail(&compiler, "out of memory");
		goto out;
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
		code = NULL;
	}
out:
	EVENT(cap, COMPILE_END, cap->number, class, name, &file->name, scope->line, (uint16_t)0,
		capability_thread(cap), code ? (uint64_t)code_bytes(code) : 0);
	return code;
}

struct code *compiler_compile(struct capability *cap, struct source_file *file, struct scope *scope,
	struct parse_error *error)
{
	return compile_scope(NULL, cap, file, scope, error);
}
