/* heard_mappings.c: see heard_mappings.h. */
#include "kernel/watch/heard_mappings.h"

#include "base/debug.h"
#include "base/error.h"
#include "usdt/process/heard_code.h"

void kernel_heard_open(struct kernel_heard *heard, struct heard_code *code)
{
	struct error error;

	*heard = (struct kernel_heard){.code = NULL};
	if (!code || !heard_code_begin(code))
		return;
	if (kernel_mapped_open(&heard->mapped, true, &error)) {
		debug_say(DEBUG_KERNEL, "%s", error.text);
		kernel_mapped_close(&heard->mapped);
		return;
	}
	heard->code = code;
}

void kernel_heard_close(struct kernel_heard *heard)
{
	kernel_mapped_close(&heard->mapped);
	heard->code = NULL;
}

static void take_mapping(struct kernel_heard *heard, const struct kernel_mapped_event *event)
{
	struct heard_mapping mapping = {.begin = event->address,
		.end = event->address + event->length,
		.offset = event->offset,
		.inode = event->inode,
		.device_major = event->device_major,
		.device_minor = event->device_minor,
		.time = event->time,
		.path = event->path};

	if (mapping.begin < mapping.end)
		heard_code_add(heard->code, event->pid, &mapping);
}

void kernel_heard_take(struct kernel_heard *heard)
{
	struct kernel_mapped_event event;

	while (heard->code && kernel_mapped_next(&heard->mapped, &event)) {
		if (event.kind == KERNEL_MAPPED_CODE || event.kind == KERNEL_MAPPED_VDSO)
			take_mapping(heard, &event);
		else if (event.kind == KERNEL_MAPPED_FORK)
			heard_code_fork(heard->code, event.parent, event.pid, event.time);
		else if (event.kind == KERNEL_MAPPED_LOST)
			debug_say(
				DEBUG_KERNEL, "mappings were lost, so addresses may have no names");
	}
}
