/*
 * site_group.c: see site_group.h. A group takes over the target that it is made of. Its counters
 * are mapped into memory, so that losses are found without a system call.
 */
#include "kernel/process/site_group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "kernel/reduce/reduce.h"

int kernel_group_new(struct kernel_target *target, size_t process, struct kernel_group **group)
{
	*group = calloc(1, sizeof(**group));
	if (!*group) {
		kernel_target_close(target);
		return -ENOMEM;
	}
	(*group)->target = *target;
	(*group)->process = process;
	(*group)->attachment.maps = (struct kernel_maps){.counters = -1, .task = -1, .sample = -1};
	*target = (struct kernel_target){0};
	return 0;
}

void kernel_group_reset(struct kernel_group *group)
{
	kernel_attach_end(&group->attachment);
	if (group->counters)
		munmap(group->counters, group->counter_bytes);
	free(group->counted);
	group->silence = (struct kernel_silence){0};
	group->counters = NULL;
	group->counted = NULL;
	group->counted_lost = 0;
	group->is_attached = false;
}

void kernel_group_free(struct kernel_group *group)
{
	if (!group)
		return;
	kernel_group_reset(group);
	kernel_target_close(&group->target);
	free(group);
}

/* Finds reasons why probes that are attached to will not fire. */
static int find_silent(struct kernel_group *group, const struct d_probe_set *set)
{
	const struct kernel_attachment *attachment = &group->attachment;
	uint32_t *probes = calloc(attachment->site_count + 1, sizeof(*probes));
	int result = -ENOMEM;

	for (size_t i = 0; i < attachment->site_count && probes; i++)
		probes[i] = attachment->sites[i].site->probe;
	if (probes)
		result = kernel_silence_begin(
			&group->silence, &group->target, set, probes, attachment->site_count);
	free(probes);
	return result;
}

/* Reports wanted sites that cannot be attached to. It is an error if there are no others. */
static int tell_obstacles(const struct kernel_group *group, const struct source_request *request,
	char *message, size_t size, struct error *error)
{
	const struct kernel_obstacle *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < group->target.obstacle_count; i++) {
		const struct kernel_obstacle *obstacle = &group->target.obstacles[i];

		bool is_missing = obstacle->probe == KERNEL_NO_PROBE;

		if (!is_missing &&
			source_request_find(request, obstacle->probe) == request->want_count)
			continue;
		if (!is_missing && !group->attachment.attached_count)
			return error_set(error, ENOTSUP, "%s", obstacle->reason);
		if (!count++)
			first = obstacle;
	}
	if (count > 1)
		snprintf(message, size, "%s (and %zu more)", first->reason, count - 1);
	else if (count)
		snprintf(message, size, "%s", first->reason);
	return 0;
}

static int map_counters(struct kernel_group *group)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = 8 * (KERNEL_COUNTER_SITES + group->attachment.site_count);
	void *counters;

	group->counter_bytes = (bytes + page - 1) & ~(page - 1);
	counters = mmap(NULL, group->counter_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		group->attachment.maps.counters, 0);
	if (counters == MAP_FAILED)
		return -errno;
	group->counters = counters;
	group->counted = calloc(group->attachment.site_count + 1, sizeof(*group->counted));
	return group->counted ? 0 : -ENOMEM;
}

int kernel_group_attach(struct kernel_group *group, const struct d_probe_set *set,
	const struct source_request *request, struct kernel_group_ring *ring, char *message,
	size_t size, struct error *error)
{
	int result;

	group->attachment.maps.first_site = ring->next_site;
	kernel_reduce_use(&group->attachment.maps, ring->reduction);
	group->attachment.maps.members = ring->members;
	group->attachment.hit_counter = kernel_silence_counter;
	result = kernel_attach_begin(&group->attachment, &group->target, set, request, ring->map,
		ring->wake_bytes, error);
	ring->next_site += (uint32_t)group->attachment.site_count;
	if (!result)
		result = tell_obstacles(group, request, message, size, error);
	if (result)
		return result;
	result = map_counters(group);
	if (!result)
		result = find_silent(group, set);
	group->is_attached = !result;
	return result ? error_set(error, -result, "process %u: %s", (unsigned int)group->target.pid,
				strerror(-result))
		      : 0;
}

void kernel_group_open(struct kernel_group *group, bool is_open)
{
	for (int i = KERNEL_COUNTER_OPEN; i <= KERNEL_COUNTER_OPEN_GUARDED && group->counters; i++)
		__atomic_store_n(&group->counters[i], (uint64_t)is_open, __ATOMIC_RELAXED);
}

void kernel_group_detach(struct kernel_group *group)
{
	kernel_attach_stop(&group->attachment);
}

const struct kernel_attached *kernel_group_site(const struct kernel_group *group, uint32_t number)
{
	uint32_t own = number - group->attachment.maps.first_site;

	return group->is_attached && own < group->attachment.site_count
		? &group->attachment.sites[own]
		: NULL;
}

static uint64_t counter(const struct kernel_group *group, size_t which)
{
	return __atomic_load_n(&group->counters[which], __ATOMIC_RELAXED);
}

bool kernel_group_losses(struct kernel_group *group, struct kernel_losses *losses)
{
	uint64_t lost = group->is_attached ? counter(group, KERNEL_COUNTER_LOST) : 0;
	bool tells;

	if (lost == group->counted_lost)
		return false;
	group->counted_lost = lost;
	for (size_t i = 0; i < group->attachment.site_count; i++) {
		uint64_t count = counter(group, KERNEL_COUNTER_SITES + i) - group->counted[i];

		if (!count ||
			array_room(&losses->items, &losses->capacity, losses->count,
				sizeof(*losses->items)))
			continue;
		losses->items[losses->count++] = (struct event_loss){
			.count = count, .probe = group->attachment.sites[i].site->probe};
		group->counted[i] += count;
	}
	tells = counter(group, KERNEL_COUNTER_UNREADABLE) && !group->told_unreadable;
	group->told_unreadable |= tells;
	return tells;
}
