/*
 * place.h: where the socket of a VM's event stream is. Compiled into both the library, which
 * creates the socket, and the command, which looks for it.
 *
 * A VM takes the first of these directories that it can use: it must be able to create the
 * directory, or find it as its own user's with mode 0700.
 *
 *     $XDG_RUNTIME_DIR/vmtap       only if $XDG_RUNTIME_DIR belongs to the VM's effective user
 *     /tmp/vmtap-UID
 *     /dev/shm/vmtap-UID
 *     /var/tmp/vmtap-UID
 *     /tmp/vmtap-UID-XXXXXX        and so on: a random name, if others have taken the names above
 *
 * In it the socket is PID or, if a living process has taken that name (one of another pid
 * namespace that shares the directory, or another copy of the library in this process), PID.1,
 * PID.2 and so on. UID is the effective user and PID the process, both as the VM itself sees them.
 *
 * A path that the VM's author or user chooses may contain %p, which is replaced by PID; %% is a
 * single %.
 */
#ifndef VMTAP_WIRE_PLACE_H
#define VMTAP_WIRE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a process that serves a stream is found, wherever its socket is: one of its threads has this
 * name, or one of its descriptors is an empty memfd with this name. */
#define PLACE_MARK "vmtap"

enum {
	PLACE_DIRECTORIES = 4, /* index 0 is the runtime directory's */
	PLACE_ALTERNATIVES = 100,
	PLACE_NAME_MAX = 32
};

/*
 * Writes the directory with this index, in the order above. runtime: the value of
 * XDG_RUNTIME_DIR, or NULL. False if there is no such directory: the index is too large, the
 * variable is unset or relative, or the path does not fit.
 */
bool place_directory(unsigned index, const char *runtime, uint32_t user, char *path, size_t size);

/* The directory, such as /tmp, that contains a directory with index 1 or more; NULL: none. */
const char *place_base(unsigned index);

/* Writes the name of a random directory in a base, "vmtap-UID-XXXXXX", as mkdtemp() requires. */
void place_random(uint32_t user, char name[PLACE_NAME_MAX]);

/* Whether an entry of a base has the name of a directory for sockets; sets *user and whether the
 * name is a random one. */
bool place_is_directory(const char *name, uint32_t *user, bool *is_random);

/* Writes the name of a process's socket: PID for alternative 0, PID.1 for 1. */
void place_socket(uint32_t pid, unsigned alternative, char name[PLACE_NAME_MAX]);

/* Whether an entry of such a directory has the name of a socket; sets *pid. */
bool place_is_socket(const char *name, uint32_t *pid);

/* Whether a chosen path contains %p, so that each process has a path of its own. */
bool place_has_pid(const char *chosen);

/* Replaces %p and %% in a chosen path. False if the result does not fit. */
bool place_expand(const char *chosen, uint32_t pid, char *path, size_t size);

#endif
