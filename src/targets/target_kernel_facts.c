/*
 * target_kernel_facts.c: see target_kernel_facts.h. The files in src/kernel find these facts; this
 * file only hides them from the command.
 */
#include "targets/target_kernel_facts.h"

#include <string.h>

#include "kernel/bpf/bpf_features.h"
#include "kernel/bpf/bpf_namespace.h"
#include "kernel/bpf/task_registers.h"
#include "kernel/machine/system_call.h"
#include "kernel/process/silent_probes.h"
#include "usdt/unwind/thread_stack.h"

struct target_namespace target_namespace_own(void)
{
	struct bpf_features features = {0};

	bpf_namespace_find(&features);
	return (struct target_namespace){.is_nested = features.other_namespace,
		.level = features.namespace_level,
		.inode = features.namespace_inode};
}

static bool find_registers(void *context, uint32_t tid, uint64_t *values)
{
	return !task_registers_read(context, tid, values);
}

struct task_registers *target_kernel_registers_open(struct thread_registers *source)
{
	struct task_registers *registers;

	*source = (struct thread_registers){.context = NULL};
	if (task_registers_open(&registers))
		return NULL;
	*source = (struct thread_registers){.context = registers, .find = find_registers};
	return registers;
}

void target_kernel_registers_close(struct task_registers *registers)
{
	task_registers_close(registers);
}

const char *target_kernel_call(int64_t number, bool *is_of_file)
{
	static const char *const names[] = {"fd", "epoll"};

	*is_of_file = false;
	for (size_t i = 0; i < system_call_count; i++) {
		const struct system_call *call = &system_calls[i];

		if (call->number != number)
			continue;
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			*is_of_file |=
				call->argument_count && !strcmp(call->arguments[0].name, names[j]);
		return call->name;
	}
	return NULL;
}

const char *target_kernel_silence(
	uint32_t pid, const char *provider, const char *entry, bool *is_seen)
{
	return kernel_silence_foresee(pid, provider, entry, is_seen);
}

bool target_kernel_may_write(void)
{
	return bpf_may_write();
}
