/*
 * btf_lookup.h: looks up functions and members of structs in the kernel's description of
 * its own types (BTF).
 */
#ifndef VMTAP_KERNEL_BPF_BTF_LOOKUP_H
#define VMTAP_KERNEL_BPF_BTF_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_btf_kind { KERNEL_BTF_FUNCTION, KERNEL_BTF_MEMBER };

struct kernel_btf_query {
	enum kernel_btf_kind kind;
	const char *name;   /* of the function; of a member's struct */
	const char *member; /* NULL for a function */
	bool is_found;
	uint32_t result; /* the number of the function; a member's offset in bytes */
	uint32_t place;  /* of the name; only for the search */
};

/*
 * Answers all queries by one pass over some megabytes, which takes a millisecond or two. Nothing is
 * found where the kernel does not describe its types.
 */
void kernel_btf_find(struct kernel_btf_query *queries, size_t count);

/* The same in other data, for tests. */
void kernel_btf_search(
	const uint8_t *data, size_t size, struct kernel_btf_query *queries, size_t count);

#endif
