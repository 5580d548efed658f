/*
 * tracepoint_view.h: providers whose probes are views of the kernel's tracepoints: a row says at
 * which tracepoint, or return of a system call, a probe fires, under which conditions, and where
 * its arguments are then. Several rows of one name are one probe that fires at several places. What
 * the running kernel lacks for a row is found by its description of its types.
 */
#ifndef VMTAP_KERNEL_MACHINE_TRACEPOINT_VIEW_H
#define VMTAP_KERNEL_MACHINE_TRACEPOINT_VIEW_H

#include <stdbool.h>

#include "base/arena.h"
#include "kernel/site/probe_site.h"
#include "program/probe.h"
#include "usdt/elf/btf.h"

enum { KERNEL_VIEW_ARGUMENTS = 4, KERNEL_VIEW_SITES = 8 };

/* A member of a struct of the kernel; tag NULL: none. */
struct kernel_view_member {
	const char *tag, *member;
};

/* A value that is known at the tracepoint. */
struct kernel_view_value {
	enum kernel_operand_kind kind;
	int64_t constant;
	bool of_thread;   /* a field of the running thread, not of what an argument points to */
	uint8_t argument; /* the tracepoint's; of a system call, the register's offset */
	struct kernel_view_member member;
	struct kernel_view_member inside; /* of the struct that the member is */
	struct kernel_view_member then;   /* of the struct that it points to */
	const char *function, *former; /* a function's address; former: its name in older kernels */
	uint8_t size;                  /* 0: 8 */
	bool is_signed;
};

struct kernel_view_condition {
	struct kernel_view_value value;
	uint64_t mask; /* 0: all bits */
	enum kernel_comparison comparison;
	struct kernel_view_value other;
};

struct kernel_view_argument {
	const char *type, *name;
	struct kernel_view_value value;
};

struct kernel_view {
	const char *name;
	const char *tracepoint; /* NULL: a system call, or nothing */
	const char *call;       /* the system call's name; NULL: a tracepoint, or nothing */
	bool is_return;         /* of the call */
	bool notes;             /* see struct kernel_site */
	struct kernel_view_condition conditions[KERNEL_CONDITIONS_MAX];
	struct kernel_view_argument arguments[KERNEL_VIEW_ARGUMENTS];
	const char *missing; /* why no kernel can fire it */
	const char *note;    /* what to know before tracing it */
};

struct kernel_view_provider {
	const char *name;
	const struct kernel_view *views;
	size_t count;
};

extern const struct kernel_view_provider kernel_fasttrap, kernel_io, kernel_proc, kernel_sched;

/* Whether the description names a provider of this name, by a pattern that is more than a '*'. */
bool kernel_view_is_asked(const struct d_asked *asked, const char *provider);

/* Adds the provider's probes to the set; source_tag is `tag` plus the row's number. -ENOMEM. */
int kernel_view_add(const struct kernel_view_provider *provider, uint32_t tag, struct btf *btf,
	struct d_probe_set *set);

/*
 * Where the probe of a row fires: up to KERNEL_VIEW_SITES sites, whose operands and conditions are
 * valid as long as *arena. The number of sites, or -ENOMEM.
 */
int kernel_view_sites(const struct kernel_view_provider *provider, uint32_t row, uint32_t probe,
	struct btf *btf, struct arena *arena, struct kernel_site *sites);

/* The forms of values. */
#define VIEW_CONSTANT(number)                                                                      \
	{                                                                                          \
		.kind = KERNEL_OPERAND_CONSTANT, .constant = (number)                              \
	}
#define VIEW_CURRENT                                                                               \
	{                                                                                          \
		.kind = KERNEL_OPERAND_CURRENT                                                     \
	}
#define VIEW_CONTEXT(number, bytes, sign)                                                          \
	{                                                                                          \
		.kind = KERNEL_OPERAND_CONTEXT, .argument = (number), .size = (bytes),             \
		.is_signed = (sign)                                                                \
	}
#define VIEW_FIELD(number, bytes, struct_tag, struct_member)                                       \
	{                                                                                          \
		.kind = KERNEL_OPERAND_FIELD, .argument = (number), .size = (bytes),               \
		.is_signed = true, .member = {                                                     \
			struct_tag,                                                                \
			struct_member                                                              \
		}                                                                                  \
	}
#define VIEW_OF_THREAD(what, bytes, tag, name, tag_then, name_then)                                \
	{                                                                                          \
		.kind = (what), .of_thread = true, .size = (bytes), .is_signed = true,             \
		.member = {tag, name}, .then = {                                                   \
			tag_then,                                                                  \
			name_then                                                                  \
		}                                                                                  \
	}
#define VIEW_FUNCTION(name, older_name)                                                            \
	{                                                                                          \
		.kind = KERNEL_OPERAND_CONSTANT, .function = (name), .former = (older_name)        \
	}
#define VIEW_TARGET(register)                                                                      \
	{                                                                                          \
		.kind = KERNEL_OPERAND_TARGET, .argument = (register)                              \
	}
#define VIEW_PRIORITY(register)                                                                    \
	{                                                                                          \
		.kind = KERNEL_OPERAND_PRIORITY, .argument = (register), .member = {               \
			"task_struct",                                                             \
			"prio"                                                                     \
		}                                                                                  \
	}
#define VIEW_RESULT(what)                                                                          \
	{                                                                                          \
		.kind = (what)                                                                     \
	}
#define VIEW_REGISTER(register)                                                                    \
	{                                                                                          \
		.kind = KERNEL_OPERAND_REGISTER, .argument = (register)                            \
	}

#endif
