/*
 * native_string.c: methods of strings and symbols. Strings are immutable; positions and
 * lengths are in bytes.
 */
#include "native.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static struct string *self_string(const value *arguments)
{
	return value_to_object(arguments[0]);
}

NATIVE(string_length)
{
	(void)thread;
	(void)count;
	*result = value_int(self_string(arguments)->length);
	return NATIVE_OK;
}

NATIVE(string_add)
{
	struct string *left = self_string(arguments);
	struct string *right = native_string(thread, arguments[1]);
	struct string *sum;

	(void)count;
	if (!right)
		return NATIVE_RAISE;
	sum = string_new(
		thread->cap, thread_place(thread), NULL, (size_t)left->length + right->length);
	if (!sum)
		return NATIVE_MEMORY;
	memcpy(sum->text, left->text, left->length);
	memcpy(sum->text + left->length, right->text, right->length);
	*result = value_object(sum);
	return NATIVE_OK;
}

NATIVE(string_multiply)
{
	struct string *piece = self_string(arguments);
	struct string *product;
	int64_t times;

	(void)count;
	if (!native_int(thread, arguments[1], &times))
		return NATIVE_RAISE;
	if (times < 0)
		return exception_raise(
			thread, thread->vm->class_argument_error, "negative repetition");
	if (piece->length && times > INT64_C(0x7fffffff) / piece->length)
		return NATIVE_MEMORY;
	product =
		string_new(thread->cap, thread_place(thread), NULL, (size_t)times * piece->length);
	if (!product)
		return NATIVE_MEMORY;
	for (int64_t i = 0; i < times && piece->length; i++)
		memcpy(product->text + (size_t)i * piece->length, piece->text, piece->length);
	*result = value_object(product);
	return NATIVE_OK;
}

/* Cuts a range down to the string. */
static enum native_status give_slice(struct thread *thread, const struct string *string,
	int64_t start, int64_t length, value *result)
{
	if (start < 0)
		start += string->length;
	if (start < 0 || start > string->length || length < 0) {
		*result = VALUE_NIL;
		return NATIVE_OK;
	}
	if (length > string->length - start)
		length = string->length - start;
	return native_text(thread, string->text + start, (size_t)length, result);
}

NATIVE(string_index)
{
	struct string *string = self_string(arguments);
	int64_t position;

	(void)count;
	if (!native_int(thread, arguments[1], &position))
		return NATIVE_RAISE;
	if (position < -(int64_t)string->length || position >= string->length) {
		*result = VALUE_NIL;
		return NATIVE_OK;
	}
	return give_slice(thread, string, position, 1, result);
}

NATIVE(string_slice)
{
	int64_t start;
	int64_t length = INT32_MAX;

	if (!native_int(thread, arguments[1], &start) ||
		(count == 2 && !native_int(thread, arguments[2], &length)))
		return NATIVE_RAISE;
	return give_slice(thread, self_string(arguments), start, length, result);
}

NATIVE(string_byte)
{
	struct string *string = self_string(arguments);
	int64_t position;

	(void)count;
	if (!native_int(thread, arguments[1], &position))
		return NATIVE_RAISE;
	*result = position < 0 || position >= string->length
		? VALUE_NIL
		: value_int((unsigned char)string->text[position]);
	return NATIVE_OK;
}

static const char *find_text(const struct string *string, size_t from, const struct string *wanted)
{
	if (from > string->length)
		return NULL;
	return memmem(string->text + from, string->length - from, wanted->text, wanted->length);
}

NATIVE(string_find)
{
	struct string *string = self_string(arguments);
	struct string *wanted = native_string(thread, arguments[1]);
	const char *found;
	int64_t from = 0;

	if (!wanted || (count == 2 && !native_int(thread, arguments[2], &from)))
		return NATIVE_RAISE;
	found = from < 0 ? NULL : find_text(string, (size_t)from, wanted);
	*result = found ? value_int(found - string->text) : VALUE_NIL;
	return NATIVE_OK;
}

NATIVE(string_starts)
{
	struct string *string = self_string(arguments);
	struct string *start = native_string(thread, arguments[1]);

	(void)count;
	if (!start)
		return NATIVE_RAISE;
	*result = value_bool(start->length <= string->length &&
		memcmp(string->text, start->text, start->length) == 0);
	return NATIVE_OK;
}

static int add_piece(struct thread *thread, struct array *list, const char *text, size_t length)
{
	struct string *piece = string_new(thread->cap, thread_place(thread), text, length);

	return piece ? array_push(thread->cap, list, value_object(piece)) : -ENOMEM;
}

/* By a separator, or by white space. */
NATIVE(string_split)
{
	struct string *string = self_string(arguments);
	struct string *separator = count ? native_string(thread, arguments[1]) : NULL;
	struct array *list;
	const char *end = string->text + string->length;
	const char *next = string->text;
	int error = 0;

	if (count && !separator)
		return NATIVE_RAISE;
	if (separator && !separator->length)
		return exception_raise(
			thread, thread->vm->class_argument_error, "the separator is empty");
	list = array_new(thread->cap, thread_place(thread), 0);
	if (!list)
		return NATIVE_MEMORY;
	while (separator && !error) {
		const char *found = find_text(string, (size_t)(next - string->text), separator);
		const char *stop = found ? found : end;

		error = add_piece(thread, list, next, (size_t)(stop - next));
		if (!found)
			break;
		next = found + separator->length;
	}
	while (!separator && next < end && !error) {
		const char *start = next;

		while (next < end && !isspace((unsigned char)*next))
			next++;
		if (next > start)
			error = add_piece(thread, list, start, (size_t)(next - start));
		else
			next++;
	}
	*result = value_object(list);
	return error ? NATIVE_MEMORY : NATIVE_OK;
}

static enum native_status map_bytes(
	struct thread *thread, const struct string *string, int (*map)(int), value *result)
{
	struct string *mapped = string_new(thread->cap, thread_place(thread), NULL, string->length);

	if (!mapped)
		return NATIVE_MEMORY;
	for (uint32_t i = 0; i < string->length; i++)
		mapped->text[i] = (char)map((unsigned char)string->text[i]);
	*result = value_object(mapped);
	return NATIVE_OK;
}

NATIVE(string_upper)
{
	(void)count;
	return map_bytes(thread, self_string(arguments), toupper, result);
}

NATIVE(string_lower)
{
	(void)count;
	return map_bytes(thread, self_string(arguments), tolower, result);
}

NATIVE(string_strip)
{
	struct string *string = self_string(arguments);
	size_t start = 0;
	size_t end = string->length;

	(void)count;
	while (start < end && isspace((unsigned char)string->text[start]))
		start++;
	while (end > start && isspace((unsigned char)string->text[end - 1]))
		end--;
	return native_text(thread, string->text + start, end - start, result);
}

/* Pads with blanks to a width, on the right or, with a negative width, on the left. */
NATIVE(string_pad)
{
	struct string *string = self_string(arguments);
	struct string *padded;
	int64_t width;
	size_t blanks = 0;

	(void)count;
	if (!native_int(thread, arguments[1], &width))
		return NATIVE_RAISE;
	if (width < -10000 || width > 10000)
		return exception_raise(
			thread, thread->vm->class_argument_error, "the width is too large");
	if (llabs(width) > string->length)
		blanks = (size_t)llabs(width) - string->length;
	padded = string_new(thread->cap, thread_place(thread), NULL, string->length + blanks);
	if (!padded)
		return NATIVE_MEMORY;
	memset(padded->text, ' ', string->length + blanks);
	memcpy(padded->text + (width < 0 ? blanks : 0), string->text, string->length);
	*result = value_object(padded);
	return NATIVE_OK;
}

NATIVE(string_to_i)
{
	char *end;
	long long number;

	(void)count;
	errno = 0;
	number = strtoll(self_string(arguments)->text, &end, 10);
	if (errno || !value_fits_int(number))
		return exception_raise(
			thread, thread->vm->class_range_error, "no integer can hold that");
	*result = value_int(number);
	return NATIVE_OK;
}

NATIVE(string_to_f)
{
	(void)thread;
	(void)count;
	*result = value_double(strtod(self_string(arguments)->text, NULL));
	return NATIVE_OK;
}

NATIVE(string_to_sym)
{
	struct string *string = self_string(arguments);
	struct symbol *symbol = symbol_intern(
		thread->vm, thread->cap, thread_place(thread), string->text, string->length);

	(void)count;
	if (!symbol)
		return NATIVE_MEMORY;
	*result = value_symbol(symbol);
	return NATIVE_OK;
}

static int compare(const struct string *left, const struct string *right)
{
	size_t shorter = left->length < right->length ? left->length : right->length;
	int order = memcmp(left->text, right->text, shorter);

	if (!order)
		order = (left->length > right->length) - (left->length < right->length);
	return (order > 0) - (order < 0);
}

#define COMPARISON(name, expression)                                                               \
	NATIVE(name)                                                                               \
	{                                                                                          \
		struct string *right = native_string(thread, arguments[1]);                        \
		int order;                                                                         \
		(void)count;                                                                       \
		if (!right)                                                                        \
			return NATIVE_RAISE;                                                       \
		order = compare(self_string(arguments), right);                                    \
		*result = expression;                                                              \
		return NATIVE_OK;                                                                  \
	}

COMPARISON(string_compare, value_int(order))
COMPARISON(string_less, value_bool(order < 0))
COMPARISON(string_less_equal, value_bool(order <= 0))
COMPARISON(string_greater, value_bool(order > 0))
COMPARISON(string_greater_equal, value_bool(order >= 0))

NATIVE(symbol_length)
{
	(void)thread;
	(void)count;
	*result = value_int(value_to_symbol(arguments[0])->length);
	return NATIVE_OK;
}

void native_string_methods(struct vm *vm)
{
	struct class *string = vm->class_string;

	vm_native(vm, string, false, "length", 0, 0, string_length);
	vm_native(vm, string, false, "+", 1, 1, string_add);
	vm_native(vm, string, false, "*", 1, 1, string_multiply);
	vm_native(vm, string, false, "[]", 1, 1, string_index);
	vm_native(vm, string, false, "slice", 1, 2, string_slice);
	vm_native(vm, string, false, "byte", 1, 1, string_byte);
	vm_native(vm, string, false, "find", 1, 2, string_find);
	vm_native(vm, string, false, "starts?", 1, 1, string_starts);
	vm_native(vm, string, false, "split", 0, 1, string_split);
	vm_native(vm, string, false, "upper", 0, 0, string_upper);
	vm_native(vm, string, false, "lower", 0, 0, string_lower);
	vm_native(vm, string, false, "strip", 0, 0, string_strip);
	vm_native(vm, string, false, "pad", 1, 1, string_pad);
	vm_native(vm, string, false, "to_i", 0, 0, string_to_i);
	vm_native(vm, string, false, "to_f", 0, 0, string_to_f);
	vm_native(vm, string, false, "to_sym", 0, 0, string_to_sym);
	vm_native(vm, string, false, "<=>", 1, 1, string_compare);
	vm_native(vm, string, false, "<", 1, 1, string_less);
	vm_native(vm, string, false, "<=", 1, 1, string_less_equal);
	vm_native(vm, string, false, ">", 1, 1, string_greater);
	vm_native(vm, string, false, ">=", 1, 1, string_greater_equal);
	vm_native(vm, vm->class_symbol, false, "length", 0, 0, symbol_length);
}
