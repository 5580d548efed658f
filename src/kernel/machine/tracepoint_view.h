/*
 * tracepoint_view.h: providers whose probes are views of the kernel's tracepoints: a row says at
 * which tracepoint, or return of a system call, a probe fires, under which conditions, and where
 * its arguments are then. Several rows of one name are one probe that fires at several places. The
 * kernel's description of its types shows what the running kernel lacks for a row.
 */
#ifndef VMTAP_KERNEL_MACHINE_TRACEPOINT_VIEW_H
#define VMTAP_KERNEL_MACHINE_TRACEPOINT_VIEW_H

#include <stdbool.h>

#include "kernel/machine/provider_row.h"
#include "kernel/site/probe_site.h"

enum { KERNEL_VIEW_ARGUMENTS = 4 };

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

/* The functions of such a provider (provider_row.h). A probe's number is that of its first view. */
int kernel_view_add(const struct kernel_provider *provider,
	const struct kernel_provider_request *request, void **own);
int kernel_view_sites(const struct kernel_provider *provider,
	const struct kernel_provider_probe *probe, void *own, struct kernel_site *sites);

#define VIEW_PROVIDER(provider, array)                                                             \
	{                                                                                          \
		.name = (provider), .views = (array),                                              \
		.view_count = sizeof(array) / sizeof(*(array)), .add = kernel_view_add,            \
		.sites = kernel_view_sites                                                         \
	}

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
