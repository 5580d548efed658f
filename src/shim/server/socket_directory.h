/*
 * socket_directory.h: the directories in which the library creates sockets: finds those of
 * wire/place.h that this process can use, locks them, and removes the sockets that dead processes
 * have left.
 *
 * A directory that we use belongs to our effective user alone (0700, not a symbolic link).
 * Therefore no other user can hold its lock, and a start never waits for another user.
 */
#ifndef VMTAP_SHIM_SERVER_SOCKET_DIRECTORY_H
#define VMTAP_SHIM_SERVER_SOCKET_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct sockaddr_un;

/*
 * Writes the path of the next directory that can be used, and creates it if necessary. *index is 0
 * at first. Returns 0, or a negative errno when there are no more; the errno says why the first of
 * the shared places could not be used.
 */
int socket_directory_next(unsigned *index, char *path, size_t size);

/* Builds the address of a socket. A path that is too long for the struct is reached through its
 * directory's descriptor, which the caller closes; otherwise *directory is -1. */
int socket_directory_address(const char *path, struct sockaddr_un *address, int *directory);

/* Connects and disconnects. Returns 0 or a negative errno. */
int socket_directory_touch(const struct sockaddr_un *address);

/*
 * Locks the directory of this path for the processes of our user, so that no other process with
 * this library binds a socket there meanwhile, or mistakes one that is being set up for a dead
 * process's. Returns a descriptor, or -1 if it cannot get the lock; then nothing may be removed.
 */
int socket_directory_lock(const char *path);
void socket_directory_unlock(int lock);

/* Removes sockets that dead processes of ours have left in the directory. Call with its lock. */
void socket_directory_sweep(const char *path);

#endif
