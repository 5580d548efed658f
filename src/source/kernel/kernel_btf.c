/* kernel_btf.c: see kernel_btf.h. */
#include "source/kernel/kernel_btf.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BTF_KINDS = 20 };

/* Bytes that follow the head of a type in BTF; per member in bytes of `each`. */
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

/* The texts of names; the last byte is a NUL. */
struct btf_names {
	const char *texts;
	uint32_t size;
};

static bool is_named(const struct btf_names *names, uint32_t at, const char *name)
{
	return at < names->size && !strcmp(names->texts + at, name);
}

/* Looks for the member in a struct whose members begin at `at`. */
static void find_member(const struct btf_names *names, const struct btf_type *type,
	const uint8_t *at, struct kernel_btf_query *query)
{
	for (unsigned i = 0; i < BTF_INFO_VLEN(type->info) && !query->is_found; i++) {
		struct btf_member member;

		memcpy(&member, at + i * sizeof(member), sizeof(member));
		query->is_found = is_named(names, member.name_off, query->member);
		query->result = (BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(member.offset)
							    : member.offset) /
			8;
	}
}

void kernel_btf_search(
	const uint8_t *data, size_t size, struct kernel_btf_query *queries, size_t count)
{
	struct btf_header header;
	const uint8_t *at, *end;
	struct btf_type type;
	struct btf_names names;

	if (size < sizeof(header))
		return;
	memcpy(&header, data, sizeof(header));
	if (header.magic != BTF_MAGIC || header.hdr_len > size ||
		(uint64_t)header.hdr_len + header.type_off + header.type_len > size ||
		(uint64_t)header.hdr_len + header.str_off + header.str_len > size ||
		!header.str_len || data[header.hdr_len + header.str_off + header.str_len - 1])
		return;
	at = data + header.hdr_len + header.type_off;
	end = at + header.type_len;
	names = (struct btf_names){
		(const char *)data + header.hdr_len + header.str_off, header.str_len};
	for (uint32_t id = 1; (size_t)(end - at) >= sizeof(type); id++) {
		unsigned kind;
		size_t more;

		memcpy(&type, at, sizeof(type));
		kind = BTF_INFO_KIND(type.info);
		if (kind >= BTF_KINDS)
			return;
		more = type_bytes[kind].once +
			(size_t)type_bytes[kind].each * BTF_INFO_VLEN(type.info);
		at += sizeof(type);
		if (more > (size_t)(end - at))
			return;
		for (size_t i = 0; i < count; i++) {
			struct kernel_btf_query *query = &queries[i];

			if (query->is_found ||
				kind !=
					(query->kind == KERNEL_BTF_FUNCTION ? BTF_KIND_FUNC
									    : BTF_KIND_STRUCT) ||
				!is_named(&names, type.name_off, query->name))
				continue;
			if (query->kind == KERNEL_BTF_MEMBER) {
				find_member(&names, &type, at, query);
				continue;
			}
			query->is_found = true;
			query->result = id;
		}
		at += more;
	}
}

void kernel_btf_find(struct kernel_btf_query *queries, size_t count)
{
	int file = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct stat status;
	uint8_t *data = NULL;
	size_t size = 0;
	ssize_t part;

	for (size_t i = 0; i < count; i++)
		queries[i].is_found = false;
	if (file < 0)
		return;
	if (!fstat(file, &status) && status.st_size > 0)
		data = malloc((size_t)status.st_size);
	while (data && size < (size_t)status.st_size &&
		(part = read(file, data + size, (size_t)status.st_size - size)) > 0)
		size += (size_t)part;
	if (data)
		kernel_btf_search(data, size, queries, count);
	free(data);
	close(file);
}
