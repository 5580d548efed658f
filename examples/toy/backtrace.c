/*
 * backtrace.c: see backtrace.h. A native method has no frame: the innermost frame is its caller's.
 */
#include "backtrace.h"

#include <stdio.h>
#include <string.h>

static _Thread_local struct capability *attached;
static _Thread_local struct thread *shown;

void backtrace_attach(struct capability *cap)
{
	attached = cap;
}

struct capability *backtrace_capability(void)
{
	return attached;
}

void backtrace_show(struct thread *thread)
{
	shown = thread;
}

static struct vmtap_name *frame_class(struct vm *vm, const struct frame *frame)
{
	bool is_method = frame->kind == FRAME_METHOD || frame->kind == FRAME_NEW;

	return is_method ? &frame->method->owner->name : &vm->name_none;
}

static struct vmtap_name *frame_method(struct vm *vm, const struct frame *frame)
{
	if (frame->kind == FRAME_METHOD || frame->kind == FRAME_NEW)
		return &frame->method->name;
	return frame->function ? &vm->name_anonymous : &vm->name_file;
}

/* The library calls it wherever the VM fires an event; the frames are whole there. */
static void walk(struct vmtap_stack *stack, void *context)
{
	struct thread *thread = shown ? shown : attached ? attached->running : NULL;

	(void)context;
	for (uint32_t down = 0; thread && down < thread->frame_count; down++) {
		const struct frame *frame = &thread->frames[thread->frame_count - 1 - down];

		vmtap_stack_frame(stack, frame_class(thread->vm, frame),
			frame_method(thread->vm, frame), thread_file(thread, down),
			(uint32_t)thread_line(thread, down));
	}
}

void backtrace_register(void)
{
	(void)vmtap_stack_register(walk, NULL);
}

/* Adds what is before a method's name, as tools write it: "Class#", "Class." for a static method,
 * and nothing without a class. */
static void add_class(const struct vm *vm, struct text *text, const struct vmtap_name *class)
{
	static const char meta[] = ".class";
	const uint32_t end = sizeof(meta) - 1;
	bool is_static =
		class->length > end && !memcmp(class->text + class->length - end, meta, end);

	if (class == &vm->name_none)
		return;
	text_add(text, class->text, is_static ? class->length - end : class->length);
	text_add(text, is_static ? "." : "#", 1);
}

void backtrace_text(struct text *text, struct thread *thread)
{
	struct vm *vm = thread->vm;

	for (uint32_t i = thread->frame_count; i-- > 0;) {
		const struct frame *frame = &thread->frames[i];
		size_t at = (size_t)(frame->ip - frame->start);
		const struct vmtap_name *names[] = {
			frame_class(vm, frame), frame_method(vm, frame), &frame->code->file->name};
		char line[32];

		add_class(vm, text, names[0]);
		text_add(text, names[1]->text, names[1]->length);
		text_add(text, " (", 2);
		text_add(text, names[2]->text, names[2]->length);
		text_add(text, line,
			(size_t)snprintf(line, sizeof(line), ":%d)\n", code_line(frame->code, at)));
	}
}
