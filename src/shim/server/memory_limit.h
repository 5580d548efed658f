/* memory_limit.h: the most memory that this process can have. */
#ifndef VMTAP_SHIM_SERVER_MEMORY_LIMIT_H
#define VMTAP_SHIM_SERVER_MEMORY_LIMIT_H

#include <stdint.h>

/* Returns the least of the machine's memory, the limit of the address space, and the limits of the
 * process's control groups (of both versions, with those that contain them). The control groups are
 * read from files below the folder root; "" except in tests. */
uint64_t memory_limit(const char *root);

#endif
