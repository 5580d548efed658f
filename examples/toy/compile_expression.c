/* compile_expression.c: expressions: each leaves its value as one operand. */
#include "compiler_internal.h"

uint32_t compile_capture_index(struct scope *scope, const struct variable *variable)
{
	struct scope_capture *entry = scope->captures;

	while (entry->variable != variable)
		entry = entry->next;
	return entry->index;
}

static void compile_load(struct compiler *compiler, struct variable *variable)
{
	if (variable->scope != compiler->scope)
		emit(compiler, OPERATION_GET_CAPTURED,
			compile_capture_index(compiler->scope, variable), 1);
	else
		emit(compiler, variable->captured ? OPERATION_GET_CELL : OPERATION_GET_LOCAL,
			variable->slot, 1);
}

void compile_store(struct compiler *compiler, struct variable *variable)
{
	if (variable->scope != compiler->scope)
		emit(compiler, OPERATION_SET_CAPTURED,
			compile_capture_index(compiler->scope, variable), 0);
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
				emit_site(compiler, emit_symbol(compiler, "[]"), 1), -1);
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
		emit(compiler, node->operation, emit_site(compiler, operator_name, 1), -1);
	switch (target->kind) {
	case NODE_VARIABLE:
		compile_store(compiler, target->variable);
		break;
	case NODE_FIELD:
		emit(compiler, OPERATION_SET_FIELD, emit_field(compiler, target->name), 0);
		break;
	case NODE_GLOBAL:
		emit(compiler, OPERATION_SET_GLOBAL, emit_global(compiler, target->name), 0);
		break;
	case NODE_INDEX:
		emit(compiler, OPERATION_SET_INDEX,
			emit_site(compiler, emit_symbol(compiler, "[]="), 2), -2);
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
			emit_call(compiler, emit_symbol(compiler, "to_s"), 0);
	}
	emit(compiler, OPERATION_CONCATENATE, node->count, 1 - (int)node->count);
}

void compile_expression(struct compiler *compiler, struct node *node)
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
		compile_load(compiler, node->variable);
		break;
	case NODE_FIELD:
		emit(compiler, OPERATION_GET_FIELD, emit_field(compiler, node->name), 1);
		break;
	case NODE_GLOBAL:
		emit(compiler, OPERATION_GET_GLOBAL, emit_global(compiler, node->name), 1);
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
		emit(compiler, OPERATION_SUPER, emit_site(compiler, scope->name, (int)node->count),
			-(int)node->count);
		break;
	}
	case NODE_INDEX:
		compile_expression(compiler, node->left);
		compile_expression(compiler, node->right);
		compiler->line = node->line;
		emit(compiler, OPERATION_INDEX, emit_site(compiler, emit_symbol(compiler, "[]"), 1),
			-1);
		break;
	case NODE_BINARY:
		compile_expression(compiler, node->left);
		compile_expression(compiler, node->right);
		compiler->line = node->line;
		emit(compiler, node->operation, emit_site(compiler, node->name, 1), -1);
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
		emit_land(compiler, jump);
		break;
	case NODE_ASSIGN:
		compile_assignment(compiler, node);
		break;
	case NODE_FUNCTION:
		emit(compiler, OPERATION_FUNCTION, compile_code(compiler, node->scope), 1);
		break;
	default:
		/* A statement in place of an expression: its value is nil. */
		compile_statement(compiler, node);
		emit(compiler, OPERATION_NIL, 0, 1);
		break;
	}
}
