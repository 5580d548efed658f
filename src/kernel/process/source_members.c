/*
 * source_members.c: see source_members.h. Closing links takes long, so they are collected and
 * closed together (bpf_close_all()). Numbers of processes are never given again, since events and
 * groups have them.
 */
#include "kernel/process/source_members.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "kernel/process/process_source_private.h"
#include "kernel/process/source_process.h"
#include "kernel/watch/linker.h"

enum { WAITS_MAX = 16 /* descriptors that are read at once */ };

void kernel_member_detach(struct kernel_source *kernel, size_t number)
{
	bool is_all = number == SIZE_MAX;
	size_t count = 0, room = kernel->process_count;
	int *links;

	for (size_t i = 0; i < kernel->group_count; i++)
		room += kernel->groups[i]->attachment.link_count;
	links = calloc(room + 1, sizeof(*links));
	for (size_t i = 0; i < kernel->process_count && links; i++) {
		if ((!is_all && i != number) || kernel->processes[i]->link < 0)
			continue;
		links[count++] = kernel->processes[i]->link;
		kernel->processes[i]->link = -1;
	}
	for (size_t i = 0; i < kernel->group_count; i++) {
		struct kernel_attachment *attachment = &kernel->groups[i]->attachment;

		if (!is_all && kernel->groups[i]->process != number)
			continue;
		kernel_attach_close_large(attachment);
		for (size_t j = 0; j < attachment->link_count && links; j++)
			links[count++] = attachment->links[j];
		if (links)
			attachment->link_count = 0;
		else
			kernel_group_detach(kernel->groups[i]);
	}
	if (count)
		bpf_close_all(links, count);
	free(links);
}

void kernel_member_end(struct kernel_source *kernel, size_t number)
{
	struct kernel_process *process = kernel->processes[number];

	if (process->descriptor >= 0)
		epoll_ctl(kernel->wait, EPOLL_CTL_DEL, process->descriptor, NULL);
	process->has_ended = true;
	kernel_stacks_follow(&kernel->reduction.stacks, process->pid, NULL);
	kernel_member_detach(kernel, number);
}

long kernel_member_find(const struct kernel_source *kernel, uint32_t pid)
{
	for (size_t i = kernel->process_count; i-- > 0;)
		if (kernel->processes[i]->pid == pid && !kernel->processes[i]->has_ended)
			return (long)i;
	return -1;
}

void kernel_member_poll(struct kernel_source *kernel)
{
	struct epoll_event events[WAITS_MAX];
	int count = epoll_wait(kernel->wait, events, WAITS_MAX, 0);

	for (int i = 0; i < count; i++)
		if (events[i].data.u64 < kernel->process_count)
			kernel_member_end(kernel, events[i].data.u64);
	for (size_t i = 0; i < kernel->process_count && kernel->scope == KERNEL_SCOPE_NAMED; i++)
		if (!kernel->processes[i]->has_ended && kernel->processes[i]->descriptor < 0 &&
			kernel_process_has_ended(kernel->processes[i]))
			kernel_member_end(kernel, i);
}

int kernel_member_keep(struct kernel_source *kernel, const struct kernel_process *process)
{
	struct kernel_process *kept = malloc(sizeof(*kept));

	if (!kept ||
		array_room(&kernel->processes, &kernel->process_capacity, kernel->process_count,
			sizeof(struct kernel_process *)) ||
		kernel_shown_find(&kernel->shown, process->pid, NULL) < 0 ||
		(process->descriptor >= 0 &&
			kernel_source_wait_for(
				kernel, process->descriptor, kernel->process_count))) {
		free(kept);
		return -ENOMEM;
	}
	*kept = *process;
	kept->event.execname = kept->name;
	if (!kernel->process_count)
		kernel->source.process = kept->event;
	kernel->processes[kernel->process_count++] = kept;
	return 0;
}

void kernel_member_watch(struct kernel_source *kernel, size_t number)
{
	struct kernel_process *process = kernel->processes[number];
	struct usdt_process *mapped = NULL;
	struct kernel_linker linker;
	struct error ignored;
	int result = usdt_process_map((pid_t)process->pid, &mapped, &ignored);
	bool has_linker = !result && kernel_linker_find(mapped, &linker);

	if (!result)
		result = kernel_watch_add(kernel->watch, process->pid, has_linker ? &linker : NULL,
			process->may_stop, &process->link);
	process->state = has_linker ? linker.state : 0;
	if (has_linker)
		close(linker.file);
	usdt_process_free(mapped);
	debug_say(DEBUG_KERNEL, "process %" PRIu32 " is %swatched", process->pid,
		result ? "not " : "");
	if (result && usdt_process_thread((pid_t)process->pid))
		kernel_source_tell(kernel, process->pid,
			"what it loads or executes from now on is not traced: %s",
			strerror(-result));
}
