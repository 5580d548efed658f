/*
 * type.c: see type.h.
 */
#include "d/type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	enum d_type_kind kind;
	bool is_signed;
	uint32_t size;
} basic[] = {
	{"void", D_TYPE_VOID, false, 0},
	{"string", D_TYPE_STRING, false, 0},
	{"char", D_TYPE_INTEGER, true, 1},
	{"signed char", D_TYPE_INTEGER, true, 1},
	{"unsigned char", D_TYPE_INTEGER, false, 1},
	{"short", D_TYPE_INTEGER, true, 2},
	{"unsigned short", D_TYPE_INTEGER, false, 2},
	{"int", D_TYPE_INTEGER, true, 4},
	{"unsigned int", D_TYPE_INTEGER, false, 4},
	{"long", D_TYPE_INTEGER, true, 8},
	{"unsigned long", D_TYPE_INTEGER, false, 8},
	{"long long", D_TYPE_INTEGER, true, 8},
	{"unsigned long long", D_TYPE_INTEGER, false, 8},
	{"_Bool", D_TYPE_INTEGER, false, 1},
	{"float", D_TYPE_FLOAT, true, 4},
	{"double", D_TYPE_FLOAT, true, 8},
	{"long double", D_TYPE_FLOAT, true, 16},
};

static const struct {
	const char *name, *type;
} aliases[] = {
	{"int8_t", "signed char"},
	{"int16_t", "short"},
	{"int32_t", "int"},
	{"int64_t", "long"},
	{"uint8_t", "unsigned char"},
	{"uint16_t", "unsigned short"},
	{"uint32_t", "unsigned int"},
	{"uint64_t", "unsigned long"},
	{"intptr_t", "long"},
	{"uintptr_t", "unsigned long"},
	{"ssize_t", "long"},
	{"size_t", "unsigned long"},
	{"ptrdiff_t", "long"},
	{"uchar_t", "unsigned char"},
	{"ushort_t", "unsigned short"},
	{"uint_t", "unsigned int"},
	{"ulong_t", "unsigned long"},
	{"longlong_t", "long long"},
	{"u_longlong_t", "unsigned long long"},
	{"id_t", "int"},
	{"pid_t", "int"},
	{"bool", "_Bool"},
	{"u8", "unsigned char"},
	{"u16", "unsigned short"},
	{"u32", "unsigned int"},
	{"u64", "unsigned long long"},
	{"s8", "signed char"},
	{"s16", "short"},
	{"s32", "int"},
	{"s64", "long long"},
	{"uid_t", "unsigned int"},
	{"gid_t", "unsigned int"},
	{"dev_t", "unsigned long"},
	{"mode_t", "unsigned int"},
	{"off_t", "long"},
	{"time_t", "long"},
	{"hrtime_t", "long long"},
	{"processorid_t", "int"},
	{"zoneid_t", "int"},
};

static const struct d_type *make(struct d_types *types, const struct d_type *like)
{
	struct d_type *type = d_arena_get(types->arena, sizeof(*type));

	if (type)
		*type = *like;
	return type;
}

int d_types_define(struct d_types *types, struct d_name *name, const struct d_type *type)
{
	struct d_type alias = *type;

	alias.name = name->bytes;
	alias.basis = d_type_resolve(type);
	alias.pointer = NULL;
	name->type = make(types, &alias);
	return name->type ? 0 : -ENOMEM;
}

int d_types_init(struct d_types *types, struct d_names *names, struct d_arena *arena)
{
	const struct d_type dynamic = {.kind = D_TYPE_DYNAMIC, .name = "<DYN>"};
	struct d_name *name;
	int result = 0;

	types->arena = arena;
	types->names = names;
	for (size_t i = 0; i < sizeof(basic) / sizeof(basic[0]) && !result; i++) {
		const struct d_type type = {.kind = basic[i].kind,
			.is_signed = basic[i].is_signed,
			.size = basic[i].size,
			.name = basic[i].name};

		name = d_names_get(names, basic[i].name, strlen(basic[i].name));
		if (name)
			name->type = make(types, &type);
		result = name && name->type ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]) && !result; i++) {
		name = d_names_get(names, aliases[i].name, strlen(aliases[i].name));
		result = name ? d_types_define(types, name, d_types_find(types, aliases[i].type))
			      : -ENOMEM;
	}
	if (result)
		return result;
	types->type_void = d_types_find(types, "void");
	types->type_string = d_types_find(types, "string");
	types->type_char = d_types_find(types, "char");
	types->type_int = d_types_find(types, "int");
	types->type_unsigned = d_types_find(types, "unsigned int");
	types->type_long = d_types_find(types, "long");
	types->type_unsigned_long = d_types_find(types, "unsigned long");
	types->type_long_long = d_types_find(types, "long long");
	types->type_unsigned_long_long = d_types_find(types, "unsigned long long");
	types->type_int64 = d_types_find(types, "int64_t");
	types->type_uint64 = d_types_find(types, "uint64_t");
	types->type_size = d_types_find(types, "size_t");
	types->type_dynamic = make(types, &dynamic);
	return types->type_dynamic ? 0 : -ENOMEM;
}

const struct d_type *d_types_find(struct d_types *types, const char *name)
{
	struct d_name *found = d_names_get(types->names, name, strlen(name));

	return found ? found->type : NULL;
}

const struct d_type *d_types_pointer(struct d_types *types, const struct d_type *target)
{
	struct d_type pointer = {.kind = D_TYPE_POINTER, .size = 8, .target = target};

	if (target->pointer)
		return target->pointer;
	pointer.pointer_depth = target->pointer_depth + 1;
	if (pointer.pointer_depth > D_POINTER_DEPTH_MAX)
		return NULL;
	/* The cache is the only part of a type that changes after it was made. */
	((struct d_type *)target)->pointer = make(types, &pointer);
	return target->pointer;
}

const struct d_type *d_types_tag(struct d_types *types, enum d_type_kind kind, struct d_name *tag)
{
	static const char *const words[] = {"struct ", "union ", "enum "};
	unsigned which = kind == D_TYPE_STRUCT ? 0 : kind == D_TYPE_UNION ? 1 : 2;
	struct d_type *type = tag->tags[which];
	char *name;

	if (type)
		return type;
	type = d_arena_get(types->arena, sizeof(*type));
	name = d_arena_get(types->arena, strlen(words[which]) + tag->length + 1);
	if (!type || !name)
		return NULL;
	memcpy(name, words[which], strlen(words[which]));
	memcpy(name + strlen(words[which]), tag->bytes, tag->length);
	type->kind = kind;
	type->name = name;
	tag->tags[which] = type;
	return type;
}

bool d_type_word(struct d_type_words *words, const char *bytes, size_t length)
{
	const struct {
		const char *word;
		unsigned *count;
	} table[] = {{"char", &words->chars}, {"short", &words->shorts}, {"int", &words->ints},
		{"long", &words->longs}, {"float", &words->floats}, {"double", &words->doubles},
		{"void", &words->voids}, {"string", &words->strings}, {"signed", &words->signeds},
		{"unsigned", &words->unsigneds}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strlen(table[i].word) == length && !memcmp(table[i].word, bytes, length)) {
			++*table[i].count;
			return true;
		}
	}
	return false;
}

const struct d_type *d_types_of_words(struct d_types *types, const struct d_type_words *words)
{
	unsigned bases =
		words->chars + words->floats + words->doubles + words->voids + words->strings;
	unsigned signs = words->signeds + words->unsigneds;
	char name[64];
	const char *base = "int";

	if (bases > 1 || words->ints > 1 || (bases && words->ints) || signs > 1 ||
		words->shorts > 1 || words->longs > 2 || (words->shorts && words->longs))
		return NULL;
	if (bases && (words->shorts || (words->longs && !(words->doubles && words->longs == 1))))
		return NULL;
	if (signs && bases && !words->chars)
		return NULL;
	if (words->chars && words->signeds)
		return d_types_find(types, "signed char");
	if (words->chars)
		base = "char";
	else if (words->floats)
		base = "float";
	else if (words->doubles)
		base = words->longs ? "long double" : "double";
	else if (words->voids)
		base = "void";
	else if (words->strings)
		base = "string";
	else if (words->shorts)
		base = "short";
	else if (words->longs)
		base = words->longs == 2 ? "long long" : "long";
	snprintf(name, sizeof(name), "%s%s", words->unsigneds ? "unsigned " : "", base);
	return d_types_find(types, name);
}

const struct d_type *d_types_parse(struct d_types *types, const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	struct d_type_words words = {0};
	const struct d_type *type = NULL;
	bool basic_words = false, tag_next = false;
	enum d_type_kind tag_kind = D_TYPE_VOID;
	struct d_name *name;
	size_t length;

	for (;;) {
		text += strspn(text, " \t");
		length = strspn(text, letters);
		if (!length)
			break;
		if (tag_next) {
			name = d_names_get(types->names, text, length);
			type = name && !type ? d_types_tag(types, tag_kind, name) : NULL;
			if (!type)
				return NULL;
			tag_next = false;
		} else if (d_type_word(&words, text, length)) {
			basic_words = true;
		} else if (length == 6 && !memcmp(text, "struct", 6)) {
			tag_next = true;
			tag_kind = D_TYPE_STRUCT;
		} else if (length == 5 && !memcmp(text, "union", 5)) {
			tag_next = true;
			tag_kind = D_TYPE_UNION;
		} else if (length == 4 && !memcmp(text, "enum", 4)) {
			tag_next = true;
			tag_kind = D_TYPE_ENUM;
		} else if (!(length == 5 && !memcmp(text, "const", 5)) &&
			   !(length == 8 && !memcmp(text, "volatile", 8))) {
			name = d_names_get(types->names, text, length);
			if (!name || type || !name->type)
				return NULL;
			type = name->type;
		}
		text += length;
	}
	if (tag_next || (basic_words && type))
		return NULL;
	if (basic_words)
		type = d_types_of_words(types, &words);
	while (type && *text) {
		if (*text == '*')
			type = d_types_pointer(types, type);
		else if (!strncmp(text, "const", 5))
			text += 4;
		else if (*text != ' ' && *text != '\t')
			return NULL;
		text++;
	}
	return type;
}

const struct d_type *d_type_resolve(const struct d_type *type)
{
	return type->basis ? type->basis : type;
}

bool d_type_same(const struct d_type *one, const struct d_type *other)
{
	for (;;) {
		one = d_type_resolve(one);
		other = d_type_resolve(other);
		if (one == other)
			return true;
		if (one->kind != other->kind)
			return false;
		if (one->kind == D_TYPE_INTEGER)
			return one->size == other->size && one->is_signed == other->is_signed;
		if (one->kind != D_TYPE_POINTER)
			return false;
		one = one->target;
		other = other->target;
	}
}

bool d_type_is_integer(const struct d_type *type)
{
	return type->kind == D_TYPE_INTEGER;
}

bool d_type_is_pointer(const struct d_type *type)
{
	return type->kind == D_TYPE_POINTER;
}

bool d_type_is_scalar(const struct d_type *type)
{
	return type->kind == D_TYPE_INTEGER || type->kind == D_TYPE_POINTER;
}

bool d_type_is_string(const struct d_type *type)
{
	return type->kind == D_TYPE_STRING;
}

bool d_type_is_text(const struct d_type *type)
{
	const struct d_type *target = d_type_is_pointer(type) ? d_type_resolve(type->target) : NULL;

	return d_type_is_string(type) ||
	       (target && target->kind == D_TYPE_INTEGER && target->size == 1 && target->is_signed);
}

static unsigned rank(const struct d_type *type)
{
	return type->size * 8 + !type->is_signed;
}

const struct d_type *d_type_promote(const struct d_type *one, const struct d_type *other)
{
	return rank(other) > rank(one) ? other : one;
}

bool d_type_holds(const struct d_type *type, const struct d_type *other)
{
	if (type->is_signed == other->is_signed)
		return type->size >= other->size;
	return type->is_signed && type->size > other->size;
}

uint64_t d_type_cut(const struct d_type *type, uint64_t value)
{
	switch (type->size) {
	case 1:
		return type->is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
	case 2:
		return type->is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
	case 4:
		return type->is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
	default:
		return value;
	}
}

const char *d_type_text(const struct d_type *type, char *buffer, size_t size)
{
	unsigned stars = 0;
	size_t used;

	for (; type->kind == D_TYPE_POINTER && !type->name; type = type->target)
		stars++;
	snprintf(buffer, size, "%s%s", type->name, stars ? " " : "");
	for (used = strlen(buffer); stars && used + 1 < size; stars--)
		buffer[used++] = '*';
	buffer[used] = '\0';
	return buffer;
}

struct d_value_type d_type_value(const struct d_type *type, uint64_t strsize)
{
	struct d_value_type value = {.kind = D_VALUE_INTEGER, .size = type->size};

	if (d_type_is_string(type)) {
		value.kind = D_VALUE_STRING;
		value.size = (uint32_t)strsize;
	} else if (d_type_is_pointer(type)) {
		value.is_pointer = true;
	} else {
		value.is_signed = type->is_signed;
	}
	return value;
}
