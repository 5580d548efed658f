/* sampling.c: see sampling.h. */
#include "sampling.h"

#include "backtrace.h"
#include "process.h"

/* On the library's thread. */
static void interrupt_all(void *context)
{
	process_interrupt(context);
}

/* In a signal handler, on the thread whose sample is due. */
static void interrupt_own(void *context)
{
	struct capability *cap = backtrace_capability();

	(void)context;
	if (cap)
		atomic_store(&cap->interrupt, true);
}

void sampling_register(struct process *process)
{
	const struct vmtap_sample_options options = {.size = sizeof(options),
		.wanted = interrupt_all,
		.context = process,
		.due = interrupt_own};

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
	struct vmtap_name *reason = &cap->vm->reason_dump;
	uint32_t count = 0, index = 0;
	struct vm *vm = NULL;

	if (!process_stop(cap, reason))
		return;
	if (vmtap_dump_take() || cap->asks_dump) {
		while ((vm = process_stopped(cap, vm)))
			for (struct thread *one = vm->threads; one; one = one->all_next)
				count++;
		while ((vm = process_stopped(cap, vm)))
			for (struct thread *one = vm->threads; one; one = one->all_next)
				dump_thread(cap, one, index++, count);
	}
	cap->asks_dump = false;
	process_resume(cap, reason);
}
