/*
 * imports.h: the functions that an ELF file takes from other files, by its dynamic symbols.
 */
#ifndef VMTAP_USDT_ELF_IMPORTS_H
#define VMTAP_USDT_ELF_IMPORTS_H

/* Returns 1 if the file imports one of the functions, whose list ends with NULL; 0 if it imports
 * none; -1 if that is not known: it cannot be read, or has no dynamic symbols. */
int usdt_imports(const char *path, const char *const *names);

#endif
