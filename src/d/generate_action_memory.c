/*
 * generate_action_memory.c: tracemem() and print(), which record memory by its address.
 */
#include "d/generate.h"
#include "d/generate_action.h"
#include "d/generate_layout.h"
#include "d/hint.h"
#include "d/type_kernel.h"

int d_generate_tracemem(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_node *address = node->right, *size = address->next, *part = size->next;
	unsigned first = code->top;
	struct d_action *action;
	char hint[D_HINT_MAX];
	int reg;

	if (!d_type_is_pointer(address->type) && !d_type_is_integer(address->type))
		return d_fail(compiler, &address->place, "D_TRACEMEM_ADDR",
			"tracemem( ) argument #1 is incompatible with prototype: "
			"prototype: pointer or integer%s",
			d_hint_translated(address, hint));
	if (size->kind != D_NODE_INTEGER || (int64_t)size->value <= 0)
		return d_fail(compiler, &size->place, "D_TRACEMEM_SIZE",
			"tracemem( ) argument #2 must be a positive integral constant expression");
	if (size->value > D_OBJECT_MAX)
		return d_fail(compiler, &size->place, "D_TRACEMEM_SIZE",
			"tracemem( ) argument #2 must be at most %d", D_OBJECT_MAX);
	action = d_action_new(compiler, D_ACTION_TRACEMEM, 2, 0);
	reg = action ? d_generate(compiler, code, address) : -1;
	if (reg < 0 ||
		d_emit(compiler, code, D_OP_BYTES, (unsigned)reg, (unsigned)reg, 0,
			(int32_t)size->value))
		return -1;
	action->types[action->argument_count++] =
		(struct d_value_type){.kind = D_VALUE_BYTES, .size = (uint32_t)size->value};
	if (part && d_action_argument(compiler, code, action, part, compiler->types.type_size) < 0)
		return -1;
	return d_action_emit(compiler, code, first);
}

/*
 * print() of a pointer records all of what it points to; option printsize limits what is shown when
 * it is printed. For an array, the whole array is recorded.
 */
int d_generate_print(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_node *pointer = node->right;
	const struct d_type *type = d_type_resolve(pointer->type);
	const struct d_type *target = type->kind == D_TYPE_ARRAY ? pointer->type
		: type->kind == D_TYPE_POINTER                   ? type->target
								 : compiler->types.type_void;
	unsigned first = code->top;
	struct d_action *action;
	uint32_t size;
	int layout, address, bytes;
	char text[80], hint[D_HINT_MAX];

	if (d_types_complete(&compiler->types, target))
		return d_fail_memory(compiler);
	size = d_types_size(&compiler->types, target);
	if (!size)
		return d_fail(compiler, &pointer->place, "D_PRINT_SIZE",
			"print( ) argument #1 reference has type '%s' with size 0; "
			"cannot print( ) it%s",
			d_type_text(target, text, sizeof(text)),
			d_type_is_incomplete(target) ? d_hint_tag(compiler, target, hint) : "");
	layout = d_layout_make(compiler, target, size, &pointer->place);
	address = layout < 0 ? -1 : d_generate(compiler, code, pointer);
	bytes = address < 0 ? -1 : d_emit_register(compiler, code, &pointer->place);
	if (bytes < 0 ||
		d_emit(compiler, code, D_OP_BYTES, (unsigned)bytes, (unsigned)address, 0,
			(int32_t)size))
		return -1;
	action = d_action_new(compiler, D_ACTION_PRINT, 2, 0);
	if (!action)
		return -1;
	action->format = layout;
	action->types[action->argument_count++] = (struct d_value_type){
		.kind = D_VALUE_INTEGER, .is_pointer = true, .size = sizeof(uint64_t)};
	action->types[action->argument_count++] =
		(struct d_value_type){.kind = D_VALUE_BYTES, .size = size};
	return d_action_emit(compiler, code, first);
}
