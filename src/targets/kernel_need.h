/*
 * kernel_need.h: which of the scripts' descriptions need the kernel, as far as the files of a
 * command show before it is started.
 */
#ifndef VMTAP_TARGETS_KERNEL_NEED_H
#define VMTAP_TARGETS_KERNEL_NEED_H

#include <stdbool.h>
#include <stdint.h>

struct d_asked;
struct d_probe_set;
struct target;
struct targets;

/*
 * Returns the first description if only the kernel can deliver what the scripts describe of a
 * command that has not been started. Returns NULL if an event stream may deliver some of it, or
 * nothing is known of it.
 */
const struct d_asked *kernel_need_all(const struct targets *targets, const struct target *target,
	const struct d_asked **streamed);

/* Returns true if a program, whose path this is, or a library that it is linked with has a site
 * that the scripts describe of the target. */
bool kernel_need_has_site(
	const struct targets *targets, const struct target *target, const char *path);

/*
 * Returns whether a description may be of a probe that event streams deliver without a site: one of
 * provider vm, or of a provider that is made of its events.
 */
bool kernel_need_streamed(const struct d_asked *asked, uint32_t pid);

/*
 * Returns the first description, of any provider or with wildcards in it, that also fits a probe in
 * the files of a process, if that probe's provider has no probe in the set, so that only the kernel
 * can deliver it. Returns NULL if there is none.
 */
const struct d_asked *kernel_need_beside(
	const struct targets *targets, uint32_t pid, const struct d_probe_set *set);

/* Returns the first description that no probe of the set matches, or else the first one; NULL if
 * there is none. */
const struct d_asked *kernel_need_first(
	const struct targets *targets, const struct d_probe_set *set);

#endif
