/* kernel_all.c: see kernel_all.h. */
#include "source/kernel/kernel_all.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/error.h"
#include "source/kernel/kernel_later.h"
#include "source/kernel/kernel_shared.h"
#include "source/kernel/kernel_source_private.h"

enum { AGAIN_MS = 1000 /* between two times that all processes are looked at */ };

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

/* Whether we have the capability to look into processes of other users. */
static bool may_look_anywhere(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return !syscall(SYS_capget, &header, data) &&
		data[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective & CAP_TO_MASK(CAP_SYS_PTRACE);
}

int kernel_all_add(struct kernel_source *kernel, unsigned flags, struct error *error)
{
	/* first of all, so that nothing is missed that appears while they are looked at */
	int result = kernel_unseen_open(&kernel->all.unseen, error);

	if (result)
		return result;
	kernel->all.flags = flags;
	kernel_shared_each(add_process, kernel);
	if (may_look_anywhere())
		kernel->all.denied = 0; /* they have rights that we do not have */
	debug_say(DEBUG_KERNEL, "%zu processes have files with probes of their own",
		kernel->process_count);
	return 0;
}

int kernel_all_wait(struct kernel_source *kernel)
{
	int result = 0, descriptor;

	for (size_t i = 0; !result &&
		(descriptor = kernel_mapped_descriptor(&kernel->all.unseen.mapped, i)) >= 0;
		i++)
		result = kernel_source_wait_for(kernel, descriptor, KERNEL_WAIT_NOTICES);
	return result;
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
	kernel_shared_each(look_again, kernel);
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
	free(kernel->all.executed);
}
