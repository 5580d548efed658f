/* process.c: see process.h. */
#include "process.h"
#include "world.h"

#include <errno.h>
#include <stdlib.h>

void process_init(struct process *process)
{
	*process = (struct process){.instance_count = 0};
	pthread_mutex_init(&process->lock, NULL);
	pthread_mutex_init(&process->stopper, NULL);
}

static void *run_instance(void *argument)
{
	vm_run(argument);
	return NULL;
}

int process_add(struct process *process, struct vm *vm, bool runs)
{
	int error = 0;

	pthread_mutex_lock(&process->lock);
	if (process->cap_count + vm->cap_count > PROCESS_MAX_CAPS)
		error = -EAGAIN;
	vm->instance = process->instance_count;
	for (uint16_t i = 0; i < vm->cap_count; i++)
		vm->caps[i].number = (uint16_t)(process->cap_count + i);
	vm->next_instance = process->instances;
	if (!error && runs)
		error = -pthread_create(&vm->caps[0].os_thread, NULL, run_instance, vm);
	if (!error) {
		process->instance_count++;
		process->cap_count = (uint16_t)(process->cap_count + vm->cap_count);
		atomic_store(&process->instances, vm);
	}
	pthread_mutex_unlock(&process->lock);
	return error;
}

int process_start(struct capability *cap, const char *name, const char *program, uint32_t *instance)
{
	struct vm_options options = cap->vm->options;
	struct vm *vm;
	int error;

	options.name = name;
	options.program = program;
	options.argument_count = 0;
	options.creator = cap->number + 1u;
	options.caps = cap->vm->cap_count;
	vm = vm_new(&options);
	if (!vm)
		return -ENOMEM;
	error = process_add(options.process, vm, true);
	*instance = vm->instance;
	if (error)
		vm_free(vm);
	return error;
}

void process_interrupt(struct process *process)
{
	for (struct vm *vm = process->instances; vm; vm = vm->next_instance)
		for (uint16_t i = 0; i < vm->options.caps; i++)
			atomic_store(&vm->caps[i].interrupt, true);
}

bool process_stop(struct capability *cap, struct vmtap_name *reason)
{
	struct process *process = cap->vm->options.process;
	struct vm *newest, *held = NULL;

	/* Two threads that waited for each other's VM to stop would wait forever. */
	if (pthread_mutex_trylock(&process->stopper)) {
		atomic_store(&cap->interrupt, true);
		return false;
	}
	if (!world_stop(cap, reason, NULL)) {
		pthread_mutex_unlock(&process->stopper);
		return false;
	}
	/* A VM that is not stopped yet may start another one. */
	while ((newest = process->instances) != held) {
		for (struct vm *vm = newest; vm != held; vm = vm->next_instance)
			if (vm != cap->vm)
				world_hold(vm, cap, reason);
		held = newest;
	}
	return true;
}

struct vm *process_stopped(struct capability *cap, const struct vm *vm)
{
	struct vm *next = vm ? vm->next_instance : cap->vm->options.process->instances;

	while (next && next != cap->vm && !next->is_held)
		next = next->next_instance;
	return next;
}

void process_resume(struct capability *cap, struct vmtap_name *reason)
{
	struct process *process = cap->vm->options.process;

	for (struct vm *vm = process->instances; vm; vm = vm->next_instance)
		if (vm->is_held)
			world_release(vm, reason);
	world_resume(cap, reason);
	pthread_mutex_unlock(&process->stopper);
}

int process_join(struct process *process)
{
	struct vm *joined = NULL, *newest;
	int status = 0;

	/* Those that are waited for may start others meanwhile. */
	do {
		pthread_mutex_lock(&process->lock);
		newest = process->instances;
		pthread_mutex_unlock(&process->lock);
		for (struct vm *vm = newest; vm != joined; vm = vm->next_instance) {
			if (!vm->instance)
				continue;
			pthread_join(vm->caps[0].os_thread, NULL);
			status = vm->exit_code ? vm->exit_code : status;
		}
		joined = newest;
	} while (newest != atomic_load(&process->instances));
	return status;
}

void process_free(struct process *process)
{
	struct vm *vm = process->instances;

	while (vm) {
		struct vm *next = vm->next_instance;

		vm_free(vm);
		vm = next;
	}
	pthread_mutex_destroy(&process->lock);
	pthread_mutex_destroy(&process->stopper);
}
