/* process.c: see process.h. Texts are cut to what an event can hold. */
#include "shim/core/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TEXTS_MAX = 60000, /* for arguments and environment each */
	RUNTIME_MAX = 1024
};

/* The process that created this one by fork(); 0 if it is not known. */
static _Atomic pid_t maker;

void process_fork_child(pid_t parent)
{
	/* in another pid namespace, processes have other numbers */
	atomic_store(&maker, getppid() ? parent : 0);
}

/* Reads the command line from the kernel: each argument is followed by a NUL. */
static size_t read_command_line(char **bytes)
{
	int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = 1;

	*bytes = malloc(TEXTS_MAX);
	while (file >= 0 && *bytes && got > 0 && length < TEXTS_MAX) {
		got = read(file, *bytes + length, TEXTS_MAX - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (file >= 0)
		close(file);
	return length;
}

/* Joins count texts, each followed by a NUL, up to TEXTS_MAX bytes. */
static size_t join_texts(char *const *texts, size_t count, char **bytes)
{
	size_t length = 0, taken = 0;

	for (; taken < count; taken++) {
		size_t more = strlen(texts[taken]) + 1;
		if (more > TEXTS_MAX - length)
			break;
		length += more;
	}
	char *at = *bytes = malloc(length + 1);
	for (size_t i = 0; at && i < taken; i++)
		at = stpcpy(at, texts[i]) + 1;
	return length;
}

static size_t environment_count(void)
{
	size_t count = 0;

	while (environ && environ[count])
		count++;
	return count;
}

int process_describe(struct process *process, const struct vmtap_options *options)
{
	pid_t parent = atomic_load(&maker);

	*process = (struct process){.pid = (uint32_t)getpid(),
		.parent = (uint32_t)(parent ? parent : getppid()),
		.caps = options->caps ? options->caps : 1};
	process->runtime = strndup(
		options->runtime ? options->runtime : program_invocation_short_name, RUNTIME_MAX);
	process->arguments_length = options->arguments && options->argument_count > 0
		? join_texts(
			  options->arguments, (size_t)options->argument_count, &process->arguments)
		: read_command_line(&process->arguments);
	if (options->send_environment)
		process->environment_length =
			join_texts(environ, environment_count(), &process->environment);
	return process->runtime && process->arguments &&
			(!options->send_environment || process->environment)
		? 0
		: -ENOMEM;
}

void process_free(struct process *process)
{
	free(process->runtime);
	free(process->arguments);
	free(process->environment);
}
