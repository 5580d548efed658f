/*
 * target_kinds.h: the ways in which one target is given, and what distinguishes them. A new one is
 * a row of the table in target_kinds.c; what belongs to several targets at once, such as a name or
 * a recording, is a group (target_groups.c).
 */
#ifndef VMTAP_TARGETS_TARGET_KINDS_H
#define VMTAP_TARGETS_TARGET_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "targets/target_spec.h"

struct d_probe_set;
struct error;
struct source;
struct target;
struct targets;

struct target_kind_methods {
	enum target_kind kind;
	bool is_started; /* vmtap starts its process, and ends it */
	/* It is a process of its own, which the kernel may trace beside its stream, and whose
	 * further runtimes belong to it. */
	bool is_process;
	/* Opens the target's stream, if it has one, or watches its process. *source is NULL if the
	 * kernel is to deliver the events. Returns 0, or a negative errno and a line in error. */
	int (*open)(struct targets *targets, struct target *target, struct d_probe_set *set,
		struct source **source, struct error *error);
	/* Returns 1 if it serves an event stream, 0 if not, or a negative errno and a line in
	 * error. NULL: it is never given by itself. */
	int (*streams)(const struct target_item *item, struct error *error);
	/* Writes the target's name as a title has it: "python3 (4711)". Returns false if it has
	 * none. NULL: it is never given by itself. */
	bool (*title)(const struct target_item *item, char *text, size_t size);
};

/* Returns the row of a kind; never NULL for the kind of a target or an item. */
const struct target_kind_methods *target_kind_methods(enum target_kind kind);

/* Returns true if vmtap starts the target's process. */
bool target_is_started(const struct target *target);

/* Returns true if the target is a process of its own: no socket, and no further runtime. */
bool target_is_process(const struct target *target);

#endif
