/*
 * task_layout.h: where the kernel keeps what programs read of a thread and of a processor: offsets
 * in the kernel's structs, taken from its own description of them.
 */
#ifndef VMTAP_KERNEL_BPF_TASK_LAYOUT_H
#define VMTAP_KERNEL_BPF_TASK_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Of struct upid: the number in a namespace, and a pointer to that. */
enum { KERNEL_NUMBER_BYTES = 16, KERNEL_NUMBER_NAMESPACE = 8 };

/* Where the numbers that a thread and its process have in pid namespaces are kept. */
struct kernel_number_layout {
	bool is_known;
	uint32_t thread;         /* in struct task_struct: the pointer to the thread's struct pid */
	uint32_t signal;         /* in struct task_struct */
	uint32_t process;        /* in struct signal_struct: the process's pointer in `pids` */
	uint32_t level, numbers; /* in struct pid */
	uint32_t namespace_inode; /* in struct pid_namespace */
};

struct kernel_layout {
	bool has_task;                                  /* the four below are known */
	bool has_clock;                                 /* the others are known */
	uint32_t real_parent, group_leader, tgid, name; /* in struct task_struct */
	uint32_t runtime, since;    /* in it: sum_exec_runtime, exec_start of its member `se` */
	uint32_t queue;             /* in it: the pointer cfs_rq of `se` */
	uint32_t processor;         /* in struct cfs_rq: the pointer to struct rq */
	uint32_t clock, task_clock; /* in struct rq */
	bool has_compat;            /* the one below is known */
	uint32_t compat;            /* in struct task_struct: the word whose bit 1 says that a
				       system call is one of 32-bit programs */
	struct kernel_number_layout number;
};

/* What the programs that watch processes read (process_watch.h). */
struct kernel_watch_layout {
	bool has_task;              /* the next ones are known */
	uint32_t pid, tgid, signal; /* in struct task_struct */
	uint32_t live;              /* in struct signal_struct */
	bool has_numbers;           /* the next ones are known */
	uint32_t identity;          /* in struct task_struct: the pointer to struct pid */
	uint32_t level, numbers;    /* in struct pid */
	uint32_t namespace_inode;   /* in struct pid_namespace */
};

void kernel_layout_find_watch(struct kernel_watch_layout *layout);

/* Reads the kernel's BTF, which takes some milliseconds. */
void kernel_layout_find(struct kernel_layout *layout);

#endif
