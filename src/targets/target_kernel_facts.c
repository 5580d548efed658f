/*
 * target_kernel_facts.c: see target_kernel_facts.h. The files in src/kernel find these facts; this
 * file only hides them from the command.
 */
#include "targets/target_kernel_facts.h"

#include "kernel/bpf/bpf_features.h"
#include "kernel/bpf/bpf_namespace.h"

struct target_namespace target_namespace_own(void)
{
	struct bpf_features features = {0};

	bpf_namespace_find(&features);
	return (struct target_namespace){.is_nested = features.other_namespace,
		.level = features.namespace_level,
		.inode = features.namespace_inode};
}

bool target_kernel_may_write(void)
{
	return bpf_may_write();
}
