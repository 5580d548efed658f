/*
 * source_process.c: see source_process.h. The pidfd is opened after /proc was read, and stays open,
 * so that the end of the process is an event of the source's epoll descriptor.
 */
#include "kernel/process/source_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/site/target_files.h"
#include "usdt/process/process_info.h"
#include "usdt/unwind/unwind.h"

int kernel_process_open(struct kernel_process *process, uint32_t pid, struct error *error)
{
	struct process_info shown;
	int result = process_info_read(pid, &shown, error);

	*process = (struct kernel_process){.pid = pid, .descriptor = -1, .link = -1};
	if (result)
		return result;
	memcpy(process->name, shown.name, sizeof(shown.name));
	process->event = (struct event_process){.pid = pid,
		.ppid = shown.ppid,
		.uid = shown.uid,
		.gid = shown.gid,
		.execname = process->name};
	process->descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

void kernel_process_close(struct kernel_process *process)
{
	if (process->descriptor >= 0)
		close(process->descriptor);
	if (process->link >= 0)
		close(process->link);
	kernel_process_map(process, NULL, false);
	usdt_unwind_free(process->unwind);
	*process = (struct kernel_process){.descriptor = -1, .link = -1};
}

void kernel_process_map(struct kernel_process *process, struct kernel_target *target, bool owns)
{
	if (process->owns_latest) {
		kernel_target_close(process->latest);
		free(process->latest);
	}
	process->latest = target;
	process->owns_latest = owns;
}

bool kernel_process_has_ended(const struct kernel_process *process)
{
	return !process_info_started(process->pid);
}

int kernel_process_unwinds(struct kernel_process *process, struct usdt_unwind_files *files)
{
	return process->unwind ? 0 : usdt_unwind_new((pid_t)process->pid, files, &process->unwind);
}
