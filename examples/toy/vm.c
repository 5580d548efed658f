/*
 * vm.c: creates, runs and frees the machine.
 */
#include "vm.h"
#include "collector.h"
#include "definition.h"
#include "finalizer.h"
#include "heap.h"
#include "loader.h"
#include "native.h"
#include "parser.h"
#include "process.h"
#include "scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct global *vm_global(struct vm *vm, struct symbol *name)
{
	struct global *global;

	pthread_mutex_lock(&vm->names);
	for (global = vm->globals; global && global->name != name;)
		global = global->next;
	if (!global) {
		global = calloc(1, sizeof(*global));
		if (global) {
			global->name = name;
			atomic_init(&global->content, VALUE_UNDEFINED);
			global->next = vm->globals;
			vm->globals = global;
		}
	}
	pthread_mutex_unlock(&vm->names);
	return global;
}

static struct symbol *own_symbol(struct vm *vm, const char *text)
{
	struct place nowhere = {NULL, 0};
	struct symbol *symbol = symbol_intern(vm, NULL, nowhere, text, strlen(text));

	if (!symbol)
		vm->broken = true;
	return symbol;
}

static void add_method(struct vm *vm, struct class *class, const char *name, enum method_kind kind,
	int least, int most, native_function function)
{
	struct symbol *symbol = own_symbol(vm, name);
	struct method *method = symbol && class ? method_new(symbol, class, kind) : NULL;

	if (!method) {
		vm->broken = true;
		return;
	}
	method->least = least;
	method->most = most;
	method->native = function;
	method->next = class->methods;
	class->methods = method;
}

void vm_native(struct vm *vm, struct class *class, bool static_method, const char *name, int least,
	int most, native_function function)
{
	if (vm->broken || !class)
		vm->broken = true;
	else
		add_method(vm, static_method ? class->object.class : class, name, METHOD_NATIVE,
			least, most, function);
}

static struct class *add_class(struct vm *vm, struct class *super, const char *name, enum kind kind)
{
	struct class *class = NULL;
	struct global *global;

	if (!vm->broken)
		class = class_new(vm, super, name, strlen(name), kind);
	global = class ? vm_global(vm, class->symbol) : NULL;
	if (global)
		slot_store(&global->content, value_object(class));
	else
		vm->broken = true;
	return class;
}

static void add_errors(struct vm *vm)
{
	static const char *const fields[] = {"message", "file", "line"};
	struct class *error = add_class(vm, vm->class_object, "Error", KIND_INSTANCE);

	vm->class_error = error;
	for (size_t i = 0; error && i < 3; i++) {
		struct symbol *field = own_symbol(vm, fields[i]);

		if (!field || class_add_field(error, field))
			vm->broken = true;
	}
	vm->class_type_error = add_class(vm, error, "TypeError", KIND_INSTANCE);
	vm->class_argument_error = add_class(vm, error, "ArgumentError", KIND_INSTANCE);
	vm->class_name_error = add_class(vm, error, "NameError", KIND_INSTANCE);
	vm->class_range_error = add_class(vm, error, "RangeError", KIND_INSTANCE);
	vm->class_index_error = add_class(vm, error, "IndexError", KIND_INSTANCE);
	vm->class_division_error = add_class(vm, error, "ZeroDivisionError", KIND_INSTANCE);
	vm->class_io_error = add_class(vm, error, "IOError", KIND_INSTANCE);
	vm->class_load_error = add_class(vm, error, "LoadError", KIND_INSTANCE);
	vm->class_syntax_error = add_class(vm, error, "SyntaxError", KIND_INSTANCE);
	vm->class_stack_error = add_class(vm, error, "StackError", KIND_INSTANCE);
	vm->class_memory_error = add_class(vm, error, "OutOfMemoryError", KIND_INSTANCE);
	vm->class_thread_error = add_class(vm, error, "ThreadError", KIND_INSTANCE);
}

static void add_classes(struct vm *vm)
{
	struct class *object = add_class(vm, NULL, "Object", KIND_INSTANCE);

	vm->class_object = object;
	vm->class_class = add_class(vm, object, "Class", KIND_CLASS);
	if (vm->broken)
		return;
	/* The two that were created before Class existed. */
	object->object.class->super = vm->class_class;
	for (struct class *class = vm->classes; class; class = class->next) {
		if (class->meta)
			class->object.class = vm->class_class;
	}
	vm->class_nil = add_class(vm, object, "Nil", KIND_CLASS);
	vm->class_bool = add_class(vm, object, "Bool", KIND_CLASS);
	vm->class_number = add_class(vm, object, "Number", KIND_CLASS);
	vm->class_int = add_class(vm, vm->class_number, "Int", KIND_CLASS);
	vm->class_float = add_class(vm, vm->class_number, "Float", KIND_CLASS);
	vm->class_string = add_class(vm, object, "String", KIND_STRING);
	vm->class_symbol = add_class(vm, object, "Symbol", KIND_CLASS);
	vm->class_array = add_class(vm, object, "Array", KIND_ARRAY);
	vm->class_hash = add_class(vm, object, "Hash", KIND_HASH);
	vm->class_function = add_class(vm, object, "Function", KIND_FUNCTION);
	vm->class_cell = add_class(vm, object, "Cell", KIND_CELL);
	vm->class_thread = add_class(vm, object, "Thread", KIND_THREAD);
	vm->class_lock = add_class(vm, object, "Lock", KIND_LOCK);
	vm->class_queue = add_class(vm, object, "Queue", KIND_QUEUE);
	vm->class_spark = add_class(vm, object, "Spark", KIND_SPARK);
	add_errors(vm);
	vm->symbol_init = own_symbol(vm, "init");
	if (vm->broken)
		return;
	add_method(vm, vm->class_class, "new", METHOD_NEW, 0, -1, NULL);
	add_method(vm, vm->class_function, "call", METHOD_CALL, 0, -1, NULL);
	native_object_methods(vm);
	native_number_methods(vm);
	native_string_methods(vm);
	native_collection_methods(vm);
	native_thread_methods(vm);
	native_system_methods(vm);
	loader_natives(vm);
}

static int add_recorders(struct vm *vm)
{
	int log = -1;

	if (!vm->options.event_log && !vm->options.stats_by)
		return 0;
	if (vm->options.event_log) {
		log = open(vm->options.event_log,
			O_WRONLY | O_CREAT | (vm->options.creator ? 0 : O_TRUNC) | O_APPEND |
				O_CLOEXEC,
			0644);
		if (log < 0) {
			fprintf(stderr, "toy: %s: %s\n", vm->options.event_log, strerror(errno));
			return -errno;
		}
	}
	vm->event_log = log;
	for (uint16_t i = 0; i < vm->cap_count; i++) {
		vm->caps[i].recorder = event_recorder_new(log, vm->options.stats_by != NULL);
		if (!vm->caps[i].recorder)
			return -ENOMEM;
	}
	return 0;
}

struct vm *vm_new(const struct vm_options *options)
{
	struct vm *vm = calloc(1, sizeof(*vm));
	int error = -ENOMEM;

	if (!vm)
		goto fail;
	vm->options = *options;
	vm->event_log = -1;
	vm->cap_count = options->caps;
	vm->nursery = options->heap / 8 < 4u << 20 ? options->heap / 8 : 4u << 20;
	vm->full_at = 4 * vm->nursery;
	vmtap_name_init(&vm->reason_gc, "gc", 2);
	vmtap_name_init(&vm->reason_redefinition, "redefinition", 12);
	vmtap_name_init(&vm->reason_exit, "exit", 4);
	vmtap_name_init(&vm->reason_census, "census", 6);
	vmtap_name_init(&vm->reason_dump, "dump", 4);
	vmtap_name_init(&vm->name_global, "global", 6);
	vmtap_name_init(&vm->reason_join, "join", 4);
	vmtap_name_init(&vm->reason_queue, "queue", 5);
	vmtap_name_init(&vm->reason_spark, "spark", 5);
	vmtap_name_init(&vm->reason_type, "type", 4);
	vmtap_name_init(&vm->cause_allocation, "allocation", 10);
	vmtap_name_init(&vm->cause_memory, "memory", 6);
	vmtap_name_init(&vm->cause_request, "request", 7);
	vmtap_name_init(&vm->phase_mark, "mark", 4);
	vmtap_name_init(&vm->phase_sweep, "sweep", 5);
	vmtap_name_init(&vm->phase_release, "release", 7);
	vmtap_name_init(&vm->instance_name, options->name, strlen(options->name));
	vmtap_name_init(&vm->name_none, "(none)", 6);
	vmtap_name_init(&vm->name_file, "(file)", 6);
	vmtap_name_init(&vm->name_anonymous, "(anonymous)", 11);
	pthread_mutex_init(&vm->lock, NULL);
	pthread_mutex_init(&vm->mark_lock, NULL);
	pthread_mutex_init(&vm->names, NULL);
	pthread_mutex_init(&vm->definitions, NULL);
	pthread_cond_init(&vm->wake, NULL);
	pthread_cond_init(&vm->stopped, NULL);
	pthread_cond_init(&vm->resume, NULL);
	pthread_cond_init(&vm->mark_changed, NULL);
	vm->caps = calloc(vm->cap_count, sizeof(*vm->caps));
	if (!vm->caps)
		goto fail;
	for (uint16_t i = 0; i < vm->cap_count; i++) {
		vm->caps[i].vm = vm;
		vm->caps[i].index = i;
	}
	add_classes(vm);
	error = vm->broken ? -ENOMEM : add_recorders(vm);
fail:
	if (error) {
		if (error == -ENOMEM)
			fprintf(stderr, "toy: out of memory\n");
		vm_free(vm);
		return NULL;
	}
	return vm;
}

static void free_methods(struct method *method)
{
	while (method) {
		struct method *next = method->next;

		free((char *)method->name.text);
		free(method);
		method = next;
	}
}

static void free_names(struct vm *vm)
{
	free_methods(vm->replaced);
	while (vm->classes) {
		struct class *next = vm->classes->next;

		class_free(vm->classes);
		vm->classes = next;
	}
	while (vm->globals) {
		struct global *next = vm->globals->next;

		free(vm->globals);
		vm->globals = next;
	}
	code_cache_free(vm);
	finalizer_free(vm);
	while (vm->codes) {
		struct code *next = vm->codes->next;

		code_free(vm->codes);
		vm->codes = next;
	}
	while (vm->files) {
		struct source_file *next = vm->files->next;

		free(vm->files->path);
		free(vm->files->directory);
		free(vm->files);
		vm->files = next;
	}
	for (size_t i = 0; i < VM_SYMBOL_BUCKETS; i++) {
		while (vm->symbols[i]) {
			struct symbol *symbol = vm->symbols[i];

			vm->symbols[i] = symbol->next;
			while (symbol->lookups) {
				struct lookup *next = symbol->lookups->next;

				free(symbol->lookups);
				symbol->lookups = next;
			}
			free(symbol);
		}
	}
	for (size_t i = 0; i < vm->required_count; i++)
		free(vm->required[i]);
	free(vm->required);
	free(vm->literals.items);
}

void vm_free(struct vm *vm)
{
	if (!vm)
		return;
	for (uint16_t i = 0; vm->caps && i < vm->cap_count; i++) {
		heap_free(&vm->caps[i]);
		event_recorder_free(vm->caps[i].recorder);
	}
	if (vm->event_log >= 0)
		close(vm->event_log);
	free_names(vm);
	free(vm->caps);
	free(vm);
}

/* A task is the OS thread of a capability, numbered from 1. The first one of a VM creates the
 * others. */
static void *run_capability(void *argument)
{
	struct capability *cap = argument;
	struct vm *vm = cap->vm;
	uint64_t task = cap->number + 1u;
	uint64_t parent = cap->index ? vm->caps[0].number + 1u : vm->options.creator;

	EVENT(cap, TASK_CREATE, cap->number, task, (uint64_t)gettid(), parent);
	scheduler_run(cap);
	EVENT(cap, TASK_DELETE, cap->number, task, parent);
	return NULL;
}

/* Loads the program's file as the main thread; on an error prints a message and returns NULL. */
static struct thread *load_program(struct vm *vm)
{
	struct capability *cap = &vm->caps[0];
	const char *path = vm->options.program;
	struct parse_error error;
	struct source_file *file;
	struct code *code = loader_compile(cap, path, &file, &error);
	struct thread *thread;

	if (!code) {
		if (error.line)
			fprintf(stderr, "%s:%d: SyntaxError: %s\n", path, error.line,
				error.message);
		else
			fprintf(stderr, "toy: %s: %s\n", path, error.message);
		return NULL;
	}
	thread = scheduler_new_thread(cap, NULL, code, NULL, NULL, 0);
	if (!thread) {
		fprintf(stderr, "toy: no memory for the main thread\n");
		return NULL;
	}
	EVENT(cap, THREAD_LABEL, cap->number, thread->number, "main");
	return thread;
}

int vm_run(struct vm *vm)
{
	uint16_t started = 1;

	if (!vm->instance)
		EVENT(&vm->caps[0], STARTUP, vm->cap_count);
	for (uint16_t i = 0; i < vm->cap_count; i++)
		EVENT(&vm->caps[0], CAP_CREATE, vm->caps[i].number, vm->instance,
			&vm->instance_name);
	vm->main_thread = load_program(vm);
	if (!vm->main_thread) {
		vm->exit_code = 1;
		goto out;
	}
	for (; started < vm->cap_count; started++) {
		int error = pthread_create(
			&vm->caps[started].os_thread, NULL, run_capability, &vm->caps[started]);

		if (!error)
			continue;
		fprintf(stderr, "toy: capability %u: %s\n", started, strerror(error));
		/* Continue with fewer. Nothing runs yet, so nothing relies on the others. */
		for (uint16_t i = started; i < vm->cap_count; i++)
			EVENT(&vm->caps[0], CAP_DELETE, vm->caps[i].number);
		pthread_mutex_lock(&vm->lock);
		vm->cap_count = started;
		pthread_mutex_unlock(&vm->lock);
		break;
	}
	pthread_mutex_lock(&vm->lock);
	scheduler_enqueue(&vm->caps[0], vm->main_thread);
	vm->runs = true;
	pthread_mutex_unlock(&vm->lock);
	run_capability(&vm->caps[0]);
	for (uint16_t i = 1; i < started; i++)
		pthread_join(vm->caps[i].os_thread, NULL);
out:
	fflush(stdout);
	if (!vm->instance) {
		int status = process_join(vm->options.process);

		vm->exit_code = vm->exit_code ? vm->exit_code : status;
		EVENT(&vm->caps[vm->ended_by], SHUTDOWN, vm->caps[vm->ended_by].number);
	}
	for (uint16_t i = 0; i < vm->cap_count; i++)
		EVENT(&vm->caps[0], CAP_DELETE, vm->caps[i].number);
	for (uint16_t i = 0; i < vm->cap_count; i++) {
		int error = 0;

		if (vm->caps[i].recorder)
			error = event_recorder_flush(vm->caps[i].recorder);
		if (error) {
			fprintf(stderr, "toy: event log: %s\n", strerror(-error));
			vm->exit_code = 1;
			break;
		}
	}
	return vm->exit_code;
}
