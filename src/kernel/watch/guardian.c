/*
 * guardian.c: see guardian.h.
 *
 * The guardian has no descriptors but the two maps and its end of a line to the tracer. When the
 * line ends before its last byte has come, the tracer has died: then the guardian forbids the
 * programs to stop processes, and resumes those that have been stopped. A program that is just
 * running may stop a process a moment later, so the guardian checks several times, and until no
 * process is about to stop.
 *
 * If both are killed at the same moment, a process that is stopped just then stays stopped: no
 * process is left that could resume it.
 *
 * It sends no signal to its parent when it ends, so it does not count among the children that vmtap
 * waits for.
 */
#include "kernel/watch/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel/bpf/bpf.h"
#include "kernel/watch/hold.h"

enum {
	LOOK_MS = 500, /* between two checks of what is stopped */
	LAST_LOOKS = 20,
	LAST_LOOK_MS = 10,
	MAPS = 2
};

/*
 * Resumes the processes that were stopped before a time, and forgets those that run, unless they
 * may be about to stop. Returns whether any of them is left.
 */
static bool let_go(int held, uint64_t before, bool forgets)
{
	struct kernel_held entry;
	uint32_t key, next;
	bool is_left = false;
	int result = bpf_map_next(held, NULL, &next);

	while (!result) {
		enum kernel_hold_state state;
		uint32_t pid;

		key = next;
		pid = kernel_hold_pid(key);
		result = bpf_map_next(held, &key, &next);
		if (bpf_map_get(held, &key, &entry) || entry.time > before)
			continue;
		state = kernel_hold_state(pid, entry.thread);
		if (state == KERNEL_HOLD_STOPPED)
			kernel_hold_end(held, pid);
		else if (forgets && state != KERNEL_HOLD_COMES)
			bpf_map_delete(held, &key);
		else
			is_left = true;
	}
	return is_left;
}

static void guard(int held, int control, int line)
{
	const struct timespec pause = {.tv_nsec = LAST_LOOK_MS * 1000000L};
	const uint32_t first = 0;
	const uint64_t none[2] = {0};
	struct pollfd wait = {.fd = line, .events = POLLIN};
	char byte;
	ssize_t length;

	for (;;) {
		if (poll(&wait, 1, LOOK_MS) <= 0) {
			let_go(held, clock_monotonic() - KERNEL_GUARDIAN_MS * CLOCK_NS_PER_MS,
				false);
			continue;
		}
		length = read(line, &byte, 1);
		if (length > 0)
			return; /* all is well */
		if (length == 0 || errno != EINTR)
			break;
	}
	bpf_map_set(control, &first, none);
	for (unsigned i = 0; let_go(held, UINT64_MAX, i >= LAST_LOOKS) || i <= LAST_LOOKS; i++)
		nanosleep(&pause, NULL);
}

/* Closes all descriptors but these, whose order does not matter. */
static void close_others(const int *kept)
{
	int sorted[MAPS + 1], last = -1;

	memcpy(sorted, kept, sizeof(sorted));
	for (int i = 0; i <= MAPS; i++)
		for (int j = i + 1; j <= MAPS; j++)
			if (sorted[j] < sorted[i]) {
				int number = sorted[i];
				sorted[i] = sorted[j];
				sorted[j] = number;
			}
	for (int i = 0; i <= MAPS; i++) {
		if (sorted[i] > last + 1)
			syscall(SYS_close_range, last + 1, sorted[i] - 1, 0);
		last = sorted[i];
	}
	syscall(SYS_close_range, last + 1, ~0U, 0);
}

/* Moves the descriptors that the guardian needs to the first numbers. Returns 0 or a negative
 * errno. */
static int move_descriptors(int *kept)
{
	for (int i = 0; i <= MAPS; i++) {
		kept[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, MAPS + 1);
		if (kept[i] < 0)
			return -errno;
	}
	for (int i = 0; i <= MAPS; i++)
		if (dup2(kept[i], i) < 0)
			return -errno;
	syscall(SYS_close_range, MAPS + 1, ~0U, 0);
	return 0;
}

/* Runs the guardian. First tells the tracer whether it guards: one byte, an errno. */
static void run(int held, int control, int line)
{
	int kept[MAPS + 1] = {held, control, line}, result;
	sigset_t all;
	char number;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid(); /* signals to the terminal's processes are not for it */
	prctl(PR_SET_NAME, "vmtap-guardian");
	close_others(kept);
	result = move_descriptors(kept);
	number = (char)-result;
	if (write(result ? line : MAPS, &number, 1) == 1 && !result)
		guard(0, 1, MAPS);
	_exit(result != 0);
}

/* Waits until the guardian has closed the descriptors that it has inherited: it must not keep links
 * open. */
static int await_start(int line)
{
	ssize_t length;
	char byte;

	do
		length = read(line, &byte, 1);
	while (length < 0 && errno == EINTR);
	return length == 1 ? -byte : -ECHILD;
}

int kernel_guardian_start(struct kernel_guardian *guardian, int held, int control)
{
	int line[2];
	long pid;

	*guardian = (struct kernel_guardian){.line = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
		return -errno;
	pid = syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
	if (!pid) {
		close(line[0]);
		run(held, control, line[1]);
	}
	close(line[1]);
	if (pid < 0) {
		int result = -errno;
		close(line[0]);
		return result;
	}
	guardian->pid = (pid_t)pid;
	guardian->line = line[0];
	return await_start(line[0]);
}

bool kernel_guardian_runs(const struct kernel_guardian *guardian)
{
	char byte;

	return recv(guardian->line, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
		(errno == EAGAIN || errno == EINTR);
}

void kernel_guardian_stop(struct kernel_guardian *guardian)
{
	if (!guardian->pid)
		return;
	while (send(guardian->line, "", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
	close(guardian->line);
	while (waitpid(guardian->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	*guardian = (struct kernel_guardian){.line = -1};
}
