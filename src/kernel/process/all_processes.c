/*
 * all_processes.c: see all_processes.h. Reports of mappings become notices like those of a watch,
 * and shared_files.c does the rest. A file that is overwritten while it is attached to must be
 * detached from, or the kernel's breakpoints would be in wrong places of it.
 */
#include "kernel/process/all_processes.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/error.h"
#include "kernel/process/new_sites.h"
#include "kernel/process/process_source_private.h"
#include "kernel/process/shared_files.h"
#include "usdt/process/process_info.h"

enum { AGAIN_MS = 1000 /* between two scans of all processes */ };

static void add_process(void *context, uint32_t pid)
{
	struct kernel_source *kernel = context;
	struct error ignored;
	int result;

	if (pid == (uint32_t)getpid())
		return;
	result = kernel_shared_add(kernel, pid, kernel->all.flags, &ignored);
	kernel->all.denied += result == -EACCES || result == -EPERM;
}

/* Returns whether we have the capability to read processes of other users. */
static bool may_look_anywhere(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return !syscall(SYS_capget, &header, data) &&
		data[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective & CAP_TO_MASK(CAP_SYS_PTRACE);
}

int kernel_all_add(struct kernel_source *kernel, unsigned flags, struct error *error)
{
	/* first of all, so that nothing is missed that appears during the scan */
	int result = kernel_unseen_open(&kernel->all.unseen, error);

	if (result)
		return result;
	kernel->all.flags = flags;
	process_info_each(add_process, kernel);
	if (may_look_anywhere())
		kernel->all.denied = 0; /* they have rights that we do not have */
	debug_say(DEBUG_KERNEL, "%zu processes have files with probes of their own",
		kernel->process_count);
	return 0;
}

int kernel_all_wait(struct kernel_source *kernel)
{
	int result, descriptor;

	kernel->all.changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	kernel->all.has_changes = kernel->all.changes >= 0;
	result = kernel->all.has_changes
		? kernel_source_wait_for(kernel, kernel->all.changes, KERNEL_WAIT_NOTICES)
		: 0;

	for (size_t i = 0; !result &&
		(descriptor = kernel_mapped_descriptor(&kernel->all.unseen.mapped, i)) >= 0;
		i++)
		result = kernel_source_wait_for(kernel, descriptor, KERNEL_WAIT_NOTICES);
	return result;
}

void kernel_all_guard(struct kernel_source *kernel, struct kernel_group *group)
{
	struct kernel_all *all = &kernel->all;
	char path[64];

	for (uint32_t i = 0; i < group->target.file_count && all->has_changes; i++) {
		int file = group->target.files[i].descriptor, watch;

		if (file < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		watch = inotify_add_watch(all->changes, path, IN_MODIFY | IN_CLOSE_WRITE);
		if (watch >= 0 &&
			!array_room(&all->guarded, &all->guarded_capacity, all->guarded_count,
				sizeof(*all->guarded)))
			all->guarded[all->guarded_count++] =
				(struct kernel_guarded){watch, i, group};
	}
}

/* Detaches from a group; its files are unknown then. */
static void abandon(struct kernel_source *kernel, struct kernel_group *group)
{
	struct kernel_all *all = &kernel->all;
	size_t kept = 0;

	kernel_group_detach(group);
	for (uint32_t i = 0; i < group->target.file_count; i++) {
		struct kernel_file *file = &group->target.files[i];

		if (file->descriptor >= 0)
			close(file->descriptor);
		file->descriptor = -1;
	}
	for (size_t i = 0; i < all->guarded_count; i++)
		if (all->guarded[i].group != group)
			all->guarded[kept++] = all->guarded[i];
	all->guarded_count = kept;
	/* not at once: it is still being written */
	all->has_lost = true;
	all->due = clock_monotonic() + AGAIN_MS * CLOCK_NS_PER_MS;
}

static void take_change(struct kernel_source *kernel, int watch)
{
	struct kernel_all *all = &kernel->all;
	size_t i = 0;

	while (i < all->guarded_count) {
		struct kernel_group *group = all->guarded[i].group;

		if (all->guarded[i].watch != watch) {
			i++;
			continue;
		}
		kernel_source_tell(kernel, group->target.pid,
			"%s has been overwritten: its probes are detached until it is mapped again",
			group->target.files[all->guarded[i].file].name);
		abandon(kernel, group);
		i = 0;
	}
}

static void take_changes(struct kernel_source *kernel)
{
	_Alignas(struct inotify_event) char bytes[4096];
	struct inotify_event event;
	ssize_t length;

	while (kernel->all.has_changes &&
		(length = read(kernel->all.changes, bytes, sizeof(bytes))) > 0)
		for (ssize_t at = 0; at < length; at += (ssize_t)(sizeof(event) + event.len)) {
			memcpy(&event, bytes + at, sizeof(event));
			take_change(kernel, event.wd);
		}
}

bool kernel_all_is_due(const struct kernel_source *kernel)
{
	return kernel_mapped_waits(&kernel->all.unseen.mapped) ||
		(kernel->all.has_lost && clock_monotonic() >= kernel->all.due);
}

static void look_again(void *context, uint32_t pid)
{
	if (pid != (uint32_t)getpid())
		kernel_later_note(context,
			&(struct kernel_notice){.kind = KERNEL_NOTICE_OBJECTS,
				.pid = pid,
				.time = clock_monotonic()});
}

void kernel_all_take(struct kernel_source *kernel)
{
	struct kernel_all *all = &kernel->all;
	struct kernel_unseen_event event;
	uint64_t now = clock_monotonic();

	take_changes(kernel);
	while (kernel_unseen_next(&all->unseen, &event)) {
		switch (event.kind) {
		case KERNEL_UNSEEN_FILE:
			if (kernel_later_note(kernel,
				    &(struct kernel_notice){.kind = KERNEL_NOTICE_OBJECTS,
					    .pid = event.pid,
					    .time = event.time}))
				kernel_unseen_learn(&all->unseen, event.pid, false);
			break;
		case KERNEL_UNSEEN_PROGRAM:
			if (!array_room(&all->executed, &all->executed_capacity,
				    all->executed_count, sizeof(*all->executed)))
				all->executed[all->executed_count++] =
					(struct kernel_executed){event.time, event.pid};
			break;
		default:
			all->has_lost = true;
		}
	}
	if (!all->has_lost || now < all->due)
		return;
	debug_say(DEBUG_KERNEL, "too many files are mapped at once: all processes are looked at");
	all->has_lost = false;
	all->due = now + AGAIN_MS * CLOCK_NS_PER_MS;
	process_info_each(look_again, kernel);
}

static void replace(struct kernel_source *kernel, uint32_t pid)
{
	kernel_shown_replace(&kernel->shown, pid);
	kernel_stacks_follow(&kernel->reduction.stacks, pid, NULL);
}

void kernel_all_follow(struct kernel_source *kernel, uint32_t pid, uint64_t time)
{
	struct kernel_all *all = &kernel->all;
	size_t kept = 0;

	for (size_t i = 0; i < all->executed_count; i++) {
		const struct kernel_executed executed = all->executed[i];

		if (executed.pid == pid && executed.time <= time)
			replace(kernel, pid);
		else
			all->executed[kept++] = executed;
	}
	all->executed_count = kept;
}

void kernel_all_settle(struct kernel_source *kernel, uint64_t time)
{
	struct kernel_all *all = &kernel->all;
	size_t kept = 0;

	for (size_t i = 0; i < all->executed_count; i++) {
		const struct kernel_executed executed = all->executed[i];

		if (executed.time <= time)
			replace(kernel, executed.pid);
		else
			all->executed[kept++] = executed;
	}
	all->executed_count = kept;
}

void kernel_all_close(struct kernel_source *kernel)
{
	kernel_unseen_close(&kernel->all.unseen);
	if (kernel->all.has_changes)
		close(kernel->all.changes);
	free(kernel->all.guarded);
	free(kernel->all.executed);
}
