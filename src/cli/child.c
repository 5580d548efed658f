/* child.c: see child.h. */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

/* The words of a command, NULL-terminated; they point into copy. */
static char **split(char *copy, size_t *count)
{
	char **words = calloc(strlen(copy) / 2 + 2, sizeof(*words));
	char *place, *word;

	*count = 0;
	if (!words)
		return NULL;
	for (word = strtok_r(copy, " \t\n", &place); word; word = strtok_r(NULL, " \t\n", &place))
		words[(*count)++] = word;
	return words;
}

static void run_child(char **words, pid_t parent, int report)
{
	char self[16];
	sigset_t none;
	int number;

	/* what we changed for ourselves is not the child's */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	snprintf(self, sizeof(self), "%d", (int)getpid());
	setenv("VMTAP_WAIT", self, 1);
	execvp(words[0], words);
	number = errno;
	if (write(report, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *child, const char *command, struct error *error)
{
	char *copy = strdup(command), **words = NULL;
	int report[2] = { -1, -1 }, number = 0, result = 0;
	pid_t parent = getpid();
	ssize_t got;
	size_t count;

	*child = (struct child){ .descriptor = -1 };
	words = copy ? split(copy, &count) : NULL;
	if (!words) {
		result = error_set(error, ENOMEM, "out of memory");
		goto out;
	}
	if (!count) {
		result = error_set(error, EINVAL, "the command to run is empty");
		goto out;
	}
	if (pipe2(report, O_CLOEXEC)) {
		result = error_set(error, errno, "%s: %s", words[0], strerror(errno));
		goto out;
	}
	child->pid = fork();
	if (child->pid < 0) {
		child->pid = 0;
		result = error_set(error, errno, "%s: %s", words[0], strerror(errno));
		goto out;
	}
	if (!child->pid)
		run_child(words, parent, report[1]);
	close(report[1]);
	report[1] = -1;
	do
		got = read(report[0], &number, sizeof(number));
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(number)) {
		waitpid(child->pid, NULL, 0);
		child->pid = 0;
		result = error_set(error, number, "%s: %s", words[0], strerror(number));
		goto out;
	}
	child->descriptor = (int)syscall(SYS_pidfd_open, child->pid, 0);
out:
	for (int i = 0; i < 2; i++)
		if (report[i] >= 0)
			close(report[i]);
	free(words);
	free(copy);
	return result;
}

bool child_poll(struct child *child)
{
	if (child->pid && !child->ended &&
		waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->ended = true;
	return child->ended;
}

void child_end(struct child *child)
{
	if (child->pid && !child_poll(child)) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
			;
	}
	if (child->pid && child->descriptor >= 0)
		close(child->descriptor);
	*child = (struct child){ .descriptor = -1 };
}
