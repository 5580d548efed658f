/*
 * code_x86.h: decodes x86-64 instructions for code.c. Only code.c includes it.
 */
#ifndef VMTAP_USDT_CODE_CODE_X86_H
#define VMTAP_USDT_CODE_CODE_X86_H

#include "usdt/code/code.h"

/* As code_decode(); the instruction is zeroed and its kind is CODE_UNKNOWN. */
void code_decode_x86(const uint8_t *bytes, size_t count, struct code_instruction *instruction);

#endif
