/*
 * linker.h: where a process's dynamic linker tells debuggers that it has changed what is
 * loaded.
 *
 * Dynamic linkers call an empty function, _dl_debug_state(), before and after they change what is
 * loaded, and keep the state in _r_debug, both for debuggers. After libraries have been loaded, the
 * call comes when they have been relocated, and before their constructors run.
 */
#ifndef VMTAP_KERNEL_WATCH_LINKER_H
#define VMTAP_KERNEL_WATCH_LINKER_H

#include <stdbool.h>
#include <stdint.h>

#include "usdt/process/process_images.h"

struct kernel_linker {
	uint64_t offset; /* of the function in its file */
	uint64_t state;  /* address of the state in the process; 0: each call is after a change */
	int file;        /* the caller closes it */
};

enum { KERNEL_LINKER_CONSISTENT = 0 /* the 4-byte state after a change */ };

/*
 * Searches the objects that a process has mapped for the linker; their images need not have been
 * read. Returns false if the process has no dynamic linker, or one that reports nothing.
 */
bool kernel_linker_find(const struct usdt_process *process, struct kernel_linker *linker);

/* Returns whether nothing is being loaded at the moment, as far as that is known. */
bool kernel_linker_is_consistent(const struct usdt_process *process, uint64_t state);

#endif
