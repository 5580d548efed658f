/*
 * heard_mappings.h: learns from the kernel which code processes map while they run, for the names
 * of their addresses and their stacks (usdt/process/heard_code.h). No process waits for that.
 */
#ifndef VMTAP_KERNEL_WATCH_HEARD_MAPPINGS_H
#define VMTAP_KERNEL_WATCH_HEARD_MAPPINGS_H

#include "kernel/watch/code_mappings.h"

struct heard_code;

struct kernel_heard {
	struct kernel_mapped mapped;
	struct heard_code *code; /* NULL: nothing is heard */
};

/* Begins, unless another source does so already or the kernel does not report mappings. */
void kernel_heard_open(struct kernel_heard *heard, struct heard_code *code);
void kernel_heard_close(struct kernel_heard *heard);

/*
 * Takes what the kernel has reported. Call it after events have been read and before they are used.
 */
void kernel_heard_take(struct kernel_heard *heard);

#endif
