/*
 * btf.h: the kernel's description of its own types (BTF): structs, unions, typedefs, functions. A
 * description is read when something is first looked up in it, which takes some milliseconds;
 * where there is none, nothing is found. One thread at a time may use it.
 */
#ifndef VMTAP_USDT_ELF_BTF_H
#define VMTAP_USDT_ELF_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;

/* A type. Names are valid as long as the description; "" if the type has none. */
struct btf_view {
	unsigned kind; /* BTF_KIND_... of <linux/btf.h> */
	const char *name;
	uint32_t size;      /* bytes: of integers, structs, unions and enums */
	uint32_t target;    /* of pointers, typedefs, arrays and the like: the type's number */
	uint32_t count;     /* members, elements or parameters */
	bool is_signed;     /* of integers and enums */
	bool has_bits;      /* private */
	const uint8_t *own; /* private */
};

/* A member of a struct or union, a parameter of a function, or a variable of a section
 * (BTF_KIND_VAR).
 */
struct btf_field {
	const char *name;
	uint32_t type;
	uint32_t bit_offset;
	uint32_t bits; /* of a bit-field; 0: it is none */
};

/* Where the types and the names are in a description; the last byte of the names is a NUL. */
struct btf_parts {
	const uint8_t *types, *types_end;
	const char *names;
	uint32_t names_size;
};

/* The bytes of a file, mapped or, where the kernel does not map its description, read. */
struct btf_bytes {
	uint8_t *data; /* NULL: it cannot be read */
	size_t size;
	bool is_mapped;
};

void btf_bytes_read(const char *path, struct btf_bytes *bytes);
void btf_bytes_free(struct btf_bytes *bytes);

/* Finds the parts of a description; false: the bytes are none. */
bool btf_parts_find(const uint8_t *data, size_t size, struct btf_parts *parts);

/* The size of the type that begins at `at`; 0: it is cut off, or its kind is unknown. */
size_t btf_type_bytes(const uint8_t *at, const uint8_t *end);

/* NULL: no memory. */
struct btf *btf_new(const char *path);

/*
 * The description of a module, which refers to the types of the kernel, its base; its own types are
 * numbered after those. The base must live longer. NULL: no memory.
 */
struct btf *btf_new_module(const char *path, struct btf *base);
void btf_free(struct btf *btf);

/* The number of the type of that kind and name; 0: there is none. Types of the base count, too. */
uint32_t btf_find(struct btf *btf, unsigned kind, const char *name);

/*
 * Returns the description of a module, in the base's folder, that has a type of that kind and name,
 * and sets the type's number. Free it by btf_free(). NULL: no module has one.
 */
struct btf *btf_find_in_modules(
	struct btf *base, unsigned kind, const char *name, uint32_t *number);

/* Number 0 is void, whose kind is BTF_KIND_UNKN. False: there is no such type. */
bool btf_get(struct btf *btf, uint32_t number, struct btf_view *view);

/* The type that a number means without typedefs and qualifiers. */
uint32_t btf_resolve(struct btf *btf, uint32_t number);

bool btf_field(
	struct btf *btf, const struct btf_view *view, uint32_t index, struct btf_field *field);

/*
 * Where a member is, in bytes from the beginning of a struct; members of unnamed structs in it
 * count as its own. Its type is written to *type if that is not NULL. -ENOENT.
 */
int btf_offset(
	struct btf *btf, const char *tag, const char *member, uint32_t *offset, uint32_t *type);

/* "struct task_struct *", as D can read it; integers as one of the same size and sign. */
const char *btf_text(struct btf *btf, uint32_t number, char *buffer, size_t size);

/* Calls visit for each type of that kind whose name begins with the prefix, until it returns not 0,
 * and returns that. Types of the base are left out. */
int btf_each(struct btf *btf, unsigned kind, const char *prefix,
	int (*visit)(void *context, uint32_t number, const char *name), void *context);

#endif
