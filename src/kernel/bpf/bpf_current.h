/* bpf_current.h: instructions about the task that runs a BPF program. */
#ifndef VMTAP_KERNEL_BPF_BPF_CURRENT_H
#define VMTAP_KERNEL_BPF_BPF_CURRENT_H

#include <stdint.h>

struct bpf_code;
struct bpf_features;

/*
 * Writes its thread's id, and its process's after it, 4 bytes each, to a place on the program's
 * stack, as numbers of our own pid namespace; jumps if it has none there. Uses R0 to R4.
 */
void bpf_current_ids(
	struct bpf_code *code, const struct bpf_features *features, int place, uint32_t without);

/* Leaves the address of the thread's value in a task map (bpf_task_map()) in R0; jumps if there is
 * no memory for one. Uses R1 to R4, too. */
void bpf_current_value(struct bpf_code *code, int map, uint32_t without);

#endif
