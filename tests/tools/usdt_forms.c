/*
 * usdt_forms.c: fires USDT probes whose operands have the forms that compilers choose of their own:
 * registers of all sizes, constants, the stack, indices, globals and locals of files, arrays
 * of them. Prints each probe's values as it fires, so that a tracer's output can be compared.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/sdt.h>

struct record {
	int first;
	short many[10];
	long last;
};

int number = -123456, table[16];
static short local = -77;
static uint8_t octet = 250;
static int64_t large = -5000000000;
struct record record = {5, {1, -2, 3, -4}, -9};

__attribute__((noinline)) static void nine(int a, short b, int8_t c, uint8_t d, unsigned e, long f,
	unsigned long g, const char *h, int i)
{
	DTRACE_PROBE9(forms, nine, a, b, c, d, e, f, g, h, i);
	printf("nine %d %d %d %d %u %ld %lu %s %d\n", a, b, c, d, e, f, g, h, i);
}

__attribute__((noinline)) static void globals(void)
{
	DTRACE_PROBE6(forms, globals, number, local, record.many[3], record.last, octet, large);
	printf("globals %d %d %d %ld %d %ld\n", number, local, record.many[3], record.last, octet,
		(long)large);
}

__attribute__((noinline)) static void indices(long i)
{
	DTRACE_PROBE4(forms, indices, table[i], record.many[i], table[i + 2], table[3]);
	printf("indices %d %d %d %d\n", table[i], record.many[i], table[i + 2], table[3]);
}

__attribute__((noinline)) static void pointers(const int *at, long i, const struct record *other)
{
	DTRACE_PROBE5(
		forms, pointers, at[i], other->many[i], other->last, at[i * 2 + 1], (uint8_t)at[i]);
	printf("pointers %d %d %ld %d %d\n", at[i], other->many[i], other->last, at[i * 2 + 1],
		(uint8_t)at[i]);
}

__attribute__((noinline)) static void halves(unsigned a)
{
	DTRACE_PROBE3(forms, halves, (uint8_t)(a >> 8), (int8_t)(a >> 8), (uint16_t)a);
	printf("halves %d %d %d\n", (uint8_t)(a >> 8), (int8_t)(a >> 8), (uint16_t)a);
}

/* Sites of one probe with arguments of different sizes and signs. */
__attribute__((noinline)) static void several(int a, uint16_t b, int8_t c)
{
	DTRACE_PROBE1(forms, several, a);
	DTRACE_PROBE1(forms, several, b);
	DTRACE_PROBE1(forms, several, c);
	DTRACE_PROBE1(forms, several, -7);
	DTRACE_PROBE1(forms, several, 4000000000u);
	printf("several %d\nseveral %d\nseveral %d\nseveral -7\nseveral 4000000000\n", a, b, c);
}

int main(void)
{
	const int numbers[10] = {10, -11, 12, -13, 14, -15, 16, -17, 18, -19};
	static int calls = 31;

	for (int i = 0; i < 16; i++)
		table[i] = -i * 100;
	nine(-1, -2, -3, 253, 4000000000u, -5, ~0ul - 9, "text", 9);
	globals();
	indices(2);
	indices(calls - 27);
	pointers(numbers, 3, &record);
	halves(0x1234f6aa);
	several(-42, 65000, -100);
	calls++;
	DTRACE_PROBE1(forms, calls, calls);
	printf("calls %d\n", calls);
	return 0;
}
