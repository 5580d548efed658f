/*
 * kernel_layout.h: where the kernel keeps what programs read of a thread and of a processor. These
 * are offsets in structs of the kernel, by its own description of them.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_LAYOUT_H
#define VMTAP_SOURCE_KERNEL_KERNEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_layout {
	bool has_task;                                  /* the four below are known */
	bool has_clock;                                 /* the others are known */
	uint32_t real_parent, group_leader, tgid, name; /* in struct task_struct */
	uint32_t runtime, since;    /* in it: sum_exec_runtime, exec_start of its member `se` */
	uint32_t queue;             /* in it: the pointer cfs_rq of `se` */
	uint32_t processor;         /* in struct cfs_rq: the pointer to struct rq */
	uint32_t clock, task_clock; /* in struct rq */
};

/* Reads the kernel's BTF, which takes some milliseconds. */
void kernel_layout_find(struct kernel_layout *layout);

#endif
