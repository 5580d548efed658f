/*
 * provider_fasttrap.c: provider fasttrap. Its only probe fires when a process makes a system call
 * that exists only with DTrace's own kernel modules. So the probe is listed but cannot be traced.
 */
#include "kernel/machine/tracepoint_view.h"

static const struct kernel_view views[] = {{.name = "fasttrap",
	.missing = "no Linux kernel has the call by which a program would fire it; USDT probes "
		   "are for that"}};

const struct kernel_provider kernel_provider_fasttrap = VIEW_PROVIDER("fasttrap", views);
