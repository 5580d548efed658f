/* type_kernel.c: see type_kernel.h. */
#include "d/type_kernel.h"

#include <errno.h>
#include <linux/btf.h>
#include <string.h>

#include "usdt/elf/btf.h"

enum { NESTING_MAX = 48 };

static const struct d_type *type_of(struct d_types *types, uint32_t number, unsigned nesting);

static const struct d_type *integer_of(struct d_types *types, const struct btf_view *view)
{
	switch (view->size) {
	case 1:
		return view->is_signed || !strcmp(view->name, "char")
			? types->type_char
			: d_types_find(types, "unsigned char");
	case 2:
		return d_types_find(types, view->is_signed ? "short" : "unsigned short");
	case 4:
		return view->is_signed ? types->type_int : types->type_unsigned;
	case 8:
		return view->is_signed ? types->type_long : types->type_unsigned_long;
	default:
		return d_types_array(types, types->type_char, view->size);
	}
}

/* The last member, or where the first one goes. */
static struct d_member **last_of(struct d_type *type)
{
	struct d_member **link = &type->members;

	while (*link)
		link = &(*link)->next;
	return link;
}

/* Adds the members of the struct or union, each at its own place plus `base`. */
static int add_members(struct d_types *types, struct d_type *type, const struct btf_view *view,
	uint32_t base, unsigned nesting)
{
	struct d_member **link = last_of(type), *member;
	struct btf_field field;
	struct btf_view inner;
	int result = 0;

	for (uint32_t i = 0; btf_field(types->kernel, view, i, &field) && !result; i++) {
		uint32_t offset = base + field.bit_offset / 8, shift;
		const struct d_type *of;

		if (!*field.name) {
			if (nesting < NESTING_MAX &&
				btf_get(types->kernel, btf_resolve(types->kernel, field.type),
					&inner))
				result = add_members(types, type, &inner, offset, nesting + 1);
			link = last_of(type);
			continue;
		}
		shift = field.bit_offset % 8;
		of = type_of(types, field.type, nesting + 1);
		if (!of || shift + field.bits > 64 || of->kind == D_TYPE_VOID ||
			of->kind == D_TYPE_FUNCTION)
			continue;
		member = arena_get(types->arena, sizeof(*member));
		if (!member)
			return -ENOMEM;
		*member = (struct d_member){
			.name = d_names_get(types->names, field.name, strlen(field.name)),
			.type = of,
			.offset = offset,
			.size = field.bits ? (shift + field.bits + 7) / 8 : d_types_size(types, of),
			.bits = (uint8_t)field.bits,
			.shift = (uint8_t)shift};
		if (!member->name)
			return -ENOMEM;
		*link = member;
		link = &member->next;
	}
	return result;
}

static int complete(struct d_types *types, struct d_type *type, uint32_t number, unsigned nesting)
{
	struct btf_view view;

	if (!btf_get(types->kernel, number, &view))
		return 0;
	/* before its members, one of which may be a pointer to it */
	type->complete = true;
	type->size = view.size;
	type->end = view.size;
	type->alignment = sizeof(uint64_t);
	return add_members(types, type, &view, 0, nesting);
}

static const struct d_type *struct_of(
	struct d_types *types, uint32_t number, const struct btf_view *view, unsigned nesting)
{
	enum d_type_kind kind = view->kind == BTF_KIND_UNION ? D_TYPE_UNION : D_TYPE_STRUCT;
	struct d_name *tag =
		*view->name ? d_names_get(types->names, view->name, strlen(view->name)) : NULL;
	struct d_type *type = tag ? d_types_tag(types, kind, tag) : d_types_anonymous(types, kind);

	if (type && !type->complete && complete(types, type, number, nesting + 1))
		return NULL;
	return type;
}

/* What a pointer points to: a struct with a name is completed only when it is needed. */
static const struct d_type *target_of(struct d_types *types, uint32_t number, unsigned nesting)
{
	struct btf_view view;
	struct d_name *tag;

	if (!btf_get(types->kernel, btf_resolve(types->kernel, number), &view))
		return types->type_void;
	if (!*view.name ||
		(view.kind != BTF_KIND_STRUCT && view.kind != BTF_KIND_UNION &&
			view.kind != BTF_KIND_FWD))
		return type_of(types, number, nesting + 1);
	tag = d_names_get(types->names, view.name, strlen(view.name));
	return tag ? d_types_tag(
			     types, view.kind == BTF_KIND_UNION ? D_TYPE_UNION : D_TYPE_STRUCT, tag)
		   : NULL;
}

/* NULL: no memory, or it is nested too deeply. */
static const struct d_type *type_of(struct d_types *types, uint32_t number, unsigned nesting)
{
	const struct d_type *of;
	struct btf_view view;

	number = btf_resolve(types->kernel, number);
	if (nesting > NESTING_MAX || !btf_get(types->kernel, number, &view))
		return NULL;
	switch (view.kind) {
	case BTF_KIND_UNKN:
		return types->type_void;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return integer_of(types, &view);
	case BTF_KIND_PTR:
		of = target_of(types, view.target, nesting);
		return of ? d_types_pointer(types, of) : NULL;
	case BTF_KIND_ARRAY:
		of = type_of(types, view.target, nesting + 1);
		return of ? d_types_array(types, of, view.count) : NULL;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return struct_of(types, number, &view, nesting);
	case BTF_KIND_FUNC_PROTO:
		return types->type_function;
	default:
		return NULL;
	}
}

/* Completes a struct that only a module has. Nothing of the module's description is kept. */
static int complete_by_module(
	struct d_types *types, struct d_type *type, unsigned kind, const char *tag)
{
	struct btf *kernel = types->kernel;
	uint32_t number;
	struct btf *module = btf_find_in_modules(kernel, kind, tag, &number);
	int result = 0;

	if (!module)
		return 0;
	types->kernel = module;
	result = complete(types, type, number, 0);
	types->kernel = kernel;
	btf_free(module);
	return result;
}

int d_types_complete(struct d_types *types, const struct d_type *type)
{
	struct d_type *incomplete = (struct d_type *)d_type_resolve(type);
	const char *tag = incomplete->name ? strchr(incomplete->name, ' ') : NULL;
	unsigned kind = incomplete->kind == D_TYPE_UNION ? BTF_KIND_UNION : BTF_KIND_STRUCT;
	uint32_t number;

	if (!types->kernel || incomplete->complete || !tag || !d_type_is_struct(incomplete))
		return 0;
	number = btf_find(types->kernel, kind, tag + 1);
	return number ? complete(types, incomplete, number, 0)
		      : complete_by_module(types, incomplete, kind, tag + 1);
}

const struct d_type *d_types_kernel(struct d_types *types, uint32_t number)
{
	return type_of(types, number, 0);
}
