/*
 * native_system.c: the VM and the file system, for guest programs.
 */
#include "backtrace.h"
#include "collector.h"
#include "exception.h"
#include "finalizer.h"
#include "native.h"
#include "process.h"
#include "scheduler.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Sends a message to the VM's tracers. */
NATIVE(vm_message)
{
	struct string *message = native_string(thread, arguments[1]);

	(void)count;
	if (!message)
		return NATIVE_RAISE;
	EVENT(thread->cap, USER_MSG, thread->cap->number, message->text);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

/* Marks a point of interest in the trace. */
NATIVE(vm_mark)
{
	struct string *text = native_string(thread, arguments[1]);

	(void)count;
	if (!text)
		return NATIVE_RAISE;
	EVENT(thread->cap, USER_MARKER, thread->cap->number, text->text);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

/* The frames of the calling thread, a line each, innermost first. */
NATIVE(vm_backtrace)
{
	struct text text = {0};
	enum native_status status;

	(void)arguments;
	(void)count;
	backtrace_text(&text, thread);
	status = text.failed ? NATIVE_MEMORY : native_text(thread, text.bytes, text.length, result);
	text_free(&text);
	return status;
}

/* Sets how many capabilities run threads from now on. */
NATIVE(vm_use_caps)
{
	int64_t wanted = value_is_int(arguments[1]) ? value_to_int(arguments[1]) : 0;

	(void)count;
	if (wanted < 1 || wanted > thread->vm->cap_count)
		return exception_raise(thread, thread->vm->class_range_error,
			"use_caps: from 1 to %u", thread->vm->cap_count);
	scheduler_use_caps(thread->cap, (uint16_t)wanted);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

/* The safepoint at this call's return collects. */
NATIVE(vm_collect)
{
	(void)arguments;
	(void)count;
	collector_request(thread->cap, true, &thread->vm->cause_request);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

/* The safepoint at this call's return fires thread-dump for all threads. */
NATIVE(vm_dump)
{
	(void)arguments;
	(void)count;
	thread->cap->asks_dump = true;
	atomic_store(&thread->cap->interrupt, true);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

/* The safepoint at this call's return counts the heap. */
NATIVE(vm_census)
{
	(void)arguments;
	(void)count;
	thread->cap->asks_census = true;
	atomic_store(&thread->cap->interrupt, true);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

NATIVE(vm_collect_young)
{
	(void)arguments;
	(void)count;
	collector_request(thread->cap, false, &thread->vm->cause_request);
	*result = VALUE_NIL;
	return NATIVE_OK;
}

/* The function is called with the object once nobody uses that any more. */
NATIVE(vm_finalize)
{
	struct function *function = native_object(thread, arguments[2], KIND_FUNCTION, "Function");
	struct object *object =
		value_is_object(arguments[1]) ? value_to_object(arguments[1]) : NULL;

	(void)count;
	if (!function)
		return NATIVE_RAISE;
	if (!object || object->kind == KIND_CLASS)
		return exception_raise(thread, thread->vm->class_type_error,
			"only objects of the heap can be finalized");
	if (function->code->parameters != 1)
		return exception_raise(
			thread, thread->vm->class_argument_error, "a finalizer takes one argument");
	if (finalizer_add(thread->vm, object, &function->object))
		return NATIVE_MEMORY;
	*result = arguments[1];
	return NATIVE_OK;
}

/* Starts another VM in this process, which runs the program at a path. Returns its number. */
NATIVE(vm_start)
{
	struct string *name = native_string(thread, arguments[1]);
	struct string *path = name ? native_string(thread, arguments[2]) : NULL;
	struct symbol *kept[2] = {NULL};
	uint32_t instance;
	int error;

	(void)count;
	if (!path)
		return NATIVE_RAISE;
	if (access(path->text, R_OK))
		return exception_raise(thread, thread->vm->class_load_error, "%.300s: %s",
			path->text, strerror(errno));
	/* The other VM keeps the texts, and symbols live as long as the process. */
	kept[0] = symbol_intern(thread->vm, NULL, thread_place(thread), name->text, name->length);
	kept[1] = symbol_intern(thread->vm, NULL, thread_place(thread), path->text, path->length);
	if (!kept[0] || !kept[1])
		return NATIVE_MEMORY;
	error = process_start(thread->cap, kept[0]->name.text, kept[1]->name.text, &instance);
	if (error)
		return exception_raise(
			thread, thread->vm->class_thread_error, "VM.start: %s", strerror(-error));
	*result = value_int(instance);
	return NATIVE_OK;
}

NATIVE(vm_caps)
{
	(void)arguments;
	(void)count;
	*result = value_int(thread->vm->options.caps);
	return NATIVE_OK;
}

NATIVE(vm_arguments)
{
	const struct vm_options *options = &thread->vm->options;
	struct array *list =
		array_new(thread->cap, thread_place(thread), (size_t)options->argument_count);

	(void)arguments;
	(void)count;
	if (!list)
		return NATIVE_MEMORY;
	for (int i = 0; i < options->argument_count; i++) {
		struct string *string = string_new(thread->cap, thread_place(thread),
			options->arguments[i], strlen(options->arguments[i]));

		if (!string || array_push(thread->cap, list, value_object(string)))
			return NATIVE_MEMORY;
	}
	*result = value_object(list);
	return NATIVE_OK;
}

/* The path of a file in the directory of the calling file. */
NATIVE(file_beside)
{
	struct string *name = native_string(thread, arguments[1]);
	const char *directory = thread_frame(thread)->code->file->directory;
	struct text text = {0};
	enum native_status status;

	(void)count;
	if (!name)
		return NATIVE_RAISE;
	text_add(&text, directory, strlen(directory));
	text_add(&text, "/", 1);
	text_add(&text, name->text, name->length);
	status = text.failed ? NATIVE_MEMORY : native_text(thread, text.bytes, text.length, result);
	text_free(&text);
	return status;
}

NATIVE(file_read)
{
	struct string *path = native_string(thread, arguments[1]);
	enum native_status status;
	size_t length;
	char *content;

	(void)count;
	if (!path)
		return NATIVE_RAISE;
	content = loader_read(path->text, &length);
	if (!content && errno == ENOMEM)
		return NATIVE_MEMORY;
	if (!content)
		return exception_raise(thread, thread->vm->class_io_error, "%.300s: %s", path->text,
			strerror(errno));
	status = native_text(thread, content, length, result);
	free(content);
	return status;
}

void native_system_methods(struct vm *vm)
{
	struct class *system = class_new(vm, vm->class_object, "VM", 2, KIND_CLASS);
	struct class *file = class_new(vm, vm->class_object, "File", 4, KIND_CLASS);
	struct global *system_global = system ? vm_global(vm, system->symbol) : NULL;
	struct global *file_global = file ? vm_global(vm, file->symbol) : NULL;

	if (!system_global || !file_global) {
		vm->broken = true;
		return;
	}
	slot_store(&system_global->content, value_object(system));
	slot_store(&file_global->content, value_object(file));
	vm_native(vm, system, true, "message", 1, 1, vm_message);
	vm_native(vm, system, true, "mark", 1, 1, vm_mark);
	vm_native(vm, system, true, "backtrace", 0, 0, vm_backtrace);
	vm_native(vm, system, true, "use_caps", 1, 1, vm_use_caps);
	vm_native(vm, system, true, "collect", 0, 0, vm_collect);
	vm_native(vm, system, true, "collect_young", 0, 0, vm_collect_young);
	vm_native(vm, system, true, "dump", 0, 0, vm_dump);
	vm_native(vm, system, true, "census", 0, 0, vm_census);
	vm_native(vm, system, true, "finalize", 2, 2, vm_finalize);
	vm_native(vm, system, true, "start", 2, 2, vm_start);
	vm_native(vm, system, true, "caps", 0, 0, vm_caps);
	vm_native(vm, system, true, "arguments", 0, 0, vm_arguments);
	vm_native(vm, file, true, "beside", 1, 1, file_beside);
	vm_native(vm, file, true, "read", 1, 1, file_read);
}
