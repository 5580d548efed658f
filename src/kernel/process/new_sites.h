/*
 * new_sites.h: what appears in the processes of a kernel source while it runs: each notice becomes
 * a source, whose probes join (source_kernel_later()).
 */
#ifndef VMTAP_KERNEL_PROCESS_NEW_SITES_H
#define VMTAP_KERNEL_PROCESS_NEW_SITES_H

struct kernel_notice;
struct kernel_source;

/* Keeps a notice until it is dealt with. Returns 0 or -ENOMEM. */
int kernel_later_note(struct kernel_source *kernel, const struct kernel_notice *notice);

/*
 * Resumes the process of a notice, and tells the user if it did not stay stopped until then. Does
 * nothing for a notice of probes.
 */
void kernel_later_go_on(struct kernel_source *kernel, const struct kernel_notice *notice);

/* Takes the notices that have been reported. */
void kernel_later_take(struct kernel_source *kernel);

#endif
