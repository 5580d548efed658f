/*
 * watch.c: see watch.h. The set of files is changed only where it differs from what was watched
 * before. A call that fails is tried once more; a file that cannot be added is checked at
 * intervals.
 */
#include "shim/server/watch.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "shim/core/ledger.h"

enum { UNWATCHED_MS = 20 /* between two checks of files that could not be added */ };

/* Tries once more after an error, because memory may have run out for a moment. */
static int control_entry(const struct watch *watch, int operation, int descriptor, short events)
{
	struct epoll_event event = {.events = (uint32_t)((events & POLLIN ? EPOLLIN : 0) |
					    (events & POLLOUT ? EPOLLOUT : 0)),
		.data.fd = descriptor};

	if (!epoll_ctl(watch->descriptor, operation, descriptor, &event) ||
		!epoll_ctl(watch->descriptor, operation, descriptor, &event))
		return 0;
	return -errno;
}

int watch_open(struct watch *watch)
{
	int error = 0;

	*watch = (struct watch){.timer = -1};
	watch->descriptor = ledger_enter(descriptor_own(epoll_create1(EPOLL_CLOEXEC)));
	watch->file = descriptor_file(watch->descriptor);
	if (watch->descriptor < 0)
		error = watch->descriptor;
	if (!error) {
		watch->timer = ledger_enter(descriptor_own(
			timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)));
		watch->timer_file = descriptor_file(watch->timer);
		error = watch->timer < 0
			? watch->timer
			: control_entry(watch, EPOLL_CTL_ADD, watch->timer, POLLIN);
	}
	if (error) {
		ledger_close(watch->timer, watch->timer_file);
		ledger_close(watch->descriptor, watch->file);
		watch->descriptor = watch->timer = -1;
	}
	return error;
}

/* The kernel finds a member by descriptor and file, so only the pair that watch_open() has made
 * can be changed. But it refuses files that cannot be waited for, such as those on a disk, with the
 * error that a sandbox may give, too. */
bool watch_is_ours(const struct watch *watch)
{
	if (!descriptor_is(watch->descriptor, watch->file) ||
		!descriptor_is(watch->timer, watch->timer_file))
		return false;
	int error = control_entry(watch, EPOLL_CTL_MOD, watch->timer, POLLIN);
	return error != -EBADF && error != -ENOENT && error != -EINVAL;
}

void watch_close(struct watch *watch)
{
	if (watch->descriptor >= 0 && watch_is_ours(watch)) {
		ledger_close(watch->timer, watch->timer_file);
		ledger_close(watch->descriptor, watch->file);
		watch->descriptor = watch->timer = -1;
	}
	watch_abandon(watch);
}

void watch_abandon(struct watch *watch)
{
	ledger_drop(watch->timer);
	ledger_drop(watch->descriptor);
	watch->descriptor = watch->timer = -1;
	watch->count = 0;
}

void watch_fork_child(struct watch *watch)
{
	watch->descriptor = watch->timer = -1;
	watch->count = 0;
}

static const struct pollfd *find_polled(const struct pollfd *polled, nfds_t count, int descriptor)
{
	for (nfds_t i = 0; i < count; i++)
		if (polled[i].fd == descriptor)
			return &polled[i];
	return NULL;
}

/* Removes the files that are not watched any longer. */
static int remove_others(struct watch *watch, const struct pollfd *polled, nfds_t count)
{
	int error = 0;

	for (unsigned i = watch->count; i-- > 0;) {
		int descriptor = watch->entries[i].descriptor, failed;
		if (find_polled(polled, count, descriptor))
			continue;
		failed = control_entry(watch, EPOLL_CTL_DEL, descriptor, 0);
		if (failed && failed != -ENOENT && failed != -EBADF)
			error = failed;
		watch->entries[i] = watch->entries[--watch->count];
	}
	return error;
}

/* Changes an entry to this, or adds it. *added is set to false if that fails. */
static int put_entry(struct watch *watch, const struct pollfd *wanted, bool *added)
{
	unsigned i = 0;
	int error = 0;

	while (i < watch->count && watch->entries[i].descriptor != wanted->fd)
		i++;
	if (i == watch->count) {
		if (i < WATCH_MAX)
			error = control_entry(watch, EPOLL_CTL_ADD, wanted->fd, wanted->events);
		if (error == -EEXIST) /* it could not be removed */
			error = control_entry(watch, EPOLL_CTL_MOD, wanted->fd, wanted->events);
		if (i == WATCH_MAX || error) {
			*added = false;
			return 0;
		}
		watch->count++;
	} else if (watch->entries[i].events != wanted->events) {
		error = control_entry(watch, EPOLL_CTL_MOD, wanted->fd, wanted->events);
		if (error == -ENOENT || error == -EBADF)
			error = 0; /* the program has closed it, which the server will notice */
	}
	watch->entries[i] =
		(struct watch_entry){.descriptor = wanted->fd, .events = wanted->events};
	return error;
}

static int set_watch_timer(const struct watch *watch, int timeout_ms)
{
	struct itimerspec time = {
		.it_value = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L}};

	if (timeout_ms < 0)
		time.it_value = (struct timespec){0}; /* never */
	else if (!timeout_ms)
		time.it_value.tv_nsec = 1;
	if (!timerfd_settime(watch->timer, 0, &time, NULL) ||
		!timerfd_settime(watch->timer, 0, &time, NULL))
		return 0;
	return -errno;
}

int watch_set(struct watch *watch, const struct pollfd *polled, nfds_t count, int timeout_ms)
{
	int error = remove_others(watch, polled, count);
	bool added = true;

	for (nfds_t i = 0; i < count && !error; i++)
		if (polled[i].fd >= 0)
			error = put_entry(watch, &polled[i], &added);
	if (!added && (timeout_ms < 0 || timeout_ms > UNWATCHED_MS))
		timeout_ms = UNWATCHED_MS;
	int failed = set_watch_timer(watch, timeout_ms);
	return error ? error : failed;
}

void watch_remove(struct watch *watch, int descriptor)
{
	for (unsigned i = 0; i < watch->count; i++)
		if (watch->entries[i].descriptor == descriptor) {
			control_entry(watch, EPOLL_CTL_DEL, descriptor, 0);
			watch->entries[i] = watch->entries[--watch->count];
			return;
		}
}

static bool has_entry(const struct watch *watch, int descriptor)
{
	for (unsigned i = 0; i < watch->count; i++)
		if (watch->entries[i].descriptor == descriptor)
			return true;
	return false;
}

int watch_take(const struct watch *watch, struct pollfd *polled, nfds_t count)
{
	struct epoll_event events[WATCH_MAX];
	int ready = epoll_wait(watch->descriptor, events, WATCH_MAX, 0);

	if (!ready || (ready < 0 && errno == EINTR))
		return 0;
	for (nfds_t i = 0; i < count; i++) {
		bool tries = polled[i].fd >= 0 && (ready < 0 || !has_entry(watch, polled[i].fd));
		polled[i].revents = tries ? polled[i].events : 0;
		for (int j = 0; j < ready; j++)
			if (events[j].data.fd == polled[i].fd)
				polled[i].revents |=
					(short)((events[j].events & EPOLLIN ? POLLIN : 0) |
						(events[j].events & EPOLLOUT ? POLLOUT : 0) |
						(events[j].events & EPOLLERR ? POLLERR : 0) |
						(events[j].events & EPOLLHUP ? POLLHUP : 0));
		polled[i].revents &= (short)(polled[i].events | POLLERR | POLLHUP);
	}
	return 1;
}
