/*
 * vm_list.h: the VMs that serve an event stream now, of this user or, for root, of all.
 */
#ifndef VMTAP_TARGETS_FIND_VM_LIST_H
#define VMTAP_TARGETS_FIND_VM_LIST_H

#include <stddef.h>

#include "usdt/process/process_info.h"

struct error;
struct source;

enum { VM_LIST_RUNTIME_MAX = 128, VM_LIST_PATH_MAX = 109 };

struct vm_listed {
	struct process_info process;
	char runtime[VM_LIST_RUNTIME_MAX]; /* what it says it is ("toy 1.0"); "": it does not answer
					    */
	char message[256];                 /* of its library, about what is missing; "": none */
	char path[VM_LIST_PATH_MAX];       /* of its socket; "": not known */
	double up;                         /* seconds since it was started */
	size_t listeners;                  /* clients that are connected */
	struct source *asked;              /* private */
};

struct vm_list {
	struct vm_listed *items; /* in the order of their pids */
	size_t count, capacity;
};

/*
 * Finds the VMs and asks all of them what they are, for at most a second. Also removes sockets that
 * dead processes have left. Returns 0, or a negative errno and a line in error. Call vm_list_free()
 * in any case.
 */
int vm_list_read(struct vm_list *list, struct error *error);
void vm_list_free(struct vm_list *list);

#endif
