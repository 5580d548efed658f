/*
 * kernel_fasttrap.c: provider fasttrap. Its one probe fires when a process makes a call into the
 * kernel that is only there with DTrace's own kernel modules, so it is only listed.
 */
#include "source/kernel/kernel_view.h"

static const struct kernel_view views[] = {{.name = "fasttrap",
	.missing = "no Linux kernel has the call by which a program would fire it; USDT probes "
		   "are for that"}};

const struct kernel_view_provider kernel_fasttrap = {"fasttrap", views, 1};
