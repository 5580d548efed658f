/*
 * generate_stack.c: see generate_stack.h. The number of frames of a stack is fixed at compile time,
 * by its argument or by the options stackframes, ustackframes and jstackframes.
 */
#include "d/generate_stack.h"

#include <stdio.h>

#include "d/generate.h"

enum { FRAMES_MAX = 1024 };

/* A literal frame count, at least 1; 0 with an error. */
static uint64_t read_frames(
	struct d_compiler *compiler, const struct d_node *call, const struct d_node *node)
{
	const char *tag = call->function->id == D_STACK_KERNEL ? "D_STACK_SIZE" : "D_USTACK_FRAMES";

	if (node->kind == D_NODE_INTEGER && (int64_t)node->value > 0)
		return node->value;
	d_fail(compiler, &node->place, tag,
		"%s( ) argument #1 must be a non-zero positive integer constant",
		call->function->name);
	return 0;
}

static int generate_frames(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_options *options = &compiler->program->options;
	bool user = node->function->id != D_STACK_KERNEL;
	bool guest = node->function->id == D_STACK_JAVA;
	uint64_t frames = node->function->id == D_STACK_KERNEL ? options->stackframes
		: node->function->id == D_STACK_USER           ? options->ustackframes
							       : options->jstackframes;
	const struct d_node *argument = node->right;
	char name[16];
	int reg;

	if (argument) {
		frames = read_frames(compiler, node, argument);
		if (!frames)
			return -1;
		argument = argument->next;
	}
	if (argument && (argument->kind != D_NODE_INTEGER || (int64_t)argument->value < 0))
		return d_fail(compiler, &argument->place, "D_USTACK_STRSIZE",
			"%s( ) argument #2 must be a positive integer constant",
			node->function->name);
	snprintf(name, sizeof(name), "%s( )", node->function->name);
	if (d_require(compiler,
		    guest          ? D_NEED_GUEST_STACK
			    : user ? D_NEED_USER_STACK
				   : D_NEED_KERNEL_STACK,
		    name, &node->place))
		return -1;
	reg = d_emit_register(compiler, code, &node->place);
	if (reg < 0 ||
		d_emit(compiler, code, guest ? D_OP_GUEST_STACK : D_OP_STACK, (unsigned)reg,
			user && !guest, 0, frames < FRAMES_MAX ? (int32_t)frames : FRAMES_MAX))
		return -1;
	return reg;
}

int d_stack_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg;

	if (d_function_stack_kind(node->function) <= D_VALUE_STACK)
		return generate_frames(compiler, code, node);
	reg = d_generate(compiler, code, node->right);
	if (reg < 0 ||
		d_emit(compiler, code, D_OP_PLACE, (unsigned)reg, (unsigned)reg, 0,
			(int32_t)d_function_stack_kind(node->function)))
		return -1;
	return reg;
}
