/*
 * bench_command.c: measures the time and memory that a command takes.
 *
 *     bench_command first ROUNDS COMMAND...   until the first byte of its standard output;
 *                                             then the command is killed
 *     bench_command end ROUNDS COMMAND...     until it ends; its output is discarded
 *     bench_command stop ROUNDS COMMAND...    from an interrupt, sent after the first byte, until
 *                                             it ends
 *
 * Prints four numbers: milliseconds (the median of the rounds), milliseconds of CPU time in
 * user mode (the median), the largest resident set in KiB, and the bytes of output read.
 * Fails if the command fails (in mode "first", if it prints nothing).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burst.h"

enum mode { FIRST, END, STOP };

enum {
	ROUNDS_MAX = 1000,
	LIMIT_MS = 60000 /* for one round */
};

struct outcome {
	double milliseconds, user;
	long resident, bytes;
};

/* Reads one byte (first), or to the end; false when the time is up. */
static bool read_output(int output, bool first, struct outcome *outcome)
{
	char buffer[65536];
	struct pollfd pollfd = {.fd = output, .events = POLLIN};
	uint64_t limit = burst_now() + LIMIT_MS * UINT64_C(1000000);

	while (burst_now() < limit) {
		ssize_t got;

		if (poll(&pollfd, 1, 1000) <= 0)
			continue;
		got = read(output, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return true;
		outcome->bytes += got;
		if (first)
			return true;
	}
	return false;
}

static bool run(char **command, enum mode mode, struct outcome *outcome)
{
	struct rusage usage;
	uint64_t start;
	bool done;
	int ends[2], status;
	pid_t pid;

	memset(outcome, 0, sizeof(*outcome));
	if (pipe(ends)) {
		perror("bench_command: pipe");
		return false;
	}
	start = burst_now();
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	close(ends[1]);
	done = pid > 0 && read_output(ends[0], mode != END, outcome);
	if (done && mode == STOP) {
		start = burst_now();
		kill(pid, SIGINT);
		done = read_output(ends[0], false, outcome);
	}
	if (pid > 0 && (mode == FIRST || !done)) {
		outcome->milliseconds = (double)(burst_now() - start) * 1e-6;
		kill(pid, SIGKILL);
	}
	close(ends[0]);
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("bench_command");
		return false;
	}
	if (mode != FIRST)
		outcome->milliseconds = (double)(burst_now() - start) * 1e-6;
	outcome->user = (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec * 1e-3;
	outcome->resident = usage.ru_maxrss;
	if (!done ||
		(mode == FIRST ? outcome->bytes == 0 : !WIFEXITED(status) || WEXITSTATUS(status))) {
		fprintf(stderr, "bench_command: %s: %s\n", command[0],
			!done                   ? "takes too long"
				: mode == FIRST ? "prints nothing"
						: "failed");
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static double milliseconds[ROUNDS_MAX], user[ROUNDS_MAX];
	static const char *const modes[] = {[FIRST] = "first", [END] = "end", [STOP] = "stop"};
	int rounds = argc > 2 ? atoi(argv[2]) : 0;
	struct outcome outcome;
	long resident = 0;
	unsigned mode = 0;

	while (argc > 1 && mode <= STOP && strcmp(argv[1], modes[mode]))
		mode++;
	if (argc < 4 || rounds < 1 || rounds > ROUNDS_MAX || mode > STOP) {
		fprintf(stderr, "usage: bench_command first|end|stop ROUNDS COMMAND...\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++) {
		if (!run(argv + 3, (enum mode)mode, &outcome))
			return 1;
		milliseconds[i] = outcome.milliseconds;
		user[i] = outcome.user;
		if (outcome.resident > resident)
			resident = outcome.resident;
	}
	printf("%.2f %.2f %ld %ld\n", burst_median(milliseconds, (size_t)rounds),
		burst_median(user, (size_t)rounds), resident, outcome.bytes);
	return 0;
}
