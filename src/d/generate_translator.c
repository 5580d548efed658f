/*
 * generate_translator.c: v = xlate< >( ): computes all members of the output into a block of the
 * clause.
 */
#include "d/generate.h"

int d_generate_translation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	uint32_t size = d_types_size(&compiler->types, node->type);
	struct d_node place = {.kind = D_NODE_MEMBER, .place = node->place};
	int base = d_emit_register(compiler, code, &node->place), value, address;

	if (base < 0 || d_emit_integer(compiler, code, (unsigned)base, size) ||
		d_emit(compiler, code, D_OP_CALL, (unsigned)base, (unsigned)base, 1,
			D_SUBROUTINE_BLOCK))
		return -1;
	for (const struct d_node *member = node->right; member; member = member->next) {
		place.member = d_type_member(node->type, member->name);
		place.type = place.member->type;
		if (d_type_is_memory(place.type) && d_type_converts(place.type, member->type))
			value = d_generate_characters(compiler, code, member, place.type, false);
		else if (d_type_is_memory(place.type))
			value = d_generate_address(compiler, code, member, false);
		else
			value = d_generate_as(compiler, code, member, place.type);
		if (value < 0 ||
			(place.member->bits &&
				d_emit_cut_place(compiler, code, &place, (unsigned)value)))
			return -1;
		address = d_emit_offset(
			compiler, code, (unsigned)base, place.member->offset, &node->place);
		if (address < 0 ||
			d_emit_write_place(
				compiler, code, &place, (unsigned)value, (unsigned)address))
			return -1;
		d_emit_finish(code, (unsigned)base);
	}
	return base;
}
