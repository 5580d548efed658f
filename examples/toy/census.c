/* census.c: see census.h. */
#include "census.h"
#include "collector.h"
#include "heap.h"
#include "world.h"

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

/* On the thread of census_take(): the world is stopped, and all objects are alive. */
static void count_all(struct vmtap_census *census, void *context)
{
	struct vm *vm = context;

	for (uint16_t i = 0; i < vm->cap_count; i++) {
		for (struct object *object = vm->caps[i].young; object; object = object->next)
			count_object(census, vm, object);
		for (struct object *object = vm->caps[i].old; object; object = object->next)
			count_object(census, vm, object);
	}
}

/* On the thread of census_take(), of whichever capability. */
static void tell_count(const struct vmtap_census_label *label, void *context)
{
	struct vm *vm = context;

	EVENT(vm->counter, HEAP_SAMPLE, label->sample,
		vmtap_name_intern(label->text, label->length), label->bytes, label->objects,
		label->index, label->count);
}

/* On the library's thread, which must not wait for the VM, so this takes no lock. The
 * capabilities never all sleep at once, so one of them sees its flag. */
static void interrupt_all(void *context)
{
	struct vm *vm = context;

	for (uint16_t i = 0; i < vm->options.caps; i++)
		atomic_store(&vm->caps[i].interrupt, true);
}

void census_register(struct vm *vm)
{
	struct vmtap_census_options options = {
		.size = sizeof(options),
		.by = vm->options.census_by_site ? VMTAP_CENSUS_BY_SITE : VMTAP_CENSUS_BY_CLASS,
		.take = count_all,
		.context = vm,
		.polls = 1,
		.wanted = interrupt_all,
		.counted = tell_count,
	};

	(void)vmtap_census_register(&options);
}

void census_take(struct capability *cap)
{
	struct vm *vm = cap->vm;

	bool asks = cap->asks_census;

	cap->asks_census = false;
	if (vm->instance)
		return;
	if (!world_stop(cap, &vm->reason_census, NULL))
		return;
	if (asks || vmtap_census_wanted()) {
		cap->collect_cause = &vm->reason_census;
		collector_run(cap, true);
		vm->counter = cap;
		if (!vmtap_census_take() && asks)
			vmtap_census_now();
	}
	world_resume(cap, &vm->reason_census);
	collector_finish(cap);
}
