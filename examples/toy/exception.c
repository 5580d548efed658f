/*
 * exception.c: errors are instances of Error; its first three fields are the message,
 * and the file and line where it was first raised.
 */
#include "exception.h"
#include "frame.h"
#include "heap.h"
#include "vm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELD_MESSAGE, FIELD_FILE, FIELD_LINE };

/* A string that may use the reserve beyond the heap's limit. */
static value error_text(struct thread *thread, struct place place, const char *text)
{
	size_t length = strlen(text);
	struct string *string = heap_allocate_anyway(
		thread->cap, thread->vm->class_string, KIND_STRING, sizeof(*string) + length + 1);

	if (!string)
		return VALUE_NIL;
	string->length = (uint32_t)length;
	atomic_init(&string->hash, 0);
	memcpy(string->text, text, length + 1);
	EVENT_ALLOCATED(thread->cap, STRING_CREATE, string->object.bytes, (long)length, place.file,
		place.line, (uint64_t)string->object.bytes, &string->object.class->name,
		thread->number, (uint64_t)(uintptr_t)string);
	return value_object(string);
}

value exception_new(struct thread *thread, struct class *class, struct source_file *file, int line,
	const char *message)
{
	struct place place = {&file->name, line};
	struct instance *error;

	atomic_store(&class->frozen, true);
	error = heap_allocate_anyway(thread->cap, class, KIND_INSTANCE,
		sizeof(*error) + class->field_count * sizeof(slot));
	if (!error) {
		fprintf(stderr, "toy: no memory for an error: %s\n", message);
		exit(1);
	}
	for (uint32_t i = 0; i < class->field_count; i++)
		atomic_init(&error->fields[i], VALUE_NIL);
	object_created(thread, &error->object, place);
	slot_store(&error->fields[FIELD_MESSAGE], error_text(thread, place, message));
	slot_store(&error->fields[FIELD_FILE], error_text(thread, place, file->path));
	slot_store(&error->fields[FIELD_LINE], value_int(line));
	return value_object(error);
}

static const char *message_of(struct thread *thread)
{
	struct instance *error = value_to_object(thread->exception);
	value message = slot_load(&error->fields[FIELD_MESSAGE]);

	if (class_of(thread->vm, message) != thread->vm->class_string)
		return "";
	return ((struct string *)value_to_object(message))->text;
}

static void announce(struct thread *thread)
{
	EVENT(thread->cap, RAISE, &class_of(thread->vm, thread->exception)->name,
		thread_file(thread, 0), thread_line(thread, 0), thread->number, message_of(thread));
}

enum native_status exception_raise(
	struct thread *thread, struct class *class, const char *format, ...)
{
	char message[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	thread->exception = exception_new(
		thread, class, thread_frame(thread)->code->file, thread_line(thread, 0), message);
	announce(thread);
	return NATIVE_RAISE;
}

void exception_throw(struct thread *thread, value thrown)
{
	struct vm *vm = thread->vm;
	struct instance *error;

	if (class_of(vm, thrown) == vm->class_string) {
		struct string *string = value_to_object(thrown);

		exception_raise(thread, vm->class_error, "%s", string->text);
		return;
	}
	if (!class_inherits(class_of(vm, thrown), vm->class_error)) {
		exception_raise(thread, vm->class_type_error,
			"only errors and strings can be raised, not %s",
			class_of(vm, thrown)->name.text);
		return;
	}
	error = value_to_object(thrown);
	if (slot_load(&error->fields[FIELD_LINE]) == VALUE_NIL) {
		value file = error_text(
			thread, thread_place(thread), thread_frame(thread)->code->file->path);

		slot_store(&error->fields[FIELD_FILE], file);
		heap_barrier(thread->cap, &error->object, file);
		slot_store(&error->fields[FIELD_LINE], value_int(thread_line(thread, 0)));
	}
	thread->exception = thrown;
	announce(thread);
}

static const struct handler *find_handler(const struct frame *frame)
{
	const struct code *code = frame->code;
	uint32_t position = (uint32_t)(frame->ip - frame->start) - 1;

	for (uint32_t i = 0; i < code->handler_count; i++) {
		if (position >= code->handlers[i].start && position < code->handlers[i].end)
			return &code->handlers[i];
	}
	return NULL;
}

bool exception_unwind(struct capability *cap, struct thread *thread)
{
	while (thread->frame_count) {
		struct frame *frame = thread_frame(thread);
		const struct handler *handler = find_handler(frame);

		if (handler) {
			frame->ip = frame->start + handler->target;
			thread->top = frame->base + frame->code->locals;
			thread->stack[thread->top++] = thread->exception;
			thread->exception = VALUE_NIL;
			return true;
		}
		thread_pop_frame(cap, thread, true);
	}
	return false;
}

void exception_report(struct thread *thread)
{
	struct vm *vm = thread->vm;
	struct instance *error = value_to_object(thread->exception);
	value file = slot_load(&error->fields[FIELD_FILE]);
	value line = slot_load(&error->fields[FIELD_LINE]);
	const char *message_text = message_of(thread);
	const char *file_text = "?";

	if (class_of(vm, file) == vm->class_string)
		file_text = ((struct string *)value_to_object(file))->text;
	fflush(stdout);
	if (thread == vm->main_thread)
		fprintf(stderr, "%s:%lld: %s: %s\n", file_text,
			value_is_int(line) ? (long long)value_to_int(line) : 0,
			error->object.class->name.text, message_text);
	else
		fprintf(stderr, "%s:%lld: thread %u: %s: %s\n", file_text,
			value_is_int(line) ? (long long)value_to_int(line) : 0, thread->number,
			error->object.class->name.text, message_text);
}
