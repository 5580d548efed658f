/*
 * bpf_namespace.h: the pid namespace that vmtap is in. A process has a number in its own namespace
 * and in each that contains it; the kernel keeps them by level, where its own namespace is level 0.
 */
#ifndef VMTAP_KERNEL_BPF_BPF_NAMESPACE_H
#define VMTAP_KERNEL_BPF_BPF_NAMESPACE_H

struct bpf_features;

/*
 * Finds whether we are in a namespace other than the kernel's own, and in which (the members of
 * bpf_features from other_namespace on). The level stays 0 without the privilege for BPF programs.
 */
void bpf_namespace_find(struct bpf_features *features);

#endif
