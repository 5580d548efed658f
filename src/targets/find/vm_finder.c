/* vm_finder.c: see vm_finder.h. */
#include "targets/find/vm_finder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/error.h"
#include "targets/find/listener.h"
#include "usdt/process/process_info.h"
#include "wire/place.h"

enum {
	LOOK_MS = 1000,     /* the least time between two scans of all processes */
	LOOK_MAX_MS = 5000, /* the most */
	LOOK_SHARE = 100,   /* scans take at most 1/LOOK_SHARE of a CPU's time */
	RETRY_MS = 2, /* until a process that does not listen yet is tried again: n times this */
	RETRIES = 30,
	SELDOM_MAX = 5,  /* doublings of the time until one that has hung is tried again */
	USERS_MAX = 4096 /* directories of other users that root watches */
};

struct candidate {
	uint32_t pid;
	uint64_t started; /* distinguishes it from a later process of the same number */
	unsigned retries, waits;
	uint64_t due;  /* when to return it, CLOCK_MONOTONIC ns; UINT64_MAX: returned */
	bool is_there; /* the present scan has seen it */
};

struct vm_finder {
	struct candidate *candidates;
	size_t count, capacity;
	uint64_t look_due;
	int descriptor, watches, timer;
};

static struct candidate *vm_finder_find(struct vm_finder *finder, uint32_t pid)
{
	for (size_t i = 0; i < finder->count; i++)
		if (finder->candidates[i].pid == pid)
			return &finder->candidates[i];
	return NULL;
}

/* Notes that a process may serve. If memory runs out, the process is found later. */
static void note(struct vm_finder *finder, uint32_t pid, uint64_t now)
{
	struct candidate *candidate = vm_finder_find(finder, pid);
	uint64_t started = process_info_started(pid);

	if (!started || pid == (uint32_t)getpid())
		return;
	if (!candidate) {
		if (array_room(&finder->candidates, &finder->capacity, finder->count,
			    sizeof(*finder->candidates)))
			return;
		candidate = &finder->candidates[finder->count++];
		*candidate = (struct candidate){.pid = pid};
	}
	if (candidate->started != started)
		*candidate = (struct candidate){.pid = pid, .started = started, .due = now};
	candidate->is_there = true;
}

/* ---- the places ---- */

static void watch(struct vm_finder *finder, const char *path)
{
	inotify_add_watch(finder->watches, path, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

/* Watches the directories in a base that have the names of those for sockets. */
static void watch_base(struct vm_finder *finder, const char *base, bool all_users)
{
	DIR *entries = opendir(base);
	struct dirent *entry;
	char path[PATH_MAX];
	bool is_random;
	uint32_t user;
	unsigned watched = 0;

	while (entries && watched < USERS_MAX && (entry = readdir(entries))) {
		if (!place_is_directory(entry->d_name, &user, &is_random) ||
			(!all_users && user != geteuid()))
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
		watch(finder, path);
		watched++;
	}
	if (entries)
		closedir(entries);
}

/* Watches the runtime directories of all users, for root. */
static void watch_users(struct vm_finder *finder)
{
	DIR *entries = opendir("/run/user");
	struct dirent *entry;
	char path[PATH_MAX];
	unsigned watched = 0;

	while (entries && watched < USERS_MAX && (entry = readdir(entries))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/run/user/%s/vmtap", entry->d_name);
		watch(finder, path);
		watched++;
	}
	if (entries)
		closedir(entries);
}

/* Watches the directories that exist by now; a directory that is watched already stays so. */
static void watch_places(struct vm_finder *finder)
{
	bool all_users = geteuid() == 0;
	char path[PATH_MAX];

	if (place_directory(0, secure_getenv("XDG_RUNTIME_DIR"), geteuid(), path, sizeof(path)))
		watch(finder, path);
	for (unsigned i = 1; place_base(i); i++)
		watch_base(finder, place_base(i), all_users);
	if (all_users)
		watch_users(finder);
}

/* Notes the processes whose sockets have appeared. */
static void read_watches(struct vm_finder *finder, uint64_t now)
{
	_Alignas(struct inotify_event) char bytes[4096];
	const struct inotify_event *event;
	ssize_t got;
	uint32_t pid;

	while ((got = read(finder->watches, bytes, sizeof(bytes))) > 0) {
		for (ssize_t at = 0; at < got; at += (ssize_t)(sizeof(*event) + event->len)) {
			event = (const struct inotify_event *)(bytes + at);
			/* In a directory that several pid namespaces share, the number may be
			 * another process's here: the scan of all processes finds that one. */
			if (event->len && place_is_socket(event->name, &pid)) {
				vm_finder_forget(finder, pid);
				note(finder, pid, now);
				if (finder->look_due > now + 20 * CLOCK_NS_PER_MS)
					finder->look_due = now + 20 * CLOCK_NS_PER_MS;
			}
			if (event->mask & IN_Q_OVERFLOW)
				finder->look_due = now;
		}
	}
}

/* ---- all processes ---- */

static uint64_t cpu_time(void)
{
	struct timespec time = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * CLOCK_NS_PER_S + (uint64_t)time.tv_nsec;
}

/* Returns when to scan again; spent: the CPU time that the last scan took. */
static uint64_t next_look(uint64_t now, uint64_t spent)
{
	uint64_t pause = spent * LOOK_SHARE;

	if (pause < LOOK_MS * CLOCK_NS_PER_MS)
		pause = LOOK_MS * CLOCK_NS_PER_MS;
	if (pause > LOOK_MAX_MS * CLOCK_NS_PER_MS)
		pause = LOOK_MAX_MS * CLOCK_NS_PER_MS;
	return now + pause;
}

/* Scans all processes of this user, or all, and forgets those that no longer serve. */
static void look(struct vm_finder *finder, uint64_t now)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	struct stat status;
	uint64_t before = cpu_time();
	size_t kept = 0;
	char *end;

	watch_places(finder);
	for (size_t i = 0; i < finder->count; i++)
		finder->candidates[i].is_there = finder->candidates[i].due != UINT64_MAX;
	while (processes && (entry = readdir(processes))) {
		unsigned long pid = strtoul(entry->d_name, &end, 10);
		if (*end || !pid || fstatat(dirfd(processes), entry->d_name, &status, 0) ||
			(geteuid() != 0 && status.st_uid != geteuid()))
			continue;
		if (listener_is_marked((uint32_t)pid))
			note(finder, (uint32_t)pid, now);
	}
	if (processes)
		closedir(processes);
	for (size_t i = 0; i < finder->count; i++)
		if (finder->candidates[i].is_there)
			finder->candidates[kept++] = finder->candidates[i];
	finder->count = kept;
	finder->look_due = next_look(now, cpu_time() - before);
}

/* ---- for callers ---- */

int vm_finder_new(struct vm_finder **result, struct error *error)
{
	struct vm_finder *finder = calloc(1, sizeof(*finder));
	struct epoll_event event = {.events = EPOLLIN};

	*result = NULL;
	if (!finder)
		return error_set(error, ENOMEM, "out of memory");
	finder->descriptor = epoll_create1(EPOLL_CLOEXEC);
	finder->watches = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	finder->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	/* Without inotify, only the scan of all processes finds VMs. */
	if (finder->watches >= 0)
		epoll_ctl(finder->descriptor, EPOLL_CTL_ADD, finder->watches, &event);
	if (finder->descriptor < 0 || finder->timer < 0 ||
		epoll_ctl(finder->descriptor, EPOLL_CTL_ADD, finder->timer, &event)) {
		int number = errno;
		vm_finder_free(finder);
		return error_set(error, number, "looking for VMs: %s", strerror(number));
	}
	watch_places(finder); /* before the first scan, so that nothing is missed between them */
	*result = finder;
	return 0;
}

void vm_finder_free(struct vm_finder *finder)
{
	const int descriptors[] = {finder ? finder->descriptor : -1, finder ? finder->watches : -1,
		finder ? finder->timer : -1};

	for (unsigned i = 0; i < 3; i++)
		if (descriptors[i] >= 0)
			close(descriptors[i]);
	if (finder)
		free(finder->candidates);
	free(finder);
}

int vm_finder_descriptor(const struct vm_finder *finder)
{
	return finder->descriptor;
}

/* Sets the timer to when there will be something to return, or to the next scan. */
static void set_timer(const struct vm_finder *finder)
{
	uint64_t due = finder->look_due;

	for (size_t i = 0; i < finder->count; i++)
		if (finder->candidates[i].due < due)
			due = finder->candidates[i].due;
	timerfd_settime(finder->timer, TFD_TIMER_ABSTIME,
		&(struct itimerspec){.it_value = {.tv_sec = (time_t)(due / 1000000000u),
					     .tv_nsec = (long)(due % 1000000000u)}},
		NULL);
}

bool vm_finder_next(struct vm_finder *finder, uint32_t *pid)
{
	uint64_t now = clock_monotonic(), expired;

	read_watches(finder, now);
	if (now >= finder->look_due)
		look(finder, now);
	for (size_t i = 0; i < finder->count; i++) {
		if (finder->candidates[i].due > now)
			continue;
		finder->candidates[i].due = UINT64_MAX;
		*pid = finder->candidates[i].pid;
		return true;
	}
	if (read(finder->timer, &expired, sizeof(expired)) > 0)
		debug_say(DEBUG_TARGET, "%zu processes may serve a stream", finder->count);
	set_timer(finder);
	return false;
}

void vm_finder_forget(struct vm_finder *finder, uint32_t pid)
{
	struct candidate *candidate = vm_finder_find(finder, pid);

	if (candidate && candidate->due == UINT64_MAX)
		*candidate = finder->candidates[--finder->count];
}

bool vm_finder_retry(struct vm_finder *finder, uint32_t pid)
{
	struct candidate *candidate = vm_finder_find(finder, pid);

	if (!candidate || candidate->retries == RETRIES)
		return false;
	candidate->retries++;
	candidate->due = clock_monotonic() + candidate->retries * RETRY_MS * CLOCK_NS_PER_MS;
	return true;
}

static void put_off(const struct vm_finder *finder, struct candidate *candidate, uint64_t time_ms)
{
	uint64_t due = clock_monotonic() + time_ms * CLOCK_NS_PER_MS;

	candidate->due = due > finder->look_due ? due : finder->look_due;
}

void vm_finder_later(struct vm_finder *finder, uint32_t pid)
{
	struct candidate *candidate = vm_finder_find(finder, pid);

	if (candidate)
		put_off(finder, candidate, LOOK_MS);
}

void vm_finder_seldom(struct vm_finder *finder, uint32_t pid)
{
	struct candidate *candidate = vm_finder_find(finder, pid);

	if (!candidate)
		return;
	put_off(finder, candidate, (uint64_t)LOOK_MS << candidate->waits);
	candidate->waits += candidate->waits < SELDOM_MAX;
}
