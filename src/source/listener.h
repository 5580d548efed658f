/*
 * listener.h: the paths of the Unix sockets on which a process listens, for processes whose
 * endpoint is not where it would be looked for. Only what /proc shows: no process is
 * touched.
 */
#ifndef VMTAP_SOURCE_LISTENER_H
#define VMTAP_SOURCE_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the process has a thread of this name. */
bool listener_has_thread(uint32_t pid, const char *name);

/*
 * The paths, as they were bound in the process's own name spaces (a relative one stays so),
 * in the order of the kernel's table; *count of them. NULL: none, or hidden from us. To be
 * freed by listener_free().
 */
char **listener_paths(uint32_t pid, size_t *count);
void listener_free(char **paths, size_t count);

#endif
