/*
 * hint.h: hints at the end of messages: D's name for something that other tracing languages call by
 * another name. Private to src/d.
 */
#ifndef VMTAP_D_HINT_H
#define VMTAP_D_HINT_H

#include <stdbool.h>
#include <stddef.h>

#include "d/name_table.h"

struct d_compiler;
struct d_name;
struct d_node;
struct d_type;

enum { D_HINT_MAX = 96 };

/*
 * What may be meant by an unknown function or variable of a name space: D's name for what bpftrace
 * calls so, " (D has NAME)", else a known name (a type's too, where there is no variable) that is
 * spelt much like it, " (did you mean NAME?)", or "". text is room for it.
 */
const char *d_hint_name(const struct d_compiler *compiler, const struct d_name *name,
	enum d_name_space space, bool is_function, char text[D_HINT_MAX]);

/* " (did you mean struct NAME?)" for a struct, union or enum that only has been named, or "". */
const char *d_hint_tag(
	const struct d_compiler *compiler, const struct d_type *type, char text[D_HINT_MAX]);

/* The same for a name that is used as a type: also "struct NAME" for the tag NAME. */
const char *d_hint_type(
	const struct d_compiler *compiler, const struct d_name *name, char text[D_HINT_MAX]);

/* " (did you mean NAME?)" for an unknown member of a struct or union, or "". */
const char *d_hint_member(const struct d_type *type, const char *name, char text[D_HINT_MAX]);

/* D's construct for what an operator is meant to do with these operands, or "". They are checked.
 */
const char *d_hint_operands(const struct d_node *node, const struct d_node *left,
	const struct d_node *right, char text[D_HINT_MAX]);

/* How to pass a value as an integer that is not one: " (use arg1)"; or "". It is checked. */
const char *d_hint_passed(const struct d_node *node, const char *expected, char text[D_HINT_MAX]);

/* " (D has copyinstr( ))" for an address that is printed with %s, or "". */
const char *d_hint_printed(const struct d_node *node, char letter, char text[D_HINT_MAX]);

/*
 * What to write instead of a translation, which has members but no value: " (args[1] is translated
 * from arg1: use that, or a member of args[1])". "" for another value. The node is checked.
 */
const char *d_hint_translated(const struct d_node *node, char text[D_HINT_MAX]);

/* " (option -C)" for a directive of C's preprocessor, "" for others. */
const char *d_hint_directive(const char *word);

/*
 * " (...)" if the size bytes at text start with a construct of another language that D does not
 * accept here; "" for anything else.
 */
const char *d_hint_text(const char *text, size_t size);

#endif
