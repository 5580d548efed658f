/* target_kernel_facts.h: what the command has to know of the kernel before it opens targets. */
#ifndef VMTAP_TARGETS_TARGET_KERNEL_FACTS_H
#define VMTAP_TARGETS_TARGET_KERNEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* The pid namespace whose numbers scripts use: the one that vmtap is in. */
struct target_namespace {
	bool is_nested; /* not the kernel's first one */
	uint32_t level;
	uint64_t inode;
};

struct target_namespace target_namespace_own(void);

/* The user registers of threads that wait in the kernel, in the order of struct pt_regs, without
 * stopping them; see kernel/bpf/task_registers.h. find() returns false if they are not known. */
struct thread_registers;
struct task_registers *target_kernel_registers_open(struct thread_registers *source);
void target_kernel_registers_close(struct task_registers *registers);

/* Returns the name of a system call; NULL: it is not known. *is_of_file is set to whether its first
 * argument is a descriptor. */
const char *target_kernel_call(int64_t number, bool *is_of_file);

/* Returns whether the kernel lets programs write to memory of processes. It is found by trying. */
bool target_kernel_may_write(void);

/*
 * Says under which condition a process that runs fires its probe of a call, in a sentence; NULL:
 * under none, or it seems to hold. *is_seen: it can be seen that it does not hold. provider, entry:
 * usdt/process/call_probes.h.
 */
const char *target_kernel_silence(
	uint32_t pid, const char *provider, const char *entry, bool *is_seen);

#endif
