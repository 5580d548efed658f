/*
 * listener.h: the paths of the Unix sockets on which a process listens, for processes whose
 * endpoint is not at one of the usual paths. It only reads /proc and does not touch any
 * process.
 */
#ifndef VMTAP_TARGETS_FIND_LISTENER_H
#define VMTAP_TARGETS_FIND_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether the process has a thread other than its first, or a descriptor, with the mark of
 * processes that serve a stream (PLACE_MARK). */
bool listener_is_marked(uint32_t pid);

/*
 * Returns the paths as they were bound in the process's own namespaces (a relative one stays
 * relative), in the order of the kernel's table, and sets *count. Returns NULL if there are none,
 * or they are hidden from us. Free it with listener_free().
 */
char **listener_paths(uint32_t pid, size_t *count);
void listener_free(char **paths, size_t count);

/* Returns how many connections a socket bound to this path has, as the process's namespaces show
 * it. */
size_t listener_connections(uint32_t pid, const char *path);

#endif
