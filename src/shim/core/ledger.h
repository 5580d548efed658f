/*
 * ledger.h: the descriptors that the library has open, and the sockets that it has closed lately,
 * so that a child of fork() can close those that it has inherited.
 *
 * fork() copies the table of descriptors before it copies the memory, and other threads run on in
 * between. So a child may have a socket that its memory knows as closed, or lack one that its
 * memory knows as open and have a file of the program's under that number. Hence a descriptor is
 * entered as soon as it is open, a closed socket is remembered for a while, and a child closes a
 * number only if it refers to the very file that was entered. Connections come and go too fast for
 * that, and a busy machine may let a fork take a second; but each has the name of the server's
 * socket, so a child examines all numbers that connections have ever had. All eventfds and their
 * like have one identity, so a child keeps those if it lacks the server's socket: then the program
 * has closed what it did not know, and may have such files of its own under their numbers.
 *
 * Files that the library opens only to read them when it starts or a client connects (in /proc and
 * /sys, and directories) are not entered. A child that is made at that moment may keep one. It is
 * read-only and close-on-exec and holds no lock, so it costs the child a number and nothing else. A
 * child cannot recognise it once it is closed: the program may have opened the same file since,
 * under the same number.
 *
 * Any thread may call these functions. They take no lock, and their data is consistent at every
 * moment.
 */
#ifndef VMTAP_SHIM_CORE_LEDGER_H
#define VMTAP_SHIM_CORE_LEDGER_H

#include <sys/un.h>

#include "shim/core/descriptor.h"

/* Enters a descriptor that has just been opened. Returns its argument, which may also be a negative
 * errno. If there is no room, the descriptor is not entered, and a child may keep it. */
int ledger_enter(int descriptor);

/* Sets the name of the server's socket. Call it before listen(). */
void ledger_name(const struct sockaddr_un *name);

/* Accepts a connection to that socket, close-on-exec and non-blocking. Returns a descriptor or a
 * negative errno. */
int ledger_accept(int listener);

/* Closes the descriptor, unless it refers to another file than this by now, and removes its entry.
 * The identity may be unknown (all 0). */
void ledger_close(int descriptor, struct descriptor_file file);

/* Removes the entry of a descriptor that the program has closed. */
void ledger_drop(int descriptor);

/* Call in a child: closes those descriptors that are entered or were closed lately and that the
 * child still has. */
void ledger_fork_child(void);

#endif
