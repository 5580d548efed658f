/*
 * system.h: the system that the server runs in when the scheduler runs it: descriptors, one socket
 * with its connections, an eventfd, memory, threads and time, all within this process. Each call is
 * a point of decision. As the plan says, a call is now and then cut short or interrupted, fails
 * with an error of its manual page, or is refused from some moment on, as in a sandbox.
 *
 * The build redirects the library's calls of poll() to system_poll() and so on; the file
 * system_calls lists them.
 */
#ifndef TESTS_SURVIVE_SYSTEM_H
#define TESTS_SURVIVE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SYSTEM_PATH "/sim/vm" /* the socket's */

struct system_plan {
	unsigned cuts;   /* one in so many calls is short, interrupted or to be repeated; 0: none */
	unsigned errors; /* one in so many calls fails; 0: none */
	uint32_t refused; /* calls that a sandbox refuses, a bit each, see system_calls_count() */
	uint64_t refused_from; /* and since when */
	bool may_grow;         /* mremap() does not fail */
	size_t buffer;         /* bytes that a connection holds in each direction */
	unsigned first;        /* the lowest number of a descriptor */
	bool stale;            /* a socket of a dead process has the path */
	unsigned jumps; /* one in so many readings of the wall clock finds it set anew; 0: none */
	unsigned strangers; /* one in so many clients is another user's; 0: none */
};

extern struct system_plan system_plan;

/* The number of bits in refused. */
unsigned system_calls_count(void);

/* Whether a call has failed or was refused in this schedule. */
bool system_has_failed(void);
/* Whether every call that waits has failed, so that the stream may end at once. */
bool system_cannot_wait(void);

/* Call once, after the library has been set up; and before each schedule. Of what it has
 * mapped first, so many bytes at the beginning and at the end are restored before each schedule. */
void system_begin(size_t first, size_t last);
void system_reset(void);

/* Fails the schedule if a descriptor, memory or the socket's path is left. rings: the mappings that
 * may be left. */
void system_check_left(unsigned rings);

/* Runs the library's thread, each time that it is created, until system_end_threads(). */
void system_run_threads(void);
void system_end_threads(void);
bool system_thread_runs(void);
/* Whether it is in poll(), or has not begun. */
bool system_thread_waits(void);
/* Called with what the thread is created with; NULL: nothing is. */
extern void (*system_on_thread)(void *argument);

/* Whether time has ended this fibre's last wait for a futex, and the library's thread had not run
 * for longer than what counts as in time. If the fibre goes on nevertheless, a wake-up was lost. */
bool system_woke_late(void);

void system_sleep(uint64_t ns);

/* ---- a client's side of a connection ---- */

/* Returns a connection, or -ECONNREFUSED, or -EAGAIN. */
int system_peer_connect(void);
/* These do not wait. They return the number of bytes; 0: none now; -1: the connection has ended. */
ssize_t system_peer_send(int connection, const void *bytes, size_t length);
ssize_t system_peer_receive(int connection, void *bytes, size_t length);
/* Waits until anything in the system changes. False: time ended it. */
bool system_peer_wait(uint64_t until);
/* It sends no more. */
void system_peer_shut(int connection);
void system_peer_hang_up(int connection);

#endif
