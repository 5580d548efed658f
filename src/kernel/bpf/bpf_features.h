/*
 * bpf_features.h: what the kernel of this machine can do, and what is done instead on older
 * kernels. Features are found by trying them, never by the kernel's version.
 *
 * What is done on older kernels, and where that is decided:
 * - without links for many sites (multi), a link for each site: bpf_uprobe_flags() and
 *   bpf_attach_one(); process/attach.c for many sites
 * - without bpf_copy_from_user_str(), a string is read from memory that is resident, after its
 *   pages have been fetched: capture/capture_part.c, translate/translate_string.c
 * - without bpf_task_from_vpid() or bpf_task_from_pid(), a target thread's pid is not known:
 *   capture/capture_argument.c
 * - where a call at the 10-byte nop is not safe, a trap at the 1-byte nop: site/nop.h
 */
#ifndef VMTAP_KERNEL_BPF_BPF_FEATURES_H
#define VMTAP_KERNEL_BPF_BPF_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/bpf/bpf.h"
#include "kernel/bpf/task_layout.h"

struct error;

/* The kernel's errno for a function whose arguments it cannot pass on, which errno.h lacks. */
enum { BPF_ENOTSUPP = 524 };

struct bpf_features {
	bool multi;                       /* one link for many sites */
	uint32_t find_task, release_task; /* bpf_task_from_vpid() or bpf_task_from_pid(), and
					     bpf_task_release() */
	uint32_t copy_string; /* BTF id of bpf_copy_from_user_str(); 0: none, or not searched for */
	uint8_t long_nop;     /* enum kernel_nop_answer, of the 10-byte nop */
	bool other_namespace; /* our pids are not the kernel's: the next two are our namespace */
	uint64_t namespace_device, namespace_inode;
	uint32_t namespace_level;            /* how many namespaces it is in; 0: not known */
	struct kernel_number_layout numbers; /* only if other_namespace, and with its level */
};

/* Finds the features. Returns 0, or -EPERM without the necessary privilege, with an error that says
 * what is missing. */
int bpf_features(struct bpf_features *features, struct error *error);

/* Returns whether programs may write to a process's memory, which a kernel that is locked down
 * refuses. Each call makes the kernel write a line to its log. */
bool bpf_may_write(void);

/* Looks up copy_string, which bpf_features() leaves out because it reads all of the kernel's BTF.
 */
void bpf_find_copy_string(struct bpf_features *features);

/* Looks up find_task and release_task. They stay 0 unless a program that is loaded for this
 * tracepoint's type may call them. */
void bpf_find_tasks(struct bpf_features *features, const struct bpf_function *tracepoint);

/* Tries whether the kernel loads a program for the function, by one that does nothing. Returns 0,
 * or a negative errno with its reason. */
int bpf_try_function(const struct bpf_function *function, struct error *error);

/* Returns the flags that a program for uprobes is loaded with, besides BPF_SLEEPS. */
unsigned bpf_uprobe_flags(const struct bpf_features *features);

/* Attaches such a program to the first of the sites. Returns a link, or a negative errno. */
int bpf_attach_one(const struct bpf_features *features, int program, const struct bpf_sites *sites);

#endif
