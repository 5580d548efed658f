/*
 * child.c: see child.h. The child waits for one byte on a socket, which says how to start its
 * program; the socket closes when the program runs, or brings the errno of the failure.
 */
#include "targets/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor_limit.h"
#include "base/error.h"
#include "base/process_stat.h"

const struct child child_none = {.descriptor = -1, .line = -1};

int child_find_program(const char *name, char file[PATH_MAX])
{
	const char *path = getenv("PATH"), *end;
	int result = -ENOENT;
	struct stat status;

	if (strchr(name, '/'))
		path = "";
	else if (!path)
		path = "/bin:/usr/bin";
	for (;; path = end + 1) {
		end = strchrnul(path, ':');
		if (snprintf(file, PATH_MAX, "%.*s%s%s", (int)(end - path), path,
			    end > path ? "/" : "", name) < PATH_MAX) {
			if (!stat(file, &status) && !S_ISREG(status.st_mode))
				result = -EACCES;
			else if (!faccessat(AT_FDCWD, file, X_OK, AT_EACCESS))
				return 0;
			else if (errno != ENOENT && errno != ENOTDIR)
				result = -errno;
		}
		if (!*end)
			return result;
	}
}

bool child_is_program(const char *word)
{
	char file[PATH_MAX];

	return strchr(word, '/') || (*word && !child_find_program(word, file));
}

/*
 * Waits for the byte that releases the child. The byte says whether the library has to wait for a
 * client. line is closed when the program runs; if it cannot run, the errno is sent on it.
 */
static void run_child(
	char *const *words, const struct descriptor_limit *limit, pid_t parent, int line)
{
	char self[48], wait;
	sigset_t none;
	ssize_t got;
	int number;
	bool stops;

	/* undo the settings that vmtap changed for itself */
	if (limit)
		descriptor_limit_restore(limit);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	do
		got = read(line, &wait, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(127);
	stops = wait & CHILD_STOPPED;
	wait &= ~CHILD_STOPPED;
	if (wait == CHILD_WAIT_ITSELF)
		snprintf(self, sizeof(self), "%d,tracer:%d", (int)getpid(), (int)parent);
	else
		snprintf(self, sizeof(self), "tracer:%d", (int)parent);
	if (stops && ptrace(PTRACE_TRACEME, 0, NULL, NULL)) {
		number = -errno; /* it runs all the same */
		if (write(line, &number, sizeof(number)) < 0)
			_exit(126);
	}
	if (wait == CHILD_WAIT_NONE || !setenv("VMTAP_WAIT", self, 1))
		execvp(words[0], words);
	number = errno;
	if (write(line, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *child, char *const *words, const struct descriptor_limit *limit,
	struct error *error)
{
	int line[2] = {-1, -1}, result;
	pid_t parent = getpid();
	char file[PATH_MAX];

	*child = child_none;
	result = child_find_program(words[0], file);
	if (result) {
		error_set(error, -result, "%s: %s", words[0], strerror(-result));
		goto out;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) || (child->pid = fork()) < 0) {
		child->pid = 0;
		result = error_set(error, errno, "%s: %s", words[0], strerror(errno));
		goto out;
	}
	if (!child->pid) {
		close(line[0]); /* so that the child notices when we close ours */
		run_child(words, limit, parent, line[1]);
	}
	child->descriptor = child_process(child->pid);
	child->line = line[0];
	line[0] = -1;
out:
	for (int i = 0; i < 2; i++)
		if (line[i] >= 0)
			close(line[i]);
	return result;
}

int child_release(struct child *child, char *const *words, unsigned wait, struct error *error)
{
	char word = (char)wait;
	int number = 0;
	ssize_t got;

	if (child->line < 0)
		return 0;
	do
		got = send(child->line, &word, 1, MSG_NOSIGNAL);
	while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0 && errno == EPIPE) { /* it has been killed meanwhile, or it cannot start */
		kill(child->pid, SIGKILL);
	} else if (got < 0) {
		number = errno;
		child_end(child);
		return error_set(error, number, "%s: %s", words[0], strerror(number));
	}
	child->stops = wait & CHILD_STOPPED;
	do {
		got = read(child->line, &number, sizeof(number));
		child->stops &= number >= 0;
	} while ((got < 0 && (errno == EINTR || errno == EAGAIN)) ||
		(got == (ssize_t)sizeof(number) && number < 0));
	close(child->line);
	child->line = -1;
	if (got != (ssize_t)sizeof(number))
		return 0;
	child_end(child);
	return error_set(error, number, "%s: %s", words[0], strerror(number));
}

int child_process(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

void child_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool child_adopted(void)
{
	siginfo_t info;

	do {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG))
			return errno != ECHILD;
	} while (info.si_pid);
	return true;
}

/*
 * Reads the parent of a process, and the number of page faults of the children that it has waited
 * for. Returns false if there is no such process.
 */
static bool read_family(pid_t pid, pid_t *parent, unsigned long *children_faults)
{
	char text[PROCESS_STAT_BYTES];
	const char *fields = process_stat_read((uint32_t)pid, text);

	return fields &&
		sscanf(fields, " %*c %d %*d %*d %*d %*d %*u %*u %lu", parent, children_faults) == 2;
}

/* Returns the next child of parent in the listing of /proc; 0 if there is none. */
static pid_t next_child(DIR *processes, pid_t parent)
{
	unsigned long faults;
	struct dirent *entry;
	pid_t parent_of;
	char *end;

	while (processes && (entry = readdir(processes))) {
		long pid = strtol(entry->d_name, &end, 10);
		if (!*end && pid > 0 && read_family((pid_t)pid, &parent_of, &faults) &&
			parent_of == parent)
			return (pid_t)pid;
	}
	return 0;
}

bool child_has_children(const struct child *child)
{
	unsigned long faults = 0;
	DIR *processes;
	pid_t parent;
	bool result;

	if (child->ended)
		return child->had_children;
	if (!child->pid || !read_family(child->pid, &parent, &faults))
		return false;
	/* a process has page faults as soon as it exists */
	processes = opendir("/proc");
	result = faults || next_child(processes, child->pid);
	if (processes)
		closedir(processes);
	return result;
}

/* Kills our children; the children of those become ours. */
static void kill_children(void)
{
	DIR *processes = opendir("/proc");
	pid_t pid;

	while ((pid = next_child(processes, getpid())))
		kill(pid, SIGKILL);
	if (processes)
		closedir(processes);
}

void child_end_adopted(void)
{
	do {
		kill_children();
		while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
			;
	} while (child_adopted());
}

bool child_poll(struct child *child)
{
	siginfo_t info = {0};

	if (!child->pid || child->ended ||
		waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return child->ended;
	/* Its page faults can be read only until it is waited for. */
	child->had_children = child_has_children(child);
	child->ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->ended;
}

bool child_end(struct child *child)
{
	bool runs = child->pid && !child_poll(child), killed;

	if (runs) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
			;
	}
	killed = child->pid && (runs || WIFSIGNALED(child->status));
	if (child->descriptor >= 0)
		close(child->descriptor);
	if (child->line >= 0)
		close(child->line);
	*child = child_none;
	return killed;
}
