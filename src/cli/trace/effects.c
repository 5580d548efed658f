/*
 * effects.c: see effects.h. freopen() replaces the file that the output's descriptor refers to, as
 * in DTrace: if that is standard output, commands of system() print there as well.
 */
#include "cli/trace/effects.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor_limit.h"

extern char **environ;

/*
 * Runs the command with the default handling of the signals that we block or ignore, and with the
 * original limit of descriptors. posix_spawn() cannot set a limit, so ours is lowered meanwhile;
 * what is open stays open.
 */
static int run_command(void *context, const char *command, struct error *error)
{
	struct effects *effects = context;
	char shell[] = "sh", option[] = "-c";
	char *const arguments[] = {shell, option, (char *)command, NULL};
	posix_spawnattr_t attributes;
	sigset_t none, ignored;
	int number, status;
	pid_t pid;

	number = posix_spawnattr_init(&attributes);
	if (number)
		return error_set(error, number, "system(): %s", strerror(number));
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &ignored);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	descriptor_limit_restore(effects->limit);
	number = posix_spawn(&pid, "/bin/sh", NULL, &attributes, arguments, environ);
	descriptor_limit_raise(effects->limit);
	posix_spawnattr_destroy(&attributes);
	if (number)
		return error_set(error, number, "system(): sh: %s", strerror(number));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			break; /* the command's status is not used */
	return 0;
}

/* Makes the output's descriptor refer to file, and closes file. */
static int replace(struct effects *effects, int file)
{
	int descriptor = fileno(effects->output), flags = fcntl(descriptor, F_GETFD);
	int result = dup3(file, descriptor, flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0 ? -errno : 0;

	close(file);
	return result;
}

static int redirect(void *context, const char *path, struct error *error)
{
	struct effects *effects = context;
	int file, result;

	if (!*path && effects->original < 0)
		return 0;
	if (!*path) {
		file = effects->original;
		effects->original = -1;
		result = replace(effects, file);
		return result ? error_set(error, -result, "could not restore output: %s",
					strerror(-result))
			      : 0;
	}
	file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (file < 0)
		return error_set(
			error, errno, "couldn't freopen() \"%s\": %s", path, strerror(errno));
	if (effects->original < 0)
		effects->original = fcntl(fileno(effects->output), F_DUPFD_CLOEXEC, 3);
	if (effects->original < 0) {
		result = -errno;
		close(file);
	} else {
		result = replace(effects, file);
	}
	return result ? error_set(error, -result, "couldn't freopen() \"%s\": %s", path,
				strerror(-result))
		      : 0;
}

/* Only a file can be truncated; what was written to a terminal or a pipe cannot be taken back. */
static int truncate_output(void *context, struct error *error)
{
	struct effects *effects = context;
	int descriptor = fileno(effects->output);
	struct stat status;

	if (fstat(descriptor, &status) || !S_ISREG(status.st_mode))
		return 0;
	if (ftruncate(descriptor, 0) || lseek(descriptor, 0, SEEK_SET) < 0)
		return error_set(error, errno, "could not ftruncate() output: %s", strerror(errno));
	return 0;
}

/*
 * The thread may have ended since its event, and its number may have been reused in another
 * process. The process is named too, so that the signal cannot reach the wrong thread.
 */
static int send_signal(void *context, uint32_t pid, uint32_t tid, int signal, struct error *error)
{
	(void)context;
	if (!tid && pid) {
		if (!kill((pid_t)pid, signal))
			return 0;
		return error_set(error, errno, "could not send signal %d to pid %u: %s", signal,
			(unsigned int)pid, errno == ESRCH ? "it has ended" : strerror(errno));
	}
	if (signal > 0 && pid && !syscall(SYS_tgkill, (pid_t)pid, (pid_t)tid, signal))
		return 0;
	if (signal <= 0 || !pid)
		errno = EINVAL;
	return error_set(error, errno, "could not raise() signal %d in thread %u of pid %u: %s",
		signal, (unsigned int)tid, (unsigned int)pid,
		errno == ESRCH ? "it has ended" : strerror(errno));
}

void effects_init(struct effects *effects, FILE *output, struct descriptor_limit *limit)
{
	*effects = (struct effects){
		.engine = {.context = effects,
			.command = run_command,
			.redirect = redirect,
			.truncate = truncate_output,
			.signal = send_signal},
		.output = output,
		.limit = limit,
		.original = -1,
	};
}

void effects_free(struct effects *effects)
{
	if (effects->original < 0)
		return;
	fflush(effects->output);
	replace(effects, effects->original);
	effects->original = -1;
}
