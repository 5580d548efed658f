/*
 * native_object.c: methods of all objects and classes, and helpers that natives share.
 */
#include "native.h"

#include <math.h>
#include <stdlib.h>

#define SHOWN_DEPTH 8

void *native_object(struct thread *thread, value v, enum kind kind, const char *what)
{
	struct object *object = value_is_object(v) ? value_to_object(v) : NULL;

	if (object && object->kind == kind)
		return object;
	exception_raise(thread, thread->vm->class_type_error, "expected %s, not %.100s", what,
		class_of(thread->vm, v)->name.text);
	return NULL;
}

struct string *native_string(struct thread *thread, value v)
{
	return native_object(thread, v, KIND_STRING, "String");
}

bool native_int(struct thread *thread, value v, int64_t *number)
{
	if (!value_is_int(v)) {
		exception_raise(thread, thread->vm->class_type_error, "expected Int, not %.100s",
			class_of(thread->vm, v)->name.text);
		return false;
	}
	*number = value_to_int(v);
	return true;
}

bool native_number(struct thread *thread, value v, double *number)
{
	if (!value_is_number(v)) {
		exception_raise(thread, thread->vm->class_type_error,
			"expected a number, not %.100s", class_of(thread->vm, v)->name.text);
		return false;
	}
	*number = value_number(v);
	return true;
}

enum native_status native_text(
	struct thread *thread, const char *text, size_t length, value *result)
{
	struct string *string = string_new(thread->cap, thread_place(thread), text, length);

	if (!string)
		return NATIVE_MEMORY;
	*result = value_object(string);
	return NATIVE_OK;
}

void text_add(struct text *text, const char *bytes, size_t length)
{
	if (text->length + length + 1 > text->capacity) {
		size_t capacity = (text->length + length + 1) * 2;
		char *larger = realloc(text->bytes, capacity);

		if (!larger) {
			text->failed = true;
			return;
		}
		text->bytes = larger;
		text->capacity = capacity;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void text_free(struct text *text)
{
	free(text->bytes);
}

static void text_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

/* Uses the shortest of the usual precisions that reads back as the same number. */
static void text_double(struct text *text, double number)
{
	char buffer[40];

	if (isnan(number) || isinf(number)) {
		text_string(text, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(buffer, sizeof(buffer), "%.*g", precision, number);
		if (strtod(buffer, NULL) == number)
			break;
	}
	text_string(text, buffer);
	if (!strpbrk(buffer, ".e"))
		text_string(text, ".0");
}

static void text_quoted(struct text *text, const struct string *string)
{
	text_add(text, "\"", 1);
	for (uint32_t i = 0; i < string->length; i++) {
		char c = string->text[i];

		if (c == '"' || c == '\\')
			text_add(text, "\\", 1);
		if (c == '\n')
			text_add(text, "\\n", 2);
		else
			text_add(text, &c, 1);
	}
	text_add(text, "\"", 1);
}

static void text_array(struct text *text, const struct vm *vm, struct array *array, int depth)
{
	value item;

	text_add(text, "[", 1);
	for (size_t i = 0; (item = array_get(array, i)) != VALUE_UNDEFINED; i++) {
		if (i)
			text_add(text, ", ", 2);
		text_value(text, vm, item, true, depth + 1);
	}
	text_add(text, "]", 1);
}

static void text_hash(struct text *text, const struct vm *vm, struct hash *hash, int depth)
{
	bool first = true;

	text_add(text, "{", 1);
	/* Another thread may change the hash, so read one entry at a time, by position. */
	for (size_t i = 0;; i++) {
		value key;
		value content;
		int state = hash_entry_at(hash, i, &key, &content);

		if (state < 0)
			break;
		if (!state)
			continue;
		if (!first)
			text_add(text, ", ", 2);
		first = false;
		text_value(text, vm, key, true, depth + 1);
		text_add(text, " => ", 4);
		text_value(text, vm, content, true, depth + 1);
	}
	text_add(text, "}", 1);
}

static void text_object(
	struct text *text, const struct vm *vm, struct object *object, bool inspect, int depth)
{
	switch ((enum kind)object->kind) {
	case KIND_STRING:
		if (inspect)
			text_quoted(text, (struct string *)object);
		else
			text_add(text, ((struct string *)object)->text,
				((struct string *)object)->length);
		return;
	case KIND_CLASS:
		text_string(text, ((struct class *)object)->name.text);
		return;
	case KIND_ARRAY:
		if (depth < SHOWN_DEPTH)
			text_array(text, vm, (struct array *)object, depth);
		else
			text_string(text, "[...]");
		return;
	case KIND_HASH:
		if (depth < SHOWN_DEPTH)
			text_hash(text, vm, (struct hash *)object, depth);
		else
			text_string(text, "{...}");
		return;
	default:
		text_add(text, "<", 1);
		text_string(text, object->class->name.text);
		text_add(text, ">", 1);
	}
}

void text_value(struct text *text, const struct vm *vm, value v, bool inspect, int depth)
{
	char buffer[32];

	if (value_is_object(v)) {
		text_object(text, vm, value_to_object(v), inspect, depth);
	} else if (value_is_int(v)) {
		snprintf(buffer, sizeof(buffer), "%lld", (long long)value_to_int(v));
		text_string(text, buffer);
	} else if (value_is_double(v)) {
		text_double(text, value_to_double(v));
	} else if (value_is_symbol(v)) {
		if (inspect)
			text_add(text, ":", 1);
		text_string(text, value_to_symbol(v)->text);
	} else {
		text_string(text, v == VALUE_NIL ? "nil" : v == VALUE_TRUE ? "true" : "false");
	}
}

static enum native_status print_values(
	struct thread *thread, const value *arguments, int count, const char *end)
{
	struct text text = {0};

	for (int i = 1; i <= count; i++) {
		if (i > 1)
			text_add(&text, " ", 1);
		text_value(&text, thread->vm, arguments[i], false, 0);
	}
	text_add(&text, end, strlen(end));
	if (text.bytes)
		fwrite(text.bytes, 1, text.length, stdout);
	text_free(&text);
	return text.failed ? NATIVE_MEMORY : NATIVE_OK;
}

NATIVE(object_print)
{
	*result = VALUE_NIL;
	return print_values(thread, arguments, count, "\n");
}

NATIVE(object_write)
{
	*result = VALUE_NIL;
	return print_values(thread, arguments, count, "");
}

static enum native_status to_text(struct thread *thread, value v, bool inspect, value *result)
{
	struct text text = {0};
	enum native_status status;

	text_value(&text, thread->vm, v, inspect, 0);
	text_add(&text, "", 0);
	status = text.failed ? NATIVE_MEMORY : native_text(thread, text.bytes, text.length, result);
	text_free(&text);
	return status;
}

NATIVE(object_to_s)
{
	(void)count;
	return to_text(thread, arguments[0], false, result);
}

NATIVE(object_inspect)
{
	(void)count;
	return to_text(thread, arguments[0], true, result);
}

NATIVE(object_equal)
{
	(void)thread;
	(void)count;
	*result = value_bool(value_equal(arguments[0], arguments[1]));
	return NATIVE_OK;
}

NATIVE(object_class)
{
	(void)count;
	*result = value_object(class_of(thread->vm, arguments[0]));
	return NATIVE_OK;
}

NATIVE(object_is)
{
	struct class *class = native_object(thread, arguments[1], KIND_CLASS, "Class");

	(void)count;
	if (!class)
		return NATIVE_RAISE;
	*result = value_bool(class_inherits(class_of(thread->vm, arguments[0]), class));
	return NATIVE_OK;
}

NATIVE(object_responds)
{
	(void)count;
	if (!value_is_symbol(arguments[1]))
		return exception_raise(thread, thread->vm->class_type_error, "expected Symbol");
	*result = value_bool(vm_lookup(thread->vm, class_of(thread->vm, arguments[0]),
				     value_to_symbol(arguments[1])) != NULL);
	return NATIVE_OK;
}

NATIVE(object_init)
{
	(void)thread;
	(void)count;
	*result = arguments[0];
	return NATIVE_OK;
}

NATIVE(object_exit)
{
	int64_t code = 0;

	if (count && !native_int(thread, arguments[1], &code))
		return NATIVE_RAISE;
	*result = VALUE_NIL;
	thread->exit_code = (int)(code & 255);
	return NATIVE_EXIT;
}

NATIVE(class_name)
{
	struct class *class = value_to_object(arguments[0]);

	(void)count;
	return native_text(thread, class->name.text, class->name.length, result);
}

NATIVE(class_superclass)
{
	struct class *class = value_to_object(arguments[0]);

	(void)thread;
	(void)count;
	*result = class->super ? value_object(class->super) : VALUE_NIL;
	return NATIVE_OK;
}

NATIVE(error_init)
{
	struct instance *error = value_to_object(arguments[0]);

	if (count) {
		slot_store(&error->fields[0], arguments[1]);
		heap_barrier(thread->cap, &error->object, arguments[1]);
	}
	*result = arguments[0];
	return NATIVE_OK;
}

static value error_field(value error, int field)
{
	return slot_load(&((struct instance *)value_to_object(error))->fields[field]);
}

NATIVE(error_message)
{
	(void)thread;
	(void)count;
	*result = error_field(arguments[0], 0);
	return NATIVE_OK;
}

NATIVE(error_file)
{
	(void)thread;
	(void)count;
	*result = error_field(arguments[0], 1);
	return NATIVE_OK;
}

NATIVE(error_line)
{
	(void)thread;
	(void)count;
	*result = error_field(arguments[0], 2);
	return NATIVE_OK;
}

void native_object_methods(struct vm *vm)
{
	struct class *object = vm->class_object;

	vm_native(vm, object, false, "print", 0, -1, object_print);
	vm_native(vm, object, false, "write", 0, -1, object_write);
	vm_native(vm, object, false, "to_s", 0, 0, object_to_s);
	vm_native(vm, object, false, "inspect", 0, 0, object_inspect);
	vm_native(vm, object, false, "==", 1, 1, object_equal);
	vm_native(vm, object, false, "class", 0, 0, object_class);
	vm_native(vm, object, false, "is?", 1, 1, object_is);
	vm_native(vm, object, false, "responds?", 1, 1, object_responds);
	vm_native(vm, object, false, "init", 0, 0, object_init);
	vm_native(vm, object, false, "exit", 0, 1, object_exit);
	vm_native(vm, vm->class_class, false, "name", 0, 0, class_name);
	vm_native(vm, vm->class_class, false, "superclass", 0, 0, class_superclass);
	vm_native(vm, vm->class_error, false, "init", 0, 1, error_init);
	vm_native(vm, vm->class_error, false, "message", 0, 0, error_message);
	vm_native(vm, vm->class_error, false, "file", 0, 0, error_file);
	vm_native(vm, vm->class_error, false, "line", 0, 0, error_line);
}
