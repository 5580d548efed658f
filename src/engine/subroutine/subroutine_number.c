/* subroutine_number.c: numbers and their texts; see subroutine_call.h. */
#include <endian.h>

#include "engine/subroutine/subroutine_call.h"

enum {
	NUMBER_MAX = 72, /* 64 binary digits, a prefix, a sign */
	BASE_MAX = 36,
	MINOR_BITS = 20 /* of a device number in the kernel */
};

static int64_t base_of(const struct subroutine_call *call)
{
	return call->count > 1 ? (int64_t)call->arguments[1] : 10;
}

/* Decimal is signed; other bases show the 64 bits as unsigned, bases 16 and 8 with their prefix. */
enum d_fault subroutine_lltostr(struct subroutine_call *call)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	int64_t number = (int64_t)call->arguments[0], base = base_of(call);
	bool negative = base == 10 && number < 0;
	uint64_t left = negative ? -(uint64_t)number : (uint64_t)number;
	char text[NUMBER_MAX], *at = text + sizeof(text);

	if (base < 2 || base > BASE_MAX)
		return fault_set(call->engine, D_FAULT_ILLOP, 0);
	do {
		*--at = digits[left % (uint64_t)base];
		left /= (uint64_t)base;
	} while (left);
	if (base == 16)
		*--at = 'x';
	if (base == 16 || (base == 8 && number))
		*--at = '0';
	if (negative)
		*--at = '-';
	return subroutine_give(call, at, (uint32_t)(text + sizeof(text) - at));
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : BASE_MAX;
}

/* Parses up to the first character that is not a digit; wraps. */
enum d_fault subroutine_strtoll(struct subroutine_call *call)
{
	struct span string = subroutine_string(call, 0);
	int64_t base = base_of(call);
	const char *at = string.bytes, *end = at + string.length;
	bool negative;
	uint64_t number = 0;

	if (base < 2 || base > BASE_MAX)
		return fault_set(call->engine, D_FAULT_ILLOP, 0);
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (base == 16 && end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
		digit_of(at[2]) < 16)
		at += 2;
	for (; at < end && digit_of(*at) < base; at++)
		number = number * (uint64_t)base + (uint64_t)digit_of(*at);
	call->result = negative ? -number : number;
	return D_FAULT_NONE;
}

/* Between this machine's byte order and the network's. */
enum d_fault subroutine_swap16(struct subroutine_call *call)
{
	call->result = htobe16((uint16_t)call->arguments[0]);
	return D_FAULT_NONE;
}

enum d_fault subroutine_swap32(struct subroutine_call *call)
{
	call->result = htobe32((uint32_t)call->arguments[0]);
	return D_FAULT_NONE;
}

enum d_fault subroutine_swap64(struct subroutine_call *call)
{
	call->result = htobe64(call->arguments[0]);
	return D_FAULT_NONE;
}

enum d_fault subroutine_getmajor(struct subroutine_call *call)
{
	call->result = (uint32_t)(call->arguments[0] >> MINOR_BITS);
	return D_FAULT_NONE;
}

enum d_fault subroutine_getminor(struct subroutine_call *call)
{
	call->result = call->arguments[0] & ((1u << MINOR_BITS) - 1);
	return D_FAULT_NONE;
}

/*
 * 31 bits. The state starts at the run's start time and goes through all 64-bit values; the mixing
 * makes successive results dissimilar.
 */
enum d_fault subroutine_rand(struct subroutine_call *call)
{
	uint64_t number = call->engine->random += UINT64_C(0x9e3779b97f4a7c15);

	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	call->result = (number ^ number >> 31) >> 33;
	return D_FAULT_NONE;
}
