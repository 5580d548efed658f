/*
 * translate_builtin.h: translates reads of built-in variables.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_BUILTIN_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_BUILTIN_H

#include "kernel/translate/translator.h"

/* Variables that cannot be read here, such as cwd, make the clause stay with the engine. */
void translator_read_builtin(struct translator *t, const struct d_instruction *at);

#endif
