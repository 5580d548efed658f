/* print_layout.c: see print_layout.h. */
#include "program/print_layout.h"

#include <stdlib.h>

static bool size_fits(const struct d_layout *layout)
{
	switch (layout->kind) {
	case D_LAYOUT_INTEGER:
	case D_LAYOUT_CHARACTER:
	case D_LAYOUT_POINTER:
	case D_LAYOUT_ENUM:
		return layout->size >= 1 && layout->size <= 8;
	case D_LAYOUT_FLOAT:
		return layout->size == sizeof(float) || layout->size == sizeof(double) ||
			layout->size == sizeof(long double);
	default:
		return layout->kind < D_LAYOUT_KINDS;
	}
}

bool d_layout_is_valid(const struct d_layout *layouts, uint32_t index)
{
	const struct d_layout *layout = &layouts[index], *other;

	if (!size_fits(layout) || layout->depth >= D_LAYOUT_DEPTH_MAX)
		return false;
	if (layout->kind == D_LAYOUT_ARRAY) {
		if (layout->element >= index)
			return false;
		other = &layouts[layout->element];
		return other->depth < layout->depth &&
			(!other->size || layout->count <= layout->size / other->size);
	}
	for (size_t i = 0; layout->kind == D_LAYOUT_STRUCT && i < layout->count; i++) {
		const struct d_layout_part *part = &layout->parts[i];

		if (part->layout >= index)
			return false;
		other = &layouts[part->layout];
		if (other->depth >= layout->depth || part->offset > layout->size ||
			other->size > layout->size - part->offset ||
			(part->bits &&
				(other->kind > D_LAYOUT_ENUM ||
					part->bits + part->shift > other->size * 8)))
			return false;
	}
	return true;
}

void d_layout_free(struct d_layout *layout)
{
	free(layout->type);
	for (size_t i = 0; layout->parts && i < layout->count; i++)
		free(layout->parts[i].name);
	for (size_t i = 0; layout->names && i < layout->count; i++)
		free(layout->names[i].name);
	free(layout->parts);
	free(layout->names);
}
