/*
 * trace_vector_code.c: functions that begin with a vector instruction whose opcode is one of a
 * jump, a call, a return, a nop or popf in another encoding. Prints what each one calculates.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION(name, instruction)                                                                \
	__asm__(".type " #name ", @function\n" #name ":\n" instruction "\n"                        \
		"mov %rdi, %rax\n"                                                                 \
		"ret\n"                                                                            \
		".skip 32, 0xcc\n" /* nothing that the kernel may copy as well */                  \
		".size " #name ", . - " #name "\n");                                               \
	extern void name(void);

FUNCTION(vector_jump, "vpcmpeqb %xmm1, %xmm2, %xmm0")
FUNCTION(vector_jump_far, "vpor %xmm1, %xmm2, %xmm0")
FUNCTION(vector_call, "vpsubsb %xmm1, %xmm2, %xmm0")
FUNCTION(vector_return, "vcmpps $1, %xmm1, %xmm2, %xmm0")
FUNCTION(vector_other, "vaddps %xmm1, %xmm2, %xmm0")
FUNCTION(vector_popf, "vfnmadd132sd %xmm1, %xmm2, %xmm0")
FUNCTION(vector_nop, "vpgatherdd %xmm1, (%rdi, %xmm2, 4), %xmm0")

static void show(const char *name, void (*function)(void))
{
	static const int32_t table[8] = {11, 22, 33, 44, 55, 66, 77, 88};
	static const int32_t mask[4] = {-1, -1, 0, -1}, places[4] = {7, 0, 3, 2};
	int32_t result[4] = {5, 6, 7, 8};

	__asm__ volatile("vmovdqu (%1), %%xmm0\n"
			 "vmovdqu (%2), %%xmm1\n"
			 "vmovdqu (%3), %%xmm2\n"
			 "call *%0\n"
			 "vmovdqu %%xmm0, (%1)\n"
			 :
			 : "r"(function), "r"(result), "r"(mask), "r"(places), "D"(table)
			 : "memory", "rax", "xmm0", "xmm1", "xmm2");
	printf("%s %08x %08x %08x %08x\n", name, (unsigned)result[0], (unsigned)result[1],
		(unsigned)result[2], (unsigned)result[3]);
}

int main(void)
{
	if (__builtin_cpu_supports("avx")) {
		show("jump", vector_jump);
		show("far jump", vector_jump_far);
		show("call", vector_call);
		show("return", vector_return);
		show("other", vector_other);
	}
	if (__builtin_cpu_supports("fma"))
		show("popf", vector_popf);
	if (__builtin_cpu_supports("avx2"))
		show("nop", vector_nop);
	return 0;
}
