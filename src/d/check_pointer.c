/*
 * check_pointer.c: what pointers point to, as far as the script's text shows. The engine checks
 * every access anyway; this finds those errors that DTrace also finds at compile time.
 */
#include "d/check.h"

static bool can_be_written(unsigned points)
{
	return !(points & D_POINTS_ELSEWHERE) || (points & D_POINTS_BLOCK);
}

unsigned d_check_place_points(const struct d_node *place)
{
	while (d_node_is_place(place)) {
		bool pointer = place->kind == D_NODE_MEMBER
			? place->arrow
			: place->left->type->kind != D_TYPE_ARRAY;

		place = place->left;
		if (d_type_is_string(place->type))
			return D_POINTS_ELSEWHERE;
		if (pointer)
			return d_check_points(place);
	}
	/* A variable, or a value that is memory. */
	return place->writable || !place->identifier ? D_POINTS_BLOCK : D_POINTS_ELSEWHERE;
}

static unsigned call_points(const struct d_node *call)
{
	if (call->function->kind != D_FUNCTION_SUBROUTINE)
		return 0;
	if (call->function->id == D_SUBROUTINE_ALLOCA)
		return D_POINTS_BLOCK | D_POINTS_ALLOCA;
	return call->function->id == D_SUBROUTINE_COPYIN ||
			call->function->id == D_SUBROUTINE_MEMREF
		? D_POINTS_BLOCK
		: D_POINTS_ELSEWHERE;
}

/* A pointer that is moved points to where it did; a number may come from each of its operands. */
static unsigned binary_points(const struct d_node *node)
{
	unsigned points = 0;

	for (;;) {
		if (node->operation == D_OPERATOR_COMMA)
			return points | d_check_points(node->right);
		if (node->operation >= D_OPERATOR_LESS)
			return points;
		if (d_type_is_string(node->left->type) || d_type_is_string(node->right->type))
			return points | D_POINTS_ELSEWHERE;
		if (!d_type_is_pointer(node->left->type) && d_type_is_pointer(node->right->type))
			return points | d_check_points(node->right);
		if (!d_type_is_pointer(node->left->type))
			points |= d_check_points(node->right);
		if (!d_node_continues(node))
			return points | d_check_points(node->left);
		node = node->left;
	}
}

unsigned d_check_points(const struct d_node *node)
{
	unsigned left, right;

	/* A string as a char * is the address of a copy that cannot be written. */
	if (d_type_is_string(node->type))
		return D_POINTS_ELSEWHERE;
	if (node->type->kind == D_TYPE_ARRAY)
		return d_check_place_points(node);
	if (d_node_is_place(node))
		return can_be_written(d_check_place_points(node)) ? 0 : D_POINTS_ELSEWHERE;
	switch (node->kind) {
	case D_NODE_INTEGER:
		return node->value ? D_POINTS_ELSEWHERE : 0;
	case D_NODE_NAME:
	case D_NODE_MEMBER:
	case D_NODE_INDEX:
		return node->writable ? node->identifier->points : D_POINTS_ELSEWHERE;
	case D_NODE_CALL:
		return call_points(node);
	case D_NODE_UNARY:
		return node->operation == D_OPERATOR_ADDRESS ? d_check_place_points(node->left)
							     : d_check_points(node->left);
	case D_NODE_BINARY:
		return binary_points(node);
	case D_NODE_ASSIGN:
		return d_check_points(
			node->operation == D_OPERATOR_NONE ? node->right : node->left);
	case D_NODE_TERNARY:
		left = d_check_points(node->left);
		right = d_check_points(node->right);
		if ((left ^ right) & D_POINTS_ALLOCA)
			left |= D_POINTS_MIXED;
		return left | right;
	case D_NODE_CAST:
	case D_NODE_EXPANSION:
		return d_check_points(node->left);
	default:
		return 0;
	}
}

const struct d_type *d_check_decay(struct d_compiler *compiler, const struct d_type *type)
{
	if (type->kind != D_TYPE_ARRAY)
		return type;
	type = d_types_pointer(&compiler->types, d_type_resolve(type)->target);
	if (!type)
		d_fail_memory(compiler);
	return type;
}

int d_check_alloca(struct d_compiler *compiler, const struct d_node *node)
{
	struct d_identifier *identifier =
		d_node_is_place(node->left) ? NULL : node->left->identifier;
	unsigned points, old = identifier ? identifier->points : 0;

	if (!d_type_is_scalar(node->left->type))
		return 0;
	points = d_check_points(node->right);
	if (d_type_is_pointer(node->left->type) &&
		((points & D_POINTS_MIXED) ||
			((points & D_POINTS_ALLOCA) && (old & D_POINTS_ELSEWHERE)) ||
			((points & D_POINTS_ELSEWHERE) && (old & D_POINTS_ALLOCA))))
		return d_fail(compiler, &node->place, "D_ALLOCA_INCOMPAT",
			"%s: cannot reuse the same identifier for both alloca and other pointers",
			identifier ? identifier->name->bytes : "assignment");
	if (identifier)
		identifier->points |= (uint8_t)points;
	return 0;
}
