/*
 * hold.c: see hold.h. Everything is read from /proc; the guardian does this, too. Each step must be
 * safe if the tracer is killed right after it: the map must lead the guardian to every process that
 * is still stopped.
 */
#include "kernel/watch/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor_limit.h"
#include "kernel/bpf/bpf.h"

enum {
	LOCK_TRIES = 1000, /* one in a millisecond; then we check whether its owner is stopped */
	LOCK_ROUNDS = 30,  /* of these; nobody needs the lock for that long */
	STATUS_BYTES = 4096,
	STOP_TRIES = 1000, /* the same for a thread that is about to stop */
	TRY_US = 1000,
	QUICK_TRIES = 20, /* the first tries follow each other more closely */
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

/* Returns the value of a line of a thread's status; NULL if it has no such line. */
static const char *find_value(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? line + strlen(name) : NULL;
}

/* Reads a short file of /proc, with a NUL at its end; empty if it cannot be read. */
static void read_file(int folder, const char *path, char *text, size_t room)
{
	int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? 0 : read(file, text, room - 1);

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
}

/* Opens the process's directory in /proc, which never stands for another process; signals can be
 * sent by it. Returns -1 if there is none. */
static int open_process(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_stopped(uint32_t pid)
{
	char path[32], text[STATUS_BYTES];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	read_file(AT_FDCWD, path, text, sizeof(text));
	state = find_value(text, "\nState:\t");
	return !state || *state == 'T' || *state == 't' || *state == 'Z' || *state == 'X';
}

/* Returns whether the owner of the lock on an open directory is known and runs. */
static bool owner_runs(int process)
{
	FILE *locks = fopen("/proc/locks", "re");
	struct stat status;
	char line[256];
	bool result = false;

	while (locks && !fstat(process, &status) && fgets(line, sizeof(line), locks)) {
		unsigned device_major, device_minor;
		uint64_t inode;
		int owner;

		if (sscanf(line, "%*s FLOCK %*s %*s %d %x:%x:%" SCNu64, &owner, &device_major,
			    &device_minor, &inode) == 4 &&
			owner > 0 && inode == status.st_ino &&
			device_major == major(status.st_dev) &&
			device_minor == minor(status.st_dev))
			result |= !is_stopped((uint32_t)owner);
	}
	if (locks)
		fclose(locks);
	return result;
}

/*
 * Locks a process: takes a lock on its directory in /proc, which all tracers see; the kernel
 * releases the lock when its owner dies. If the owner is stopped, we continue without the lock.
 * Then our steps may come between those of others, who notice that their process has run.
 */
static void lock_process(int process)
{
	int result = flock(process, LOCK_EX | LOCK_NB);

	for (unsigned round = 0; result && round < LOCK_ROUNDS; round++) {
		for (unsigned i = 1; result && i < LOCK_TRIES; i++) {
			pause_before(i);
			result = flock(process, LOCK_EX | LOCK_NB);
		}
		if (result && !owner_runs(process))
			break;
	}
}

/* Returns when the process was started, CLOCK_MONOTONIC; 0: not known. */
static uint64_t started_at(int process)
{
	char text[STATUS_BYTES];
	const char *after;
	/* read first: the time asleep must not be negative */
	uint64_t ticks, asleep, awake = clock_monotonic();
	struct timespec since_boot;
	long per_second = sysconf(_SC_CLK_TCK);

	read_file(process, "stat", text, sizeof(text));
	after = strrchr(text, ')');
	if (!after || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) ||
		sscanf(after,
			") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			"%*d %*d %" SCNu64,
			&ticks) != 1)
		return 0;
	ticks *= CLOCK_NS_PER_S / (uint64_t)per_second;
	asleep =
		(uint64_t)since_boot.tv_sec * CLOCK_NS_PER_S + (uint64_t)since_boot.tv_nsec - awake;
	return ticks > asleep ? ticks - asleep : 0;
}

/* Returns whether any tracer holds the process. */
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

static int continue_locked(int process, uint32_t pid)
{
	if (process < 0)
		return -ESRCH;
	if (is_held(pid) || !syscall(SYS_pidfd_send_signal, process, SIGCONT, NULL, 0))
		return 0;
	return -errno;
}

int kernel_hold_continue(uint32_t pid)
{
	struct descriptor_limit limit;
	int process, result;

	descriptor_limit_exceed(&limit);
	process = open_process(pid);
	if (process >= 0)
		lock_process(process);
	result = continue_locked(process, pid);
	if (process >= 0)
		close(process);
	descriptor_limit_keep(&limit);
	return result;
}

static void end_hold(int map, uint32_t pid)
{
	const uint32_t leaving = kernel_hold_leaving(pid);
	struct kernel_held held = {.thread = pid};
	int process = open_process(pid);
	bool is_another = false; /* the number has been given to a later process */

	if (!bpf_map_get(map, &pid, &held)) {
		is_another = process >= 0 && started_at(process) > held.time;
		if (!is_another)
			kernel_hold_wait(pid, held.thread);
	}
	if (process >= 0)
		lock_process(process);
	held.time = clock_monotonic();
	if (!is_another)
		bpf_map_set(map, &leaving, &held);
	bpf_map_delete(map, &pid);
	if (!is_another)
		continue_locked(process, pid);
	bpf_map_delete(map, &leaving);
	if (process >= 0)
		close(process);
}

void kernel_hold_end(int map, uint32_t pid)
{
	struct descriptor_limit limit;

	descriptor_limit_exceed(&limit);
	end_hold(map, pid);
	descriptor_limit_keep(&limit);
}

static enum kernel_hold_state look_at(uint32_t pid, uint32_t thread)
{
	const uint64_t bit = UINT64_C(1) << (SIGSTOP - 1);
	const char *state, *own, *shared;
	char path[64], text[STATUS_BYTES];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/status", pid, thread);
	read_file(AT_FDCWD, path, text, sizeof(text));
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

enum kernel_hold_state kernel_hold_state(uint32_t pid, uint32_t thread)
{
	struct descriptor_limit limit;
	enum kernel_hold_state state;

	descriptor_limit_exceed(&limit);
	state = look_at(pid, thread);
	descriptor_limit_keep(&limit);
	return state;
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
