/*
 * site_group.h: the sites that were found in a process at one time, and the programs that are
 * attached to them. All groups of a source write to one ring, so that their sites are numbered
 * together.
 */
#ifndef VMTAP_KERNEL_PROCESS_SITE_GROUP_H
#define VMTAP_KERNEL_PROCESS_SITE_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/process/attach.h"
#include "kernel/process/silent_probes.h"
#include "kernel/site/target_files.h"
#include "program/event.h"

struct kernel_group {
	struct kernel_target target;
	struct kernel_attachment attachment;
	size_t process; /* the source's number of the process */
	uint64_t *counters;
	size_t counter_bytes;
	uint64_t *counted; /* by site: losses that have been reported */
	uint64_t counted_lost;
	bool is_attached, told_unreadable;
	struct kernel_silence silence;
};

/* Where the records of a source's programs go. */
struct kernel_group_ring {
	int map;
	uint32_t wake_bytes;
	int members; /* as struct kernel_maps has it */
	struct kernel_reduction *reduction;
	uint32_t next_site; /* the number of the first site of the next group */
};

/* The losses that have been reported in a batch. */
struct kernel_losses {
	struct event_loss *items;
	size_t count, capacity;
};

/* Makes a group for a target, which it takes over. Returns 0, or -ENOMEM, after which the target is
 * closed. */
int kernel_group_new(struct kernel_target *target, size_t process, struct kernel_group **group);
void kernel_group_free(struct kernel_group *group);

/*
 * Attaches to the sites of all wanted probes; those of other groups are ignored. A wanted probe
 * that none of its sites can be attached to is an error unless the group has others; then message,
 * which has room for `size` bytes, says so. Returns 0, or a negative errno with a line in error.
 */
int kernel_group_attach(struct kernel_group *group, const struct d_probe_set *set,
	const struct source_request *request, struct kernel_group_ring *ring, char *message,
	size_t size, struct error *error);

/* Makes the group as if it had not been attached. */
void kernel_group_reset(struct kernel_group *group);

/* Starts or stops the group's programs at once; they stay attached. */
void kernel_group_open(struct kernel_group *group, bool is_open);

/* Detaches the group. Keeps what is needed to read the records that exist. */
void kernel_group_detach(struct kernel_group *group);

/* Returns the site with that number; NULL if it is not the group's. */
const struct kernel_attached *kernel_group_site(const struct kernel_group *group, uint32_t number);

/*
 * Adds what has been lost since the last call. Returns true the first time that events are lost
 * because an argument cannot be read.
 */
bool kernel_group_losses(struct kernel_group *group, struct kernel_losses *losses);

#endif
