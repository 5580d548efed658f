/*
 * fuzz_unwind.c: any bytes as an ELF file with call frame information; and any registers and
 * stack, with pcs of this program. The first byte chooses.
 *
 * In a stack, a word whose highest byte is 0xc0 is a pc of this program, 0xc1 one of libc, and
 * 0xc2 an address of the stack.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usdt/unwind/frame_expression.h"
#include "usdt/unwind/frame_rule.h"
#include "usdt/unwind/frame_table.h"
#include "usdt/unwind/unwind.h"

#define STACK_ADDRESS UINT64_C(0x7ffc00001000)

enum { FRAMES_MAX = 64, PT_REGS = 21, CODE_SEGMENT = 17 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void calculate(struct frame_bytes expression)
{
	static const uint8_t bytes[64] = {1, 2, 3};
	struct frame_memory memory = {STACK_ADDRESS, sizeof(bytes), bytes};
	struct frame_registers registers = {.known = 0x1ffff};
	uint64_t value, cfa = STACK_ADDRESS;

	for (size_t i = 0; i < FRAME_REGISTERS; i++)
		registers.values[i] = STACK_ADDRESS + i;
	frame_expression_value(expression, &registers, &memory, NULL, &value);
	frame_expression_value(expression, &registers, &memory, &cfa, &value);
}

static void use_rule(const struct frame_table *table, uint64_t address)
{
	struct frame_description description;
	struct frame_rule rule;

	if (!frame_table_find(table, address, &description))
		return;
	if (address < description.begin || address >= description.end)
		abort();
	if (!frame_rule_find(&description, address, &rule))
		return;
	if (rule.return_register >= FRAME_REGISTERS)
		abort();
	if (rule.is_expression)
		calculate(rule.cfa_expression);
	for (size_t i = 0; i < FRAME_REGISTERS; i++)
		if (rule.places[i].kind == FRAME_AT_EXPRESSION ||
			rule.places[i].kind == FRAME_IS_EXPRESSION)
			calculate(rule.places[i].expression);
}

static void read_file(const uint8_t *data, size_t size)
{
	struct frame_table table;
	char *copy = malloc(size + 1);
	Elf *elf;

	if (!copy)
		return;
	memcpy(copy, data, size);
	elf = elf_memory(copy, size);
	if (elf) {
		frame_table_read(elf, &table);
		elf_end(elf);
		for (size_t i = 0; i < table.section_count; i++) {
			const struct frame_section *section = &table.sections[i];
			for (size_t j = 0; j < section->count && j < 200; j++) {
				const struct frame_entry *entry = &section->entries[j];
				use_rule(&table, entry->begin);
				use_rule(&table, entry->begin + entry->size / 2);
				use_rule(&table, entry->begin + entry->size - 1);
			}
		}
		frame_table_free(&table);
	}
	free(copy);
}

static uint64_t place(uint64_t word)
{
	switch (word >> 56) {
	case 0xc0:
		return (uintptr_t)LLVMFuzzerTestOneInput + (word & 0xfffff) - 0x80000;
	case 0xc1:
		return (uintptr_t)qsort + (word & 0xfffff) - 0x80000;
	case 0xc2:
		return STACK_ADDRESS + (word & 0xffff);
	default:
		return word;
	}
}

static void walk(const uint8_t *data, size_t size)
{
	static struct usdt_unwind *unwind;
	uint64_t registers[PT_REGS] = {0}, pcs[FRAMES_MAX], *words;
	size_t count = size / 8, taken = count < PT_REGS ? count : PT_REGS;
	struct usdt_unwind_thread thread = {.machine = EM_X86_64,
		.register_count = PT_REGS,
		.registers = registers,
		.stack_address = STACK_ADDRESS};
	struct usdt_unwound unwound;

	if (!unwind && usdt_unwind_new(getpid(), NULL, &unwind))
		return;
	words = malloc(count * 8 + 1);
	if (!words)
		return;
	memcpy(words, data, count * 8);
	for (size_t i = 0; i < count; i++)
		words[i] = place(words[i]);
	memcpy(registers, words, taken * 8);
	registers[CODE_SEGMENT] = 0x33;
	thread.stack = words + taken;
	thread.stack_size = (count - taken) * 8;
	unwound = usdt_unwind(unwind, &thread, pcs, FRAMES_MAX);
	if (unwound.count > FRAMES_MAX || !unwound.count)
		abort();
	free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	elf_version(EV_CURRENT);
	if (!size)
		return 0;
	if (data[0] & 1)
		walk(data + 1, size - 1);
	else
		read_file(data + 1, size - 1);
	return 0;
}
