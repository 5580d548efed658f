/*
 * linker.c: see linker.h. Only what objects export is looked up, by their dynamic symbols: the
 * process may be stopped meanwhile, and reading all symbols takes long.
 */
#include "kernel/watch/linker.h"

#include <string.h>
#include <unistd.h>

#include "usdt/elf/symbol_value.h"

enum { STATE_PLACE = 24 /* r_state in struct r_debug of <link.h>, on 64-bit machines */ };

/*
 * Returns the address in the process of a symbol that an object exports; 0 if there is none. A
 * program that is linked statically has a copy of the linker's function, which nothing calls; but
 * it exports nothing.
 */
static uint64_t symbol_address(const struct usdt_object *object, int file, const char *name)
{
	uint64_t value;

	if (!object->mapping_count || object->mappings[0].offset ||
		usdt_symbol_exported(file, name, strlen(name), &value))
		return 0;
	return object->mappings[0].begin + value;
}

/* Finds the function's place in its object's file. */
static bool find_offset(const struct usdt_object *object, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < object->mapping_count; i++) {
		const struct usdt_mapping *mapping = &object->mappings[i];

		if (address >= mapping->begin && address < mapping->end && mapping->is_executable) {
			*offset = address - mapping->begin + mapping->offset;
			return true;
		}
	}
	return false;
}

/* Searches the objects that the kernel has mapped: the program and its dynamic linker. The linker
 * of musl calls the function once, when all is loaded, and exports only a pointer to the state. */
bool kernel_linker_find(const struct usdt_process *process, struct kernel_linker *linker)
{
	/* the linker is nearly always the last */
	for (size_t i = process->object_count; i-- > 0;) {
		const struct usdt_object *object = &process->objects[i];
		uint64_t function, debug, pointer;

		linker->file = usdt_object_file(process, object);
		if (linker->file < 0)
			continue;
		function = symbol_address(object, linker->file, "_dl_debug_state");
		debug = symbol_address(object, linker->file, "_r_debug");
		pointer = symbol_address(object, linker->file, "_dl_debug_addr");
		if (function && (debug || pointer) &&
			find_offset(object, function, &linker->offset)) {
			linker->state = debug ? debug + STATE_PLACE : 0;
			return true;
		}
		close(linker->file);
	}
	return false;
}

bool kernel_linker_is_consistent(const struct usdt_process *process, uint64_t state)
{
	int32_t value;

	return !state || usdt_process_memory(process, state, &value, sizeof(value)) ||
		value == KERNEL_LINKER_CONSISTENT;
}
