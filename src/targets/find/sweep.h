/*
 * sweep.h: removes the sockets of VMs that have died without removing them themselves. The library
 * does the same when a VM starts; both hold the lock of the directory meanwhile
 * (shim/server/socket_directory.h says why).
 */
#ifndef VMTAP_TARGETS_FIND_SWEEP_H
#define VMTAP_TARGETS_FIND_SWEEP_H

/*
 * Removes the sockets of our user's dead processes in the usual places (wire/place.h), and the one
 * at the path chosen, unless that is NULL. A socket at which a process listens, here or in another
 * pid namespace, is never removed, nor is one whose directory cannot be locked.
 */
void sweep_sockets(const char *chosen);

#endif
