/*
 * translate_string.h: translates copyinstr(), copyin() and loads through addresses, which read
 * memory of the process, and comparisons of strings. A string is read where it is used: as a key,
 * or to be compared.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_STRING_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_STRING_H

#include "kernel/translate/translator.h"

void translator_call(struct translator *t, const struct d_instruction *at, uint32_t index);
void translator_read_integer(struct translator *t, const struct d_instruction *at, uint32_t index);
void translator_compare_strings(struct translator *t, const struct d_instruction *at);

/* Reads the string at the address in a register to the area, followed by zeroes. */
void translator_read_string(struct translator *t, unsigned reg);

/*
 * Copies the string at the address in a register to the address in R1, with its NUL. Sets R0 to the
 * number of bytes; it is 0 or negative if the string cannot be read. The code waits for no page
 * unless the kernel's function does.
 */
void translator_copy_string(struct translator *t, unsigned reg);

/* Reads the name of the process to the given place, KERNEL_EXECNAME_BYTES. */
void translator_read_execname(struct translator *t, int place);

#endif
