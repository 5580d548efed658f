/*
 * print_layout.h: how the memory of a type divides into values, for print(). Layouts are part of a
 * program: plain data that the engine reads without knowing D's types.
 *
 * Layouts refer to each other by their index in the program, always to lower ones, so they never
 * form a cycle. A type that is used twice has one layout. Layouts are at most D_LAYOUT_DEPTH_MAX
 * deep, so code that walks them may recurse.
 */
#ifndef VMTAP_PROGRAM_PRINT_LAYOUT_H
#define VMTAP_PROGRAM_PRINT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { D_LAYOUT_DEPTH_MAX = 64 };

enum d_layout_kind {
	D_LAYOUT_INTEGER,
	D_LAYOUT_CHARACTER, /* an integer that is shown as a character if it is printable */
	D_LAYOUT_POINTER,
	D_LAYOUT_ENUM, /* names[ ] */
	D_LAYOUT_FLOAT,
	D_LAYOUT_STRING, /* bytes up to a NUL */
	D_LAYOUT_STRUCT, /* or a union: parts[ ] */
	D_LAYOUT_ARRAY,  /* of `element` */
	D_LAYOUT_KINDS
};

/* A member. */
struct d_layout_part {
	char *name;
	uint32_t offset;
	uint32_t layout;
	uint8_t bits;  /* of a bit-field; 0: it is none */
	uint8_t shift; /* where they begin in the layout's bytes: 0 is the lowest bit */
};

/* An enumerator. */
struct d_layout_name {
	char *name;
	int64_t value;
};

struct d_layout {
	enum d_layout_kind kind;
	bool is_signed;
	uint32_t size;  /* bytes */
	uint32_t depth; /* greater than the depth of anything it contains */
	char *type;     /* its name in D */
	uint32_t element;
	size_t count; /* of parts, names or elements */
	struct d_layout_part *parts;
	struct d_layout_name *names;
};

/*
 * Whether layouts[index] follows the rules above. Those with a lower index must be known to do so.
 */
bool d_layout_is_valid(const struct d_layout *layouts, uint32_t index);

void d_layout_free(struct d_layout *layout);

#endif
