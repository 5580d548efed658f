/*
 * silent_probes.h: probes that a runtime fires only under a condition of its own which can be seen
 * from outside, such as a variable in its environment. If such a probe has not fired by the end of
 * a trace, or not as often as it should, one line says why.
 */
#ifndef VMTAP_KERNEL_PROCESS_SILENT_PROBES_H
#define VMTAP_KERNEL_PROCESS_SILENT_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/capture/capture.h"
#include "kernel/site/target_files.h"

enum { KERNEL_SILENCE_RULES = 6 };

struct kernel_silence {
	uint32_t probes[KERNEL_SILENCE_RULES]; /* by rule: the first probe that it holds for */
	bool holds[KERNEL_SILENCE_RULES];
};

/* Returns the counter that an event of the probe sets to 1 (struct kernel_plan); 0 if it needs
 * none. */
uint32_t kernel_silence_counter(const struct d_probe *probe);

/* Checks a process that has been attached to. silence: zeroed at first. probes: the probes of its
 * sites, one for each. Returns 0 or -ENOMEM. */
int kernel_silence_begin(struct kernel_silence *silence, const struct kernel_target *target,
	const struct d_probe_set *set, const uint32_t *probes, size_t count);

/*
 * Says under which condition a process that runs fires a probe, in a sentence; NULL: under none, or
 * it seems to hold. *is_seen: it can be seen that it does not hold.
 */
const char *kernel_silence_foresee(
	uint32_t pid, const char *provider, const char *name, bool *is_seen);

/*
 * Writes a line that says which probe has not fired, according to the counters, and why. Returns
 * false if there is nothing to say.
 */
bool kernel_silence_tell(const struct kernel_silence *silence, const uint64_t *counters,
	const struct d_probe_set *set, char *message, size_t size);

#endif
