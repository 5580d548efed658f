/* btf.c: see btf.h. The places of all types are noted by one pass when the file is first used. */
#include "usdt/elf/btf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum { BTF_KINDS = 20, RESOLVE_MAX = 32, NESTING_MAX = 16 };

/* Bytes that follow the head of a type; per member in bytes of `each`. */
static const struct {
	uint8_t once, each;
} type_bytes[BTF_KINDS] = {[BTF_KIND_INT] = {4, 0},
	[BTF_KIND_ARRAY] = {12, 0},
	[BTF_KIND_STRUCT] = {0, 12},
	[BTF_KIND_UNION] = {0, 12},
	[BTF_KIND_ENUM] = {0, 8},
	[BTF_KIND_FUNC_PROTO] = {0, 8},
	[BTF_KIND_VAR] = {4, 0},
	[BTF_KIND_DATASEC] = {0, 12},
	[BTF_KIND_DECL_TAG] = {4, 0},
	[BTF_KIND_ENUM64] = {0, 12}};

struct btf {
	char *path;
	struct btf *base; /* its types and names are numbered first; NULL: there is none */
	bool is_read;
	struct btf_bytes bytes;
	const char *names;
	uint32_t names_size;
	const uint8_t **types; /* by number, without those of the base; [0] is not used */
	uint32_t count;
};

struct btf *btf_new(const char *path)
{
	struct btf *btf = calloc(1, sizeof(*btf));

	if (btf)
		btf->path = strdup(path);
	if (btf && btf->path)
		return btf;
	free(btf);
	return NULL;
}

struct btf *btf_new_module(const char *path, struct btf *base)
{
	struct btf *btf = btf_new(path);

	if (btf)
		btf->base = base;
	return btf;
}

void btf_free(struct btf *btf)
{
	if (!btf)
		return;
	btf_bytes_free(&btf->bytes);
	free(btf->types);
	free(btf->path);
	free(btf);
}

/* ---- reading ---- */

/* For kernels that do not map their BTF; each read gives a page of it. */
static void read_all(struct btf_bytes *bytes, int file)
{
	size_t done = 0;
	ssize_t part;

	bytes->data = malloc(bytes->size);
	while (bytes->data && done < bytes->size &&
		(part = read(file, bytes->data + done, bytes->size - done)) > 0)
		done += (size_t)part;
	bytes->size = done;
}

void btf_bytes_read(const char *path, struct btf_bytes *bytes)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *data;

	*bytes = (struct btf_bytes){.data = NULL};
	if (file < 0)
		return;
	if (!fstat(file, &status) && status.st_size > 0) {
		bytes->size = (size_t)status.st_size;
		data = mmap(NULL, bytes->size, PROT_READ, MAP_PRIVATE, file, 0);
		bytes->is_mapped = data != MAP_FAILED;
		if (bytes->is_mapped)
			bytes->data = data;
		else
			read_all(bytes, file);
	}
	close(file);
}

void btf_bytes_free(struct btf_bytes *bytes)
{
	if (bytes->is_mapped)
		munmap(bytes->data, bytes->size);
	else
		free(bytes->data);
	*bytes = (struct btf_bytes){.data = NULL};
}

bool btf_parts_find(const uint8_t *data, size_t size, struct btf_parts *parts)
{
	struct btf_header header;

	if (!data || size < sizeof(header))
		return false;
	memcpy(&header, data, sizeof(header));
	if (header.magic != BTF_MAGIC || header.hdr_len > size ||
		(uint64_t)header.hdr_len + header.type_off + header.type_len > size ||
		(uint64_t)header.hdr_len + header.str_off + header.str_len > size ||
		!header.str_len || data[header.hdr_len + header.str_off + header.str_len - 1])
		return false;
	parts->types = data + header.hdr_len + header.type_off;
	parts->types_end = parts->types + header.type_len;
	parts->names = (const char *)data + header.hdr_len + header.str_off;
	parts->names_size = header.str_len;
	return true;
}

size_t btf_type_bytes(const uint8_t *at, const uint8_t *end)
{
	struct btf_type type;
	unsigned kind;
	size_t bytes;

	if ((size_t)(end - at) < sizeof(type))
		return 0;
	memcpy(&type, at, sizeof(type));
	kind = BTF_INFO_KIND(type.info);
	if (kind >= BTF_KINDS)
		return 0;
	bytes = sizeof(type) + type_bytes[kind].once +
		(size_t)type_bytes[kind].each * BTF_INFO_VLEN(type.info);
	return bytes <= (size_t)(end - at) ? bytes : 0;
}

/* Notes where each type is; what follows a type of an unknown kind is not known. */
static void note_types(struct btf *btf)
{
	struct btf_parts parts;
	size_t capacity = 0;
	size_t bytes;

	if (!btf_parts_find(btf->bytes.data, btf->bytes.size, &parts))
		return;
	btf->names = parts.names;
	btf->names_size = parts.names_size;
	btf->count = 1;
	for (const uint8_t *at = parts.types; (bytes = btf_type_bytes(at, parts.types_end));
		at += bytes) {
		if (array_room(&btf->types, &capacity, btf->count, sizeof(*btf->types)))
			return;
		btf->types[btf->count++] = at;
	}
}

static bool is_ready(struct btf *btf)
{
	if (btf->base && !is_ready(btf->base))
		return false;
	if (!btf->is_read) {
		btf->is_read = true;
		btf_bytes_read(btf->path, &btf->bytes);
		note_types(btf);
	}
	return btf->count > 1;
}

/* How many numbers of types, and bytes of names, the base has. */
static uint32_t base_types(const struct btf *btf)
{
	return btf->base ? btf->base->count - 1 : 0;
}

static uint32_t base_names(const struct btf *btf)
{
	return btf->base ? btf->base->names_size : 0;
}

/* ---- types ---- */

static const char *name_at(const struct btf *btf, uint32_t place)
{
	if (place < base_names(btf))
		return name_at(btf->base, place);
	place -= base_names(btf);
	return place < btf->names_size ? btf->names + place : "";
}

static void view_array(struct btf_view *view)
{
	struct btf_array array;

	memcpy(&array, view->own, sizeof(array));
	view->target = array.type;
	view->count = array.nelems;
}

bool btf_get(struct btf *btf, uint32_t number, struct btf_view *view)
{
	struct btf_type type;
	uint32_t encoding;

	*view = (struct btf_view){.name = ""};
	if (!number)
		return true;
	if (!is_ready(btf))
		return false;
	if (number <= base_types(btf))
		return btf_get(btf->base, number, view);
	number -= base_types(btf);
	if (number >= btf->count)
		return false;
	memcpy(&type, btf->types[number], sizeof(type));
	view->kind = BTF_INFO_KIND(type.info);
	view->name = name_at(btf, type.name_off);
	view->size = view->target = type.size;
	view->count = BTF_INFO_VLEN(type.info);
	view->has_bits = view->is_signed = BTF_INFO_KFLAG(type.info);
	view->own = btf->types[number] + sizeof(type);
	if (view->kind == BTF_KIND_INT) {
		memcpy(&encoding, view->own, sizeof(encoding));
		view->is_signed = BTF_INT_ENCODING(encoding) & BTF_INT_SIGNED;
	} else if (view->kind == BTF_KIND_ARRAY) {
		view_array(view);
	}
	return true;
}

uint32_t btf_resolve(struct btf *btf, uint32_t number)
{
	struct btf_view view;

	for (unsigned i = 0; i < RESOLVE_MAX && btf_get(btf, number, &view); i++) {
		switch (view.kind) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			number = view.target;
			break;
		default:
			return number;
		}
	}
	return number;
}

bool btf_field(
	struct btf *btf, const struct btf_view *view, uint32_t index, struct btf_field *field)
{
	struct btf_var_secinfo variable;
	struct btf_param parameter;
	struct btf_member member;

	if (index >= view->count)
		return false;
	if (view->kind == BTF_KIND_FUNC_PROTO) {
		memcpy(&parameter, view->own + index * sizeof(parameter), sizeof(parameter));
		*field = (struct btf_field){
			.name = name_at(btf, parameter.name_off), .type = parameter.type};
		return true;
	}
	if (view->kind == BTF_KIND_DATASEC) {
		memcpy(&variable, view->own + index * sizeof(variable), sizeof(variable));
		*field = (struct btf_field){.name = "", .type = variable.type};
		return true;
	}
	if (view->kind != BTF_KIND_STRUCT && view->kind != BTF_KIND_UNION)
		return false;
	memcpy(&member, view->own + index * sizeof(member), sizeof(member));
	*field = (struct btf_field){.name = name_at(btf, member.name_off),
		.type = member.type,
		.bit_offset = view->has_bits ? BTF_MEMBER_BIT_OFFSET(member.offset) : member.offset,
		.bits = view->has_bits ? BTF_MEMBER_BITFIELD_SIZE(member.offset) : 0};
	return true;
}

/* ---- looking up ---- */

/* The offset of a name; each is there only once. UINT32_MAX: there is no such name. */
static uint32_t find_name(const struct btf *btf, const char *name)
{
	uint32_t place = btf->base ? find_name(btf->base, name) : UINT32_MAX;
	char wanted[128];
	const char *found;
	size_t length = (size_t)snprintf(wanted, sizeof(wanted), "%c%s", '\0', name) + 1;

	if (place != UINT32_MAX || length > sizeof(wanted) || !*name)
		return place;
	if (!strcmp(btf->names, name)) /* a module's first name need not be empty */
		return base_names(btf);
	found = memmem(btf->names, btf->names_size, wanted, length);
	return found ? base_names(btf) + (uint32_t)(found + 1 - btf->names) : UINT32_MAX;
}

uint32_t btf_find(struct btf *btf, unsigned kind, const char *name)
{
	uint32_t place = is_ready(btf) ? find_name(btf, name) : UINT32_MAX;
	uint32_t number = btf->base ? btf_find(btf->base, kind, name) : 0;
	struct btf_type type;

	for (uint32_t i = 1; place != UINT32_MAX && !number && i < btf->count; i++) {
		memcpy(&type, btf->types[i], sizeof(type));
		if (type.name_off == place && BTF_INFO_KIND(type.info) == kind)
			number = base_types(btf) + i;
	}
	return number;
}

struct btf *btf_find_in_modules(struct btf *base, unsigned kind, const char *name, uint32_t *number)
{
	int length = (int)(strrchr(base->path, '/') ? strrchr(base->path, '/') - base->path : 0);
	char path[PATH_MAX];
	struct btf *module = NULL;
	const struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%.*s", length, base->path);
	folder = opendir(path);
	*number = 0;
	while (folder && !*number && (entry = readdir(folder))) {
		if (*entry->d_name == '.' || !strcmp(entry->d_name, base->path + length + 1))
			continue;
		btf_free(module);
		snprintf(path, sizeof(path), "%.*s/%s", length, base->path, entry->d_name);
		module = btf_new_module(path, base);
		*number = module ? btf_find(module, kind, name) : 0;
	}
	if (folder)
		closedir(folder);
	if (*number)
		return module;
	btf_free(module);
	return NULL;
}

int btf_each(struct btf *btf, unsigned kind, const char *prefix,
	int (*visit)(void *context, uint32_t number, const char *name), void *context)
{
	size_t length = strlen(prefix);
	struct btf_type type;
	int result = 0;

	for (uint32_t i = 1; is_ready(btf) && i < btf->count && !result; i++) {
		memcpy(&type, btf->types[i], sizeof(type));
		if (BTF_INFO_KIND(type.info) == kind &&
			!strncmp(name_at(btf, type.name_off), prefix, length))
			result = visit(context, base_types(btf) + i, name_at(btf, type.name_off));
	}
	return result;
}

static int find_member(struct btf *btf, uint32_t number, const char *name, uint32_t *offset,
	uint32_t *type, unsigned nesting)
{
	struct btf_view view;
	struct btf_field field;

	if (nesting > NESTING_MAX || !btf_get(btf, btf_resolve(btf, number), &view))
		return -ENOENT;
	for (uint32_t i = 0; btf_field(btf, &view, i, &field); i++) {
		uint32_t base = *offset + field.bit_offset / 8;

		if (!strcmp(field.name, name)) {
			*offset = base;
			if (type)
				*type = field.type;
			return 0;
		}
		if (!*field.name && !find_member(btf, field.type, name, &base, type, nesting + 1)) {
			*offset = base;
			return 0;
		}
	}
	return -ENOENT;
}

int btf_offset(
	struct btf *btf, const char *tag, const char *member, uint32_t *offset, uint32_t *type)
{
	uint32_t number = btf_find(btf, BTF_KIND_STRUCT, tag);

	*offset = 0;
	return number ? find_member(btf, number, member, offset, type, 0) : -ENOENT;
}

/* ---- text ---- */

static const char *integer_text(const struct btf_view *view)
{
	switch (view->size) {
	case 1:
		return view->is_signed || !strcmp(view->name, "char") ? "char" : "uint8_t";
	case 2:
		return view->is_signed ? "int16_t" : "uint16_t";
	case 4:
		return view->is_signed ? "int" : "uint32_t";
	default:
		return view->is_signed ? "int64_t" : "uint64_t";
	}
}

const char *btf_text(struct btf *btf, uint32_t number, char *buffer, size_t size)
{
	unsigned stars = 0;
	struct btf_view view;
	size_t length;

	for (;;) {
		number = btf_resolve(btf, number);
		if (!btf_get(btf, number, &view) || view.kind != BTF_KIND_PTR || stars == 8)
			break;
		number = view.target;
		stars++;
	}
	switch (view.kind) {
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		snprintf(buffer, size, "%s", integer_text(&view));
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD:
		if (*view.name)
			snprintf(buffer, size, "%s %s",
				view.kind == BTF_KIND_UNION ? "union" : "struct", view.name);
		else
			snprintf(buffer, size, "%s", stars ? "void" : "uint64_t");
		break;
	default:
		snprintf(buffer, size, "%s", stars ? "void" : "uint64_t");
	}
	length = strlen(buffer);
	for (unsigned i = 0; i < stars && length + 3 < size; i++)
		length += (size_t)snprintf(buffer + length, size - length, i ? "*" : " *");
	return buffer;
}
