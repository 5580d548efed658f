/*
 * vm_list.c: see vm_list.h. All VMs are asked before the first answer is waited for, so one that
 * hangs does not delay the others.
 */
#include "targets/find/vm_list.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "source/connection.h"
#include "source/source.h"
#include "targets/find/endpoint.h"
#include "targets/find/listener.h"
#include "targets/find/sweep.h"
#include "targets/find/vm_finder.h"
#include "targets/find/vm_stream.h"

enum {
	ANSWER_MS = 1000, /* for all VMs to say what they are */
	STEP_MS = 10      /* between two checks for answers */
};

/* Returns the seconds since the process started. */
static double time_up(uint32_t pid)
{
	uint64_t started = process_info_started(pid);
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	if (!started)
		return 0;
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 -
		(double)started / (double)sysconf(_SC_CLK_TCK);
}

/* Fills in a VM. Returns false if the process serves no stream. */
static bool examine(uint32_t pid, struct vm_listed *vm)
{
	struct connection connection = {.fd = -1};
	struct error error;
	int result;

	*vm = (struct vm_listed){.up = time_up(pid)};
	if (process_info_read(pid, &vm->process, &error) || vm->process.exited)
		return false;
	/* A stopped VM's socket accepts connections all the same. */
	result = endpoint_connect(&vm->process, 0, &connection.fd, &error);
	if (result) /* one that accepts nobody is a VM all the same */
		return (vm->process.stopped || result == -EAGAIN || result == -ETIMEDOUT) &&
			listener_is_marked(pid);
	connection_path(&connection, vm->path);
	vm->listeners = listener_connections(pid, vm->path);
	vm->listeners -= vm->listeners > 0; /* this one */
	connection_close(&connection);
	if (!vm->process.stopped && vm_stream_ask(pid, &vm->asked, &error))
		vm->asked = NULL;
	return true;
}

static int vm_list_add(struct vm_list *list, uint32_t pid)
{
	if (array_room(&list->items, &list->capacity, list->count, sizeof(*list->items)))
		return -ENOMEM;
	if (examine(pid, &list->items[list->count]))
		list->count++;
	return 0;
}

static int vm_list_compare(const void *one, const void *other)
{
	uint32_t left = ((const struct vm_listed *)one)->process.pid,
		 right = ((const struct vm_listed *)other)->process.pid;

	return (left > right) - (left < right);
}

/* Takes the VMs' answers. All have the same time limit. */
static void take_answers(struct vm_list *list)
{
	const int64_t limit = connection_now() + ANSWER_MS;
	bool is_over = false;

	while (!is_over) {
		struct pollfd wait = {.fd = -1, .events = POLLIN};
		is_over = connection_now() >= limit;
		for (size_t i = 0; i < list->count; i++) {
			struct vm_listed *vm = &list->items[i];
			if (!vm->asked)
				continue;
			if (source_stream_answer(
				    vm->asked, vm->runtime, sizeof(vm->runtime), NULL) == -EAGAIN &&
				!is_over) {
				wait.fd = source_descriptor(vm->asked);
				continue;
			}
			snprintf(vm->message, sizeof(vm->message), "%s",
				source_stream_message(vm->asked));
			source_close(vm->asked);
			vm->asked = NULL;
		}
		if (wait.fd < 0)
			return;
		poll(&wait, 1, STEP_MS);
	}
}

int vm_list_read(struct vm_list *list, struct error *error)
{
	struct vm_finder *finder;
	uint32_t pid;
	int result;

	*list = (struct vm_list){.items = NULL};
	sweep_sockets(NULL);
	result = vm_finder_new(&finder, error);

	while (!result && vm_finder_next(finder, &pid))
		if (vm_list_add(list, pid))
			result = error_set(error, ENOMEM, "out of memory");
	vm_finder_free(finder);
	take_answers(list);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), vm_list_compare);
	return result;
}

void vm_list_free(struct vm_list *list)
{
	free(list->items);
	*list = (struct vm_list){.items = NULL};
}
