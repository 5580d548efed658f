/*
 * process_names.h: finds the processes of a name, for command lines that name a process instead of
 * its number.
 */
#ifndef VMTAP_USDT_PROCESS_PROCESS_NAMES_H
#define VMTAP_USDT_PROCESS_PROCESS_NAMES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds the processes that have this name (comm, of which the kernel keeps 15 bytes), or whose
 * executable has it; not the caller itself. Stores the first `most` pids that are found, and
 * returns how many there are.
 */
size_t process_names_find(const char *name, uint32_t *pids, size_t most);

/*
 * Does the same for the processes whose first operand is a file of this name: the script that an
 * interpreter runs, as in "python3 -u FILE".
 */
size_t process_names_find_script(const char *name, uint32_t *pids, size_t most);

#endif
