/*
 * provider_syscall.c: provider syscall: the entry to and the return from each system call, in every
 * process. A probe's number is twice that of its call, and one more for the return.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/machine/provider_row.h"
#include "kernel/machine/system_call.h"

enum { TYPE_MAX = 32 };

/* Calls from which the kernel does not return to the caller, or at whose return it no longer knows
 * the call. */
static const struct {
	const char *call, *reason;
} without_return[] = {
	{"exit", "the thread ends in this call"},
	{"exit_group", "the process ends in this call"},
	{"rt_sigreturn",
		"it continues what a signal has interrupted, and the kernel no longer knows which "
		"call it was"},
};

static const char *refusal(const char *call)
{
	for (size_t i = 0; i < sizeof(without_return) / sizeof(*without_return); i++)
		if (!strcmp(without_return[i].call, call))
			return without_return[i].reason;
	return NULL;
}

/* A probe's strings are copied, but are not const. */
static int add_probe(const struct kernel_provider_request *request, const struct system_call *call,
	bool is_return)
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
		.source_tag = request->tag + 2u * call->number + is_return,
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
	return d_probe_set_add(request->set, &probe) < 0 ? -ENOMEM : 0;
}

static int syscall_add(const struct kernel_provider *provider,
	const struct kernel_provider_request *request, void **own)
{
	int result = 0;

	(void)provider;
	(void)own;
	for (size_t i = 0; i < system_call_count && !result; i++) {
		result = add_probe(request, &system_calls[i], false);
		if (!result)
			result = add_probe(request, &system_calls[i], true);
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

static int syscall_sites(const struct kernel_provider *provider,
	const struct kernel_provider_probe *probe, void *own, struct kernel_site *sites)
{
	bool is_return = probe->number & 1;

	(void)provider;
	(void)own;
	sites[0] = (struct kernel_site){.probe = probe->probe,
		.is_machine = true,
		.is_call = true,
		.tracepoint = is_return ? "sys_exit" : "sys_enter",
		.is_return = is_return,
		.call = probe->number / 2,
		.argument_count = is_return ? KERNEL_ERRNO_ARGUMENT + 1 : SYSTEM_CALL_ARGUMENTS,
		.arguments =
			(struct kernel_operand *)(uintptr_t)(is_return ? at_return : at_entry)};
	return 1;
}

const struct kernel_provider kernel_provider_syscall = {
	.name = "syscall", .add = syscall_add, .sites = syscall_sites};
