/*
 * definition.c: creates classes and methods, and looks methods up.
 *
 * A look-up is an immutable record {class, method} that all call sites for that class
 * and selector share. A definition that invalidates look-ups stops the world, frees
 * them, and clears the caches of all call sites of the selector.
 */
#include "definition.h"
#include "exception.h"
#include "world.h"

#include <errno.h>
#include <stdlib.h>

struct lookup *vm_lookup(struct vm *vm, struct class *class, struct symbol *selector)
{
	struct lookup *lookup;
	struct method *method = NULL;

	pthread_mutex_lock(&vm->names);
	for (lookup = selector->lookups; lookup; lookup = lookup->next) {
		if (lookup->class == class)
			goto out;
	}
	for (struct class *owner = class; owner && !method; owner = owner->super) {
		method = owner->methods;
		while (method && method->selector != selector)
			method = method->next;
	}
	if (!method)
		goto out;
	lookup = malloc(sizeof(*lookup));
	if (!lookup)
		goto out;
	lookup->class = class;
	lookup->selector = selector;
	lookup->method = method;
	lookup->next = selector->lookups;
	selector->lookups = lookup;
out:
	pthread_mutex_unlock(&vm->names);
	return lookup;
}

/* With vm->names. */
static bool makes_wrong(const struct class *class, const struct symbol *selector)
{
	for (struct lookup *lookup = selector->lookups; lookup; lookup = lookup->next) {
		if (class_inherits(lookup->class, class))
			return true;
	}
	return false;
}

/* With vm->names. An old method stays, since frames may run it. */
static void install(struct vm *vm, struct class *class, struct method *method)
{
	struct method **link = &class->methods;

	while (*link && (*link)->selector != method->selector)
		link = &(*link)->next;
	if (*link) {
		struct method *old = *link;

		*link = old->next;
		old->next = vm->replaced;
		vm->replaced = old;
	}
	method->next = class->methods;
	class->methods = method;
}

static void clear_sites(struct code *code, const struct symbol *selector)
{
	for (uint32_t i = 0; i < code->site_count; i++) {
		if (code->sites[i].selector == selector)
			atomic_store(&code->sites[i].cache, NULL);
	}
	for (uint32_t i = 0; i < code->code_count; i++)
		clear_sites(code->codes[i], selector);
}

/* The world is stopped. */
static void clear_caches(struct vm *vm, struct symbol *selector)
{
	for (struct code *code = vm->codes; code; code = code->next)
		clear_sites(code, selector);
	if (selector == vm->symbol_init) {
		for (struct class *class = vm->classes; class; class = class->next)
			atomic_store(&class->init, NULL);
	}
	while (selector->lookups) {
		struct lookup *next = selector->lookups->next;

		free(selector->lookups);
		selector->lookups = next;
	}
}

static void define(struct thread *thread, struct class *class, struct method *method)
{
	struct vm *vm = thread->vm;
	bool wrong;

	pthread_mutex_lock(&vm->names);
	wrong = makes_wrong(class, method->selector);
	if (!wrong)
		install(vm, class, method);
	pthread_mutex_unlock(&vm->names);
	if (!wrong)
		return;

	if (!world_stop(thread->cap, &vm->reason_redefinition, NULL)) {
		/* The program has ended meanwhile; the method is only kept to be freed. */
		pthread_mutex_lock(&vm->names);
		method->next = vm->replaced;
		vm->replaced = method;
		pthread_mutex_unlock(&vm->names);
		return;
	}
	pthread_mutex_lock(&vm->names);
	install(vm, class, method);
	clear_caches(vm, method->selector);
	pthread_mutex_unlock(&vm->names);
	EVENT(thread->cap, METHOD_CACHE_CLEAR,
		class == vm->class_object ? &vm->name_global : &class->name, thread_file(thread, 0),
		thread_line(thread, 0));
	world_resume(thread->cap, &vm->reason_redefinition);
}

struct method *method_new(struct symbol *selector, struct class *owner, enum method_kind kind)
{
	struct method *method = calloc(1, sizeof(*method));
	char *name = method ? strdup(selector->text) : NULL;

	if (!name) {
		free(method);
		return NULL;
	}
	vmtap_name_init(&method->name, name, selector->length);
	method->selector = selector;
	method->owner = owner;
	method->kind = kind;
	return method;
}

bool definition_method(
	struct thread *thread, struct class *class, struct code *code, bool static_method)
{
	struct vm *vm = thread->vm;
	struct class *owner = static_method ? class->object.class : class;
	struct symbol *missing = code_bind(code, owner);
	struct method *method;

	if (missing) {
		exception_raise(thread, vm->class_name_error, "%.100s has no field @%.100s",
			owner->name.text, missing->text);
		return false;
	}
	method = method_new(code->name, owner, METHOD_GUEST);
	if (!method) {
		exception_raise(thread, vm->class_memory_error, "no memory for a method");
		return false;
	}
	method->code = code;
	code_cache_load(thread->cap, code, &owner->name, &method->name);
	define(thread, owner, method);
	return true;
}

/* With vm->definitions. NULL: an error was raised. */
static struct class *make_class(struct thread *thread, const struct class_description *description,
	value super_value, struct global *global)
{
	struct vm *vm = thread->vm;
	struct class *super = vm->class_object;
	struct class *class;

	if (super_value != VALUE_NIL) {
		super = value_to_object(super_value);
		if (super->object.kind != KIND_CLASS || super->instance_kind != KIND_INSTANCE ||
			super->meta) {
			exception_raise(thread, vm->class_type_error,
				"class %.100s cannot inherit from that", description->name->text);
			return NULL;
		}
	}
	class = class_new(
		vm, super, description->name->text, description->name->length, KIND_INSTANCE);
	if (!class) {
		exception_raise(thread, vm->class_memory_error, "no memory for a class");
		return NULL;
	}
	slot_store(&global->content, value_object(class));
	return class;
}

static struct class *reopen_class(struct thread *thread,
	const struct class_description *description, value super_value, value existing)
{
	struct vm *vm = thread->vm;
	struct class *class = value_is_object(existing) ? value_to_object(existing) : NULL;

	if (!class || class->object.kind != KIND_CLASS) {
		exception_raise(thread, vm->class_type_error, "%.100s is not a class",
			description->name->text);
		return NULL;
	}
	if (super_value != VALUE_NIL && super_value != value_object(class->super)) {
		exception_raise(thread, vm->class_type_error,
			"class %.100s has a different superclass", description->name->text);
		return NULL;
	}
	return class;
}

bool definition_class(
	struct thread *thread, const struct class_description *description, value *place)
{
	struct vm *vm = thread->vm;
	struct global *global = vm_global(vm, description->name);
	struct class *class = NULL;
	value existing;

	pthread_mutex_lock(&vm->definitions);
	if (!global) {
		exception_raise(thread, vm->class_memory_error, "no memory for a class");
		goto out;
	}
	if (*place != VALUE_NIL && !value_is_object(*place)) {
		exception_raise(thread, vm->class_type_error, "the superclass is not a class");
		goto out;
	}
	existing = slot_load(&global->content);
	class = existing == VALUE_UNDEFINED ? make_class(thread, description, *place, global)
					    : reopen_class(thread, description, *place, existing);
	if (!class)
		goto out;
	if (existing == VALUE_UNDEFINED)
		EVENT(thread->cap, CLASS_LOAD, thread->cap->number, &class->name,
			thread_file(thread, 0), thread->number);
	*place = value_object(class);
	for (uint32_t i = 0; class && i < description->field_count; i++) {
		int error = class->instance_kind == KIND_INSTANCE
			? class_add_field(class, description->fields[i])
			: -EBUSY;

		if (!error)
			continue;
		exception_raise(thread, vm->class_type_error,
			"class %.100s cannot get a new field @%.100s any more", class->name.text,
			description->fields[i]->text);
		class = NULL;
	}
out:
	pthread_mutex_unlock(&vm->definitions);
	return class != NULL;
}
