/*
 * symbol_value.h: where a symbol of an ELF file is, for operands that are relative to one.
 */
#ifndef VMTAP_USDT_ELF_SYMBOL_VALUE_H
#define VMTAP_USDT_ELF_SYMBOL_VALUE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The link-time address of a symbol that the file defines, from .symtab or .dynsym. The name need
 * not end with a NUL. -ENOENT: it defines none; -EEXIST: local symbols of that name lie at several
 * addresses, so it is not known which of them is meant.
 */
int usdt_symbol_value(int file, const char *name, size_t length, uint64_t *value);

/* The same for a symbol that the file exports to other objects: only .dynsym is searched. */
int usdt_symbol_exported(int file, const char *name, size_t length, uint64_t *value);

#endif
