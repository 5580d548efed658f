/*
 * address.h: finds the functions at addresses of a running process, for output like
 * "libc.so.6`malloc+0x1b".
 *
 * The symbols of a file without .symtab are read from its debug file, if that is installed
 * (usdt/elf/debug_file.h); those of a JIT compiler from its perf-PID.map (usdt/process/perf_map.h),
 * which also serves as the module's name.
 *
 * What this requires is collected while the process lives: its mappings are read and its
 * files opened. A file's symbol table is read at the first request for an address in it,
 * which still works after the process has ended. An address outside the known mappings makes
 * them be read again, but less and less often (usdt/process/mapped_code.h), so that a process with
 * code in anonymous memory costs little.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_PROCESS_ADDRESS_H
#define VMTAP_USDT_PROCESS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/symbol_lookup.h"

struct file_store;
struct usdt_addresses;

/* Begins a store of files and their symbols, for the addresses of several processes. */
void usdt_addresses_store(struct file_store *store);

/*
 * Returns 0 or -ENOMEM. If the process cannot be examined, no addresses are known. The store is one
 * of usdt_addresses_store() and outlives the addresses; with NULL they have their own.
 */
int usdt_addresses_new(pid_t pid, struct file_store *store, struct usdt_addresses **addresses);
void usdt_addresses_free(struct usdt_addresses *addresses);

/* Why an address has no name. */
enum usdt_unnamed {
	USDT_UNNAMED_PROCESS, /* the process had ended before its mappings could be read */
	USDT_UNNAMED_FILE,    /* the file there could not be opened */
	USDT_UNNAMED_MEMORY,  /* no file is mapped there */
	USDT_UNNAMED_SYMBOL,  /* the file has no symbol there */
	USDT_UNNAMED_REASONS
};

enum usdt_unnamed usdt_addresses_unnamed(const struct usdt_addresses *addresses, uint64_t address);

/* Makes sure that the address can still be found after the process has ended. */
void usdt_addresses_note(struct usdt_addresses *addresses, uint64_t address);

/* Finds the inlined functions at the address, as inline_frames_find() does. */
size_t usdt_addresses_inlined(
	struct usdt_addresses *addresses, uint64_t address, const char **names, size_t most);

/*
 * Finds what is at the address; false: no file is mapped there. The texts live as long as
 * addresses.
 */
bool usdt_addresses_find(struct usdt_addresses *addresses, uint64_t address, struct symbol *found);

#endif
