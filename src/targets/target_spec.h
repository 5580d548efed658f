/*
 * target_spec.h: the targets that were asked for: processes by pid, commands, a socket, VMs of a
 * name, all VMs, or a recorded log, and by which sources. Options are read into a specification;
 * each verb has target_spec_check() report those that conflict, and those that it does not take,
 * before it opens anything. From then on it does not change: the state of the targets is in struct
 * targets.
 */
#ifndef VMTAP_TARGETS_TARGET_SPEC_H
#define VMTAP_TARGETS_TARGET_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "targets/command_words.h"

struct error;

/* How a target was given. Each is a bit, for the table of verbs. */
enum target_kind {
	TARGET_PID = 1,
	TARGET_COMMAND = 2,
	TARGET_SOCKET = 4,
	TARGET_LOG = 8,
	TARGET_NAME = 16,    /* VMs of a name, also those that start later */
	TARGET_ALL = 32,     /* every VM, also those that start later: nothing is given */
	TARGET_FAMILY = 64,  /* of pids and commands, also what they start */
	TARGET_RUNTIME = 128 /* never given: another socket of a target (target_kinds.h) */
};

/* Which sources deliver the events of processes. */
enum target_via {
	TARGET_VIA_AUTO, /* the stream what it has, the kernel the rest */
	TARGET_VIA_STREAM,
	TARGET_VIA_KERNEL
};

/* One target that is given by itself. */
struct target_item {
	enum target_kind kind; /* TARGET_PID, TARGET_COMMAND or TARGET_SOCKET */
	uint32_t pid;
	struct command_words command;
	const char *socket;
};

struct target_spec {
	struct target_item *items; /* in the order of the command line; the first is $target */
	size_t count, capacity;
	const char *log;  /* a recording; NULL: none */
	const char *name; /* of VMs (--wait); NULL: none */
	bool follows;     /* --follow */
	enum target_via via;
};

/* Adds a target; the strings must outlive the specification, which owns the command. Returns 0,
 * -EEXIST for a pid that is given already, or -ENOMEM. */
int target_spec_add_pid(struct target_spec *spec, uint32_t pid);
int target_spec_add_command(struct target_spec *spec, struct command_words command);
int target_spec_add_socket(struct target_spec *spec, const char *socket);

/* Returns true if it names a target; if not, a verb may take all VMs. */
bool target_spec_is_given(const struct target_spec *spec);

/* Returns the kinds of targets in the specification: bits of enum target_kind. */
unsigned target_spec_kinds(const struct target_spec *spec);

/*
 * Checks that the kinds of targets do not conflict, and that the verb takes them. Returns 0, or
 * -EINVAL and a line in error that names the options.
 */
int target_spec_check(const struct target_spec *spec, const char *verb, struct error *error);

/* Returns the kinds that a verb takes; 0 if it has no specification, or is not a verb. */
unsigned target_verb_kinds(const char *verb);

void target_spec_free(struct target_spec *spec);

#endif
