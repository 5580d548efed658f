/* kernel_btf.c: see kernel_btf.h. */
#include "source/kernel/kernel_btf.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Where a name is among BTF's names, which are each there once; 0: nowhere. */
static uint32_t find_name(const struct btf_names *names, const char *name)
{
	char wanted[64];
	const char *found;
	size_t length = (size_t)snprintf(wanted, sizeof(wanted), "%c%s", '\0', name) + 1;

	if (length > sizeof(wanted))
		return 0;
	found = memmem(names->texts, names->size, wanted, length);
	return found ? (uint32_t)(found + 1 - names->texts) : 0;
}

/* Looks for the member in a struct whose members begin at `at`. */
static bool find_member(const struct btf_names *names, const struct btf_type *type,
	const uint8_t *at, const char *name, uint32_t *offset)
{
	for (unsigned i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		struct btf_member member;

		memcpy(&member, at + i * sizeof(member), sizeof(member));
		*offset = (BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(member.offset)
						      : member.offset) /
			8;
		if (is_named(names, member.name_off, name))
			return true;
	}
	return false;
}

void kernel_btf_search(
	const uint8_t *data, size_t size, struct kernel_btf_query *queries, size_t count)
{
	struct btf_header header;
	const uint8_t *at, *end;
	struct btf_type type;
	struct btf_names names;
	size_t left = 0;

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
	for (size_t i = 0; i < count; i++) {
		queries[i].place = find_name(&names, queries[i].name);
		left += queries[i].place != 0;
	}
	for (uint32_t id = 1; left && (size_t)(end - at) >= sizeof(type); id++) {
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
				!query->place || type.name_off != query->place)
				continue;
			query->is_found = true;
			query->result = id;
			if (query->kind == KERNEL_BTF_MEMBER)
				query->is_found = find_member(
					&names, &type, at, query->member, &query->result);
			left -= query->is_found;
		}
		at += more;
	}
}

/* For kernels that do not map their BTF; each read gives a page of it. */
static void search_by_reading(int file, size_t size, struct kernel_btf_query *queries, size_t count)
{
	uint8_t *data = malloc(size);
	size_t done = 0;
	ssize_t part;

	while (data && done < size && (part = read(file, data + done, size - done)) > 0)
		done += (size_t)part;
	if (data)
		kernel_btf_search(data, done, queries, count);
	free(data);
}

void kernel_btf_find(struct kernel_btf_query *queries, size_t count)
{
	int file = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct stat status;

	for (size_t i = 0; i < count; i++)
		queries[i].is_found = false;
	if (file < 0)
		return;
	if (!fstat(file, &status) && status.st_size > 0) {
		size_t size = (size_t)status.st_size;
		void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);

		if (data == MAP_FAILED) {
			search_by_reading(file, size, queries, count);
		} else {
			kernel_btf_search(data, size, queries, count);
			munmap(data, size);
		}
	}
	close(file);
}
