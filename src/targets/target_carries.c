/*
 * target_carries.c: see target_carries.h. The first stream that can be opened is enough: VMs of one
 * trace mostly carry the same. Everything else is read from files.
 */
#include "targets/target_carries.h"

#include "program/probe.h"
#include "source/source.h"
#include "targets/find/vm_finder.h"
#include "targets/find/vm_stream.h"
#include "targets/target_kinds.h"
#include "targets/targets.h"

enum { VMS_MAX = 32 /* whose files are read */ };

/* Reads what a process carries, by its stream if it has one. */
static void read_process(
	struct target_carries *carries, const struct targets *targets, const struct target *target)
{
	struct d_probe_set probes;
	struct error error;

	if (!carries->stream && targets->spec->via != TARGET_VIA_KERNEL &&
		!d_probe_set_init(&probes)) {
		if (vm_stream_open(target->process.pid, target->socket, 0, &probes,
			    &carries->stream, &error))
			carries->stream = NULL;
		d_probe_set_free(&probes);
	}
	if (!carries->stream)
		carried_add_process(&carries->files, target->process.pid);
}

/* Does the same for the VMs that run, which are the targets if none is given. */
static void read_all(struct target_carries *carries)
{
	struct vm_finder *finder;
	struct error ignored;
	uint32_t pid;

	if (vm_finder_new(&finder, &ignored))
		return;
	for (unsigned i = 0; i < VMS_MAX && vm_finder_next(finder, &pid); i++)
		carried_add_process(&carries->files, pid);
	vm_finder_free(finder);
}

bool target_carries_read(struct target_carries *carries, const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->items[i];

		if (target_is_started(target))
			carried_add_command(&carries->files, target->command.words);
		else if (target->process.pid)
			read_process(carries, targets, target);
	}
	if (!targets->count && targets->group != TARGET_GROUP_RECORDING)
		read_all(carries);
	return (carries->stream && carries->stream->carried_count) || carries->files.count;
}

void target_carries_free(struct target_carries *carries)
{
	source_close(carries->stream);
	carried_free(&carries->files);
}
