/*
 * address.h: the functions behind addresses of a running process, for output like
 * "libc.so.6`malloc+0x1b".
 *
 * What is needed for that is taken while the process lives: its mappings, and its files
 * opened. Symbol tables are read when the first address in a file is asked for; that
 * still works when the process has ended. Addresses outside of what is known make the
 * mappings be read again, less and less often, so that a process with code in anonymous
 * memory costs little.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_ADDRESS_H
#define VMTAP_USDT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct usdt_addresses;

struct usdt_address {
	const char *module;                    /* the file's name without its folders */
	const char *function;                  /* NULL: no symbol covers the address */
	uint64_t function_begin, module_begin; /* in the process */
};

/* 0 or -ENOMEM; a process that cannot be looked at has no addresses that are known. */
int usdt_addresses_new(pid_t pid, struct usdt_addresses **addresses);
void usdt_addresses_free(struct usdt_addresses *addresses);

/* Sees to it that the address can be found when the process has ended. */
void usdt_addresses_note(struct usdt_addresses *addresses, uint64_t address);

/*
 * What is there; false: no file is mapped there. The texts live as long as the addresses.
 */
bool usdt_addresses_find(
	struct usdt_addresses *addresses, uint64_t address, struct usdt_address *found);

#endif
