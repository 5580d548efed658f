/* sampling.c: see sampling.h. */
#include "sampling.h"

#include "backtrace.h"
#include "process.h"
#include "world.h"

/* On the library's thread; no lock is needed, see census.c. */
static void interrupt_all(void *context)
{
	struct process *process = context;

	for (struct vm *vm = process->instances; vm; vm = vm->next_instance)
		for (uint16_t i = 0; i < vm->options.caps; i++)
			atomic_store(&vm->caps[i].interrupt, true);
}

void sampling_register(struct process *process)
{
	const struct vmtap_sample_options options = {
		.size = sizeof(options), .wanted = interrupt_all, .context = process};

	(void)vmtap_sample_register(&options);
}

void sampling_poll(struct capability *cap, struct thread *thread)
{
	uint64_t weight;

	if (!vmtap_sample_wanted())
		return;
	weight = vmtap_sample_take();
	EVENT(cap, SAMPLE, cap->number, thread->number, weight);
}

void sampling_count(struct capability *cap, uint64_t bytes)
{
	uint64_t weight = vmtap_sample_allocated(bytes);

	if (weight)
		EVENT(cap, SAMPLE, cap->number, capability_thread(cap), weight);
}

static void dump_thread(
	struct capability *cap, struct thread *thread, uint32_t index, uint32_t count)
{
	struct vm *vm = cap->vm;
	struct vmtap_name *reason = &vm->name_none;

	if (thread->waits_in)
		reason = thread->parked ? thread->parked : thread->lock_name;
	backtrace_show(thread);
	EVENT(cap, THREAD_DUMP, thread->cap->number, thread->number,
		thread->waits_in ? thread->stop_status : 0, reason,
		thread->waits_in ? thread->stop_info : 0, index, count);
	backtrace_show(NULL);
}

void sampling_dump(struct capability *cap)
{
	struct vm *vm = cap->vm;
	uint32_t count = 0, index = 0;

	bool asks = cap->asks_dump;

	cap->asks_dump = false;
	if (vm->instance || !world_stop(cap, &vm->reason_dump, NULL))
		return;
	if (vmtap_dump_take() || asks) {
		for (struct thread *thread = vm->threads; thread; thread = thread->all_next)
			count++;
		for (struct thread *thread = vm->threads; thread; thread = thread->all_next)
			dump_thread(cap, thread, index++, count);
	}
	world_resume(cap, &vm->reason_dump);
}
