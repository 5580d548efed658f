/*
 * native_collection.c: methods of arrays and hashes.
 */
#include "native.h"

#include <errno.h>
#include <stdlib.h>

static size_t length_of(struct array *array)
{
	return atomic_load_explicit(&array->length, memory_order_acquire);
}

static value or_nil(value v)
{
	return v == VALUE_UNDEFINED ? VALUE_NIL : v;
}

/* Array.new(length, content) */
NATIVE(array_make)
{
	int64_t length = 0;
	struct array *array;

	if (count && !native_int(thread, arguments[1], &length))
		return NATIVE_RAISE;
	if (length < 0)
		return exception_raise(thread, thread->vm->class_argument_error, "negative length");
	array = array_new(thread->cap, thread_place(thread), (size_t)length);
	if (!array)
		return NATIVE_MEMORY;
	for (int64_t i = 0; count == 2 && i < length; i++)
		atomic_init(&array->body->items[i], arguments[2]);
	atomic_store_explicit(&array->length, (size_t)length, memory_order_release);
	*result = value_object(array);
	return NATIVE_OK;
}

NATIVE(array_length)
{
	(void)thread;
	(void)count;
	*result = value_int((int64_t)length_of(value_to_object(arguments[0])));
	return NATIVE_OK;
}

NATIVE(array_append)
{
	(void)count;
	*result = arguments[0];
	return array_push(thread->cap, value_to_object(arguments[0]), arguments[1]) ? NATIVE_MEMORY
										    : NATIVE_OK;
}

NATIVE(array_take_last)
{
	(void)thread;
	(void)count;
	*result = or_nil(array_pop(value_to_object(arguments[0])));
	return NATIVE_OK;
}

NATIVE(array_take_first)
{
	(void)thread;
	(void)count;
	*result = or_nil(array_shift(value_to_object(arguments[0])));
	return NATIVE_OK;
}

/* Only called with an index that is not an integer. */
NATIVE(array_index)
{
	int64_t index;

	(void)count;
	(void)result;
	native_int(thread, arguments[1], &index);
	return NATIVE_RAISE;
}

NATIVE(array_first)
{
	(void)thread;
	(void)count;
	*result = or_nil(array_get(value_to_object(arguments[0]), 0));
	return NATIVE_OK;
}

NATIVE(array_last)
{
	struct array *array = value_to_object(arguments[0]);
	size_t length = length_of(array);

	(void)thread;
	(void)count;
	*result = length ? or_nil(array_get(array, length - 1)) : VALUE_NIL;
	return NATIVE_OK;
}

NATIVE(array_slice)
{
	struct array *array = value_to_object(arguments[0]);
	struct array *part;
	int64_t start;
	int64_t length;

	(void)count;
	if (!native_int(thread, arguments[1], &start) || !native_int(thread, arguments[2], &length))
		return NATIVE_RAISE;
	if (start < 0 || length < 0)
		return exception_raise(thread, thread->vm->class_index_error,
			"a slice has no negative start or length");
	if (start + length > (int64_t)length_of(array))
		length = (int64_t)length_of(array) - start;
	if (length < 0)
		length = 0;
	part = array_new(thread->cap, thread_place(thread), (size_t)length);
	if (!part)
		return NATIVE_MEMORY;
	for (int64_t i = 0; i < length; i++)
		atomic_init(&part->body->items[i], or_nil(array_get(array, (size_t)(start + i))));
	atomic_store_explicit(&part->length, (size_t)length, memory_order_release);
	*result = value_object(part);
	return NATIVE_OK;
}

NATIVE(array_add)
{
	struct array *left = value_to_object(arguments[0]);
	struct array *right = native_object(thread, arguments[1], KIND_ARRAY, "Array");
	struct array *sum;
	size_t first;
	size_t second;

	(void)count;
	if (!right)
		return NATIVE_RAISE;
	first = length_of(left);
	second = length_of(right);
	sum = array_new(thread->cap, thread_place(thread), first + second);
	if (!sum)
		return NATIVE_MEMORY;
	for (size_t i = 0; i < first; i++)
		atomic_init(&sum->body->items[i], or_nil(array_get(left, i)));
	for (size_t i = 0; i < second; i++)
		atomic_init(&sum->body->items[first + i], or_nil(array_get(right, i)));
	atomic_store_explicit(&sum->length, first + second, memory_order_release);
	*result = value_object(sum);
	return NATIVE_OK;
}

NATIVE(array_join)
{
	struct array *array = value_to_object(arguments[0]);
	struct string *separator = count ? native_string(thread, arguments[1]) : NULL;
	struct text text = {0};
	enum native_status status;
	value item;

	if (count && !separator)
		return NATIVE_RAISE;
	for (size_t i = 0; (item = array_get(array, i)) != VALUE_UNDEFINED; i++) {
		if (i && separator)
			text_add(&text, separator->text, separator->length);
		text_value(&text, thread->vm, item, false, 0);
	}
	text_add(&text, "", 0);
	status = text.failed ? NATIVE_MEMORY : native_text(thread, text.bytes, text.length, result);
	text_free(&text);
	return status;
}

/* Numbers sort before strings; natives cannot call methods of guest objects. */
static int compare(const void *one, const void *other)
{
	value left;
	value right;

	memcpy(&left, one, sizeof(left));
	memcpy(&right, other, sizeof(right));
	if (value_is_number(left) && value_is_number(right)) {
		double x = value_number(left);
		double y = value_number(right);

		return (x > y) - (x < y);
	}
	if (value_is_number(left) || value_is_number(right))
		return value_is_number(left) ? -1 : 1;
	return strcmp(((struct string *)value_to_object(left))->text,
		((struct string *)value_to_object(right))->text);
}

NATIVE(array_sort)
{
	struct array *array = value_to_object(arguments[0]);
	size_t length = length_of(array);
	struct array *sorted;
	value *items;

	(void)count;
	sorted = array_new(thread->cap, thread_place(thread), length);
	items = malloc((length + 1) * sizeof(*items));
	if (!sorted || !items) {
		free(items);
		return NATIVE_MEMORY;
	}
	for (size_t i = 0; i < length; i++) {
		items[i] = or_nil(array_get(array, i));
		if (value_is_number(items[i]) ||
			class_of(thread->vm, items[i]) == thread->vm->class_string)
			continue;
		free(items);
		return exception_raise(thread, thread->vm->class_type_error,
			"sort takes numbers and strings only");
	}
	qsort(items, length, sizeof(*items), compare);
	for (size_t i = 0; i < length; i++)
		atomic_init(&sorted->body->items[i], items[i]);
	atomic_store_explicit(&sorted->length, length, memory_order_release);
	free(items);
	*result = value_object(sorted);
	return NATIVE_OK;
}

NATIVE(array_reverse)
{
	struct array *array = value_to_object(arguments[0]);
	size_t length = length_of(array);
	struct array *reversed = array_new(thread->cap, thread_place(thread), length);

	(void)count;
	if (!reversed)
		return NATIVE_MEMORY;
	for (size_t i = 0; i < length; i++)
		atomic_init(&reversed->body->items[i], or_nil(array_get(array, length - 1 - i)));
	atomic_store_explicit(&reversed->length, length, memory_order_release);
	*result = value_object(reversed);
	return NATIVE_OK;
}

NATIVE(array_find)
{
	struct array *array = value_to_object(arguments[0]);
	value item;

	(void)thread;
	(void)count;
	*result = VALUE_NIL;
	for (size_t i = 0; (item = array_get(array, i)) != VALUE_UNDEFINED; i++) {
		if (value_equal(item, arguments[1])) {
			*result = value_int((int64_t)i);
			break;
		}
	}
	return NATIVE_OK;
}

NATIVE(hash_make)
{
	struct hash *hash;
	int64_t pairs = 0;

	if (count && !native_int(thread, arguments[1], &pairs))
		return NATIVE_RAISE;
	hash = hash_new(thread->cap, thread_place(thread), pairs < 0 ? 0 : (size_t)pairs);
	if (!hash)
		return NATIVE_MEMORY;
	*result = value_object(hash);
	return NATIVE_OK;
}

NATIVE(hash_count)
{
	(void)thread;
	(void)count;
	*result = value_int((int64_t)hash_length(value_to_object(arguments[0])));
	return NATIVE_OK;
}

NATIVE(hash_index)
{
	(void)thread;
	*result = hash_get(value_to_object(arguments[0]), arguments[1]);
	if (*result == VALUE_UNDEFINED)
		*result = count == 2 ? arguments[2] : VALUE_NIL;
	return NATIVE_OK;
}

NATIVE(hash_store)
{
	(void)count;
	*result = arguments[2];
	return hash_set(thread->cap, value_to_object(arguments[0]), arguments[1], arguments[2])
		? NATIVE_MEMORY
		: NATIVE_OK;
}

NATIVE(hash_has)
{
	(void)thread;
	(void)count;
	*result = value_bool(
		hash_get(value_to_object(arguments[0]), arguments[1]) != VALUE_UNDEFINED);
	return NATIVE_OK;
}

NATIVE(hash_remove)
{
	(void)thread;
	(void)count;
	*result = or_nil(hash_delete(value_to_object(arguments[0]), arguments[1]));
	return NATIVE_OK;
}

static enum native_status list(struct thread *thread, value hash, bool keys, value *result)
{
	struct array *array =
		hash_list(thread->cap, thread_place(thread), value_to_object(hash), keys);

	if (!array)
		return NATIVE_MEMORY;
	*result = value_object(array);
	return NATIVE_OK;
}

NATIVE(hash_keys)
{
	(void)count;
	return list(thread, arguments[0], true, result);
}

NATIVE(hash_values)
{
	(void)count;
	return list(thread, arguments[0], false, result);
}

void native_collection_methods(struct vm *vm)
{
	struct class *array = vm->class_array;
	struct class *hash = vm->class_hash;

	vm_native(vm, array, true, "new", 0, 2, array_make);
	vm_native(vm, array, false, "length", 0, 0, array_length);
	vm_native(vm, array, false, "push", 1, 1, array_append);
	vm_native(vm, array, false, "<<", 1, 1, array_append);
	vm_native(vm, array, false, "pop", 0, 0, array_take_last);
	vm_native(vm, array, false, "shift", 0, 0, array_take_first);
	vm_native(vm, array, false, "[]", 1, 1, array_index);
	vm_native(vm, array, false, "[]=", 2, 2, array_index);
	vm_native(vm, array, false, "first", 0, 0, array_first);
	vm_native(vm, array, false, "last", 0, 0, array_last);
	vm_native(vm, array, false, "slice", 2, 2, array_slice);
	vm_native(vm, array, false, "+", 1, 1, array_add);
	vm_native(vm, array, false, "join", 0, 1, array_join);
	vm_native(vm, array, false, "sort", 0, 0, array_sort);
	vm_native(vm, array, false, "reverse", 0, 0, array_reverse);
	vm_native(vm, array, false, "find", 1, 1, array_find);
	vm_native(vm, hash, true, "new", 0, 1, hash_make);
	vm_native(vm, hash, false, "length", 0, 0, hash_count);
	vm_native(vm, hash, false, "[]", 1, 1, hash_index);
	vm_native(vm, hash, false, "get", 1, 2, hash_index);
	vm_native(vm, hash, false, "[]=", 2, 2, hash_store);
	vm_native(vm, hash, false, "has?", 1, 1, hash_has);
	vm_native(vm, hash, false, "delete", 1, 1, hash_remove);
	vm_native(vm, hash, false, "keys", 0, 0, hash_keys);
	vm_native(vm, hash, false, "values", 0, 0, hash_values);
}
