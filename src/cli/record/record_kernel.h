/*
 * record_kernel.h: `vmtap record` of processes that serve no event stream: the kernel's samples of
 * their stacks, as a log.
 */
#ifndef VMTAP_CLI_RECORD_KERNEL_H
#define VMTAP_CLI_RECORD_KERNEL_H

struct record_options;

/* Records what the options say, to its end, and takes over their specification of targets. Returns
 * an exit status, after a message if it is not CLI_OK. The caller ignores SIGPIPE. */
int record_kernel(struct record_options *options);

#endif
