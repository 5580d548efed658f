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

/* Type names from the system's headers and from the kernels of systems that have D. */
static const struct {
	const char *type;
	const char *names; /* separated by blanks */
} aliases[] = {
	{"signed char", "int8_t s8 __s8"},
	{"unsigned char", "uint8_t uchar_t u_char u8 __u8"},
	{"short", "int16_t s16 __s16 index_t"},
	{"unsigned short",
		"uint16_t ushort_t u_short u16 __u16 __be16 __le16 in_port_t "
		"sa_family_t umode_t o_mode_t"},
	{"int",
		"int32_t s32 __s32 id_t pid_t projid_t taskid_t poolid_t zoneid_t "
		"ctid_t psetid_t processorid_t chipid_t lgrp_id_t key_t clockid_t "
		"timer_t wchar_t wint_t boolean_t errno_t pri_t sysid_t kid_t"},
	{"unsigned int",
		"uint32_t uint_t u_int uint u32 __u32 __be32 __le32 uid_t gid_t mode_t "
		"dev_t nlink_t major_t minor_t ipaddr_t in_addr_t socklen_t lwpid_t "
		"gfp_t fmode_t useconds_t"},
	{"long",
		"int64_t intptr_t ssize_t ptrdiff_t off_t time_t clock_t daddr_t "
		"suseconds_t blksize_t spgcnt_t"},
	{"unsigned long",
		"uint64_t uintptr_t size_t ulong_t u_long ino_t pgcnt_t pfn_t use_t "
		"cnt_t pthread_t fsblkcnt_t fsfilcnt_t rlim_t rlim64_t paddr_t"},
	{"long long", "longlong_t hrtime_t s64 __s64 loff_t off64_t offset_t blkcnt_t ktime_t"},
	{"unsigned long long",
		"u_longlong_t u64 __u64 __be64 __le64 u_offset_t diskaddr_t len_t "
		"sector_t ino64_t"},
	{"_Bool", "bool"},
	{"char *", "caddr_t"},
	{"void *", "timeout_id_t bufcall_id_t"},
};

/* The types of places; scripts cannot name them. */
static const struct d_type places[D_VALUE_KINDS - D_VALUE_GUEST_STACK] = {
	[D_VALUE_GUEST_STACK - D_VALUE_GUEST_STACK] = {.name = "guest stack",
		.place = D_VALUE_GUEST_STACK},
	[D_VALUE_STACK - D_VALUE_GUEST_STACK] = {.name = "stack", .place = D_VALUE_STACK},
	[D_VALUE_SYMBOL - D_VALUE_GUEST_STACK] = {.name = "_symaddr", .place = D_VALUE_SYMBOL},
	[D_VALUE_MODULE - D_VALUE_GUEST_STACK] = {.name = "_symaddr", .place = D_VALUE_MODULE},
	[D_VALUE_USER_SYMBOL -
		D_VALUE_GUEST_STACK] = {.name = "_usymaddr", .place = D_VALUE_USER_SYMBOL},
	[D_VALUE_USER_MODULE -
		D_VALUE_GUEST_STACK] = {.name = "_usymaddr", .place = D_VALUE_USER_MODULE},
	[D_VALUE_USER_ADDRESS -
		D_VALUE_GUEST_STACK] = {.name = "_usymaddr", .place = D_VALUE_USER_ADDRESS},
};

static const struct d_type *make(struct d_types *types, const struct d_type *like)
{
	struct d_type *type = arena_get(types->arena, sizeof(*type));

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
	alias.layout = 0;
	name->type = make(types, &alias);
	return name->type ? 0 : -ENOMEM;
}

/* Defines all names in a row of aliases for a type. */
static int define_aliases(struct d_types *types, const char *names, const struct d_type *type)
{
	int result = type ? 0 : -ENOMEM;

	while (*names && !result) {
		size_t length = strcspn(names, " ");
		struct d_name *name = d_names_get(types->names, names, length);

		result = name ? d_types_define(types, name, type) : -ENOMEM;
		names += length + (names[length] == ' ');
	}
	return result;
}

int d_types_init(
	struct d_types *types, struct d_names *names, struct arena *arena, const uint64_t *strsize)
{
	const struct d_type dynamic = {.kind = D_TYPE_DYNAMIC, .name = "<DYN>"};
	const struct d_type function = {.kind = D_TYPE_FUNCTION, .name = "function"};
	struct d_name *name;
	int result = 0;

	types->arena = arena;
	types->names = names;
	types->strsize = strsize;
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
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]) && !result; i++)
		result = define_aliases(
			types, aliases[i].names, d_types_parse(types, aliases[i].type));
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
	types->type_function = make(types, &function);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct d_type place = places[i];

		place.kind = D_TYPE_PLACE;
		types->type_places[i] = make(types, &place);
		if (!types->type_places[i])
			return -ENOMEM;
	}
	return types->type_dynamic && types->type_function ? 0 : -ENOMEM;
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
	/* This cache is the only part of a type that changes after its creation. */
	((struct d_type *)target)->pointer = make(types, &pointer);
	return target->pointer;
}

struct d_type *d_types_tag(struct d_types *types, enum d_type_kind kind, struct d_name *tag)
{
	static const char *const words[] = {"struct ", "union ", "enum "};
	unsigned which = kind == D_TYPE_STRUCT ? 0 : kind == D_TYPE_UNION ? 1 : 2;
	struct d_type *type = tag->tags[which];
	char *name;

	if (type)
		return type;
	type = arena_get(types->arena, sizeof(*type));
	name = arena_get(types->arena, strlen(words[which]) + tag->length + 1);
	if (!type || !name)
		return NULL;
	memcpy(name, words[which], strlen(words[which]));
	memcpy(name + strlen(words[which]), tag->bytes, tag->length);
	type->name = name;
	d_types_start(types, type, kind);
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
	unsigned signs = (words->signeds > 0) + (words->unsigneds > 0);
	char name[64];
	const char *base = "int";

	if (bases > 1 || words->ints > 1 || (bases && words->ints) || signs > 1 ||
		words->longs > 2 || (words->shorts && words->longs))
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
		if (one->kind == D_TYPE_STRING)
			return true;
		if (one->kind == D_TYPE_INTEGER)
			return one->size == other->size && one->is_signed == other->is_signed;
		if (one->kind == D_TYPE_ARRAY && one->count != other->count)
			return false;
		if (one->kind != D_TYPE_POINTER && one->kind != D_TYPE_ARRAY)
			return false;
		one = one->target;
		other = other->target;
	}
}

bool d_type_is_integer(const struct d_type *type)
{
	return type->kind == D_TYPE_INTEGER || type->kind == D_TYPE_ENUM;
}

bool d_type_is_pointer(const struct d_type *type)
{
	return type->kind == D_TYPE_POINTER || type->kind == D_TYPE_ARRAY;
}

bool d_type_is_scalar(const struct d_type *type)
{
	return d_type_is_integer(type) || type->kind == D_TYPE_POINTER;
}

bool d_type_is_string(const struct d_type *type)
{
	return type->kind == D_TYPE_STRING;
}

bool d_type_is_stack(const struct d_type *type)
{
	return type->kind == D_TYPE_PLACE && type->place <= D_VALUE_STACK;
}

bool d_type_is_text(const struct d_type *type)
{
	const struct d_type *target = d_type_is_pointer(type) ? d_type_resolve(type->target) : NULL;

	return d_type_is_string(type) ||
		(target && target->kind == D_TYPE_INTEGER && target->size == 1 &&
			target->is_signed);
}

bool d_type_converts(const struct d_type *to, const struct d_type *from)
{
	if (!d_type_is_text(to) || !d_type_is_text(from))
		return false;
	if (to->kind == D_TYPE_ARRAY && from->kind == D_TYPE_ARRAY)
		return d_type_resolve(to)->size != d_type_resolve(from)->size;
	return d_type_is_string(to) != d_type_is_string(from) || to->kind == D_TYPE_ARRAY;
}

static unsigned rank(const struct d_type *type)
{
	return type->size * 8 + !type->is_signed;
}

const struct d_type *d_type_promote(const struct d_type *one, const struct d_type *other)
{
	if (one->kind == D_TYPE_ENUM)
		one = d_type_resolve(one)->target;
	if (other->kind == D_TYPE_ENUM)
		other = d_type_resolve(other)->target;
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

/*
 * Appends the name of a type; the nesting of pointers and arrays is limited, so this may recurse.
 */
static size_t append_name(const struct d_type *type, char *buffer, size_t size, size_t used)
{
	if (type->name) {
		snprintf(buffer + used, size - used, "%s", type->name);
	} else {
		bool star = type->target->kind == D_TYPE_POINTER && !type->target->name;

		used = append_name(type->target, buffer, size, used);
		if (type->kind == D_TYPE_POINTER)
			snprintf(buffer + used, size - used, star ? "*" : " *");
		else if (d_type_is_unsized(type))
			snprintf(buffer + used, size - used, " []");
		else
			snprintf(buffer + used, size - used, " [%u]", type->count);
	}
	return used + strlen(buffer + used);
}

const char *d_type_text(const struct d_type *type, char *buffer, size_t size)
{
	append_name(type, buffer, size, 0);
	return buffer;
}

struct d_value_type d_type_value(const struct d_type *type, uint64_t strsize)
{
	struct d_value_type value = {.kind = D_VALUE_INTEGER, .size = d_type_resolve(type)->size};

	if (d_type_is_string(type)) {
		value.kind = D_VALUE_STRING;
		value.size = (uint32_t)strsize;
	} else if (d_type_is_memory(type)) {
		value.kind = D_VALUE_BYTES;
	} else if (d_type_is_pointer(type)) {
		value.is_pointer = true;
	} else if (type->kind == D_TYPE_PLACE) {
		value.kind = type->place;
	} else {
		/* An enum counts as unsigned here. */
		value.is_signed = type->is_signed && type->kind != D_TYPE_ENUM;
	}
	return value;
}
