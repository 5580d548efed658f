/*
 * test_operand.c: the forms of operands that compilers write into notes, one table row
 * each, and how argument strings are split.
 */
#include <elf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "unit_main.h"
#include "usdt/elf/operand.h"

enum { NONE = 255 };

struct form {
	const char *text;
	enum operand_kind kind;
	bool is_portable;
	int base, base_size, index, scale;
	int64_t value;
	const char *symbol;
};

static const struct form x86_forms[] = {
	{"%rax", OPERAND_REGISTER, true, 0, 8, NONE, 0, 0, NULL},
	{"%eax", OPERAND_REGISTER, true, 0, 4, NONE, 0, 0, NULL},
	{"%ax", OPERAND_REGISTER, true, 0, 2, NONE, 0, 0, NULL},
	{"%al", OPERAND_REGISTER, true, 0, 1, NONE, 0, 0, NULL},
	{"%ah", OPERAND_REGISTER, false, 0, 1, NONE, 0, 0, NULL},
	{"%bh", OPERAND_REGISTER, false, 3, 1, NONE, 0, 0, NULL},
	{"%rsp", OPERAND_REGISTER, true, 4, 8, NONE, 0, 0, NULL},
	{"%sil", OPERAND_REGISTER, true, 6, 1, NONE, 0, 0, NULL},
	{"%dil", OPERAND_REGISTER, true, 7, 1, NONE, 0, 0, NULL},
	{"%bpl", OPERAND_REGISTER, true, 5, 1, NONE, 0, 0, NULL},
	{"%r8", OPERAND_REGISTER, true, 8, 8, NONE, 0, 0, NULL},
	{"%r9d", OPERAND_REGISTER, true, 9, 4, NONE, 0, 0, NULL},
	{"%r10w", OPERAND_REGISTER, true, 10, 2, NONE, 0, 0, NULL},
	{"%r15b", OPERAND_REGISTER, true, 15, 1, NONE, 0, 0, NULL},
	{"%xmm0", OPERAND_REGISTER, false, 0, 16, NONE, 0, 0, NULL},
	{"%xmm15", OPERAND_REGISTER, false, 15, 16, NONE, 0, 0, NULL},
	{"%ymm3", OPERAND_REGISTER, false, 3, 32, NONE, 0, 0, NULL},
	{"$0", OPERAND_CONSTANT, true, NONE, 0, NONE, 0, 0, NULL},
	{"$-1", OPERAND_CONSTANT, true, NONE, 0, NONE, 0, -1, NULL},
	{"$18446744073709551615", OPERAND_CONSTANT, true, NONE, 0, NONE, 0, -1, NULL},
	{"$0x10", OPERAND_CONSTANT, false, NONE, 0, NONE, 0, 16, NULL},
	{"5", OPERAND_CONSTANT, false, NONE, 0, NONE, 0, 5, NULL},
	{"-7", OPERAND_CONSTANT, false, NONE, 0, NONE, 0, -7, NULL},
	{"(%rdi)", OPERAND_MEMORY, true, 7, 8, NONE, 1, 0, NULL},
	{"-20(%rbp)", OPERAND_MEMORY, true, 5, 8, NONE, 1, -20, NULL},
	{"0(%rsp)", OPERAND_MEMORY, true, 4, 8, NONE, 1, 0, NULL},
	{"0x18(%rsp)", OPERAND_MEMORY, false, 4, 8, NONE, 1, 24, NULL},
	{"8(%r12)", OPERAND_MEMORY, true, 12, 8, NONE, 1, 8, NULL},
	{"8+4(%rsp)", OPERAND_MEMORY, false, 4, 8, NONE, 1, 12, NULL},
	{"(%rax,%rbx)", OPERAND_MEMORY, true, 0, 8, 3, 1, 0, NULL},
	{"-96(%rbp,%rax,8)", OPERAND_MEMORY, true, 5, 8, 0, 8, -96, NULL},
	{"(%rdx,%rcx,4)", OPERAND_MEMORY, true, 2, 8, 1, 4, 0, NULL},
	{"( %rdx , %rcx , 2 )", OPERAND_MEMORY, true, 2, 8, 1, 2, 0, NULL},
	{"n(%rip)", OPERAND_SYMBOL, false, 16, 8, NONE, 1, 0, "n"},
	{"n+8(%rip)", OPERAND_SYMBOL, false, 16, 8, NONE, 1, 8, "n"},
	{"16+n(%rip)", OPERAND_SYMBOL, false, 16, 8, NONE, 1, 16, "n"},
	{"-4+table.0(%rip)", OPERAND_SYMBOL, false, 16, 8, NONE, 1, -4, "table.0"},
	{"n@GOTPCREL(%rip)", OPERAND_SYMBOL, false, 16, 8, NONE, 1, 0, "n@GOTPCREL"},
	{"table(,%rax,8)", OPERAND_SYMBOL, false, NONE, 0, 0, 8, 0, "table"},
	{"_ZN1a1bE(%rax)", OPERAND_SYMBOL, false, 0, 8, NONE, 1, 0, "_ZN1a1bE"},
	{"n", OPERAND_SYMBOL, false, NONE, 0, NONE, 1, 0, "n"},
	{"$.LC0", OPERAND_SYMBOL, false, NONE, 0, NONE, 0, 0, ".LC0"},
	{"$n+4", OPERAND_SYMBOL, false, NONE, 0, NONE, 0, 4, "n"},
	{"%fs:0", OPERAND_MEMORY, false, NONE, 0, NONE, 1, 0, NULL},
	{"%fs:-8(%rax)", OPERAND_MEMORY, false, 0, 8, NONE, 1, -8, NULL},
	{"%fs:v@tpoff", OPERAND_SYMBOL, false, NONE, 0, NONE, 1, 0, "v@tpoff"},
	{"16(%rip)", OPERAND_MEMORY, false, 16, 8, NONE, 1, 16, NULL},
	{"", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"%", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"%r16", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"%r08", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"%raxx", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"%abcdefghij", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"%rax garbage", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"$", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"$99999999999999999999", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"8(", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"8()", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"8(,)", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"8(%rax,%rbx,3)", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"8(%rax", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"a+b(%rip)", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"%st(0)", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"--", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
};

static const struct form arm_forms[] = {
	{"x0", OPERAND_REGISTER, true, 0, 8, NONE, 1, 0, NULL},
	{"x30", OPERAND_REGISTER, true, 30, 8, NONE, 1, 0, NULL},
	{"w19", OPERAND_REGISTER, false, 19, 4, NONE, 1, 0, NULL},
	{"sp", OPERAND_REGISTER, true, 31, 8, NONE, 1, 0, NULL},
	{"xzr", OPERAND_REGISTER, false, 32, 8, NONE, 1, 0, NULL},
	{"wzr", OPERAND_REGISTER, false, 32, 4, NONE, 1, 0, NULL},
	{"d8", OPERAND_REGISTER, false, 8, 8, NONE, 1, 0, NULL},
	{"s0", OPERAND_REGISTER, false, 0, 4, NONE, 1, 0, NULL},
	{"v31", OPERAND_REGISTER, false, 31, 16, NONE, 1, 0, NULL},
	{"0", OPERAND_CONSTANT, true, NONE, 0, NONE, 1, 0, NULL},
	{"-1", OPERAND_CONSTANT, true, NONE, 0, NONE, 1, -1, NULL},
	{"#12", OPERAND_CONSTANT, false, NONE, 0, NONE, 1, 12, NULL},
	{"[sp]", OPERAND_MEMORY, true, 31, 8, NONE, 1, 0, NULL},
	{"[x0]", OPERAND_MEMORY, true, 0, 8, NONE, 1, 0, NULL},
	{"[sp, 176]", OPERAND_MEMORY, true, 31, 8, NONE, 1, 176, NULL},
	{"[sp,60]", OPERAND_MEMORY, true, 31, 8, NONE, 1, 60, NULL},
	{"[x29, -8]", OPERAND_MEMORY, true, 29, 8, NONE, 1, -8, NULL},
	{"[x0, #8]", OPERAND_MEMORY, false, 0, 8, NONE, 1, 8, NULL},
	{"[x0, x1]", OPERAND_MEMORY, false, 0, 8, 1, 1, 0, NULL},
	{"[x2, x3, lsl 3]", OPERAND_MEMORY, false, 2, 8, 3, 8, 0, NULL},
	{"[x2, w3, sxtw #2]", OPERAND_MEMORY, false, 2, 8, 3, 4, 0, NULL},
	{"[x2, w3, uxtw]", OPERAND_MEMORY, false, 2, 8, 3, 1, 0, NULL},
	{"[x19, #:lo12:counter]", OPERAND_SYMBOL, false, 19, 8, NONE, 1, 0, "counter"},
	{"[x19, :lo12:counter+4]", OPERAND_SYMBOL, false, 19, 8, NONE, 1, 4, "counter"},
	{"counter", OPERAND_SYMBOL, false, NONE, 0, NONE, 1, 0, "counter"},
	{"[", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"[x0", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"[x0, x1, lsl 9]", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"[d0]", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"[x0, d1]", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"[x0, :lo12:]", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
	{"[x0] x1", OPERAND_UNKNOWN, false, NONE, 0, NONE, 0, 0, NULL},
};

static void compare(uint16_t machine, const struct form *form)
{
	struct operand operand;

	operand_parse(machine, form->text, strlen(form->text), &operand);
	ck_assert_msg(operand.kind == form->kind, "%s: kind %d", form->text, operand.kind);
	ck_assert_msg(operand.is_portable == form->is_portable, "%s: portable", form->text);
	if (form->kind == OPERAND_UNKNOWN)
		return;
	if (form->base == NONE) {
		ck_assert_msg(operand.base.kind == OPERAND_REGISTER_NONE, "%s: base", form->text);
	} else {
		ck_assert_msg(operand.base.kind != OPERAND_REGISTER_NONE &&
				operand.base.number == form->base &&
				operand.base.size == form->base_size,
			"%s: base %d, %d bytes", form->text, operand.base.number,
			operand.base.size);
	}
	if (form->index == NONE)
		ck_assert_msg(operand.index.kind == OPERAND_REGISTER_NONE, "%s: index", form->text);
	else
		ck_assert_msg(operand.index.number == form->index, "%s: index", form->text);
	if (form->kind == OPERAND_MEMORY)
		ck_assert_msg(
			operand.scale == form->scale, "%s: scale %d", form->text, operand.scale);
	ck_assert_msg(operand.value == form->value, "%s: value %lld", form->text,
		(long long)operand.value);
	if (form->symbol)
		ck_assert_msg(operand.symbol && operand.symbol_length == strlen(form->symbol) &&
				strncmp(operand.symbol, form->symbol, operand.symbol_length) == 0,
			"%s: symbol", form->text);
	else
		ck_assert_msg(!operand.symbol, "%s: symbol", form->text);
}

START_TEST(x86_form)
{
	compare(EM_X86_64, &x86_forms[_i]);
}
END_TEST

START_TEST(arm_form)
{
	compare(EM_AARCH64, &arm_forms[_i]);
}
END_TEST

START_TEST(high_byte_and_segment)
{
	struct operand operand;

	operand_parse(EM_X86_64, "%dh", 3, &operand);
	ck_assert(operand.base.high_byte && operand.base.number == 2);
	operand_parse(EM_X86_64, "%dl", 3, &operand);
	ck_assert(!operand.base.high_byte);
	operand_parse(EM_X86_64, "%fs:16", 6, &operand);
	ck_assert_str_eq(operand.segment, "fs");
	operand_parse(EM_X86_64, "%ds:16(%rax)", 12, &operand);
	ck_assert_ptr_null(operand.segment);
	operand_parse(EM_X86_64, "$name", 5, &operand);
	ck_assert(operand.is_address);
}
END_TEST

/* Each prefix of each form, in a block of its length: AddressSanitizer detects a byte read beyond
 * it. */
START_TEST(prefixes)
{
	for (size_t i = 0; i < sizeof(x86_forms) / sizeof(x86_forms[0]); i++) {
		size_t length = strlen(x86_forms[i].text);

		for (size_t j = 0; j <= length; j++) {
			char *text = malloc(j);
			struct operand operand;

			memcpy(text, x86_forms[i].text, j);
			operand_parse(EM_X86_64, text, j, &operand);
			operand_parse(EM_AARCH64, text, j, &operand);
			free(text);
		}
	}
}
END_TEST

static void cut(uint16_t machine, const char *text, unsigned int count, ...)
{
	struct operand_argument argument;
	const char *rest = text;
	va_list wanted;

	va_start(wanted, count);
	for (unsigned int i = 0; i < count; i++) {
		int size = va_arg(wanted, int);
		const char *operand = va_arg(wanted, const char *);

		ck_assert_msg(operand_next_argument(machine, &rest, &argument), "%s", text);
		ck_assert_msg(argument.size == abs(size) && argument.is_signed == (size < 0),
			"%s: argument %u: size", text, i);
		ck_assert_msg(argument.text_length == strlen(operand) &&
				memcmp(argument.text, operand, strlen(operand)) == 0,
			"%s: argument %u: %.*s", text, i, (int)argument.text_length, argument.text);
	}
	ck_assert(!operand_next_argument(machine, &rest, &argument));
	va_end(wanted);
}

START_TEST(cutting)
{
	struct operand_argument argument;
	const char *rest;

	cut(EM_X86_64, "", 0);
	cut(EM_X86_64, "   ", 0);
	cut(EM_X86_64, "-4@%edi 8@-16(%rbp) 2@$1", 3, -4, "%edi", 8, "-16(%rbp)", 2, "$1");
	cut(EM_X86_64, "8@8(%rax, %rbx, 4) -1@%al", 2, 8, "8(%rax, %rbx, 4)", -1, "%al");
	cut(EM_AARCH64, "8@[sp, 176] -4@[x0, x1] 8@x2", 3, 8, "[sp, 176]", -4, "[x0, x1]", 8, "x2");
	cut(EM_PPC64, "-4@0 8@120(9)", 2, -4, "0", 8, "120(9)");
	cut(EM_X86_64, "%rdi", 1, 0, "%rdi");
	cut(EM_X86_64, "@%rdi", 1, 0, "@%rdi");
	cut(EM_X86_64, "4@", 1, 4, "");
	cut(EM_X86_64, "999@%rax", 1, 0, "999@%rax");
	cut(EM_X86_64, "8@n@GOTPCREL(%rip)", 1, 8, "n@GOTPCREL(%rip)");
	rest = "8f@%xmm0 -4f@%xmm1";
	ck_assert(operand_next_argument(EM_X86_64, &rest, &argument));
	ck_assert(argument.is_float && argument.size == 8 && !argument.is_signed);
	ck_assert_int_eq(argument.operand.base.kind, OPERAND_REGISTER_FLOAT);
	ck_assert(operand_next_argument(EM_X86_64, &rest, &argument));
	ck_assert(argument.is_float && argument.size == 4 && argument.is_signed);
	rest = "8@r3";
	ck_assert(operand_next_argument(EM_PPC64, &rest, &argument));
	ck_assert_int_eq(argument.operand.kind, OPERAND_VERBATIM);
}
END_TEST

void unit_tests(TCase *tests)
{
	unit_in_one_process();
	tcase_add_loop_test(tests, x86_form, 0, sizeof(x86_forms) / sizeof(x86_forms[0]));
	tcase_add_loop_test(tests, arm_form, 0, sizeof(arm_forms) / sizeof(arm_forms[0]));
	tcase_add_test(tests, high_byte_and_segment);
	tcase_add_test(tests, prefixes);
	tcase_add_test(tests, cutting);
}
