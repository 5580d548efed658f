/*
 * task_registers.h: the user registers of threads that wait in the kernel, which has saved them. A
 * program of ours reads them, so that the threads need not be stopped.
 */
#ifndef VMTAP_KERNEL_BPF_TASK_REGISTERS_H
#define VMTAP_KERNEL_BPF_TASK_REGISTERS_H

#include <stdint.h>

enum { TASK_REGISTERS = 21 }; /* of x86-64, in the order of struct pt_regs */

struct task_registers;

/* Returns 0, -EPERM if the kernel allows no programs, -ENOTSUP on other machines and older kernels,
 * or another negative errno. */
int task_registers_open(struct task_registers **registers);
void task_registers_close(struct task_registers *registers);

/*
 * Reads those of a thread, whose number is one of our pid namespace. They mean something only if it
 * waits in the kernel before and after the call. Returns 0, -ENOENT if there is no such thread, or
 * another negative errno.
 */
int task_registers_read(
	struct task_registers *registers, uint32_t tid, uint64_t values[TASK_REGISTERS]);

#endif
