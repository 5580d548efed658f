/*
 * object.c: classes, symbols and the objects that guest programs create.
 */
#include "object.h"
#include "heap.h"
#include "vm.h"

#include <errno.h>
#include <stdlib.h>

uint32_t hash_bytes(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash ? hash : 1;
}

struct symbol *symbol_intern(
	struct vm *vm, struct capability *cap, struct place place, const char *text, size_t length)
{
	uint32_t hash = hash_bytes(text, length);
	struct symbol **bucket = &vm->symbols[hash % VM_SYMBOL_BUCKETS];
	struct symbol *symbol;
	bool made = false;

	pthread_mutex_lock(&vm->names);
	for (symbol = *bucket; symbol; symbol = symbol->next) {
		if (symbol->length == length && memcmp(symbol->text, text, length) == 0)
			break;
	}
	if (!symbol) {
		symbol = calloc(1, sizeof(*symbol) + length + 1);
		if (symbol) {
			symbol->hash = hash;
			symbol->length = (uint32_t)length;
			memcpy(symbol->text, text, length);
			vmtap_name_init(&symbol->name, symbol->text, length);
			symbol->next = *bucket;
			*bucket = symbol;
			made = true;
		}
	}
	pthread_mutex_unlock(&vm->names);
	if (made && cap)
		EVENT(cap, SYMBOL_CREATE, symbol->text, place.file, place.line);
	return symbol;
}

static struct class *class_alone(struct vm *vm, struct class *super, char *name, enum kind kind)
{
	struct class *class = calloc(1, sizeof(*class));

	if (!class || !name)
		goto fail;
	if (super && super->field_count) {
		class->fields = malloc(super->field_count * sizeof(*class->fields));
		if (!class->fields)
			goto fail;
		memcpy(class->fields, super->fields, super->field_count * sizeof(*class->fields));
		class->field_count = super->field_count;
	}
	if (super)
		atomic_store(&super->frozen, true);
	/* Classes are not in the collector's lists and always count as marked. */
	class->object.class = vm->class_class;
	class->object.kind = KIND_CLASS;
	class->object.old = 1;
	class->object.mark = 1;
	class->object.remembered = 1;
	vmtap_name_init(&class->name, name, strlen(name));
	class->super = super;
	class->instance_kind = kind;
	class->next = vm->classes;
	vm->classes = class;
	return class;
fail:
	free(name);
	free(class);
	return NULL;
}

struct class *class_new(
	struct vm *vm, struct class *super, const char *name, size_t length, enum kind kind)
{
	struct place nowhere = {NULL, 0};
	struct symbol *symbol = symbol_intern(vm, NULL, nowhere, name, length);
	char *text = calloc(1, length + 1);
	char *meta_text = calloc(1, length + sizeof(".class"));
	struct class *class;
	struct class *meta;

	if (text)
		memcpy(text, name, length);
	if (meta_text)
		sprintf(meta_text, "%.*s.class", (int)length, name);
	class = class_alone(vm, super, text, kind);
	/* The root's metaclass inherits from Class; the VM sets that when it starts. */
	meta = class_alone(
		vm, super ? super->object.class : vm->class_class, meta_text, KIND_CLASS);
	if (!class || !meta || !symbol)
		return NULL;
	meta->meta = true;
	class->symbol = symbol;
	meta->symbol = symbol;
	class->object.class = meta;
	return class;
}

void class_free(struct class *class)
{
	while (class->methods) {
		struct method *next = class->methods->next;

		free((char *)class->methods->name.text);
		free(class->methods);
		class->methods = next;
	}
	free(class->fields);
	free((char *)class->name.text);
	free(class);
}

int class_field(const struct class *class, const struct symbol *name)
{
	for (uint32_t i = 0; i < class->field_count; i++) {
		if (class->fields[i] == name)
			return (int)i;
	}
	return -1;
}

int class_add_field(struct class *class, struct symbol *name)
{
	struct symbol **fields;

	if (class_field(class, name) >= 0)
		return 0;
	if (atomic_load(&class->frozen))
		return -EBUSY;
	fields = realloc(class->fields, (class->field_count + 1) * sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	fields[class->field_count++] = name;
	class->fields = fields;
	return 0;
}

bool class_inherits(const struct class *class, const struct class *ancestor)
{
	while (class && class != ancestor)
		class = class->super;
	return class != NULL;
}

struct class *class_of(const struct vm *vm, value v)
{
	if (value_is_object(v))
		return ((struct object *)value_to_object(v))->class;
	if (value_is_int(v))
		return vm->class_int;
	if (value_is_double(v))
		return vm->class_float;
	if (value_is_symbol(v))
		return vm->class_symbol;
	return v == VALUE_NIL ? vm->class_nil : vm->class_bool;
}

size_t object_bytes(const struct object *object)
{
	size_t bytes = object->bytes;

	if (object->kind == KIND_ARRAY) {
		struct array *array = (struct array *)object;

		bytes += atomic_load_explicit(&array->body, memory_order_acquire)->capacity *
			sizeof(slot);
	} else if (object->kind == KIND_HASH) {
		bytes += ((struct hash *)object)->capacity *
			(sizeof(struct hash_entry) + 2 * sizeof(uint32_t));
	} else if (object->kind == KIND_QUEUE) {
		bytes += ((struct queue *)object)->capacity * sizeof(slot);
	}
	return bytes;
}

void object_finalize(struct object *object)
{
	switch (object->kind) {
	case KIND_ARRAY:
		free(((struct array *)object)->body);
		break;
	case KIND_HASH:
		free(((struct hash *)object)->entries);
		free(((struct hash *)object)->index);
		break;
	case KIND_THREAD:
		thread_free_stacks((struct thread *)object);
		break;
	case KIND_LOCK:
		free(((struct lock *)object)->text);
		break;
	case KIND_QUEUE:
		free(((struct queue *)object)->items);
		break;
	default:
		break;
	}
}

void object_created(struct thread *thread, struct object *object, struct place place)
{
	if (thread->vm->options.census_by_site)
		*heap_place(object) = place;
	EVENT_ALLOCATED(thread->cap, OBJECT_CREATE, object_bytes(object), &object->class->name,
		(uint64_t)object_bytes(object), place.file, place.line, thread->number,
		(uint64_t)(uintptr_t)object);
}

/* The place costs a search in the line table, so it is only computed when it is needed. */
static void created(struct thread *thread, struct object *object)
{
	if (thread->vm->options.census_by_site)
		*heap_place(object) = thread_place(thread);
	EVENT_ALLOCATED(thread->cap, OBJECT_CREATE, object_bytes(object), &object->class->name,
		(uint64_t)object_bytes(object), thread_file(thread, 0), thread_line(thread, 0),
		thread->number, (uint64_t)(uintptr_t)object);
}

struct instance *instance_new(struct thread *thread, struct class *class)
{
	struct instance *instance;

	if (!atomic_load_explicit(&class->frozen, memory_order_acquire))
		atomic_store(&class->frozen, true);
	instance = heap_allocate(thread->cap, class, KIND_INSTANCE,
		sizeof(*instance) + class->field_count * sizeof(slot), 0);
	if (!instance)
		return NULL;
	for (uint32_t i = 0; i < class->field_count; i++)
		atomic_init(&instance->fields[i], VALUE_NIL);
	created(thread, &instance->object);
	return instance;
}

struct string *string_new(
	struct capability *cap, struct place place, const char *text, size_t length)
{
	struct string *string;

	if (length >= UINT32_MAX / 2)
		return NULL;
	string = heap_allocate(
		cap, cap->vm->class_string, KIND_STRING, sizeof(*string) + length + 1, 0);
	if (!string)
		return NULL;
	string->length = (uint32_t)length;
	atomic_init(&string->hash, 0);
	if (text)
		memcpy(string->text, text, length);
	string->text[length] = '\0';
	if (cap->vm->options.census_by_site)
		*heap_place(&string->object) = place;
	EVENT_ALLOCATED(cap, STRING_CREATE, string->object.bytes, (long)length, place.file,
		place.line, (uint64_t)string->object.bytes, &string->object.class->name,
		capability_thread(cap), (uint64_t)(uintptr_t)string);
	return string;
}

struct cell *cell_new(struct thread *thread, value content)
{
	struct cell *cell =
		heap_allocate(thread->cap, thread->vm->class_cell, KIND_CELL, sizeof(*cell), 0);

	if (!cell)
		return NULL;
	atomic_init(&cell->content, content);
	created(thread, &cell->object);
	return cell;
}

struct function *function_new(struct thread *thread, struct code *code, value self, size_t cells)
{
	struct function *function = heap_allocate(thread->cap, thread->vm->class_function,
		KIND_FUNCTION, sizeof(*function) + cells * sizeof(struct cell *), 0);

	if (!function)
		return NULL;
	function->code = code;
	function->self = self;
	function->cell_count = cells;
	memset(function->cells, 0, cells * sizeof(struct cell *));
	created(thread, &function->object);
	return function;
}

uint32_t string_hash(struct string *string)
{
	uint32_t hash = atomic_load_explicit(&string->hash, memory_order_relaxed);

	if (!hash) {
		hash = hash_bytes(string->text, string->length);
		atomic_store_explicit(&string->hash, hash, memory_order_relaxed);
	}
	return hash;
}

bool string_equal(const struct string *one, const struct string *other)
{
	return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

static struct string *as_string(value v)
{
	struct object *object = value_is_object(v) ? value_to_object(v) : NULL;

	return object && object->kind == KIND_STRING ? (struct string *)object : NULL;
}

bool value_equal(value one, value other)
{
	struct string *left;
	struct string *right;

	if (value_is_number(one) && value_is_number(other))
		return value_number(one) == value_number(other);
	if (one == other)
		return true;
	left = as_string(one);
	right = as_string(other);
	return left && right && string_equal(left, right);
}
