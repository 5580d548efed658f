/*
 * watch.h: one descriptor in place of many and a timeout: it is readable while poll() would return.
 * It is a set of files (epoll) that contains a timer (timerfd), for loops that cannot call our
 * poll().
 */
#ifndef VMTAP_SHIM_SERVER_WATCH_H
#define VMTAP_SHIM_SERVER_WATCH_H

#include <poll.h>
#include <stdbool.h>

#include "shim/core/descriptor.h"

enum { WATCH_MAX = 80 };

struct watch {
	int descriptor; /* the epoll instance; -1: none */
	int timer;
	struct descriptor_file file, timer_file;
	unsigned count;
	struct watch_entry {
		int descriptor;
		short events;
	} entries[WATCH_MAX];
};

/* Opens the watch. Returns 0, or a negative errno, after which the struct is as if closed. */
int watch_open(struct watch *watch);

/* Closes what still belongs to the watch: the program may have closed it and have got the same
 * numbers for files of its own. */
void watch_close(struct watch *watch);

/* The same without closing anything: the numbers belong to the program. */
void watch_abandon(struct watch *watch);

/* Call in a child that has a copy: the ledger closes its descriptors. */
void watch_fork_child(struct watch *watch);

/* Returns true if the program has left the descriptors alone. */
bool watch_is_ours(const struct watch *watch);

/*
 * From now on the descriptor is readable once poll() with these arguments would return. A file that
 * cannot be added is checked at intervals: the descriptor becomes readable after a while. Returns 0
 * or a negative errno, after which the descriptor may be readable for no reason, or never.
 */
int watch_set(struct watch *watch, const struct pollfd *polled, nfds_t count, int timeout_ms);

/* Call before a descriptor is closed that the watch may contain: a process that has inherited it
 * would keep it there. */
void watch_remove(struct watch *watch, int descriptor);

/*
 * Sets revents of all, as poll() without waiting does, for the events of the last watch_set().
 * Returns 0 if the descriptor is not readable. Otherwise it is, or that cannot be determined; then
 * try each file.
 */
int watch_take(const struct watch *watch, struct pollfd *polled, nfds_t count);

#endif
