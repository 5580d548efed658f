/*
 * native_number.c: methods of numbers, booleans and nil.
 */
#include "native.h"

#include <math.h>

static enum native_status give_int(struct thread *thread, int64_t number, value *result)
{
	if (!value_fits_int(number))
		return exception_raise(thread, thread->vm->class_range_error, "integer overflow");
	*result = value_int(number);
	return NATIVE_OK;
}

#define BITS(name, expression)                                                                     \
	NATIVE(name)                                                                               \
	{                                                                                          \
		int64_t left = value_to_int(arguments[0]);                                         \
		int64_t right;                                                                     \
		(void)count;                                                                       \
		if (!native_int(thread, arguments[1], &right))                                     \
			return NATIVE_RAISE;                                                       \
		return give_int(thread, expression, result);                                       \
	}

BITS(int_and, left &right)
BITS(int_or, left | right)
BITS(int_xor, left ^ right)
BITS(int_right, right<0 || right> 63 ? 0 : left >> right)

NATIVE(int_left)
{
	int64_t left = value_to_int(arguments[0]);
	int64_t right;

	(void)count;
	if (!native_int(thread, arguments[1], &right))
		return NATIVE_RAISE;
	if (right < 0 || right > 47 || (left << right) >> right != left)
		return exception_raise(thread, thread->vm->class_range_error, "integer overflow");
	return give_int(thread, (int64_t)((uint64_t)left << right), result);
}

/* Only called when an operand is not a number; the interpreter handles two numbers. */
#define WRONG(native, operator)                                                                    \
	NATIVE(native)                                                                             \
	{                                                                                          \
		(void)count;                                                                       \
		(void)result;                                                                      \
		return exception_raise(thread, thread->vm->class_type_error,                       \
			"a number " operator" %.100s is not possible",                             \
			class_of(thread->vm, arguments[1])->name.text);                            \
	}

WRONG(number_add, "+")
WRONG(number_subtract, "-")
WRONG(number_multiply, "*")
WRONG(number_divide, "/")
WRONG(number_modulo, "%%")
WRONG(number_less, "<")
WRONG(number_less_equal, "<=")
WRONG(number_greater, ">")
WRONG(number_greater_equal, ">=")

NATIVE(number_negate)
{
	(void)count;
	if (value_is_int(arguments[0]))
		return give_int(thread, -value_to_int(arguments[0]), result);
	*result = value_double(-value_to_double(arguments[0]));
	return NATIVE_OK;
}

NATIVE(number_compare)
{
	double left = value_number(arguments[0]);
	double right;

	(void)count;
	if (!native_number(thread, arguments[1], &right))
		return NATIVE_RAISE;
	*result = value_int((left > right) - (left < right));
	return NATIVE_OK;
}

static enum native_status whole(struct thread *thread, double number, value *result)
{
	if (!(number > -1e14 && number < 1e14))
		return exception_raise(
			thread, thread->vm->class_range_error, "no integer can hold that");
	return give_int(thread, (int64_t)number, result);
}

NATIVE(number_to_i)
{
	(void)count;
	if (value_is_int(arguments[0])) {
		*result = arguments[0];
		return NATIVE_OK;
	}
	return whole(thread, trunc(value_to_double(arguments[0])), result);
}

NATIVE(number_floor)
{
	(void)count;
	return whole(thread, floor(value_number(arguments[0])), result);
}

NATIVE(number_round)
{
	(void)count;
	return whole(thread, round(value_number(arguments[0])), result);
}

NATIVE(number_to_f)
{
	(void)thread;
	(void)count;
	*result = value_double(value_number(arguments[0]));
	return NATIVE_OK;
}

NATIVE(number_abs)
{
	(void)count;
	if (value_is_int(arguments[0])) {
		int64_t number = value_to_int(arguments[0]);

		return give_int(thread, number < 0 ? -number : number, result);
	}
	*result = value_double(fabs(value_to_double(arguments[0])));
	return NATIVE_OK;
}

#define FUNCTION(name, function)                                                                   \
	NATIVE(name)                                                                               \
	{                                                                                          \
		(void)thread;                                                                      \
		(void)count;                                                                       \
		*result = value_double(function(value_number(arguments[0])));                      \
		return NATIVE_OK;                                                                  \
	}

FUNCTION(number_sqrt, sqrt)
FUNCTION(number_sin, sin)
FUNCTION(number_cos, cos)

NATIVE(number_power)
{
	double exponent;

	(void)count;
	if (!native_number(thread, arguments[1], &exponent))
		return NATIVE_RAISE;
	*result = value_double(pow(value_number(arguments[0]), exponent));
	return NATIVE_OK;
}

/* With that many digits after the point. */
NATIVE(number_fixed)
{
	char buffer[400];
	int64_t digits;
	int length;

	(void)count;
	if (!native_int(thread, arguments[1], &digits))
		return NATIVE_RAISE;
	if (digits < 0 || digits > 50)
		return exception_raise(
			thread, thread->vm->class_argument_error, "fixed takes 0 to 50 digits");
	length = snprintf(buffer, sizeof(buffer), "%.*f", (int)digits, value_number(arguments[0]));
	return native_text(thread, buffer, (size_t)length, result);
}

NATIVE(int_char)
{
	char byte = (char)value_to_int(arguments[0]);

	(void)count;
	return native_text(thread, &byte, 1, result);
}

void native_number_methods(struct vm *vm)
{
	struct class *number = vm->class_number;

	vm_native(vm, vm->class_int, false, "&", 1, 1, int_and);
	vm_native(vm, vm->class_int, false, "|", 1, 1, int_or);
	vm_native(vm, vm->class_int, false, "^", 1, 1, int_xor);
	vm_native(vm, vm->class_int, false, "<<", 1, 1, int_left);
	vm_native(vm, vm->class_int, false, ">>", 1, 1, int_right);
	vm_native(vm, vm->class_int, false, "char", 0, 0, int_char);
	vm_native(vm, number, false, "+", 1, 1, number_add);
	vm_native(vm, number, false, "-", 1, 1, number_subtract);
	vm_native(vm, number, false, "*", 1, 1, number_multiply);
	vm_native(vm, number, false, "/", 1, 1, number_divide);
	vm_native(vm, number, false, "%", 1, 1, number_modulo);
	vm_native(vm, number, false, "<", 1, 1, number_less);
	vm_native(vm, number, false, "<=", 1, 1, number_less_equal);
	vm_native(vm, number, false, ">", 1, 1, number_greater);
	vm_native(vm, number, false, ">=", 1, 1, number_greater_equal);
	vm_native(vm, number, false, "negate", 0, 0, number_negate);
	vm_native(vm, number, false, "<=>", 1, 1, number_compare);
	vm_native(vm, number, false, "to_i", 0, 0, number_to_i);
	vm_native(vm, number, false, "to_f", 0, 0, number_to_f);
	vm_native(vm, number, false, "floor", 0, 0, number_floor);
	vm_native(vm, number, false, "round", 0, 0, number_round);
	vm_native(vm, number, false, "abs", 0, 0, number_abs);
	vm_native(vm, number, false, "sqrt", 0, 0, number_sqrt);
	vm_native(vm, number, false, "sin", 0, 0, number_sin);
	vm_native(vm, number, false, "cos", 0, 0, number_cos);
	vm_native(vm, number, false, "power", 1, 1, number_power);
	vm_native(vm, number, false, "fixed", 1, 1, number_fixed);
}
