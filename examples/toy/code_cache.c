/* code_cache.c: see code_cache.h. */
#include "code_cache.h"
#include "vm.h"

#include <stdlib.h>

void code_cache_load(struct capability *cap, struct code *code, struct vmtap_name *class,
	struct vmtap_name *method)
{
	EVENT(cap, CODE_LOAD, (uint64_t)(uintptr_t)code->instructions, (uint64_t)code_bytes(code),
		class, method);
	for (uint32_t i = 0; i < code->code_count; i++) {
		if (!code->codes[i]->name)
			code_cache_load(cap, code->codes[i], class, &cap->vm->name_anonymous);
	}
}

/* Copies the instructions of a method; true if any has become faster. */
static bool specialise(struct quick_code *quick, const struct code *code)
{
	bool faster = false;

	for (uint32_t i = 0; i < code->count; i++) {
		instruction word = code->instructions[i];
		enum operation operation = word & 0xff, fast = operation;

		if (operation == OPERATION_ADD)
			fast = OPERATION_ADD_INT;
		else if (operation == OPERATION_SUBTRACT)
			fast = OPERATION_SUBTRACT_INT;
		else if (operation == OPERATION_LESS)
			fast = OPERATION_LESS_INT;
		faster = faster || fast != operation;
		quick->instructions[i] = (word & ~(instruction)0xff) | fast;
		/* The word after these is where they jump to. */
		if (operation == OPERATION_RANGE_NEXT || operation == OPERATION_EACH_NEXT) {
			i++;
			quick->instructions[i] = code->instructions[i];
		}
	}
	return faster;
}

void code_cache_quicken(struct capability *cap, struct thread *thread, struct method *method)
{
	struct vm *vm = cap->vm;
	struct code *code = method->code;
	struct quick_code *quick = NULL;
	bool already = false;

	if (atomic_load(&code->settled) || atomic_load(&code->quick))
		return;
	EVENT(cap, COMPILE_BEGIN, cap->number, &method->owner->name, &method->name,
		&code->file->name, code->line, (uint16_t)1, thread->number);
	quick = malloc(sizeof(*quick) + code_bytes(code));
	if (quick && specialise(quick, code)) {
		quick->method = method;
		quick->count = code->count;
		quick->given_up = false;
		pthread_mutex_lock(&vm->names);
		already = atomic_load(&code->quick) != NULL;
		if (!already) {
			quick->next = vm->quick_codes;
			vm->quick_codes = quick;
			atomic_store_explicit(&code->quick, quick, memory_order_release);
		}
		pthread_mutex_unlock(&vm->names);
	} else {
		atomic_store(&code->settled, true);
		already = true;
	}
	EVENT(cap, COMPILE_END, cap->number, &method->owner->name, &method->name, &code->file->name,
		code->line, (uint16_t)1, thread->number, already ? 0 : (uint64_t)code_bytes(code));
	if (already)
		free(quick);
	else
		EVENT(cap, CODE_LOAD, (uint64_t)(uintptr_t)quick->instructions,
			(uint64_t)code_bytes(code), &method->owner->name, &method->name);
}

void code_cache_give_up(struct capability *cap, struct frame *frame)
{
	struct vm *vm = cap->vm;
	struct code *code = frame->code;
	struct quick_code *quick;

	frame->ip = code->instructions + (frame->ip - frame->start);
	frame->start = code->instructions;
	pthread_mutex_lock(&vm->names);
	atomic_store(&code->settled, true);
	quick = atomic_exchange(&code->quick, NULL);
	if (quick)
		quick->given_up = true;
	pthread_mutex_unlock(&vm->names);
	if (quick)
		EVENT(cap, DEOPTIMIZE, &quick->method->owner->name, &quick->method->name,
			&vm->reason_type);
}

static bool is_running(const struct vm *vm, const struct quick_code *quick)
{
	for (const struct thread *thread = vm->threads; thread; thread = thread->all_next) {
		for (uint32_t i = 0; i < thread->frame_count; i++) {
			if (thread->frames[i].start == quick->instructions)
				return true;
		}
	}
	return false;
}

void code_cache_sweep(struct capability *cap)
{
	struct vm *vm = cap->vm;
	struct quick_code **link;

	pthread_mutex_lock(&vm->names);
	for (link = &vm->quick_codes; *link;) {
		struct quick_code *quick = *link;

		if (!quick->given_up || is_running(vm, quick)) {
			link = &quick->next;
			continue;
		}
		*link = quick->next;
		EVENT(cap, CODE_UNLOAD, (uint64_t)(uintptr_t)quick->instructions,
			(uint64_t)quick->count * sizeof(instruction), &quick->method->owner->name,
			&quick->method->name);
		free(quick);
	}
	pthread_mutex_unlock(&vm->names);
}

void code_cache_free(struct vm *vm)
{
	while (vm->quick_codes) {
		struct quick_code *next = vm->quick_codes->next;

		free(vm->quick_codes);
		vm->quick_codes = next;
	}
}
