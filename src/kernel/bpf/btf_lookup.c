/*
 * btf_lookup.c: see btf_lookup.h. All queries are answered in one pass over the types, and names
 * are compared by their offset in BTF's strings, since the kernel's description has some hundred
 * thousand types. Damaged data must end the pass and leave queries without an answer.
 */
#include "kernel/bpf/btf_lookup.h"

#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "usdt/elf/btf.h"

static bool is_named(const struct btf_parts *names, uint32_t at, const char *name)
{
	return at < names->names_size && !strcmp(names->names + at, name);
}

/* Returns the offset of a name in BTF's strings, which have each name once; 0: it is not there. */
static uint32_t find_name(const struct btf_parts *names, const char *name)
{
	char wanted[64];
	const char *found;
	size_t length = (size_t)snprintf(wanted, sizeof(wanted), "%c%s", '\0', name) + 1;

	if (length > sizeof(wanted))
		return 0;
	found = memmem(names->names, names->names_size, wanted, length);
	return found ? (uint32_t)(found + 1 - names->names) : 0;
}

/* Looks for the member in a struct whose members begin at `at`. */
static bool find_member(const struct btf_parts *names, const struct btf_type *type,
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
	struct btf_parts parts;
	const uint8_t *at;
	struct btf_type type;
	size_t left = 0, bytes;
	unsigned kind;

	if (!btf_parts_find(data, size, &parts))
		return;
	for (size_t i = 0; i < count; i++) {
		queries[i].place = find_name(&parts, queries[i].name);
		left += queries[i].place != 0;
	}
	at = parts.types;
	for (uint32_t id = 1; left && (bytes = btf_type_bytes(at, parts.types_end)); id++) {
		memcpy(&type, at, sizeof(type));
		kind = BTF_INFO_KIND(type.info);
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
				query->is_found = find_member(&parts, &type, at + sizeof(type),
					query->member, &query->result);
			left -= query->is_found;
		}
		at += bytes;
	}
}

void kernel_btf_find(struct kernel_btf_query *queries, size_t count)
{
	struct btf_bytes bytes;

	for (size_t i = 0; i < count; i++)
		queries[i].is_found = false;
	btf_bytes_read("/sys/kernel/btf/vmlinux", &bytes);
	if (bytes.data)
		kernel_btf_search(bytes.data, bytes.size, queries, count);
	btf_bytes_free(&bytes);
}
