/*
 * kernel_need.h: which of the scripts' descriptions need the kernel, as far as the files of a
 * command tell before it is started.
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
 * If nothing but the kernel can deliver what the scripts describe of a command that has not been
 * started, the first description; NULL: some of it may come by an event stream, or nothing is known
 * of it.
 */
const struct d_asked *kernel_need_all(const struct targets *targets, const struct target *target,
	const struct d_asked **streamed);

/*
 * Whether a description may be of a probe that processes without a site of it have by their event
 * stream: one of provider vm, or of a provider that is made of its events.
 */
bool kernel_need_streamed(const struct d_asked *asked, uint32_t pid);

/*
 * The first description, of any provider or with wildcards in it, that also fits a probe in the
 * files of a process whose provider has no probe in the set, so that only the kernel can deliver
 * it; NULL: there is none.
 */
const struct d_asked *kernel_need_beside(
	const struct targets *targets, uint32_t pid, const struct d_probe_set *set);

/* The first description that no probe of the set matches, else the first one; NULL: there is
 * none. */
const struct d_asked *kernel_need_first(
	const struct targets *targets, const struct d_probe_set *set);

#endif
