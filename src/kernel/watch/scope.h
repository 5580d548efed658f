/* scope.h: the processes that a kernel source traces. */
#ifndef VMTAP_KERNEL_WATCH_SCOPE_H
#define VMTAP_KERNEL_WATCH_SCOPE_H

enum kernel_scope {
	KERNEL_SCOPE_NAMED,  /* those that are added */
	KERNEL_SCOPE_FAMILY, /* and all that they start */
	KERNEL_SCOPE_ALL     /* every process, now or later */
};

#endif
