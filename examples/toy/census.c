/* census.c: see census.h. */
#include "census.h"
#include "backtrace.h"
#include "collector.h"
#include "heap.h"
#include "process.h"

#include <string.h>

static void count_object(
	struct vmtap_census *census, const struct vm *vm, const struct object *object)
{
	const struct vmtap_name *class = &object->class->name;
	size_t bytes = object_bytes(object);
	const struct place *place;
	char line[4096];
	int length;

	if (!vm->options.census_by_site) {
		vmtap_census_add_objects(census, class->text, class->length, bytes, 1);
		return;
	}
	place = heap_place(object);
	if (!place->file) {
		vmtap_census_add_objects(census, "(vm)", 4, bytes, 1);
		return;
	}
	length = snprintf(line, sizeof(line), "%.4000s:%d", place->file->text, place->line);
	vmtap_census_add_objects(census, line, (size_t)length, bytes, 1);
}

/* On the thread of census_take(): the VMs are stopped, and all objects are alive. */
static void count_all(struct vmtap_census *census, void *context)
{
	struct process *process = context;
	struct vm *vm = NULL;

	while ((vm = process_stopped(process->counter, vm))) {
		for (uint16_t i = 0; i < vm->cap_count; i++) {
			for (struct object *one = vm->caps[i].young; one; one = one->next)
				count_object(census, vm, one);
			for (struct object *one = vm->caps[i].old; one; one = one->next)
				count_object(census, vm, one);
		}
	}
}

/* On the thread of census_take(), of whichever capability. */
static void tell_count(const struct vmtap_census_label *label, void *context)
{
	struct process *process = context;

	EVENT(process->counter, HEAP_SAMPLE, label->sample,
		vmtap_name_intern(label->text, label->length), label->bytes, label->objects,
		label->index, label->count);
}

/* On the library's thread, which must not wait for the VMs. The capabilities of a VM never all
 * sleep at once, so one of them sees its flag. */
static void interrupt_all(void *context)
{
	process_interrupt(context);
}

void census_register(struct process *process, bool by_site)
{
	struct vmtap_census_options options = {
		.size = sizeof(options),
		.by = by_site ? VMTAP_CENSUS_BY_SITE : VMTAP_CENSUS_BY_CLASS,
		.take = count_all,
		.context = process,
		.polls = 1,
		.wanted = interrupt_all,
		.counted = tell_count,
	};

	(void)vmtap_census_register(&options);
}

/* Collects the garbage of a stopped VM, acting as one of its capabilities. */
static void collect(struct capability *cap, struct vmtap_name *cause)
{
	cap->collect_cause = cause;
	backtrace_attach(cap);
	collector_run(cap, true);
}

void census_take(struct capability *cap)
{
	struct vmtap_name *reason = &cap->vm->reason_census;
	bool asks = cap->asks_census;
	struct vm *vm = NULL;

	if (!process_stop(cap, reason))
		return;
	cap->asks_census = false;
	if (asks || vmtap_census_wanted()) {
		while ((vm = process_stopped(cap, vm))) {
			if (vm == cap->vm)
				continue;
			collect(&vm->caps[0], reason);
			collector_finish(&vm->caps[0]);
		}
		collect(cap, reason);
		cap->vm->options.process->counter = cap;
		if (!vmtap_census_take() && asks)
			vmtap_census_now();
	}
	process_resume(cap, reason);
	collector_finish(cap);
}
