/* generate_layout.c: see generate_layout.h. */
#include "d/generate_layout.h"

#include <stdlib.h>
#include <string.h>

#include "d/compiler.h"

static enum d_layout_kind kind_of(const struct d_type *type)
{
	switch (type->kind) {
	case D_TYPE_INTEGER:
		return type->size == 1 && type->is_signed ? D_LAYOUT_CHARACTER : D_LAYOUT_INTEGER;
	case D_TYPE_FLOAT:
		return D_LAYOUT_FLOAT;
	case D_TYPE_STRING:
		return D_LAYOUT_STRING;
	case D_TYPE_STRUCT:
	case D_TYPE_UNION:
		return D_LAYOUT_STRUCT;
	case D_TYPE_ENUM:
		return D_LAYOUT_ENUM;
	case D_TYPE_ARRAY:
		return D_LAYOUT_ARRAY;
	default:
		return D_LAYOUT_POINTER;
	}
}

/* The name of a type; for one without a tag only its kind. */
static char *name_of(const struct d_type *type)
{
	char text[128], *rest;

	d_type_text(type, text, sizeof(text));
	rest = strstr(text, " <anonymous>");
	if (rest)
		memmove(rest, rest + strlen(" <anonymous>"),
			strlen(rest + strlen(" <anonymous>")) + 1);
	return strdup(text);
}

static int make(struct d_compiler *compiler, const struct d_type *type, uint32_t size,
	unsigned depth, const struct d_place *place);

/* A layout is deeper than its parts. */
static void deepen(const struct d_compiler *compiler, struct d_layout *layout, int part)
{
	uint32_t depth = compiler->program->layouts[part].depth + 1;

	if (layout->depth < depth)
		layout->depth = depth;
}

static int fail_depth(struct d_compiler *compiler, const struct d_place *place)
{
	return d_fail(compiler, place, "D_UNKNOWN",
		"print( ) of a type that is nested deeper than %d is not possible",
		D_LAYOUT_DEPTH_MAX);
}

static int fill_parts(struct d_compiler *compiler, struct d_layout *layout,
	const struct d_type *type, unsigned depth, const struct d_place *place)
{
	size_t count = 0;

	for (const struct d_member *member = type->members; member; member = member->next)
		count++;
	layout->parts = calloc(count ? count : 1, sizeof(*layout->parts));
	if (!layout->parts)
		return d_fail_memory(compiler);
	for (const struct d_member *member = type->members; member; member = member->next) {
		struct d_layout_part *part = &layout->parts[layout->count];
		int index = make(compiler, member->type, member->size, depth + 1, place);

		if (index < 0)
			return -1;
		deepen(compiler, layout, index);
		part->offset = member->offset;
		part->layout = (uint32_t)index;
		part->bits = member->bits;
		part->shift = member->shift;
		part->name = strdup(member->name->bytes);
		layout->count++;
		if (!part->name)
			return d_fail_memory(compiler);
	}
	return 0;
}

static int fill_names(
	struct d_compiler *compiler, struct d_layout *layout, const struct d_type *type)
{
	size_t count = 0;

	for (const struct d_enumerator *one = type->enumerators; one; one = one->next)
		count++;
	layout->names = calloc(count ? count : 1, sizeof(*layout->names));
	if (!layout->names)
		return d_fail_memory(compiler);
	for (const struct d_enumerator *one = type->enumerators; one; one = one->next) {
		struct d_layout_name *name = &layout->names[layout->count++];

		name->value = one->value;
		name->name = strdup(one->name->bytes);
		if (!name->name)
			return d_fail_memory(compiler);
	}
	return 0;
}

static int fill(struct d_compiler *compiler, struct d_layout *layout, const struct d_type *type,
	unsigned depth, const struct d_place *place)
{
	int element;

	switch (layout->kind) {
	case D_LAYOUT_STRUCT:
		return fill_parts(compiler, layout, type, depth, place);
	case D_LAYOUT_ENUM:
		return fill_names(compiler, layout, type);
	case D_LAYOUT_ARRAY:
		element = make(compiler, type->target, d_types_stride(&compiler->types, type),
			depth + 1, place);
		if (element < 0)
			return -1;
		deepen(compiler, layout, element);
		layout->element = (uint32_t)element;
		layout->count = type->count;
		return 0;
	default:
		return 0;
	}
}

static int make(struct d_compiler *compiler, const struct d_type *named, uint32_t size,
	unsigned depth, const struct d_place *place)
{
	struct d_program *program = compiler->program;
	const struct d_type *type = d_type_resolve(named);
	struct d_layout layout = {.kind = kind_of(type), .is_signed = type->is_signed};
	/* Strings and bit-fields have a size that is not the type's. */
	bool own_size = size != type->size;

	if (named->layout && !own_size)
		return (int)named->layout - 1;
	if (depth >= D_LAYOUT_DEPTH_MAX)
		return fail_depth(compiler, place);
	layout.size = size;
	layout.type = name_of(named);
	if (!layout.type || fill(compiler, &layout, type, depth, place) ||
		array_room(&program->layouts, &compiler->layout_capacity, program->layout_count,
			sizeof(*program->layouts))) {
		d_layout_free(&layout);
		return compiler->failed ? -1 : d_fail_memory(compiler);
	}
	if (layout.depth >= D_LAYOUT_DEPTH_MAX) {
		d_layout_free(&layout);
		return fail_depth(compiler, place);
	}
	program->layouts[program->layout_count++] = layout;
	/* Types are shared and constant, except for cached results such as this. */
	if (!own_size)
		((struct d_type *)named)->layout = (uint32_t)program->layout_count;
	return (int)program->layout_count - 1;
}

int d_layout_make(struct d_compiler *compiler, const struct d_type *type, uint32_t size,
	const struct d_place *place)
{
	return make(compiler, type, size, 0, place);
}
