/*
 * bench_sampling.c: what a tracer costs a program, all threads of the program together.
 *
 *     bench_sampling SOCKET TOY FILE VMTAP SCRIPT
 *
 * The toy at the path TOY runs FILE, which works in equal units, prints a line after each, and does
 * not end. `VMTAP trace -n SCRIPT` is attached to it for a while, detached for a while, and so on.
 * So a process is compared with itself, a moment earlier: other work on the machine changes the
 * CPU time of the same units by much more than a tracer does. Prints what the tracers print, and in
 * the last line the cost in percent: the median of all rounds.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS = 13,
	UNITS = 12, /* of a round, without the tracer and with it */
	SETTLE = 3, /* units before each that do not count: the tracer comes or goes */
	WAIT_MS = 30000
};

static pid_t start(const char *const arguments[], int output)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(output, 1);
	execv(arguments[0], (char **)arguments);
	perror(arguments[0]);
	_exit(127);
}

/* The toy's lines come at once only if it writes them to a terminal. */
static int open_terminal(int *other)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios modes;

	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		return -1;
	*other = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*other < 0 || tcgetattr(*other, &modes))
		return -1;
	cfmakeraw(&modes);
	return tcsetattr(*other, TCSANOW, &modes) ? -1 : terminal;
}

static bool wait_socket(const char *path)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (int waited = 0; waited < WAIT_MS && access(path, F_OK); waited++)
		nanosleep(&moment, NULL);
	return access(path, F_OK) == 0;
}

/* Waits for the end of a unit. The program's CPU time then, in ns; 0: it has ended. */
static uint64_t unit_end(int terminal, clockid_t clock)
{
	struct timespec time;
	char byte = 0;

	while (byte != '\n')
		if (read(terminal, &byte, 1) != 1)
			return 0;
	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The CPU time of UNITS units; 0: the program has ended. */
static uint64_t measure(int terminal, clockid_t clock)
{
	uint64_t first = 0, now = 1;

	for (int i = 0; i < SETTLE + UNITS && now; i++) {
		now = unit_end(terminal, clock);
		if (i == SETTLE - 1)
			first = now;
	}
	return now ? now - first : 0;
}

static int by_value(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return first < second ? -1 : first > second;
}

/* Whether the tracer exits as after a complete trace. */
static bool stop_tracer(pid_t tracer)
{
	int status;

	kill(tracer, SIGINT);
	return waitpid(tracer, &status, 0) == tracer && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* costs: of each round, in percent. */
static bool run(int terminal, clockid_t clock, const char *const tracer[], double costs[ROUNDS])
{
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t without = measure(terminal, clock), with;
		pid_t pid = without ? start(tracer, 1) : -1;
		if (pid < 0)
			return false;
		with = measure(terminal, clock);
		if (!stop_tracer(pid) || !with)
			return false;
		costs[round] = ((double)with / (double)without - 1) * 100;
	}
	return true;
}

int main(int count, char **arguments)
{
	double costs[ROUNDS];
	int other, terminal;
	clockid_t clock;

	if (count != 6) {
		fprintf(stderr, "usage: bench_sampling SOCKET TOY FILE VMTAP SCRIPT\n");
		return 2;
	}
	const char *const program[] = {arguments[2], arguments[3], NULL};
	const char *const tracer[] = {arguments[4], "trace", "--via=stream", "--socket",
		arguments[1], "-qn", arguments[5], NULL};
	terminal = open_terminal(&other);
	if (terminal < 0) {
		perror("bench_sampling: terminal");
		return 3;
	}
	unlink(arguments[1]);
	setenv("VMTAP_SOCKET", arguments[1], 1);
	pid_t pid = start(program, other);
	bool done = pid > 0 && wait_socket(arguments[1]) && !clock_getcpuclockid(pid, &clock) &&
		run(terminal, clock, tracer, costs);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (!done) {
		fprintf(stderr, "bench_sampling: the program or the tracer ended early\n");
		return 3;
	}
	qsort(costs, ROUNDS, sizeof(costs[0]), by_value);
	printf("%.2f\n", costs[ROUNDS / 2]);
	return 0;
}
