/*
 * kernel_symbol.h: where a variable or function of the kernel is, by its name.
 */
#ifndef VMTAP_USDT_ELF_KERNEL_SYMBOL_H
#define VMTAP_USDT_ELF_KERNEL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_symbol {
	uint64_t address;
	bool is_function;
};

/* Whether a symbol was found, and if not, why. */
enum kernel_symbol_state {
	KERNEL_SYMBOL_FOUND,
	KERNEL_SYMBOL_UNKNOWN,    /* the kernel or module has none of that name */
	KERNEL_SYMBOL_NOT_LISTED, /* the same, but the kernel lists functions only */
	KERNEL_SYMBOL_HIDDEN      /* its address is not shown without privilege */
};

/*
 * Looks a symbol up in a file in the form of /proc/kallsyms: of the kernel itself (module
 * "vmlinux"), of a module, or of any of them (module ""). The kernel's own comes first.
 */
enum kernel_symbol_state kernel_symbol_find(
	const char *file, const char *module, const char *name, struct kernel_symbol *symbol);

#endif
