/*
 * type_struct.c: types composed of others: structs, unions, arrays; and the sizes of all types.
 */
#include <errno.h>

#include "d/type.h"

struct d_type *d_types_anonymous(struct d_types *types, enum d_type_kind kind)
{
	static const char *const names[] = {[D_TYPE_STRUCT] = "struct <anonymous>",
		[D_TYPE_UNION] = "union <anonymous>",
		[D_TYPE_ENUM] = "enum <anonymous>"};
	struct d_type *type = arena_get(types->arena, sizeof(*type));

	if (!type)
		return NULL;
	type->name = names[kind];
	d_types_start(types, type, kind);
	return type;
}

void d_types_start(struct d_types *types, struct d_type *type, enum d_type_kind kind)
{
	type->kind = kind;
	if (kind == D_TYPE_ENUM) {
		type->target = types->type_int;
		type->size = types->type_int->size;
		type->is_signed = true;
	}
}

static uint32_t alignment_of(const struct d_type *type)
{
	type = d_type_resolve(type);
	if (type->alignment)
		return type->alignment;
	return type->size ? type->size : 1; /* 1 for a string */
}

static uint64_t align(uint64_t offset, uint32_t alignment)
{
	return (offset + alignment - 1) / alignment * alignment;
}

/* The bytes of a bit-field's unit, and those that its bits need. */
static uint32_t unit_of(unsigned bits)
{
	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static uint32_t bytes_of(unsigned bits)
{
	return (bits + 7) / 8;
}

/*
 * Makes room for a member. A bit-field counts with its whole unit only as the last member: the next
 * one may start within the unit.
 */
static void extend(struct d_type *type, uint64_t offset, uint32_t size, unsigned bits)
{
	uint64_t end = offset + size, last = offset + (bits ? unit_of(bits) : size);

	type->end = (uint32_t)end;
	if (type->kind == D_TYPE_STRUCT || last > type->size)
		type->size = (uint32_t)last;
}

/*
 * The type with which a value is stored in a struct or an array. A string keeps the size that it
 * was declared with, as a string type of this size; other types are unchanged. NULL: no memory.
 */
static const struct d_type *stored_type(struct d_types *types, const struct d_type *type)
{
	const struct d_type *plain = d_type_resolve(type);
	struct d_type *sized;

	if (plain->kind != D_TYPE_STRING || plain->size)
		return type;
	if (!types->sized_string || types->sized_string->size != *types->strsize) {
		sized = arena_get(types->arena, sizeof(*sized));
		if (!sized)
			return NULL;
		*sized = *plain;
		sized->size = (uint32_t)*types->strsize;
		sized->alignment = 1;
		sized->pointer = NULL;
		types->sized_string = sized;
	}
	if (type == plain)
		return types->sized_string;
	sized = arena_get(types->arena, sizeof(*sized));
	if (!sized)
		return NULL;
	*sized = *types->sized_string;
	sized->name = type->name;
	sized->basis = types->sized_string;
	sized->pointer = NULL;
	return sized;
}

/* Adds a member at its own offset plus the given offset. */
static int place_member(struct d_types *types, struct d_type *type, const struct d_member *placed,
	uint64_t offset, uint32_t alignment)
{
	struct d_member *member, **link = &type->members;
	unsigned count = 0;

	for (; *link; link = &(*link)->next, count++) {
		if ((*link)->name == placed->name)
			return -EEXIST;
	}
	offset += placed->offset;
	if (count == D_MEMBERS_MAX)
		return -E2BIG;
	if (offset + (placed->bits ? unit_of(placed->bits) : placed->size) > D_OBJECT_MAX)
		return -EOVERFLOW;
	member = arena_get(types->arena, sizeof(*member));
	if (!member)
		return -ENOMEM;
	*member = *placed;
	member->next = NULL;
	member->offset = (uint32_t)offset;
	*link = member;
	if (alignment > type->alignment)
		type->alignment = alignment;
	return 0;
}

/* The offset of the next member. */
static uint64_t next_offset(const struct d_type *type, uint32_t alignment)
{
	return type->kind == D_TYPE_UNION ? 0 : align(type->end, alignment);
}

int d_types_add_member(struct d_types *types, struct d_type *type, const struct d_name *name,
	const struct d_type *member_type, unsigned bits)
{
	uint32_t size = bits ? bytes_of(bits) : d_types_size(types, member_type);
	uint32_t alignment = bits ? unit_of(bits) : alignment_of(member_type);
	const struct d_member member = {.name = name,
		.type = stored_type(types, member_type),
		.size = size,
		.bits = (uint8_t)bits};
	uint64_t offset = next_offset(type, alignment);
	int result = member.type ? place_member(types, type, &member, offset, alignment) : -ENOMEM;

	if (!result)
		extend(type, offset, size, bits);
	return result;
}

int d_types_add_gap(struct d_type *type, unsigned bits)
{
	uint32_t unit = unit_of(bits);
	uint64_t offset = next_offset(type, unit);

	if (offset + unit > D_OBJECT_MAX)
		return -EOVERFLOW;
	extend(type, offset, bytes_of(bits), bits);
	if (unit > type->alignment)
		type->alignment = unit;
	return 0;
}

int d_types_add_members(struct d_types *types, struct d_type *type, const struct d_type *inner)
{
	uint32_t alignment = alignment_of(inner);
	uint64_t offset = next_offset(type, alignment);
	int result = 0;

	for (const struct d_member *member = inner->members; member && !result;
		member = member->next)
		result = place_member(types, type, member, offset, alignment);
	if (!result)
		extend(type, offset, inner->size, 0);
	return result;
}

int d_types_add_enumerator(
	struct d_types *types, struct d_type *type, const struct d_name *name, int64_t value)
{
	struct d_enumerator *enumerator = arena_get(types->arena, sizeof(*enumerator));

	if (!enumerator)
		return -ENOMEM;
	enumerator->name = name;
	enumerator->value = value;
	if (type->last_enumerator)
		type->last_enumerator->next = enumerator;
	else
		type->enumerators = enumerator;
	type->last_enumerator = enumerator;
	return 0;
}

const struct d_type *d_types_array(
	struct d_types *types, const struct d_type *element, uint64_t count)
{
	uint64_t size = d_types_size(types, element);
	struct d_type *type;

	if (count > D_OBJECT_MAX || size * count > D_OBJECT_MAX ||
		element->pointer_depth == D_POINTER_DEPTH_MAX)
		return NULL;
	type = arena_get(types->arena, sizeof(*type));
	if (!type)
		return NULL;
	element = stored_type(types, element);
	if (!element)
		return NULL;
	type->kind = D_TYPE_ARRAY;
	type->size = (uint32_t)(size * count);
	type->alignment = alignment_of(element);
	type->count = (uint32_t)count;
	type->target = element;
	type->pointer_depth = element->pointer_depth + 1;
	return type;
}

const struct d_member *d_type_member(const struct d_type *type, const struct d_name *name)
{
	const struct d_member *member = d_type_resolve(type)->members;

	while (member && member->name != name)
		member = member->next;
	return member;
}

uint32_t d_types_size(const struct d_types *types, const struct d_type *type)
{
	type = d_type_resolve(type);
	return type->kind == D_TYPE_STRING && !type->size ? (uint32_t)*types->strsize : type->size;
}

uint32_t d_types_stride(const struct d_types *types, const struct d_type *pointer)
{
	return d_types_size(types, d_type_resolve(pointer)->target);
}

bool d_type_is_incomplete(const struct d_type *type)
{
	return (d_type_is_struct(type) || type->kind == D_TYPE_ENUM) &&
		!d_type_resolve(type)->complete;
}

bool d_type_is_struct(const struct d_type *type)
{
	return type->kind == D_TYPE_STRUCT || type->kind == D_TYPE_UNION;
}

bool d_type_is_unsized(const struct d_type *type)
{
	return type->kind == D_TYPE_ARRAY && !d_type_resolve(type)->count;
}

bool d_type_is_memory(const struct d_type *type)
{
	return d_type_is_struct(type) || type->kind == D_TYPE_ARRAY || type->kind == D_TYPE_FLOAT;
}
