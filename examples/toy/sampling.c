/* sampling.c: see sampling.h. */
#include "sampling.h"

#include "process.h"

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
