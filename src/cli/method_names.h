/*
 * method_names.h: the names of methods, as base/method_text.h writes them, by the two names that an
 * event has: one look-up by their handles. A name's number is the same for the same pair of names;
 * numbers are 1, 2, ...
 */
#ifndef VMTAP_CLI_METHOD_NAMES_H
#define VMTAP_CLI_METHOD_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "program/event.h"

struct method_name {
	uint32_t id; /* 0: the text holds until the next call only */
	uint32_t length;
	const char *text; /* bytes of any kind, at most METHOD_NAME_MAX */
};

enum { METHOD_NAME_MAX = 4096 };

struct method_pair {
	uint64_t class, method;
	struct method_name name;
};

struct method_names {
	struct method_pair *pairs; /* by id - 1 */
	size_t capacity;
	struct hash_table table;
	char text[METHOD_NAME_MAX + 1];
};

/* A struct of zeroes is ready for use. */
void method_names_free(struct method_names *names);

/*
 * The name of the method of an event whose first two arguments are class and method. It has no id
 * if one of them is known for this batch only. text NULL: out of memory.
 */
struct method_name method_names_find(
	struct method_names *names, const struct event_batch *batch, const struct event *event);

#endif
