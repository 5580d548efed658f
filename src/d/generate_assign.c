/*
 * generate_assign.c: operators that change variables and elements: =, op=, ++ and --.
 */
#include "d/generate.h"

/*
 * A variable, element or place that is read and written back. base is the first register of an
 * element's keys, the register of a place's address, or of a character's index; value is the
 * register of the value.
 */
struct assign_target {
	const struct d_node *node;
	bool element, place, character;
	unsigned base, value;
};

static void set_target(struct assign_target *target, const struct d_node *node)
{
	target->node = node;
	target->character = d_node_is_character(node);
	target->place = d_node_is_place(node) || d_type_is_memory(node->type);
	target->element = !target->place && node->kind == D_NODE_INDEX;
}

/* Generates the registers that say where the target is. */
static int locate_target(
	struct d_compiler *compiler, struct d_code *code, struct assign_target *target)
{
	const struct d_node *node = target->node;
	int base = (int)code->top;

	if (target->character && node->kind == D_NODE_INDEX) {
		base = d_generate(compiler, code, node->right);
	} else if (target->character) {
		base = d_emit_register(compiler, code, &node->place);
		if (base >= 0 && d_emit_integer(compiler, code, (unsigned)base, 0))
			return -1;
	} else if (target->place)
		base = d_generate_address(compiler, code, node, true);
	else if (target->element)
		base = d_generate_keys(compiler, code, node->identifier, node->right);
	target->base = (unsigned)base;
	return base < 0 ? -1 : 0;
}

static int load_target(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	struct assign_target *target)
{
	int value;

	set_target(target, node);
	if (locate_target(compiler, code, target))
		return -1;
	value = d_emit_register(compiler, code, &node->place);
	if (value < 0)
		return -1;
	target->value = (unsigned)value;
	if (target->character) {
		int index = d_emit_register(compiler, code, &node->place);

		if (index < 0 ||
			d_emit(compiler, code, D_OP_LOAD, target->value, 0, 0,
				(int32_t)node->left->identifier->index) ||
			d_emit(compiler, code, D_OP_MOVE, (unsigned)index, target->base, 0, 0) ||
			d_emit(compiler, code, D_OP_CALL, target->value, target->value, 2,
				D_SUBROUTINE_CHARACTER))
			return -1;
		d_emit_finish(code, target->value);
		return 0;
	}
	if (target->place)
		return d_emit_read_place(compiler, code, node, target->value, target->base);
	return d_emit(compiler, code, target->element ? D_OP_LOAD_ELEMENT : D_OP_LOAD,
		target->value, target->element ? target->base : 0, 0,
		(int32_t)node->identifier->index);
}

static int store_target(struct d_compiler *compiler, struct d_code *code,
	const struct assign_target *target, unsigned value)
{
	if (target->character)
		return d_emit(compiler, code, D_OP_STORE_CHARACTER, value, target->base, 0,
			(int32_t)target->node->left->identifier->index);
	if (target->place)
		return d_emit_write_place(compiler, code, target->node, value, target->base);
	return d_emit(compiler, code, target->element ? D_OP_STORE_ELEMENT : D_OP_STORE, value,
		target->element ? target->base : 0, 0, (int32_t)target->node->identifier->index);
}

/* Moves the result to where the value of the whole expression is expected. */
static int target_result(struct d_compiler *compiler, struct d_code *code,
	const struct d_node *node, const struct assign_target *target, unsigned value)
{
	if (value != target->base && !node->unused &&
		d_emit(compiler, code, D_OP_MOVE, target->base, value, 0, 0))
		return -1;
	return d_emit_finish(code, target->base);
}

static int generate_operator_assignment(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_type *type = node->left->type;
	bool is_signed = d_type_is_integer(type) && type->is_signed;
	struct assign_target target;
	int right;

	if (load_target(compiler, code, node->left, &target))
		return -1;
	right = d_generate(compiler, code, node->right);
	if (right < 0 ||
		(d_type_is_pointer(type) &&
			d_emit_scale(compiler, code, (unsigned)right, type, &node->place)) ||
		d_emit(compiler, code, d_arithmetic_opcode(node->operation, is_signed),
			target.value, target.value, (unsigned)right, 0) ||
		d_emit_cut_place(compiler, code, node->left, target.value) ||
		store_target(compiler, code, &target, target.value))
		return -1;
	return target_result(compiler, code, node, &target, target.value);
}

int d_generate_increment(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_type *type = node->type;
	bool post = (node->operation == D_OPERATOR_POST_INCREMENT ||
			    node->operation == D_OPERATOR_POST_DECREMENT) &&
		(!node->unused || compiler->settings.unoptimized);
	bool add = node->operation == D_OPERATOR_PRE_INCREMENT ||
		node->operation == D_OPERATOR_POST_INCREMENT;
	uint32_t step = d_type_is_pointer(type) ? d_types_stride(&compiler->types, type) : 1;
	struct assign_target target;
	unsigned changed;
	int one;

	if (load_target(compiler, code, node->left, &target))
		return -1;
	changed = target.value;
	if (post) {
		one = d_emit_register(compiler, code, &node->place);
		if (one < 0)
			return -1;
		changed = (unsigned)one;
	}
	one = d_emit_register(compiler, code, &node->place);
	if (one < 0 || d_emit_integer(compiler, code, (unsigned)one, step) ||
		d_emit(compiler, code, add ? D_OP_ADD : D_OP_SUBTRACT, changed, target.value,
			(unsigned)one, 0) ||
		d_emit_cut_place(compiler, code, node->left, changed) ||
		store_target(compiler, code, &target, changed))
		return -1;
	return target_result(compiler, code, node, &target, target.value);
}

/* Storing a literal 0 frees self-> variables and elements. */
static int generate_free(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_identifier *identifier = node->left->identifier;
	bool element = node->left->kind == D_NODE_INDEX;
	int first = element ? d_generate_keys(compiler, code, identifier, node->left->right) : 0;
	int reg;

	if (first < 0 ||
		d_emit(compiler, code, element ? D_OP_FREE_ELEMENT : D_OP_FREE, 0, (unsigned)first,
			0, (int32_t)identifier->index))
		return -1;
	if (element)
		code->top = (unsigned)first;
	reg = d_emit_register(compiler, code, &node->place);
	if (reg < 0 || node->unused)
		return reg;
	if (d_type_is_string(node->type))
		return d_emit(compiler, code, D_OP_NULL, (unsigned)reg, 0, 0, 0) ? -1 : reg;
	return d_emit_integer(compiler, code, (unsigned)reg, 0) ? -1 : reg;
}

int d_generate_assignment(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_node *left = node->left;
	struct assign_target target;
	unsigned bits;
	int value;

	if (node->operation != D_OPERATOR_NONE)
		return generate_operator_assignment(compiler, code, node);
	set_target(&target, left);
	if (d_node_is_zero(node->right) && !d_node_is_place(left) &&
		(left->kind == D_NODE_INDEX ||
			compiler->program->variables[left->identifier->index].scope ==
				D_SCOPE_SELF))
		return generate_free(compiler, code, node);
	/* Values that are memory are copied directly from their address. */
	value = d_type_is_memory(left->type)
		? d_generate_address(compiler, code, node->right, false)
		: d_generate_as(compiler, code, node->right, left->type);
	bits = left->kind == D_NODE_MEMBER && left->member ? left->member->bits : 0;
	if (value < 0 ||
		(target.place && bits && d_emit_cut_place(compiler, code, left, (unsigned)value)))
		return -1;
	if (locate_target(compiler, code, &target) ||
		store_target(compiler, code, &target, (unsigned)value))
		return -1;
	return d_emit_finish(code, (unsigned)value);
}
