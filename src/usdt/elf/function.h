/*
 * function.h: symbols by address, of an ELF file or of the running kernel. A table is filled
 * once and then only searched.
 */
#ifndef VMTAP_USDT_ELF_FUNCTION_H
#define VMTAP_USDT_ELF_FUNCTION_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct usdt_function {
	uint64_t begin, size; /* size 0: up to the next symbol */
	uint32_t name;        /* offset of its name in texts */
	uint32_t module;      /* kernel only: the module's number */
	uint32_t rank; /* of several symbols at one address, the one with the lowest rank gives the
			  name */
	uint8_t type;  /* of its ELF symbol: STT_FUNC, STT_OBJECT, STT_GNU_IFUNC */
};

struct usdt_module {
	uint32_t name;  /* offset of its name in texts */
	uint64_t begin; /* address of its lowest symbol */
};

struct usdt_functions {
	size_t count, capacity;
	struct usdt_function *functions; /* sorted by address */
	size_t text_size, text_capacity;
	char *texts; /* NUL-terminated */
	size_t module_count, module_room;
	struct usdt_module *modules; /* kernel only; the first one is the kernel itself */
};

/*
 * Reads the functions and objects of .symtab, or of .dynsym if there is no .symtab. Returns
 * whether there is a .symtab.
 */
bool usdt_functions_read(Elf *elf, struct usdt_functions *functions);

/*
 * Adds the stubs of the procedure linkage table, "name@plt", by which a file calls functions of
 * others: they have no symbols. Of x86-64 only (its ABI, section 5.2), and of tables that call by
 * the relocations of .rela.plt.
 */
void usdt_functions_add_stubs(Elf *elf, struct usdt_functions *functions);

/*
 * Reads the kernel's from a file in the form of /proc/kallsyms; nothing if it may not be
 * read or hides its addresses.
 */
void usdt_functions_read_kernel(const char *file, struct usdt_functions *functions);

void usdt_functions_free(struct usdt_functions *functions);

/* The name of the symbol that covers the address, and its beginning; NULL if none does. */
const char *usdt_functions_find(
	const struct usdt_functions *functions, uint64_t address, uint64_t *begin);

/*
 * The kernel module whose symbol covers the address ("vmlinux" for the kernel itself), and
 * its beginning; NULL if none does.
 */
const char *usdt_functions_module(
	const struct usdt_functions *functions, uint64_t address, uint64_t *begin);

#endif
