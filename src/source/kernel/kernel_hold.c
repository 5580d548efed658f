/* kernel_hold.c: see kernel_hold.h. */
#include "source/kernel/kernel_hold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "source/kernel/bpf.h"

enum {
	LOCK_TRIES = 1000, /* one in a millisecond; then its owner is taken for stopped */
	STOP_TRIES = 1000, /* the same for a thread that is about to stop */
	TRY_US = 1000,
	QUICK_TRIES = 20, /* the first of which follow each other more closely */
	QUICK_TRY_US = 50
};

static const char map_name[] = "vmtap_holds";

int kernel_hold_map(uint32_t processes)
{
	return bpf_map_named(map_name, BPF_MAP_TYPE_HASH, 4, sizeof(struct kernel_held), processes,
		BPF_F_NO_PREALLOC);
}

static void pause_before(unsigned try)
{
	const long us = try <= QUICK_TRIES ? QUICK_TRY_US : TRY_US;

	nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/*
 * The lock on what is done to a process: on its directory in /proc, which all tracers see and which
 * the kernel gives back when its owner dies. -1: nobody has it, so that what follows may come
 * between what others do; they notice that their process ran on.
 */
static int take_lock(uint32_t pid)
{
	char path[32];
	int lock, result;

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock < 0)
		return -1;
	result = flock(lock, LOCK_EX | LOCK_NB);
	for (unsigned i = 1; result && i < LOCK_TRIES; i++) {
		pause_before(i);
		result = flock(lock, LOCK_EX | LOCK_NB);
	}
	if (!result)
		return lock;
	close(lock);
	return -1;
}

static void give_lock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* Whether any tracer holds the process. */
static bool is_held(uint32_t pid)
{
	struct kernel_held held;
	uint32_t id = 0;
	bool result = false;
	int map;

	while (!result && (map = bpf_map_find(map_name, &id)) >= 0) {
		result = !bpf_map_get(map, &pid, &held);
		close(map);
	}
	return result;
}

static int continue_locked(uint32_t pid)
{
	return is_held(pid) || !kill((pid_t)pid, SIGCONT) ? 0 : -errno;
}

int kernel_hold_continue(uint32_t pid)
{
	int lock = take_lock(pid), result = continue_locked(pid);

	give_lock(lock);
	return result;
}

void kernel_hold_end(int map, uint32_t pid)
{
	struct kernel_held held;
	int lock;

	if (!bpf_map_get(map, &pid, &held))
		kernel_hold_wait(pid, held.thread);
	lock = take_lock(pid);
	bpf_map_delete(map, &pid);
	continue_locked(pid);
	give_lock(lock);
}

/* The value of a line of a thread's status; NULL: it has no such line. */
static const char *find_value(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? line + strlen(name) : NULL;
}

enum kernel_hold_state kernel_hold_state(uint32_t pid, uint32_t thread)
{
	const uint64_t bit = UINT64_C(1) << (SIGSTOP - 1);
	const char *state, *own, *shared;
	char path[64], text[4096];
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/status", pid, thread);
	file = open(path, O_RDONLY | O_CLOEXEC);
	length = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
	state = find_value(text, "\nState:\t");
	own = find_value(text, "\nSigPnd:\t");
	shared = find_value(text, "\nShdPnd:\t");
	if (!state || *state == 'Z' || *state == 'X')
		return KERNEL_HOLD_ENDED;
	if (*state == 'T' || *state == 't')
		return KERNEL_HOLD_STOPPED;
	return (own && strtoull(own, NULL, 16) & bit) ||
			(shared && strtoull(shared, NULL, 16) & bit)
		? KERNEL_HOLD_COMES
		: KERNEL_HOLD_RUNS;
}

enum kernel_hold_state kernel_hold_wait(uint32_t pid, uint32_t thread)
{
	enum kernel_hold_state state = kernel_hold_state(pid, thread);

	for (unsigned i = 1; state == KERNEL_HOLD_COMES && i < STOP_TRIES; i++) {
		pause_before(i);
		state = kernel_hold_state(pid, thread);
	}
	/* it may have taken the signal just after its state had been read */
	return state == KERNEL_HOLD_RUNS ? kernel_hold_state(pid, thread) : state;
}
