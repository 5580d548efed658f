/*
 * site_operand.c: see site_operand.h. What cannot be read for certain is unreadable: vector
 * registers, floating point, memory of a segment, and addresses of 32 bits.
 */
#include "kernel/site/site_operand.h"

/* Offsets in struct pt_regs, by the registers' numbers in operand.h. */
static const uint16_t register_places[] = {KERNEL_RAX, KERNEL_RCX, KERNEL_RDX, KERNEL_RBX,
	KERNEL_RSP, KERNEL_RBP, KERNEL_RSI, KERNEL_RDI, KERNEL_R8, KERNEL_R9, KERNEL_R10,
	KERNEL_R11, KERNEL_R12, KERNEL_R13, KERNEL_R14, KERNEL_R15, KERNEL_RIP};

static uint16_t register_place(const struct operand_register *reg)
{
	if (reg->kind != OPERAND_REGISTER_GENERAL ||
		reg->number >= sizeof(register_places) / sizeof(*register_places))
		return KERNEL_NO_REGISTER;
	return register_places[reg->number];
}

/* Returns whether a part of an address is absent, or a whole register. */
static bool is_address_part(const struct operand_register *reg)
{
	return reg->kind == OPERAND_REGISTER_NONE ||
		(register_place(reg) != KERNEL_NO_REGISTER && reg->size == 8);
}

void kernel_operand_take(const struct operand_argument *from, struct kernel_operand *to)
{
	const struct operand *operand = &from->operand;
	bool is_address = is_address_part(&operand->base) && is_address_part(&operand->index);

	*to = (struct kernel_operand){.kind = KERNEL_OPERAND_UNREADABLE,
		.base = register_place(&operand->base),
		.index = register_place(&operand->index),
		.scale = operand->scale,
		.size = from->size ? from->size : 8,
		.is_signed = from->is_signed,
		.value = operand->value};
	if (from->is_float || operand->segment || (to->size & (to->size - 1)) || to->size > 8)
		return;
	if (operand->kind == OPERAND_CONSTANT) {
		to->kind = KERNEL_OPERAND_CONSTANT;
	} else if (operand->kind == OPERAND_REGISTER && to->base != KERNEL_NO_REGISTER) {
		to->kind = KERNEL_OPERAND_REGISTER;
		to->shift = operand->base.high_byte ? 8 : 0;
	} else if (operand->kind == OPERAND_MEMORY && is_address && to->base != KERNEL_RIP) {
		to->kind = KERNEL_OPERAND_MEMORY;
	} else if (operand->kind == OPERAND_SYMBOL && is_address) {
		to->kind = KERNEL_OPERAND_UNRESOLVED;
	}
}
