/*
 * provider_syscall.c: see provider_syscall.h. A probe's source_tag is twice the number of its call,
 * and one more for the return.
 */
#include "kernel/machine/provider_syscall.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pattern.h"
#include "kernel/machine/system_call.h"

enum { TYPE_MAX = 32 };

/* Calls from which the kernel does not return to where they were made, or no longer knows which it
 * was. */
static const struct {
	const char *call, *reason;
} without_return[] = {
	{"exit", "the thread ends in this call"},
	{"exit_group", "the process ends in this call"},
	{"rt_sigreturn",
		"it continues what a signal has interrupted, and the kernel no longer knows which "
		"call it was"},
};

bool kernel_syscall_is_asked(const struct d_asked *asked)
{
	return strspn(asked->provider, "*") < strlen(asked->provider) &&
		pattern_match(asked->provider, "syscall");
}

static const char *refusal(const char *call)
{
	for (size_t i = 0; i < sizeof(without_return) / sizeof(*without_return); i++)
		if (!strcmp(without_return[i].call, call))
			return without_return[i].reason;
	return NULL;
}

/* A probe's strings are copied, but are not const. */
static int add_probe(struct d_probe_set *set, const struct system_call *call, bool is_return)
{
	static const char *const result_names[] = {"result", "result"};
	char provider[] = "syscall", module[] = "", entry[] = "entry", leave[] = "return";
	char function[64], types[SYSTEM_CALL_ARGUMENTS][TYPE_MAX];
	char names[SYSTEM_CALL_ARGUMENTS][TYPE_MAX], reason[128];
	struct d_probe_argument arguments[SYSTEM_CALL_ARGUMENTS];
	const char *refused = is_return ? refusal(call->name) : NULL;
	struct d_probe probe = {.provider = provider,
		.module = module,
		.function = function,
		.name = is_return ? leave : entry,
		.kind = D_PROBE_SOURCE,
		.source_tag = 2u * call->number + is_return,
		.argument_count = is_return ? 2 : call->argument_count,
		.arguments = arguments,
		.is_refused = refused};

	snprintf(function, sizeof(function), "%s", call->name);
	for (unsigned i = 0; i < probe.argument_count; i++) {
		snprintf(types[i], TYPE_MAX, "%s", is_return ? "long" : call->arguments[i].type);
		snprintf(names[i], TYPE_MAX, "%s",
			is_return ? result_names[i] : call->arguments[i].name);
		probe.arguments[i] = (struct d_probe_argument){types[i], names[i]};
	}
	if (refused) {
		snprintf(reason, sizeof(reason), "%s", refused);
		probe.note = reason;
	}
	return d_probe_set_add(set, &probe) < 0 ? -ENOMEM : 0;
}

int kernel_syscall_add(struct d_probe_set *set)
{
	int result = 0;

	for (size_t i = 0; i < system_call_count && !result; i++) {
		result = add_probe(set, &system_calls[i], false);
		if (!result)
			result = add_probe(set, &system_calls[i], true);
	}
	return result;
}

#define ARGUMENT(register)                                                                         \
	{                                                                                          \
		.kind = KERNEL_OPERAND_REGISTER, .base = (register), .index = KERNEL_NO_REGISTER,  \
		.size = 8                                                                          \
	}
#define RESULT(what)                                                                               \
	{                                                                                          \
		.kind = (what), .size = 8                                                          \
	}

/* All sites share them. */
static const struct kernel_operand at_entry[SYSTEM_CALL_ARGUMENTS] = {ARGUMENT(KERNEL_RDI),
	ARGUMENT(KERNEL_RSI), ARGUMENT(KERNEL_RDX), ARGUMENT(KERNEL_R10), ARGUMENT(KERNEL_R8),
	ARGUMENT(KERNEL_R9)};
static const struct kernel_operand at_return[KERNEL_ERRNO_ARGUMENT + 1] = {
	RESULT(KERNEL_OPERAND_RESULT), RESULT(KERNEL_OPERAND_RESULT), RESULT(KERNEL_OPERAND_NONE),
	RESULT(KERNEL_OPERAND_NONE), RESULT(KERNEL_OPERAND_ERRNO)};

void kernel_syscall_site(const struct d_probe *probe, uint32_t number, struct kernel_site *site)
{
	bool is_return = probe->source_tag & 1;

	*site = (struct kernel_site){.probe = number,
		.is_machine = true,
		.is_call = true,
		.tracepoint = is_return ? "sys_exit" : "sys_enter",
		.is_return = is_return,
		.call = probe->source_tag / 2,
		.argument_count = is_return ? KERNEL_ERRNO_ARGUMENT + 1 : SYSTEM_CALL_ARGUMENTS,
		.arguments =
			(struct kernel_operand *)(uintptr_t)(is_return ? at_return : at_entry)};
}
