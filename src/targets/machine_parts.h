/*
 * machine_parts.h: the sources of what belongs to no process, which accompany those of the
 * processes: the kernel's samples (profile-n), and the probes of the whole machine.
 */
#ifndef VMTAP_TARGETS_MACHINE_PARTS_H
#define VMTAP_TARGETS_MACHINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "source/merge.h"

struct d_probe_set;
struct targets;

struct machine_parts {
	struct merge_part parts[2];
	size_t count;
	struct error refusal; /* why the kernel gives no samples; "": it does, or none are wanted */
};

/*
 * Opens those that the descriptions need, and adds their probes to the set. What is missing is an
 * error only if nothing else is described; otherwise a line on standard error says what is not
 * traced. Returns 0, or a negative errno with a line in error. Call machine_parts_close() in either
 * case.
 */
int machine_parts_open(struct machine_parts *all, struct targets *targets, struct d_probe_set *set,
	struct error *error);

/* Returns whether they deliver all that is described, so that processes need only be watched. */
bool machine_parts_is_all(const struct machine_parts *all, const struct targets *targets);

/*
 * Adds them to the source of the processes, whose probes in the set begin at `first`. If samples
 * are described and nothing gives any, fails, or says so, as machine_parts_open() does.
 */
int machine_parts_join(struct machine_parts *all, struct targets *targets,
	const struct d_probe_set *set, size_t first, struct error *error);

/* Closes those that were not added. */
void machine_parts_close(struct machine_parts *all);

#endif
