/*
 * symbol_lookup.h: asks what lies at an address. The engine asks and knows no ELF files;
 * usdt/process/process_symbols.h answers for the processes and the kernel of this machine.
 */
#ifndef VMTAP_BASE_SYMBOL_LOOKUP_H
#define VMTAP_BASE_SYMBOL_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The texts live as long as the lookup. */
struct symbol {
	const char *module;   /* a file's name without its folders */
	const char *function; /* as the linker has it; NULL: no symbol covers the address */
	uint64_t function_begin, module_begin; /* addresses in the process */
};

/* pid 0 is the kernel in both functions. */
struct symbol_lookup {
	void *context;
	/* What lies at the address; false: nothing is known of it. */
	bool (*find)(void *context, uint64_t pid, uint64_t address, struct symbol *found);
	/* The functions that the compiler has put into the one at the address: at most `most`
	 * names, the innermost first. Returns their number. NULL: none are known. */
	size_t (*inlined)(
		void *context, uint64_t pid, uint64_t address, const char **names, size_t most);
	/* The readable form of a function's name (usdt/elf/readable_names.h). NULL: names are not
	 * mangled. */
	const char *(*readable)(void *context, const char *name, bool with_parameters);
	/* Makes sure that the address can still be found after the process has ended. */
	void (*note)(void *context, uint64_t pid, uint64_t address);
};

#endif
