/*
 * function.h: symbols by address: of an ELF file, or of the running kernel. A table is
 * filled once and then only searched.
 */
#ifndef VMTAP_USDT_FUNCTION_H
#define VMTAP_USDT_FUNCTION_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct usdt_function {
	uint64_t begin, size; /* size 0: up to the next one */
	uint32_t name;        /* where it begins in the texts */
	uint32_t module;      /* of the kernel: its number */
	uint32_t rank;        /* among several at one address the lowest is the name */
};

struct usdt_module {
	uint32_t name;  /* where it begins in the texts */
	uint64_t begin; /* of its lowest symbol */
};

struct usdt_functions {
	size_t count, capacity;
	struct usdt_function *functions; /* by address */
	size_t text_size, text_capacity;
	char *texts; /* NUL-terminated */
	size_t module_count;
	struct usdt_module *modules; /* of the kernel; the first one is the kernel itself */
};

/* The functions and objects of .symtab, or of .dynsym when there is none. */
void usdt_functions_read(Elf *elf, struct usdt_functions *functions);

/*
 * The kernel's, from a file in the form of /proc/kallsyms; nothing when it may not be read
 * or hides its addresses.
 */
void usdt_functions_read_kernel(const char *file, struct usdt_functions *functions);

void usdt_functions_free(struct usdt_functions *functions);

/* The name of what covers the address, and where it begins; NULL: nothing does. */
const char *usdt_functions_find(
	const struct usdt_functions *functions, uint64_t address, uint64_t *begin);

/*
 * The kernel's module of what covers the address, "vmlinux" for the kernel itself, and
 * where it begins; NULL: nothing does.
 */
const char *usdt_functions_module(
	const struct usdt_functions *functions, uint64_t address, uint64_t *begin);

#endif
