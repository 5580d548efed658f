/*
 * vm_name.h: whether a VM has the name that option --wait gives.
 */
#ifndef VMTAP_TARGETS_FIND_VM_NAME_H
#define VMTAP_TARGETS_FIND_VM_NAME_H

#include <stdbool.h>

struct process_info;

/* Returns true if the process, or its program, has the name. */
bool vm_name_is_process(const char *name, const struct process_info *process);

/* Returns true if a runtime, such as "toy 0.1.0", has the name, with or without the version. */
bool vm_name_is_runtime(const char *name, const char *runtime);

#endif
