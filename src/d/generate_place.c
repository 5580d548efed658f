/*
 * generate_place.c: places in memory: addresses of variables, members and elements, and reading and
 * writing them. For addresses see program/program.h.
 */
#include "d/generate.h"

int d_emit_scale(struct d_compiler *compiler, struct d_code *code, unsigned reg,
	const struct d_type *pointer, const struct d_place *place)
{
	uint32_t size = d_types_stride(&compiler->types, pointer);
	int factor;

	if (size == 1)
		return 0;
	factor = d_emit_register(compiler, code, place);
	if (factor < 0 || d_emit_integer(compiler, code, (unsigned)factor, size))
		return -1;
	code->top--;
	return d_emit(compiler, code, D_OP_MULTIPLY, reg, reg, (unsigned)factor, 0);
}

/* Adds a constant to an address. */
static int emit_offset(struct d_compiler *compiler, struct d_code *code, int reg, uint64_t offset,
	const struct d_place *place)
{
	int number;

	if (reg < 0 || (!offset && !compiler->settings.unoptimized))
		return reg;
	number = d_emit_register(compiler, code, place);
	if (number < 0 || d_emit_integer(compiler, code, (unsigned)number, offset) ||
		d_emit(compiler, code, D_OP_ADD, (unsigned)reg, (unsigned)reg, (unsigned)number, 0))
		return -1;
	return d_emit_finish(code, (unsigned)reg);
}

int d_emit_offset(struct d_compiler *compiler, struct d_code *code, unsigned base, uint64_t offset,
	const struct d_place *place)
{
	int reg = d_emit_register(compiler, code, place);

	if (reg < 0 || d_emit(compiler, code, D_OP_MOVE, (unsigned)reg, base, 0, 0))
		return -1;
	return emit_offset(compiler, code, reg, offset, place);
}

/* The address of a variable's or element's own memory. */
static int variable_address(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, bool writing)
{
	const struct d_identifier *identifier = node->identifier;
	bool element = identifier->kind == D_IDENTIFIER_ARRAY;
	int reg = element ? d_generate_keys(compiler, code, identifier, node->right)
			  : d_emit_register(compiler, code, &node->place);

	if (element && reg >= 0 && code->top == (unsigned)reg)
		reg = d_emit_register(compiler, code, &node->place);
	if (reg < 0 ||
		d_emit(compiler, code, element ? D_OP_ADDRESS_ELEMENT : D_OP_ADDRESS, (unsigned)reg,
			element ? (unsigned)reg : 0, writing, (int32_t)identifier->index))
		return -1;
	return d_emit_finish(code, (unsigned)reg);
}

static int string_address(struct d_compiler *compiler, struct d_code *code, int string)
{
	if (string < 0 ||
		d_emit(compiler, code, D_OP_ADDRESS_STRING, (unsigned)string, (unsigned)string, 0,
			0))
		return -1;
	return string;
}

/* The base address for [ ] and *. */
static int base_address(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, bool writing)
{
	if (d_type_is_string(node->type))
		return string_address(compiler, code, d_generate(compiler, code, node));
	return node->type->kind == D_TYPE_ARRAY ? d_generate_address(compiler, code, node, writing)
						: d_generate(compiler, code, node);
}

static int element_address(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, bool writing)
{
	const struct d_type *type = node->left->type;
	const struct d_node *number = node->right;
	uint64_t size = type->kind == D_TYPE_ARRAY ? d_types_stride(&compiler->types, type) : 0;
	int base = base_address(compiler, code, node->left, writing), index;

	if (!compiler->settings.unoptimized && number->kind == D_NODE_INTEGER &&
		type->kind == D_TYPE_ARRAY && number->value < d_type_resolve(type)->count)
		return emit_offset(compiler, code, base, number->value * size, &node->place);
	index = base < 0 ? -1 : d_generate(compiler, code, number);
	if (index < 0)
		return -1;
	/* Where an array without a size ends is known only from the memory that it lies in. */
	if (type->kind == D_TYPE_ARRAY && !d_type_is_unsized(type) &&
		d_emit(compiler, code, D_OP_BOUND, (unsigned)index, 0, 0,
			(int32_t)d_type_resolve(type)->count))
		return -1;
	if ((!d_type_is_string(type) &&
		    d_emit_scale(compiler, code, (unsigned)index, type, &node->place)) ||
		d_emit(compiler, code, D_OP_ADD, (unsigned)base, (unsigned)base, (unsigned)index,
			0))
		return -1;
	return d_emit_finish(code, (unsigned)base);
}

int d_generate_address(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, bool writing)
{
	int base;

	if (!d_node_is_place(node)) {
		bool variable = node->identifier &&
			(node->kind == D_NODE_NAME || node->kind == D_NODE_MEMBER ||
				node->kind == D_NODE_INDEX);

		/* An expression that is not a variable yields the address itself. */
		return variable ? variable_address(compiler, code, node, writing)
				: d_generate(compiler, code, node);
	}
	if (node->kind == D_NODE_INDEX)
		return element_address(compiler, code, node, writing);
	if (node->kind == D_NODE_UNARY)
		return base_address(compiler, code, node->left, writing);
	base = node->arrow ? base_address(compiler, code, node->left, writing)
			   : d_generate_address(compiler, code, node->left, writing);
	return emit_offset(compiler, code, base, node->member->offset, &node->place);
}

/* c of D_OP_READ. */
static unsigned read_form(const struct d_type *type, uint32_t size)
{
	return size | (d_type_is_integer(type) && type->is_signed ? 16u : 0u);
}

/* The bytes of a place; for a bit-field, those that its bits need. */
static uint32_t place_size(const struct d_compiler *compiler, const struct d_node *place)
{
	if (place->kind == D_NODE_MEMBER && place->member)
		return place->member->size;
	return d_types_size(&compiler->types, place->type);
}

/* Shifts the bits of a bit-field down to the register's lowest bits, or back up. */
static int shift(struct d_compiler *compiler, struct d_code *code, enum d_opcode opcode,
	const struct d_member *member, unsigned reg, const struct d_place *place)
{
	unsigned top = code->top;
	int distance = d_emit_register(compiler, code, place);

	if (distance < 0 || d_emit_integer(compiler, code, (unsigned)distance, member->shift) ||
		d_emit(compiler, code, opcode, reg, reg, (unsigned)distance, 0))
		return -1;
	code->top = top;
	return 0;
}

int d_emit_read_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *place,
	unsigned reg, unsigned address)
{
	const struct d_member *member = place->kind == D_NODE_MEMBER ? place->member : NULL;
	const struct d_type *type = place->type;
	uint32_t size = place_size(compiler, place);

	if (d_type_is_string(type))
		return d_emit(compiler, code, D_OP_TEXT, reg, address, 0, (int32_t)size);
	if (d_emit(compiler, code, D_OP_READ, reg, address, read_form(type, size), 0) ||
		(member && member->shift &&
			shift(compiler, code, D_OP_SHIFT_RIGHT, member, reg, &place->place)))
		return -1;
	return member ? d_emit_cut_place(compiler, code, place, reg) : 0;
}

int d_emit_cut_place(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *place, unsigned reg)
{
	const struct d_member *member =
		d_node_is_place(place) && place->kind == D_NODE_MEMBER ? place->member : NULL;

	if (!member || !member->bits)
		return d_emit_cut(compiler, code, reg, place->type);
	return d_emit(compiler, code, D_OP_BITS, reg, reg, 0,
		place->type->is_signed ? -(int32_t)member->bits : (int32_t)member->bits);
}

/*
 * Writes a bit-field whose bits do not fill its bytes. As in C the other bits of these bytes stay:
 * they belong to other members.
 */
static int write_bits(struct d_compiler *compiler, struct d_code *code,
	const struct d_member *member, unsigned reg, unsigned address, const struct d_place *place)
{
	uint64_t mask = (UINT64_C(1) << member->bits) - 1;
	unsigned top = code->top;
	int old = d_emit_register(compiler, code, place);
	int bits = old < 0 ? -1 : d_emit_register(compiler, code, place);

	if (bits < 0 ||
		d_emit(compiler, code, D_OP_READ, (unsigned)old, address, member->size, 0) ||
		d_emit_integer(compiler, code, (unsigned)bits, ~(mask << member->shift)) ||
		d_emit(compiler, code, D_OP_AND, (unsigned)old, (unsigned)old, (unsigned)bits, 0) ||
		d_emit_integer(compiler, code, (unsigned)bits, mask) ||
		d_emit(compiler, code, D_OP_AND, (unsigned)bits, reg, (unsigned)bits, 0) ||
		(member->shift &&
			shift(compiler, code, D_OP_SHIFT_LEFT, member, (unsigned)bits, place)) ||
		d_emit(compiler, code, D_OP_OR, (unsigned)old, (unsigned)old, (unsigned)bits, 0) ||
		d_emit(compiler, code, D_OP_WRITE, (unsigned)old, address, member->size, 0))
		return -1;
	code->top = top;
	return 0;
}

int d_emit_write_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *place,
	unsigned reg, unsigned address)
{
	const struct d_member *member = place->kind == D_NODE_MEMBER ? place->member : NULL;
	uint32_t size = place_size(compiler, place);

	if (member && (member->bits % 8 || member->shift))
		return write_bits(compiler, code, member, reg, address, &place->place);
	if (d_type_is_string(place->type))
		return d_emit(compiler, code, D_OP_WRITE_TEXT, reg, address, 0, (int32_t)size);
	if (d_type_is_memory(place->type))
		return !size ? 0
			     : d_emit(compiler, code, D_OP_COPY, reg, address, 0, (int32_t)size);
	return d_emit(compiler, code, D_OP_WRITE, reg, address, size, 0);
}

/* Loads one character of a string. The index is in the register after the string's. */
static int generate_character(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int string = d_generate(compiler, code, node->left), number;

	if (string < 0)
		return -1;
	if (node->kind == D_NODE_INDEX) {
		number = d_generate(compiler, code, node->right);
	} else {
		number = d_emit_register(compiler, code, &node->place);
		if (number >= 0 && d_emit_integer(compiler, code, (unsigned)number, 0))
			return -1;
	}
	if (number < 0 ||
		d_emit(compiler, code, D_OP_CALL, (unsigned)string, (unsigned)string, 2,
			D_SUBROUTINE_CHARACTER))
		return -1;
	return d_emit_finish(code, (unsigned)string);
}

int d_generate_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg;

	if (d_node_is_character(node))
		return generate_character(compiler, code, node);
	reg = d_generate_address(compiler, code, node, node->type->kind == D_TYPE_ARRAY);
	if (reg < 0 || d_type_is_memory(node->type))
		return reg;
	return d_emit_read_place(compiler, code, node, (unsigned)reg, (unsigned)reg) ? -1 : reg;
}

int d_generate_text(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_type *type = d_type_resolve(node->type);
	uint64_t limit = compiler->program->options.strsize;
	int reg;

	if (type->kind == D_TYPE_ARRAY) {
		if (limit > type->size && !d_type_is_unsized(type))
			limit = type->size;
		reg = d_generate_address(compiler, code, node, false);
		return reg < 0 ||
				d_emit(compiler, code, D_OP_TEXT, (unsigned)reg, (unsigned)reg, 0,
					(int32_t)limit)
			? -1
			: reg;
	}
	reg = d_generate(compiler, code, node);
	if (reg < 0 || d_type_is_string(type))
		return reg;
	return d_emit(compiler, code, D_OP_CALL, (unsigned)reg, (unsigned)reg, 1,
		       D_SUBROUTINE_STRINGOF)
		? -1
		: reg;
}

int d_generate_bytes(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg = d_generate_address(compiler, code, node, false);

	return reg < 0 ||
			d_emit(compiler, code, D_OP_BYTES, (unsigned)reg, (unsigned)reg, 0,
				(int32_t)d_types_size(&compiler->types, node->type))
		? -1
		: reg;
}

int d_generate_characters(struct d_compiler *compiler, struct d_code *code,
	const struct d_node *node, const struct d_type *type, bool as_bytes)
{
	int32_t size = (int32_t)d_types_size(&compiler->types, type);
	int reg = d_emit_register(compiler, code, &node->place), text;

	if (reg < 0 || d_emit_integer(compiler, code, (unsigned)reg, (uint64_t)size) ||
		d_emit(compiler, code, D_OP_CALL, (unsigned)reg, (unsigned)reg, 1,
			D_SUBROUTINE_BLOCK))
		return -1;
	text = size ? d_generate_text(compiler, code, node) : reg;
	if (text < 0 ||
		(size &&
			d_emit(compiler, code, D_OP_WRITE_TEXT, (unsigned)text, (unsigned)reg, 0,
				size)) ||
		(as_bytes &&
			d_emit(compiler, code, D_OP_BYTES, (unsigned)reg, (unsigned)reg, 0, size)))
		return -1;
	return d_emit_finish(code, (unsigned)reg);
}
