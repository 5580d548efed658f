/*
 * descriptor_limit.h: how many descriptors this process may have open. Its soft limit (ulimit -n)
 * is often low for the sake of programs that use select(), while a trace of many processes needs
 * many descriptors. So the command raises its own, and the programs that it starts get the one that
 * the user has set.
 */
#ifndef VMTAP_BASE_DESCRIPTOR_LIMIT_H
#define VMTAP_BASE_DESCRIPTOR_LIMIT_H

#include <stdbool.h>
#include <sys/resource.h>

struct descriptor_limit {
	struct rlimit original; /* from before it was raised */
	bool is_raised;
};

/*
 * Raises the soft limit nearly to the hard one; the rest is for what must not fail for want of
 * descriptors (descriptor_limit_exceed()). If that fails, the limit stays as it is.
 */
void descriptor_limit_raise(struct descriptor_limit *limit);

/* Sets the original limit again: at the end, or in a child before it executes a program. */
void descriptor_limit_restore(const struct descriptor_limit *limit);

/* Until descriptor_limit_keep(), this process may have as many descriptors as the hard limit
 * allows. */
void descriptor_limit_exceed(struct descriptor_limit *limit);
void descriptor_limit_keep(const struct descriptor_limit *limit);

#endif
